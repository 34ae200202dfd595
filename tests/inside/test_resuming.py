"""Resuming: a training that goes on in a fresh box from a checkpoint is, to the last bit, the unbroken one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest
import torch
from stable_baselines3 import PPO, SAC

from kit.contracts.design import Hyperparameter, Level, ObservationKind, ParameterOverride
from services.trainer.inside import underway
from services.trainer.inside.candidate import load
from services.trainer.inside.engines.twin_vector import TwinVector
from services.trainer.inside.payloads import TrainPayload
from services.trainer.inside.rows import Layout
from services.trainer.inside.twin_recorder import TwinRecorder
from services.trainer.inside.twins import load_twin
from tests.corridors import corridor, source_for
from tests.inside.test_twins import worked

torch.set_num_threads(1)

BOXES = """
import json, os, shutil, sys
import onnxscript, torch._dynamo, torch.onnx._internal.exporter._core, torch.export
from kit.inside.saying import BOX_DIR, OUT_DIR
from services.trainer.inside import train

def say(kind, **said):
    if kind == "keep":
        shutil.copyfile(OUT_DIR / said["name"], BOX_DIR / f"{said['timesteps']}.zip")
    if kind == "result":
        (BOX_DIR / "claim.json").write_text(json.dumps(said))

# Each line is a box: a fork that has all imports done, as the boxes of the drivers are.
for line in sys.stdin:
    asked = json.loads(line)
    for name in ("in", "out", "tmp"):
        (BOX_DIR / name).mkdir(parents=True)
    if asked["checkpoint"]:
        shutil.copyfile(asked["checkpoint"], BOX_DIR / "in" / "checkpoint.zip")
    if (child := os.fork()) == 0:
        train.main(asked["payload"], say)
        os._exit(0)
    os.waitpid(child, 0)
    shutil.move(BOX_DIR, asked["into"])
    print("done", flush=True)
"""
VECTOR, IMAGE, DICT = ObservationKind.VECTOR, ObservationKind.IMAGE, ObservationKind.DICT
CASES = {
    "PPO, fast": ("DISCRETE", VECTOR, "state.position", {}),
    "MaskablePPO, fast": ("MASKED", VECTOR, None, {}),
    "SAC, fast": ("BOX", VECTOR, None, {"buffer_size": 800}),  # which is full before the end
    "PPO, in levels": ("DISCRETE", VECTOR, None, {}),
    "PPO, sb3": ("DISCRETE", IMAGE, None, {"n_epochs": 1, "lr_decay": 1}),
    "SAC, sb3": ("BOX", DICT, None, {"train_freq": 8, "gradient_steps": 1, "batch_size": 8}),
}
# It opens the next after some of the checkpoints.
EASY = Level(name="easy", overrides=(ParameterOverride(name="starts", values=(4,)),), opens_next_at=14.0)
UNPICKLABLE = (
    "    def step(self, action):\n",
    "    def step(self, action):\n        self.lock = __import__('threading').Lock()\n",
)


def payload(case: str) -> TrainPayload:
    family, sight, potential, settings = CASES[case]
    varied = {"tolls": (0.5, 2.0), "curriculum": (EASY,)} if case == "PPO, in levels" else {}
    return TrainPayload(
        source=source_for(family, sight=sight),
        design=corridor(family, sight=sight, potential=potential, **varied),
        total_timesteps=1200 if sight is VECTOR else 300,
        seed=3,
        eval_episodes=2,
        leave_every_s=0.0,
        hyperparameters=tuple(Hyperparameter(name=name, value=value) for name, value in settings.items()),
    )


@pytest.fixture(scope="module")
def boxes(tmp_path_factory):
    """boxes(folder, payload, checkpoint): trains in a box, and moves it to the folder; what the training claims."""
    place = tmp_path_factory.mktemp("box") / "box"
    run = subprocess.Popen(
        [sys.executable, "-c", BOXES],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=os.environ | {"GYMWRIGHT_BOX_DIR": str(place), "OMP_NUM_THREADS": "1"},
        text=True,
    )

    def box_one(folder: Path, asked: TrainPayload, checkpoint: Path | None = None) -> dict:
        job = {"payload": asked.model_dump(mode="json"), "into": str(folder)}
        run.stdin.write(json.dumps(job | {"checkpoint": str(checkpoint or "")}) + "\n")
        run.stdin.flush()
        assert run.stdout.readline() == "done\n"
        return json.loads((folder / "claim.json").read_text())

    yield box_one
    run.stdin.close()
    run.wait(30)


def left(folder: Path) -> list[int]:
    return sorted(int(path.stem) for path in folder.glob("*.zip"))


@pytest.fixture(scope="module", params=CASES)
def broken(request, boxes, tmp_path_factory):
    """A training; the steps of a checkpoint of its middle; and the training that went on from there."""
    folder, asked = tmp_path_factory.mktemp("boxes"), payload(request.param)
    whole = boxes(folder / "whole", asked)
    steps = left(folder / "whole")
    middle = steps[len(steps) // 2]
    rest = boxes(folder / "rest", asked, folder / "whole" / f"{middle}.zip")
    return folder, whole, middle, rest


def test_a_fresh_box_has_all_that_the_other_had(broken):
    _, whole, middle, rest = broken
    assert (whole["resumed"], rest["not_resumed"]) == ([], "")
    (resumed,) = rest["resumed"]
    assert resumed["before"] == resumed["after"]
    assert resumed["before"]["timesteps"] == middle
    assert resumed["before"]["updates"] > 0
    assert bool(resumed["before"]["buffer"]) is (whole["report"]["algorithm"] == "SAC")
    assert resumed["episodes_went_on"]


def test_a_resumed_training_is_the_unbroken_one_to_the_last_bit(broken):
    folder, whole, _, rest = broken
    assert rest["curve"] == whole["curve"]
    assert rest["report"]["evaluations"] == whole["report"]["evaluations"]
    assert rest["chosen_at"] == whole["chosen_at"]
    for name in ("policy.onnx", "policy_half.onnx"):
        assert (folder / "rest" / "out" / name).read_bytes() == (folder / "whole" / "out" / name).read_bytes()


def test_logs_of_both_boxes_are_put_together(broken):
    folder = broken[0]

    def rows(box: str, name: str) -> list[list[str]]:
        return [line.split(",")[:2] for line in (folder / box / "out" / name).read_text().splitlines()[1:]]

    for name in ("results.csv", "monitor.csv"):
        assert sorted(rows("rest", name)) == sorted(rows("whole", name))
    assert b"eval/mean_reward" in (folder / "rest" / "out" / "tensorboard.events").read_bytes()


def test_checkpoints_go_on_leaving_the_fresh_box(broken):
    folder, _, middle, _ = broken
    assert left(folder / "rest") == [steps for steps in left(folder / "whole") if steps > middle]


def test_a_checkpoint_is_a_model_that_the_library_reads(broken):
    folder, whole, middle, _ = broken
    kind = SAC if whole["report"]["algorithm"] == "SAC" else PPO
    if whole["report"]["algorithm"] != "MaskablePPO":
        assert kind.load(folder / "whole" / f"{middle}.zip", device="cpu").num_timesteps == middle


def spoilt(checkpoint: Path, into: Path, name: str, change) -> Path:
    """The same checkpoint with one of its parts changed."""
    with zipfile.ZipFile(checkpoint) as sound, zipfile.ZipFile(into, "w") as other:
        for one in sound.namelist():
            other.writestr(one, change(sound.read(one)) if one == name else sound.read(one))
    return into


@pytest.fixture(scope="module")
def unpicklable(boxes, tmp_path_factory):
    """A training whose environment holds what can't be pickled."""
    folder, asked = tmp_path_factory.mktemp("unpicklable"), payload("PPO, fast")
    asked = asked.model_copy(update={"source": asked.source.replace(*UNPICKLABLE)})
    return folder, asked, boxes(folder / "whole", asked)


def checkpoint(unpicklable) -> Path:
    folder: Path = unpicklable[0] / "whole"
    return folder / f"{left(folder)[1]}.zip"


def test_an_environment_that_cannot_be_kept_begins_new_episodes(unpicklable, boxes, tmp_path):
    _, asked, whole = unpicklable
    rest = boxes(tmp_path / "rest", asked, checkpoint(unpicklable))
    (resumed,) = rest["resumed"]
    assert (resumed["episodes_went_on"], rest["report"]["total_timesteps"]) == (False, 1280)
    assert resumed["before"] == resumed["after"]
    assert rest["report"]["evaluations"][:2] == whole["report"]["evaluations"][:2]


@pytest.mark.parametrize(
    ("name", "change", "why"),
    [
        ("gymwright/state.pickle", lambda old: old[:-100], "it can't be read"),
        ("gymwright/about.json", lambda old: old.replace(b'"updates":', b'"updates":1'), "what was read is not what"),
    ],
)
def test_a_checkpoint_that_cannot_be_used_costs_a_new_beginning(unpicklable, boxes, tmp_path, name, change, why):
    _, asked, whole = unpicklable
    given = spoilt(checkpoint(unpicklable), tmp_path / "given.zip", name, change)
    again = boxes(tmp_path / "box", asked, given)
    assert why in again["not_resumed"]
    assert again["resumed"] == []
    assert again["curve"] == whole["curve"]


def test_the_copies_of_a_twin_play_on():
    """As fresh ones do that took up what was pickled, step by step, through the ends of episodes."""
    design, source, twin = worked("hospital_shifts")

    def vector() -> TwinVector:
        recorder = TwinRecorder(load_twin(twin, design)(5), 5, Layout(design))
        made = TwinVector(recorder, 5, load(source, design)())
        made.seed(11)
        made.reset()
        return made

    one, random = vector(), np.random.default_rng(2)
    actions = [[one.action_space.sample() for _ in range(5)] for _ in range(2 * design.episode.step_limit)]
    random.shuffle(actions)
    for action in actions[:17]:
        one.step(np.array(action))
    other = vector()
    underway.take_up(other, underway.pickled(one))
    for action in actions[17:]:
        ours, theirs = one.step(np.array(action)), other.step(np.array(action))
        for mine, yours in zip(ours[:3], theirs[:3], strict=True):
            assert np.array_equal(mine, yours)
    mine, yours = one.twin.harvest(), other.twin.harvest()
    assert np.array_equal(mine.complete, yours.complete) and len(mine.complete)
    assert np.array_equal(mine.fresh, yours.fresh)
