"""What docs/http.md says of reflection, by grpcio-reflection's own client."""

from __future__ import annotations

import asyncio

import grpc
from google.protobuf.descriptor_pool import DescriptorPool
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase

from gymwright.v1.gateway_pb2_grpc import GatewayServiceServicer, add_GatewayServiceServicer_to_server
from kit.rpc.testing import serving_for_test

SERVICE = "gymwright.v1.GatewayService"


async def test_a_client_without_our_protos_finds_the_gateway_s_calls() -> None:
    def register(server: grpc.aio.Server) -> None:
        add_GatewayServiceServicer_to_server(GatewayServiceServicer(), server)

    async with serving_for_test(register, SERVICE) as address:
        assert {"StartRun", "WatchRun", "ReadArtifact"} <= await asyncio.to_thread(_calls, address)


def _calls(address: str) -> set[str]:
    with grpc.insecure_channel(address) as channel:
        reflected = DescriptorPool(ProtoReflectionDescriptorDatabase(channel))
        return {method.name for method in reflected.FindServiceByName(SERVICE).methods}
