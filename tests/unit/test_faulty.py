"""The benchmark's collection of faults: every variant can be made, and what is left out of its count."""

from __future__ import annotations

import ast

from benchmarks.faults import left_out
from benchmarks.faulty import FOLDER, Fault, specimens
from kit.contracts.findings import Blame, Finding, Severity


def test_every_specimen_is_a_module_with_a_name_of_its_own():
    every = list(specimens(FOLDER))
    assert len({specimen.id for specimen in every}) == len(every) > 150
    assert all(ast.parse(specimen.source) for specimen in every)
    assert sum(specimen.fault is None for specimen in every) >= 20


def fault(id: str, kind: str, target: str) -> Fault:
    return Fault(id, "", kind, "error", "code", on_target=target)


def found(*checks: str) -> list[Finding]:
    return [Finding(check=check, severity=Severity.ERROR, blame=Blame.CODE, message="m") for check in checks]


def test_a_fault_counts_without_its_own_checks_only_if_another_finds_it():
    told = [
        (fault("one", "api", "step\\.returns"), found("step.returns")),  # nobody else's
        (fault("two", "api", "reward\\.type"), found("reward.type")),  # also the third's, of another kind
        (fault("three", "reward", "reward\\.type"), found("reward.type")),
        (fault("four", "state", "episode\\.history"), found("episode.history", "episode.one_step")),  # seen twice
    ]
    assert left_out(told) == {"kind": "1/4", "fault": "3/4"}
