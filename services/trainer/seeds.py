"""Seeds: several policies, trained alike but for the seed; which one is kept, and what they say together. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from kit.contracts.design import EnvDesign
from kit.contracts.findings import Blame, Finding, Severity
from kit.contracts.outcomes import Interval, TrainedSeed, Verdict, VerdictKind
from services.trainer import contest as contests
from services.trainer import intervals
from services.trainer.contest import number, span
from services.trainer.inside.contests import sign_of, trained_of
from services.trainer.inside.payloads import LadderClaim, PolicyEpisodes, Trace, TrainClaim
from services.trainer.verdict import ONE_SEED, verdict

LEAST: Final = 3  # seeds, before they can be said to agree or not
APART: Final = 0.5  # of what the best of them gains may lie between the best and the worst


@dataclass(frozen=True)
class Trained:
    """One policy: what its first box claims, what the second measured, and where the files are."""

    seed: int
    claim: TrainClaim
    measured: LadderClaim
    folder: Path
    traces: tuple[Trace, ...] = ()

    @property
    def findings(self) -> tuple[Finding, ...]:
        return self.claim.findings + self.measured.findings

    @property
    def failed(self) -> bool:
        """It has no policy, or none that could be measured; the findings say why."""
        return any(finding.severity is Severity.ERROR for finding in self.findings)

    @property
    def validation_primary(self) -> float | None:
        """The mean of the primary metric on the validation seeds."""
        mean = intervals.of_mean(self.measured.validation)
        return None if mean is None else mean.mean

    @property
    def primary(self) -> Interval | None:
        """The primary metric on the test seeds; None where it has no value."""
        return intervals.of_mean(trained_of(self.measured.policies).metrics[0])

    def alone(self, design: EnvDesign, remark: str = "") -> Verdict:
        """What this policy would get by itself."""
        report = self.claim.report
        return verdict(
            design,
            self.measured.policies,
            report.evaluations if report else (),
            report.components if report else (),
            self.claim.findings,
            self.measured.shown_seed,
            remark,
        )


def kept_of(design: EnvDesign, trained: Sequence[Trained]) -> Trained:
    """The median by the primary metric on the validation seeds; of two in the middle the worse one."""
    return sorted(trained, key=lambda one: worth(design, one))[(len(trained) - 1) // 2]


def worth(design: EnvDesign, trained: Trained) -> float:
    """What decides between policies: the primary metric on the validation seeds; higher is better."""
    value = trained.validation_primary
    return float("-inf") if value is None else sign_of(design.metrics[0]) * value


def together(design: EnvDesign, trained: Sequence[Trained], kept: Trained) -> Verdict:
    """The kept policy's verdict, unless three or more seeds hack or disagree."""
    if len(trained) == 1:
        return kept.alone(design, ONE_SEED)
    alone = [one.alone(design) for one in trained]
    of_kept = kept.alone(design, _across(design, trained, alone))
    if len(trained) < LEAST or of_kept.kind is VerdictKind.UNSTABLE:
        return of_kept
    hacked = [one for one in alone if one.kind is VerdictKind.REWARD_HACKED]
    aligned = _pays_to_learn(trained, alone)
    if of_kept.kind is VerdictKind.REWARD_HACKED and not aligned:
        return of_kept
    if 2 * len(hacked) >= len(alone) and not aligned:
        return hacked[0].model_copy(update={"reason": f"{hacked[0].reason} {_across(design, trained, alone)}"})
    if (distance := _disagreement(design, trained, alone)) is not None:
        return _unstable(design, of_kept, distance)
    return of_kept


def rows(design: EnvDesign, trained: Sequence[Trained], kept: Trained) -> tuple[TrainedSeed, ...]:
    """One for each seed; none where only one was trained, or where a policy's metric has no value."""
    if len(trained) == 1:
        return ()
    found = []
    for one in trained:
        reward, primary = intervals.of_mean(trained_of(one.measured.policies).rewards), one.primary
        if reward is not None and primary is not None:
            kind = one.alone(design).kind
            found.append(TrainedSeed(seed=one.seed, reward=reward, primary=primary, verdict=kind, kept=one is kept))
    return tuple(found)


def _pays_to_learn(trained: Sequence[Trained], alone: Sequence[Verdict]) -> bool:
    """Whether a seed that learned gets surely more reward than every seed that hacked.

    These are stuck short of what the reward asks for, then, and the reward is not to blame.
    """
    policies = [(trained_of(one.measured.policies), said.kind) for one, said in zip(trained, alone, strict=True)]
    hackers = [policy for policy, kind in policies if kind is VerdictKind.REWARD_HACKED]
    learners = [policy for policy, kind in policies if kind is VerdictKind.LEARNED]

    def paid_more(ours: PolicyEpisodes, theirs: PolicyEpisodes) -> bool:
        made = intervals.of_difference(ours.rewards, theirs.rewards)
        return made is not None and made.low > 0

    return any(all(paid_more(one, hacker) for hacker in hackers) for one in learners)


def _disagreement(design: EnvDesign, trained: Sequence[Trained], alone: Sequence[Verdict]) -> Interval | None:
    """How far the best seed is ahead of the worst, where some learned and some did not, and that is no hair's breadth.

    It is one where it is within the luck of the episodes, or half of what the best seed gains over the best other.
    """
    if len({one.kind is VerdictKind.LEARNED for one in alone}) == 1:
        return None
    metric = design.metrics[0]
    policies = [trained_of(one.measured.policies) for one in trained]
    ranked = sorted(
        (sign_of(metric) * mean.mean, n)
        for n, policy in enumerate(policies)
        if (mean := intervals.of_mean(policy.metrics[0])) is not None
    )
    best, worst = policies[ranked[-1][1]], policies[ranked[0][1]]
    apart = contests.between(metric, best, worst)
    gain = contests.against_the_best(metric, trained[ranked[-1][1]].measured.policies)
    if apart is None or gain is None or apart.better.low <= 0:
        return None
    return apart.better if apart.better.mean > APART * abs(gain.better.mean) else None


def _unstable(design: EnvDesign, of_kept: Verdict, distance: Interval) -> Verdict:
    name = design.metrics[0].name
    return of_kept.model_copy(
        update={
            "kind": VerdictKind.UNSTABLE,
            "reason": f"The seeds disagree: in {name} the best is {number(distance.mean)} better than the worst "
            f"({span(distance)}). {of_kept.reason}",
            "remedy": "Train longer or with a smaller learning_rate, or search for hyperparameters; until the seeds "
            "agree, what was kept may be good by luck.",
            "blame": Blame.BUDGET,
            "suggested_timesteps": None,
        }
    )


def _across(design: EnvDesign, trained: Sequence[Trained], alone: Sequence[Verdict]) -> str:
    """How many learned, and the metric over all of them."""
    learned = sum(one.kind is VerdictKind.LEARNED for one in alone)
    metric = design.metrics[0]
    middle = intervals.of_iqm([trained_of(one.measured.policies).metrics[0] for one in trained])
    over_all = (
        ""
        if middle is None
        else f"; {metric.name} over all of them: interquartile mean {number(middle.mean)} ({span(middle)})"
    )
    few = "" if len(trained) >= LEAST else f" {LEAST} are needed to say whether seeds agree."
    return f"Of {len(trained)} training seeds {learned} learned{over_all}.{few}"
