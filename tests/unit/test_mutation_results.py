"""What the mutation bench keeps and sums up."""

from __future__ import annotations

import pytest

from benchmarks.mutation_results import Outcome, Results, summary, wilson

KILLED = Outcome("formulas", "swaps a sign", "tank:3 swaps a sign: a + b  ->  a - b", "dynamics.law")
ALIVE = Outcome("words", "changes a number", "tank:2 changes a number: 5  ->  6", None)


def test_a_run_goes_on_from_what_another_has_measured(tmp_path):
    Results(tmp_path / "done").add("source", "digest", KILLED)
    assert Results(tmp_path / "done").known("source", "digest") == KILLED


@pytest.mark.parametrize(("source", "digest"), [("other", "digest"), ("source", "other")])
def test_an_outcome_holds_for_one_source_and_one_design(tmp_path, source, digest):
    Results(tmp_path / "done").add("source", "digest", KILLED)
    assert Results(tmp_path / "done").known(source, digest) is None


def test_a_line_torn_by_a_killed_run_is_measured_again(tmp_path):
    results = Results(tmp_path / "done")
    results.add("first", "digest", KILLED)
    results.add("second", "digest", ALIVE)
    (tmp_path / "done").write_text((tmp_path / "done").read_text()[:-20])
    Results(tmp_path / "done").add("third", "digest", KILLED)
    again = Results(tmp_path / "done")
    assert [again.known(name, "digest") for name in ("first", "second", "third")] == [KILLED, None, KILLED]


def test_every_survivor_is_listed_with_what_let_it_live():
    assert summary([ALIVE, KILLED], {})["survivors"] == [f"{ALIVE.where} (gap: nothing checked says this of the start)"]


def test_an_equivalent_mutant_is_listed_and_not_counted():
    found = summary([ALIVE, KILLED], {ALIVE.where: "equivalent: 5 is never read"})
    assert (found["share"], found["equivalent"]) == (1.0, 1)
    assert found["survivors"] == [f"{ALIVE.where} (equivalent: 5 is never read)"]


# Newcombe, Statistics in Medicine 17 (1998), table I: Wilson's score method without continuity correction.
@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_the_interval_is_wilsons(successes, trials, low, high):
    assert wilson(successes, trials) == pytest.approx((low, high), abs=1e-4)
