"""How work in a box ends: by itself, at its limits, or for breaking a rule; and that it can't forge a pass."""

from __future__ import annotations

import asyncio
import time

import pytest

from kit.sandbox.jobs import Ending
from tests.contract.box_jobs import python


async def test_a_program_that_ends_well_hands_back_what_it_said_and_printed(driver):
    heard = []
    result = await driver.run(python("print('hello'); say('step', n=1); say('result', n=2)"), on_said=heard.append)
    assert (result.ending, result.exit_code, result.output) == (Ending.EXITED, 0, "hello\n")
    assert result.result == {"kind": "result", "n": 2}
    assert heard == [{"kind": "step", "n": 1}, {"kind": "result", "n": 2}] == list(result.said)


async def test_an_exception_is_a_traceback_exit_code_1_and_no_result(driver):
    result = await driver.run(python("say('result'); raise ValueError('out of spirits')"))
    assert (result.ending, result.exit_code, result.result) == (Ending.EXITED, 1, None)
    assert "ValueError: out of spirits" in result.output


async def test_files_arrive_and_only_asked_for_artifacts_leave(driver, tmp_path):
    source = "import shutil; shutil.copy(IN_DIR / 'a.bin', OUT_DIR / 'b.bin'); (OUT_DIR / 'c').write_text('x')"
    content = bytes(range(256)) * 4096
    result = await driver.run(python(source, files={"a.bin": content}, take=("b.bin", "none")), tmp_path)
    assert list(result.artifacts) == ["b.bin"]
    assert result.artifacts["b.bin"].read_bytes() == content
    assert [file.name for file in tmp_path.iterdir()] == ["b.bin"]


async def test_whoever_overruns_is_stopped_and_keeps_what_it_said(driver, tmp_path):
    idlers = {
        "spins": "while True: pass",
        "sleeps": "import time; time.sleep(60)",
        "ignores SIGTERM": "import signal, time\nfor n in range(1, 32):\n"
        "    try: signal.signal(n, signal.SIG_IGN)\n    except OSError: pass\ntime.sleep(60)",
        "stops itself": "import os, signal; os.kill(os.getpid(), signal.SIGSTOP)",
        "closes everything": "import os, time; os.closerange(0, 100); time.sleep(60)",
    }
    begin = "print('hello'); say('step', n=1); (OUT_DIR / 'a').write_text('x')\n"
    jobs = [python(begin + source, wall_s=1.0, take=("a",)) for source in idlers.values()]
    folders = [tmp_path / str(n) for n in range(len(jobs))]
    for folder in folders:
        folder.mkdir()
    results = await asyncio.gather(*(driver.run(job, into) for job, into in zip(jobs, folders, strict=True)))
    for name, result in zip(idlers, results, strict=True):
        assert result.ending is Ending.OVERRAN, name
        assert (result.output, result.said, result.result) == ("hello\n", ({"kind": "step", "n": 1},), None), name
        assert result.artifacts["a"].read_text() == "x", name
        assert 1.0 <= result.wall_s < 5.0, name


@pytest.mark.parametrize(
    "busy",
    ["import time; time.sleep(60)", "while True: print('x' * 1000)", "while True: say('x', text='y' * 1000)"],
    ids=["idle", "flooding output", "flooding the channel"],
)
async def test_a_cancelled_job_leaves_within_two_seconds(driver, busy):
    started = asyncio.Event()
    job = python(f"say('on')\n{busy}", said_bytes=2**30)
    task = asyncio.create_task(driver.run(job, on_said=lambda _: started.set()))
    await started.wait()
    begun = time.monotonic()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert time.monotonic() - begun < 2.0


@pytest.mark.parametrize(
    "source",
    [
        "import os; os._exit(0)",
        "import sys; sys.exit(0)",
        "pass",
        """print('{"kind":"result","passed":true}')""",
        "say('result', passed=True); say('step')",  # a result is what is said last
        "say('result', passed=True); import os; os._exit(3)",
        "say('result', passed=True); import os; os.kill(os.getpid(), 9)",
        'import os; os.write(say._descriptor, b\'{"kind":"result","x":NaN}\\n\')',
        'import os; os.write(say._descriptor, b\'{"kind":"result","x":1e999}\\n\')',
        "import os; os.write(say._descriptor, b'[\"result\"]\\n')",
        'import os; os.write(say._descriptor, b\'{"kind":"result"}\')',  # no end of line: cut off
        "import os; os.write(say._descriptor, b'{\"a\":' * 5000 + b'1' + b'}' * 5000 + b'\\n')",
        'import os; os.write(say._descriptor, b\'{"kind":"result","x":"\\\\ud800"}\\n\')',
        "say('result', x=float('nan'))",
        "say('result', x=10**6000)",
    ],
)
async def test_no_valid_result_is_never_a_pass(driver, source):
    assert (await driver.run(python(source))).result is None


async def test_a_kill_from_within_is_killed(driver):
    result = await driver.run(python("import os; os.kill(os.getpid(), 9)"))
    assert (result.ending, result.exit_code) == (Ending.KILLED, -9)


FORGE = """
import ctypes, json, os, signal, struct
runner = os.getppid()
forged = b'{"kind":"result","forged":true}'
frame = struct.pack('>cI', b'S', len(forged)) + forged + struct.pack('>cI', b'E', 2) + b'{}'
refused = []
for name in [f'/proc/{runner}/fd/{n}' for n in range(10)] + [f'/proc/{runner}/mem', f'/proc/{runner}/environ']:
    try:
        with open(name, 'r+b', buffering=0) as file: file.write(frame)
    except OSError: refused.append(name)
libc = ctypes.CDLL(None, use_errno=True)
attached = libc.ptrace(16, runner, None, None)
for number in range(1, 65):
    if number not in (signal.SIGKILL, signal.SIGSTOP) or runner == 1:
        try: os.kill(runner, number)
        except OSError: pass
say('result', refused=len(refused), attached=attached)
"""


async def test_the_runner_can_be_neither_written_to_nor_traced_nor_signalled(driver):
    result = await driver.run(python(FORGE))
    if driver.capabilities.hides_host_files:  # in a process namespace the runner is PID 1, deaf to signals
        assert result.result == {"kind": "result", "refused": 12, "attached": -1}
    else:  # it may be signalled to death, which is no pass either
        assert result.result in (None, {"kind": "result", "refused": 12, "attached": -1})


async def test_a_flood_of_output_comes_back_as_head_and_tail_with_the_count_of_the_rest(driver):
    source = """
import os
os.write(1, b'first')
for n in range(2000): os.write(1 + n % 2, b'x' * 65536)
os.write(2, b'last')
say('result')
"""
    result = await driver.run(python(source, output_bytes=1000))
    assert result.result is not None
    assert result.output.startswith("first") and result.output.endswith("last")
    assert len(result.output) == 1000
    assert result.output_dropped == 2000 * 65536 + 9 - 1000


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("while True: say('x', text='y' * 50000)", "more than 1000000 bytes"),
        ("import os\nwhile True: os.write(say._descriptor, b'y' * 60000)", "more than"),
        ("import os\nwhile True: os.write(say._descriptor, b'\\n' * 60000)", "more than"),
        ("import os, time\nos.write(say._descriptor, b'junk\\n'); time.sleep(60)", "not strict JSON"),
    ],
)
async def test_a_flood_of_the_result_channel_ends_the_job(driver, source, says):
    result = await driver.run(python(source, said_bytes=1_000_000, line_bytes=100_000))
    assert (result.ending, result.result) == (Ending.KILLED, None)
    assert says in result.note


async def test_what_the_work_starts_inherits_neither_the_channel_nor_anything_of_ours(driver):
    source = """
import os, subprocess, sys
look = 'import os; print(sorted(n for n in os.listdir("/proc/self/fd") if os.path.exists(f"/proc/self/fd/{n}")))'
seen = subprocess.run([sys.executable, '-c', look], capture_output=True, text=True, close_fds=False)
say('executed', fds=seen.stdout)
pid = os.fork()
if pid == 0:
    try: os.write(say._descriptor, b'{"kind":"forged"}\\n')
    except OSError: os._exit(7)
    os._exit(0)
say('result', forked=os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
"""
    result = await driver.run(python(source))
    assert result.said == (
        {"kind": "executed", "fds": "['0', '1', '2']\n"},
        {"kind": "result", "forked": 7},
    )
