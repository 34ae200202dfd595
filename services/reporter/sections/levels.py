"""The curriculum as it went: when training was at which level, and whether it ever came to the last."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from kit.contracts.design import EnvDesign, Level
from kit.contracts.reports import ReportRequest
from kit.prose import Prose
from services.reporter.lookups import better, readable
from services.reporter.marks import NOTHING, code, inline, number, table, unit

OWN: Final = "nominal"  # what the trainer calls the level after all, with the design's own values


@dataclass(frozen=True)
class Stay:
    """At a level, from one step to another. values: the primary metric there, at each evaluation that has one."""

    began: int
    ended: int
    values: tuple[float, ...]


def levels(report: ReportRequest, prose: Prose) -> str:
    """Nothing where the design has no curriculum, or where nothing is known of the course."""
    design, of = report.design, report.outcome.training
    if not design.curriculum or of is None or not of.evaluations:
        return ""
    order = [*design.curriculum, *_behind(design)]
    stays = _stays(report)
    primary = design.metrics[0]
    rows = []
    for level in order:
        stay = stays.get(level.name)
        rows.append(
            (
                inline(readable(level.name)),
                _sets(level),
                number(level.opens_next_at),
                NOTHING if stay is None else number(stay.began),
                NOTHING if stay is None else number(stay.ended),
                " to ".join(number(value) for value in dict.fromkeys((stay.values[0], stay.values[-1])))
                if stay is not None and stay.values
                else NOTHING,
            )
        )
    metric = f"{inline(readable(primary.name))}{unit(primary.unit)}, {better(primary)}"
    head = ("level", "sets", "opens the next at", "from step", "to step", f"{metric}, there")
    return prose.fill(
        "levels", table=table(head, rows, right=(2, 3, 4, 5)), conclusion=_conclusion(design, order[-1], stays, prose)
    )


def _behind(design: EnvDesign) -> tuple[Level, ...]:
    """The parameters' own values, where the last level opens another."""
    return (Level(name=OWN, overrides=()),) if design.curriculum[-1].opens_next_at is not None else ()


def _stays(report: ReportRequest) -> dict[str, Stay]:
    """An evaluation names the level that training was at until then; what it opens begins there."""
    stays: dict[str, Stay] = {}
    at = 0
    assert report.outcome.training is not None
    for one in report.outcome.training.evaluations:
        before = stays.get(one.level, Stay(at, at, ()))
        values = () if one.level_primary is None else (one.level_primary,)
        stays[one.level] = Stay(before.began, one.timesteps, before.values + values)
        at = one.timesteps
    return stays


def _conclusion(design: EnvDesign, last: Level, stays: dict[str, Stay], prose: Prose) -> str:
    name = inline(readable(last.name))
    if last.name not in stays:
        where = next((level.name for level in reversed(design.curriculum) if level.name in stays), "")
        return prose.fill("levels_unfinished", last=name, level=inline(readable(where)) or NOTHING)
    stay, total = stays[last.name], max(one.ended for one in stays.values())
    done = prose.fill(
        "levels_finished",
        last=name,
        step=number(stay.began),
        share=f"{100 * (stay.ended - stay.began) / max(total, 1):.0f} %",
    )
    others = [one for one in last.overrides if one.values != _own(design, one.name)]
    if not others:
        return done
    return f"{done} {prose.fill('levels_elsewhere', last=name, names=', '.join(code(one.name) for one in others))}"


def _own(design: EnvDesign, name: str) -> tuple[float, ...]:
    return next((one.values for one in design.parameters if one.name == name), ())


def _sets(level: Level) -> str:
    """A few numbers of each parameter."""
    if not level.overrides:
        return "the design's own values"
    return ", ".join(
        f"{code(one.name)} {', '.join(number(value) for value in one.values[:4])}" + (" …" if one.values[4:] else "")
        for one in level.overrides
    )
