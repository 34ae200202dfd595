"""Takes artifacts out of a folder that the work could arrange as it liked."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from kit.inside import frames


def take(
    folder: Path, names: Sequence[str], most: int, most_bytes: int
) -> Iterator[tuple[str, int, int] | tuple[str, str]]:
    """For every wanted name that is there: (name, descriptor, size), or (name, why it is not taken).

    Only the wanted names are ever opened, without following links and without waiting for a FIFO's
    other end. Where the work is not dead yet, it can change only what is in a file that was opened.
    """
    try:
        directory = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError as problem:
        for name in names:
            yield name, f"there is no such folder: {problem.strerror}"
        return
    taken, room = 0, most_bytes
    try:
        for name in names:
            if not frames.is_plain(name):
                yield name, "not a plain name"
                continue
            try:
                found = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=directory)
            except FileNotFoundError:
                continue
            except OSError as problem:
                yield name, f"not a regular file: {problem.strerror}"
                continue
            try:
                about = os.fstat(found)
                if not stat.S_ISREG(about.st_mode):
                    yield name, "not a regular file"
                elif about.st_nlink != 1:
                    yield name, "a hard link"
                elif about.st_size > room:
                    yield name, f"{about.st_size} bytes, where {room} are left of {most_bytes}"
                elif taken >= most:
                    yield name, f"more than {most} artifacts"
                else:
                    taken, room = taken + 1, room - about.st_size
                    yield name, found, about.st_size
            finally:
                os.close(found)
    finally:
        os.close(directory)


def send(kind: bytes, name: str, descriptor: int, size: int, out: Callable[[bytes, bytes], None]) -> None:
    """A frame of this kind with name and size, and the file's bytes in those that follow: as many as were announced,
    zeros where the work made it shorter meanwhile."""
    out(kind, json.dumps({"name": name, "size": size}).encode())
    while size > 0:
        wanted = min(size, frames.CHUNK)
        part = os.read(descriptor, wanted) or bytes(wanted)
        out(frames.DATA, part)
        size -= len(part)
