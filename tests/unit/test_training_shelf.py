"""Checkpoints on our side of the boxes: opaque, bounded, for the same work only, and gone when they are not needed."""

from __future__ import annotations

import pytest

from gymwright.errors import SandboxUnavailable, StorageUnavailable
from kit.artifacts import ArtifactStore
from kit.contracts.design import Hyperparameter
from kit.contracts.outcomes import TrainingReport
from kit.contracts.runs import JobKey, RunOptions
from kit.sandbox.jobs import Ending, Job, JobResult
from services.trainer.inside.payloads import MOST_CHECKPOINT_BYTES, Bar, TrainClaim, TrainPayload
from services.trainer.shelf import Shelf, name_of
from services.trainer.training import Training, TrainSettings
from services.trainer.trainings import Trainings
from tests.corridors import corridor, source_for

REPORT = TrainingReport(algorithm="PPO", why_algorithm="a test", engine="none", seed=0, n_envs=1, total_timesteps=3000)
PAYLOAD = TrainPayload(source="pass", design=corridor("DISCRETE"))
LOST, SILENT = "lost", "silent"


class Boxes:
    """A driver whose training boxes leave a checkpoint and then end as they are told, the last of them well."""

    def __init__(self, *ends: str, checkpoint: bytes = b"all of a training") -> None:
        self.ends, self.checkpoint = list(ends), checkpoint
        self.given: list[dict[str, bytes]] = []

    async def run(self, job: Job, artifacts_into=None, on_said=lambda said: None) -> JobResult:
        if job.entry.endswith("ladder"):
            return JobResult(ending=Ending.OUT_OF_MEMORY)
        self.given.append(job.files)
        (artifacts_into / "policy_half.onnx").write_bytes(b"of a lost box")
        if "checkpoint.zip" in job.keep:
            (artifacts_into / "checkpoint.zip").write_bytes(self.checkpoint + bytes([48 + len(self.given)]))
            on_said({"kind": "keep", "name": "checkpoint.zip"})
        end = self.ends.pop(0) if self.ends else ""
        if end == LOST:
            raise SandboxUnavailable("the engine died")
        if end == SILENT:
            return JobResult(ending=Ending.KILLED, unexplained=True)
        (artifacts_into / "policy_half.onnx").unlink()
        (artifacts_into / "policy.onnx").write_bytes(b"a policy")
        claim = TrainClaim(report=REPORT).model_dump(mode="json")
        return JobResult(ending=Ending.EXITED, exit_code=0, result={"kind": "result", **claim})

    async def check(self): ...

    async def close(self): ...


@pytest.fixture
def store(tmp_path) -> ArtifactStore:
    return ArtifactStore.at(str(tmp_path / "store"))


async def trained(boxes: Boxes, into, shelf: Shelf | None = None, notes: list[str] | None = None):
    into.mkdir(exist_ok=True)
    return await Training(boxes, pauses_s=(0.0,) * 3).train(
        source_for("DISCRETE"),
        corridor("DISCRETE"),
        TrainSettings(),
        into,
        shelf=shelf,
        on_note=(notes if notes is not None else []).append,
    )


async def test_a_fresh_box_is_given_what_the_lost_one_left(store, tmp_path):
    boxes, notes = Boxes(LOST, LOST), []
    outcome = await trained(boxes, tmp_path / "into", Shelf(store, "run"), notes)
    assert boxes.given == [{}, {"checkpoint.zip": b"all of a training1"}, {"checkpoint.zip": b"all of a training2"}]
    assert sum("goes on from its checkpoint" in note for note in notes) == 2
    assert "policy_half.onnx" not in {artifact.name for artifact in outcome.artifacts}


async def test_a_box_killed_by_nobody_knows_whom_is_tried_once_more_and_then_is_a_finding(store, tmp_path):
    boxes = Boxes(SILENT, SILENT, SILENT)
    outcome = await trained(boxes, tmp_path / "into", Shelf(store, "run"))
    assert len(boxes.given) == 2
    assert [finding.check for finding in outcome.findings] == ["training.killed"]


async def test_without_a_shelf_a_lost_training_begins_anew(tmp_path):
    boxes = Boxes(LOST)
    await trained(boxes, tmp_path / "into")
    assert boxes.given == [{}, {}]


async def test_another_trainer_goes_on_with_the_same_work_and_clears_up_when_it_is_done(store, tmp_path):
    """The first trainer died: its job is started again under the next attempt, perhaps elsewhere."""
    design, source, boxes = corridor("DISCRETE"), source_for("DISCRETE"), Boxes(*[LOST] * 4)
    first = Trainings(Training(boxes, pauses_s=(0.0,) * 3), store, "none")
    first.start(JobKey(run_id="run", step="train", attempt=1), source, design, RunOptions())
    with pytest.raises(SandboxUnavailable):
        async for _ in first.watch(JobKey(run_id="run", step="train", attempt=1), 0):
            pass
    assert len(await store.list("run", "checkpoints")) == 1
    second = Trainings(Training(boxes, pauses_s=()), store, "none")
    second.start(JobKey(run_id="run", step="train", attempt=2), source, design, RunOptions())
    async for said in second.watch(JobKey(run_id="run", step="train", attempt=2), 0):
        last = said
    assert boxes.given[4] == {"checkpoint.zip": b"all of a training4"}
    assert last.outcome is not None
    assert await store.list("run", "checkpoints") == ()
    await first.close()
    await second.close()


@pytest.mark.parametrize(
    ("change", "same"),
    [
        ({}, True),
        ({"bars": (Bar(timesteps=1, primary=2.0),)}, True),  # what a trial has to beat is not its work
        ({"seed": 1}, False),
        ({"source": "pass\n"}, False),
        ({"hyperparameters": (Hyperparameter(name="n_epochs", value=3),)}, False),
        ({"total_timesteps": 10}, False),
    ],
)
def test_a_checkpoint_is_for_the_same_work_only(change, same):
    assert (name_of(PAYLOAD) == name_of(PAYLOAD.model_copy(update=change))) is same


async def test_what_is_too_large_is_neither_kept_nor_given(store):
    shelf = Shelf(store, "run")
    shelf.keep("checkpoints/a.zip", b"")
    shelf.keep("checkpoints/b.zip", b"sound")
    await store.put_bytes("run", "checkpoints/c.zip", bytes(MOST_CHECKPOINT_BYTES + 1))
    assert [await shelf.latest(f"checkpoints/{name}.zip") for name in "abc"] == [b"", b"sound", b""]


async def test_the_latest_of_many_is_what_stays(store):
    shelf = Shelf(store, "run")
    for n in range(10):
        shelf.keep("checkpoints/a.zip", bytes([n]))
    assert await shelf.latest("checkpoints/a.zip") == b"\x09"


class NoStore(ArtifactStore):
    async def put_bytes(self, run_id, name, content):
        raise StorageUnavailable("the disk is full")


async def test_a_store_that_is_away_costs_a_checkpoint_and_no_training(tmp_path):
    store = NoStore.at(str(tmp_path / "store"))
    boxes = Boxes(LOST)
    await trained(boxes, tmp_path / "into", Shelf(store, "run"))
    assert boxes.given == [{}, {}]
