"""How an episode starts: what the design says of every state that reset() gives, and of how they are spread."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kit.contracts.findings import Finding
from kit.contracts.formulas import Compiled, CompiledDraw, CompiledLaw, tolerances
from services.executor.inside.catalogue import define
from services.executor.inside.groups.design_state import NOT_FINITE
from services.executor.inside.groups.frames import Frame, column, first, frame_of, frames, not_finite, number, unequal
from services.executor.inside.groups.policies import play, policies
from services.executor.inside.subject import CannotSay, Subject

START = define(
    "start.condition",
    proves="Every state that reset() gives is as the design says that an episode starts, within 1e-6.",
    example="state.stock == params.start_stock, where reset() leaves the stock of the last episode",
    remedy="Correct the start state in reset() so that this condition holds for every seed.",
)
SPREAD = define(
    "start.spread",
    proves="What reset() draws comes near both ends of the design's range, and has its mean.",
    example="self.level = uniform(0, 50), where the design draws it from 0 to 100",
    remedy="Draw it in reset() from the whole range, by the design's distribution.",
)
RESETS = range(30_000, 30_400)  # seeds
SIDE_BY_SIDE = 50
NEAR = 0.05  # of the range
STANDARD_ERRORS = 6.0
FEWEST_OTHERS = 60  # episodes of RESETS that start elsewhere than most


def check_starts(subject: Subject) -> Iterator[Finding]:
    """Each condition, after every reset of what was played."""
    told: set[str] = set()
    for frame in frames(subject):
        for name, start in frame.program.starts.items():
            if name not in told:
                for finding in _start(subject, frame, start):
                    told.add(name)
                    yield finding


def _start(subject: Subject, frame: Frame, start: CompiledLaw) -> Iterator[Finding]:
    sides = _sides(frame, start)
    for side in sides:
        if (bad := not_finite(side)).any():
            row = first(bad)
            inputs = frame.inputs(start.left, row, frame.starting)
            yield NOT_FINITE.error(
                f"start {start.name} has no finite value", evidence=f"{frame.at_start(row)}; {inputs}"
            )
            return
    off = _broken(sides)
    if not off.any():
        return
    row = first(off)
    values = [number(side[row]) for side in sides]
    said = f": the left side is {values[0]}, the right side {values[1]}" if start.right else ""
    inputs = "; ".join(frame.inputs(side, row, frame.starting) for side in (start.left, start.right) if side)
    text = next(one.formula for one in frame.program.design.dynamics.starts if one.name == start.name)
    yield START.error(
        f"an episode does not start as start {start.name} says ({text}){said}",
        evidence=f"{frame.at_start(row)}; {inputs}; {int(off.sum())} of {len(off)} episodes",
        line=subject.line_of("reset"),
    )


def departures(frame: Frame) -> Iterator[tuple[str, np.ndarray]]:
    """(episodes,) in which a start does not hold; of one that is drawn, in which it is outside its range."""
    rows = len(frame.played.seeds)
    for name, start in frame.program.starts.items():
        yield f"start {name}", _broken(_sides(frame, start))
    for name, draw in frame.program.draws.items():
        if draw.low is not None and draw.high is not None:
            found, low, high = (
                column(part, frame.starting, rows).reshape(rows, -1) for part in (draw.formula, draw.low, draw.high)
            )
            yield f"the range of start {name}", _outside(found, low, high)


def _sides(frame: Frame, start: CompiledLaw) -> list[np.ndarray]:
    """Its values after every reset, of an equation those of both sides, in as many dimensions."""
    rows = len(frame.played.seeds)
    sides = [column(side, frame.starting, rows) for side in (start.left, start.right) if side is not None]
    rank = max(side.ndim for side in sides)
    return [side.reshape(rows, *(1,) * (rank - side.ndim), *side.shape[1:]) for side in sides]


def _broken(sides: list[np.ndarray]) -> np.ndarray:
    """(episodes,) in which the equation, or the condition, does not hold."""
    left, *right = sides
    return unequal(left, right[0], tolerances.REWARD) if right else (left.reshape(len(left), -1) == 0).any(axis=1)


def _outside(found: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """(episodes,) in which any part of (episodes, parts) is outside its range."""
    slack = tolerances.REWARD * np.maximum(1.0, np.abs(found))
    outside: np.ndarray = ((found < low - slack) | (found > high + slack)).any(axis=1)
    return outside


def check_draws(subject: Subject) -> Iterator[Finding]:
    """Of some hundred resets of their own: the range of what is drawn, then how it is spread over it.

    An even draw misses an outer twentieth in all of n = 400 episodes with a chance of 0.95 ** n = 1e-9, one of k <= 20
    whole numbers its last with (1 - 1/k) ** n, which is no more. By the central limit theorem a mean is 6 standard
    errors off with a chance of 2 * (1 - Phi(6)) = 2e-9. So a sound candidate with 100 numbers drawn, of which each is
    looked at in these three ways, is wronged with a chance below 1e-6. A slow candidate is spared what needs all n.
    """
    if subject.program is None or not subject.program.draws:
        return
    starts = list(_many_starts(subject))
    if not starts:
        raise CannotSay("no episode could be started")
    for draw in subject.program.draws.values():
        yield from _draw(subject, starts, draw)


def _many_starts(subject: Subject) -> Iterator[Frame]:
    policy = policies(subject)["random"]
    together = subject.affordable(SIDE_BY_SIDE)
    with subject.start() as candidate:
        for place in range(0, subject.affordable(len(RESETS)), together):
            played = play(subject, candidate, policy, RESETS[place : place + together], 1)
            if played.trajectories is not None:
                yield frame_of(subject, "random", played.trajectories)


def _draw(subject: Subject, starts: list[Frame], draw: CompiledDraw) -> Iterator[Finding]:
    """Only the first thing that is wrong with it."""

    def values(compiled: Compiled) -> np.ndarray:
        rows = [column(compiled, frame.starting, len(frame.played.seeds)) for frame in starts]
        joined = np.concatenate(rows)
        return joined.reshape(len(joined), -1)

    found = values(draw.formula)
    if not np.isfinite(found).all():
        yield NOT_FINITE.error(f"start {draw.name} has no finite value")
        return
    seeds = np.concatenate([frame.played.seeds for frame in starts])
    line, evidence = subject.line_of("reset"), f"{len(found)} episodes, seeds {seeds[0]} to {seeds[-1]}"
    every = len(found) == len(RESETS)
    if draw.low is not None and draw.high is not None:
        low, high = values(draw.low), values(draw.high)
        outside = _outside(found, low, high)
        if outside.any():
            row = first(outside)
            yield START.error(
                f"an episode starts with {draw.formula.text} = {number(found[row].squeeze())}, where the design draws "
                f"it {_span(low[row], high[row])}",
                evidence=f"reset(seed={seeds[row]}); {int(outside.sum())} of {evidence}",
                line=line,
            )
            return
        if every and (missed := _missed_end(found, low, high)):
            yield SPREAD.error(
                f"{draw.formula.text} {missed}, the design draws it {_span(low[0], high[0])}",
                evidence=evidence,
                line=line,
            )
            return
    if every and draw.mean is not None and (off := _off_mean(found, values(draw.mean), draw.low is not None)):
        yield SPREAD.error(f"{draw.formula.text} starts at {off}", evidence=evidence, line=line)


def _missed_end(found: np.ndarray, low: np.ndarray, high: np.ndarray) -> str:
    """Which end no episode came near, in words; all are (episodes, parts)."""
    margin = NEAR * (high - low)
    for end, near in (("low", found <= low + margin), ("high", found >= high - margin)):
        if not near.any(axis=0).all():
            part = first(~near.any(axis=0))
            return f"never starts near its {end} end: it was {found[:, part].min():.6g} to {found[:, part].max():.6g}"
    return ""


def _off_mean(found: np.ndarray, mean: np.ndarray, even: bool) -> str:
    """How far the mean of a part is off, in words; both are (episodes, parts).

    even: the draw is said to be spread evenly. Of any other one that hardly varies nothing is said, since what would
    make up for it may be too rare to be seen.
    """
    off = found - mean
    error = off.std(axis=0) / np.sqrt(len(off))
    allowed = np.maximum(STANDARD_ERRORS * error, tolerances.REWARD * np.maximum(1.0, np.abs(mean).max(axis=0)))
    for part in np.flatnonzero(np.abs(off.mean(axis=0)) > allowed):
        values, times = np.unique(found[:, part], return_counts=True)
        if even or len(found) - times.max() >= FEWEST_OTHERS:
            expected = np.broadcast_to(mean, found.shape)[:, part].mean()
            return (
                f"{found[:, part].mean():.6g} on average, the design expects {expected:.6g} "
                f"({len(values)} different values, standard error {error[part]:.3g})"
            )
    return ""


def _span(low: np.ndarray, high: np.ndarray) -> str:
    return f"from {number(low.squeeze())} to {number(high.squeeze())}"
