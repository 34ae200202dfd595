"""Laws, expectations and metrics of the design, over everything played."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kit.contracts.design import Aggregate
from kit.contracts.findings import Blame, Finding
from kit.contracts.formulas import CompiledExpectation, CompiledLaw, parameter_values, tolerances
from kit.contracts.formulas.columns import act, action_values, aggregate, observation_values
from services.executor.inside.catalogue import define
from services.executor.inside.groups.design_state import NOT_FINITE
from services.executor.inside.groups.frames import Frame, column, frames, not_finite, number, unequal
from services.executor.inside.subject import Subject

FEWEST = 60  # rows of a group whose mean is tested

LAW = define(
    "dynamics.law",
    proves="Every transition obeys the design's laws, within 1e-6.",
    example="state.stock == prev.stock + state.received - state.sold, where demand is taken off instead of sales",
    remedy="Correct the transition in step() so that this equation holds.",
)
EXPECTED = define(
    "dynamics.expected",
    proves="What is random has the conditional mean that the design states.",
    example="demand drawn with twice the mean",
    remedy="Correct the distribution, or what it is drawn for, so that its mean is the design's.",
)
DEVIATION = define(
    "dynamics.deviation",
    proves="What is random has the standard deviation that the design states.",
    example="normal(mean, 2) where the design says 1",
    remedy="Correct the spread of the distribution.",
)
METRIC = define(
    "metric.value",
    proves="Every metric can be computed for an episode.",
    example="sum of served / sum of asked, in episodes in which nobody asks",
    remedy="Guard the metric's denominator, or choose another aggregate.",
    blame=Blame.DESIGN,
)
BASELINE = define(
    "baseline.value",
    proves="Every baseline has a value for every observation.",
    example="obs.demand / obs.stock, where the stock is 0",
    remedy="Guard the baseline's formula.",
    blame=Blame.DESIGN,
)


def check_laws(subject: Subject) -> Iterator[Finding]:
    """Each law, in every row."""
    told: set[str] = set()
    for frame in frames(subject):
        for name, law in frame.program.laws.items():
            if name not in told:
                for finding in _law(subject, frame, law):
                    told.add(name)
                    yield finding


def _law(subject: Subject, frame: Frame, law: CompiledLaw) -> Iterator[Finding]:
    rows = frame.played.rows
    left = column(law.left, frame.moving, rows)
    right = None if law.right is None else column(law.right, frame.moving, rows)
    if right is not None:
        rank = max(left.ndim, right.ndim)
        left, right = (side.reshape(rows, *(1,) * (rank - side.ndim), *side.shape[1:]) for side in (left, right))
    bad = not_finite(left) | (not_finite(right) if right is not None else False)
    if bad.any():
        row = frame.first(bad)
        yield NOT_FINITE.error(
            f"law {law.name} has no finite value", evidence=f"{frame.where(row)}; {frame.inputs(law.left, row)}"
        )
        return
    off = unequal(left, right, tolerances.REWARD) if right is not None else (left.reshape(rows, -1) == 0).any(axis=1)
    if not off.any():
        return
    row = frame.first(off)
    said = f"{law.left.text} gives {number(left[row])}"
    if right is not None and law.right is not None:
        said = f"the left side is {number(left[row])}, the right side {number(right[row])}"
    inputs = frame.inputs(law.left, row) + ("; " + frame.inputs(law.right, row) if law.right is not None else "")
    text = next(x.formula for x in frame.program.design.dynamics.laws if x.name == law.name)
    yield LAW.error(
        f"law {law.name} is broken ({text}): {said}",
        evidence=f"{frame.where(row)}; {inputs}; {int(off.sum())} of {len(off)} rows",
        line=subject.line_of("step"),
    )


def check_expectations(subject: Subject) -> Iterator[Finding]:
    """The mean overall, and in halves by every action and state variable, so that no error hides in an average."""
    every = list(frames(subject))
    for name, expectation in every[0].program.expected.items():
        yield from _expectation(subject, every, name, expectation)


def _expectation(
    subject: Subject, every: list[Frame], name: str, expectation: CompiledExpectation
) -> Iterator[Finding]:
    found, mean, spread = [], [], []
    for frame in every:
        rows = frame.played.rows
        found.append(column(expectation.formula, frame.moving, rows).reshape(rows, -1))
        mean.append(column(expectation.mean, frame.moving, rows).reshape(rows, -1))
        if expectation.deviation is not None:
            spread.append(column(expectation.deviation, frame.moving, rows).reshape(rows, -1))
        if (bad := not_finite(found[-1]) | not_finite(mean[-1])).any():
            evidence = f"{frame.where(frame.first(bad))}; {frame.inputs(expectation.mean, frame.first(bad))}"
            yield NOT_FINITE.error(f"expectation {name} has no finite value", evidence=evidence)
            return
    residual = np.concatenate(found) - np.concatenate(mean)
    deviation = np.concatenate(spread) if spread else None
    for element in range(residual.shape[1]):
        off = residual[:, element]
        known = None if deviation is None else deviation[:, element]
        for label, chosen in _groups(every):
            z = _z(off, known, chosen)
            if abs(z) > tolerances.EXPECTATION_Z:
                actual = float(np.concatenate(found)[chosen, element].mean())
                wanted = float(np.concatenate(mean)[chosen, element].mean())
                yield EXPECTED.error(
                    f"{expectation.formula.text} is {actual:.5g} on average{label}, the design expects {wanted:.5g} "
                    f"({expectation.mean.text})",
                    evidence=f"{int(chosen.sum())} steps, z = {z:.1f}",
                    line=subject.line_of("step"),
                )
                return
        if known is not None:
            yield from _spread(subject, name, off, known)


def _groups(every: list[Frame]) -> Iterator[tuple[str, np.ndarray]]:
    """All rows; then the lower and the upper half by every scalar that the mean may depend on."""
    total = sum(frame.played.rows for frame in every)
    yield "", np.ones(total, dtype=bool)
    for name in every[0].moving:
        if not name.startswith(("action.", "prev.")):
            continue
        values = np.concatenate(
            [np.broadcast_to(f.moving[name], (f.played.rows, *f.moving[name].shape[1:])) for f in every]
        )
        if values.ndim != 1:
            continue
        middle = float(np.median(values))
        upper = values > middle if (values > middle).any() else values >= middle
        for label, chosen in ((f" where {name} is high", upper), (f" where {name} is low", ~upper)):
            if FEWEST <= chosen.sum() < total:
                yield label, chosen


def _z(off: np.ndarray, known: np.ndarray | None, chosen: np.ndarray) -> float:
    """The mean of the residuals in standard errors, by the larger of the group's and the overall spread if unknown."""
    part = off[chosen]
    count = len(part)
    if count < FEWEST:
        return 0.0
    scale = max(1.0, float(np.abs(part).max()))
    if known is not None:
        error = float(np.sqrt(np.sum(known[chosen] ** 2))) / count
    else:
        error = max(float(part.std()), float(off.std())) / np.sqrt(count)
    mean = float(part.mean())
    if error < 1e-12:
        return 0.0 if abs(mean) <= tolerances.REWARD * scale else float("inf")
    return mean / error


def _spread(subject: Subject, name: str, off: np.ndarray, known: np.ndarray) -> Iterator[Finding]:
    certain = known < 1e-12
    if certain.any() and np.abs(off[certain]).max() > 1e-6 * max(1.0, float(np.abs(off).max())):
        yield DEVIATION.error(
            f"expectation {name} varies where the design's deviation is 0", line=subject.line_of("step")
        )
        return
    scaled = off[~certain] / known[~certain]
    if len(scaled) < 4 * FEWEST:
        return
    squares = scaled**2
    z = float((squares.mean() - 1) / max(1e-12, squares.std() / np.sqrt(len(squares))))
    ratio = float(np.sqrt(squares.mean()))
    if abs(z) > tolerances.EXPECTATION_Z and abs(ratio - 1) > 0.1:
        yield DEVIATION.error(
            f"expectation {name} spreads {ratio:.3g} times as much as the design's deviation says",
            evidence=f"{len(squares)} steps, z = {z:.1f}",
            line=subject.line_of("step"),
        )


def check_metrics(subject: Subject) -> Iterator[Finding]:
    """Each metric, for each episode that ended."""
    told: set[str] = set()
    for frame in frames(subject):
        rows = frame.played.rows
        for name, metric in frame.program.metrics.items():
            if name in told:
                continue
            if (bad := not_finite(column(metric.formula, frame.moving, rows))).any():
                told.add(name)
                row = frame.first(bad)
                yield NOT_FINITE.error(
                    f"metric {name} has no finite value",
                    evidence=f"{frame.where(row)}; {frame.inputs(metric.formula, row)}",
                )
                continue
            episodes = np.flatnonzero(frame.played.ended)
            values = [episode_metric(frame, name, int(episode)) for episode in episodes]
            sensible = frame.policy.startswith(("random", "baseline"))  # who never acts has a denominator of 0
            if metric.aggregate is Aggregate.RATIO and sensible and values and np.isnan(values).mean() > 0.5:
                told.add(name)
                yield METRIC.warning(
                    f"metric {name} has no value in most episodes of policy {frame.policy}: its denominator is 0"
                )


def episode_metric(frame: Frame, name: str, episode: int) -> float:
    """The metric of one episode."""
    rows = frame.played.rows_of(episode)
    values = {key: column[rows] if len(column) == frame.played.rows else column for key, column in frame.moving.items()}
    return aggregate(frame.program.metrics[name], values, rows.stop - rows.start)


def check_baselines(subject: Subject) -> Iterator[Finding]:
    """Each rule, for every observation that any policy saw; before clipping, which would hide an infinity."""
    told: set[str] = set()
    for frame in frames(subject):
        design, seen = frame.program.design, frame.played.observations
        known = {**parameter_values(design), **observation_values(design, seen)}
        for name, terms in frame.program.baselines.items():
            values = {**known, **action_values(design, np.nan_to_num(act(frame.program, name, known, seen)))}
            for term, compiled in terms.items():
                bad = not_finite(column(compiled, values, len(seen)))
                if bad.any() and name not in told:
                    told.add(name)
                    row = frame.first(bad)
                    yield BASELINE.error(
                        f"baseline {name} has no finite value for {term}: {compiled.text}",
                        evidence=f"{frame.where(row)}; {frame.inputs(compiled, row, values)}",
                    )
