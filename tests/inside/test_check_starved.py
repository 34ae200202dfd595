"""A busy machine is not the candidate's fault: the check says that it was starved, and nobody is blamed."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from kit.inside.candidate.patience import waited_s
from services.executor.inside.check import TIME_OVER, Times, time_over
from services.executor.inside.starving import STARVED, Account
from services.executor.inside.subject import Subject
from tests.inside.tank import SOURCE

ROOT = Path(__file__).parents[2]
STARVING = """
import json, os, subprocess, sys
from services.executor.inside import check
from tests.inside.tank import SOURCE, design

check._preload()
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
greedy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2)]
os.nice(19)
last = {}
try:
    body = {"source": SOURCE, "design": design().model_dump(mode="json"), "budget_s": 0.4, "last_s": 0.8}
    check.main(body, lambda kind, /, **said: last.update(said))
finally:
    for process in greedy:
        process.kill()
print(json.dumps(last["report"]))
"""


@pytest.mark.parametrize(
    ("left_s", "step_s", "got", "why"),
    [
        ((60.0, 90.0), 0.02, 0.9, ""),
        ((-1.0, 30.0), 0.0001, 0.9, ""),  # late, but it has computed next to nothing
        ((-1.0, 30.0), 0.02, 0.9, TIME_OVER),  # late, and its steps wait
        ((-100.0, 30.0), 0.0001, 0.9, TIME_OVER),  # there never was any time
        ((-20.0, -1.0), 0.0001, 0.05, STARVED),  # at the very end, and it hardly ever had its turn
        ((-20.0, -1.0), 0.0001, 0.9, TIME_OVER),  # the same with a processor to itself
        ((-20.0, -1.0), 0.02, 0.05, TIME_OVER),  # a busy machine excuses no step that sleeps
    ],
)
def test_who_took_the_time(left_s, step_s, got, why):
    now = time.monotonic()
    account = Account(ran_s=time.process_time() - 100 * got, waited_s=waited_s() - 100 * (1 - got))
    subject = Subject(SOURCE, step_s=step_s, began=now - 50.0, account=account)
    assert time_over(subject, Times(now + left_s[0], now + left_s[1])) == why


@pytest.mark.skipif(not Path("/proc/self/schedstat").exists(), reason="this kernel does not count waiting")
def test_a_check_without_a_processor_blames_nobody():
    done = subprocess.run([sys.executable, "-c", STARVING], cwd=ROOT, capture_output=True, text=True, check=True)
    report = json.loads(done.stdout)
    assert [finding for finding in report["findings"] if finding["severity"] == "ERROR"] == []
    assert STARVED in {skipped["why"] for skipped in report["skipped"]}
