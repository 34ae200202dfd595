"""The functions of the language: for each, how many arguments, what shape, and whether whole numbers stay whole."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from kit.contracts.design.parameters import Shape
from kit.contracts.formulas import batches
from kit.contracts.formulas.batches import Operation


@dataclass(frozen=True)
class Function:
    """One function. whole: given which arguments are whole, whether the result is."""

    arguments: tuple[int, int]  # at least, at most
    operation: Operation
    whole: Callable[[Sequence[bool]], bool]
    reduces: bool = False  # to one number

    def shape(self, shapes: Sequence[Shape]) -> Shape:
        """Raises ValueError where the shapes don't broadcast."""
        return () if self.reduces else tuple(np.broadcast_shapes(*shapes))


def _never(whole: Sequence[bool]) -> bool:
    return False


def _always(whole: Sequence[bool]) -> bool:
    return True


def _left_fold(operation: Callable[..., batches.Batch]) -> Operation:
    def folded(first: batches.Batch, *rest: batches.Batch) -> batches.Batch:
        result = first
        for other in rest:
            result = operation(result, other)
        return result

    return folded


FUNCTIONS: dict[str, Function] = {
    "where": Function((3, 3), batches.where, lambda whole: whole[1] and whole[2]),
    "clip": Function((3, 3), lambda x, low, high: np.minimum(np.maximum(x, low), high), all),
    "abs": Function((1, 1), np.abs, all),
    "sqrt": Function((1, 1), np.sqrt, _never),
    "exp": Function((1, 1), np.exp, _never),
    "log": Function((1, 1), np.log, _never),
    "sin": Function((1, 1), np.sin, _never),
    "cos": Function((1, 1), np.cos, _never),
    "floor": Function((1, 1), np.floor, _always),
    "ceil": Function((1, 1), np.ceil, _always),
    "round": Function((1, 1), np.round, _always),  # half to even, as Python's and NumPy's
    "sum": Function((1, 1), batches.reducing(np.sum), all, reduces=True),
    "mean": Function((1, 1), batches.reducing(np.mean), _never, reduces=True),
    "any": Function((1, 1), batches.truth(np.any), _always, reduces=True),
    "all": Function((1, 1), batches.truth(np.all), _always, reduces=True),
    "argmin": Function((1, 1), batches.reducing(np.argmin), _always, reduces=True),
    "argmax": Function((1, 1), batches.reducing(np.argmax), _always, reduces=True),
}

# With one argument these reduce; with several they work element by element.
REDUCE_OR_PAIR: dict[str, tuple[Function, Function]] = {
    "min": (
        Function((1, 1), batches.reducing(np.min), all, reduces=True),
        Function((2, 16), _left_fold(np.minimum), all),
    ),
    "max": (
        Function((1, 1), batches.reducing(np.max), all, reduces=True),
        Function((2, 16), _left_fold(np.maximum), all),
    ),
}


def function_named(name: str, arguments: int) -> Function | None:
    """The function for that many arguments, or None where there is none of that name."""
    if name in REDUCE_OR_PAIR:
        return REDUCE_OR_PAIR[name][0 if arguments == 1 else 1]
    return FUNCTIONS.get(name)


ALL_NAMES = frozenset(FUNCTIONS) | frozenset(REDUCE_OR_PAIR) | {"arange", "pick"}
