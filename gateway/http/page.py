"""The web page: the files that `make page` exports, with headers that let a browser run nothing else."""

from __future__ import annotations

import base64
import hashlib
import re
from pathlib import Path
from typing import Final

from fastapi import FastAPI
from fastapi.responses import FileResponse, HTMLResponse, PlainTextResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

PAGE: Final = Path(__file__).resolve().parents[1] / "web" / "out"
NOT_BUILT: Final = (
    "The web page is not built here. `make page` builds it, with Node 20.9 or newer; then reload.\n"
    "The same runs are there without it: `gymwright run`, and /openapi.json for HTTP.\n"
)
ICON: Final = "/icon.svg"
ASSETS: Final = "/_next"
INLINE: Final = re.compile(r"<script(?![^>]*\ssrc=)[^>]*>(.*?)</script>", re.DOTALL)
KEPT: Final = {"Cache-Control": "public, max-age=31536000, immutable"}  # their names hold a hash of what is in them
HEADERS: Final = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


def is_page(path: str) -> bool:
    """Whether it is the page's own: those hold no secret and carry no token, for it is the page that asks for it."""
    return path in ("/", ICON) or path.startswith(f"{ASSETS}/")


def serve_page(app: FastAPI, folder: Path = PAGE) -> None:
    """folder: the export. It may be built while we serve, or not at all; then `/` says how."""

    @app.get("/", include_in_schema=False)
    def page() -> Response:
        try:
            html = (folder / "index.html").read_text(encoding="utf-8")
        except OSError:
            return PlainTextResponse(NOT_BUILT, 404, HEADERS)
        policy = {"Content-Security-Policy": policy_of(html), "Cache-Control": "no-cache"}
        return HTMLResponse(html, headers=HEADERS | policy)

    @app.get(ICON, include_in_schema=False)
    def icon() -> Response:
        file = folder / ICON.removeprefix("/")
        return FileResponse(file, headers=HEADERS) if file.is_file() else PlainTextResponse(NOT_BUILT, 404, HEADERS)

    app.mount(ASSETS, _Assets(directory=folder / ASSETS.removeprefix("/")))


def policy_of(html: str) -> str:
    """Nothing from elsewhere, and of what stands in the page itself only the scripts that the export put there."""
    inline = (hashlib.sha256(script.encode()).digest() for script in INLINE.findall(html))
    hashes = "".join(f" 'sha256-{base64.b64encode(digest).decode()}'" for digest in inline)
    return (
        f"default-src 'none'; script-src 'self'{hashes}; style-src 'self'; font-src 'self'; img-src 'self' blob:; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )


class _Assets(StaticFiles):
    def __init__(self, directory: Path) -> None:
        super().__init__(directory=directory, check_dir=False)

    async def check_config(self) -> None:
        """A folder that is not there yet has no files; that is all."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        answer = await super().get_response(path, scope)
        answer.headers.update(HEADERS | KEPT)
        return answer
