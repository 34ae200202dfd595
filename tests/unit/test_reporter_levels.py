"""What the report says of a curriculum: when which level was reached, and whether the policy ever met the real task."""

from __future__ import annotations

import pytest

from kit.contracts.design import EnvDesign, Level, ParameterOverride
from kit.prose import Prose
from services.reporter.claims import Claims
from services.reporter.material import Material
from services.reporter.reporting import PROSE
from services.reporter.sections import page
from tests.unit.reports import WARD, report, training

PARAMETER = next(one for one in WARD.design.parameters if len(one.values) == 1)
EASY, HARDER = 0.5 * PARAMETER.values[0], 0.75 * PARAMETER.values[0]


def level(name: str, value: float, opens_next_at: float | None = None) -> Level:
    override = ParameterOverride(name=PARAMETER.name, values=(value,))
    return Level(name=name, overrides=(override,), opens_next_at=opens_next_at)


TWO = (level("easy", EASY, 6000.0), level("harder", HARDER, 5500.0))


def written(curriculum: tuple[Level, ...], followed: tuple[str, ...]) -> str:
    """The report of a training whose evaluations, 10,000 steps apart, were at these levels."""
    said = training().evaluations[: len(followed)]
    evaluations = tuple(
        one.model_copy(
            update={"timesteps": 10_000 * n, "level": name, "level_primary": None if name == "nominal" else 7000.0 - n}
        )
        for n, (one, name) in enumerate(zip(said, followed, strict=True), 1)
    )
    design = EnvDesign.model_validate(
        WARD.design.model_dump() | {"curriculum": [one.model_dump() for one in curriculum]}
    )
    outcome = report().outcome.model_copy(
        update={"training": training().model_copy(update={"evaluations": evaluations})}
    )
    return " ".join(page(Material(report(design=design, outcome=outcome), Claims()), Prose(PROSE)).split())


def test_each_level_stands_with_the_steps_in_which_training_was_there_and_its_metric_there() -> None:
    text = written(TWO, ("easy", "easy", "harder", "nominal", "nominal"))
    assert "| 6,000 | 0 | 20,000 | 6,999 to 6,998 |" in text
    assert "| 5,500 | 20,000 | 30,000 | 6,997 |" in text
    assert "| nominal | the design's own values | – | 30,000 | 50,000 | – |" in text


@pytest.mark.parametrize(
    ("curriculum", "followed", "said"),
    [
        (TWO, ("easy", "harder", "nominal", "nominal"), "at the last level, nominal, from step 20,000 on: 50 % of its"),
        (TWO, ("easy", "easy"), "**The last level, nominal, was never reached:** training ended at the level easy"),
        (TWO, ("easy", "harder"), "ended at the level harder, so the policy never trained on the real task"),
        # A level that opens no other is the last, whatever it sets.
        (
            (level("easy", EASY, 6000.0), level("hard", HARDER)),
            ("easy", "hard"),
            f"**But hard sets `{PARAMETER.name}` to other values than the design's own,** so the policy never trained",
        ),
    ],
)
def test_the_report_says_whether_the_policy_ever_trained_on_the_real_task(curriculum, followed, said) -> None:
    assert said in written(curriculum, followed)


def test_a_last_level_with_the_designs_own_values_is_the_real_task() -> None:
    text = written((level("easy", EASY, 6000.0), level("real", PARAMETER.values[0])), ("easy", "real"))
    assert "at the last level, real, from step 10,000 on" in text
    assert "other values than the design's own" not in text


def test_without_a_curriculum_nothing_is_said_of_levels() -> None:
    assert "levels of the curriculum" not in written((), ("", ""))
