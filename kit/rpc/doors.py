"""The server's interceptor: one log line a call, the token, and errors as statuses, for every kind of call."""

from __future__ import annotations

import asyncio
import hmac
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TypeAlias, TypeVar

import grpc
import structlog

from gymwright.channels import bearer
from gymwright.errors import GymwrightError, Unauthenticated
from gymwright.failures import ERROR_KEY
from kit.rpc.statuses import status_of

log = structlog.get_logger()

Handler: TypeAlias = "grpc.RpcMethodHandler[object, object]"
Context: TypeAlias = "grpc.aio.ServicerContext[object, object]"
T = TypeVar("T")

OPEN_TO_ALL = ("/grpc.health.",)  # probes carry no token


class Door(grpc.aio.ServerInterceptor):
    """What every call passes on its way in and out."""

    def __init__(self, token: str | None = None) -> None:
        self._credential = bearer(token)[1].encode() if token else None

    async def intercept_service(  # type: ignore[override]  # the stub binds type variables nobody can name
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[Handler | None]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> Handler | None:
        handler = await continuation(handler_call_details)
        if handler is None:
            return handler
        method = handler_call_details.method
        if self._credential is not None and not method.startswith(OPEN_TO_ALL):
            sent = dict(handler_call_details.invocation_metadata or ()).get("authorization", "")
            if not hmac.compare_digest(sent.encode() if isinstance(sent, str) else sent, self._credential):
                return _refused(handler)
        if handler.unary_unary is not None:
            return grpc.unary_unary_rpc_method_handler(
                _guarded_call(method, handler.unary_unary), handler.request_deserializer, handler.response_serializer
            )
        if handler.unary_stream is not None:
            return grpc.unary_stream_rpc_method_handler(
                _guarded_stream(method, handler.unary_stream),
                handler.request_deserializer,
                handler.response_serializer,
            )
        return handler  # reflection streams both ways and raises nothing of ours


def _guarded_call(method: str, call: Callable[..., object]) -> Callable[..., Awaitable[object]]:
    async def guarded(request: object, context: Context) -> object:
        started = time.monotonic()
        try:
            result = call(request, context)
            answer = await result if asyncio.iscoroutine(result) else result
        except Exception as failure:
            await _abort(method, context, failure, started)
            raise
        log.info("call", method=method, status="OK", seconds=round(time.monotonic() - started, 3))
        return answer

    return guarded


def _guarded_stream(method: str, call: Callable[..., object]) -> Callable[..., AsyncIterator[object]]:
    async def guarded(request: object, context: Context) -> AsyncIterator[object]:
        started = time.monotonic()
        try:
            stream = call(request, context)
            assert isinstance(stream, AsyncIterator)
            async for answer in stream:
                yield answer
        except Exception as failure:
            await _abort(method, context, failure, started)
            raise
        log.info("call", method=method, status="OK", seconds=round(time.monotonic() - started, 3))

    return guarded


async def _abort(method: str, context: Context, failure: Exception, started: float) -> None:
    """Tell the caller; our own messages are fit to show, anything else stays in the log."""
    if isinstance(failure, grpc.aio.AbortError):
        return
    if isinstance(failure, GymwrightError):
        code, details, name = status_of(failure), str(failure), type(failure).__name__
        log.info("call", method=method, status=code.name, error=name, seconds=round(time.monotonic() - started, 3))
    else:
        code, details, name = (
            grpc.StatusCode.INTERNAL,
            "An unforeseen failure; its log has the details.",
            "GymwrightError",
        )
        log.exception("call", method=method, status=code.name)
    await context.abort(code, details, trailing_metadata=((ERROR_KEY, name),))


def _refused(handler: Handler) -> Handler:
    error = Unauthenticated("This call needs the token: set GYMWRIGHT_TOKEN_FILE to the file that holds it.")

    async def refuse(request: object, context: Context) -> None:
        await context.abort(status_of(error), str(error), trailing_metadata=((ERROR_KEY, type(error).__name__),))

    async def refuse_stream(request: object, context: Context) -> AsyncIterator[object]:
        await refuse(request, context)
        yield None

    if handler.response_streaming:
        return grpc.unary_stream_rpc_method_handler(refuse_stream)
    return grpc.unary_unary_rpc_method_handler(refuse)
