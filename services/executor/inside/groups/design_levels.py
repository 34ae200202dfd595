"""Levels: with each level's parameters the environment is still what the design says, by every formula of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from kit.contracts.design import EnvDesign, Level
from kit.contracts.findings import Finding, Severity
from kit.contracts.formulas import compile_design
from kit.inside.candidate import Trajectories
from services.executor.inside.groups import design_dynamics, design_formulas, design_starts, design_state
from services.executor.inside.groups.contract import trouble_with
from services.executor.inside.groups.policies import play, policies
from services.executor.inside.subject import Subject

EPISODES = 4
STEPS = 1500  # of a level, with each policy
BY_FORMULA = (
    design_state.check_state,
    design_state.check_invariants,
    design_starts.check_starts,
    design_formulas.check_observation,
    design_formulas.check_components,
    design_formulas.check_endings,
    design_formulas.check_legality,
    design_dynamics.check_laws,
)


def check_levels(subject: Subject) -> Iterator[Finding]:
    """A few episodes at each level of the curriculum, constructed as training constructs them, against the same
    formulas as those with the design's own values; the level is named with what it breaks."""
    assert subject.design is not None
    for level in subject.design.curriculum:
        for finding in _at(subject, level):
            message = f"at the level {level.name} of the curriculum: {finding.message}"
            yield finding.model_copy(update={"message": message})


def _at(subject: Subject, level: Level) -> Iterator[Finding]:
    assert subject.design is not None
    design = with_level(subject.design, level)
    there = replace(subject, design=design, program=compile_design(design), played={})
    found = policies(there)
    chosen = {name: found[name] for name in ("random", *(name for name in found if name.startswith("baseline ")))}
    if there.masked:
        chosen["random"] = found["random legal"]
    limit = min(design.episode.step_limit + 2, max(4, subject.affordable(STEPS) // EPISODES))
    played: dict[str, Trajectories] = {}
    with there.start() as candidate:
        for place, (name, policy) in enumerate(chosen.items()):
            seeds = range(8000 + EPISODES * place, 8000 + EPISODES * (place + 1))
            rollout = play(there, candidate, policy, seeds, limit)
            if rollout.trouble is not None:
                yield trouble_with(rollout.trouble, f"policy {name}, seed {rollout.seed}, step {rollout.step}")
                return
            if rollout.trajectories is not None:
                played[name] = rollout.trajectories
    there.played = played
    for check in BY_FORMULA:
        yield from (finding for finding in check(there) if finding.severity is Severity.ERROR)


def with_level(design: EnvDesign, level: Level) -> EnvDesign:
    """The design as it is at a level: what that sets is its parameters' own values, and there is no curriculum."""
    set_to = {one.name: one.values for one in level.overrides}
    parameters = tuple(one.model_copy(update={"values": set_to.get(one.name, one.values)}) for one in design.parameters)
    return design.model_copy(update={"parameters": parameters, "curriculum": ()})
