"""Contracts <-> protobuf; see translating."""

from kit.contracts.wire.translating import complaints, from_proto, to_proto

__all__ = ["complaints", "from_proto", "to_proto"]
