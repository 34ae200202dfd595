"""The design and why: what the agent sees, does, is paid for and is measured by, as tables."""

from __future__ import annotations

from kit.contracts.design import ActionKind, ActionTerm, EnvDesign, Metric, ObservationTerm
from kit.contracts.reports import ReportRequest
from kit.prose import Prose
from services.reporter.lookups import better, readable
from services.reporter.marks import NOTHING, bullets, code, inline, number, table, unit


def design(report: ReportRequest, prose: Prose) -> str:
    of = report.design
    return prose.fill(
        "design",
        observation=table(("term", "meaning", "from", "to", "how"), map(_observation, of.observation), right=(2, 3)),
        numbers=sum(term.size for term in of.observation),
        action_kind=readable(of.action.kind.value).lower(),
        action=table(("term", "meaning", "choices or range"), (_action(of, term) for term in of.action.terms)),
        illegal=inline(of.action.illegal) or prose.fill("nothing_illegal"),
        steps="\n".join(f"{n}. {inline(step)}" for n, step in enumerate(of.dynamics.steps, 1)),
        step_length=f"{number(of.dynamics.step_length)} {inline(of.dynamics.step_unit, 40)}",
        reward=table(
            ("component", "meaning", "weight", "formula", "per step"),
            (
                (
                    code(c.name), inline(c.meaning), number(c.weight), code(c.formula),
                    f"{number(c.low)} to {number(c.high)}",
                )
                for c in of.reward
            ),
            right=(2,),
        ),
        step_limit=number(of.episode.step_limit),
        start=inline(of.episode.start),
        endings=_endings(of, prose),
        metrics=table(("metric", "meaning", "formula", "over an episode", "target"), map(_metric, of.metrics)),
        baselines=_baselines(of),
        decisions=bullets(f"**{inline(d.about)}** {inline(d.why)}" for d in of.reasoning) or prose.fill("no_decisions"),
    )  # fmt: skip


def _observation(term: ObservationTerm) -> tuple[str, ...]:
    size = f" × {term.size}" if term.size > 1 else ""
    how = code(term.formula) if term.formula else NOTHING
    return f"{code(term.name)}{size}", inline(term.meaning) + unit(term.unit), number(term.low), number(term.high), how


def _action(of: EnvDesign, term: ActionTerm) -> tuple[str, ...]:
    if of.action.kind is ActionKind.BOX:
        size = f", {term.size} numbers" if term.size > 1 else ""
        span = f"{number(term.low)} to {number(term.high)}{unit(term.unit)}{size}"
    elif term.labels:
        span = ", ".join(f"{n} {inline(label, 60)}" for n, label in enumerate(term.labels))
    else:
        span = f"0 to {(term.choices or 2) - 1}"
    return code(term.name), inline(term.meaning), span


def _endings(of: EnvDesign, prose: Prose) -> str:
    if not of.episode.endings:
        return prose.fill("no_endings")
    rows = (
        (code(e.name), inline(e.meaning), code(e.formula), "success" if e.success else "failure")
        for e in of.episode.endings
    )
    return table(("ending", "meaning", "when", "counts as"), rows)


def _metric(metric: Metric) -> tuple[str, ...]:
    formula = code(metric.formula) + (f" / {code(metric.per)}" if metric.per else "")
    over = f"{metric.aggregate.value.lower()}, {better(metric)}"
    return code(metric.name), inline(metric.meaning) + unit(metric.unit), formula, over, number(metric.target)


def _baselines(of: EnvDesign) -> str:
    parts = []
    for baseline in of.baselines:
        terms = [f"  - {code(term.term)}: {code(term.formula)}" for term in baseline.terms]
        parts.append("\n".join([f"- **{inline(readable(baseline.name))}**: {inline(baseline.meaning)}", *terms]))
    return "\n".join(parts)
