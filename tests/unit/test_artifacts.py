"""The artifact store: what goes in comes out, by name, in chunks, and never from outside the run."""

from __future__ import annotations

import hashlib

import pytest

from gymwright.errors import ArtifactNotFound, RequestWrong, StorageUnavailable
from kit.artifacts import ArtifactStore


@pytest.fixture
def store(tmp_path):
    return ArtifactStore.at(str(tmp_path / "store"))


async def content(store: ArtifactStore, name: str, offset: int = 0) -> bytes:
    return b"".join([chunk async for chunk in store.read("run", name, offset)])


async def test_what_was_put_is_listed_by_name_with_its_size_and_digest(store):
    await store.put_bytes("run", "tensorboard/events", b"abc")
    await store.put_bytes("run", "a.txt", b"")
    listed = await store.list("run")
    assert [(artifact.name, artifact.size) for artifact in listed] == [("a.txt", 0), ("tensorboard/events", 3)]
    assert listed[1].sha256 == hashlib.sha256(b"abc").hexdigest()


async def test_a_large_file_is_read_in_bounded_chunks(store, tmp_path):
    source = tmp_path / "model.zip"
    source.write_bytes(bytes(range(256)) * 4096)
    put = await store.put_file("run", "model.zip", source)
    chunks = [chunk async for chunk in store.read("run", "model.zip")]
    assert max(map(len, chunks)) <= 256 * 1024
    assert hashlib.sha256(b"".join(chunks)).hexdigest() == put.sha256


async def test_reading_can_begin_anywhere(store):
    await store.put_bytes("run", "a", b"0123456789")
    assert await content(store, "a", offset=7) == b"789"
    assert await content(store, "a", offset=99) == b""


async def test_putting_again_replaces_and_the_digest_follows(store):
    await store.put_bytes("run", "a", b"old")
    await store.list("run")
    await store.put_bytes("run", "a", b"new")
    assert (await store.list("run"))[0].sha256 == hashlib.sha256(b"new").hexdigest()


async def test_a_file_that_is_moved_lies_where_it_was_moved_to_alone(store):
    await store.put_bytes("run", "a", b"1")
    await store.put_bytes("run", "attempt-1/deep/a", b"old")
    await store.move("run", "a", "attempt-1/deep/a")
    assert [artifact.name for artifact in await store.list("run")] == ["attempt-1/deep/a"]
    assert await content(store, "attempt-1/deep/a") == b"1"


async def test_what_is_not_there_is_not_found(store):
    with pytest.raises(ArtifactNotFound, match="Run run has no artifact a"):
        await content(store, "a")
    with pytest.raises(ArtifactNotFound, match="Run run has no artifact a"):
        await store.move("run", "a", "b")
    assert await store.list("run") == ()


async def test_runs_do_not_see_each_other(store):
    await store.put_bytes("run", "a", b"1")
    await store.put_bytes("run-2", "b", b"2")
    assert [artifact.name for artifact in await store.list("run")] == ["a"]


@pytest.mark.parametrize("name", ["../other/a", "a/../../b", "/etc/passwd", "a//b", ".", "a\\b", "a\0b"])
async def test_a_name_that_leads_elsewhere_is_refused(store, name):
    with pytest.raises(RequestWrong):
        await content(store, name)
    with pytest.raises(RequestWrong):
        await store.put_bytes("run", name, b"")


def test_a_store_that_can_not_be_opened_says_where(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageUnavailable, match="can't open"):
        ArtifactStore.at(str(tmp_path / "file" / "below"))
