"""Designs for tests: those of tests/designs, written by hand, and a tiny one whose figures are worked out by hand."""

from __future__ import annotations

from pathlib import Path

from kit.contracts.design import (
    ActionKind,
    ActionSpec,
    ActionTerm,
    Aggregate,
    Baseline,
    BaselineTerm,
    Direction,
    Dynamics,
    EnvDesign,
    Episode,
    EpisodeEnding,
    Expectation,
    Fit,
    FitVerdict,
    Invariant,
    Law,
    Metric,
    ObservationTerm,
    Parameter,
    RewardComponent,
    Source,
    Start,
    StateVariable,
    VariableKind,
)

TRIED = sorted((Path(__file__).parent.parent / "designs").glob("*.json"))


def tried(path: Path) -> EnvDesign:
    return EnvDesign.model_validate_json(path.read_text())


def kiosk() -> EnvDesign:
    """A kiosk buys 0, 1 or 2 papers each morning and sells what is asked for; leftovers stay."""
    return EnvDesign(
        name="kiosk",
        title="A newspaper kiosk",
        summary="Buy papers each morning, sell them by day.",
        fit=Fit(verdict=FitVerdict.RL, why="Stock carries over."),
        parameters=(
            Parameter(name="room", meaning="papers it holds", values=(5,), source=Source.GIVEN),
            Parameter(
                name="price", meaning="of a paper", unit="euro", values=(2.5,), source=Source.ASSUMED, why="usual"
            ),
            Parameter(name="demand", meaning="mean a day", values=(1.5,), source=Source.ASSUMED, why="a guess"),
        ),
        state=(
            StateVariable(name="stock", meaning="after the day", kind=VariableKind.WHOLE, low=0, high=5),
            StateVariable(name="sold", meaning="that day", kind=VariableKind.WHOLE, low=0, high=5, flow=True),
            StateVariable(name="asked", meaning="that day", kind=VariableKind.WHOLE, low=0, high=99, flow=True),
        ),
        observation=(
            ObservationTerm(name="stock", meaning="share", low=0, high=1, formula="state.stock / params.room"),
        ),
        action=ActionSpec(
            kind=ActionKind.DISCRETE,
            terms=(ActionTerm(name="buy", meaning="papers", choices=3, legal="choice <= params.room - state.stock"),),
            illegal="What does not fit is sent back.",
        ),
        dynamics=Dynamics(
            steps=("Papers arrive.", "Readers come."),
            step_unit="day",
            laws=(
                Law(name="stock", formula="state.stock == min(params.room, prev.stock + action.buy) - state.sold"),
                Law(name="sold", formula="state.sold <= state.asked"),
            ),
            invariants=(Invariant(name="fits", formula="state.stock <= params.room"),),
            starts=(Start(name="stock", formula="state.stock", low="0", high="params.room"),),
            expected=(Expectation(name="asked", formula="state.asked", mean="params.demand"),),
        ),
        reward=(
            RewardComponent(
                name="sales", meaning="takings", formula="params.price * state.sold", weight=1, low=0, high=12.5
            ),
            RewardComponent(name="bought", meaning="costs", formula="action.buy", weight=-1, low=0, high=2),
        ),
        episode=Episode(
            step_limit=4,
            endings=(EpisodeEnding(name="full", formula="state.stock == 5", success=False),),
            start="Empty.",
        ),
        metrics=(
            Metric(
                name="profit",
                meaning="a day",
                formula="params.price * state.sold - action.buy",
                aggregate=Aggregate.MEAN,
                direction=Direction.HIGHER,
            ),
            Metric(
                name="service",
                meaning="asked for and got",
                formula="state.sold",
                per="state.asked",
                aggregate=Aggregate.RATIO,
                direction=Direction.HIGHER,
            ),
        ),
        baselines=(
            Baseline(
                name="refill",
                meaning="buy when less than half full",
                terms=(BaselineTerm(term="buy", formula="where(obs.stock < 0.5, 2, 0)"),),
            ),
        ),
    )
