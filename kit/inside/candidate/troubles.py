"""What can become of a request instead of an answer: the candidate raised, hung or died. Data, not errors."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Raised:
    """The candidate's code raised.

    where: the request, e.g. "step". kind: the exception's class. traceback: cut to the candidate's
    own frames. line: the last of them, in the candidate's source. index: which instance of a batch.
    """

    where: str
    kind: str
    message: str
    traceback: str = ""
    line: int | None = None
    index: int | None = None

    def __str__(self) -> str:
        return f"{self.kind}: {self.message}" if self.message else self.kind


@dataclass(frozen=True)
class TimedOut:
    """No answer within `seconds`; the candidate is dead unless it could be interrupted."""

    where: str
    seconds: float
    traceback: str = ""
    line: int | None = None

    def __str__(self) -> str:
        return f"no answer from {self.where} within {self.seconds:g} s"


@dataclass(frozen=True)
class Died:
    """The candidate's process is gone, or no longer speaks the protocol."""

    where: str
    how: str
    traceback: str = ""
    line: int | None = None

    def __str__(self) -> str:
        return f"the process ended in {self.where}: {self.how}"


Trouble = Raised | TimedOut | Died
