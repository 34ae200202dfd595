"""A room that does nothing but say that it is well."""

from __future__ import annotations

import asyncio
import os

from kit.rpc import serve
from kit.settings import RoomSettings


async def main() -> None:
    await serve("steady", RoomSettings(listen=os.environ["GYMWRIGHT_STEADY_LISTEN"]), lambda server: None, "steady")


if __name__ == "__main__":
    asyncio.run(main())
