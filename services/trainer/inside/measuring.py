"""Measuring: whole episodes of a policy, judged by formula from state; what the environment says plays no part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kit.contracts.design import EnvDesign
from kit.contracts.findings import Blame, Finding, Severity
from kit.contracts.formulas import Program, moments, parameter_values, transitions
from kit.contracts.formulas.columns import masks
from kit.contracts.outcomes import PolicyKind
from kit.inside.candidate import Candidate, Policy, Trajectories, Trouble, rollout
from services.trainer.inside import policies, sights
from services.trainer.inside.episodes import Episodes, EpisodeValues
from services.trainer.inside.faults import FILE
from services.trainer.inside.payloads import PolicyEpisodes
from services.trainer.inside.randomising import Draws, arguments, draw
from services.trainer.inside.rows import Layout


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


class Judge:
    """Plays and judges policies on a candidate that has loaded `source`; CannotMeasure where it can't."""

    def __init__(self, candidate: Candidate, source: str, program: Program) -> None:
        self._candidate = candidate
        self._program = program
        self._design = program.design
        self._episodes = Episodes(program, Layout(program.design))
        self._form = self._load(source)

    def draw(self, seeds: Sequence[int]) -> Draws:
        """Parameters for an episode of each seed, (seeds, *shape), and environments made with them, played from now on.

        The same for every policy, and for every run: the seeds alone say what is drawn.
        """
        each = [draw(self._design, np.random.default_rng(seed)) for seed in seeds]
        for env, draws in enumerate(each):
            if (made := self._candidate.make(env, {**_arguments(self._design), **arguments(draws)})) is not None:
                raise _trouble(made, f"Environment(...) with {arguments(draws)}")
        return {name: np.stack([draws[name] for draws in each]) for name in each[0]}

    def episodes(self, rung: Rung, seeds: Sequence[int], draws: Draws | None = None) -> PolicyEpisodes:
        """One episode a seed, by formula. draws: of these seeds, which were the last drawn."""
        values = self.values(self.play(rung, seeds), draws)
        return PolicyEpisodes(
            policy=rung.name,
            kind=rung.kind,
            rewards=tuple(values.rewards.tolist()),
            lengths=tuple(int(length) for length in values.lengths),
            metrics=tuple(tuple(v if np.isfinite(v) else None for v in column.tolist()) for column in values.metrics.T),
            components=tuple(tuple(column.tolist()) for column in values.components.T),
        )

    def play(self, rung: Rung, seeds: Sequence[int]) -> Trajectories:
        """Every episode to its end."""
        design = self._design
        limit = design.episode.step_limit
        try:
            played = rollout(
                self._candidate,
                rung.policy,
                seeds,
                self._form,
                max_steps=limit,
                masks=design.action.masked,
                kwargs=_arguments(design),
                keys=sights.keys(design),
            )
        except policies.PolicyRefused as refused:
            raise unusable(refused) from refused
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

    def values(self, played: Trajectories, draws: Draws | None = None) -> EpisodeValues:
        """By formula, from state; what the environment says of rewards and metrics plays no part."""
        program, design, rows = self._program, self._design, played.rows
        wrong = [
            variable.name
            for variable in design.state
            for columns in (played.prev, played.state)
            if columns.get(variable.name, np.empty(0)).shape != (rows, *variable.shape)
        ]
        if wrong or played.observations.shape != (rows, sum(term.size for term in design.observation)):
            names = ", ".join(dict.fromkeys(wrong)) or "the observation"
            raise _finding(
                "ladder.state",
                f"missing from info['state'], or of another shape: {names}",
                "",
                "Return every state variable of the design, with its shape, from reset and step.",
            )
        drawn = {f"params.{name}": each[played.episode] for name, each in (draws or {}).items()}
        params = {**parameter_values(design), **drawn}
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
        computed = self._episodes.valued(values, stops - played.lengths, stops, played.rewards)
        if not np.isfinite(computed.rewards).all():
            raise _finding(
                "ladder.not_finite",
                "the design's reward has no finite value in some state",
                "",
                "Guard the formula, or keep the state within its bounds.",
            )
        return computed

    def _load(self, source: str) -> str:
        """How a row becomes an action of this environment; the first instance is made for it."""
        loaded = self._candidate.load(source, "Environment")
        if isinstance(loaded, Trouble):
            raise _trouble(loaded, "importing the module")
        made = self._candidate.make(0, _arguments(self._design))
        if made is not None:
            raise _trouble(made, "Environment(...)")
        spaces = self._candidate.spaces(0)
        if isinstance(spaces, Trouble):
            raise _trouble(spaces, "reading the spaces")
        return spaces[1].form


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


def unusable(refused: policies.PolicyRefused) -> CannotMeasure:
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
