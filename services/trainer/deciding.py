"""Deciding: from trained and measured policies to the outcome, and to the files that prove it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from kit.contracts.design import EnvDesign
from kit.contracts.outcomes import TrainOutcome, Tuning
from services.trainer import leavings, seeds
from services.trainer.ladder import ladder_of
from services.trainer.seeds import Trained


def outcome_of(design: EnvDesign, trained: Sequence[Trained], into: Path, tuning: Tuning | None = None) -> TrainOutcome:
    """From all seeds to what became of it; the folder then holds the kept policy's files and the others' small ones."""
    failed = next((one for one in trained if one.failed or one.claim.report is None), None)
    if failed is not None:
        return TrainOutcome(findings=failed.findings, training=failed.claim.report, artifacts=leavings.artifacts(into))
    kept = seeds.kept_of(design, trained)
    for one in trained:
        leavings.write(one.folder / "ladder_episodes.json", one.measured)
    ladder = ladder_of(design, kept.measured)
    leavings.write(kept.folder / "ladder.json", ladder)
    if kept.measured.shown_seed is not None:
        leavings.write_traces(kept.folder / leavings.TRACE_FILE, kept.measured.shown_seed, kept.traces)
    leavings.keep(into, kept.folder)
    return TrainOutcome(
        findings=kept.findings,
        training=kept.claim.report,
        ladder=ladder,
        verdict=seeds.together(design, trained, kept),
        seeds=seeds.rows(design, trained, kept),
        tuning=tuning,
        validation_primary=kept.validation_primary,
        artifacts=leavings.artifacts(into),
    )
