"""How every caller opens a channel: message limits, keepalive, the token and TLS in one place."""

from __future__ import annotations

from typing import Final

import grpc

from gymwright.tls import MutualTls

MAX_MESSAGE_BYTES: Final = 16 * 2**20  # designs and sources; bulk goes through the artifact store

OPTIONS: Final[list[tuple[str, int]]] = [
    ("grpc.max_receive_message_length", MAX_MESSAGE_BYTES),
    ("grpc.max_send_message_length", MAX_MESSAGE_BYTES),
    # A peer that died without a word is noticed within 40 s, also on a silent stream.
    ("grpc.keepalive_time_ms", 30_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.initial_reconnect_backoff_ms", 200),
    ("grpc.max_reconnect_backoff_ms", 2_000),
]


def open_channel(address: str, token: str | None = None, tls: MutualTls | None = None) -> grpc.aio.Channel:
    """A channel to host:port; `token` is sent with every call, in the clear where there is no `tls`."""
    interceptors: list[grpc.aio.ClientInterceptor] = []
    if token:
        interceptors = [_UnaryToken(token), _StreamToken(token)]
    if tls is None:
        return grpc.aio.insecure_channel(address, options=OPTIONS, interceptors=interceptors)
    return grpc.aio.secure_channel(
        address, tls.calling(), options=[*OPTIONS, *tls.options()], interceptors=interceptors
    )


def bearer(token: str) -> tuple[str, str]:
    """The metadata that carries a token."""
    return ("authorization", f"Bearer {token}")


def _with_token(details: grpc.aio.ClientCallDetails, token: str) -> grpc.aio.ClientCallDetails:
    metadata = grpc.aio.Metadata(*(details.metadata or ()), bearer(token))
    return grpc.aio.ClientCallDetails(
        details.method, details.timeout, metadata, details.credentials, details.wait_for_ready
    )


class _UnaryToken(grpc.aio.UnaryUnaryClientInterceptor):
    def __init__(self, token: str) -> None:
        self._token = token

    async def intercept_unary_unary(self, continuation, client_call_details, request):  # type: ignore[no-untyped-def]
        return await continuation(_with_token(client_call_details, self._token), request)


class _StreamToken(grpc.aio.UnaryStreamClientInterceptor):
    def __init__(self, token: str) -> None:
        self._token = token

    async def intercept_unary_stream(self, continuation, client_call_details, request):  # type: ignore[no-untyped-def]
        return await continuation(_with_token(client_call_details, self._token), request)
