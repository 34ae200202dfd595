"""The reporter's room: writes the report of a run and its figures, on port 50055."""

from __future__ import annotations

import asyncio

from gymwright.v1.reporter_pb2_grpc import add_ReporterServiceServicer_to_server
from kit.artifacts import ArtifactStore
from kit.rpc import serve
from kit.settings import RoomSettings, read_settings
from services.reporter.reporting import Reporter
from services.reporter.servicer import ReporterServicer


class ReporterSettings(RoomSettings, env_prefix="GYMWRIGHT_REPORTER_"):
    """GYMWRIGHT_REPORTER_LISTEN."""

    listen: str = "127.0.0.1:50055"


async def main() -> None:
    settings = read_settings(ReporterSettings)
    reporter = Reporter(ArtifactStore.at(settings.artifacts))
    await serve(
        "reporter",
        settings,
        lambda server: add_ReporterServiceServicer_to_server(ReporterServicer(reporter), server),
        "gymwright.v1.ReporterService",
    )


if __name__ == "__main__":
    asyncio.run(main())
