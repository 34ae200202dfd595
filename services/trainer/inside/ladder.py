"""Box 2: every rung of the ladder on the test seeds, the trained policy on the validation seeds; judge and candidate
apart.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence

from kit.contracts.design import Direction, EnvDesign
from kit.contracts.findings import Finding
from kit.contracts.formulas import Program, compile_design
from kit.contracts.outcomes import PolicyKind
from kit.inside.candidate import Candidate, Policy
from kit.inside.saying import IN_DIR, Say
from services.trainer.inside import policies
from services.trainer.inside.constants import constants
from services.trainer.inside.contests import shown_episode, to_show
from services.trainer.inside.episodes import mean_or_none
from services.trainer.inside.measuring import CannotMeasure, Judge, Rung, unusable
from services.trainer.inside.payloads import (
    HALF_FILE,
    MOST_DRAWN,
    POLICY_FILE,
    RANDOMISED,
    VALIDATION_SEED,
    LadderClaim,
    LadderPayload,
    PolicyEpisodes,
)
from services.trainer.inside.tracing import say_trace

CONSTANT_EPISODES = 20  # of each constant, on the validation seeds, to choose the best
SECONDS = 10.0  # for each answer of the candidate: one step of a hundred environments


def main(payload: dict[str, object], say: Say) -> None:
    """Says a LadderClaim as its result, a finding in it where there could be no ladder."""
    asked = LadderPayload.model_validate_json(json.dumps(payload))
    program = compile_design(asked.design)
    before = _cpu_s()
    findings: tuple[Finding, ...] = ()
    claim = LadderClaim(first_seed=asked.first_seed)
    try:
        claim = climb(asked, program, say)
    except CannotMeasure as problem:
        findings = (problem.finding,)
    spent = _cpu_s() - before
    say("result", **claim.model_copy(update={"findings": findings, "cpu_s": spent}).model_dump(mode="json"))


def climb(asked: LadderPayload, program: Program, say: Say) -> LadderClaim:
    """Every rung on the same seeds, and one of their episodes traced."""
    design = asked.design
    seeds = range(asked.first_seed, asked.first_seed + asked.episodes)
    validation = range(VALIDATION_SEED, VALIDATION_SEED + asked.validation_episodes)
    # The candidate's process starts before the policy is read, so that it has nothing of ours.
    with Candidate.start(SECONDS) as candidate:
        judge = Judge(candidate, asked.source, program)
        network = Rung("trained", PolicyKind.TRAINED, _network(design, POLICY_FILE))
        chosen_by = judge.episodes(network, validation).metrics[0]
        if not asked.episodes:
            return LadderClaim(first_seed=asked.first_seed, validation=chosen_by)
        rungs = (*_untrained(judge, design, program, asked.first_seed, validation), *_half_trained(design), network)
        measured = []
        for rung in rungs:
            measured.append(judge.episodes(rung, seeds))
            say("rung", policy=rung.name, episodes=asked.episodes)
        shown = shown_episode(design.metrics[0], measured)
        if shown is not None:
            for episodes in to_show(design.metrics[0], measured):
                rung = next(one for one in rungs if one.name == episodes.policy)
                say_trace(program, rung, judge.play(rung, seeds[shown : shown + 1]), say)
        # The last, since it makes other environments.
        randomised = _randomised(judge, design, rungs, seeds[:MOST_DRAWN])
    return LadderClaim(
        first_seed=asked.first_seed,
        policies=tuple(measured),
        randomised=randomised,
        validation=chosen_by,
        shown_seed=None if shown is None else seeds[shown],
    )


def _randomised(judge: Judge, design: EnvDesign, rungs: Sequence[Rung], seeds: range) -> tuple[PolicyEpisodes, ...]:
    """The trained policy and the rules with parameters drawn for each episode; nothing where none has a range."""
    if not any(parameter.ranged for parameter in design.parameters):
        return ()
    draws = judge.draw(seeds)
    return tuple(judge.episodes(rung, seeds, draws) for rung in rungs if rung.kind in RANDOMISED)


def _untrained(judge: Judge, design: EnvDesign, program: Program, seed: int, validation: range) -> tuple[Rung, ...]:
    return (
        Rung("idle", PolicyKind.IDLE, policies.idle(design)),
        Rung("random", PolicyKind.RANDOM, policies.at_random(design, seed)),
        _best_constant(judge, design, validation[:CONSTANT_EPISODES]),
        *(Rung(b.name, PolicyKind.BASELINE, policies.rule(program, b.name)) for b in design.baselines),
    )


def _best_constant(judge: Judge, design: EnvDesign, seeds: range) -> Rung:
    """By the primary metric on the validation seeds; the first where none has a value."""
    sign = 1.0 if design.metrics[0].direction is Direction.HIGHER else -1.0

    def worth(rung: Rung) -> float:
        mean = mean_or_none(judge.values(judge.play(rung, seeds)).metrics[:, 0])
        return float("-inf") if mean is None else sign * mean

    return max((Rung(name, PolicyKind.CONSTANT, policy) for name, policy in constants(design).items()), key=worth)


def _half_trained(design: EnvDesign) -> tuple[Rung, ...]:
    if not (IN_DIR / HALF_FILE).is_file():
        return ()
    return (Rung("half_trained", PolicyKind.HALF_TRAINED, _network(design, HALF_FILE)),)


def _network(design: EnvDesign, file: str) -> Policy:
    try:
        return policies.trained(design, (IN_DIR / file).read_bytes())
    except policies.PolicyRefused as refused:
        raise unusable(refused) from refused


def _cpu_s() -> float:
    """Of this process and of those that it has waited for: the candidate's."""
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system
