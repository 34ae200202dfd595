"""An artifact over HTTP: whole or a range of it, never as something that a browser would run."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import aclosing
from pathlib import PurePosixPath
from typing import Final
from urllib.parse import quote

from fastapi.responses import JSONResponse, Response, StreamingResponse

from gateway.runs import Runs
from gymwright.errors import ArtifactNotFound, RequestWrong

TEXT: Final = "text/plain; charset=utf-8"
TYPES: Final = {
    ".json": "application/json",
    ".jsonl": "application/x-ndjson",
    ".png": "image/png",
    **dict.fromkeys((".md", ".txt", ".py", ".csv", ".log"), TEXT),
}
RANGE: Final = re.compile(r"bytes=(\d{0,18})-(\d{0,18})")


async def artifact_answer(runs: Runs, run_id: str, name: str, asked: str | None, only_if: str | None) -> Response:
    """asked: the Range header; only_if: If-Range, the tag that the range was meant for."""
    found = next((each for each in await runs.artifacts(run_id) if each.name == name), None)
    if found is None:
        raise ArtifactNotFound(f"Run {run_id} has no artifact {name}.")
    tag = f'"{found.sha256}"'
    part = range_of(asked, found.size) if asked and only_if in (None, tag) else None
    start, end = part or (0, found.size)
    if start >= end and part is not None:
        said = {"error": RequestWrong.__name__, "message": f"{name} has {found.size} bytes; the range is outside."}
        return JSONResponse(said, 416, {"Content-Range": f"bytes */{found.size}"})
    headers = {
        "Content-Length": str(end - start),
        "Content-Disposition": f"attachment; filename*=UTF-8''{quote(PurePosixPath(name).name, safe='')}",
        "X-Content-Type-Options": "nosniff",
        "Content-Security-Policy": "default-src 'none'; sandbox",
        "Accept-Ranges": "bytes",
        "ETag": tag,
    }
    if part is not None:
        headers["Content-Range"] = f"bytes {start}-{end - 1}/{found.size}"
    kind = TYPES.get(PurePosixPath(name).suffix.lower(), "application/octet-stream")
    return StreamingResponse(_bytes(runs, run_id, name, start, end), 200 if part is None else 206, headers, kind)


def range_of(asked: str, size: int) -> tuple[int, int] | None:
    """First byte and the one after the last; empty where none is there; None for a header to be ignored."""
    match = RANGE.fullmatch(asked.strip())
    if match is None or match.groups() == ("", ""):
        return None
    first, last = match.groups()
    if not first:
        return max(0, size - int(last)), size
    if last and int(last) < int(first):
        return None
    return int(first), min(size, int(last) + 1) if last else size


async def _bytes(runs: Runs, run_id: str, name: str, start: int, end: int) -> AsyncIterator[bytes]:
    left = end - start
    if not left:
        return
    async with aclosing(runs.read(run_id, name, start)) as chunks:  # type: ignore[type-var]  # it is a generator
        async for chunk in chunks:
            yield chunk[:left]
            left -= len(chunk)
            if left <= 0:
                return
