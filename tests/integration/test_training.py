"""Training in real boxes, on a corridor in every action family: what comes out is what was learned, and true."""

from __future__ import annotations

import asyncio
import csv
import json
import os
from collections.abc import Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from gymwright.errors import SandboxUnavailable
from kit.contracts.design import EnvDesign, Hyperparameter, Level, ParameterOverride
from kit.contracts.formulas import compile_design, parameter_values, transitions
from kit.contracts.outcomes import PolicyKind, TrainOutcome, VerdictKind
from kit.sandbox.choosing import SandboxChoice, choose_driver
from kit.sandbox.image import ROOT
from kit.sandbox.jobs import Job, JobResult
from services.trainer.boxes import LADDER_LIMITS, LIMITS
from services.trainer.inside.payloads import LadderClaim, LadderPayload
from services.trainer.training import Training, TrainSettings
from tests.corridors import FAMILIES, corridor, source_for

pytestmark = [pytest.mark.sandbox, pytest.mark.timeout(300)]

SETTINGS = TrainSettings(seed=1)
NEAR = Level(name="near", overrides=(ParameterOverride(name="starts", values=(4,)),), opens_next_at=12.0)


@dataclass(frozen=True)
class Trained:
    """One training, and the folder it left."""

    outcome: TrainOutcome
    folder: Path

    @property
    def claim(self) -> dict:
        return json.loads((self.folder / "training.json").read_text())


Asked = dict[str, tuple[str, EnvDesign, TrainSettings]]


@asynccontextmanager
async def sandbox():
    """Whatever boxes this machine has; two at a time."""
    python = Path(os.environ.get("GYMWRIGHT_SANDBOX_PYTHON", ROOT / ".sandbox-venv" / "bin" / "python"))
    try:
        driver, _ = await choose_driver(SandboxChoice(python=python, limits=LIMITS, at_once=2))
    except SandboxUnavailable as problem:
        if os.environ.get("GYMWRIGHT_REQUIRE_DOCKER") == "1":
            pytest.fail(f"boxes are required here: {problem}")
        pytest.skip(str(problem))
    try:
        yield driver
    finally:
        await driver.close()


def in_boxes(folder: Path, trainings: Asked, jobs: Callable[[dict[str, Trained]], dict[str, Job]]):
    """The trainings, then the jobs made of them, two at a time, by name, with whatever boxes this machine has."""

    for name in trainings:
        (folder / name).mkdir()

    async def work():
        async with sandbox() as driver:
            trained = await asyncio.gather(*(_train(driver, folder / name, *one) for name, one in trainings.items()))
            done = dict(zip(trainings, trained, strict=True))
            wanted = jobs(done)
            results = await asyncio.gather(*(driver.run(job) for job in wanted.values()))
            return done, dict(zip(wanted, results, strict=True))

    return asyncio.run(work())


async def _train(driver, into: Path, source: str, design: EnvDesign, settings: TrainSettings) -> Trained:
    return Trained(await Training(driver).train(source, design, settings, into, "test"), into)


def ladder_job(source: str, design: EnvDesign, policy: bytes, episodes: int) -> Job:
    return Job(
        entry="services.trainer.inside.ladder",
        payload=LadderPayload(source=source, design=design, episodes=episodes).model_dump(mode="json"),
        files={"policy.onnx": policy},
        limits=LADDER_LIMITS,
    )


def climbed(result: JobResult) -> LadderClaim:
    assert result.result is not None, result.output
    return LadderClaim.model_validate_json(json.dumps({k: v for k, v in result.result.items() if k != "kind"}))


@pytest.fixture(scope="module")
def boxes(tmp_path_factory) -> tuple[dict[str, Trained], dict[str, JobResult]]:
    """Each family trained once, and DISCRETE again with the same seed; then each in a corridor of one step."""
    asked = {family: (source_for(family), corridor(family), SETTINGS) for family in FAMILIES}
    asked["AGAIN"] = asked["DISCRETE"]
    asked["LEVELS"] = (source_for("DISCRETE"), corridor("DISCRETE", curriculum=(NEAR,)), SETTINGS)
    early = TrainSettings(seed=1, total_timesteps=60_000, hyperparameters=(Hyperparameter(name="early_stop", value=3),))
    asked["EARLY"] = (source_for("DISCRETE"), corridor("DISCRETE"), early)
    asked["RANGED"] = (source_for("DISCRETE"), corridor("DISCRETE", tolls=(0.5, 2.0)), SETTINGS)

    def one_step(trained: dict[str, Trained]) -> dict[str, Job]:
        return {
            family: ladder_job(
                source_for(family, step_limit=1),
                corridor(family, step_limit=1, starts=1),
                (trained[family].folder / "policy.onnx").read_bytes(),
                episodes=1000,
            )
            for family in FAMILIES
        }

    return in_boxes(tmp_path_factory.mktemp("trained"), asked, one_step)


@pytest.fixture(scope="module")
def families(boxes) -> dict[str, Trained]:
    return boxes[0]


def test_a_training_that_has_flattened_stops_early_where_that_is_asked_for_and_says_so(families):
    """Always going right is found soon, and nothing is better."""
    early = families["EARLY"]
    assert early.outcome.findings == ()
    rewards = [one.mean_reward for one in early.outcome.training.evaluations]
    assert len(rewards) - 1 - rewards.index(max(rewards)) == 3
    assert early.outcome.training.total_timesteps < 60_000
    assert "had not improved in 3 evaluations" in early.claim["stopped_early"]
    assert families["DISCRETE"].claim["stopped_early"] == ""


def test_where_parameters_have_ranges_training_draws_them_and_the_ladder_says_what_holds(families):
    ranged = families["RANGED"]
    assert ranged.outcome.findings == ()
    steps = pq.read_table(ranged.folder / "steps.parquet")
    episodes = steps.group_by(["env", "episode"]).aggregate([("parameter.toll", "count_distinct")])
    assert set(episodes["parameter.toll_count_distinct"].to_pylist()) == {1}  # the same in every step of an episode
    tolls = steps["parameter.toll"].to_numpy()
    assert 0.5 <= tolls.min() < 0.6
    assert 1.9 < tolls.max() <= 2.0
    ladder = ranged.outcome.ladder
    assert [row.policy for row in ladder.randomised] == ["hesitant", "trained"]
    nominal = next(row for row in ladder.rows if row.policy == "trained")
    trained = ladder.randomised[1]
    assert trained.metrics == nominal.metrics  # what a step costs changes no step of it
    assert trained.reward.mean < nominal.reward.mean  # but what it is paid: steps cost 1.25 on average


def test_a_curriculum_is_followed_and_all_that_counts_has_the_designs_own_values(families):
    levels = families["LEVELS"]
    assert levels.outcome.findings == ()
    assert levels.outcome.verdict.kind is not VerdictKind.REWARD_HACKED
    with (levels.folder / "results.csv").open() as file:
        rows = list(csv.DictReader(file))
    followed = [row["level"] for row in rows]
    near = followed.count("near")
    assert 0 < near < len(rows)
    assert followed == ["near"] * near + ["nominal"] * (len(rows) - near)
    at_level = [row["level_steps_taken"] for row in rows]
    assert [float(steps) <= 12 for steps in at_level[:near]] == [False] * (near - 1) + [True]
    assert set(at_level[near:]) == {""}
    assert [one.level for one in levels.outcome.training.evaluations] == followed
    steps = pq.read_table(levels.folder / "steps.parquet").select(["at", "step", "parameter.starts"]).to_pylist()
    resets = [row for row in steps if row["step"] == 0]
    assert {row["parameter.starts"] for row in resets} == {2, 4}
    assert {row["parameter.starts"] for row in resets if row["at"] == 0} == {4}
    best, _ = max((one.mean_reward, one.timesteps) for one in levels.outcome.training.evaluations)
    trained = next(row for row in levels.outcome.ladder.rows if row.policy == "trained")
    assert trained.reward.mean == pytest.approx(best, abs=0.4)  # other seeds of the same starts


@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_of_actions_learns_the_corridor(families, family):
    """As well as can be done: always going right is best, so what was learned is no better than that constant."""
    outcome = families[family].outcome
    assert outcome.findings == ()
    steps = {row.kind: row.metrics[0].interval.mean for row in outcome.ladder.rows}
    assert steps[PolicyKind.TRAINED] < steps[PolicyKind.BASELINE]
    assert steps[PolicyKind.TRAINED] == pytest.approx(steps[PolicyKind.CONSTANT], rel=0.1)
    assert outcome.verdict is not None
    assert outcome.verdict.kind is not VerdictKind.LEARNED, outcome.verdict.reason
    assert "the best of the others, always" in outcome.verdict.reason


@pytest.mark.parametrize("family", FAMILIES)
def test_the_exported_policy_does_what_the_model_does(families, family):
    parity = families[family].claim["parity"]
    assert parity["observations"] > 0
    assert parity["differ"] == 0
    assert parity["largest"] < 1e-5


def test_the_ladder_measures_every_policy_and_idle_never_moves(families):
    ladder = families["DISCRETE"].outcome.ladder
    assert ladder is not None
    assert [row.kind for row in ladder.rows] == [
        PolicyKind.IDLE, PolicyKind.RANDOM, PolicyKind.CONSTANT, PolicyKind.BASELINE, PolicyKind.HALF_TRAINED,
        PolicyKind.TRAINED,
    ]  # fmt: skip
    idle, _, constant, hesitant, _, trained = ladder.rows
    assert constant.policy == "always move right"  # chosen on the validation seeds
    assert idle.reward.mean == pytest.approx(-2.0)  # 20 steps at -0.1
    assert {m.name: m.interval.mean for m in idle.metrics}["steps_taken"] == 20
    assert {m.name: m.interval.mean for m in hesitant.metrics}["mean_cell"] == 1  # it stops in cell 1
    assert 3 <= {m.name: m.interval.mean for m in trained.metrics}["steps_taken"] <= 4  # from cell 1 or 0 to 4


@pytest.mark.parametrize(
    ("family", "chance"),
    [
        ("DISCRETE", 1 / 3),
        ("MULTI_DISCRETE", 1 / 3 * 1 / 2),
        ("MULTI_BINARY", 1 / 2 * 1 / 2),
        ("BOX", 0.7 / 3),  # above 0.3 of [-2, 1]
        ("MASKED", 1 / 2),  # left and the trapdoor are illegal in the first cell
    ],
)
def test_random_moves_as_often_as_arithmetic_says(boxes, family, chance):
    """One step from the first cell, 1000 times: the cells gained are the chance to go right."""
    random = next(one for one in climbed(boxes[1][family]).policies if one.kind is PolicyKind.RANDOM)
    assert np.mean(random.components[0]) == pytest.approx(chance, abs=0.05)


def test_the_same_seed_gives_the_same_policy_and_the_same_curve(families):
    first, again = families["DISCRETE"], families["AGAIN"]
    assert (first.folder / "policy.onnx").read_bytes() == (again.folder / "policy.onnx").read_bytes()
    assert first.claim["curve"] == again.claim["curve"]
    assert first.outcome.training.evaluations == again.outcome.training.evaluations


@pytest.mark.parametrize("family", FAMILIES)
def test_logged_components_are_what_the_designs_formulas_give(families, family):
    design = corridor(family)
    file = pq.read_table(families[family].folder / "steps.parquet")
    table = file.sort_by([(name, "ascending") for name in ("env", "episode", "step")]).to_pydict()
    columns = {name: np.array(column, dtype=np.float64) for name, column in table.items()}
    stepped = np.flatnonzero(columns["step"] != 0)
    state = {v.name: columns[f"state.{v.name}"] for v in design.state}
    actions = np.stack([columns[f"action.{term.name}"] for term in design.action.terms], axis=1)
    program = compile_design(design)
    values = transitions(
        program,
        parameter_values(design),
        {name: column[stepped - 1] for name, column in state.items()},
        actions[stepped],
        {name: column[stepped] for name, column in state.items()},
        state["position"][stepped - 1][:, None],
    )
    law = program.laws["walk"]
    assert law.right is not None
    assert np.array_equal(law.left(values), law.right(values))  # the rows are in order, and nothing is missing
    for name, compiled in program.components.items():
        expected = np.broadcast_to(compiled(values), stepped.shape)
        assert np.array_equal(columns[f"component.{name}"][stepped], expected)


def test_every_step_of_every_environment_is_logged(families):
    table = pq.read_table(families["DISCRETE"].folder / "steps.parquet")
    steps = np.array(table["step"])
    assert (steps != 0).sum() == families["DISCRETE"].outcome.training.total_timesteps
    assert set(np.array(table["env"])) == {0, 1, 2, 3}


def test_a_training_leaves_all_its_files(families):
    names = {artifact.name for artifact in families["DISCRETE"].outcome.artifacts}
    assert {"model.zip", "policy.onnx", "results.csv", "monitor.csv", "steps.parquet", "training.json"} <= names
    assert {"ladder.json", "ladder_episodes.json", "checkpoint.zip"} <= names
    assert any(name.startswith("tensorboard/events.out.tfevents.") for name in names)


def test_results_has_a_row_an_evaluation(families):
    with (families["DISCRETE"].folder / "results.csv").open() as file:
        rows = list(csv.DictReader(file))
    evaluations = families["DISCRETE"].outcome.training.evaluations
    assert [int(row["timesteps"]) for row in rows] == [one.timesteps for one in evaluations]
    assert {"mean_reward", "std_reward", "steps_taken", "reached", "mean_cell"} <= set(rows[0])


def test_tensorboard_has_the_librarys_names_and_ours(families):
    (events,) = (families["DISCRETE"].folder / "tensorboard").iterdir()
    logged = events.read_bytes()
    for name in ("rollout/ep_rew_mean", "train/loss", "eval/mean_reward", "components/progress", "metrics/reached"):
        assert name.encode() in logged
