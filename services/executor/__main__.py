"""The executor's room: tests environments against their designs in throwaway boxes, on port 50053."""

from __future__ import annotations

import asyncio

import structlog

from gymwright.v1.executor_pb2_grpc import add_ExecutorServiceServicer_to_server
from kit.rpc import serve
from kit.rpc.logs import set_up_logs
from kit.sandbox.settings import driver_from_environment
from kit.settings import RoomSettings, read_settings
from services.executor.checking import LIMITS, Checking
from services.executor.checks import Checks
from services.executor.servicer import ExecutorServicer


class ExecutorSettings(RoomSettings, env_prefix="GYMWRIGHT_EXECUTOR_"):
    """GYMWRIGHT_EXECUTOR_LISTEN; its boxes are configured by GYMWRIGHT_SANDBOX_… (kit/sandbox/settings.py)."""

    listen: str = "127.0.0.1:50053"


async def main() -> None:
    settings = read_settings(ExecutorSettings)
    set_up_logs("executor", settings.shared.log_level)
    driver, sandbox = await driver_from_environment(LIMITS)
    structlog.get_logger().info("boxes", sandbox=sandbox)  # `gymwright up` tells it to the user
    checks = Checks(Checking(driver), sandbox)

    async def stop() -> None:
        await checks.close()
        await driver.close()

    await serve(
        "executor",
        settings,
        lambda server: add_ExecutorServiceServicer_to_server(ExecutorServicer(checks), server),
        "gymwright.v1.ExecutorService",
        on_stop=stop,
    )


if __name__ == "__main__":
    asyncio.run(main())
