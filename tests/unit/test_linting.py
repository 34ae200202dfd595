"""The design linter: each rule has a design that breaks it, and sound designs pass without a word."""

from __future__ import annotations

import pytest

from kit.contracts.design import EnvDesign
from kit.contracts.findings import Blame, Severity
from kit.contracts.linting import RULES, lint
from tests.unit.designs import kiosk


def changed(**parts: object) -> EnvDesign:
    """The kiosk with some of its parts replaced, each a nested path such as reward__0__formula."""
    design = kiosk().model_dump(mode="json")
    for path, value in parts.items():
        *way, last = [int(key) if key.isdigit() else key for key in path.split("__")]
        place = design
        for key in way:
            place = place[key]
        place[last] = value
    return EnvDesign.model_validate(design)


UNPRICED = {"reward__0__formula": "state.sold", "metrics__0__formula": "2.5 * state.sold - action.buy"}

BROKEN = [
    (changed(reward__0__formula="state.nothing"), "design.formula", Severity.ERROR),
    (changed(baselines__0__terms__0__formula="state.stock"), "design.formula", Severity.ERROR),
    (changed(dynamics__starts=[{"name": "old", "formula": "prev.stock == 0"}]), "design.formula", Severity.ERROR),
    (
        changed(dynamics__starts=[{"name": "open", "formula": "state.stock", "low": "0", "high": "[5, 6]"}]),
        "design.formula",
        Severity.ERROR,
    ),
    (changed(dynamics__starts=[{"name": "none", "formula": "1 == 1"}]), "design.start_unpinned", Severity.NOTE),
    (changed(fit={"verdict": "BETTER_TOOL", "why": "It is static."}), "design.fit", Severity.ERROR),
    (
        changed(
            dynamics__laws=[], metrics__0__formula="state.sold", reward__1__formula="state.stock", reward__1__high=5
        ),
        "design.action_unused",
        Severity.WARNING,
    ),
    (
        changed(dynamics__laws__1__formula="state.sold >= 0", dynamics__expected=[], metrics__1__per="1"),
        "design.state_unused",
        Severity.WARNING,
    ),
    (
        changed(dynamics__laws=[], dynamics__expected=[]),
        "design.state_unpinned",
        Severity.WARNING,
    ),
    (
        changed(
            reward=[
                {"name": "a", "meaning": "", "formula": "-state.sold", "weight": 1, "low": -5, "high": 0},
            ],
            metrics__0__formula="state.sold",
        ),
        "design.metric_is_reward",
        Severity.WARNING,
    ),
    (
        changed(metrics__0__formula="state.stock", metrics__0__aggregate="SUM"),
        "design.metric_sums_a_stock",
        Severity.WARNING,
    ),
    (changed(metrics__1__unit="share", metrics__1__target=95), "design.target", Severity.ERROR),
    (changed(reward__0__weight=100), "design.reward_scales", Severity.NOTE),
    (changed(reward__0__weight=0), "design.reward_nothing", Severity.ERROR),
    (changed(episode__step_limit=5000), "design.horizon", Severity.NOTE),
    (changed(episode__endings__0__formula="params.room > 9"), "design.ending_constant", Severity.ERROR),
    (changed(action__illegal=""), "design.illegal_unsaid", Severity.ERROR),
    (changed(state__0__high=5.5), "design.whole_bounds", Severity.ERROR),
    (changed(observation__0__high=5000), "design.observation_scale", Severity.WARNING),
    (
        changed(metrics__0__aggregate="SUM", metrics__0__direction="LOWER"),
        "design.early_end_flatters",
        Severity.WARNING,
    ),
    (changed(parameters__1__why=""), "design.assumption_unexplained", Severity.WARNING),
    # At reset nobody has asked, so this is 0 / 0.
    (changed(observation__0__formula="state.sold / state.asked"), "design.no_value", Severity.ERROR),
    (changed(reward__0__formula="state.sold / state.asked"), "design.no_value", Severity.NOTE),
    # A full kiosk is within the bounds of its stock, and is what ends an episode.
    (changed(observation__0__formula="1 / (params.room - state.stock)"), "design.no_value", Severity.WARNING),
    (changed(baselines__0__terms__0__formula="1 / obs.stock"), "design.no_value", Severity.WARNING),
    (changed(observation__0__formula="params.price / 5"), "design.observation_constant", Severity.WARNING),
    (changed(observation__0__formula="state.stock + 2"), "design.observation_cut_off", Severity.WARNING),
    (changed(action__terms__0__legal="choice > 2"), "design.no_legal_choice", Severity.WARNING),
    (changed(observation__0__formula="[state.stock, 1][2] / 5"), "design.no_value", Severity.WARNING),
    (changed(observation__0__formula="[state.stock, 1][-1] / 5"), "design.negative_index", Severity.ERROR),
    (
        changed(parameters__1__source="GIVEN", parameters__1__values=[31.5], **UNPRICED),
        "design.given_unused",
        Severity.NOTE,
    ),
    (changed(definitions=[{"name": "takings", "formula": "takings + 1"}]), "design.definition_unused", Severity.NOTE),
    (changed(dynamics__invariants__0__formula="state.asked > 0"), "design.invariant_at_reset", Severity.ERROR),
    # Half a paper can't stay.
    (
        changed(dynamics__laws__0__formula="state.stock == 0.5 * prev.stock + action.buy"),
        "design.law_not_whole",
        Severity.WARNING,
    ),
    # What is sold is also the metric, and each unit of it is charged.
    (
        changed(metrics__0__formula="2 * state.sold", reward__0__weight=-1),
        "design.reward_against_metric",
        Severity.WARNING,
    ),
]

GUARDED = [
    changed(dynamics__starts=[{"name": "some", "formula": "state.stock", "low": "0", "high": "params.room"}]),
    changed(dynamics__starts=[{"name": "mean", "formula": "state.stock", "mean": "2"}]),
    changed(observation__0__formula="state.sold / max(state.asked, 1)"),
    changed(observation__0__formula="where(state.stock < params.room, 1 / (params.room - state.stock), 1)"),
    changed(baselines__0__terms__0__formula="1 / max(obs.stock, 0.1)"),
    changed(dynamics__laws__0__formula="state.stock == floor(0.5 * prev.stock) + action.buy"),
    changed(dynamics__laws__0__formula="state.stock <= 0.5 * prev.stock + action.buy + 9"),
    # Only some of the states that are tried are cut off, or leave no choice.
    changed(observation__0__formula="state.stock"),
    changed(action__terms__0__legal="choice > 2 * (state.stock > 2)"),
]


def test_a_sound_design_passes_without_a_word():
    assert lint(kiosk()) == ()


@pytest.mark.parametrize(("design", "check", "severity"), BROKEN, ids=[check for _, check, _ in BROKEN])
def test_the_linter_finds(design, check, severity):
    assert (check, severity) in [(finding.check, finding.severity) for finding in lint(design)]


@pytest.mark.parametrize(("design", "check", "severity"), BROKEN, ids=[check for _, check, _ in BROKEN])
def test_a_broken_rule_breaks_no_other_as_an_error(design, check, severity):
    errors = {finding.check for finding in lint(design) if finding.severity is Severity.ERROR}
    assert errors <= {check}


@pytest.mark.parametrize("design", GUARDED)
def test_a_guarded_formula_passes_without_a_word(design):
    assert lint(design) == ()


@pytest.mark.parametrize(
    ("formula", "remedy"),
    [
        ("state.stock if state.stock > 2 else 0", "where(condition, yes, no)"),
        ("state.stock ^ 2", "**"),
        ("[state.stock, 1][0:1]", "arange"),
        ("sum([x for x in [1, 2]])", "whole vector"),
        ("prev.stock / 5", "Keep what is needed of the step before in a state variable"),
        ("sin(pi * state.stock)", "3.14159"),
        ("state.stock * params.price == 5", "WHOLE"),
        ("[state.stock, 1]", "size"),
        ("sum([1, 2] + [1, 2, 3])", "broadcast"),
        ("state.nothing", "formula language"),
    ],
)
def test_what_the_language_cannot_say_comes_with_how_to_say_it(formula, remedy):
    (finding,) = lint(changed(observation__0__formula=formula))
    assert remedy in finding.remedy


@pytest.mark.parametrize(
    ("parts", "remedy"),
    [
        ({"reward__0__formula": "[state.sold, 1]"}, "one number"),
        ({"dynamics__expected__0__formula": "[state.asked, state.asked]"}, "0 times a vector"),
        ({"dynamics__expected__0__mean": "state.stock"}, "difference"),
        ({"baselines__0__terms__0__formula": "state.stock"}, "what the agent sees"),
    ],
)
def test_a_formula_of_the_wrong_shape_or_sight_comes_with_a_way_out(parts, remedy):
    (finding,) = lint(changed(**parts))
    assert remedy in finding.remedy


TABLE = {"name": "m", "meaning": "", "shape": [10, 10], "values": [0.0] * 100, "source": "GIVEN"}
NESTED = "params.m"
for _ in range(8):  # ten times as many numbers each time
    NESTED = f"params.m[{NESTED}]"


@pytest.mark.parametrize(
    "parts",
    [
        {"parameters": [*kiosk().model_dump(mode="json")["parameters"], TABLE], "reward__0__formula": f"sum({NESTED})"},
        {"state__0__shape": [30_000, 30_000], "reward__0__formula": "sum(state.stock)"},
        {"action__terms__0__choices": 10**9},
    ],
    ids=["a formula", "the state", "the choices"],
)
def test_a_design_too_large_to_compute_is_only_read(parts):
    stockless = {"dynamics__laws": [], "episode__endings": [], "dynamics__invariants": []}
    dividing = {"observation__0__formula": "state.sold / state.asked", "action__terms__0__legal": "choice >= 0"}
    assert "design.no_value" not in {finding.check for finding in lint(changed(**stockless, **dividing, **parts))}


def test_every_finding_blames_the_design_and_says_what_to_do():
    for design, _, _ in BROKEN:
        for finding in lint(design):
            assert finding.blame is Blame.DESIGN
            assert finding.remedy


def test_every_rule_says_what_it_proves():
    assert all(rule.__doc__ for rule in RULES)
