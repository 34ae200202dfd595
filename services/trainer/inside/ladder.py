"""Box 2: idle, random, the baselines and the trained policy on the test seeds, judge and candidate apart."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass

import numpy as np

from kit.contracts.design import EnvDesign
from kit.contracts.findings import Blame, Finding, Severity
from kit.contracts.formulas import Program, compile_design, moments, parameter_values, transitions
from kit.contracts.formulas.columns import masks
from kit.contracts.outcomes import PolicyKind
from kit.inside.candidate import Candidate, Policy, Trajectories, Trouble, rollout
from kit.inside.saying import IN_DIR, Say
from services.trainer.inside import policies
from services.trainer.inside.episodes import Episodes, EpisodeValues
from services.trainer.inside.faults import FILE
from services.trainer.inside.payloads import POLICY_FILE, LadderClaim, LadderPayload, PolicyEpisodes
from services.trainer.inside.rows import Layout

SECONDS = 10.0  # for each answer of the candidate: one step of a hundred environments


class CannotMeasure(Exception):
    """A rung can't be measured; `finding` says why, and whose fault it is."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding.message)
        self.finding = finding


@dataclass(frozen=True)
class Rung:
    name: str
    kind: PolicyKind
    policy: Policy


def main(payload: dict[str, object], say: Say) -> None:
    """Says a LadderClaim as its result, a finding in it where there could be no ladder."""
    asked = LadderPayload.model_validate_json(json.dumps(payload))
    program = compile_design(asked.design)
    before = _cpu_s()
    measured: tuple[PolicyEpisodes, ...] = ()
    findings: tuple[Finding, ...] = ()
    try:
        measured = climb(asked, program, say)
    except CannotMeasure as problem:
        findings = (problem.finding,)
    spent = _cpu_s() - before
    claim = LadderClaim(findings=findings, first_seed=asked.first_seed, policies=measured, cpu_s=spent)
    say("result", **claim.model_dump(mode="json"))


def climb(asked: LadderPayload, program: Program, say: Say) -> tuple[PolicyEpisodes, ...]:
    """Every rung on the same seeds."""
    design = asked.design
    seeds = range(asked.first_seed, asked.first_seed + asked.episodes)
    episodes = Episodes(program, Layout(design))
    measured = []
    # The candidate's process starts before the policy is read, so that it has nothing of ours.
    with Candidate.start(SECONDS) as candidate:
        form = _form(candidate, asked)
        for rung in _rungs(design, program, asked.first_seed):
            trajectories = _play(candidate, rung, design, seeds, form)
            measured.append(_measured(rung, _values(program, episodes, trajectories)))
            say("rung", policy=rung.name, episodes=asked.episodes)
    return tuple(measured)


def _rungs(design: EnvDesign, program: Program, seed: int) -> tuple[Rung, ...]:
    try:
        network = policies.trained(design, (IN_DIR / POLICY_FILE).read_bytes())
    except policies.PolicyRefused as refused:
        raise _unusable(refused) from refused
    return (
        Rung("idle", PolicyKind.IDLE, policies.idle(design)),
        Rung("random", PolicyKind.RANDOM, policies.at_random(design, seed)),
        *(Rung(b.name, PolicyKind.BASELINE, policies.rule(program, b.name)) for b in design.baselines),
        Rung("trained", PolicyKind.TRAINED, network),
    )


def _form(candidate: Candidate, asked: LadderPayload) -> str:
    """How a row becomes an action of this environment; the first instance is made for it."""
    loaded = candidate.load(asked.source, "Environment")
    if isinstance(loaded, Trouble):
        raise _trouble(loaded, "importing the module")
    made = candidate.make(0, _arguments(asked.design))
    if made is not None:
        raise _trouble(made, "Environment(...)")
    spaces = candidate.spaces(0)
    if isinstance(spaces, Trouble):
        raise _trouble(spaces, "reading the spaces")
    return spaces[1].form


def _play(candidate: Candidate, rung: Rung, design: EnvDesign, seeds: range, form: str) -> Trajectories:
    limit = design.episode.step_limit
    try:
        played = rollout(
            candidate,
            rung.policy,
            seeds,
            form,
            max_steps=limit,
            masks=design.action.masked,
            kwargs=_arguments(design),
        )
    except policies.PolicyRefused as refused:
        raise _unusable(refused) from refused
    except policies.NoAction as nothing:
        blame = Blame.DESIGN if rung.kind is PolicyKind.BASELINE else Blame.CODE
        raise _finding(
            "ladder.no_action",
            f"the policy {rung.name} has no finite action",
            f"{nothing}",
            "Guard the division or index in the rule's formula.",
            blame,
        ) from nothing
    if played.trouble is not None:
        raise _trouble(played.trouble, f"{rung.name}, seed {played.seed}, step {played.step}")
    if played.trajectories is None or not played.trajectories.ended.all():
        raise _finding(
            "ladder.never_ended",
            f"an episode of {rung.name} goes on after the step limit of {limit}",
            "",
            "Set truncated at the step limit where no ending is true.",
        )
    return played.trajectories


def _values(program: Program, episodes: Episodes, played: Trajectories) -> EpisodeValues:
    """By formula, from state; what the environment says of rewards and metrics plays no part."""
    design, rows = program.design, played.rows
    wrong = [
        variable.name
        for variable in design.state
        for columns in (played.prev, played.state)
        if columns.get(variable.name, np.empty(0)).shape != (rows, *variable.shape)
    ]
    if wrong or played.observations.shape != (rows, sum(term.size for term in design.observation)):
        raise _finding(
            "ladder.state",
            f"missing from info['state'], or of another shape: {', '.join(dict.fromkeys(wrong)) or 'the observation'}",
            "",
            "Return every state variable of the design, with its shape, from reset and step.",
        )
    params = parameter_values(design)
    if design.action.masked:
        legal = masks(program, moments(params, played.prev), rows)
        if played.masks is None or not np.array_equal(legal, played.masks.astype(np.float64)):
            raise _finding(
                "ladder.masks",
                "action_masks() differs from the design's formula",
                "",
                "Compute the masks from the current state as the design's `legal` formulas say.",
            )
    values = transitions(program, params, played.prev, played.actions, played.state, played.observations)
    stops = np.cumsum(played.lengths)
    computed = episodes.valued(values, stops - played.lengths, stops, played.rewards)
    if not np.isfinite(computed.rewards).all():
        raise _finding(
            "ladder.not_finite",
            "the design's reward has no finite value in some state",
            "",
            "Guard the formula, or keep the state within its bounds.",
        )
    return computed


def _measured(rung: Rung, values: EpisodeValues) -> PolicyEpisodes:
    return PolicyEpisodes(
        policy=rung.name,
        kind=rung.kind,
        rewards=tuple(values.rewards.tolist()),
        lengths=tuple(int(length) for length in values.lengths),
        metrics=tuple(tuple(v if np.isfinite(v) else None for v in column.tolist()) for column in values.metrics.T),
        components=tuple(tuple(column.tolist()) for column in values.components.T),
    )


def _cpu_s() -> float:
    """Of this process and of those that it has waited for: the candidate's."""
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system


def _arguments(design: EnvDesign) -> dict[str, object]:
    return {parameter.name: parameter.argument for parameter in design.parameters}


def _trouble(trouble: Trouble, doing: str) -> CannotMeasure:
    return CannotMeasure(
        Finding(
            check="ladder.raised",
            severity=Severity.ERROR,
            blame=Blame.CODE,
            message=f"{trouble.where} failed while policies were compared: {trouble}"[:1000],
            evidence=doing,
            remedy="Handle this case; an environment never raises on an action from its own action space.",
            file=FILE,
            line=trouble.line,
            traceback=trouble.traceback,
        )
    )


def _unusable(refused: policies.PolicyRefused) -> CannotMeasure:
    return _finding(
        "ladder.policy",
        f"policy.onnx, as it came out of the training box, can't be used: {refused}",
        "",
        "The environment must leave files and modules that are not its own alone.",
    )


def _finding(check: str, message: str, evidence: str, remedy: str, blame: Blame = Blame.CODE) -> CannotMeasure:
    return CannotMeasure(
        Finding(check=check, severity=Severity.ERROR, blame=blame, message=message, evidence=evidence, remedy=remedy)
    )
