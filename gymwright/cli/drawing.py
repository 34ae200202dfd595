"""How a run looks on a terminal of 80 columns: five lines that fill, what was found, and training as it goes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.progress_bar import ProgressBar
from rich.spinner import Spinner
from rich.table import Table
from rich.text import Text

from gymwright.cli.story import Fixing, Mark, Stage, Story
from gymwright.cli.words import (
    blame_word,
    clock,
    indented,
    number,
    place_word,
    plural,
    printable,
    severity_word,
    span,
    spark,
)
from gymwright.v1 import findings_pb2, run_pb2

SIGNS: Final = {
    Mark.WAITING: ("·", "dim"),
    Mark.DONE: ("✓", "green"),
    Mark.FAILED: ("✗", "red"),
    Mark.STOPPED: ("■", "yellow"),
}
SEVERITY_STYLE: Final = {"error": "red", "warning": "yellow", "note": "dim"}
SHOWN_LINES: Final = 8  # of what a model is writing
SHOWN_A_DRAFT: Final = 3  # findings shown of each draft; the report has them all


def run_drawn(story: Story, now_s: float, spinner: Spinner, away: str = "") -> RenderableType:
    """The whole run as it stands. away: why nothing comes just now."""
    table = Table.grid(padding=(0, 1), expand=True)
    table.add_column(width=1)
    table.add_column(width=6)
    table.add_column(ratio=1)
    table.add_column(justify="right", min_width=5)
    for stage in story.stages.values():
        table.add_row(*_stage_row(stage, story, now_s, spinner))
    parts: list[RenderableType] = [table]
    if story.history:
        parts += [Text(), *history_drawn(story.history, SHOWN_A_DRAFT)]
    if story.writing:
        parts += [Text(), *writing_drawn(story.writing)]
    if away:
        parts += [Text(), Text(away, style="yellow")]
    return Padding(Group(*parts), (0, 1))


def _stage_row(stage: Stage, story: Story, now_s: float, spinner: Spinner) -> tuple[RenderableType, ...]:
    seconds = stage.seconds(now_s)
    took = Text(span(seconds) if seconds is not None else "", style="dim", no_wrap=True)
    if stage.mark is Mark.ACTIVE:
        training = stage.name == "train" and story.progress is not None
        note = _training_drawn(story, now_s) if training else Text(stage.note, no_wrap=True, overflow="ellipsis")
        return spinner, Text(stage.name, style="bold"), note, took
    sign, style = SIGNS[stage.mark]
    quiet = "dim" if stage.mark is Mark.WAITING else ""
    note = Text(stage.note)
    if stage.aside:
        note.append(f"\n{stage.aside}", style="dim")
    return Text(sign, style=style), Text(stage.name, style=quiet), note, took


def _training_drawn(story: Story, now_s: float) -> RenderableType:
    progress = story.progress
    assert progress is not None
    done = min(1.0, progress.timesteps / progress.total_timesteps) if progress.total_timesteps else 0.0
    line = Table.grid(padding=(0, 1), expand=True)
    line.add_column(ratio=1, min_width=8)
    for _ in range(3):
        line.add_column(justify="right", no_wrap=True)
    bar = ProgressBar(total=1.0, completed=done, style="bright_black", complete_style="cyan", finished_style="cyan")
    left = ""
    if progress.steps_per_s > 0:
        left = f"{clock(seconds_left(progress, now_s - story.last_at_s))} left" if done < 1.0 else "ending"
    line.add_row(bar, Text(f"{done:.0%}", style="bold"), Text(f"{progress.steps_per_s:,.0f} steps/s"), Text(left))
    return Group(line, *(Text(line, no_wrap=True, overflow="ellipsis") for line in _numbers(story, progress)))


def _numbers(story: Story, progress: run_pb2.TrainingProgress) -> Iterator[str]:
    if progress.HasField("mean_reward"):
        yield f"reward {number(progress.mean_reward)} {spark(story.rewards)}"
    primary = story.metrics[0].name if story.metrics else ""
    for one in progress.metrics:
        if one.name == primary:
            yield f"{metric_word(one.name)} {number(one.value)} {spark(story.primaries)}"


def seconds_left(progress: run_pb2.TrainingProgress, since_s: float) -> float:
    """What is left at the present speed, `since_s` seconds after the progress was told."""
    return max(0.0, (progress.total_timesteps - progress.timesteps) / progress.steps_per_s - since_s)


def writing_drawn(text: str) -> Iterator[RenderableType]:
    """The last lines of what a model is writing."""
    for line in text.splitlines()[-SHOWN_LINES:]:
        yield Text(f"│ {indented(line)}", style="dim", no_wrap=True, overflow="ellipsis")


def metric_word(name: str) -> str:
    """A metric's name as prose."""
    return printable(name).replace("_", " ")


def history_drawn(history: Iterable[findings_pb2.Finding | Fixing], shown: int) -> Iterator[RenderableType]:
    """Findings in blocks, each block closed by the fix that follows it."""
    block: list[findings_pb2.Finding] = []
    for happened in history:
        if isinstance(happened, Fixing):
            yield from findings_drawn(block, shown)
            yield Text.assemble(("↻ ", "cyan"), f"fix {happened.fix} of {happened.allowed}")
            block = []
        else:
            block.append(happened)
    yield from findings_drawn(block, shown)


def findings_drawn(findings: list[findings_pb2.Finding], shown: int) -> Iterator[RenderableType]:
    """The worst first, and how many more there are."""
    ordered = sorted(findings, key=lambda finding: finding.severity)
    for finding in ordered[:shown]:
        yield finding_drawn(finding)
    if len(ordered) > shown:
        yield Text(f"  and {plural(len(ordered) - shown, 'more finding')}", style="dim")


def finding_drawn(finding: findings_pb2.Finding, in_full: bool = False) -> RenderableType:
    """Check, blame and line on the first line, then what was found; in full with evidence and remedy."""
    word = severity_word(finding)
    style = SEVERITY_STYLE.get(word, "")
    about = "  ".join(filter(None, (blame_word(finding), place_word(finding))))
    sign = "✗" if word == "error" else "!" if word == "warning" else "·"
    title = Text.assemble((f"{sign} {word}", style), "  ", (printable(finding.check), "bold"), f"  {about}")
    parts: list[RenderableType] = [title, _indented(finding.message, "", None if in_full else 200)]
    if in_full:
        trace = Text("\n".join(indented(line) for line in finding.traceback.splitlines()), style="dim")
        parts += [Padding(trace, (0, 0, 0, 2))] if trace else []
        for text, look in ((finding.evidence, "dim"), (finding.remedy and f"→ {finding.remedy}", "")):
            if text:
                parts.append(_indented(text, look, 1000))
    return Group(*parts)


def _indented(text: str, style: str, limit: int | None) -> RenderableType:
    line = printable(text)
    short = line if limit is None or len(line) <= limit else f"{line[: limit - 1]}…"
    return Padding(Text(short, style=style), (0, 0, 0, 2))
