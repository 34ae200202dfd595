"""The page as files: what the gateway serves, with which headers, and what it says where nothing is built."""

from __future__ import annotations

import asyncio
import base64
import hashlib
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

import pytest
from fastapi import FastAPI
from starlette.datastructures import Headers
from starlette.types import Message

from gateway.http.guard import Guard
from gateway.http.page import policy_of, serve_page

TOKEN = "a token of some length"
SCRIPT = "start()"
HTML = f'<!doctype html><script src="/_next/static/a.js"></script><script id="x">{SCRIPT}</script>'


@pytest.fixture
def export(tmp_path: Path) -> Path:
    """As `make page` leaves it, with a file beside it that is nobody's business."""
    out = tmp_path / "out"
    (out / "_next" / "static").mkdir(parents=True)
    (out / "index.html").write_text(HTML)
    (out / "icon.svg").write_text("<svg/>")
    (out / "_next" / "static" / "a.js").write_text("run()")
    (tmp_path / "secret.txt").write_text("secret")
    return out


@dataclass
class Answer:
    status: int
    headers: Headers
    text: str


async def ask(export: Path, path: str, token: str | None = None) -> Answer:
    """As the path is written: no client tidies it on the way."""
    app = FastAPI()
    serve_page(app, export)
    app.add_middleware(Guard, token=token, host="127.0.0.1")
    said: list[Message] = []

    async def receive() -> Message:
        await asyncio.Event().wait()  # nobody leaves
        return {}

    async def send(message: Message) -> None:
        said.append(message)

    asked = {"method": "GET", "path": unquote(path), "raw_path": path.encode(), "query_string": b"", "root_path": ""}
    server = {"http_version": "1.1", "scheme": "http", "server": ("127.0.0.1", 8080), "client": ("127.0.0.1", 1)}
    await app({"type": "http", "headers": [(b"host", b"127.0.0.1:8080")], **asked, **server}, receive, send)
    body = b"".join(message.get("body", b"") for message in said[1:])
    return Answer(said[0]["status"], Headers(raw=said[0]["headers"]), body.decode())


async def test_the_page_may_run_its_own_scripts_and_nothing_else(export: Path) -> None:
    answer = await ask(export, "/")
    digest = base64.b64encode(hashlib.sha256(SCRIPT.encode()).digest()).decode()
    policy = dict(part.strip().split(" ", 1) for part in answer.headers["content-security-policy"].split(";"))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == f"'self' 'sha256-{digest}'"
    assert policy["frame-ancestors"] == "'none'"
    assert (answer.status, answer.text) == (200, HTML)
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["cache-control"] == "no-cache"


async def test_what_a_name_with_a_hash_names_is_kept_by_the_browser(export: Path) -> None:
    answer = await ask(export, "/_next/static/a.js")
    assert (answer.status, answer.text) == (200, "run()")
    assert "immutable" in answer.headers["cache-control"]
    assert (await ask(export, "/icon.svg")).headers["content-type"] == "image/svg+xml"


@pytest.mark.parametrize(
    "path", ["/_next/../../secret.txt", "/_next/%2e%2e/%2e%2e/secret.txt", "/_next/static", "/out"]
)
async def test_nothing_beside_the_export_is_served(export: Path, path: str) -> None:
    answer = await ask(export, path)
    assert answer.status == 404
    assert "secret" not in answer.text


async def test_where_no_page_is_built_the_answer_says_how(tmp_path: Path) -> None:
    for path in ("/", "/icon.svg", "/_next/static/a.js"):
        assert (await ask(tmp_path / "out", path)).status == 404
    assert "make page" in (await ask(tmp_path / "out", "/")).text


async def test_the_page_is_open_where_the_runs_want_a_token(export: Path) -> None:
    statuses = {path: (await ask(export, path, TOKEN)).status for path in ("/", "/_next/static/a.js", "/v1")}
    assert statuses == {"/": 200, "/_next/static/a.js": 200, "/v1": 401}


@pytest.mark.parametrize(
    ("html", "hashes"),
    [
        ("<script src='/a.js'></script>", 0),
        ("<script>a</script><script>b</script>", 2),
        ('<script id="s" type="module">a</script>', 1),
        ("<script async src=/a.js></script>", 0),
    ],
)
def test_only_scripts_that_stand_in_the_page_are_hashed(html: str, hashes: int) -> None:
    assert policy_of(html).count("sha256-") == hashes
