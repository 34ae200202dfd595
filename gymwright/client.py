"""The Python client: AsyncClient for asyncio, and Client, the same thing for everybody else."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from concurrent.futures import wait
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, TypeVar

from gymwright.async_client import GATEWAY, AsyncClient, ignore
from gymwright.errors import GymwrightError
from gymwright.tls import MutualTls
from gymwright.v1 import design_pb2, findings_pb2
from gymwright.views import Artifact, Review, Run, RunEvent, RunOptions, RunPage

__all__ = ["GATEWAY", "AsyncClient", "Client"]

T = TypeVar("T")
LOOK_S: Final = 0.5


class Client:
    """AsyncClient for code without an event loop: the same methods, plain returns, plain iterators."""

    def __init__(
        self,
        gateway: str = GATEWAY,
        token: str | None = None,
        patience_s: float = 60.0,
        tls: MutualTls | None = None,
    ) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="gymwright-client", daemon=True)
        self._thread.start()
        self._client = self._wait(_made(gateway, token, patience_s, tls))

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        if self._thread.is_alive():
            self._wait(self._client.close())
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()

    def start(self, problem: str, options: RunOptions | None = None, run_id: str | None = None) -> Run:
        """As AsyncClient.start."""
        return self._wait(self._client.start(problem, options, run_id))

    def get(self, run_id: str) -> Run:
        """As AsyncClient.get."""
        return self._wait(self._client.get(run_id))

    def list(self, page_size: int = 50, page_token: str = "") -> RunPage:
        """As AsyncClient.list."""
        return self._wait(self._client.list(page_size, page_token))

    def cancel(self, run_id: str) -> Run:
        """As AsyncClient.cancel."""
        return self._wait(self._client.cancel(run_id))

    def answer(self, run_id: str, answer: str) -> Run:
        """As AsyncClient.answer."""
        return self._wait(self._client.answer(run_id, answer))

    def review(self, run_id: str, design: design_pb2.EnvDesign | None = None) -> Review:
        """As AsyncClient.review."""
        return self._wait(self._client.review(run_id, design))

    def check(
        self, source: str, class_name: str = "", design: design_pb2.EnvDesign | None = None, seed: int = 0
    ) -> Iterator[str | findings_pb2.Finding | findings_pb2.CheckReport]:
        """As AsyncClient.check."""
        return self._each(self._client.check(source, class_name, design, seed))

    def artifacts(self, run_id: str) -> tuple[Artifact, ...]:
        """As AsyncClient.artifacts."""
        return self._wait(self._client.artifacts(run_id))

    def watch(
        self, run_id: str, after: int = 0, on_away: Callable[[GymwrightError], None] = ignore
    ) -> Iterator[RunEvent]:
        """As AsyncClient.watch."""
        return self._each(self._client.watch(run_id, after, on_away))

    def read_artifact(self, run_id: str, name: str, offset: int = 0) -> Iterator[bytes]:
        """As AsyncClient.read_artifact."""
        return self._each(self._client.read_artifact(run_id, name, offset))

    def download(self, run_id: str, into: Path | str) -> tuple[Path, ...]:
        """As AsyncClient.download."""
        return self._wait(self._client.download(run_id, into))

    def download_one(self, run_id: str, artifact: Artifact, into: Path | str) -> Path:
        """As AsyncClient.download_one."""
        return self._wait(self._client.download_one(run_id, artifact, into))

    def _wait(self, work: Coroutine[Any, Any, T]) -> T:
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            while not future.done():  # in turns: a Ctrl-C just before a wait is seen only when the wait ends
                wait([future], timeout=LOOK_S)
            return future.result()
        except BaseException:  # Ctrl-C while waiting: the work ends too
            future.cancel()
            raise

    def _each(self, items: AsyncIterator[T]) -> Iterator[T]:
        try:
            while (item := self._wait(_next(items))) is not None:
                yield item
        except GeneratorExit:
            with suppress(GymwrightError):
                self._wait(_closed(items))
            raise


async def _made(gateway: str, token: str | None, patience_s: float, tls: MutualTls | None) -> AsyncClient:
    return AsyncClient(gateway, token, patience_s, tls)


async def _next(items: AsyncIterator[T]) -> T | None:
    return await anext(items, None)


async def _closed(items: AsyncIterator[T]) -> None:
    await items.aclose()  # type: ignore[attr-defined]  # ours are generators
