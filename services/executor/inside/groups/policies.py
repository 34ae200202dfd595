"""The policies that every check plays: random, extreme, constant, persistent, and the design's own rules."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kit.contracts.formulas import Program, parameter_values
from kit.contracts.formulas.columns import act
from kit.inside.candidate import Candidate, Policy, Rollout, Seen, Space, rollout
from services.executor.inside.subject import Subject

PERSISTENCE = 8  # steps that the persistent policy keeps an action


def policies(subject: Subject) -> dict[str, Policy]:
    """By name. The names of a design's baselines are "baseline NAME"."""
    space = subject.action
    low, high = space.finite if space.kind == "Box" else (np.asarray(space.low), np.asarray(space.high))
    found: dict[str, Policy] = {
        "random": random_policy(space, subject.rng("random")),
        "low": constant(low),
        "high": constant(high),
        "extreme": extreme(low, high, subject.rng("extreme")),
        "persistent": persistent(space, subject.rng("persistent")),
    }
    if subject.masked:
        found["random legal"] = random_legal(subject)
    if subject.program is not None:
        found |= {f"baseline {name}": rule(subject.program, name) for name in subject.program.baselines}
    return found


def random_policy(space: Space, rng: np.random.Generator) -> Policy:
    return lambda seen: space.sample(rng, len(seen.seeds))


def constant(action: np.ndarray) -> Policy:
    return lambda seen: np.repeat(np.asarray(action)[None], len(seen.seeds), axis=0)


def extreme(low: np.ndarray, high: np.ndarray, rng: np.random.Generator) -> Policy:
    """Every number of the action at one end or the other."""
    return lambda seen: np.where(rng.random((len(seen.seeds), *np.shape(low))) < 0.5, low, high)


def persistent(space: Space, rng: np.random.Generator) -> Policy:
    """One random action for several steps: it gets where a trembling one never does."""
    held: dict[int, np.ndarray] = {}

    def choose(seen: Seen) -> np.ndarray:
        fresh = space.sample(rng, len(seen.seeds))
        for row, seed in enumerate(seen.seeds.tolist()):
            if seen.step % PERSISTENCE == 0 or seed not in held:
                held[seed] = fresh[row]
        return np.stack([held[seed] for seed in seen.seeds.tolist()])

    return choose


def reacting(subject: Subject) -> dict[str, Policy]:
    """For each of a few features: one end of the action where it is positive and the other where it isn't.

    Pushing along a velocity is what swings a pendulum or a car up; chance hardly ever does.
    """
    space = subject.action
    if subject.observation.kind != "Box" or not 1 < subject.observation.size <= 8:
        return {}
    low, high = space.finite if space.kind == "Box" else (np.asarray(space.low), np.asarray(space.high))
    features = range(subject.observation.size)
    return {
        f"{'with' if ahead is high else 'against'} feature {feature}": _following(feature, ahead, back)
        for feature in features
        for ahead, back in ((high, low), (low, high))
    }


def _following(feature: int, ahead: np.ndarray, back: np.ndarray) -> Policy:
    def choose(seen: Seen) -> np.ndarray:
        positive = seen.observations[:, feature] > 0
        return np.where(positive.reshape(-1, *[1] * np.ndim(ahead)), ahead, back)

    return choose


def random_legal(subject: Subject) -> Policy:
    """Uniform over what the environment's own masks allow."""
    assert subject.design is not None
    widths = [term.choices or 2 for term in subject.design.action.terms]
    rng = subject.rng("random legal")

    def choose(seen: Seen) -> np.ndarray:
        columns, start = [], 0
        for width in widths:
            scores = rng.random((len(seen.seeds), width))
            if seen.masks is not None and seen.masks.shape[1] == sum(widths):
                scores = np.where(seen.masks[:, start : start + width] != 0, scores, -1.0)
            columns.append(scores.argmax(axis=1))
            start += width
        return np.stack(columns, axis=1)

    return choose


def rule(program: Program, name: str) -> Policy:
    """A baseline of the design, as we compute it."""
    params = parameter_values(program.design)

    def choose(seen: Seen) -> np.ndarray:
        return np.nan_to_num(act(program, name, params, seen.observations))

    return choose


def play(
    subject: Subject,
    candidate: Candidate,
    policy: Policy,
    seeds: Sequence[int],
    limit: int,
    options: dict[str, object] | None = None,
) -> Rollout:
    """rollout() on the subject's own terms."""
    return rollout(
        candidate,
        policy,
        seeds,
        subject.form,
        limit,
        masks=subject.masked,
        options=options,
        kwargs=subject.kwargs,
        infos=subject.design is not None,
        keys=tuple(subject.observation.parts),
    )
