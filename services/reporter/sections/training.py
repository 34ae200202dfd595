"""How training went, and which parts of the reward drove what was learned."""

from __future__ import annotations

from collections.abc import Sequence

from kit.contracts.outcomes import Evaluation, TrainingReport
from kit.contracts.reports import ReportRequest
from kit.prose import Prose
from services.reporter.claims import Claims, Resumed
from services.reporter.lookups import readable
from services.reporter.marks import NOTHING, change, code, duration, inline, number, signed, table, unit
from services.reporter.sections.levels import levels
from services.reporter.sections.several import seeds, tuning

MOST_EVALUATIONS = 12


def training(report: ReportRequest, claims: Claims, prose: Prose, course: bool = False) -> str:
    """course: whether there is a figure of components and metrics over the training."""
    of = report.outcome.training
    if of is None:
        return prose.fill("not_trained")
    return prose.fill(
        "training",
        algorithm=inline(of.algorithm),
        why=inline(of.why_algorithm),
        engine=inline(of.engine),
        steps=number(of.total_timesteps),
        n_envs=of.n_envs,
        seed=of.seed,
        time=duration(of.wall_s),
        rate=number(float(round(of.steps_per_s))),
        chosen=_chosen(of, claims, prose),
        hyperparameters=", ".join(f"{code(one.name)} {number(one.value)}" for one in of.hyperparameters) or NOTHING,
        evaluations=_evaluations(report, of.evaluations) if of.evaluations else prose.fill("no_evaluations"),
        figure=prose.fill("figure_curve") if of.evaluations else "",
        components=_components(of, prose),
        course=prose.fill("course") if course else "",
        levels=levels(report, prose),
        seeds=seeds(report, prose),
        tuning=tuning(report, prose),
    )


def _chosen(of: TrainingReport, claims: Claims, prose: Prose) -> str:
    twin = f"The batched twin: {inline(of.twin)}." if of.twin else ""
    chosen = prose.fill("chosen_at", steps=number(claims.chosen_at)) if claims.chosen_at else ""
    early = prose.fill("stopped_early", why=inline(claims.stopped_early)) if claims.stopped_early else ""
    anew = prose.fill("began_anew", why=inline(claims.not_resumed)) if claims.not_resumed else ""
    parts = [inline(claims.why_engine), twin, inline(claims.why_episodes), chosen, early, anew]
    parts += [_resumed(one, prose) for one in claims.resumed]
    return " ".join(part for part in parts if part)


def _resumed(one: Resumed, prose: Prose) -> str:
    return prose.fill(
        "resumed", steps=number(one.after.timesteps), episodes="went on" if one.episodes_went_on else "began anew"
    )


def _evaluations(report: ReportRequest, evaluations: Sequence[Evaluation]) -> str:
    """A dozen of them, the first and the last always among them; all are in results.csv and the figure."""
    metrics = report.design.metrics[:3]
    stride = max(1, -(-len(evaluations) // MOST_EVALUATIONS))
    shown = [*evaluations[:-1:stride], evaluations[-1]]
    rows = []
    for one in shown:
        values = {metric.name: metric.value for metric in one.metrics}
        reward = f"{number(one.mean_reward)} ± {number(one.std_reward)}"
        rows.append((number(one.timesteps), reward, *(number(values.get(metric.name)) for metric in metrics)))
    head = ("steps", "reward an episode", *(inline(readable(m.name)) + unit(m.unit) for m in metrics))
    return table(head, rows, right=range(len(head)))


def _components(of: TrainingReport, prose: Prose) -> str:
    if not of.components:
        return prose.fill("no_components")
    changes = {share.name: change(share.first, share.last) for share in of.components}
    moved = sum(map(abs, changes.values()))
    rows = [
        (
            code(share.name),
            number(share.first),
            number(share.last),
            signed(changes[share.name]),
            f"{100 * abs(changes[share.name]) / moved:.0f} %" if moved else NOTHING,
        )
        for share in of.components
    ]
    head = ("component", "at the start", "at the end", "change", "of all change")
    most = max(changes, key=lambda name: abs(changes[name]))
    page = "components_rose" if changes[most] >= 0 else "components_fell"
    return prose.fill(
        "components",
        table=table(head, rows, right=(1, 2, 3, 4)),
        driver=prose.fill(page, name=code(most), change=signed(changes[most])),
        total=signed(float(f"{sum(changes.values()):.4g}")),
    )
