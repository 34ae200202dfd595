"""Domain randomisation: every episode with parameters drawn evenly from the design's ranges, recorded with it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import gymnasium
import numpy as np
from numpy.typing import NDArray

from kit.contracts.design import EnvDesign
from services.trainer.inside.candidate import Maker

Draws = Mapping[str, np.ndarray]

MOST_SEED: Final = 2**31


def draw(design: EnvDesign, random: np.random.Generator) -> Draws:
    """name -> `shape`, each number by itself, evenly from [low, high]; only those that have a range."""
    return {
        one.name: np.asarray(random.uniform(one.low, one.high, one.shape))
        for one in design.parameters
        if one.low is not None and one.high is not None
    }


def flat(design: EnvDesign, draws: Draws) -> NDArray[np.float64]:
    """All numbers that vary, in the design's order; the nominal ones where nothing was drawn."""
    parts = [draws.get(one.name, one.array).ravel() for one in design.varied]
    return np.concatenate(parts) if parts else np.empty(0)


def arguments(draws: Draws) -> dict[str, object]:
    """For the environment's constructor."""
    return {name: numbers.tolist() for name, numbers in draws.items()}


class Randomised(gymnasium.Wrapper):  # type: ignore[misc]
    """Makes the environment anew at each reset. A seed makes this episode and all after it the same again."""

    def __init__(self, make: Maker) -> None:
        super().__init__(make())
        self.env: gymnasium.Env
        self._make = make
        self._random = np.random.default_rng()
        self.fixed: Draws = {}  # by the level of the curriculum; it is drawn no more
        self.drawn = flat(make.design, {})  # of the episode that runs

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        if seed is not None:
            self._random = np.random.default_rng(seed)
        draws = {**draw(self._make.design, self._random), **self.fixed}
        self.drawn = flat(self._make.design, draws)
        self.env.close()
        self.env = self._make.with_arguments(arguments(draws))()
        seen: tuple[Any, dict[str, Any]] = self.env.reset(seed=int(self._random.integers(MOST_SEED)), options=options)
        return seen
