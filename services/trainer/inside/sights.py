"""Sights: observations of every kind, between flat rows (all terms side by side) and what networks are given."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from kit.contracts.design import EnvDesign, ObservationKind, ObservationTerm
from kit.contracts.formulas import Program, Values, moments
from kit.contracts.formulas.batches import Batch
from services.trainer.inside.rows import Layout

OBS = "obs"
MOST_BYTES = 256 * 2**20  # of observations at once


def inputs(design: EnvDesign, rows: Batch) -> dict[str, np.ndarray]:
    """What policy.onnx is given of these (rows, total) observations, by input.

    `obs`: float32 (rows, n) of a VECTOR, uint8 (rows, height, width, channels) of an IMAGE. Of a DICT one
    input a key, `obs.NAME`, of the same kinds.
    """
    if design.observation_kind is ObservationKind.VECTOR:
        return {OBS: rows.astype(np.float32)}
    given: dict[str, np.ndarray] = {}
    start = 0
    for term in design.observation:
        given[input_of(design, term)] = _shaped(term, rows[:, start : start + term.size])
        start += term.size
    return given


def observed(program: Program, layout: Layout, rows: Batch) -> Values:
    """obs.<term> of these logged rows; images by formula from the state, where a transition formula reads them."""
    read = program.read_by_transitions
    return {
        f"{OBS}.{name}": part[:, 0] if part.shape[1] == 1 else part
        for name, part in _parts(program, layout, rows, read)
    }


def visited(program: Program, layout: Layout, rows: Batch) -> Batch:
    """(rows, total): the observations of the last of these logged rows, as many as fit in MOST_BYTES."""
    width = sum(term.size for term in program.design.observation)
    last = rows[-max(MOST_BYTES // (8 * width), 1) :]
    return np.concatenate([part for _, part in _parts(program, layout, last, None)], axis=1)


def _parts(program: Program, layout: Layout, rows: Batch, read: frozenset[str] | None) -> Iterator[tuple[str, Batch]]:
    """(name, (rows, size)) of each term; without the images that are not among `read`."""
    recorded, start = rows[:, layout.observation], 0
    for term in program.design.observation:
        compiled = program.observation[term.name]
        if term.image is None:
            yield term.name, recorded[:, start : start + term.size]
            start += term.size
        elif compiled is not None and (read is None or f"{OBS}.{term.name}" in read):
            drawn = compiled(moments(layout.params(rows), layout.state_columns(rows)))
            drawn = np.clip(drawn.reshape(len(drawn), -1), term.low, term.high)
            yield term.name, np.broadcast_to(drawn, (len(rows), term.size))


def input_of(design: EnvDesign, term: ObservationTerm) -> str:
    """The name of the input that the term is, or stands in."""
    return f"{OBS}.{term.name}" if design.observation_kind is ObservationKind.DICT else OBS


def observations(design: EnvDesign, given: dict[str, np.ndarray]) -> Any:
    """The inputs as a model of Stable-Baselines3 takes a batch of observations."""
    if design.observation_kind is ObservationKind.DICT:
        return {name.removeprefix(f"{OBS}."): batch for name, batch in given.items()}
    return given[OBS]


def keys(design: EnvDesign) -> tuple[str, ...]:
    """Of a dict observation, in the order of the flat row; () for the other kinds."""
    return tuple(term.name for term in design.observation) if design.observation_kind is ObservationKind.DICT else ()


def _shaped(term: ObservationTerm, part: Batch) -> np.ndarray:
    if term.image is None:
        return part.astype(np.float32)
    return np.clip(np.round(part), 0, 255).astype(np.uint8).reshape(len(part), *term.image.shape)
