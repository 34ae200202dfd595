"""The verdict: what was learned, from the ladder's episodes and the evaluations. Pure: no clock, no network, no chance.

In order: REWARD_HACKED, UNSTABLE, LEARNED, UNDERTRAINED, NO_BETTER_THAN_BASELINE. This is the verdict on one trained
policy; where several seeds were trained, seeds.py decides from theirs.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Final

from kit.contracts.design import EnvDesign, Metric
from kit.contracts.findings import Blame, Finding
from kit.contracts.outcomes import ComponentShare, Evaluation, PolicyKind, Verdict, VerdictKind
from services.trainer import contest as contests
from services.trainer import curves, intervals
from services.trainer.contest import Contest, number, score, signed, span
from services.trainer.inside.contests import sign_of
from services.trainer.inside.payloads import PolicyEpisodes

ONE_SEED: Final = "One training seed was run, so whether other seeds agree is not known."
FELL_SHORT: Final = 3  # times the budget, where no curve says how much is missing
PAYS_OTHERWISE: Final = "training.reward"  # the finding that the code pays something else than the design


def verdict(
    design: EnvDesign,
    policies: Sequence[PolicyEpisodes],
    evaluations: Sequence[Evaluation] = (),
    shares: Sequence[ComponentShare] = (),
    findings: Sequence[Finding] = (),
    shown_seed: int | None = None,
    remark: str = ONE_SEED,
) -> Verdict:
    """policies: all rungs of the ladder, on the same seeds, the trained one among them. shares: from the training.

    shown_seed: of the traced episode. remark: how many seeds were trained, in a sentence; it ends every reason.
    """
    metric = design.metrics[0]
    contest = contests.against_the_best(metric, policies)
    decided = (
        _incomparable(metric) if contest is None else _decided(design, contest, policies, evaluations, tuple(shares))
    )
    whose = decided.blame
    if whose is Blame.DESIGN and any(finding.check == PAYS_OTHERWISE for finding in findings):
        whose = Blame.CODE  # it was trained on a reward that is not the design's
    reason = f"{decided.reason} {remark}".strip()
    return decided.model_copy(update={"reason": reason, "blame": whose, "trace_seed": shown_seed})


def _decided(
    design: EnvDesign,
    contest: Contest,
    policies: Sequence[PolicyEpisodes],
    evaluations: Sequence[Evaluation],
    shares: tuple[ComponentShare, ...],
) -> Verdict:
    metric = contest.metric
    moved = contests.changes(shares)
    half = _against_half(metric, policies)
    if contest.hacks:
        return _hacked(contest, *_by_ladder(design, contest, contest.other.policy))
    if not contest.beats:
        if half is not None and half.hacks:
            return _hacked(contest, *_by_ladder(design, half, "it had itself half way"))
        if (apart := curves.parted(evaluations, metric.name, sign_of(metric))) is not None:
            return _hacked(contest, _by_curve(metric, *apart), contests.most(moved))
    # The evaluations have other seeds than the ladder, so their means say little of who is better; episodes do.
    rewards = contest.other.rewards
    worth = -inf if contest.beats else sum(rewards) / len(rewards)
    fallen = curves.collapsed(evaluations, _untrained(policies), worth)
    if fallen is not None:
        return _collapsed(contest, evaluations, *fallen, contests.largest(moved))
    if contest.beats:
        return Verdict(
            kind=VerdictKind.LEARNED, reason=score(contest), component=contests.largest(contests.gains(design, contest))
        )
    untrained = _untrained(policies)
    if curves.still_rising(evaluations, untrained) or (half is not None and _improved(half, untrained)):
        return _undertrained(contest, evaluations, contests.largest(moved))
    if _fell_short(contest, untrained):
        return _short_of(contest, evaluations, contests.largest(moved))
    return _no_better(design, contest)


def _against_half(metric: Metric, policies: Sequence[PolicyEpisodes]) -> Contest | None:
    """The trained policy against itself half way."""
    half = next((one for one in policies if one.kind is PolicyKind.HALF_TRAINED), None)
    trained = next(one for one in policies if one.kind is PolicyKind.TRAINED)
    return None if half is None else contests.between(metric, trained, half)


def _improved(half: Contest, untrained: float) -> bool:
    """In its second half the training surely added a noticeable share of all the reward that it added."""
    added = sum(half.trained.rewards) / len(half.trained.rewards) - untrained
    return half.paid.low > 0 and half.paid.mean > curves.NOTICEABLE * added


def _fell_short(contest: Contest, untrained: float) -> bool:
    """Training surely added reward, and the best of the others surely gets a noticeable share of that more, and is
    surely better: what it is paid for can be had from what it sees, and it came to rest before it had it."""
    added = sum(contest.trained.rewards) / len(contest.trained.rewards) - untrained
    surely_less = contest.better.high < 0 and contest.paid.high < 0
    return surely_less and added > 0 and -contest.paid.mean > curves.NOTICEABLE * added


def _untrained(policies: Sequence[PolicyEpisodes]) -> float:
    """The reward of random actions; plus infinity where they were not measured."""
    found = [intervals.of_mean(one.rewards) for one in policies if one.kind is PolicyKind.RANDOM]
    return found[0].mean if found and found[0] is not None else inf


def _hacked(contest: Contest, how: str, component: str) -> Verdict:
    bound = f"bound {component}, which can be earned without it" if component else "bound what can be earned without it"
    return Verdict(
        kind=VerdictKind.REWARD_HACKED,
        reason=f"{how} {score(contest)}",
        remedy=f"Pay for {contest.metric.name} itself, or {bound}.",
        blame=Blame.DESIGN,
        component=component,
    )


def _by_ladder(design: EnvDesign, contest: Contest, than: str) -> tuple[str, str]:
    """The rewards against each other, and the component that makes the difference."""
    gained = contests.gains(design, contest)
    component = contests.most(gained)
    most = f", most of it from {component} ({signed(gained[component])})," if component else ""
    said = (
        f"The trained policy gets {number(contest.paid.mean)} more reward an episode than {than} "
        f"({span(contest.paid)}){most} and is worse at what is wanted."
    )
    return said, component


def _by_curve(metric: Metric, gained: float, lost: float) -> str:
    return (
        f"While it trained, the reward rose by {number(gained)} and {metric.name} got worse by {number(lost)}, "
        "from the first to the last third of the evaluations."
    )


def _collapsed(
    contest: Contest, evaluations: Sequence[Evaluation], highest: float, last: float, component: str
) -> Verdict:
    return Verdict(
        kind=VerdictKind.UNSTABLE,
        reason=f"The reward on validation seeds rose to {number(highest)} and fell to {number(last)} by the end, after "
        f"{evaluations[-1].timesteps} steps; the policy that was kept is the best on the way. {score(contest)}",
        remedy="Train several seeds, with a smaller learning_rate; what was kept may be good by luck.",
        blame=Blame.BUDGET,
        component=component,
    )


def _undertrained(contest: Contest, evaluations: Sequence[Evaluation], component: str) -> Verdict:
    trained = f" at {evaluations[-1].timesteps} steps" if evaluations else ""
    metric = contest.metric
    wanted = intervals.of_mean(contest.other.metrics[0])
    assert wanted is not None
    enough = curves.enough_steps(evaluations, metric.name, sign_of(metric), wanted.mean)
    remedy = (
        f"By the fit of the curve {metric.name} levels off before it is better than {contest.other.policy}: change the "
        "hyperparameters, what the agent sees or what it is paid for, before training longer."
        if enough is None
        else f"Train longer: {enough} steps, say."
    )
    return Verdict(
        kind=VerdictKind.UNDERTRAINED,
        reason=f"{score(contest)} Its reward was still rising when training stopped{trained}.",
        remedy=remedy,
        blame=Blame.BUDGET,
        component=component,
        suggested_timesteps=enough,
    )


def _short_of(contest: Contest, evaluations: Sequence[Evaluation], component: str) -> Verdict:
    """A curve at rest does not say that more is of no use: the learning rate falls to nothing with the budget."""
    return Verdict(
        kind=VerdictKind.UNDERTRAINED,
        reason=f"{score(contest)} Its reward no longer rises, but {contest.other.policy} gets "
        f"{number(-contest.paid.mean)} more an episode from the same observations: training fell short of what it was "
        "paid for.",
        remedy="Train several times as long, since the learning rate falls with the budget; or search for "
        "hyperparameters.",
        blame=Blame.BUDGET,
        component=component,
        suggested_timesteps=FELL_SHORT * evaluations[-1].timesteps if evaluations else None,
    )


def _no_better(design: EnvDesign, contest: Contest) -> Verdict:
    """Nobody is to blame for a tie at equal reward. Where the other is surely better and gets surely more reward, too,
    training fell short of what it was paid for; in all other cases what it is paid for, or sees, has to change."""
    lost = {name: -gain for name, gain in contests.gains(design, contest).items()}
    blame: Blame | None = Blame.DESIGN
    remedy = "Or give the agent what it lacks: an observation that matters, a reward nearer to the metric."
    if contest.better.high >= 0 and contest.paid.low <= 0:
        blame, remedy = None, "It is as good and needs no training."
    elif contest.better.high < 0 and contest.paid.high < 0:
        blame = Blame.BUDGET
        remedy = "It gets more reward, too, so training fell short of what it was paid for: search for "
        remedy += "hyperparameters, or train several seeds for longer."
    return Verdict(
        kind=VerdictKind.NO_BETTER_THAN_BASELINE,
        reason=f"{score(contest)} The reward no longer rises.",
        remedy=f"Use {contest.other.policy}. {remedy}",
        blame=blame,
        component=contests.most(lost) if blame is not None else "",
    )


def _incomparable(metric: Metric) -> Verdict:
    return Verdict(
        kind=VerdictKind.NO_BETTER_THAN_BASELINE,
        reason=f"The primary metric {metric.name} has no value in any episode that could be compared.",
        remedy=f"Define {metric.name} so that every episode has a value; a ratio needs a denominator above zero.",
        blame=Blame.DESIGN,
    )
