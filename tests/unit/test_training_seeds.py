"""Several seeds: which policy is kept, and what they say together."""

from __future__ import annotations

from pathlib import Path

import pytest

from kit.contracts.findings import Blame
from kit.contracts.outcomes import PolicyKind, VerdictKind
from services.trainer import leavings, seeds
from services.trainer.inside.payloads import LadderClaim, TrainClaim
from services.trainer.seeds import Trained
from tests.unit.test_verdict import HIGHER, LOWER, design, others, rung


def trained(seed: int, metric: float, reward: float | None = None, folder: Path = Path()) -> Trained:
    """A policy with this primary metric, against a rule with 5."""
    policies = (*others(), rung(PolicyKind.TRAINED, metric, metric if reward is None else reward))
    return Trained(seed, TrainClaim(), LadderClaim(policies=policies, validation=(metric,)), folder)


@pytest.mark.parametrize(
    ("direction", "metrics", "kept"),
    [
        (HIGHER, (1.0, 9.0, 5.0), 2),
        (LOWER, (1.0, 9.0, 5.0), 2),
        (HIGHER, (1.0, 9.0), 0),  # of two the worse one
        (LOWER, (1.0, 9.0), 1),
        (HIGHER, (4.0,), 0),
    ],
)
def test_the_median_on_the_validation_seeds_is_kept(direction, metrics, kept):
    found = seeds.kept_of(design(direction), [trained(n, metric) for n, metric in enumerate(metrics)])
    assert found.seed == kept


@pytest.mark.parametrize(
    ("metrics", "kind"),
    [
        ((9.0, 9.0, 9.0), VerdictKind.LEARNED),
        ((9.0, 9.0, 1.0), VerdictKind.UNSTABLE),
        ((9.0, 1.0, 1.0), VerdictKind.UNSTABLE),
        ((9.0, 1.0), VerdictKind.UNDERTRAINED),  # two can't say whether seeds agree
        ((9.0, 9.0, 8.0), VerdictKind.LEARNED),
        ((5.1, 5.1, 5.0), VerdictKind.LEARNED),  # one did not learn, by a hair
        ((1.0, 1.0, 2.0), VerdictKind.UNDERTRAINED),  # they agree that too little was learned
        ((-1.0, -1.0, -1.0), VerdictKind.NO_BETTER_THAN_BASELINE),  # or nothing
    ],
)
def test_three_seeds_that_disagree_are_unstable(metrics, kind):
    group = [trained(n, metric) for n, metric in enumerate(metrics)]
    if metrics == (5.1, 5.1, 5.0):
        group[2] = trained(2, 5.0001)
    whole = design(HIGHER)
    said = seeds.together(whole, group, seeds.kept_of(whole, group))
    assert said.kind is kind, said.reason
    if kind is VerdictKind.UNSTABLE:
        assert said.blame is Blame.BUDGET


def test_the_reason_counts_the_seeds_and_has_the_metric_over_all():
    group = [trained(n, metric) for n, metric in enumerate((9.0, 9.0, 9.0))]
    whole = design(HIGHER)
    reason = seeds.together(whole, group, group[0]).reason
    assert "Of 3 training seeds 3 learned; goods over all of them: interquartile mean 9" in reason
    assert "not known" not in reason


def test_most_seeds_that_hack_make_a_hacked_reward():
    group = [trained(0, 9.0), trained(1, 1.0, reward=20.0), trained(2, 1.0, reward=20.0)]
    whole = design(HIGHER)
    assert seeds.together(whole, group, group[0]).kind is VerdictKind.REWARD_HACKED


def test_a_seed_that_learned_and_is_paid_more_acquits_the_reward():
    group = [trained(0, 9.0, reward=30.0), trained(1, 1.0, reward=20.0), trained(2, 1.0, reward=20.0)]
    whole = design(HIGHER)
    assert seeds.together(whole, group, group[1]).kind is VerdictKind.UNSTABLE


def test_every_seed_has_a_row_and_the_verdict_it_would_get_alone():
    group = [trained(3, 9.0), trained(4, 1.0)]
    rows = seeds.rows(design(HIGHER), group, group[1])
    assert [(row.seed, row.primary.mean, row.kept) for row in rows] == [(3, 9.0, False), (4, 1.0, True)]
    assert [row.verdict for row in rows] == [VerdictKind.LEARNED, VerdictKind.UNDERTRAINED]
    assert seeds.rows(design(HIGHER), group[:1], group[0]) == ()


def test_the_kept_policys_files_go_up_and_the_others_keep_only_small_ones(tmp_path):
    for seed in ("1", "2"):
        folder = tmp_path / leavings.SEEDS / seed
        folder.mkdir(parents=True)
        for name in ("model.zip", "policy.onnx", "results.csv"):
            (folder / name).write_text(seed)
    leavings.keep(tmp_path, tmp_path / leavings.SEEDS / "2")
    names = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()}
    assert names == {"model.zip", "policy.onnx", "results.csv", "seeds/1/policy.onnx", "seeds/1/results.csv"}
    assert (tmp_path / "model.zip").read_text() == "2"
