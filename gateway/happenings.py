"""Happenings: how each step of a run came out; a run's history is a list of them, kept as JSON."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from kit.contracts.design import EnvDesign, Fit
from kit.contracts.findings import CheckReport
from kit.contracts.outcomes import Artifact, TrainOutcome
from kit.contracts.records import Record
from kit.contracts.runs import Origin


class Designed(Record):
    """A design, or its revision, came from the designer."""

    kind: Literal["designed"] = "designed"
    design: EnvDesign
    origin: Origin


class Questioned(Record):
    """The designer can't design before it knows this."""

    kind: Literal["questioned"] = "questioned"
    question: str


class Answered(Record):
    """The user answered the designer's question."""

    kind: Literal["answered"] = "answered"
    question: str
    answer: str


class Advised(Record):
    """The designer advises another tool than reinforcement learning."""

    kind: Literal["advised"] = "advised"
    fit: Fit


class Reviewed(Record):
    """The user accepted the design, or edited it. diff: of its JSON; empty where it was accepted."""

    kind: Literal["reviewed"] = "reviewed"
    design: EnvDesign
    diff: str = ""


class Wrote(Record):
    """A draft, or its repair, came from the coder."""

    kind: Literal["wrote"] = "wrote"
    source: str
    origin: Origin
    twin: str = ""


class Checked(Record):
    """The executor reached a report; it may be bad. sandbox: what kind of box was used."""

    kind: Literal["checked"] = "checked"
    report: CheckReport
    sandbox: str


class Trained(Record):
    """The trainer reached an outcome; it may be findings."""

    kind: Literal["trained"] = "trained"
    outcome: TrainOutcome
    sandbox: str


class Reported(Record):
    kind: Literal["reported"] = "reported"
    artifacts: tuple[Artifact, ...]


class GaveUp(Record):
    """A step has no answer: an agent refused, or was away for too long. reason: a sentence for the user."""

    kind: Literal["gave_up"] = "gave_up"
    reason: str


class Stopped(Record):
    """The user cancelled the run while the step was under way; its box is gone."""

    kind: Literal["stopped"] = "stopped"


class Done(Record):
    """An effect that leaves nothing to know."""

    kind: Literal["done"] = "done"


Happening = (
    Designed | Questioned | Answered | Advised | Reviewed | Wrote | Checked | Trained | Reported | GaveUp | Stopped
)
Answer = Happening | Done

ANSWERS: TypeAdapter[Answer] = TypeAdapter(Annotated[Answer, Field(discriminator="kind")])
"""Reads an answer back from the JSON that was kept of it."""
