"""The benchmark of first tries reads a run's events."""

from __future__ import annotations

import json

from benchmarks.first_try import Outcome, outcome


def test_a_run_that_needed_a_fix_is_counted_with_its_cost() -> None:
    events = [
        {"used": {"purpose": "design", "input_tokens": "1000", "output_tokens": "200", "cost_usd": 0.01}},
        {"design_written": {}},
        {"used": {"purpose": "code", "input_tokens": "10", "output_tokens": "20"}},
        {"code_written": {}},
        {"checked": {"findings": [{"severity": "SEVERITY_ERROR"}]}},
        {"code_written": {"fix": 1}},
        {"checked": {"findings": [{"severity": "SEVERITY_WARNING"}]}},
    ]
    expected = Outcome(designed=True, coded=True, passed_after=1, tokens=1230, usd=0.01)
    assert outcome(map(json.dumps, events)) == expected


def test_a_question_and_an_advice_are_counted_apart() -> None:
    assert outcome([json.dumps({"question": "What counts as better?"})]) == Outcome(asked=True)
    assert outcome([json.dumps({"state": "RUN_STATE_ADVISED"})]) == Outcome(advised=True)


def test_a_run_that_ended_before_its_design_has_nothing() -> None:
    assert outcome([json.dumps({"message": "refused"})]) == Outcome()
