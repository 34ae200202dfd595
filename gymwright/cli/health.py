"""Whether a service answers, by the standard gRPC health protocol."""

from __future__ import annotations

from typing import Final

import grpc

from gymwright.tls import MutualTls

CHECK: Final = "/grpc.health.v1.Health/Check"
SERVING: Final = b"\x08\x01"  # HealthCheckResponse(status=SERVING); two bytes, so that the client needs no package


def healthy(address: str, timeout_s: float = 1.0, tls: MutualTls | None = None) -> bool:
    """Whether the server at host:port says that it serves."""
    with _channel(address, tls) as channel:
        ask = channel.unary_unary(CHECK, request_serializer=bytes, response_deserializer=bytes)
        try:
            return bool(ask(b"", timeout=timeout_s) == SERVING)
        except grpc.RpcError:
            return False


def _channel(address: str, tls: MutualTls | None) -> grpc.Channel:
    if tls is None:
        return grpc.insecure_channel(address)
    return grpc.secure_channel(address, tls.calling(), tls.options())
