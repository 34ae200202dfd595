"""How a run's end looks: the verdict, the ladder of policies, and where everything lies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from rich import box
from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from gymwright.cli.drawing import metric_word
from gymwright.cli.story import Story
from gymwright.cli.words import interval, plural, printable
from gymwright.v1 import design_pb2, outcomes_pb2, run_pb2
from gymwright.views import RunState, Verdict

GOOD: Final = "bold green"
STYLE_OF: Final = {
    Verdict.LEARNED: GOOD,
    Verdict.REWARD_HACKED: "bold red",
    Verdict.UNSTABLE: "bold yellow",
    Verdict.UNDERTRAINED: "bold yellow",
    Verdict.NO_BETTER_THAN_BASELINE: "bold yellow",
}
RUNGS: Final = (  # from the top
    outcomes_pb2.POLICY_KIND_TRAINED,
    outcomes_pb2.POLICY_KIND_HALF_TRAINED,
    outcomes_pb2.POLICY_KIND_BASELINE,
    outcomes_pb2.POLICY_KIND_CONSTANT,
    outcomes_pb2.POLICY_KIND_RANDOM,
    outcomes_pb2.POLICY_KIND_IDLE,
)
ABOUT: Final = {
    "report.md": "read this first",
    "environment.py": "the environment; it works on its own",
    "policy.onnx": "the trained policy, for any runtime",
    "model.zip": "the same for Stable-Baselines3",
    "reward_curve.png": "how training went",
}


def end_drawn(story: Story) -> Iterator[RenderableType]:
    """The verdict with its ladder, or why there is none."""
    if story.outcome is not None and story.outcome.HasField("verdict"):
        yield from verdict_drawn(story.outcome.verdict)
    if story.outcome is not None and story.outcome.ladder.rows:
        yield ladder_drawn(story.outcome.ladder, story.metrics[0] if story.metrics else None)
    if story.state is not RunState.SUCCEEDED and story.ended is not None:
        style = "bold red" if story.state is RunState.FAILED else "bold yellow"
        yield Padding(Text.assemble((str(story.state), style), f"  {story.reason}"), (1, 1, 0, 1), expand=False)
    if story.calls:
        yield spent_drawn(story.calls)


def spent_drawn(calls: Sequence[run_pb2.Usage]) -> RenderableType:
    """What the language models took."""
    tokens = sum(call.input_tokens + call.output_tokens for call in calls)
    cost = sum(call.cost_usd for call in calls)
    unpriced = sum(not call.HasField("cost_usd") for call in calls)
    priced = f"${cost:.4f}" if unpriced < len(calls) else ""
    without = f"{plural(unpriced, 'call')} of unknown price" if unpriced else ""
    said = ", ".join(filter(None, (plural(len(calls), "call"), plural(tokens, "token"), priced, without)))
    return Padding(Text(f"Language models: {said}", style="dim"), (1, 1, 0, 1), expand=False)


def verdict_drawn(verdict: outcomes_pb2.Verdict) -> Iterator[RenderableType]:
    kind = Verdict.of(verdict.kind)
    said = Text.assemble((kind.replace("_", " "), STYLE_OF.get(kind, "bold")), f"  {printable(verdict.reason)}")
    yield Padding(said, (1, 1, 0, 1), expand=False)
    if verdict.remedy and kind is not Verdict.LEARNED:
        yield Padding(Text(f"→ {printable(verdict.remedy)}"), (0, 1), expand=False)


def ladder_drawn(ladder: outcomes_pb2.Ladder, primary: design_pb2.Metric | None) -> RenderableType:
    """The trained policy first, then what it has to beat. Means with 95 % intervals."""
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1), pad_edge=False, show_edge=False)
    table.add_column("policy", max_width=24, no_wrap=True, overflow="ellipsis")
    table.add_column(_primary_title(ladder, primary), justify="right", overflow="fold")
    table.add_column("reward", justify="right", no_wrap=True)
    for row in sorted(ladder.rows, key=lambda row: _place_of(row.kind)):
        style = "bold" if row.kind == outcomes_pb2.POLICY_KIND_TRAINED else ""
        metric = interval(row.metrics[0].interval) if row.metrics else ""
        table.add_row(printable(row.policy), metric, interval(row.reward), style=style)
    return Padding(table, (1, 1, 0, 1), expand=False)


def _place_of(kind: outcomes_pb2.PolicyKind.ValueType) -> int:
    return RUNGS.index(kind) if kind in RUNGS else len(RUNGS)


def _primary_title(ladder: outcomes_pb2.Ladder, primary: design_pb2.Metric | None) -> str:
    if primary is None:
        named = [row.metrics[0].name for row in ladder.rows if row.metrics]
        return metric_word(named[0]) if named else ""
    arrow = " ↓" if primary.direction == design_pb2.DIRECTION_LOWER else " ↑"
    name, unit = metric_word(primary.name), printable(primary.unit)
    return f"{name}{arrow}" if unit in ("", "1") or unit in name else f"{name}, {unit}{arrow}"


def files_drawn(folder: Path, files: tuple[Path, ...]) -> Iterator[RenderableType]:
    """What lies in the folder: the files a person opens first with a word each, the rest by name."""
    yield Padding(
        Text.assemble("Everything lies in ", (f"{folder}/", "bold"), overflow="fold"), (1, 1, 0, 1), expand=False
    )
    names = [file.relative_to(folder).as_posix() for file in files]
    table = Table.grid(padding=(0, 2))
    for name in filter(names.__contains__, ABOUT):
        table.add_row(name, Text(ABOUT[name], style="dim"))
    yield Padding(table, (0, 1, 0, 3), expand=False)
    rest = sorted({name.partition("/")[0] + "/" * ("/" in name) for name in names} - ABOUT.keys())
    if rest:
        yield Padding(Text("  ".join(rest)), (0, 1, 0, 3), expand=False)
