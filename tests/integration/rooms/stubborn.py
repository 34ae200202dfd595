"""A room that is well and will not stop when it is asked to."""

from __future__ import annotations

import asyncio
import os
import signal

from kit.rpc.serving import listening


async def main() -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    async with listening(os.environ["GYMWRIGHT_STUBBORN_LISTEN"], lambda server: None, "stubborn"):
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main())
