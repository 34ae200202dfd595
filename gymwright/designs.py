"""Designs as the JSON that a run leaves in design.json, and as the message that the gateway takes."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import cast

from google.protobuf.descriptor import Descriptor, EnumDescriptor, FieldDescriptor
from google.protobuf.json_format import ParseDict, ParseError

from gymwright.errors import DesignRejected
from gymwright.v1 import design_pb2


def design_of(text: str) -> design_pb2.EnvDesign:
    """The message of a design.json; DesignRejected says what does not fit. Only the gateway knows all the rules."""
    try:
        said = json.loads(text)
    except ValueError as problem:
        raise DesignRejected(f"The design is not JSON: {problem}.") from None
    if not isinstance(said, dict):
        raise DesignRejected("The design is no JSON object.")
    try:
        return ParseDict(_prefixed(said, design_pb2.EnvDesign.DESCRIPTOR), design_pb2.EnvDesign())
    except ParseError as problem:
        raise DesignRejected(f"The design does not fit: {problem}") from None


def _prefixed(said: dict[str, object], kind: Descriptor) -> dict[str, object]:
    """The same with the names of enum values as protobuf has them: RL is FIT_VERDICT_RL."""
    fields = {field.name: field for field in cast(Iterable[FieldDescriptor], kind.fields)}
    return {name: _value(value, fields[name]) if name in fields else value for name, value in said.items()}


def _value(value: object, field: FieldDescriptor) -> object:
    if isinstance(value, list):
        return [_value(each, field) for each in value]
    if field.enum_type is not None and isinstance(value, str):
        return _prefix(field.enum_type) + value
    if field.message_type is not None and isinstance(value, dict):
        return _prefixed(value, field.message_type)
    return value


def _prefix(enum: EnumDescriptor) -> str:
    return str(enum.values_by_number[0].name).removesuffix("UNSPECIFIED")
