"""The one table from our errors to gRPC's statuses; subclasses inherit their parent's row."""

from __future__ import annotations

from typing import Final

from grpc import StatusCode

from gymwright.errors import (
    BudgetSpent,
    GymwrightError,
    NotFound,
    NotReady,
    RequestWrong,
    TryAgainLater,
    Unauthenticated,
)

STATUS_OF: Final[dict[type[GymwrightError], StatusCode]] = {
    RequestWrong: StatusCode.INVALID_ARGUMENT,
    BudgetSpent: StatusCode.RESOURCE_EXHAUSTED,
    NotReady: StatusCode.FAILED_PRECONDITION,  # so that nobody retries it blindly
    NotFound: StatusCode.NOT_FOUND,
    Unauthenticated: StatusCode.UNAUTHENTICATED,
    TryAgainLater: StatusCode.UNAVAILABLE,
    GymwrightError: StatusCode.INTERNAL,
}


def status_of(error: GymwrightError) -> StatusCode:
    """The row of the nearest ancestor."""
    return next(STATUS_OF[kind] for kind in type(error).__mro__ if kind in STATUS_OF)
