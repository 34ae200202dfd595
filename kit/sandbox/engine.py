"""The Docker engine, spoken to from asyncio: the only file that imports the docker SDK.

The SDK blocks, so each call runs in a thread of this engine's own and has a time-out: a hung engine
becomes SandboxUnavailable, never a hang of ours.
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, TypeVar

import docker
import requests
from docker import errors

from gymwright.errors import SandboxUnavailable
from kit.contracts.records import JsonObject

T = TypeVar("T")


class NoSuchImage(SandboxUnavailable):
    """The engine answers, but it has no such image."""


class Engine:
    """A few verbs of one Docker engine; each raises SandboxUnavailable, naming what failed."""

    def __init__(self, address: str | None = None, timeout_s: float = 20.0) -> None:
        """address: as in DOCKER_HOST, e.g. unix:///var/run/docker.sock; None for the environment's."""
        self._address = address
        self._timeout_s = timeout_s
        self._threads = ThreadPoolExecutor(max_workers=8, thread_name_prefix="engine")
        self._client: Any = None
        self._closed = False
        self._undoing: set[asyncio.Future[None]] = set()

    async def ping(self) -> None:
        """Return if the engine answers."""
        await self._call("ping", lambda client: client.ping())

    async def has_image(self, name: str) -> None:
        """Return if the image is there; NoSuchImage if not."""
        try:
            await self._call("look for the image", lambda client: client.inspect_image(name))
        except KeyError:
            raise NoSuchImage(f"The engine has no image {name}; `make sandbox-image` builds it.") from None

    async def create(self, name: str, body: JsonObject) -> str:
        """Create a container as the engine's own API describes it; its id. None is left when cancelled."""
        making = asyncio.ensure_future(self._call("create a box", lambda client: _create(client, name, body)))
        try:
            made = await asyncio.shield(making)
        except asyncio.CancelledError:
            undoing = asyncio.ensure_future(self._undo(making))
            self._undoing.add(undoing)
            undoing.add_done_callback(self._undoing.discard)
            raise
        except KeyError as problem:
            raise NoSuchImage(f"The box can't be created: {problem.args[0]}") from None
        return str(made["Id"])

    async def _undo(self, making: asyncio.Future[Any]) -> None:
        """Remove what a thread that nobody waits for any more is still creating."""
        with suppress(SandboxUnavailable, KeyError):
            await self.remove(str((await making)["Id"]))

    async def attach(self, container: str) -> socket.socket:
        """A socket joined to the container's standard streams; closing it closes the box's stdin."""
        return await self._call("attach to a box", lambda client: _attach(client, container))

    async def start(self, container: str) -> None:
        """Start a created container."""
        await self._call("start a box", lambda client: client.start(container))

    async def update(self, container: str, memory_bytes: int, nano_cpus: int, processes: int) -> None:
        """Give a running container other limits."""

        def send(client: Any) -> None:
            body = {
                "Memory": memory_bytes, "MemorySwap": memory_bytes,
                "NanoCpus": nano_cpus, "PidsLimit": processes,
            }  # fmt: skip
            client._raise_for_status(client._post_json(client._url("/containers/{0}/update", container), data=body))

        with suppress(KeyError):  # it is gone, which whoever talks to it next will notice
            await self._call("change a box's limits", send)

    async def remove(self, container: str) -> None:
        """Kill and remove, never stop (stop waits ten seconds); a box that is gone is fine."""

        def send(client: Any) -> None:
            with suppress(errors.NotFound):
                try:
                    client.remove_container(container, force=True, v=True)
                except errors.APIError as problem:
                    if problem.status_code != 409:  # its removal is under way
                        raise

        await self._call("remove a box", send)

    async def inspect(self, container: str) -> JsonObject:
        """What the engine knows of a container."""
        try:
            return dict(await self._call("look at a box", lambda client: client.inspect_container(container)))
        except KeyError as problem:
            raise SandboxUnavailable(f"There is no such box: {problem.args[0]}") from None

    async def labelled(self, label: str) -> list[tuple[str, dict[str, str]]]:
        """Id and labels of every container, running or not, that carries the label."""
        found = await self._call("list boxes", lambda client: client.containers(all=True, filters={"label": label}))
        return [(str(one["Id"]), dict(one["Labels"])) for one in found]

    async def ran_out_of_memory(self, container: str, since: float) -> bool:
        """Whether the kernel killed anybody in a container, which may be gone by now."""

        def ask(client: Any) -> bool:
            events = client.events(
                since=int(since) - 1, until=int(time.time()) + 1, decode=True,
                filters={"container": container, "event": "oom"},
            )  # fmt: skip
            with suppress(json.JSONDecodeError):
                return any(True for _ in events)
            return False

        return await self._call("ask how a box ended", ask)

    async def close(self) -> None:
        """Let go of the engine, once what was being undone is undone."""
        while self._undoing:
            await asyncio.wait(self._undoing)
        self._closed = True
        self._threads.shutdown(wait=False, cancel_futures=True)
        if self._client is not None:
            self._client.close()

    async def _call(self, what: str, ask: Callable[[Any], T]) -> T:
        """Run one question in a thread; KeyError for "no such thing", SandboxUnavailable for the rest."""

        if self._closed:
            raise SandboxUnavailable(f"The sandbox is closed; too late to {what}.")

        def asked() -> T:
            if self._client is None:
                settings = docker.utils.kwargs_from_env(environment=_environment(self._address))
                self._client = docker.APIClient(timeout=self._timeout_s, version="1.41", **settings)
            return ask(self._client)

        try:
            async with asyncio.timeout(self._timeout_s + 2.0):
                return await asyncio.get_running_loop().run_in_executor(self._threads, asked)
        except (TimeoutError, requests.exceptions.Timeout):
            raise SandboxUnavailable(
                f"The Docker engine did not answer within {self._timeout_s:g} s (to {what})."
            ) from None
        except requests.exceptions.ConnectionError as problem:
            where = self._address or os.environ.get("DOCKER_HOST") or "its usual socket"
            raise SandboxUnavailable(
                f"No Docker engine answers at {where} (to {what}); `make engine` starts one on Debian."
            ) from problem
        except (errors.NotFound, errors.ImageNotFound) as problem:
            raise KeyError(str(problem.explanation or problem)) from None
        except (errors.DockerException, requests.exceptions.RequestException, OSError) as problem:
            raise SandboxUnavailable(f"The Docker engine could not {what}: {_short(problem)}") from problem


def _create(client: Any, name: str, body: JsonObject) -> Any:
    answer = client._post_json(client._url("/containers/create"), data=body, params={"name": name})
    return client._result(answer, json=True)


def _attach(client: Any, container: str) -> socket.socket:
    wrapped = client.attach_socket(container, params={"stdin": 1, "stdout": 1, "stderr": 1, "stream": 1})
    # A duplicate of our own, so that it lives and dies with the box and not with the SDK's response.
    raw = getattr(wrapped, "_sock", wrapped)
    own = socket.socket(fileno=os.dup(raw.fileno()))
    wrapped.close()
    own.setblocking(False)
    return own


def _environment(address: str | None) -> dict[str, str]:
    named = ("DOCKER_HOST", "DOCKER_TLS_VERIFY", "DOCKER_CERT_PATH")
    found = {name: os.environ[name] for name in named if name in os.environ}
    return found if address is None else {"DOCKER_HOST": address}


def _short(problem: BaseException) -> str:
    return str(getattr(problem, "explanation", None) or problem)[:500]
