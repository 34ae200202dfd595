"""A run of the hospital ward, written by hand, for the tests of the reporter."""

from __future__ import annotations

from kit.contracts.findings import Blame, CheckReport, Finding, Severity, SkippedGroup
from kit.contracts.outcomes import (
    Artifact,
    ComponentShare,
    Evaluation,
    Interval,
    Ladder,
    LadderRow,
    NamedInterval,
    NamedNumber,
    PolicyKind,
    TrainingReport,
    TrainOutcome,
    Verdict,
    VerdictKind,
)
from kit.contracts.reports import ReportRequest
from kit.contracts.runs import Draft, Origin, OriginKind, RunOptions
from kit.library import worked_problems

WARD = next(problem for problem in worked_problems() if problem.name == "hospital_shifts")

NAMES = ("cost_per_day", "safe_share", "agency_share", "sick_share", "fatigue", "turned_away")
METRICS = {
    "idle": (PolicyKind.IDLE, -412.0, (23800.0, 0.0, 0.0, 0.0, 0.02, 96.0)),
    "random": (PolicyKind.RANDOM, -158.0, (7910.0, 0.47, 0.21, 0.12, 0.44, 18.2)),
    "cover_the_need": (PolicyKind.BASELINE, -88.6, (5544.0, 0.921, 0.082, 0.148, 0.57, 1.4)),
    "trained": (PolicyKind.TRAINED, -84.2, (5270.0, 0.942, 0.061, 0.131, 0.51, 1.1)),
}
ELSEWHERE = 0.25  # of any metric that the worked problem has and this table does not


def around(mean: float, share: float = 0.012) -> Interval:
    return Interval(mean=mean, low=mean - abs(mean) * share, high=mean + abs(mean) * share)


def ladder() -> Ladder:
    rows = tuple(
        LadderRow(
            policy=policy,
            kind=kind,
            episodes=100,
            reward=around(reward),
            metrics=tuple(
                NamedInterval(
                    name=metric.name,
                    interval=around(dict(zip(NAMES, values, strict=True)).get(metric.name, ELSEWHERE)),
                )
                for metric in WARD.design.metrics
            ),
            components=(
                NamedNumber(name="staff", value=reward * 0.8),
                NamedNumber(name="harm", value=reward * 0.14),
                NamedNumber(name="transfers", value=reward * 0.03),
                NamedNumber(name="fatigue", value=reward * 0.03),
            ),
        )
        for policy, (kind, reward, values) in METRICS.items()
    )
    return Ladder(rows=rows, first_seed=2_000_000)


def training() -> TrainingReport:
    evaluations = tuple(
        Evaluation(
            timesteps=15_000 * step,
            mean_reward=-84 - 70 * 0.75**step + (step % 3) * 0.6,
            std_reward=9 - 0.2 * step,
            episodes=20,
            metrics=(NamedNumber(name="cost_per_day", value=5250 + 2700 * 0.75**step - (step % 3) * 30),),
        )
        for step in range(1, 21)
    )
    return TrainingReport(
        algorithm="PPO",
        why_algorithm="the action is MULTI_DISCRETE and has no illegal choices",
        engine="sb3",
        seed=3,
        n_envs=16,
        total_timesteps=300_000,
        hyperparameters=(NamedNumber(name="learning_rate", value=0.0003), NamedNumber(name="gamma", value=0.97)),
        wall_s=91.4,
        steps_per_s=3282.3,
        evaluations=evaluations,
        components=(
            ComponentShare(name="staff", first=-92.1, last=-68.4),
            ComponentShare(name="harm", first=-51.0, last=-11.2),
            ComponentShare(name="transfers", first=-12.4, last=-2.1),
            ComponentShare(name="fatigue", first=-1.9, last=-2.2),
        ),
    )


def crash(message: str, where: str) -> Finding:
    return Finding(
        check=f"contract.{where}",
        severity=Severity.ERROR,
        blame=Blame.CODE,
        message=message,
        evidence="seed 0, step 0",
        remedy=f"Mend {where}().",
        file="environment.py",
        line=145,
        traceback=f"AttributeError: {message}",
    )


def report(**changes: object) -> ReportRequest:
    """A run with two repairs that LEARNED; `changes` replace fields."""
    scripted = Origin(kind=OriginKind.SCRIPTED, detail="prepared in repair")
    fields: dict[str, object] = {
        "run_id": "ward-7",
        "problem": "Optimise hospital shift scheduling",
        "options": RunOptions(seed=3),
        "design": WARD.design,
        "design_origin": Origin(
            kind=OriginKind.LIBRARY, detail="worked problem hospital_shifts (similarity 1.00)", similarity=1.0
        ),
        "drafts": (
            Draft(source="# 0\n", origin=scripted, findings=(crash("reset raised: no attribute", "reset"),)),
            Draft(source="# 1\n", origin=scripted, findings=(crash("step raised in training", "step"),)),
            Draft(source=WARD.source, origin=scripted),
        ),
        "check": CheckReport(
            findings=(
                Finding(
                    check="signs.ending",
                    severity=Severity.NOTE,
                    blame=Blame.DESIGN,
                    message="No episode ended before its step limit.",
                ),
            ),
            ran=("static", "contract", "spaces"),
            skipped=(SkippedGroup(group="memory", why="the time for the check was over"),),
            episodes=48,
            steps=4032,
            wall_s=6.2,
        ),
        "outcome": TrainOutcome(
            training=training(),
            ladder=ladder(),
            verdict=Verdict(
                kind=VerdictKind.LEARNED,
                reason="trained reaches 5,270 EUR/day of cost_per_day and cover_the_need 5,544.",
            ),
            artifacts=(
                Artifact(name="model.zip", size=181_000, sha256="a" * 64),
                Artifact(name="policy.onnx", size=25_123, sha256="b" * 64),
            ),
        ),
        "sandbox": "Boxes are containers (gymwright/sandbox:dev).",
    }
    return ReportRequest.model_validate({**fields, **changes})
