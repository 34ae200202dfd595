"""The API itself, over HTTP and WebSockets."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from aiohttp import WSMsgType, web

from tests.contract.fake_kubernetes.node import Container, Node
from tests.contract.fake_kubernetes.store import Conflict, Expired, Store

NAMESPACE = "boxes"
TOKEN = "a token of the fake cluster"
Rights = set[tuple[str, str]]  # (resource, verb)


class FakeCluster:
    """One namespace of one server; `used` is every right that a caller made use of."""

    def __init__(self, images: dict[str, list[str]], rights: Rights, drop_to_pod_user: bool) -> None:
        self.store = Store()
        self.node = Node(self.store, images, drop_to_pod_user)
        self.used: Rights = set()
        self._rights = rights
        self.address = ""

    def kubeconfig(self, folder: Path) -> Path:
        """Written there for a client."""
        place = folder / "kubeconfig"
        cluster = {"name": "fake", "cluster": {"server": self.address}}
        context = {"name": "fake", "context": {"cluster": "fake", "user": "fake", "namespace": NAMESPACE}}
        users = [{"name": "fake", "user": {"token": TOKEN}}]
        body = {"clusters": [cluster], "contexts": [context], "users": users, "current-context": "fake"}
        place.write_text(json.dumps({"apiVersion": "v1", "kind": "Config", **body}))
        return place

    def app(self) -> web.Application:
        app = web.Application(middlewares=[self._admit], client_max_size=2**22)
        batch, core = f"/apis/batch/v1/namespaces/{NAMESPACE}/jobs", f"/api/v1/namespaces/{NAMESPACE}/pods"
        app.router.add_get(batch, self._list)
        app.router.add_post(batch, self._create)
        app.router.add_delete(batch + "/{name}", self._delete)
        app.router.add_get(core, self._list)
        app.router.add_get(core + "/{name}/log", self._log)
        app.router.add_get(core + "/{name}/attach", self._attach)
        return app

    @web.middleware
    async def _admit(self, request: web.Request, handler) -> web.StreamResponse:
        if request.headers.get("Authorization") != f"Bearer {TOKEN}":
            return _status(401, "Unauthorized", "Unauthorized")
        parts = request.path.split(f"/namespaces/{NAMESPACE}/")[1].split("/")
        resource = parts[0] if len(parts) < 3 else f"{parts[0]}/{parts[2]}"
        verb = {"POST": "create", "DELETE": "delete"}.get(request.method, "get")
        if len(parts) == 1 and verb == "get":
            verb = "watch" if request.query.get("watch") in ("1", "true", "True") else "list"
        # A server of 1.35 or later asks for both where a WebSocket is opened by GET.
        for wanted in {(resource, verb), *({(resource, "create")} if resource == "pods/attach" else ())}:
            if wanted not in self._rights:
                return _status(
                    403, "Forbidden", f'{resource} is forbidden: User "box-user" cannot {wanted[1]} {resource}'
                )
            self.used.add(wanted)
        return await handler(request)

    async def _create(self, request: web.Request) -> web.Response:
        job = await request.json()
        try:
            made = await self.store.create("jobs", job)
        except Conflict as taken:
            return _status(409, "AlreadyExists", str(taken))
        await self.node.take(made)
        return web.json_response(made, status=201)

    async def _delete(self, request: web.Request) -> web.Response:
        gone = await self.store.delete("jobs", request.match_info["name"])
        if gone is None:
            return _status(404, "NotFound", f'jobs.batch "{request.match_info["name"]}" not found')
        body = await request.json() if request.can_read_body else {}
        policy = request.query.get("propagationPolicy") or body.get("propagationPolicy")
        await self.node.drop(gone["metadata"]["name"], with_pods=policy in ("Background", "Foreground"))
        return web.json_response({"kind": "Status", "status": "Success"})

    async def _list(self, request: web.Request) -> web.StreamResponse:
        kind, selector = request.path.rsplit("/", 1)[1], request.query.get("labelSelector", "")
        if request.query.get("watch") in ("1", "true", "True"):
            return await self._watch(request, kind, selector)
        found = self.store.listed(kind, selector)
        return web.json_response({"metadata": {"resourceVersion": str(self.store.version)}, "items": found})

    async def _watch(self, request: web.Request, kind: str, selector: str) -> web.StreamResponse:
        answer = web.StreamResponse(headers={"Content-Type": "application/json"})
        await answer.prepare(request)
        with suppress(ConnectionError):
            try:
                async for event, one in self.store.watch(kind, selector, int(request.query["resourceVersion"])):
                    await answer.write(json.dumps({"type": event, "object": one}).encode() + b"\n")
            except Expired:
                gone = {"kind": "Status", "code": 410, "reason": "Expired", "message": "too old resource version"}
                await answer.write(json.dumps({"type": "ERROR", "object": gone}).encode() + b"\n")
        return answer

    async def _log(self, request: web.Request) -> web.Response:
        container = self.node.containers.get(request.match_info["name"])
        if container is None:
            return _status(404, "NotFound", "no such pod")
        lines = container.log.splitlines(keepends=True)[-int(request.query.get("tailLines", "1000")) :]
        return web.Response(body=b"".join(lines)[: int(request.query.get("limitBytes", str(2**20)))])

    async def _attach(self, request: web.Request) -> web.StreamResponse:
        container = self.node.containers.get(request.match_info["name"])
        if container is None or container.over.is_set():
            return _status(400, "BadRequest", "container box is not running")
        socket = web.WebSocketResponse(protocols=["v4.channel.k8s.io"])
        await socket.prepare(request)
        queue: asyncio.Queue[tuple[int, bytes] | None] = asyncio.Queue(maxsize=64)
        container.listeners.append(queue)
        telling = asyncio.create_task(_tell(socket, queue))
        try:
            await _hear(socket, container)
        finally:
            container.listeners.remove(queue)
            telling.cancel()
            while not queue.empty():  # whoever waits to put in goes on
                queue.get_nowait()
            assert container.process.stdin is not None
            container.process.stdin.close()  # stdinOnce
        return socket


async def _tell(socket: web.WebSocketResponse, queue: asyncio.Queue[tuple[int, bytes] | None]) -> None:
    with suppress(ConnectionError):
        while (said := await queue.get()) is not None:
            await socket.send_bytes(bytes([said[0]]) + said[1])
        await socket.send_bytes(b"\x03" + json.dumps({"status": "Success"}).encode())
        await socket.close()


async def _hear(socket: web.WebSocketResponse, container: Container) -> None:
    assert container.process.stdin is not None
    async for message in socket:
        if message.type is WSMsgType.BINARY and message.data[:1] == b"\x00":
            with suppress(ConnectionError):
                container.process.stdin.write(message.data[1:])
                await container.process.stdin.drain()


def _status(code: int, reason: str, message: str) -> web.Response:
    body = {"kind": "Status", "status": "Failure", "code": code, "reason": reason, "message": message}
    return web.json_response(body, status=code)


@asynccontextmanager
async def serving(
    images: dict[str, list[str]], rights: Rights, drop_to_pod_user: bool = False
) -> AsyncIterator[FakeCluster]:
    """A fake cluster on a free port of loopback."""
    cluster = FakeCluster(images, rights, drop_to_pod_user)
    runner = web.AppRunner(cluster.app(), shutdown_timeout=1.0)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    cluster.address = f"http://127.0.0.1:{site._server.sockets[0].getsockname()[1]}"
    try:
        yield cluster
    finally:
        await cluster.node.close()
        await runner.cleanup()
