"""What work in a box can't use up: memory, processes, CPU, disk."""

from __future__ import annotations

import asyncio
import shutil

from kit.sandbox.jobs import Ending
from tests.contract.box_jobs import processes_with, python, until

EAT = "b = bytearray(10 * 2**30)\nfor i in range(0, len(b), 4096): b[i] = 1\n"


async def test_ten_gigabytes_are_out_of_memory(driver, promised):
    promised("contains_memory")
    assert (await driver.run(python(EAT + "say('result')"))).ending is Ending.OUT_OF_MEMORY


async def test_a_tmpfs_filled_beyond_the_memory_limit_is_out_of_memory(driver, promised):
    promised("contains_memory", "contains_disk")
    source = "f = open(OUT_DIR / 'a', 'wb')\nfor _ in range(1000): f.write(b'x' * 2**20)\nsay('result')"
    result = await driver.run(python(source, memory_mib=96, work_mib=1024))
    assert (result.ending, result.result) == (Ending.OUT_OF_MEMORY, None)


async def test_a_killed_helper_behind_exit_code_0_is_out_of_memory_all_the_same(driver, promised):
    promised("contains_memory")
    source = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {EAT!r}]); say('result')"
    result = await driver.run(python(source))
    assert (result.ending, result.exit_code, result.result) == (Ending.OUT_OF_MEMORY, 0, None)


async def test_bombs_are_contained_and_gone_with_the_box(driver, promised):
    promised("contains_processes")
    bombs = {
        "forks": "import os, time\nwhile True:\n    try: os.fork()\n    except OSError: time.sleep(0.01)",
        "threads": "import threading, time\nwhile True:\n"
        "    try: threading.Thread(target=time.sleep, args=(60,), daemon=True).start()\n"
        "    except RuntimeError: time.sleep(0.01)",
    }
    results = await asyncio.gather(
        *(driver.run(python(bomb, wall_s=1.5, processes=40, memory_mib=512)) for bomb in bombs.values())
    )
    assert [result.ending for result in results] == [Ending.OVERRAN] * 2
    assert all(result.wall_s < 6 for result in results)


async def test_a_daemon_that_left_its_session_is_gone_with_the_box_in_under_a_second(driver, promised):
    promised("contains_processes")
    source = """
import os, subprocess, sys
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.execv('/bin/sleep', ['sleep', '61.61613'])
    os._exit(0)
os.wait()
say('result')
"""
    result = await driver.run(python(source))
    assert result.result is not None
    assert until(lambda: not processes_with("61.61613"), 1.0)


async def test_forking_does_not_dodge_the_cpu_limit(driver, promised):
    promised("contains_memory")  # the same control groups
    source = """
import os, resource, time
for _ in range(4):
    if os.fork() == 0:
        until = time.monotonic() + 2
        while time.monotonic() < until: pass
        os._exit(0)
for _ in range(4): os.wait()
used = resource.getrusage(resource.RUSAGE_CHILDREN)
say('result', cpu_s=used.ru_utime + used.ru_stime)
"""
    result = await driver.run(python(source, cpus=0.5))
    assert 0 < result.result["cpu_s"] < 1.6  # half of two seconds, and some of the last slice


async def test_work_can_write_only_in_its_own_folders(driver, promised):
    promised("contains_disk", "hides_host_files")
    source = """
import os
writable = set()
for folder, below, _ in os.walk('/'):
    if folder.startswith(('/proc', '/sys')): below.clear(); continue
    try:
        with open(os.path.join(folder, 'probe'), 'w'): pass
        writable.add(folder)
    except OSError: pass
say('result', writable=sorted(writable))
"""
    result = await driver.run(python(source))
    allowed = ("/job", "/tmp", "/dev/shm", "/dev/mqueue")  # /dev's are small and die with the box
    assert [name for name in result.result["writable"] if not name.startswith(allowed)] == []


async def test_a_full_folder_is_no_space_left_and_the_host_disk_is_untouched(driver, promised):
    promised("contains_disk")
    before = shutil.disk_usage("/").free
    source = """
import errno, os
def fill(name, what):
    try: what(); return 'done'
    except OSError as problem: return errno.errorcode[problem.errno]
def bytes_():
    for n in range(4):
        with open(f'/tmp/{n}', 'wb') as file:
            for _ in range(20): file.write(b'x' * 2**20)
say('bytes', how=fill('bytes', bytes_))
for n in range(4):
    if os.path.exists(f'/tmp/{n}'): os.unlink(f'/tmp/{n}')
say('sparse', how=fill('sparse', lambda: os.truncate(os.open('/tmp/sparse', os.O_CREAT | os.O_RDWR), 2**40)))
say('result')
"""
    result = await driver.run(python(source, memory_mib=256, work_mib=32))
    assert [said.get("how") for said in result.said] == ["ENOSPC", "EFBIG", None]
    assert before - shutil.disk_usage("/").free < 30 * 2**20


async def test_files_run_out_before_memory_does(driver, promised):
    promised("contains_disk")
    if driver.capabilities.name == "local":
        assert "files" in driver.capabilities.weaker_because
        return
    source = """
import os
made = 0
try:
    while made < 100_000:
        os.close(os.open(f'/tmp/{made}', os.O_CREAT)); made += 1
except OSError as problem: say('result', made=made, why=problem.strerror)
"""
    result = await driver.run(python(source, work_mib=64))
    assert result.result["why"] == "No space left on device"
    assert result.result["made"] < 64 * 64
