"""Early stopping, where it is asked for: training ends when its evaluations have flattened."""

from __future__ import annotations

from collections.abc import Sequence

from stable_baselines3.common.callbacks import BaseCallback

from kit.contracts.outcomes import Evaluation


class Stopping(BaseCallback):  # type: ignore[misc]
    """As the library's StopTrainingOnNoModelImprovement, but it has no state: a resumed training stops where an
    unbroken one would."""

    def __init__(self, patience: int, done: Sequence[Evaluation]) -> None:
        """patience: evaluations in a row without a better one; 0: it never stops."""
        super().__init__()
        self._patience = patience
        self._done = done

    @property
    def why(self) -> str:
        """Why training ends; empty while it goes on."""
        if not flattened(self._done, self._patience):
            return ""
        return f"the mean reward on the validation seeds had not improved in {self._patience} evaluations (early_stop)"

    def _on_step(self) -> bool:
        return not self.why


def flattened(done: Sequence[Evaluation], patience: int) -> bool:
    """Whether the best of this level's evaluations is `patience` evaluations old."""
    if not patience or not done:
        return False
    rewards = [one.mean_reward for one in done if one.level == done[-1].level]
    return len(rewards) - 1 - rewards.index(max(rewards)) >= patience
