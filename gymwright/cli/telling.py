"""Telling a run to whoever watches: a live screen, plain lines for a pipe, or JSON for a machine."""

from __future__ import annotations

import sys
import time
from typing import Final, Protocol

from google.protobuf.json_format import MessageToJson
from google.protobuf.message import Message
from rich.console import Console, RenderableType
from rich.constrain import Constrain
from rich.live import Live
from rich.spinner import Spinner
from rich.text import Text

from gymwright.cli.drawing import metric_word, run_drawn, seconds_left
from gymwright.cli.story import Fixing, Story
from gymwright.cli.words import blame_word, clock, number, place_word, printable, severity_word
from gymwright.errors import GymwrightError
from gymwright.v1 import findings_pb2, outcomes_pb2, run_pb2
from gymwright.views import RunEvent

PLAIN_PROGRESS_PARTS: Final = 10  # lines of training progress in a pipe
PLAIN_PROGRESS_S: Final = 30.0  # or one after so many seconds


class Teller(Protocol):
    """Hears every event of one run, in order, between open() and close(); both may come again after a pause."""

    story: Story

    def open(self) -> None: ...

    def close(self) -> None: ...

    def finish(self) -> None:
        """Nothing more will come: leave what should stay on the screen."""

    def hear(self, event: RunEvent) -> None: ...

    def away(self, away: GymwrightError) -> None:
        """The gateway does not answer just now; called from another thread."""


class Screen:
    """A terminal: the run is redrawn in place."""

    def __init__(self, console: Console) -> None:
        self.story = Story()
        self._console = console
        self._spinner = Spinner("dots", style="cyan")
        self._heard_at = time.monotonic()
        self._away = ""
        self._live: Live | None = None

    def open(self) -> None:
        self._live = Live(get_renderable=self._drawn, console=self._console, refresh_per_second=8, transient=True)
        self._live.start()

    def close(self) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None

    def finish(self) -> None:
        self._away = ""
        self._console.print(self._drawn())

    def hear(self, event: RunEvent) -> None:
        self._away = ""
        self._heard_at = time.monotonic()
        self.story.hear(event)

    def away(self, away: GymwrightError) -> None:
        self._away = f"{printable(str(away))} Trying again …"

    def _drawn(self) -> RenderableType:
        now_s = self.story.last_at_s + time.monotonic() - self._heard_at
        drawn = run_drawn(self.story, now_s, self._spinner, self._away)
        return Constrain(drawn, self._console.width - len("^C "))  # the echo of a Ctrl-C must not wrap the last line


class Plain:
    """A pipe or a log: a line for each thing that happened, and no control characters."""

    def __init__(self, console: Console) -> None:
        self.story = Story()
        self._console = console
        self._told_away = False
        self._told_part = 0
        self._told_at_s = 0.0

    def open(self) -> None:
        pass

    def close(self) -> None:
        pass

    def finish(self) -> None:
        pass

    def hear(self, event: RunEvent) -> None:
        self._told_away = False
        known = len(self.story.history)
        self.story.hear(event)
        for happened in self.story.history[known:]:
            self._line(_happened_line(happened))
        match event.detail:
            case run_pb2.DesignWritten():
                self._stage("design")
            case run_pb2.CodeWritten():
                self._stage("code")
            case findings_pb2.CheckReport():
                self._stage("check")
            case run_pb2.TrainingProgress() as progress:
                self._progress(progress, event.at_s)
            case outcomes_pb2.TrainOutcome():
                self._stage("train")
            case None:
                self._line(printable(event.message))

    def away(self, away: GymwrightError) -> None:
        if not self._told_away:
            self._told_away = True
            self._line(f"{printable(str(away))} Trying again.")

    def _stage(self, name: str) -> None:
        self._line(f"{name}: {self.story.stages[name].line()}")

    def _progress(self, progress: run_pb2.TrainingProgress, at_s: float) -> None:
        part = PLAIN_PROGRESS_PARTS * progress.timesteps // max(1, progress.total_timesteps)
        if part != self._told_part or at_s - self._told_at_s >= PLAIN_PROGRESS_S:
            self._told_part, self._told_at_s = part, at_s
            self._line(progress_line(progress, self.story))

    def _line(self, line: str) -> None:
        if line:
            self._console.print(Text(line), soft_wrap=True)


class Json:
    """A machine: each event as one line of JSON, fields named as in the proto, and nothing else."""

    def __init__(self) -> None:
        self.story = Story()

    def open(self) -> None:
        pass

    def close(self) -> None:
        pass

    def finish(self) -> None:
        pass

    def hear(self, event: RunEvent) -> None:
        self.story.hear(event)
        say_json(event.proto)

    def away(self, away: GymwrightError) -> None:
        pass


def say_json(message: Message) -> None:
    """One message as one line on stdout, zeros included; 64-bit integers are strings, as in all proto3 JSON."""
    line = MessageToJson(
        message, preserving_proto_field_name=True, indent=None, always_print_fields_with_no_presence=True
    )
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def progress_line(progress: run_pb2.TrainingProgress, story: Story) -> str:
    """Training so far, in a line."""
    parts = [f"train: {progress.timesteps:,} of {progress.total_timesteps:,} steps"]
    if progress.steps_per_s > 0:
        parts += [f"{progress.steps_per_s:,.0f} steps/s", f"{clock(seconds_left(progress, 0.0))} left"]
    if progress.HasField("mean_reward"):
        parts.append(f"reward {number(progress.mean_reward)}")
    primary = story.metrics[0].name if story.metrics else ""
    parts += [f"{metric_word(one.name)} {number(one.value)}" for one in progress.metrics if one.name == primary]
    return ", ".join(parts)


def _happened_line(happened: findings_pb2.Finding | Fixing) -> str:
    if isinstance(happened, Fixing):
        return f"fix {happened.fix} of {happened.allowed}"
    about = ", ".join(filter(None, (blame_word(happened), place_word(happened))))
    where = f" ({about})" if about else ""
    return f"{severity_word(happened)}: {printable(happened.check)}{where}: {printable(happened.message)}"
