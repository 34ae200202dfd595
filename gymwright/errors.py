"""The one tree of failures we foresee, named by what the caller can do; it knows no gRPC."""

from __future__ import annotations


class GymwrightError(Exception):
    """A failure we foresee; its message is fit to show to the person who asked."""


class RequestWrong(GymwrightError):
    """The request can't be served as it stands; asking again unchanged won't help."""


class ProblemRejected(RequestWrong):
    """The problem text is empty, too long or not text."""


class DesignRejected(RequestWrong):
    """The design breaks its own schema or names things that don't exist."""


class PayloadTooLarge(RequestWrong):
    """What was sent, or what would be sent, is over a stated limit."""


class NotReady(GymwrightError):
    """Nothing is wrong with the request, but the state of things forbids it."""


class NoSuitableProblem(NotReady):
    """No worked problem is near enough, and no model is configured to design a new one."""


class NoValidDesign(NotReady):
    """No design that passes the linter came out of the allowed number of tries."""


class NoValidEnvironment(NotReady):
    """The coder can't write, or repair, an environment for this design."""


class ModelUnusable(NotReady):
    """The language model takes no request as it is set up, for instance its key is wrong."""


class BudgetSpent(NotReady):
    """The next call to the language model would go over the ceiling that the settings name."""


class RunIsOver(NotReady):
    """The run has ended, so it can't be cancelled or changed."""


class NotFound(GymwrightError):
    """What was named does not exist."""


class RunNotFound(NotFound):
    """No run has this id."""


class JobNotFound(NotFound):
    """No job has this key; it was never started, or it ended and was forgotten."""


class ArtifactNotFound(NotFound):
    """The run has no artifact of this name."""


class Unauthenticated(GymwrightError):
    """The call carries no token, or a wrong one."""


class TryAgainLater(GymwrightError):
    """Nothing is wrong with the request; something we need is away for now."""


class SandboxUnavailable(TryAgainLater):
    """No box could be started."""


class ServiceUnavailable(TryAgainLater):
    """Another of our services could not be reached."""


class StorageUnavailable(TryAgainLater):
    """The artifact store or the database can't be read or written, for instance a full disk."""


def error_named(name: str, message: str) -> GymwrightError:
    """The error of this tree called `name`, or its root where the name is not ours."""
    pending: list[type[GymwrightError]] = [GymwrightError]
    while pending:
        kind = pending.pop()
        if kind.__name__ == name:
            return kind(message)
        pending.extend(kind.__subclasses__())
    return GymwrightError(message)
