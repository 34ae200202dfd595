"""Cases of verdicts.py that the product's own trainer learns; what it decides is taken as it is."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from benchmarks.verdict_cases import Case
from kit.contracts.outcomes import PolicyKind, TrainOutcome, Verdict
from kit.sandbox.driver import SandboxDriver
from services.trainer.training import Training, TrainSettings


@dataclass(frozen=True)
class Trained:
    """means: as a case's fact sees them."""

    verdict: Verdict
    means: Mapping[str, float]


async def train(driver: SandboxDriver, case: Case) -> Trained:
    """With case.seeds seeds; and once with more steps, where the fact asks for it."""
    outcome = await _outcome(driver, case, case.steps, case.seeds)
    if outcome.verdict is None:
        raise SystemExit(f"NOT MEASURED: {case.name}: {[finding.message for finding in outcome.findings]}")
    means = dict(_means(outcome))
    if case.more:
        means["long.goods"] = _means(await _outcome(driver, case, case.steps * case.more, 1))["goods"]
    return Trained(outcome.verdict, means)


async def _outcome(driver: SandboxDriver, case: Case, steps: int, seeds: int) -> TrainOutcome:
    with tempfile.TemporaryDirectory() as folder:
        return await Training(driver).train(
            case.world.source(case.name),
            case.world.design(case.name),
            TrainSettings(total_timesteps=steps, seeds=seeds),
            Path(folder),
            "verdicts",
        )


def _means(outcome: TrainOutcome) -> dict[str, float]:
    """The metric of the trained policy, of the rule and of the best constant on the test seeds."""
    names = {PolicyKind.TRAINED: "goods", PolicyKind.BASELINE: "rule.goods", PolicyKind.CONSTANT: "always.goods"}
    rows = outcome.ladder.rows if outcome.ladder else ()
    return {names[row.kind]: row.metrics[0].interval.mean for row in rows if row.kind in names}
