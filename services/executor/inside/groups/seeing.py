"""Seeing: whether the observation lets through what there is to see, in numbers of one size."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import numpy as np

from kit.contracts.findings import Blame, Finding
from kit.inside.candidate import Value
from services.executor.inside.catalogue import define
from services.executor.inside.groups import reals
from services.executor.inside.groups.bounds import flat_limits
from services.executor.inside.groups.replaying import actions_for
from services.executor.inside.groups.spaces import IMAGE
from services.executor.inside.subject import Subject

ONE_HUGE = define(
    "observation.scale",
    proves="No feature of the observation dwarfs the others by orders of magnitude.",
    example="numpy.array([angle, speed, 2e5 * distance], numpy.float32)",
    remedy="Rescale the feature to about [-1, 1], or wrap the environment in VecNormalize.",
    blame=Blame.DESIGN,
)
SATURATED = define(
    "observation.saturated",
    proves="What is observed is not clipped away.",
    example="np.clip(1000 * self.x, -1, 1)",
    remedy="Scale the feature so that its usual values lie inside the range.",
    blame=Blame.DESIGN,
)
DARK = 4


def check_scale(subject: Subject) -> Iterator[Finding]:
    """One feature that spans a thousand times what the others do."""
    if (
        not subject.played
        or subject.observation.kind != "Box"
        or subject.observation.dtype == "uint8"
        or subject.observation.size > 5000
    ):
        return
    values = np.concatenate([played.next_observations for played in subject.played.values()])
    spans = np.ptp(values, axis=0)
    if len(spans) < 2:
        if spans.size and np.abs(values).max() > 1e4:
            yield ONE_HUGE.warning(f"the observation reaches {np.abs(values).max():.3g}")
        return
    largest = int(np.argmax(spans))
    others = np.delete(spans, largest)
    typical = float(np.median(others[others > 0])) if (others > 0).any() else 1.0
    if spans[largest] > 1000 * typical and spans[largest] > 1000:
        yield ONE_HUGE.warning(f"feature {largest} spans {spans[largest]:.3g}, the others about {typical:.3g}")


def check_darkness(subject: Subject) -> Iterator[Finding]:
    """An image that is next to black: policies divide it by 255."""
    space = subject.observation
    if not subject.played or space.kind != "Box" or space.dtype != "uint8" or len(space.shape) != 3:
        return
    brightest = max(float(played.next_observations.max()) for played in subject.played.values())
    if 0 < brightest <= DARK and np.all(space.high >= 200):
        yield IMAGE.warning(
            f"the image has no value above {brightest:g}, of {space.high.max()} that are declared",
            remedy="Multiply by 255 before the cast to uint8, or declare the range that it has.",
            line=subject.line_of("_obs") or subject.line_of_return("step"),
        )


def check_saturation(subject: Subject) -> Iterator[Finding]:
    """A feature with many values that nearly always lies at one end or the other, and often at both."""
    space = subject.observation
    if not subject.played or space.kind != "Box" or space.size > 200 or space.dtype == "uint8":
        return
    low, high = flat_limits(space)
    if only_signs(subject, np.concatenate([played.next_observations for played in subject.played.values()])):
        yield SATURATED.warning(
            "every feature takes three values at most, while the environment computes with many more: what is "
            "observed is clipped or rounded away",
            line=subject.line_of("_obs") or subject.line_of_return("step"),
        )
        return
    # Constant actions drive any bounded quantity to its end, and chance does not.
    values = np.concatenate([known.next_observations for name, known in subject.played.items() if "random" in name])
    at_low, at_high = (values <= low).mean(axis=0), (values >= high).mean(axis=0)
    for column in np.flatnonzero((at_low > 0.2) & (at_high > 0.2) & (at_low + at_high > 0.9)):
        if len(np.unique(values[:, column])) > 8:  # a flag may lie there
            yield SATURATED.warning(
                f"feature {column} lies at one end of its range in {at_low[column] + at_high[column]:.0%} of the steps",
                line=subject.line_of("_obs") or subject.line_of_return("step"),
            )
            return


def only_signs(subject: Subject, values: np.ndarray) -> bool:
    """Whether no feature has more than three values, although the instance holds real numbers that keep changing."""
    low, high = flat_limits(subject.observation)
    if not subject.observation.dtype.startswith("float") or any(len(np.unique(v[:5000])) > 3 for v in values.T):
        return False
    one_hot = np.isin(values, (0.0, 1.0)).all() and np.ptp(values.sum(axis=1)) == 0
    if one_hot or not (np.array_equal(low, -high) or _rounds(subject)):
        return False  # bits and one-hot vectors are seen so with good reason
    with subject.start() as candidate:
        actions = actions_for(subject, "real numbers", min(60, subject.affordable(60)))
        answer = candidate.probe(f"{reals.__name__}.reals", env=0, seed=4, actions=actions)
    return isinstance(answer, Value) and len(answer.items) > 0


def _rounds(subject: Subject) -> bool:
    nodes = [node for node in ast.walk(subject.tree) if isinstance(node, ast.Call)] if subject.tree else []
    return any(ast.unparse(node.func).rpartition(".")[2] in ("round", "rint", "sign", "floor") for node in nodes)
