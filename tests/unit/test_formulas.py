"""The formula language: what can be said, what it means on a whole trajectory, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kit.contracts.formulas import FormulaError, compile_formula
from kit.contracts.formulas.compiler import Kind, Scope

SCOPE = Scope(
    "a test",
    {
        "state.x": Kind((), whole=False),
        "state.y": Kind((), whole=False),
        "state.n": Kind((), whole=True),
        "state.v": Kind((3,), whole=True),
        "params.m": Kind((2, 3), whole=True),
        "choice": Kind((4,), whole=True),
    },
    {"double": "state.v * 2", "total": "sum(double)"},
)

# Two moments; parameters and choices are the same in both, so they have one row.
VALUES = {
    "state.x": np.array([2.0, -0.5]),
    "state.y": np.array([0.0, 4.0]),
    "state.n": np.array([1.0, 5.0]),
    "state.v": np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]),
    "params.m": np.array([[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]]),
    "choice": np.array([[0.0, 1.0, 2.0, 3.0]]),
}

NAN = float("nan")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("state.x + 1", [3.0, 0.5]),
        ("7 % 3 + 7 // 2", [4.0]),
        ("-7 % 3", [2.0]),  # as Python's, not as C's
        ("-7 // 2", [-4.0]),
        ("2 ** 3", [8.0]),
        ("0 < state.x <= 2", [1.0, 0.0]),  # chained
        ("not state.x > 0", [0.0, 1.0]),
        ("state.x > 0 and state.y > 0", [0.0, 0.0]),
        ("state.x > 0 or state.y > 0", [1.0, 1.0]),
        ("where(state.x > 0, 10, 20)", [10.0, 20.0]),
        ("clip(state.x, 0, 1)", [1.0, 0.0]),
        ("min(state.x, 1, 0.5)", [0.5, -0.5]),
        ("max(state.v)", [3.0, 6.0]),  # one argument reduces
        ("max(state.v, 3)", [[3.0, 3.0, 3.0], [4.0, 5.0, 6.0]]),  # several work element by element
        ("sum(state.v)", [6.0, 15.0]),
        ("mean(state.v)", [2.0, 5.0]),
        ("any(state.v > 5)", [0.0, 1.0]),
        ("all(state.v > 3)", [0.0, 1.0]),
        ("argmax(state.v == state.v)", [0.0, 0.0]),  # ties take the first
        ("argmin(state.v)", [0.0, 0.0]),
        ("round(2.5)", [2.0]),  # half to even
        ("ceil(1.2) + floor(-1.2)", [0.0]),
        ("sqrt(4) + abs(-1)", [3.0]),
        ("arange(3) * state.n", [[0.0, 1.0, 2.0], [0.0, 5.0, 10.0]]),
        ("state.v[0]", [1.0, 4.0]),
        ("state.v[state.n]", [2.0, NAN]),  # 5 is out of bounds
        ("state.v[-1]", [NAN, NAN]),  # no negative wrap
        ("state.v[0.5]", [NAN, NAN]),  # indices are whole
        ("state.v[[2, 0]]", [[3.0, 1.0], [6.0, 4.0]]),  # gathering
        ("params.m[1]", [[4.0, 5.0, 6.0]]),
        ("params.m[1][2]", [6.0]),
        ("pick(params.m, 1, arange(3))", [[4.0, 5.0, 6.0]]),
        ("pick(params.m, 0, 3)", [NAN]),  # not the next row's first
        ("[state.x, 1]", [[2.0, 1.0], [-0.5, 1.0]]),
        ("[state.v, state.v][1]", [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]),
        ("total + double[0]", [14.0, 38.0]),
        ("choice <= state.n", [[1.0, 1.0, 0.0, 0.0], [1.0, 1.0, 1.0, 1.0]]),
        ("1 / 0", [float("inf")]),
        ("0 / 0", [NAN]),
        ("log(-1) > 0", [NAN]),  # a comparison does not hide that there is no number
        ("where(state.y <= 0, 7, 1 / state.y)", [7.0, 0.25]),  # only the chosen branch counts
        ("state.y > 0 and 0 / state.y > 1", [0.0, 0.0]),  # false whatever the other side is
        ("sum([0 / 0, 1])", [NAN]),
    ],
)
def test_a_formula_means(text, expected):
    np.testing.assert_allclose(compile_formula(text, SCOPE)(VALUES), expected)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("state.z", "can't use state.z"),
        ("state", "can't stand alone"),
        ("sum", "can't stand alone"),
        ("open(1)", "no function open"),
        ("state.x.real", "can't stand in a formula"),
        ("state.__class__", "can't use state.__class__"),
        ("(lambda: 1)()", "Lambda is not part"),
        ("[x for x in state.v]", "ListComp is not part"),
        ("'text'", "only numbers"),
        ("state.x if state.y else 1", "IfExp is not part"),
        ("state.v[0:1]", "Slice is not part"),
        ("state.x[0]", "can't be indexed"),
        ("params.m[0, 1]", "write pick"),
        ("params.m + state.v[[0, 1]]", "don't go together"),
        ("[state.x, state.v]", "one shape"),
        ("arange(state.n)", "one whole number, written out"),
        ("clip(1)", "clip takes 3 arguments"),
        ("sum(state.v, axis=0)", "keyword is not part"),
        ("state.x == 1", "hold by luck"),
        ("where(state.n == 1, state.x == 2, 0)", "hold by luck"),
        ("1 +", "not an expression"),
        ("", "not an expression"),
        ("-" * 100 + "1", "too large"),
        ("1+" * 3000 + "1", "at most 4000 characters"),
    ],
)
def test_what_can_not_be_said_is_refused_with_the_reason(text, complaint):
    with pytest.raises(FormulaError, match=complaint):
        compile_formula(text, SCOPE)


def test_definitions_that_use_each_other_in_a_circle_are_refused():
    with pytest.raises(FormulaError, match="uses itself, by way of a -> b"):
        compile_formula("a", Scope("a test", {}, {"a": "b + 1", "b": "a + 1"}))


def test_definitions_that_double_each_other_are_computed_once():
    doubling = {f"d{level}": f"d{level - 1} + d{level - 1}" for level in range(1, 60)} | {"d0": "state.x"}
    deep = compile_formula("d59", Scope("a test", SCOPE.kinds, doubling))
    np.testing.assert_allclose(deep({"state.x": np.array([1.0])}), [2.0**59])


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("state.n * 2 - 1", True),
        ("state.n / 2", False),
        ("state.n // 2", True),
        ("floor(state.x)", True),
        ("where(state.x > 0, state.n, 1)", True),
        ("where(state.x > 0, state.n, 0.5)", False),
        ("sum(state.v)", True),
        ("mean(state.v)", False),
        ("state.x > 0", True),
    ],
)
def test_whole_numbers_are_known_before_anything_is_computed(text, whole):
    assert compile_formula(text, SCOPE).kind.whole is whole


numbers = st.integers(-20, 20).map(float)
expressions = st.recursive(
    st.sampled_from(["state.x", "state.y", "3", "0.5"]),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["+", "-", "*"]), inner).map(lambda t: f"({t[0]} {t[1]} {t[2]})"),
        inner.map(lambda e: f"abs({e})"),
        st.tuples(inner, inner).map(lambda t: f"min({t[0]}, {t[1]})"),
    ),
    max_leaves=12,
)


class _State:
    def __init__(self, x: float, y: float) -> None:
        self.x, self.y = x, y


@given(expressions, st.lists(st.tuples(numbers, numbers), min_size=1, max_size=5))
def test_a_batch_gives_what_python_gives_moment_by_moment(text, moments):
    values = {"state.x": np.array([x for x, _ in moments]), "state.y": np.array([y for _, y in moments])}
    batch = np.broadcast_to(compile_formula(text, SCOPE)(values), (len(moments),))
    one_by_one = [eval(text, {"state": _State(x, y), "abs": abs, "min": min}) for x, y in moments]
    np.testing.assert_allclose(batch, one_by_one, rtol=1e-12)
