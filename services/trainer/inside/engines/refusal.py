"""How the fast engine says that it can't run a model, or can't go on with it."""

from __future__ import annotations

from services.trainer.inside.hyperparameters import HyperparameterRefused


class DoesNotApply(ValueError):
    """The fast engine can't run this model; the message is a clause that says why."""


class Diverged(HyperparameterRefused):
    """The networks' numbers are no longer finite, so there is nothing left to learn with."""

    def __init__(self, steps: int, learning_rate: float) -> None:
        super().__init__(
            f"after {steps:,} steps the networks' numbers are no longer finite: a learning_rate of {learning_rate:g} "
            "is too high for these observations and rewards"
        )
