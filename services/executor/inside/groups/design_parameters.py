"""Parameters: the constructor and reset(options=...) really change what the formulas say they change."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kit.contracts.design import EnvDesign, Parameter
from kit.contracts.findings import Finding
from kit.contracts.formulas import tolerances
from kit.contracts.formulas.columns import observe, reward
from kit.inside.candidate import Candidate, Trajectories
from services.executor.inside.catalogue import Check, define
from services.executor.inside.groups.contract import trouble_with
from services.executor.inside.groups.design_starts import departures
from services.executor.inside.groups.frames import Frame, column, first, frame_of, not_finite, unequal
from services.executor.inside.groups.policies import play, policies
from services.executor.inside.groups.replaying import actions_for, difference, record, told
from services.executor.inside.subject import Subject

SEEDS = range(7000, 7004)
STEPS = 40

OPTIONS = define(
    "parameters.options",
    proves='reset(options={"parameters": {...}}) changes the parameters for one episode.',
    example="def reset(self, *, seed=None, options=None):  # and options is never read",
    remedy='Read options["parameters"] in reset(), over the constructor\'s values, for this episode only.',
)
KEPT = define(
    "parameters.restored",
    proves="Parameters changed by reset's options last one episode.",
    example="self.params.update(options['parameters'])",
    remedy="Start from the constructor's values in every reset(), then apply the options.",
)
ARGUMENTS = define(
    "parameters.arguments",
    proves="The constructor's keyword arguments are the parameters that the simulation uses.",
    example="def __init__(self, price=5.0): ...  # and step() uses the literal 5.0",
    remedy="Use the stored argument everywhere, never its default value as a literal.",
)


def check_parameters(subject: Subject) -> Iterator[Finding]:
    """One parameter at a time through options, then all at once through the constructor; then those of the first level
    of a curriculum, together, both ways."""
    design, program = subject.design, subject.program
    assert design is not None and program is not None
    changes = {p.name: value for p in design.parameters if (value := _another(subject, p)) is not None}
    level = _level(design)
    if not changes and not level:
        return
    limit = min(STEPS, subject.affordable(400))
    found: list[Finding] = []
    with subject.start() as candidate:
        found += _restored(subject, candidate, changes or level)
        yield from found
        if found:
            return
        alone: list[dict[str, object]] = [{name: value} for name, value in changes.items()]
        for changed in alone + [level] * bool(level):
            options: dict[str, object] = {"parameters": changed}
            rollout = play(subject, candidate, policies(subject)["random"], SEEDS, limit, options)
            if rollout.trouble is not None:
                yield trouble_with(rollout.trouble, f"reset(options={options})")
                return
            if rollout.trajectories is not None:
                found += _explained(subject, rollout.trajectories, changed, OPTIONS, f"reset(options={options})")
        yield from found
    for together in (changes, level):
        if together and not found:
            yield from _constructed(subject, together, limit)


def _level(design: EnvDesign) -> dict[str, object]:
    """What the first level of the curriculum sets, which is furthest from the design's own values."""
    own = {parameter.name: parameter for parameter in design.parameters}
    overrides = design.curriculum[0].overrides if design.curriculum else ()
    return {one.name: own[one.name].model_copy(update={"values": one.values}).argument for one in overrides}


def _another(subject: Subject, parameter: Parameter) -> object | None:
    """Another value that can do no harm: inside its range, or, of a price that only pays, a little more."""
    if parameter.low is not None and parameter.high is not None:
        middle = np.where(parameter.array > (parameter.low + parameter.high) / 2, parameter.low, parameter.high)
        value = parameter.array + 0.5 * (middle - parameter.array)
        changed: object = value.tolist()
        return changed
    if parameter.shape == () and _only_pays(subject, parameter.name):
        return int(parameter.array) + 1 if parameter.whole else float(parameter.array) * 1.25 + 0.01
    return None


def _only_pays(subject: Subject, name: str) -> bool:
    """Whether the parameter stands in reward components and nowhere else that a formula shows."""
    program = subject.program
    assert program is not None
    full = f"params.{name}"
    laws = [side for law in program.laws.values() for side in (law.left, law.right) if side is not None]
    means = [part for e in program.expected.values() for part in (e.formula, e.mean, e.deviation) if part is not None]
    others = [*laws, *means, *program.endings.values(), *program.invariants.values()]
    others += [c for c in [*program.legality.values(), *program.observation.values()] if c is not None]
    paying = any(full in compiled.names for compiled in program.components.values())
    return paying and not any(full in compiled.names for compiled in others)


def _explained(
    subject: Subject, played: Trajectories, changes: dict[str, object], check: Check, how: str
) -> list[Finding]:
    """Whether the formulas under the changed parameters give what the episode gave."""
    overrides = {name: np.asarray(value, dtype=np.float64) for name, value in changes.items()}
    frame = frame_of(subject, "random", played, overrides)
    names = ", ".join(changes)
    for what, off in _differences(frame):
        if off.any():
            row = frame.first(off)
            return [
                check.error(
                    f"{what} is not what its formula gives for the changed {names}: it is not used everywhere",
                    evidence=f"{how}; {frame.where(row)}",
                    line=subject.line_of("reset"),
                )
            ]
    for what, off in departures(frame):
        if off.any():
            return [
                check.error(
                    f"{what} does not hold for the changed {names}: it is not used everywhere",
                    evidence=f"{how}; {frame.at_start(first(off))}",
                    line=subject.line_of("reset"),
                )
            ]
    return []


def _differences(frame: Frame) -> Iterator[tuple[str, np.ndarray]]:
    rows, program, played = frame.played.rows, frame.program, frame.played
    expected = {name: column(compiled, frame.moving, rows) for name, compiled in program.components.items()}
    for name, values in expected.items():
        if name in played.components:
            off = unequal(played.components[name].astype(np.float64), values, tolerances.REWARD)
            yield f"reward component {name}", off & ~not_finite(values)
    yield "the reward", unequal(played.rewards, reward(program, expected), tolerances.REWARD)
    seen = observe(program, frame.resting, rows)
    quiet = [term for term in program.design.observation for _ in range(term.size)]
    noisy = np.array([term.noise_std is not None for term in quiet])
    yield (
        "the observation",
        unequal(
            np.where(np.isnan(seen) | noisy, 0, played.next_observations),
            np.where(np.isnan(seen) | noisy, 0, seen),
            tolerances.OBSERVATION,
        ),
    )
    for name, law in program.laws.items():
        if law.right is not None and law.left.shape == law.right.shape:
            yield (
                f"law {name}",
                unequal(column(law.left, frame.moving, rows), column(law.right, frame.moving, rows), tolerances.REWARD),
            )


def _restored(subject: Subject, candidate: Candidate, changes: dict[str, object]) -> Iterator[Finding]:
    actions = actions_for(subject, "restored", 10)
    candidate.make(150, subject.kwargs)
    candidate.make(151, subject.kwargs)
    candidate.reset(151, seed=1, options={"parameters": changes})
    fresh, used = (record(subject, candidate, 5, actions, env) for env in (150, 151))
    if isinstance(fresh, list) and isinstance(used, list) and (pair := difference(fresh, used)) is not None:
        yield KEPT.error(
            "parameters changed by reset(options=...) stay changed in the next episode",
            evidence=f"reset(seed=1, options={{'parameters': {changes}}}), reset(seed=5): {told(pair)}",
            line=subject.line_of("reset"),
        )


def _constructed(subject: Subject, changes: dict[str, object], limit: int) -> Iterator[Finding]:
    kwargs = {**subject.kwargs, **changes}
    with subject.start(kwargs=kwargs) as candidate:
        for env in range(1, len(SEEDS)):
            if (trouble := candidate.make(env, kwargs)) is not None:
                yield trouble_with(trouble, f"the constructor with {changes}")
                return
        rollout = play(subject, candidate, policies(subject)["random"], SEEDS, limit)
    if rollout.trouble is not None:
        yield trouble_with(rollout.trouble, f"constructed with {changes}, random policy, step {rollout.step}")
    elif rollout.trajectories is not None:
        yield from _explained(subject, rollout.trajectories, changes, ARGUMENTS, f"constructed with {changes}")
