"""What was assumed, and how far the evidence reaches."""

from __future__ import annotations

from kit.contracts.design import Parameter, Source
from kit.contracts.reports import ReportRequest
from kit.prose import Prose
from services.reporter.claims import Claims
from services.reporter.marks import NOTHING, code, inline, number, table, unit

MOST_VALUES = 12


def assumptions(report: ReportRequest, prose: Prose) -> str:
    assumed = report.design.assumed
    given = [parameter for parameter in report.design.parameters if parameter.source is Source.GIVEN]
    return prose.fill(
        "assumptions",
        assumed=table(("parameter", "meaning", "value", "why"), ((*_row(p), inline(p.why) or NOTHING) for p in assumed))
        if assumed
        else prose.fill("nothing_assumed"),
        given=table(("parameter", "meaning", "value"), map(_row, given)) if given else prose.fill("nothing_given"),
    )


def _row(parameter: Parameter) -> tuple[str, str, str]:
    values = ", ".join(number(value) for value in parameter.values[:MOST_VALUES])
    more = "" if len(parameter.values) <= MOST_VALUES else ", …"
    shape = "" if not parameter.shape else f" [{' × '.join(map(str, parameter.shape))}]"
    return code(parameter.name), inline(parameter.meaning) + unit(parameter.unit), f"{values}{more}{shape}"


def limits(report: ReportRequest, claims: Claims, prose: Prose) -> str:
    parity = prose.fill(
        "parity", observations=number(claims.parity.observations), differ=number(claims.parity.differ)
    ) if claims.parity else prose.fill("no_parity")  # fmt: skip
    count = len(report.outcome.seeds)
    seeds = prose.fill("several_seeds", count=count) if count else prose.fill("one_seed")
    return prose.fill("limits", seeds=seeds, sandbox=inline(report.sandbox), parity=parity)
