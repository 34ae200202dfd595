"""Shelving: the files of each attempt lie together, whatever is repeated after a crash."""

from __future__ import annotations

import pytest

from gateway.shelving import Shelf
from kit.artifacts import ArtifactStore

RUN = "kiosk-000001"
FIRST = {"design.json": b"1", "environment.py": b"1", "tensorboard/events": b"1"}
SECOND = {"design.json": b"2", "environment.py": b"2"}


@pytest.fixture
def store(tmp_path):
    return ArtifactStore.at(str(tmp_path))


async def put(store, files):
    for name, content in files.items():
        await store.put_bytes(RUN, name, content)


async def files(store):
    return {
        artifact.name: b"".join([chunk async for chunk in store.read(RUN, artifact.name)])
        for artifact in await store.list(RUN)
    }


async def test_an_attempt_is_set_aside_whole_and_what_belongs_to_the_run_stays(store):
    await put(store, FIRST | {"problem.txt": b"p", "review.diff": b"d"})
    for _ in range(2):  # again after a crash
        await Shelf(store).set_aside(RUN, 1)
    aside = {f"attempt-1/{name}": content for name, content in FIRST.items()}
    assert await files(store) == aside | {"problem.txt": b"p", "review.diff": b"d"}


async def test_what_a_crash_left_half_moved_is_moved_to_the_end(store):
    await put(store, FIRST)
    await store.move(RUN, "design.json", "attempt-1/design.json")
    await Shelf(store).set_aside(RUN, 1)
    assert await files(store) == {f"attempt-1/{name}": content for name, content in FIRST.items()}


async def test_the_first_attempt_is_brought_back_and_the_second_overwrites_nothing_of_it(store):
    shelf = Shelf(store)
    await put(store, FIRST)
    await shelf.set_aside(RUN, 1)
    await put(store, SECOND)
    await shelf.set_aside(RUN, 2)
    for _ in range(2):
        await shelf.bring_back(RUN, 1)
    assert await files(store) == FIRST | {f"attempt-2/{name}": content for name, content in SECOND.items()}
