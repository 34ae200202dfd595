"""Guard: what every request passes first: the token, or a loopback Host where there is none, and the body's limit."""

from __future__ import annotations

import asyncio
import hmac
import re
from typing import Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gateway.http.errors import answer_to
from gateway.http.page import is_page
from gymwright.channels import bearer
from gymwright.errors import GymwrightError, PayloadTooLarge, RequestWrong, Unauthenticated

BODY_BYTES: Final = 256 * 1024  # the longest problem, each letter as \uXXXX
LARGE_BYTES: Final = 1024 * 1024  # where a design or a source is sent
LARGE: Final = re.compile(r"/v1/check|/v1/runs/[^/]+/design")
BODY_S: Final = 30.0  # until a body is there
OPEN_TO_ALL: Final = "/healthz"  # probes carry no token
LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})


class Guard:
    """host: the one we are configured to listen on. encrypted: by mutual TLS, so that callers are known by that."""

    def __init__(self, app: ASGIApp, token: str | None, host: str, encrypted: bool = False) -> None:
        self._app = app
        self._credential = bearer(token)[1].encode() if token else None
        self._encrypted = encrypted
        self._hosts = LOOPBACK | {host.strip("[]").lower()}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        try:
            if scope["path"] != OPEN_TO_ALL:
                self._admit(Headers(scope=scope), is_page(scope["path"]))
            if scope["method"] not in ("GET", "HEAD"):
                receive = _again(await _body(receive, most_of(scope["path"])), receive)
        except GymwrightError as error:
            await answer_to(error)(scope, receive, send)
            return
        await self._app(scope, receive, send)

    def _admit(self, headers: Headers, page: bool) -> None:
        if self._credential is not None:
            if not page and not hmac.compare_digest(headers.get("authorization", "").encode(), self._credential):
                raise Unauthenticated("This call needs the token: send it as Authorization: Bearer.")
            return
        # A page elsewhere can make a browser call us: by a name that it resolves to loopback, or across origins.
        host, origin = headers.get("host", ""), headers.get("origin")
        # No name but the certificate's own leads a browser here by TLS.
        if not self._encrypted and _name_in(f"//{host}") not in self._hosts:
            raise RequestWrong("The Host of this request is not this gateway's; call it by its own address.")
        if origin is not None and origin != f"{'https' if self._encrypted else 'http'}://{host}":
            raise RequestWrong("This request comes from a page of another origin.")


def _name_in(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def most_of(path: str) -> int:
    """How many bytes a request to this path may send."""
    return LARGE_BYTES if LARGE.fullmatch(path) else BODY_BYTES


async def _body(receive: Receive, most: int) -> bytes:
    body = b""
    try:
        async with asyncio.timeout(BODY_S):
            more = True
            while more:
                message = await receive()
                body += message.get("body", b"")
                more = bool(message.get("more_body", False))
                if len(body) > most:
                    raise PayloadTooLarge(f"A request's body has at most {most} bytes.")
    except TimeoutError:
        raise RequestWrong(f"The request's body did not arrive within {BODY_S:.0f} s.") from None
    return body


def _again(body: bytes, receive: Receive) -> Receive:
    """The body as one message, then whatever comes, which is the caller's leaving."""
    pending: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return pending.pop() if pending else await receive()

    return replay
