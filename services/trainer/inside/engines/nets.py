"""Nets: multilayer perceptrons in NumPy, forward and backward, on the flat vectors of Flat.

Blocks are (copies, features, rows): a batch's rows lie along the last axis, so that sums over features
and choices run over whole vectors, and networks of one shape are computed as copies in one call.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from torch import nn

from services.trainer.inside.engines.flat import Flat, Floats, Piece


@dataclass(frozen=True)
class _Block:
    """What one layer needs for one number of rows."""

    out: Floats
    slope: Floats
    positive: NDArray[np.bool_]  # where a ReLU let through
    ones: Floats


class Mlp:
    """`layers` are (weights (copies, out, in), biases (copies, out)); squash: after each but, unless `to_the_end`,
    the last."""

    def __init__(self, layers: Sequence[tuple[Piece, Piece]], squash: type[nn.Module], to_the_end: bool) -> None:
        self._layers = layers
        self._tanh = squash is nn.Tanh
        self._squashed = len(layers) if to_the_end else len(layers) - 1
        self.width = layers[-1][0].values.shape[1]
        self._blocks: dict[int, list[_Block]] = {}
        self._inputs: Floats
        self._used: list[_Block]

    def forward(self, inputs: Floats) -> Floats:
        """From (features, rows) or (copies, features, rows). The result is overwritten by the next call."""
        rows = inputs.shape[-1]
        if rows not in self._blocks:
            self._blocks[rows] = self._new_blocks(rows)
        self._used = self._blocks[rows]
        self._inputs = hidden = inputs
        for number, ((weights, biases), block) in enumerate(zip(self._layers, self._used, strict=True)):
            out = block.out
            np.matmul(weights.values, hidden, out=out)
            out += biases.values[:, :, None]
            if number < self._squashed:
                if self._tanh:
                    np.tanh(out, out=out)
                else:
                    np.maximum(out, 0.0, out=out)
            hidden = out
        return hidden

    def backward(self, slope: Floats, gradients: bool = True, to_inputs: Floats | None = None) -> None:
        """Once for each forward, which it uses up. slope: of the loss by the forward's result; overwritten too.

        to_inputs: where the slope by the inputs goes.
        """
        for number in reversed(range(len(self._layers))):
            (weights, biases), block = self._layers[number], self._used[number]
            if number < self._squashed:
                if self._tanh:
                    np.multiply(block.out, block.out, out=block.out)
                    np.subtract(1.0, block.out, out=block.out)
                    slope *= block.out
                else:
                    np.greater(block.out, 0.0, out=block.positive)
                    slope *= block.positive
            inputs = self._used[number - 1].out if number else self._inputs
            if gradients:
                np.matmul(slope, inputs.swapaxes(-1, -2), out=weights.gradients)
                np.matmul(slope, block.ones, out=biases.gradients[:, :, None])  # a sum over the rows
            before = self._used[number - 1].slope if number else to_inputs
            if before is not None:
                product = np.multiply if weights.values.shape[1] == 1 else np.matmul
                product(weights.values.swapaxes(-1, -2), slope, out=before)
                slope = before

    def _new_blocks(self, rows: int) -> list[_Block]:
        shapes = [(*weights.values.shape[:2], rows) for weights, _ in self._layers]
        ones = np.ones((rows, 1), np.float32)
        return [
            _Block(np.empty(shape, np.float32), np.empty(shape, np.float32), np.empty(shape, bool), ones)
            for shape in shapes
        ]


def linears(net: nn.Sequential) -> list[nn.Linear]:
    return [layer for layer in net if isinstance(layer, nn.Linear)]


def side_by_side(flat: Flat, nets: Sequence[Sequence[nn.Linear]]) -> list[tuple[Piece, Piece]]:
    """The layers of several networks of one shape, as copies."""
    return [
        (flat.piece(*[layer.weight for layer in level]), flat.piece(*[layer.bias for layer in level]))
        for level in zip(*nets, strict=True)
    ]


def in_order(nets: Sequence[Sequence[nn.Linear]]) -> list[nn.Parameter]:
    """The parameters of several networks in the order in which side_by_side finds them neighbours."""
    return [
        parameter
        for level in zip(*nets, strict=True)
        for parameter in [layer.weight for layer in level] + [layer.bias for layer in level]
    ]


def plain(net: nn.Module, squash: type[nn.Module]) -> bool:
    """Linear, squash, linear, squash ... and nothing else."""
    if not isinstance(net, nn.Sequential) or not len(net):
        return False
    return all(type(layer) is (nn.Linear if i % 2 == 0 else squash) for i, layer in enumerate(net))
