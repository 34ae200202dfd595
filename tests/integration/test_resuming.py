"""A training whose real box is lost midway: it goes on in a fresh one, and is what it would have been."""

from __future__ import annotations

import asyncio
import json

import pytest

from gymwright.errors import SandboxUnavailable
from kit.artifacts import ArtifactStore
from services.trainer.shelf import Shelf
from services.trainer.training import Training, TrainSettings
from tests.corridors import corridor, source_for
from tests.integration.test_training import sandbox

pytestmark = [pytest.mark.sandbox, pytest.mark.timeout(300)]


class Losing:
    """A driver that destroys its first box when its second checkpoint has left it."""

    def __init__(self, driver) -> None:
        self._driver = driver
        self.lost = 0

    async def run(self, job, artifacts_into=None, on_said=lambda said: None):
        kept = 0
        enough = asyncio.Event()

        def hear(said) -> None:
            nonlocal kept
            on_said(said)
            kept += said["kind"] == "keep"
            if kept == 2 and not self.lost:
                enough.set()

        running = asyncio.create_task(self._driver.run(job, artifacts_into, hear))
        losing = asyncio.create_task(enough.wait())
        await asyncio.wait({running, losing}, return_when=asyncio.FIRST_COMPLETED)
        losing.cancel()
        if not enough.is_set():
            return await running
        self.lost += 1
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        raise SandboxUnavailable("its node went away")


def test_a_training_goes_on_through_the_loss_of_its_box(tmp_path):
    async def work():
        store = ArtifactStore.at(str(tmp_path / "store"))
        async with sandbox() as driver:
            losing = Losing(driver)
            trainings = [Training(one, episodes=0, pauses_s=(0.0,), leave_every_s=0.0) for one in (driver, losing)]
            for training, name in zip(trainings, ("whole", "lost"), strict=True):
                (tmp_path / name).mkdir()
                await training.train(
                    source_for("DISCRETE"),
                    corridor("DISCRETE"),
                    TrainSettings(seed=1, total_timesteps=12_000),
                    tmp_path / name,
                    shelf=Shelf(store, name),
                )
            return losing.lost

    assert asyncio.run(work()) == 1
    whole, lost = (json.loads((tmp_path / name / "training.json").read_text()) for name in ("whole", "lost"))
    assert whole["resumed"] == []
    (resumed,) = lost["resumed"]
    assert resumed["before"] == resumed["after"]
    assert 0 < resumed["after"]["timesteps"] < 12_000
    assert lost["curve"] == whole["curve"]
    assert (tmp_path / "lost" / "policy.onnx").read_bytes() == (tmp_path / "whole" / "policy.onnx").read_bytes()
