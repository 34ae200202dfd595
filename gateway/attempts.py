"""Attempts: what a revised design may not change, what the designer learns from a verdict, and which attempt counts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from gateway.wording import numbers_of, one_line
from kit.contracts.design import EnvDesign
from kit.contracts.design.goals import Direction
from kit.contracts.design.parameters import Source
from kit.contracts.findings import Blame, Finding, Severity
from kit.contracts.outcomes import TrainOutcome, VerdictKind
from kit.contracts.reports import Attempt

POINTS: Final = 6  # of a curve


def moved_goals(old: EnvDesign, new: EnvDesign, errors: Sequence[Finding] = ()) -> str:
    """What a revision changed of what the user wants; empty where it left all that alone.

    Metrics with their targets, what the user gave, and the rules to beat: with other ones, no two attempts compare.
    errors: what it was revised for; a metric that can't be computed may get another formula.
    """
    free = {"meaning"}
    if any(error.check.startswith("metric.") for error in errors):
        free |= {"formula", "per", "aggregate"}
    goals = [{metric.name: metric.model_dump(exclude=free) for metric in each.metrics} for each in (old, new)]
    if list(goals[0]) != list(goals[1]):
        return "which metrics there are"
    if changed := [name for name in goals[0] if goals[0][name] != goals[1][name]]:
        return f"the metric {changed[0]}"
    given = {each.name: each.values for each in old.parameters if each.source is Source.GIVEN}
    now = {each.name: each.values for each in new.parameters}
    if changed := [name for name in given if given[name] != now.get(name)]:
        return f"the given parameter {changed[0]}"
    rules = {rule.name for rule in new.baselines}
    if dropped := [rule.name for rule in old.baselines if rule.name not in rules]:
        return f"the rule to beat, {dropped[0]}"
    return ""


def reflection(outcome: TrainOutcome) -> tuple[Finding, ...]:
    """What the designer gets to revise a design by: the verdict, and what shows it."""
    verdict = outcome.verdict
    assert verdict is not None
    because = f"The reward component {verdict.component} explains it." if verdict.component else ""
    trace = f"The episode of test seed {verdict.trace_seed} shows it." if verdict.trace_seed is not None else ""
    first = Finding(
        check=f"verdict.{verdict.kind.lower()}",
        severity=Severity.ERROR,
        blame=Blame.DESIGN,
        message=verdict.reason,
        evidence=" ".join(filter(None, (because, trace))),
        remedy=verdict.remedy or "Change the reward or the observation so that what is paid is what is wanted.",
    )
    shown = (("ladder", _ladder(outcome)), ("components", _components(outcome)), ("curves", _curves(outcome)))
    return first, *(_shown(what, evidence) for what, evidence in shown if evidence)


def best_of(attempts: Sequence[Attempt]) -> int:
    """Which attempt counts, from 1: by the primary metric on the validation seeds.

    An attempt without that figure counts for less than one with it. Of equals one that learned, then the first.
    """
    sign = 1 if attempts[0].design.metrics[0].direction is Direction.HIGHER else -1

    def worth(number: int) -> tuple[bool, float, bool, int]:
        outcome = attempts[number - 1].outcome
        measured = outcome.validation_primary
        learned = outcome.verdict is not None and outcome.verdict.kind is VerdictKind.LEARNED
        return measured is not None, sign * (measured or 0.0), learned, -number

    return max(range(1, len(attempts) + 1), key=worth)


def folder_of(number: int) -> str:
    """Where the artifacts of an attempt lie that was not chosen."""
    return f"attempt-{number}"


def in_folder(attempt: Attempt, number: int) -> Attempt:
    """The attempt with its artifacts named as they lie there."""
    named = tuple(
        artifact.model_copy(update={"name": f"{folder_of(number)}/{artifact.name}"})
        for artifact in attempt.outcome.artifacts
    )
    return attempt.model_copy(update={"outcome": attempt.outcome.model_copy(update={"artifacts": named})})


def _shown(what: str, evidence: str) -> Finding:
    message = {
        "ladder": "What each policy reached on the test seeds, mean over episodes.",
        "components": "What each weighted reward component added per episode, at the start and at the end of training.",
        "curves": "Reward and metrics in the evaluations during training.",
    }[what]
    return Finding(
        check=f"verdict.{what}", severity=Severity.NOTE, blame=Blame.DESIGN, message=message, evidence=evidence
    )


def _ladder(outcome: TrainOutcome) -> str:
    rows = outcome.ladder.rows if outcome.ladder is not None else ()
    return "; ".join(
        f"{one_line(row.policy, 60)}: reward {row.reward.mean:.4g}, "
        + numbers_of((metric.name, metric.interval.mean) for metric in row.metrics)
        for row in rows
    )


def _components(outcome: TrainOutcome) -> str:
    shares = outcome.training.components if outcome.training is not None else ()
    return "; ".join(f"{share.name}: {share.first:.4g} at first, {share.last:.4g} at last" for share in shares)


def _curves(outcome: TrainOutcome) -> str:
    evaluations = outcome.training.evaluations if outcome.training is not None else ()
    stride = max(1, -(-len(evaluations) // POINTS))
    kept = evaluations[::-1][::stride][::-1]  # the last one always
    return "; ".join(
        f"after {each.timesteps:,} steps: "
        + numbers_of([("reward", each.mean_reward), *((metric.name, metric.value) for metric in each.metrics)])
        for each in kept
    )
