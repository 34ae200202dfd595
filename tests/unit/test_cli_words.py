"""Numbers, times, ids and exit codes as the command line writes them."""

from __future__ import annotations

from pathlib import Path

import pytest

from gymwright import errors
from gymwright.cli.checking import CouldNotCheck, read_report, split_target
from gymwright.cli.exits import Exit, exit_of
from gymwright.cli.words import clock, interval, number, plural, printable, size, span, spark
from gymwright.run_ids import RUN_ID, checked_run_id, new_run_id
from gymwright.v1.outcomes_pb2 import Interval


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (0.0, "0"),
        (0.03124, "0.0312"),
        (-7.5, "-7.50"),
        (142.53, "142.5"),
        (18300.4, "18,300"),
        (1.234e9, "1.23e+09"),
        (0.00001, "1.00e-05"),
        (float("nan"), "nan"),
        (float("-inf"), "-inf"),
    ],
)
def test_a_number_shows_the_digits_that_matter(value, written) -> None:
    assert number(value) == written


@pytest.mark.parametrize(
    ("mean", "low", "high", "written"),
    [
        (4.2, 3.89, 4.51, "4.20 [3.89, 4.51]"),
        (-12.4, -13.6, -11.2, "-12.4 [-13.6, -11.2]"),
        (1234.5, 1100.0, 1400.0, "1,234 [1,100, 1,400]"),
        (3.0, 3.0, 3.0, "3.00"),  # every episode alike
        (1e9, 0.9e9, 1.1e9, "1.00e+09 [9.00e+08, 1.10e+09]"),
        (float("nan"), float("nan"), float("nan"), "nan [nan, nan]"),
    ],
)
def test_an_interval_is_as_exact_as_it_is_narrow(mean, low, high, written) -> None:
    assert interval(Interval(mean=mean, low=low, high=high)) == written


@pytest.mark.parametrize(
    ("seconds", "spanned", "on_the_clock"),
    [
        (0.04, "0.0 s", "0:00"),
        (12.4, "12 s", "0:12"),
        (59.7, "1 min 00 s", "1:00"),
        (185.0, "3 min 05 s", "3:05"),
        (7800.0, "2 h 10 min", "2:10:00"),
        (-1.0, "0.0 s", "0:00"),  # two machines' clocks
    ],
)
def test_times_are_as_exact_as_a_person_wants_them(seconds, spanned, on_the_clock) -> None:
    assert (span(seconds), clock(seconds)) == (spanned, on_the_clock)


def test_small_things_are_written_as_a_person_would() -> None:
    assert [size(n) for n in (900, 12_400, 3_100_000)] == ["900 B", "12.4 kB", "3.1 MB"]
    assert [plural(n, "step") for n in (1, 9312)] == ["1 step", "9,312 steps"]
    assert [spark([]), spark([1.0]), spark([3.0, 3.0]), spark([0.0, 1.0, 2.0])] == ["", "", "▁▁", "▁▅█"]


def test_foreign_text_becomes_one_line_that_can_not_move_the_cursor() -> None:
    assert printable("a\x1b[2J\r\nb\t\u202ec\x07") == "a [2J b c"


@pytest.mark.parametrize(
    ("problem", "start"),
    [
        ("Optimise hospital shift scheduling", "optimise-hospital-shift-"),
        ("Die Kühlung eines Büros regeln", "die-kuhlung-eines-"),
        ("学习", "run-"),
        ("x" * 500, "xxxxxxxxxxxx-"),
    ],
)
def test_an_id_is_recognised_by_a_person_and_accepted_by_the_gateway(problem, start) -> None:
    run_id = new_run_id(problem)
    assert run_id.startswith(start)
    assert RUN_ID.fullmatch(run_id)


@pytest.mark.parametrize("run_id", ["", "short", "../../../etc", "Upper-case-id", "a" * 65, "a b c d e f"])
def test_what_can_not_be_an_id_never_becomes_a_path(run_id) -> None:
    with pytest.raises(errors.RequestWrong):
        checked_run_id(run_id)


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (errors.ProblemRejected, Exit.USAGE),
        (errors.RunNotFound, Exit.USAGE),
        (errors.NoSuitableProblem, Exit.FAILED),
        (errors.RunIsOver, Exit.FAILED),
        (errors.SandboxUnavailable, Exit.AWAY),
        (errors.GymwrightError, Exit.AWAY),  # not what the caller did
    ],
)
def test_every_error_has_an_exit_code(error, code) -> None:
    assert exit_of(error("")) is code


@pytest.mark.parametrize(
    ("target", "file", "class_name"),
    [
        ("env.py", "env.py", ""),
        ("env.py:Ward", "env.py", "Ward"),
        ("a:b/env.py", "a:b/env.py", ""),  # a colon in a folder's name
        (":Ward", ":Ward", ""),
        ("gymnasium:Pong", "gymnasium:Pong", ""),  # installed, and no class of a file
    ],
)
def test_a_target_is_a_file_and_perhaps_a_class(target, file, class_name) -> None:
    assert split_target(target) == (Path(file), class_name)


def test_a_report_of_the_checks_is_read_back() -> None:
    report = read_report(
        '{"verdict": "failed", "episodes": 3, "steps": 40, "skipped": [{"group": "life", "why": "no design"}],'
        ' "findings": [{"check": "contract.reset", "severity": "ERROR", "blame": "CODE", "message": "It raised.",'
        ' "evidence": "", "remedy": "", "file": "", "line": null, "traceback": ""}]}'
    )
    assert (report.findings[0].check, report.findings[0].HasField("line")) == ("contract.reset", False)
    assert (report.skipped[0].why, report.steps) == ("no design", 40)


@pytest.mark.parametrize("output", ["", "{}", "[]", '{"findings": [{}], "skipped": []}', "not json"])
def test_what_is_no_report_is_no_verdict(output) -> None:
    with pytest.raises(CouldNotCheck):
        read_report(output)
