"""A Kubernetes API server, spoken to from asyncio: the only file that imports the kubernetes client.

Every call has a time-out: a hung server becomes SandboxUnavailable, never a hang of ours. Its verbs are
the rights that deploy/k8s/base/boxes/roles.yaml gives, and no more.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing, suppress
from enum import StrEnum
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final

import aiohttp
from kubernetes.aio import client, config
from kubernetes.aio.config import ConfigException
from kubernetes.aio.stream import WsApiClient

from gymwright.errors import SandboxUnavailable
from kit.contracts.records import JsonObject
from kit.sandbox.pod_stream import PodStream

WATCH_S: Final = 240  # a watch is ended by the server after this, and begun again
HEARTBEAT_S: Final = 20.0  # so that no proxy between us and a silent box drops the attachment
LOG_BYTES: Final = 8192

Call = Callable[[], Awaitable[Any]]


class Kind(StrEnum):
    JOBS = "jobs"
    PODS = "pods"


class _Gone(Exception):
    """The server has forgotten the version that a watch began at; list again."""


class Cluster:
    """A few verbs in one namespace; each raises SandboxUnavailable, naming what failed."""

    def __init__(self, namespace: str, kubeconfig: Path | None = None, timeout_s: float = 20.0) -> None:
        """kubeconfig: None for the account of the pod that we run in."""
        self._namespace = namespace
        self._kubeconfig = kubeconfig
        self._timeout_s = timeout_s
        self._opening = asyncio.Lock()
        self._api: Any = None
        self._sockets: Any = None
        self._undoing: set[asyncio.Task[None]] = set()

    async def create(self, job: JsonObject) -> None:
        """Create a Job. None is left when cancelled."""
        making = asyncio.ensure_future(self._create(job))
        try:
            await asyncio.shield(making)
        except asyncio.CancelledError:
            undoing = asyncio.create_task(self._undo(making, str(job["metadata"]["name"])))  # type: ignore[index]
            self._undoing.add(undoing)
            undoing.add_done_callback(self._undoing.discard)
            raise

    async def delete(self, name: str) -> None:
        """Delete a Job and its pods; one that is gone is fine."""
        api = await self._batch()
        # In the background: without that word a Job leaves its pods behind.
        await self._ask(
            "delete a box's Job",
            lambda: api.delete_namespaced_job_without_preload_content(
                name, self._namespace, propagation_policy="Background", grace_period_seconds=0
            ),
            fine=(HTTPStatus.NOT_FOUND,),
        )

    async def found(self, kind: Kind, selector: str) -> list[JsonObject]:
        """Every Job, or pod, that the label selector chooses."""
        return (await self._listed(kind, selector))[0]

    async def states(self, kind: Kind, selector: str) -> AsyncGenerator[JsonObject | None, None]:
        """Each state of the one Job, or pod, that the selector chooses; None while there is none.

        The present state comes first; it goes on until the caller leaves.
        """
        while True:
            found, version = await self._listed(kind, selector)
            yield found[-1] if found else None
            with suppress(_Gone):
                while True:
                    async with aclosing(self._changes(kind, selector, version)) as changes:
                        async for event, state in changes:
                            version = str(state["metadata"]["resourceVersion"])  # type: ignore[index]
                            if event != "BOOKMARK":
                                yield None if event == "DELETED" else state

    async def attach(self, pod: str, container: str) -> PodStream:
        """The container's standard streams; when this is closed, so is the box's stdin."""
        await self._open()
        api = client.CoreV1Api(self._sockets)

        async def joined() -> Any:
            return await (
                await api.connect_get_namespaced_pod_attach_without_preload_content(
                    pod, self._namespace, container=container, stdin=True, stdout=True, stderr=True, tty=False
                )
            )

        return PodStream(await self._within("attach to a box", joined))

    async def last_words(self, pod: str, container: str) -> str:
        """The end of what a container wrote; empty where it can't be had."""
        api = await self._core()
        with suppress(SandboxUnavailable):
            return await self._text(
                "read a box's log",
                lambda: api.read_namespaced_pod_log_without_preload_content(
                    pod, self._namespace, container=container, tail_lines=20, limit_bytes=LOG_BYTES
                ),
            )
        return ""

    async def close(self) -> None:
        """Let go of the server, once what was being undone is undone."""
        while self._undoing:
            await asyncio.wait(self._undoing)
        if self._api is not None:
            await self._api.close()
            await self._sockets.close()

    async def _create(self, job: JsonObject) -> None:
        api = await self._batch()
        body = client.V1Job.from_dict(job)
        await self._ask(
            "create a box's Job",
            lambda: api.create_namespaced_job_without_preload_content(self._namespace, body),
        )

    async def _undo(self, making: asyncio.Future[None], name: str) -> None:
        with suppress(SandboxUnavailable):
            await making
            await self.delete(name)

    async def _listed(self, kind: Kind, selector: str) -> tuple[list[JsonObject], str]:
        call = await self._lister(kind)
        listed = await self._ask(f"list {kind}", lambda: call(self._namespace, label_selector=selector))
        return list(listed["items"]), str(listed["metadata"]["resourceVersion"])

    async def _changes(self, kind: Kind, selector: str, version: str) -> AsyncGenerator[tuple[str, JsonObject], None]:
        """The events of one watch, until the server ends it. _Gone where the version is too old."""
        call = await self._lister(kind)
        answer = await self._within(
            f"watch {kind}",
            lambda: call(
                self._namespace,
                label_selector=selector,
                resource_version=version,
                watch=True,
                timeout_seconds=WATCH_S,
                _request_timeout=float(WATCH_S + 30),
            ),
        )
        try:
            await self._refuse(f"watch {kind}", answer, ())
            async for line in answer.content:
                event = json.loads(line)
                if event["type"] == "ERROR":
                    if event["object"].get("code") == HTTPStatus.GONE:
                        raise _Gone
                    raise SandboxUnavailable(f"The cluster ended a watch: {event['object'].get('message')}")
                yield event["type"], event["object"]
        except (aiohttp.ClientError, TimeoutError):
            return  # it broke off; begin again where it was
        finally:
            answer.close()

    async def _lister(self, kind: Kind) -> Any:
        if kind is Kind.JOBS:
            return (await self._batch()).list_namespaced_job_without_preload_content
        return (await self._core()).list_namespaced_pod_without_preload_content

    async def _ask(self, what: str, call: Call, fine: tuple[HTTPStatus, ...] = ()) -> Any:
        return json.loads(await self._text(what, call, fine))

    async def _text(self, what: str, call: Call, fine: tuple[HTTPStatus, ...] = ()) -> str:
        async def asked() -> str:
            answer = await call()
            try:
                await self._refuse(what, answer, fine)
                return str(await answer.text(errors="replace"))
            finally:
                answer.release()

        return str(await self._within(what, asked))

    async def _refuse(self, what: str, answer: Any, fine: tuple[HTTPStatus, ...]) -> None:
        if answer.status < HTTPStatus.BAD_REQUEST or answer.status in fine:
            return
        if answer.status == HTTPStatus.GONE:
            raise _Gone
        text = (await answer.text(errors="replace"))[:2000]
        with suppress(ValueError, KeyError, TypeError):
            text = str(json.loads(text)["message"])
        raise SandboxUnavailable(f"The cluster could not {what}: {text or answer.status}")

    async def _within(self, what: str, call: Call) -> Any:
        try:
            async with asyncio.timeout(self._timeout_s):
                return await call()
        except TimeoutError:
            raise SandboxUnavailable(
                f"The Kubernetes API did not answer within {self._timeout_s:g} s (to {what})."
            ) from None
        except (aiohttp.ClientError, OSError, client.ApiException) as problem:
            raise SandboxUnavailable(f"The Kubernetes API could not be asked to {what}: {problem}") from problem

    async def _batch(self) -> Any:
        await self._open()
        return client.BatchV1Api(self._api)

    async def _core(self) -> Any:
        await self._open()
        return client.CoreV1Api(self._api)

    async def _open(self) -> None:
        async with self._opening:
            if self._api is not None:
                return
            settings = client.Configuration()
            try:
                if self._kubeconfig is None:
                    config.load_incluster_config(client_configuration=settings)
                else:
                    await config.load_kube_config(str(self._kubeconfig), client_configuration=settings)
            except (ConfigException, OSError) as problem:
                raise SandboxUnavailable(f"No Kubernetes cluster is configured: {problem}") from None
            self._api = client.ApiClient(settings)
            self._sockets = WsApiClient(settings, heartbeat=HEARTBEAT_S)
