"""From settings to outcome over many boxes: seeds, trials and what is kept. The boxes' policies are as good as told."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from gymwright.errors import RequestWrong, SandboxUnavailable
from kit.contracts.design import Hyperparameter
from kit.contracts.outcomes import NamedNumber, PolicyKind, TrainingReport
from kit.contracts.runs import RunOptions
from kit.sandbox.jobs import Ending, Job, JobResult
from services.trainer.inside.payloads import LadderClaim, PolicyEpisodes, SearchClaim, TrainClaim
from services.trainer.training import TRIALS_APART, Training, TrainSettings
from tests.corridors import corridor, source_for

REPORT = TrainingReport(algorithm="PPO", why_algorithm="a test", engine="none", seed=0, n_envs=1, total_timesteps=3000)
Skill = Callable[[int, float], float]
"""How many steps a policy needs (fewer is better), by its seed and its learning rate (0: the default)."""


class Boxes:
    """A driver whose training boxes leave a policy as good as `skill` says; its ladder boxes measure just that."""

    def __init__(
        self,
        skill: Skill,
        suggests: tuple[float, ...] = (),
        prunes: tuple[float, ...] = (),
        loses: tuple[str, ...] = (),
    ) -> None:
        """loses: entries (by their last names), each of which one box is lost of, once."""
        self.skill, self.suggests, self.prunes, self.loses = skill, list(suggests), prunes, list(loses)
        self.trained: list[tuple[int, float]] = []

    async def run(self, job: Job, artifacts_into=None, on_said=lambda said: None) -> JobResult:
        if (entry := job.entry.rpartition(".")[2]) in self.loses:
            self.loses.remove(entry)
            raise SandboxUnavailable("a box was lost")
        work = {"train": self._train, "ladder": self._measure, "search": self._search}[entry]
        claim = work(job, artifacts_into)
        result = None if claim is None else {"kind": "result", **claim.model_dump(mode="json")}
        return JobResult(ending=Ending.EXITED, exit_code=0, result=result)

    def _train(self, job: Job, into) -> TrainClaim:
        asked = job.payload
        rates = [h["value"] for h in asked["hyperparameters"] if h["name"] == "learning_rate"]
        seed, rate = asked["seed"], rates[0] if rates else 0.0
        self.trained.append((seed, rate))
        if rate in self.prunes:
            return TrainClaim(pruned=True)
        for name in ("model.zip", "results.csv"):
            (into / name).write_text(name)
        (into / "policy.onnx").write_text(json.dumps(self.skill(seed, rate)))
        return TrainClaim(report=REPORT.model_copy(update={"seed": seed}))

    def _measure(self, job: Job, into) -> LadderClaim:
        needed, asked = float(json.loads(job.files["policy.onnx"])), job.payload
        played = asked["episodes"]

        def row(name: str, kind: PolicyKind, steps: float) -> PolicyEpisodes:
            return PolicyEpisodes(
                policy=name, kind=kind, rewards=(-steps,) * played, lengths=(20,) * played,
                metrics=((steps,) * played, (1.0,) * played, (1.0,) * played), components=((0.0,) * played,) * 2,
            )  # fmt: skip

        rungs = [
            row("idle", PolicyKind.IDLE, 20),
            row("random", PolicyKind.RANDOM, 15),
            row("always move stay", PolicyKind.CONSTANT, 20),
            row("hesitant", PolicyKind.BASELINE, 10),
            row("trained", PolicyKind.TRAINED, needed),
        ]
        validation = (needed,) * asked["validation_episodes"]
        return LadderClaim(policies=tuple(rungs) if played else (), validation=validation)

    def _search(self, job: Job, into) -> SearchClaim | None:
        (into / "tuning.journal").write_text("the study")
        if job.payload["ask"] and not self.suggests:
            return None
        asked = range(job.payload["ask"])
        return SearchClaim(
            suggested=tuple((NamedNumber(name="learning_rate", value=self.suggests.pop(0)),) for _ in asked),
            importances=(NamedNumber(name="learning_rate", value=1.0),),
        )

    async def check(self): ...

    async def close(self): ...


async def outcome(boxes: Boxes, into, **settings):
    return await Training(boxes, episodes=4, pauses_s=(0.0,)).train(
        source_for("DISCRETE"), corridor("DISCRETE"), TrainSettings(**settings), into
    )


def files(outcome) -> set[str]:
    return {artifact.name for artifact in outcome.artifacts}


async def test_one_seed_leaves_its_files_at_the_top(tmp_path):
    done = await outcome(Boxes(lambda seed, rate: 5), tmp_path, seed=7)
    assert done.verdict is not None
    assert done.validation_primary == 5
    assert (done.seeds, done.tuning) == ((), None)
    assert {"policy.onnx", "model.zip", "training.json", "ladder.json", "ladder_episodes.json"} <= files(done)


async def test_of_several_seeds_the_median_one_is_at_the_top(tmp_path):
    done = await outcome(Boxes(lambda seed, rate: {3: 9, 4: 5, 5: 7}[seed]), tmp_path, seed=3, seeds=3)
    assert [(one.seed, one.primary.mean, one.kept) for one in done.seeds] == [
        (3, 9, False),
        (4, 5, False),
        (5, 7, True),
    ]
    assert done.training.seed == 5
    assert (tmp_path / "policy.onnx").read_text() == "7"
    assert "seeds/3/policy.onnx" in files(done)
    assert "seeds/3/model.zip" not in files(done)
    assert not [name for name in files(done) if name.startswith("seeds/5/")]


@pytest.mark.parametrize("lost", ["train", "ladder"])
async def test_a_box_that_is_lost_is_tried_again_and_the_other_seeds_go_on(tmp_path, lost):
    boxes = Boxes(lambda seed, rate: 5, loses=(lost,))
    done = await outcome(boxes, tmp_path, seeds=3)
    assert [seed.seed for seed in done.seeds] == [0, 1, 2]
    assert sorted(boxes.trained) == [(0, 0.0), (1, 0.0), (2, 0.0)]


async def test_a_search_goes_on_through_lost_boxes(tmp_path):
    boxes = Boxes(lambda seed, rate: 8 - 100 * rate, suggests=(0.01,), loses=("train", "search", "ladder"))
    done = await outcome(boxes, tmp_path, tuning_trials=2)
    assert [trial.value for trial in done.tuning.trials] == [8, 7]


async def test_a_search_trains_with_a_seed_apart_and_keeps_the_best_settings(tmp_path):
    boxes = Boxes(lambda seed, rate: 8 - 100 * rate, suggests=(0.01, 0.03, 0.02))
    done = await outcome(boxes, tmp_path, seed=1, tuning_trials=4)
    trials, finals = boxes.trained[:4], boxes.trained[4:]
    assert {seed for seed, _ in trials} == {1 + TRIALS_APART}
    assert finals == [(1, 0.0), (1, 0.03)]
    assert [trial.value for trial in done.tuning.trials] == [8, 7, 5, 6]
    assert (done.tuning.best, done.tuning.default_primary.mean, done.tuning.tuned_primary.mean) == (2, 8, 5)
    assert (tmp_path / "policy.onnx").read_text() == "5.0"
    assert {"tuning.json", "tuning.journal", "default/policy.onnx"} <= files(done)


async def test_settings_that_were_best_by_luck_are_not_kept(tmp_path):
    """The trial with rate 0.03 was good with the trials' seed, and is bad with the user's."""
    boxes = Boxes(lambda seed, rate: 5 if seed > TRIALS_APART and rate else 9 if rate else 8, suggests=(0.03,))
    done = await outcome(boxes, tmp_path, seed=1, tuning_trials=2)
    assert (done.tuning.best, done.tuning.default_primary.mean, done.tuning.tuned_primary.mean) == (1, 8, 9)
    assert (tmp_path / "policy.onnx").read_text() == "8"
    assert done.validation_primary == 8


async def test_a_pruned_trial_is_told_and_never_the_best(tmp_path):
    boxes = Boxes(lambda seed, rate: 8, suggests=(0.03,), prunes=(0.03,))
    done = await outcome(boxes, tmp_path, tuning_trials=2)
    assert [(trial.value, trial.pruned) for trial in done.tuning.trials] == [(8, False), (None, True)]
    assert done.tuning.best == 0


async def test_what_the_user_set_is_not_searched(tmp_path):
    boxes = Boxes(lambda seed, rate: 8, suggests=(0.03,))
    await outcome(
        boxes, tmp_path, tuning_trials=2, hyperparameters=(Hyperparameter(name="learning_rate", value=0.004),)
    )
    assert {rate for _, rate in boxes.trained} == {0.004}


async def test_a_search_box_without_an_answer_is_something_to_try_again(tmp_path):
    with pytest.raises(SandboxUnavailable, match="search for hyperparameters gave no answer"):
        await outcome(Boxes(lambda seed, rate: 8), tmp_path, tuning_trials=2)


async def test_an_unknown_hyperparameter_is_refused_with_the_valid_names(tmp_path):
    options = RunOptions(hyperparameters=(NamedNumber(name="speed", value=1.0),))
    with pytest.raises(RequestWrong, match=r"no hyperparameter speed here; it has batch_size, .*learning_rate"):
        await Training(Boxes(lambda seed, rate: 8)).train(
            source_for("DISCRETE"), corridor("DISCRETE"), TrainSettings.of(options), tmp_path
        )


def test_options_that_say_nothing_are_one_seed_and_no_search():
    assert TrainSettings.of(RunOptions()) == TrainSettings()
