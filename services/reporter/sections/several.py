"""Several trainings: the seeds side by side, and the search for hyperparameters."""

from __future__ import annotations

from kit.contracts.outcomes import Tuning
from kit.contracts.reports import ReportRequest
from kit.prose import Prose
from services.reporter.lookups import better, readable
from services.reporter.marks import NOTHING, code, inline, interval, number, table, unit

MOST_TRIALS = 30


def seeds(report: ReportRequest, prose: Prose) -> str:
    """Nothing where one seed was trained."""
    trained = report.outcome.seeds
    if not trained:
        return ""
    primary = report.design.metrics[0]
    rows = [
        (
            f"**{one.seed}**" if one.kept else str(one.seed),
            interval(one.primary),
            interval(one.reward),
            readable(one.verdict.value).lower(),
        )
        for one in trained
    ]
    head = ("seed", f"{inline(readable(primary.name))}{unit(primary.unit)}, {better(primary)}", "reward", "alone")
    kept = next((str(one.seed) for one in trained if one.kept), NOTHING)
    return prose.fill("seeds", count=len(trained), kept=kept, table=table(head, rows, right=(0, 1, 2)))


def tuning(report: ReportRequest, prose: Prose) -> str:
    """Nothing where nothing was searched."""
    of = report.outcome.tuning
    if of is None:
        return ""
    primary = report.design.metrics[0]
    ordered = sorted(of.importances, key=lambda one: -one.value)
    return prose.fill(
        "tuning",
        count=len(of.trials),
        pruned=sum(trial.pruned for trial in of.trials),
        metric=f"{inline(readable(primary.name))}{unit(primary.unit)}, {better(primary)}",
        default=interval(of.default_primary),
        tuned=interval(of.tuned_primary),
        best=of.best,
        importances=", ".join(f"{code(one.name)} {100 * one.value:.0f} %" for one in ordered) or NOTHING,
        table=_trials(of),
    )


def _trials(of: Tuning) -> str:
    """The best ones, and trial 0."""
    names = list(dict.fromkeys(one.name for trial in of.trials for one in trial.hyperparameters))
    shown = [trial for trial in of.trials if trial.value is not None or trial.pruned][:MOST_TRIALS]
    rows = []
    for trial in shown:
        values = {one.name: one.value for one in trial.hyperparameters}
        result = number(trial.value) if trial.value is not None else "pruned"
        label = f"**{trial.number}**" if trial.number == of.best else str(trial.number)
        rows.append((label, result, *(number(values.get(name)) for name in names)))
    head = ("trial", "validation", *(code(name) for name in names))
    return table(head, rows, right=range(len(head)))
