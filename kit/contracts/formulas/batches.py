"""Arithmetic on batches: every value is float64 of shape (rows, *shape), one row for each moment in time.

Evaluating a whole trajectory at once is what makes checking every step against every formula
cheap. NaN marks a value that does not exist (0/0, an index out of bounds); it travels through
arithmetic and comparison, so it can only disappear in a branch that was not selected.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Batch = NDArray[np.float64]
Operation = Callable[..., Batch]


def align(batch: Batch, rank: int) -> Batch:
    """Add axes behind the row axis, so that shapes broadcast from the right as in NumPy."""
    missing = rank - (batch.ndim - 1)
    if missing <= 0:
        return batch
    return batch.reshape(batch.shape[:1] + (1,) * missing + batch.shape[1:])


def flat(batch: Batch) -> Batch:
    """(rows, everything else)."""
    return batch.reshape(batch.shape[0], -1)


def comparing(compare: Callable[[Any, Any], Any]) -> Operation:
    """1 or 0, and NaN where either side is not a number."""

    def operation(left: Batch, right: Batch) -> Batch:
        unknown = np.isnan(left) | np.isnan(right)
        result: Batch = compare(left, right).astype(np.float64)
        if unknown.any():
            result = np.where(unknown, np.nan, result)
        return result

    return operation


def both(left: Batch, right: Batch) -> Batch:
    """Kleene's and: false if either is false, whatever the other is."""
    unknown = np.isnan(left) | np.isnan(right)
    result: Batch = ((left != 0) & (right != 0)).astype(np.float64)
    if not unknown.any():
        return result
    return np.where((left == 0) | (right == 0), 0.0, np.where(unknown, np.nan, result))


def either(left: Batch, right: Batch) -> Batch:
    """Kleene's or: true if either is true, whatever the other is."""
    return negate(both(negate(left), negate(right)))


def negate(batch: Batch) -> Batch:
    return np.where(np.isnan(batch), np.nan, (batch == 0).astype(np.float64))


def where(condition: Batch, yes: Batch, no: Batch) -> Batch:
    chosen = np.where(condition != 0, yes, no)
    unknown = np.isnan(condition)
    return np.where(unknown, np.nan, chosen) if unknown.any() else chosen


def take(batch: Batch, index: Batch) -> Batch:
    """batch[index] along its first axis behind the rows; NaN where the index is not whole or not in bounds."""
    size = batch.shape[1]
    good = (index >= 0) & (index < size) & (index == np.floor(index))
    safe = np.where(good, index, 0).astype(np.intp)
    rows = max(batch.shape[0], index.shape[0])
    row = np.arange(rows).reshape((rows,) + (1,) * (index.ndim - 1))
    picked = np.broadcast_to(batch, (rows, *batch.shape[1:]))[row, np.broadcast_to(safe, (rows, *safe.shape[1:]))]
    if good.all():
        return picked
    good = np.broadcast_to(good, (rows, *good.shape[1:]))
    return np.where(good.reshape(good.shape + (1,) * (picked.ndim - good.ndim)), picked, np.nan)


def pick(matrix: Batch, i: Batch, j: Batch) -> Batch:
    """matrix[i, j], element by element over i and j."""
    columns = matrix.shape[2]
    bad = ~((j >= 0) & (j < columns))
    flattened = matrix.reshape(matrix.shape[0], -1)
    return take(flattened, np.where(bad, np.nan, i * columns + j))


def reducing(reduce: Callable[..., Any]) -> Operation:
    """One number a row; NaN if any element is."""

    def operation(batch: Batch) -> Batch:
        values = flat(batch)
        result = np.asarray(reduce(values, axis=1), dtype=np.float64)
        unknown = np.isnan(values).any(axis=1)
        return np.where(unknown, np.nan, result) if unknown.any() else result

    return operation


def truth(reduce: Callable[..., Any]) -> Operation:
    return reducing(lambda values, axis: reduce(values != 0, axis=axis))
