"""Our side of one job: hands it to a runner, and hears it out with bounded memory and disk."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, Protocol

from gymwright.errors import PayloadTooLarge, StorageUnavailable
from kit.contracts.records import JsonObject
from kit.inside import frames
from kit.inside.frames import BadFrame, FrameReader
from kit.inside.strict import NotStrict, strict_object, strict_said
from kit.sandbox.endings import Heard
from kit.sandbox.jobs import Job

GRACE_S: Final = 5.0  # for the runner to report work that it stopped at its limit, before we stop the box


class Stream(Protocol):
    """Both directions of a box's standard streams."""

    async def send(self, data: bytes) -> None:
        """Hand bytes to the runner's stdin."""

    async def receive(self) -> bytes:
        """The next bytes of the runner's stdout; empty when it is closed."""


def orders(job: Job, takes: bool) -> bytes:
    """The job as its runner reads it, without the files; PayloadTooLarge, or ValueError if it is not JSON."""
    limits = job.limits
    body = {
        "entry": job.entry,
        "payload": job.payload,
        "files": [[name, len(content)] for name, content in job.files.items()],
        "take": list(job.take) if takes else [],
        "keep": list(job.keep) if takes else [],
        "wall_s": limits.wall_s,
        "said_bytes": limits.said_bytes,
        "line_bytes": limits.line_bytes,
        "output_bytes": limits.output_bytes,
        "artifact_bytes": limits.artifact_bytes,
        "artifacts": limits.artifacts,
        "keeps": limits.keeps,
    }
    written = json.dumps(body, allow_nan=False).encode()
    if len(written) > frames.JOB_BYTES:
        raise PayloadTooLarge(f"The job's payload takes {len(written)} bytes; {frames.JOB_BYTES} is the limit.")
    return frames.frame(frames.JOB, written)


class Conversation:
    """One job with one runner. `heard` is right at any moment, also after a time-out."""

    def __init__(self, job: Job, into: Path | None, on_said: Callable[[JsonObject], None]) -> None:
        self.heard = Heard()
        self._job = job
        self._into = into
        self._on_said = on_said
        self._orders = orders(job, into is not None)
        self._said_bytes = 0
        self._artifact_bytes = 0
        self._kept = 0
        self._arriving: tuple[bytes, str, int, Path] | None = None  # FILE or KEPT, name, bytes still to come, where

    async def hold_until(self, stream: Stream, limit_s: float) -> bool:
        """Hand over, and listen to the end; True if the box had not ended after limit_s."""
        try:
            async with asyncio.timeout(limit_s) as limit:
                await self._hold(stream)
        except TimeoutError:
            if not limit.expired():
                raise  # somebody else's time-out, in on_said
            return True
        finally:
            self._discard_partial()
        return False

    async def _hold(self, stream: Stream) -> None:
        """A runner that breaks the rules is only ever noted."""
        limits = self._job.limits
        reader = FrameReader(max(limits.line_bytes, limits.output_bytes, frames.CHUNK, 2**20) + 64)
        # Listening starts before the handing over ends: a box without room for its files says so midway.
        handing_over = asyncio.create_task(self._hand_over(stream))
        try:
            while not self.heard.ended and (data := await stream.receive()):
                for kind, body in reader.feed(data):
                    self._take_in(kind, body)
        except (BadFrame, NotStrict) as problem:
            self.heard.trouble, self.heard.disobeyed = f"the runner broke the rules: {problem}", True
        except (ConnectionError, EOFError):
            pass  # the box ended; it did not say how
        finally:
            handing_over.cancel()
            await asyncio.gather(handing_over, return_exceptions=True)

    async def _hand_over(self, stream: Stream) -> None:
        with suppress(ConnectionError):
            await stream.send(self._orders)
            for content in self._job.files.values():
                for start in range(0, len(content), frames.CHUNK):
                    await stream.send(content[start : start + frames.CHUNK])

    def _take_in(self, kind: bytes, body: bytes) -> None:
        heard, limits = self.heard, self._job.limits
        if kind == frames.SAID:
            self._said_bytes += len(body) + frames.LINE_COST
            if self._said_bytes > limits.said_bytes:
                raise BadFrame("more was said than allowed")
            said = strict_said(body)
            heard.said.append(said)
            self._on_said(said)
        elif kind == frames.OUTPUT:
            if len(body) < frames.DROPPED.size:
                raise BadFrame("output without its count")
            (heard.output_dropped,) = frames.DROPPED.unpack_from(body)
            heard.output = body[frames.DROPPED.size :][: limits.output_bytes]
        elif kind in (frames.FILE, frames.KEPT):
            self._open(kind, strict_object(body))
        elif kind == frames.DATA:
            self._append(body)
        elif kind == frames.END:
            self._end(strict_object(body))

    def _open(self, kind: bytes, announced: JsonObject) -> None:
        name, size = announced.get("name"), announced.get("size")
        if not isinstance(name, str) or not isinstance(size, int) or size < 0 or self._into is None:
            raise BadFrame("an artifact without name or size")
        if self._arriving is not None:
            raise BadFrame("an artifact within another")
        if kind == frames.KEPT:
            self._allow_kept(name, size)
        else:
            self._allow(name, size)
        partial = self._into / f".{name}.part"
        with _storing(name):
            partial.unlink(missing_ok=True)
            os.close(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o644))
        self._arriving = (kind, name, size, partial)
        self._append(b"")

    def _allow(self, name: str, size: int) -> None:
        limits = self._job.limits
        self._artifact_bytes += size
        if name not in self._job.take or name in self.heard.artifacts:
            raise BadFrame("an artifact that nobody asked for")
        if len(self.heard.artifacts) >= limits.artifacts or self._artifact_bytes > limits.artifact_bytes:
            raise BadFrame("more artifacts than allowed")

    def _allow_kept(self, name: str, size: int) -> None:
        self._kept += 1
        if name not in self._job.keep:
            raise BadFrame("a file that nobody wanted to keep")
        if self._kept > self._job.limits.keeps or size > self._job.limits.artifact_bytes:
            raise BadFrame("more kept files than allowed")

    def _append(self, data: bytes) -> None:
        if self._arriving is None or len(data) > self._arriving[2]:
            raise BadFrame("artifact data that was not announced")
        kind, name, missing, partial = self._arriving
        self._arriving = (kind, name, missing - len(data), partial)
        with _storing(name):
            with partial.open("ab") as file:
                file.write(data)
            if missing == len(data):  # only a whole artifact is one
                whole = partial.replace(partial.with_name(name))
                if kind == frames.FILE:
                    self.heard.artifacts[name] = whole
                self._arriving = None

    def _end(self, end: JsonObject) -> None:
        heard = self.heard
        code, refused = end.get("exit_code"), end.get("refused")
        heard.exit_code = code if isinstance(code, int) else None
        heard.overran = end.get("overran") is True
        heard.out_of_memory = end.get("out_of_memory") is True
        heard.trouble = str(end.get("trouble") or "")[:1000]
        if isinstance(refused, dict):
            heard.refused = {str(name): str(why)[:200] for name, why in refused.items()}
        heard.ended = True

    def _discard_partial(self) -> None:
        """Delete an artifact of which only a part arrived."""
        if self._arriving is not None:
            self._arriving[3].unlink(missing_ok=True)
            self._arriving = None


@contextmanager
def _storing(name: str) -> Iterator[None]:
    try:
        yield
    except OSError as problem:  # a full disk is nobody's fault in the box
        raise StorageUnavailable(f"The artifact {name} can't be stored: {problem.strerror}") from problem
