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
from services.executor.inside.subject import Subject

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
RESETS = range(30_000, 30_200)  # seeds
SIDE_BY_SIDE = 50
NEAR = 0.1  # of the range


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
    rows = len(frame.played.seeds)
    sides = [column(side, frame.starting, rows) for side in (start.left, start.right) if side is not None]
    for side in sides:
        if (bad := not_finite(side)).any():
            row = first(bad)
            inputs = frame.inputs(start.left, row, frame.starting)
            yield NOT_FINITE.error(
                f"start {start.name} has no finite value", evidence=f"{frame.at_start(row)}; {inputs}"
            )
            return
    rank = max(side.ndim for side in sides)
    left, *right = (side.reshape(rows, *(1,) * (rank - side.ndim), *side.shape[1:]) for side in sides)
    off = unequal(left, right[0], tolerances.REWARD) if right else (left.reshape(rows, -1) == 0).any(axis=1)
    if not off.any():
        return
    row = first(off)
    said = f": the left side is {number(left[row])}, the right side {number(right[0][row])}" if right else ""
    inputs = "; ".join(frame.inputs(side, row, frame.starting) for side in (start.left, start.right) if side)
    text = next(one.formula for one in frame.program.design.dynamics.starts if one.name == start.name)
    yield START.error(
        f"an episode does not start as start {start.name} says ({text}){said}",
        evidence=f"{frame.at_start(row)}; {inputs}; {int(off.sum())} of {rows} episodes",
        line=subject.line_of("reset"),
    )


def check_draws(subject: Subject) -> Iterator[Finding]:
    """Of some hundred resets of their own.

    An even draw misses an outer tenth in 200 episodes with a chance of 0.9 ** 200 = 7e-10, one of k <= 10 whole numbers
    its last with (1 - 1/k) ** 200 <= 7e-10. A mean may be EXPECTATION_Z standard errors off: a chance of 6e-7, by the
    central limit theorem.
    """
    if subject.program is None or not subject.program.draws:
        return
    starts = list(_many_starts(subject))
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
    def values(compiled: Compiled) -> np.ndarray:
        rows = [column(compiled, frame.starting, len(frame.played.seeds)) for frame in starts]
        joined = np.concatenate(rows)
        return joined.reshape(len(joined), -1)

    found = values(draw.formula)
    low, high, mean = (None if part is None else values(part) for part in (draw.low, draw.high, draw.mean))
    if not np.isfinite(found).all():
        yield NOT_FINITE.error(f"start {draw.name} has no finite value")
        return
    line, seeds = subject.line_of("reset"), np.concatenate([frame.played.seeds for frame in starts])
    evidence = f"{len(found)} episodes, seeds {seeds[0]} to {seeds[-1]}"
    if low is not None and high is not None:
        slack = tolerances.REWARD * np.maximum(1.0, np.abs(found))
        outside = ((found < low - slack) | (found > high + slack)).any(axis=1)
        if outside.any():
            row = first(outside)
            yield START.error(
                f"an episode starts with {draw.formula.text} = {number(found[row].squeeze())}, where the design draws "
                f"it {_span(low[row], high[row])}",
                evidence=f"reset(seed={seeds[row]}); {int(outside.sum())} of {evidence}",
                line=line,
            )
            return
        for end, near in (("low", found <= low + NEAR * (high - low)), ("high", found >= high - NEAR * (high - low))):
            if len(found) == len(RESETS) and not near.any(axis=0).all():
                part = first(~near.any(axis=0))
                yield SPREAD.error(
                    f"{draw.formula.text} never starts near its {end} end: it was {found[:, part].min():.6g} to "
                    f"{found[:, part].max():.6g}, the design draws it {_span(low[0], high[0])}",
                    evidence=evidence,
                    line=line,
                )
                return
    if mean is not None:
        off = found - mean
        error = off.std(axis=0) / np.sqrt(len(found))
        wrong = np.abs(off.mean(axis=0)) > np.maximum(tolerances.EXPECTATION_Z * error, tolerances.REWARD)
        if wrong.any():
            part = first(wrong)
            yield SPREAD.error(
                f"{draw.formula.text} starts at {found[:, part].mean():.6g} on average, the design expects "
                f"{np.broadcast_to(mean, found.shape)[:, part].mean():.6g}",
                evidence=f"{evidence}, standard error {error[part]:.3g}",
                line=line,
            )


def _span(low: np.ndarray, high: np.ndarray) -> str:
    return f"from {number(low.squeeze())} to {number(high.squeeze())}"
