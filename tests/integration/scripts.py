"""Runs as scripted events: hospital shifts that need one fix, a failure, and what a cancelled run says last."""

from __future__ import annotations

from typing import Final

from gymwright.v1 import design_pb2, findings_pb2, outcomes_pb2, run_pb2

START_S: Final = 1_800_000_000.0

FILES: Final = {
    "design.json": b'{"name": "hospital_shifts", "title": "Hospital shifts", "fit": {"verdict": "RL"}}',
    "environment.py": b"import gymnasium\n" * 200,
    "report.md": b"# Hospital shifts\n",
    "reward_curve.png": b"\x89PNG" + bytes(5000),
    "results.csv": b"timesteps,reward\n",
    "model.zip": b"PK" + bytes(3000),
    "policy.onnx": bytes(range(256)) * 20,
    "tensorboard/events.out.1": b"board",
    "manifest.json": b"{}",
}

FINDING: Final = findings_pb2.Finding(
    check="observation.formula",
    severity=findings_pb2.SEVERITY_ERROR,
    blame=findings_pb2.BLAME_CODE,
    message='obs "patients_waiting" is 3 where the design\'s formula gives 4: arrivals of this step are left out.',
    evidence="seed 7, step 12",
    remedy="Add the arrivals before the observation is made.",
    file="environment.py",
    line=84,
)


def with_a_fix() -> list[run_pb2.RunEvent]:
    """Design, a draft that fails its check, a fix that passes, training, LEARNED."""
    told = [
        _event(run_pb2.RUN_STATE_STARTING, message="The run has started."),
        _event(run_pb2.RUN_STATE_DESIGNING, message="Looking for the nearest worked problem."),
        _event(run_pb2.RUN_STATE_DESIGNING, design_written=run_pb2.DesignWritten(design=DESIGN, origin=ORIGIN)),
        _event(run_pb2.RUN_STATE_CODING, code_written=run_pb2.CodeWritten(source="pass\n" * 212, origin=ORIGIN)),
        _event(run_pb2.RUN_STATE_CHECKING, message="Boxes are containers."),
        _event(run_pb2.RUN_STATE_CHECKING, finding=FINDING),
        _event(
            run_pb2.RUN_STATE_CHECKING,
            checked=findings_pb2.CheckReport(findings=[FINDING], episodes=3, steps=120, wall_s=1.0),
        ),
        _event(run_pb2.RUN_STATE_CODING, fix_started=run_pb2.FixStarted(fix=1, fixes_allowed=2, findings=[FINDING])),
        _event(run_pb2.RUN_STATE_CODING, code_written=run_pb2.CodeWritten(source="pass\n" * 214, origin=ORIGIN, fix=1)),
        _event(run_pb2.RUN_STATE_CHECKING, message="Boxes are containers."),
        _event(run_pb2.RUN_STATE_CHECKING, checked=findings_pb2.CheckReport(episodes=40, steps=9312, wall_s=4.1)),
        _event(run_pb2.RUN_STATE_TRAINING, message="MaskablePPO, because some shifts are illegal."),
        *(_progress(done) for done in range(3000, 30_001, 3000)),
        _event(run_pb2.RUN_STATE_TRAINING, message="Measuring the ladder on 64 test seeds."),
        _event(run_pb2.RUN_STATE_TRAINING, trained=OUTCOME),
        _event(run_pb2.RUN_STATE_REPORTING, message="Writing the report."),
        _event(run_pb2.RUN_STATE_SUCCEEDED, ended=run_pb2.RunEnded(state=run_pb2.RUN_STATE_SUCCEEDED)),
    ]
    return numbered(told)


def failing() -> list[run_pb2.RunEvent]:
    """A draft that no fix makes pass."""
    reason = "2 fixes were not enough: observation.formula, line 84."
    return numbered(
        [
            *with_a_fix()[:9],
            _event(run_pb2.RUN_STATE_CHECKING, checked=findings_pb2.CheckReport(findings=[FINDING])),
            _event(run_pb2.RUN_STATE_FAILED, ended=run_pb2.RunEnded(state=run_pb2.RUN_STATE_FAILED, reason=reason)),
        ]
    )


def asking() -> list[run_pb2.RunEvent]:
    """The designer asks, and designs once it is answered."""
    question = "How many beds has the ward?"
    return numbered(
        [
            *with_a_fix()[:2],
            _event(run_pb2.RUN_STATE_ASKING, message=f"The designer asks: {question}", question=question),
            *with_a_fix()[2:],
        ]
    )


def reviewing() -> list[run_pb2.RunEvent]:
    """The design waits for its review."""
    waits = _event(run_pb2.RUN_STATE_REVIEWING, message="The design waits for your review.")
    return numbered([*with_a_fix()[:3], waits, *with_a_fix()[3:]])


def advised() -> list[run_pb2.RunEvent]:
    """Another tool serves better."""
    ended = run_pb2.RunEnded(state=run_pb2.RUN_STATE_ADVISED, reason="Use a linear program: one step has no future.")
    return numbered([*with_a_fix()[:2], _event(run_pb2.RUN_STATE_ADVISED, ended=ended)])


def written() -> list[run_pb2.RunEvent]:
    """A model writes the design, begins anew, and what it took is told."""

    def text(piece: str, restarts: bool = False) -> run_pb2.RunEvent:
        written = run_pb2.TextWritten(purpose="design", text=piece, restarts=restarts)
        return _event(run_pb2.RUN_STATE_DESIGNING, message="The design is being written.", text_written=written)

    used = run_pb2.Usage(model="a model", purpose="design", input_tokens=1200, output_tokens=800, cost_usd=0.0123)
    told = [text("{\n"), text('  "name": "ward'), text("{\n", True), text('  "name":'), text(' "hospital_shifts"\n}')]
    spent = _event(run_pb2.RUN_STATE_DESIGNING, message="a model: design.", used=used)
    return numbered([*with_a_fix()[:2], *told, spent, *with_a_fix()[2:]])


def cancelled(sequence: int) -> run_pb2.RunEvent:
    """The last event of a run that was asked to stop."""
    ended = run_pb2.RunEnded(state=run_pb2.RUN_STATE_CANCELLED, reason="You cancelled it.")
    event = _event(run_pb2.RUN_STATE_CANCELLED, ended=ended)
    event.sequence, event.at_s = sequence, START_S + sequence
    return event


def numbered(events: list[run_pb2.RunEvent]) -> list[run_pb2.RunEvent]:
    for number, event in enumerate(events, start=1):
        event.sequence, event.at_s = number, START_S + number
    return events


def _event(state: run_pb2.RunState.ValueType, **said) -> run_pb2.RunEvent:
    return run_pb2.RunEvent(state=state, **said)


def _progress(done: int) -> run_pb2.RunEvent:
    progress = run_pb2.TrainingProgress(
        timesteps=done,
        total_timesteps=30_000,
        steps_per_s=2140.0,
        mean_reward=-40.0 + done / 1000,
        metrics=[outcomes_pb2.NamedNumber(name="patients_unseen", value=9.0 - done / 6000)],
    )
    return _event(run_pb2.RUN_STATE_TRAINING, progress=progress)


def _interval(mean: float, half: float) -> outcomes_pb2.Interval:
    return outcomes_pb2.Interval(mean=mean, low=mean - half, high=mean + half)


def _row(policy: str, kind: outcomes_pb2.PolicyKind.ValueType, unseen: float, reward: float) -> outcomes_pb2.LadderRow:
    metric = outcomes_pb2.NamedInterval(name="patients_unseen", interval=_interval(unseen, 0.31))
    return outcomes_pb2.LadderRow(
        policy=policy, kind=kind, episodes=64, reward=_interval(reward, 1.2), metrics=[metric]
    )


ORIGIN: Final = run_pb2.Origin(
    kind=run_pb2.ORIGIN_KIND_LIBRARY, detail="worked problem hospital_shifts (similarity 0.93)", similarity=0.93
)
DESIGN: Final = design_pb2.EnvDesign(
    name="hospital_shifts",
    title="Hospital shifts: staff a ward safely at the lowest cost",
    metrics=[design_pb2.Metric(name="patients_unseen", unit="patients", direction=design_pb2.DIRECTION_LOWER)],
)
OUTCOME: Final = outcomes_pb2.TrainOutcome(
    training=outcomes_pb2.TrainingReport(
        algorithm="MaskablePPO", total_timesteps=30_000, wall_s=14.0, steps_per_s=2140.0, n_envs=8
    ),
    ladder=outcomes_pb2.Ladder(
        rows=[
            _row("idle", outcomes_pb2.POLICY_KIND_IDLE, 41.2, -160.0),
            _row("random", outcomes_pb2.POLICY_KIND_RANDOM, 18.4, -88.0),
            _row("staff the longest queue", outcomes_pb2.POLICY_KIND_BASELINE, 6.1, -21.4),
            _row("trained", outcomes_pb2.POLICY_KIND_TRAINED, 4.2, -12.4),
        ]
    ),
    verdict=outcomes_pb2.Verdict(
        kind=outcomes_pb2.VERDICT_KIND_LEARNED,
        reason='patients_unseen 4.2 [3.9, 4.5] against 6.1 [5.8, 6.4] of "staff the longest queue".',
    ),
)
