"""The trainer's room: trains policies in throwaway boxes and measures them in fresh ones, on port 50054."""

from __future__ import annotations

import asyncio

from gymwright.v1.trainer_pb2_grpc import add_TrainerServiceServicer_to_server
from kit.artifacts import ArtifactStore
from kit.rpc import serve
from kit.sandbox.settings import driver_from_environment
from kit.settings import RoomSettings, read_settings
from services.trainer.boxes import LIMITS
from services.trainer.servicer import TrainerServicer
from services.trainer.training import Training
from services.trainer.trainings import Trainings


class TrainerSettings(RoomSettings, env_prefix="GYMWRIGHT_TRAINER_"):
    """GYMWRIGHT_TRAINER_LISTEN; its boxes are configured by GYMWRIGHT_SANDBOX_… (kit/sandbox/settings.py)."""

    listen: str = "127.0.0.1:50054"


async def main() -> None:
    settings = read_settings(TrainerSettings)
    driver, sandbox = await driver_from_environment(LIMITS)
    trainings = Trainings(Training(driver), ArtifactStore.at(settings.artifacts), sandbox)

    async def stop() -> None:
        await trainings.close()
        await driver.close()

    await serve(
        "trainer",
        settings,
        lambda server: add_TrainerServiceServicer_to_server(TrainerServicer(trainings), server),
        "gymwright.v1.TrainerService",
        on_stop=stop,
    )


if __name__ == "__main__":
    asyncio.run(main())
