"""Whether a service answers, by the standard gRPC health protocol."""

from __future__ import annotations

from typing import Final

import grpc

CHECK: Final = "/grpc.health.v1.Health/Check"
SERVING: Final = b"\x08\x01"  # HealthCheckResponse(status=SERVING); two bytes, so that the client needs no package


def healthy(address: str, timeout_s: float = 1.0) -> bool:
    """Whether the server at host:port says that it serves."""
    with grpc.insecure_channel(address) as channel:
        ask = channel.unary_unary(CHECK, request_serializer=bytes, response_deserializer=bytes)
        try:
            return bool(ask(b"", timeout=timeout_s) == SERVING)
        except grpc.RpcError:
            return False
