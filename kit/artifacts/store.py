"""ArtifactStore: the files of each run, in a folder or an S3 bucket; the only way bulk travels between rooms."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import obstore
from obstore.exceptions import BaseError, NotFoundError
from obstore.store import LocalStore, ObjectStore, from_url

from gymwright.errors import ArtifactNotFound, RequestWrong, StorageUnavailable
from kit.contracts.outcomes import Artifact

CHUNK_BYTES: Final = 256 * 1024


class ArtifactStore:
    """Files under <run id>/<name>; names are relative, with forward slashes and no "..".

    Every method raises StorageUnavailable where the store can't be read or written.
    """

    def __init__(self, store: ObjectStore) -> None:
        self._store = store
        self._digests: dict[tuple[str, str], str] = {}  # (path, e_tag) -> sha256

    @classmethod
    def at(cls, place: str) -> ArtifactStore:
        """place: a folder (made where missing), or a URL such as s3://bucket/prefix."""
        with _storage_errors(f"open {place}"):
            if "://" in place:
                return cls(from_url(place))
            folder = Path(place).expanduser().resolve()
            folder.mkdir(parents=True, exist_ok=True)
            return cls(LocalStore(prefix=folder))

    async def put_file(self, run_id: str, name: str, path: Path) -> Artifact:
        """Copy the file at `path` in as `name`."""
        key = _key(run_id, name)
        with _storage_errors(f"write {name}"):
            digest = hashlib.sha256()
            size = 0
            with path.open("rb") as file:
                while chunk := file.read(CHUNK_BYTES):
                    digest.update(chunk)
                    size += len(chunk)
            await obstore.put_async(self._store, key, path)
        return Artifact(name=name, size=size, sha256=digest.hexdigest())

    async def put_bytes(self, run_id: str, name: str, content: bytes) -> Artifact:
        with _storage_errors(f"write {name}"):
            await obstore.put_async(self._store, _key(run_id, name), content)
        return Artifact(name=name, size=len(content), sha256=hashlib.sha256(content).hexdigest())

    async def move(self, run_id: str, name: str, to: str) -> None:
        """Give a file another name; what had that name is gone. ArtifactNotFound where there is none."""
        with _storage_errors(f"move {name}", missing=f"Run {run_id} has no artifact {name}."):
            await obstore.rename_async(self._store, _key(run_id, name), _key(run_id, to))

    async def delete(self, run_id: str, name: str) -> None:
        """ArtifactNotFound where there is none, if the store can tell."""
        with _storage_errors(f"delete {name}", missing=f"Run {run_id} has no artifact {name}."):
            await obstore.delete_async(self._store, _key(run_id, name))

    async def list(self, run_id: str, folder: str = "") -> tuple[Artifact, ...]:
        """Every file of the run, or of a folder of it, by name; none where there is none."""
        prefix = _key(run_id, "")
        found: list[Artifact] = []
        with _storage_errors("list artifacts"):
            async for batch in obstore.list(self._store, prefix=_key(run_id, folder)):
                for entry in batch:
                    name = entry["path"].removeprefix(prefix).lstrip("/")
                    tag = f"{entry['e_tag']} {entry['last_modified']}"
                    digest = await self._digest(entry["path"], tag)
                    found.append(Artifact(name=name, size=entry["size"], sha256=digest))
        return tuple(sorted(found, key=lambda artifact: artifact.name))

    async def read(self, run_id: str, name: str, offset: int = 0) -> AsyncIterator[bytes]:
        """The file's bytes from `offset`, in chunks of at most CHUNK_BYTES. ArtifactNotFound where there is none."""
        key = _key(run_id, name)
        with _storage_errors(f"read {name}", missing=f"Run {run_id} has no artifact {name}."):
            size = (await obstore.head_async(self._store, key))["size"]
            while offset < size:
                end = min(size, offset + CHUNK_BYTES)
                yield bytes(await obstore.get_range_async(self._store, key, start=offset, end=end))
                offset = end

    async def _digest(self, key: str, tag: str) -> str:
        if (key, tag) not in self._digests:
            digest = hashlib.sha256()
            async for chunk in (await obstore.get_async(self._store, key)).stream(min_chunk_size=CHUNK_BYTES):
                digest.update(chunk)
            self._digests[key, tag] = digest.hexdigest()
        return self._digests[key, tag]


def _key(run_id: str, name: str) -> str:
    parts = [run_id, *name.split("/")]
    if name and any(part in ("", ".", "..") or "\\" in part or "\0" in part for part in parts):
        raise RequestWrong(f"{name!r} can't name an artifact; use relative names with forward slashes.")
    return f"{run_id}/{name}"


@contextmanager
def _storage_errors(doing: str, missing: str = "") -> Iterator[None]:
    try:
        yield
    except (NotFoundError, FileNotFoundError) as problem:
        raise ArtifactNotFound(missing or f"Can't {doing}: {problem}.") from None
    except (BaseError, OSError) as problem:
        raise StorageUnavailable(f"The artifact store can't {doing}: {_first_line(problem)}.") from problem


def _first_line(problem: Exception) -> str:
    return (str(problem).splitlines() or [type(problem).__name__])[0].rstrip(".")
