"""The benchmark's collection of faults: every variant can be made, and what is left out for a kind."""

from __future__ import annotations

import ast

from benchmarks.faults import aims_of
from benchmarks.faulty import FOLDER, Fault, specimens


def test_every_specimen_is_a_module_with_a_name_of_its_own():
    every = list(specimens(FOLDER))
    assert len({specimen.id for specimen in every}) == len(every) > 150
    assert all(ast.parse(specimen.source) for specimen in every)
    assert sum(specimen.fault is None for specimen in every) >= 20


def fault(id: str, kind: str, target: str) -> Fault:
    return Fault(id, "", kind, "error", "code", on_target=target)


def test_a_kind_is_looked_for_without_the_checks_that_any_of_its_faults_names():
    faults = [
        fault("one", "api", r"step\.returns"),
        fault("two", "api", r"reward\."),
        fault("three", "state", "history"),
    ]
    checks = ["episode.history", "reward.finite", "reward.type", "step.returns"]
    assert aims_of(faults, checks) == {
        "api": ["reward.finite", "reward.type", "step.returns"],
        "state": ["episode.history"],
    }
