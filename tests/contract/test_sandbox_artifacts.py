"""What work in a box can leave in its folder, and what of it gets out."""

from __future__ import annotations

import io
import tarfile
import zipfile

import pytest

from tests.contract.box_jobs import python

TRAPS = {
    "symlink": "os.symlink('/etc/passwd', OUT_DIR / 'a')",
    "symlink to the runner": "os.symlink('/proc/1/mem', OUT_DIR / 'a')",
    "hard link": "(OUT_DIR / 'b').write_text('x'); os.link(OUT_DIR / 'b', OUT_DIR / 'a')",
    "FIFO": "os.mkfifo(OUT_DIR / 'a')",
    "socket": "socket.socket(socket.AF_UNIX).bind(str(OUT_DIR / 'a'))",
    "folder": "(OUT_DIR / 'a').mkdir()",
    "too large": "(OUT_DIR / 'a').write_bytes(b'x' * 2_000_000)",
    "sparse": "os.truncate(os.open(OUT_DIR / 'a', os.O_CREAT | os.O_RDWR), 30 * 2**20)",
    "unreadable": "(OUT_DIR / 'a').write_text('x'); (OUT_DIR / 'a').chmod(0)",
    "folder swapped for a link": "OUT_DIR.rmdir(); (IN_DIR / 'a').write_text('x'); os.symlink(IN_DIR, OUT_DIR)",
}


@pytest.mark.parametrize("trap", TRAPS)
async def test_only_regular_files_within_the_caps_are_taken(driver, tmp_path, trap):
    source = f"import os, socket\n{TRAPS[trap]}\nsay('result')"
    result = await driver.run(python(source, take=("a",), artifact_bytes=1_000_000), tmp_path)
    assert result.result is not None, result.output
    assert (result.artifacts, list(result.artifacts_refused)) == ({}, ["a"])
    assert list(tmp_path.iterdir()) == []


async def test_a_crowded_folder_costs_nothing_and_hides_nothing(driver, tmp_path):
    source = """
import os
for n in range(3500): (OUT_DIR / f'n{n}').touch()
deep = OUT_DIR
for n in range(200): deep = deep / 'd'; deep.mkdir()
for odd in (b'\\xff\\xfe', b'a\\nb', b'-rf', b'x' * 255): open(os.path.join(os.fsencode(OUT_DIR), odd), 'w').close()
(OUT_DIR / 'a').write_text('here')
say('result')
"""
    result = await driver.run(python(source, take=("a",)), tmp_path)
    assert result.result is not None, result.output
    assert [file.name for file in tmp_path.iterdir()] == ["a"]
    assert result.artifacts["a"].read_text() == "here"


async def test_count_and_total_size_are_capped(driver, tmp_path):
    names = tuple(f"n{n}" for n in range(5))
    source = "for n in range(5): (OUT_DIR / f'n{n}').write_bytes(b'x' * 100)\nsay('result')"
    result = await driver.run(python(source, take=names, artifacts=2), tmp_path)
    assert (len(result.artifacts), len(result.artifacts_refused)) == (2, 3)
    other = tmp_path / "other"
    other.mkdir()
    result = await driver.run(python(source, take=names, artifact_bytes=350), other)
    assert (len(result.artifacts), len(result.artifacts_refused)) == (3, 2)


async def test_an_archive_bomb_comes_back_as_the_bytes_it_is(driver, tmp_path):
    zipped, tarred = io.BytesIO(), io.BytesIO()
    with zipfile.ZipFile(zipped, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("../../escaped", b"0" * 10_000_000)
    with tarfile.open(fileobj=tarred, mode="w") as archive:
        archive.addfile(tarfile.TarInfo("/escaped"))
    source = "import shutil\nfor n in ('a.zip', 'b.tar'): shutil.copy(IN_DIR / n, OUT_DIR / n)\nsay('result')"
    sent = {"a.zip": zipped.getvalue(), "b.tar": tarred.getvalue()}
    result = await driver.run(python(source, files=sent, take=tuple(sent)), tmp_path)
    assert {name: file.read_bytes() for name, file in result.artifacts.items()} == sent
    assert sorted(file.name for file in tmp_path.iterdir()) == sorted(sent)


async def test_nothing_is_taken_when_nobody_says_where_to(driver):
    result = await driver.run(python("(OUT_DIR / 'a').write_text('x'); say('result')", take=("a",)))
    assert (result.artifacts, result.result) == ({}, {"kind": "result"})


async def test_input_that_does_not_fit_is_said_so(driver, promised):
    promised("contains_disk")
    result = await driver.run(python("say('result')", files={"a": b"x" * 9 * 2**20}, work_mib=8))
    assert result.result is None
    assert "No space left" in result.note or "too large" in result.note.lower(), result.note


async def test_a_file_is_kept_while_the_work_goes_on_and_outlives_a_bad_end(driver, tmp_path):
    source = """
import os
for n in range(5):
    (OUT_DIR / 'b').write_text(str(n)); (OUT_DIR / 'b').replace(OUT_DIR / 'a'); say('keep', name='a', n=n)
for name in ('../a', 'b', 'c', 7): say('keep', name=name)
os.abort()
"""
    found = []

    def hear(said) -> None:
        found.append(int((tmp_path / "a").read_text()))

    result = await driver.run(python(source, keep=("a", "c"), keeps=3), tmp_path, hear)
    assert all(one >= n for n, one in enumerate(found[:3]))  # by then it may be newer
    assert set(found[3:]) == {found[2]}  # three times are all that this job was given
    assert (result.result, result.artifacts, [file.name for file in tmp_path.iterdir()]) == (None, {}, ["a"])


@pytest.mark.parametrize("trap", ["symlink", "symlink to the runner", "hard link", "FIFO", "folder", "too large"])
async def test_what_is_kept_obeys_the_rules_of_what_is_taken(driver, tmp_path, trap):
    source = f"import os\n{TRAPS[trap]}\nsay('keep', name='a')\nsay('result')"
    result = await driver.run(python(source, keep=("a",), artifact_bytes=1_000_000), tmp_path)
    assert result.result is not None, result.output
    assert list(tmp_path.iterdir()) == []
