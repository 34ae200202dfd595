"""Flat: torch parameters and their Adam laid on flat float32 vectors that torch and NumPy both see."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np
import torch
from numpy.typing import NDArray

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Piece:
    """Neighbours of one shape, side by side: (count, *shape), views into the flat vectors."""

    values: Floats
    gradients: Floats


class Flat:
    """The module keeps its parameters and the optimizer its state; only where they lie changes.

    So saving, loading and predicting stay the library's own, and a step of Adam is a dozen calls in all.
    """

    def __init__(self, parameters: list[torch.nn.Parameter], optimizer: torch.optim.Optimizer | None = None) -> None:
        """optimizer: None where nothing is learned, as in a target network."""
        self._parameters, self._optimizer = parameters, optimizer
        if optimizer is not None:
            (self._group,) = optimizer.param_groups
            assert {id(p) for p in self._group["params"]} == {id(p) for p in parameters}
        self._starts = np.cumsum([0] + [p.numel() for p in parameters]).tolist()
        size = self._starts[-1]
        self.values, self.gradients = np.zeros(size, np.float32), np.zeros(size, np.float32)
        self._first, self._second = np.zeros(size, np.float32), np.zeros(size, np.float32)
        self._scratch = np.zeros(size, np.float32)
        self._steps = np.zeros(len(parameters), np.float32)
        # Torch's views, kept to see whether somebody has replaced what they look at.
        self._of_values = [self._share(self.values, i) for i in range(len(parameters))]
        self._of_first = [self._share(self._first, i) for i in range(len(parameters))]
        self._of_second = [self._share(self._second, i) for i in range(len(parameters))]
        self._of_steps = [torch.from_numpy(self._steps)[i] for i in range(len(parameters))]
        self.bind()

    def piece(self, *neighbours: torch.nn.Parameter) -> Piece:
        """The parameters given, which lie side by side and have one shape."""
        at = next(i for i, p in enumerate(self._parameters) if p is neighbours[0])
        assert all(p is q for p, q in zip(self._parameters[at:], neighbours, strict=False))
        part = slice(self._starts[at], self._starts[at + len(neighbours)])
        shape = (len(neighbours), *neighbours[0].shape)
        return Piece(self.values[part].reshape(shape), self.gradients[part].reshape(shape))

    def bind(self) -> None:
        """Take over again what was replaced: loading an optimizer's state, for one, brings tensors of its own, and a
        group of its own, with the learning rate."""
        if self._optimizer is not None:
            (self._group,) = self._optimizer.param_groups
        for i, parameter in enumerate(self._parameters):
            if parameter.data_ptr() != self._of_values[i].data_ptr():
                self._of_values[i].copy_(parameter.data)
                parameter.data = self._of_values[i]
            if self._optimizer is not None:
                self._bind_state(self._optimizer.state[parameter], i)

    def clip(self, most: float) -> None:
        """As torch's clip_grad_norm_."""
        norm = sqrt(float(np.dot(self.gradients, self.gradients)))
        if (share := most / (norm + 1e-6)) < 1.0:
            self.gradients *= np.float32(share)

    def adam(self) -> None:
        """One step of torch's Adam, with the optimizer's own settings."""
        (low, high), rate, epsilon = self._group["betas"], self._group["lr"], self._group["eps"]
        self._steps += 1.0
        step = float(self._steps[0])
        correction = sqrt(1.0 - high**step)
        gradients, first, second, scratch = self.gradients, self._first, self._second, self._scratch
        np.subtract(gradients, first, out=scratch)
        scratch *= 1.0 - low
        first += scratch
        np.multiply(gradients, gradients, out=scratch)
        scratch *= 1.0 - high
        second *= high
        second += scratch
        np.sqrt(second, out=scratch)
        scratch += epsilon * correction
        np.divide(first, scratch, out=scratch)
        scratch *= rate * correction / (1.0 - low**step)
        self.values -= scratch

    @property
    def rate(self) -> float:
        """The learning rate in force."""
        return float(self._group["lr"])

    def finite(self) -> bool:
        """Whether all parameters are numbers still."""
        return bool(np.isfinite(self.values.sum()))

    def _bind_state(self, state: dict[str, torch.Tensor], at: int) -> None:
        if state.get("exp_avg") is self._of_first[at]:
            return
        self._steps[at] = float(state.get("step", 0.0))
        for name, ours in (("exp_avg", self._of_first[at]), ("exp_avg_sq", self._of_second[at])):
            if name in state:
                ours.copy_(state[name])
            else:
                ours.zero_()
            state[name] = ours
        state["step"] = self._of_steps[at]

    def _share(self, vector: Floats, at: int) -> torch.Tensor:
        part = vector[self._starts[at] : self._starts[at + 1]]
        return torch.from_numpy(part).view(self._parameters[at].shape)


def adam_is_plain(optimizer: torch.optim.Optimizer) -> bool:
    """Whether Flat.adam does all that this optimizer does."""
    if type(optimizer) is not torch.optim.Adam or len(optimizer.param_groups) != 1:
        return False
    group = optimizer.param_groups[0]
    extras = ("weight_decay", "amsgrad", "maximize", "capturable", "differentiable", "fused")
    return not any(group.get(extra) for extra in extras)
