"""Candidates that break, lie or interfere while they train: each comes back as a finding the coder can act on."""

from __future__ import annotations

import pytest

from kit.contracts.findings import Blame, Severity
from kit.contracts.outcomes import VerdictKind
from kit.sandbox.jobs import Job
from services.trainer.training import TrainSettings
from tests.corridors import corridor, source_for
from tests.integration.test_training import climbed, in_boxes, ladder_job

pytestmark = [pytest.mark.sandbox, pytest.mark.timeout(300)]

STEP = "        before = self.position\n"


def broken(line: str, family: str = "DISCRETE") -> str:
    """The corridor with one more line at the start of its step."""
    source = source_for(family)
    assert STEP in source
    return source.replace(
        STEP, f"        self.__class__.count = getattr(self.__class__, 'count', 0) + 1\n{line}\n{STEP}"
    )


# What a candidate can do to the box it trains in: it runs beside our code there.
POISON = """
import sys
if export := sys.modules.get("services.trainer.inside.export"):
    export.export, export.parity = (lambda *_: b"a poisoned model"), (lambda *_: None)
    sys.modules["services.trainer.inside.halfway"].exported = export.export
"""
LIAR = """
import sys
if train := sys.modules.get("services.trainer.inside.train"):
    honest = train.TrainingReport
    def report(**said):
        better = [one.model_copy(update={"mean_reward": 1e6}) for one in said["evaluations"]]
        return honest(**{**said, "evaluations": tuple(better)})
    train.TrainingReport = report
"""

FAULTS = {
    "crash": broken("        if self.count == 500: raise RuntimeError('stuck in the wall')"),
    "exit": broken("        if self.count == 500: raise SystemExit(0)"),
    "gone": broken("        if self.count == 500: __import__('os')._exit(0)"),
    "nan": broken("        if self.count == 500: return self._seen(), np.nan, False, False, self._info(0)"),
    "state": source_for("DISCRETE").replace('"clock": np.int64(self.clock)', '"time": np.int64(self.clock)'),
    "generous": source_for("DISCRETE").replace("progress - 0.1 * self.paid, reached", "progress + 5.0, reached"),
    "import": "import gymnasium\nimport nonsense_that_is_not_there\n",
    "endless": source_for("DISCRETE").replace("truncated = self.clock", "truncated = False and self.clock"),
    "masks": source_for("MASKED").replace("self.position > 0, False]", "True, False]"),
    "space": source_for("DISCRETE").replace("spaces.Discrete(3)", "spaces.Box(0.0, 1.0, (1,))"),
    "poison": source_for("DISCRETE") + POISON,
    "liar": source_for("DISCRETE") + LIAR,
}  # fmt: skip

NO_MODELS = {"empty": b"", "text": b"not a model", "noise": b"\x08" * 100}

EXTERNAL = """
import onnx
from onnx import TensorProto, helper
from services.trainer.inside.policies import PolicyRefused, trained
from kit.contracts.design import EnvDesign

def model(tensor=None, domain="", branch=False):
    attributes = {"then_branch": helper.make_graph([], "g", [], [])} if branch else {}
    node = helper.make_node("If" if branch else "Identity", ["obs"], ["action"], domain=domain, **attributes)
    shape = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [None, 1]) for n in ("obs", "action")]
    graph = helper.make_graph([node], "g", shape[:1], shape[1:], [tensor] if tensor is not None else [])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10).SerializeToString()

outside = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[1], data_location=TensorProto.EXTERNAL)
outside.external_data.add(key="location", value="/etc/passwd")
design = EnvDesign.model_validate_json(payload["design"])
refused = {}
models = {"fine": model(), "outside": model(outside), "own": model(domain="evil"), "branch": model(branch=True)}
for name, made in models.items():
    try:
        trained(design, made)
        refused[name] = ""
    except PolicyRefused as reason:
        refused[name] = str(reason)
say("result", refused=refused)
"""

TELESCOPE = """
import numpy as np
from stable_baselines3.common.vec_env import DummyVecEnv
from kit.contracts.design import EnvDesign
from kit.contracts.formulas import compile_design
from services.trainer.inside.candidate import load
from services.trainer.inside.recorder import Recorder
from services.trainer.inside.recorders import Recorders
from services.trainer.inside.rows import Layout
from services.trainer.inside.shaping import Shaping

design = EnvDesign.model_validate_json(payload["design"])
layout, make = Layout(design), load(payload["environment"], design)
recorders = [Recorder(make(), design, layout) for _ in range(3)]
plain = DummyVecEnv([lambda recorder=recorder: recorder for recorder in recorders])
venv = Shaping(plain, Recorders(recorders), compile_design(design), layout)
gamma, generator = design.training.discount, np.random.default_rng(3)
venv.seed(5)
starts, sums, power, checked = venv.reset()[:, 0].copy(), np.zeros(3), np.ones(3), []
for _ in range(400):
    observations, rewards, dones, infos = venv.step(generator.integers(0, 3, 3))
    shaped = rewards - np.array([recorder.before_reset[3] for recorder in recorders])
    sums += power * shaped
    power *= gamma
    for i in np.flatnonzero(dones):
        last = float(infos[i]["terminal_observation"][0])
        kept = last * power[i] if infos[i]["TimeLimit.truncated"] else 0.0
        checked.append((float(sums[i]), kept - float(starts[i]), bool(infos[i]["TimeLimit.truncated"])))
        sums[i], power[i], starts[i] = 0.0, 1.0, observations[i, 0]
say("result", checked=checked)
"""


HANG = """
from kit.contracts.design import EnvDesign
from services.trainer.inside.candidate import load
from services.trainer.inside.faults import CandidateBroke
from services.trainer.inside.recorder import Recorder
from services.trainer.inside.rows import Layout
from services.trainer.inside.watchdog import Watchdog

design = EnvDesign.model_validate_json(payload["design"])
recorder = Recorder(load(payload["environment"], design)(), design, Layout(design))
try:
    with Watchdog(lambda: recorder.moments, seconds=0.2):
        recorder.reset(seed=1)
        recorder.step(0)
except CandidateBroke as broke:
    say("result", **broke.finding.model_dump(mode="json"))
"""
HANGING = broken("        while True: pass")


@pytest.fixture(scope="module")
def boxes(tmp_path_factory):
    """Every fault trained on, every policy that is no model measured, and the scripts."""
    asked = {
        name: (source, corridor("MASKED" if name == "masks" else "DISCRETE"), TrainSettings(total_timesteps=2000))
        for name, source in FAULTS.items()
    }
    shaped = corridor("DISCRETE", potential="state.position")
    jobs = {
        name: ladder_job(source_for("DISCRETE"), corridor("DISCRETE"), policy, episodes=2)
        for name, policy in NO_MODELS.items()
    }
    for name, script in {"external": EXTERNAL, "telescope": TELESCOPE, "hang": HANG}.items():
        environment = HANGING if name == "hang" else source_for("DISCRETE")
        payload = {"source": script, "design": shaped.model_dump_json(), "environment": environment}
        jobs[name] = Job(entry="kit.inside.script", payload=payload)
    return in_boxes(tmp_path_factory.mktemp("faults"), asked, lambda trained: jobs)


@pytest.fixture(scope="module")
def outcomes(boxes):
    return {name: one.outcome for name, one in boxes[0].items()}


@pytest.mark.parametrize(
    ("fault", "check", "says"),
    [
        ("crash", "training.raised", "RuntimeError: stuck in the wall"),
        ("exit", "training.raised", "SystemExit"),
        ("gone", "training.no_result", "exit code 0"),
        ("nan", "training.not_finite", "the reward"),
        ("endless", "training.never_ended", "step limit of 20"),
        ("state", "training.reported", "clock"),
        ("import", "training.raised", "nonsense_that_is_not_there"),
        ("space", "training.spaces", "must be a Discrete"),
    ],
)
def test_a_candidate_that_breaks_in_training_is_a_finding_against_the_code(outcomes, fault, check, says):
    (finding,) = outcomes[fault].findings
    assert (finding.check, finding.severity, finding.blame) == (check, Severity.ERROR, Blame.CODE), finding
    assert says in finding.message
    assert not outcomes[fault].trained


def test_a_crash_names_its_line_and_only_the_candidates_frames(outcomes):
    (finding,) = outcomes["crash"].findings
    lines = FAULTS["crash"].splitlines()
    assert finding.line is not None
    assert "stuck in the wall" in lines[finding.line - 1]
    assert finding.traceback.count('File "') == 1
    assert "raise RuntimeError" in finding.traceback


def test_a_step_that_hangs_is_interrupted_where_it_hangs(boxes):
    result = boxes[1]["hang"]
    assert result.result is not None, result.output
    assert result.result["check"] == "training.hung"
    assert "while True" in HANGING.splitlines()[result.result["line"] - 1]


def test_rewards_that_the_design_does_not_pay_are_noticed_and_do_not_count(outcomes):
    outcome = outcomes["generous"]
    assert [(f.check, f.severity) for f in outcome.findings] == [("training.reward", Severity.WARNING)]
    idle = outcome.ladder.rows[0]
    assert idle.reward.mean == pytest.approx(-2.0)  # by formula, whatever the environment says it pays


def test_a_box_that_leaves_a_poisoned_model_gets_no_ladder(outcomes):
    outcome = outcomes["poison"]
    assert [(f.check, f.blame) for f in outcome.findings] == [("ladder.policy", Blame.CODE)]
    assert outcome.ladder is None
    assert not outcome.trained


def test_a_box_that_lies_about_its_rewards_changes_no_measurement(outcomes):
    outcome = outcomes["liar"]
    assert {one.mean_reward for one in outcome.training.evaluations} == {1e6}  # shown as what it claims
    trained = outcome.ladder.rows[-1]
    assert trained.reward.mean < 4  # four cells at most are gained
    assert outcome.verdict.kind is not VerdictKind.LEARNED  # always going right is as good
    assert outcome.validation_primary == pytest.approx(trained.metrics[0].interval.mean, abs=0.5)


def test_masks_that_are_not_the_designs_are_found_in_the_second_box(outcomes):
    assert [finding.check for finding in outcomes["masks"].findings] == ["ladder.masks"]


@pytest.mark.parametrize("name", NO_MODELS)
def test_a_policy_that_is_no_model_is_refused(boxes, name):
    assert [finding.check for finding in climbed(boxes[1][name]).findings] == ["ladder.policy"]


def test_a_policy_that_reaches_outside_itself_is_refused_before_the_runtime_sees_it(boxes):
    result = boxes[1]["external"]
    assert result.result is not None, result.output
    assert result.result["refused"] == {
        "fine": "",
        "outside": "it wants data from another file",
        "own": "it uses the operator evil::Identity",
        "branch": "it branches or loops (If), which no policy of ours does",
    }


def test_shaping_telescopes_to_the_potentials_at_both_ends(boxes):
    """Discounted, an episode's shaping is gamma^T phi(end) - phi(start): 0 at a termination, kept at a truncation."""
    result = boxes[1]["telescope"]
    assert result.result is not None, result.output
    checked = result.result["checked"]
    assert {truncated for _, _, truncated in checked} == {True, False}
    for summed, expected, _ in checked:
        assert summed == pytest.approx(expected, abs=1e-4)
