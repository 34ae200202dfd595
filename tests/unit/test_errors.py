"""The error tree and its one table of statuses."""

from __future__ import annotations

import pytest
from grpc import StatusCode

from gymwright import errors
from kit.rpc.statuses import STATUS_OF, status_of


def every_error() -> list[type[errors.GymwrightError]]:
    return [
        kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, errors.GymwrightError)
    ]


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (errors.ProblemRejected, StatusCode.INVALID_ARGUMENT),
        (errors.PayloadTooLarge, StatusCode.INVALID_ARGUMENT),
        (errors.NoSuitableProblem, StatusCode.FAILED_PRECONDITION),  # so that nobody retries it blindly
        (errors.RunIsOver, StatusCode.FAILED_PRECONDITION),
        (errors.BudgetSpent, StatusCode.RESOURCE_EXHAUSTED),
        (errors.RunNotFound, StatusCode.NOT_FOUND),
        (errors.SandboxUnavailable, StatusCode.UNAVAILABLE),
        (errors.StorageUnavailable, StatusCode.UNAVAILABLE),
        (errors.Unauthenticated, StatusCode.UNAUTHENTICATED),
        (errors.GymwrightError, StatusCode.INTERNAL),
    ],
)
def test_an_error_has_the_status_of_its_nearest_ancestor(error, status):
    assert status_of(error("")) is status


@pytest.mark.parametrize("kind", every_error(), ids=lambda kind: kind.__name__)
def test_an_error_is_found_again_by_its_name(kind):
    found = errors.error_named(kind.__name__, "what happened")
    assert type(found) is kind
    assert str(found) == "what happened"


def test_a_name_that_is_not_ours_is_the_root_and_never_another_class():
    assert type(errors.error_named("SystemExit", "")) is errors.GymwrightError


def test_only_what_callers_can_act_on_has_a_row():
    assert len(STATUS_OF) == 7
