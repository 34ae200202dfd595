"""From a failed call back to our own errors: the class's name travels in trailing metadata."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import grpc

from gymwright.errors import GymwrightError, ServiceUnavailable, Unauthenticated, error_named
from gymwright.tls import CA, CERT, KEY, refusal

ERROR_KEY: Final = "gymwright-error"
"""The trailing metadata that names the class of gymwright.errors."""

# CANCELLED: a server that stops cuts its streams off with it; our own cancelling never comes back as an error.
AWAY: Final = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED, grpc.StatusCode.CANCELLED)

# A server that wants a certificate says so by hanging up, as does one that just stops.
HUNG_UP: Final = ("failed to connect", "Socket closed")


def error_of(failure: grpc.RpcError, whom: str) -> GymwrightError:
    """The failure as one of ours. whom: who was called, for the message, e.g. "the gateway at 127.0.0.1:50050"."""
    assert isinstance(failure, grpc.aio.AioRpcError | grpc.Call)
    details = failure.details() or ""
    for key, value in failure.trailing_metadata() or ():
        if key == ERROR_KEY:
            return error_named(value if isinstance(value, str) else value.decode(), details)
    code, who = failure.code(), f"{whom[0].upper()}{whom[1:]}"
    if code is grpc.StatusCode.UNAVAILABLE and (why := refusal(details)):
        return Unauthenticated(f"{who} {why}.")
    if code is grpc.StatusCode.UNAVAILABLE and all(sign in details for sign in HUNG_UP):
        return ServiceUnavailable(
            f"{who} hangs up; if it wants a certificate, set {CERT}, {KEY} and {CA} to what it trusts."
        )
    if code in AWAY:
        what = "did not answer in time" if code is grpc.StatusCode.DEADLINE_EXCEEDED else "can't be reached"
        return ServiceUnavailable(f"{who} {what}; is it running?")
    name = code.name if code is not None else "UNKNOWN"
    return GymwrightError(f"{who} failed ({name}): {details}")


@contextmanager
def translated(whom: str) -> Iterator[None]:
    """Calls made inside raise errors of gymwright.errors, never grpc's."""
    try:
        yield
    except grpc.RpcError as failure:
        raise error_of(failure, whom) from None
