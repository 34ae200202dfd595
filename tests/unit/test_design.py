"""The typed design: what it refuses, and what we compute from it for every step of a trajectory."""

from __future__ import annotations

import numpy as np
import pytest
from pydantic import ValidationError

from kit.contracts.design import (
    ActionKind,
    ActionSpec,
    ActionTerm,
    EnvDesign,
    Level,
    Parameter,
    ParameterOverride,
    Source,
    StateVariable,
)
from kit.contracts.formulas import ProgramError, columns, compile_design
from tests.unit.designs import TRIED, kiosk, tried

# Two days of the kiosk, worked out by hand: buy 2, 3 asked, 2 sold; buy 1, nobody comes.
PREV = {"stock": np.array([0.0, 0.0]), "sold": np.array([0.0, 2.0]), "asked": np.array([0.0, 3.0])}
STATE = {"stock": np.array([0.0, 1.0]), "sold": np.array([2.0, 0.0]), "asked": np.array([3.0, 0.0])}
BOUGHT = np.array([[2.0], [1.0]])
SEEN = np.array([[0.0], [0.0]])


def two_days():
    program = compile_design(kiosk())
    params = columns.parameter_values(program.design)
    return program, params, columns.transitions(program, params, PREV, BOUGHT, STATE, SEEN)


@pytest.mark.parametrize("path", TRIED, ids=lambda path: path.stem)
def test_every_tried_design_can_be_said(path):
    design = tried(path)
    program = compile_design(design)
    assert set(program.metrics) == {metric.name for metric in design.metrics}


def test_the_reward_is_the_weighted_sum_of_its_components():
    program, _, values = two_days()
    components = {name: compiled(values) for name, compiled in program.components.items()}
    np.testing.assert_allclose(columns.reward(program, components), [2.5 * 2 - 2, -1])


def test_metrics_aggregate_the_steps_of_an_episode():
    program, _, values = two_days()
    assert columns.aggregate(program.metrics["profit"], values, 2) == pytest.approx((3 - 1) / 2)
    assert columns.aggregate(program.metrics["service"], values, 2) == pytest.approx(2 / 3)


def test_a_ratio_of_nothing_to_nothing_has_no_value():
    program, params, _ = two_days()
    before, after = ({name: column[1:] for name, column in part.items()} for part in (PREV, STATE))
    values = columns.transitions(program, params, before, BOUGHT[1:], after, SEEN[1:])
    assert np.isnan(columns.aggregate(program.metrics["service"], values, 1))


def test_laws_keep_both_sides_so_that_a_difference_can_be_shown():
    program, _, values = two_days()
    law = program.laws["stock"]
    assert law.right is not None
    np.testing.assert_allclose(law.left(values), law.right(values))
    assert program.laws["sold"].right is None


def test_observations_are_clipped_to_their_bounds():
    program, params, _ = two_days()
    over = {**STATE, "stock": np.array([9.0, 2.0])}
    np.testing.assert_allclose(columns.observe(program, columns.moments(params, over), 2), [[1.0], [0.4]])


def test_masks_say_for_every_choice_whether_it_is_legal():
    program, params, _ = two_days()
    nearly_full = {**STATE, "stock": np.array([4.0, 0.0])}
    masks = columns.masks(program, columns.moments(params, nearly_full), 2)
    np.testing.assert_allclose(masks, [[1, 1, 0], [1, 1, 1]])


def test_whether_the_action_was_legal_is_judged_on_the_state_before():
    program, params, _ = two_days()
    nearly_full = {**PREV, "stock": np.array([4.0, 0.0])}
    values = columns.transitions(program, params, nearly_full, np.array([[2.0], [2.0]]), STATE, SEEN)
    np.testing.assert_allclose(values["legal_taken"], [0, 1])


def test_a_baseline_acts_on_what_it_sees_and_stays_within_the_choices():
    program, params, _ = two_days()
    actions = columns.act(program, "refill", params, np.array([[0.2], [0.8]]))
    np.testing.assert_allclose(actions, [[2], [0]])


def test_overridden_parameters_take_effect():
    program = compile_design(kiosk())
    params = columns.parameter_values(program.design, {"price": np.array(10.0)})
    values = columns.transitions(program, params, PREV, BOUGHT, STATE, SEEN)
    np.testing.assert_allclose(program.components["sales"](values), [20, 0])


@pytest.mark.parametrize(
    ("kind", "row", "expected"),
    [
        (ActionKind.DISCRETE, [2.0], 2),
        (ActionKind.MULTI_DISCRETE, [2.0, 1.0], np.array([2, 1], np.int64)),
        (ActionKind.MULTI_BINARY, [1.0, 0.0], np.array([1, 0], np.int8)),
        (ActionKind.BOX, [0.5, -1.0], np.array([0.5, -1.0], np.float32)),
    ],
)
def test_an_action_row_becomes_what_step_takes(kind, row, expected):
    action = kiosk().action.model_copy(update={"kind": kind})
    taken = columns.as_env_action(kiosk().model_copy(update={"action": action}), np.array(row))
    assert type(taken) is type(expected)
    np.testing.assert_array_equal(taken, expected)
    if isinstance(expected, np.ndarray):
        assert taken.dtype == expected.dtype


def test_every_formula_that_can_not_be_compiled_is_named():
    design = kiosk().model_dump()
    design["reward"][0]["formula"] = "state.nothing"
    design["observation"][0]["formula"] = "prev.stock"
    design["baselines"][0]["terms"][0]["formula"] = "state.stock"
    with pytest.raises(ProgramError) as caught:
        compile_design(EnvDesign.model_validate(design))
    assert [problem.where for problem in caught.value.problems] == [
        "observation.stock",
        "reward.sales",
        "baseline.refill.buy",
    ]


@pytest.mark.parametrize(
    ("build", "complaint"),
    [
        (lambda: Parameter(name="a", meaning="", values=(1, 2), source=Source.GIVEN), "wants 1 values, got 2"),
        (lambda: Parameter(name="a", meaning="", values=(1,), low=0, source=Source.GIVEN), "both low and high"),
        (lambda: Parameter(name="A", meaning="", values=(1,), source=Source.GIVEN), "pattern"),
        (lambda: Parameter(name="a", meaning="", values=(float("nan"),), source=Source.GIVEN), "finite"),
        (lambda: StateVariable(name="a", meaning="", low=1, high=0), "above high"),
        (lambda: ActionSpec(kind=ActionKind.DISCRETE, terms=(_choices("a"), _choices("b"))), "exactly one term"),
        (lambda: ActionSpec(kind=ActionKind.BOX, terms=(_choices("a"),)), "choices are for"),
        (lambda: ActionSpec(kind=ActionKind.MULTI_DISCRETE, terms=(ActionTerm(name="a", meaning=""),)), "how many"),
        (lambda: EnvDesign.model_validate({**kiosk().model_dump(), "surprise": 1}), "surprise"),
        (lambda: EnvDesign.model_validate({**kiosk().model_dump(), "reward": kiosk().reward * 2}), "stands twice"),
        (lambda: _with_levels(Level(name="easy", overrides=(_override("surprise", 1),))), "surprise is no parameter"),
        (lambda: _with_levels(Level(name="easy", overrides=(_override("room", 1, 2),))), "room wants 1 values, got 2"),
        (lambda: _with_levels(*(Level(name=n, overrides=()) for n in ("easy", "full"))), "only the last level"),
    ],
)
def test_a_design_that_contradicts_itself_is_refused(build, complaint):
    with pytest.raises(ValidationError, match=complaint):
        build()


def _override(name: str, *values: float) -> ParameterOverride:
    return ParameterOverride(name=name, values=values)


def _with_levels(*levels: Level) -> EnvDesign:
    return EnvDesign.model_validate({**kiosk().model_dump(), "curriculum": [level.model_dump() for level in levels]})


def _choices(name: str) -> ActionTerm:
    return ActionTerm(name=name, meaning="", choices=2)


def test_the_digest_changes_with_any_part_of_the_design():
    changed = kiosk().model_copy(update={"summary": "Another."})
    assert kiosk().digest == kiosk().digest != changed.digest


@pytest.mark.parametrize(
    ("parameter", "argument"),
    [
        (Parameter(name="a", meaning="", values=(5,), source=Source.GIVEN), 5),
        (Parameter(name="a", meaning="", values=(0.5,), source=Source.GIVEN), 0.5),
        (Parameter(name="a", meaning="", shape=(2,), values=(1, 2), source=Source.GIVEN), [1, 2]),
        (Parameter(name="a", meaning="", shape=(1, 2), values=(1, 0.5), source=Source.GIVEN), [[1.0, 0.5]]),
        # A randomised parameter is a real number even where it stands at a whole one.
        (Parameter(name="a", meaning="", values=(5,), low=4, high=6, source=Source.GIVEN), 5.0),
    ],
)
def test_the_constructor_gets_parameters_as_plain_numbers(parameter, argument):
    assert parameter.argument == argument
    assert type(parameter.argument) is type(argument)
