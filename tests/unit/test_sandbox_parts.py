"""The parts of the sandbox that need no box: JSON, frames, rings, endings, and a runner that lies."""

from __future__ import annotations

import json
import os
import struct

import pytest

from gymwright.errors import PayloadTooLarge, StorageUnavailable
from kit.inside import frames
from kit.inside.frames import BadFrame, FrameReader, frame
from kit.inside.ring import Ring
from kit.inside.strict import NotStrict, strict_object, strict_said
from kit.sandbox.conversation import Conversation
from kit.sandbox.docker_stream import DockerStream
from kit.sandbox.endings import Heard, result_of
from kit.sandbox.image import CODE, code_files, copy_code, sandbox_image
from kit.sandbox.jobs import Ending, Job, Limits
from kit.sandbox.leftovers import sweep
from kit.sandbox.reaper import is_overdue


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"[]",
        b"1",
        b'"x"',
        b"null",
        b'{"a":NaN}',
        b'{"a":-Infinity}',
        b'{"a":1e999}',
        b'{"a":-1e999}',
        b'{"a":1}{"b":2}',
        b'{"a":"\xff"}',
        b'{"a":"\\ud800"}',  # half a character: parses, and can't be sent on
        b'{"a":' + b"9" * 5000 + b"}",
        b'{"a":' * 40 + b"1" + b"}" * 40,
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b"{'a':1}",
    ],
)
def test_what_is_not_one_strict_object_is_refused(line):
    with pytest.raises(NotStrict):
        strict_object(line)


@pytest.mark.parametrize(
    "value",
    [{}, {"a": [1, 2.5, None, True, "ü\n\\u"]}, {"a": [[[1]] * 50]}, {"a": "[[[[{{{{" * 20}, {"a": 10**300}],
)
def test_what_is_strict_is_read_as_it_was_written(value):
    assert strict_object(json.dumps(value).encode()) == value


@pytest.mark.parametrize("line", [b"{}", b'{"kind":1}', b'{"kind":null}'])
def test_what_is_said_has_a_kind(line):
    with pytest.raises(NotStrict):
        strict_said(line)


@pytest.mark.parametrize("size", [1, 2, 3, 10, 1000])
@pytest.mark.parametrize("part", [1, 7, 100_000])
def test_a_ring_keeps_head_and_tail_and_counts_the_rest(size, part):
    text = bytes(range(256)) * 1000
    ring = Ring(size)
    for start in range(0, len(text), part if part > 1 else 997):
        ring.feed(text[start : start + (part if part > 1 else 997)])
    kept, dropped = ring.kept()
    head = size - size // 2
    assert kept == text[:head] + (text[-(size // 2) :] if size // 2 else b"")
    assert dropped == len(text) - size


def test_frames_are_cut_wherever_the_stream_is():
    stream = frame(frames.SAID, b"abc") + frame(frames.DATA) + frame(frames.END, b"{}")
    reader = FrameReader(10)
    found = [got for byte in stream for got in reader.feed(bytes([byte]))]
    assert found == [(b"S", b"abc"), (b"D", b""), (b"E", b"{}")]


@pytest.mark.parametrize("stream", [b"X\0\0\0\0", struct.pack(">cI", b"S", 11), b"HTTP/1.1 400"])
def test_what_is_no_frame_is_noticed_before_it_is_held(stream):
    with pytest.raises(BadFrame):
        list(FrameReader(10).feed(stream))


SAID = [{"kind": "result", "ok": True}]


@pytest.mark.parametrize(
    ("heard", "stopped", "oom", "ending", "has_result"),
    [
        (Heard(said=SAID, ended=True, exit_code=0), False, False, Ending.EXITED, True),
        (Heard(said=[], ended=True, exit_code=0), False, False, Ending.EXITED, False),
        (Heard(said=SAID, ended=True, exit_code=1), False, False, Ending.EXITED, False),
        (Heard(said=[*SAID, {"kind": "x"}], ended=True, exit_code=0), False, False, Ending.EXITED, False),
        (Heard(said=SAID, ended=True, exit_code=-9), False, False, Ending.KILLED, False),
        (Heard(said=SAID), False, False, Ending.KILLED, False),  # the runner never said how it ended
        (Heard(said=SAID), False, True, Ending.OUT_OF_MEMORY, False),
        (Heard(said=SAID), True, False, Ending.OVERRAN, False),
        (Heard(said=SAID), True, True, Ending.OVERRAN, False),  # we killed it, whatever else happened
        (Heard(said=SAID, ended=True, overran=True, exit_code=-9), False, False, Ending.OVERRAN, False),
        # A killed helper: the work itself ended well, and its result can't be relied on.
        (Heard(said=SAID, ended=True, out_of_memory=True, exit_code=0), False, False, Ending.OUT_OF_MEMORY, False),
        (Heard(said=SAID, ended=True, trouble="it said too much", exit_code=-9), False, False, Ending.KILLED, False),
        (Heard(said=SAID, ended=True, trouble="no room"), False, False, Ending.KILLED, False),
    ],
)
def test_how_a_job_ended(heard, stopped, oom, ending, has_result):
    result = result_of(heard, stopped, oom, 1.0)
    assert (result.ending, result.result is not None) == (ending, has_result)


class Lying:
    """A stream that says whatever it likes."""

    def __init__(self, *parts: bytes) -> None:
        self._parts = list(parts)

    async def send(self, data: bytes) -> None:
        """Take no notice."""

    async def receive(self) -> bytes:
        """The next part."""
        return self._parts.pop(0) if self._parts else b""

    def close(self) -> None:
        """Nothing to close."""


def _file(name: object, size: object, kind: bytes = frames.FILE) -> bytes:
    return frame(kind, json.dumps({"name": name, "size": size}).encode())


@pytest.mark.parametrize(
    "parts",
    [
        [b"garbage that is no frame"],
        [frame(frames.SAID, b'{"kind":"result","x":NaN}')],
        [frame(frames.SAID, b'{"kind":"x"}') * 100],  # more than said_bytes
        [_file("../escaped", 1), frame(frames.DATA, b"x")],
        [_file("/etc/passwd", 1), frame(frames.DATA, b"x")],
        [_file("unasked", 1), frame(frames.DATA, b"x")],
        [_file(["a"], 1)],
        [_file("a", -1)],
        [_file("a", 10**9)],
        [_file("a", 2), frame(frames.DATA, b"xyz")],  # longer than announced
        [_file("a", 3), frame(frames.DATA, b"xy"), frame(frames.END, b'{"exit_code":0}')],  # shorter
        [_file("a", 1) + frame(frames.DATA, b"x") + _file("a", 1)],  # twice
        [_file("a", 2), _file("b", 1), frame(frames.DATA, b"x")],  # one within the other
        [_file("a", 1, frames.KEPT), frame(frames.DATA, b"x")],  # nobody wanted to keep it
        [_file("kept", 10**9, frames.KEPT)],
        [(_file("kept", 0, frames.KEPT) + frame(frames.SAID, b'{"kind":"keep"}')) * 3, frame(frames.DATA, b"x")],
        [frame(frames.DATA, b"x")],
        [frame(frames.END, b"[]")],
        [frame(frames.OUTPUT, b"")],
    ],
)
async def test_a_runner_that_lies_writes_nowhere_and_passes_nothing(parts, tmp_path):
    into = tmp_path / "into"
    into.mkdir()
    job = Job(entry="x", take=("a", "b"), keep=("kept",), limits=Limits(said_bytes=500, artifact_bytes=1000, keeps=2))
    talk = Conversation(job, into, lambda said: None)
    assert await talk.hold_until(Lying(*parts), 5.0) is False
    result = result_of(talk.heard, False, False, 0.0)
    assert result.result is None
    assert {file.name for file in into.iterdir()} <= {"a", "kept"}
    assert [place.name for place in tmp_path.iterdir()] == ["into"]


async def test_only_whole_artifacts_stay(tmp_path):
    talk = Conversation(Job(entry="x", take=("a",)), tmp_path, lambda said: None)
    await talk.hold_until(Lying(_file("a", 3), frame(frames.DATA, b"xy")), 5.0)
    assert list(tmp_path.iterdir()) == [] and talk.heard.artifacts == {}


async def test_a_part_never_takes_the_place_of_an_earlier_whole(tmp_path):
    (tmp_path / "a").write_text("earlier")
    job = Job(entry="x", take=("a",))
    await Conversation(job, tmp_path, lambda said: None).hold_until(
        Lying(_file("a", 3), frame(frames.DATA, b"xy")), 5.0
    )
    assert (tmp_path / "a").read_text() == "earlier"
    await Conversation(job, tmp_path, lambda said: None).hold_until(
        Lying(_file("a", 3), frame(frames.DATA, b"new")), 5.0
    )
    assert [(file.name, file.read_text()) for file in tmp_path.iterdir()] == [("a", "new")]


async def test_artifacts_that_cannot_be_stored_are_our_trouble_not_the_candidates(tmp_path):
    talk = Conversation(Job(entry="x", take=("a",)), tmp_path / "none", lambda said: None)
    with pytest.raises(StorageUnavailable):
        await talk.hold_until(Lying(_file("a", 1), frame(frames.DATA, b"x")), 5.0)


def test_a_payload_that_is_not_json_or_too_large_is_refused_before_any_box_has_it():
    with pytest.raises(ValueError, match="JSON"):
        Conversation(Job(entry="x", payload={"a": float("nan")}), None, lambda said: None)
    with pytest.raises(PayloadTooLarge):
        Conversation(Job(entry="x", payload={"a": "x" * frames.JOB_BYTES}), None, lambda said: None)


def test_the_engine_streams_are_told_apart_wherever_they_are_cut():
    stream = DockerStream(None, None)
    data = b"".join(
        bytes([number, 0, 0, 0]) + len(text).to_bytes(4) + text
        for number, text in [(1, b"out"), (2, b"complaint"), (1, b""), (1, b"put")]
    )
    found = b""
    for byte in data:
        stream._pending.append(byte)
        found += stream._cut()
    assert (found, stream.stderr) == (b"output", b"complaint")


def test_only_old_folders_of_dead_processes_are_swept(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    gone = 2**22 + 1  # above the largest process id there can be
    names = {f"gymwright-code-{gone}-a": True, f"gymwright-code-{os.getpid()}-a": False, "gymwright-x": False}
    for name in [*names, f"gymwright-code-{gone}-young"]:
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").touch()
    for name in names:
        os.utime(tmp_path / name, (0, 0))
    sweep()
    left = {place.name for place in tmp_path.iterdir()}
    assert left == {name for name, swept in names.items() if not swept} | {f"gymwright-code-{gone}-young"}


@pytest.mark.parametrize(
    ("deadline", "overdue"), [("99", True), ("100", False), ("101", False), ("", False), ("soon", False), ("-5", False)]
)
def test_which_deadlines_are_overdue(deadline, overdue):
    assert is_overdue(deadline, 100.0) is overdue


def test_the_images_name_changes_with_the_code_and_only_with_what_is_in_it(tmp_path):
    for name in ("deploy/docker/libs.Dockerfile", "deploy/docker/sandbox.lock", "deploy/docker/sandbox-torch.lock"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    (tmp_path / "deploy/docker/sandbox.Dockerfile").write_text("x")
    for name in CODE:
        place = tmp_path / name
        if place.suffix:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text("")
        else:
            (place / "wire").mkdir(parents=True)
            (place / "a.py").write_text("1")
            (place / "wire" / "b.py").write_text("1")
    before = sandbox_image(tmp_path)
    (tmp_path / "kit/contracts/wire/b.py").write_text("2")
    (tmp_path / "kit/inside/__pycache__").mkdir()
    (tmp_path / "kit/inside/__pycache__/a.pyc").write_text("2")
    assert sandbox_image(tmp_path) == before
    (tmp_path / "kit/inside/a.py").write_text("2")
    assert sandbox_image(tmp_path) != before


def test_a_box_holds_no_service_no_client_and_no_wire(tmp_path):
    copy_code(tmp_path)
    held = {str(file.relative_to(tmp_path)) for file in tmp_path.rglob("*.py")}
    assert "kit/inside/runner.py" in held and held == {str(f.relative_to(tmp_path)) for f in tmp_path.rglob("*.py")}
    assert not [name for name in held if "wire" in name or "servicer" in name or "sandbox" in name or "/v1/" in name]
    assert len(list(code_files())) == len(list(tmp_path.rglob("*.*")))
