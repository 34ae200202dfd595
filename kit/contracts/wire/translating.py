"""The only translator between the contracts and protobuf; records and messages have the same field names.

What protobuf would blur stays exact: zeros are kept, int64 stays a number, an unset optional
is None and never zero, and enum values lose and regain the prefix that protobuf's style wants.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum
from typing import TypeVar, cast

from google.protobuf.descriptor import EnumDescriptor, FieldDescriptor
from google.protobuf.message import Message
from pydantic import ValidationError

from gymwright.errors import DesignRejected, RequestWrong
from kit.contracts.design import EnvDesign
from kit.contracts.records import Record

M = TypeVar("M", bound=Message)
R = TypeVar("R", bound=Record)


def to_proto(record: Record, kind: type[M]) -> M:
    """The record as a message of `kind`, whose fields have the record's names."""
    message = kind()
    _fill(message, {name: getattr(record, name) for name in type(record).model_fields})
    return message


def from_proto(message: Message, kind: type[R]) -> R:
    """The message as a record; RequestWrong (DesignRejected for a design) says what doesn't fit."""
    try:
        return kind.model_validate(_read(message))
    except ValidationError as problem:
        error = DesignRejected if kind is EnvDesign else RequestWrong
        raise error(f"{kind.__name__} is not valid: {complaints(problem)}") from None


def complaints(problem: ValidationError) -> str:
    """Pydantic's complaints as one line a person can act on, at most five of them."""
    lines = [f"{'.'.join(map(str, error['loc'])) or 'it'}: {error['msg']}" for error in problem.errors()[:5]]
    more = problem.error_count() - len(lines)
    return "; ".join(lines) + (f"; and {more} more" if more > 0 else "")


def _fill(message: Message, values: Mapping[str, object]) -> None:
    fields = cast(Mapping[str, FieldDescriptor], message.DESCRIPTOR.fields_by_name)
    for name, value in values.items():
        if value is None:
            continue
        field = fields[name]
        if field.is_repeated:
            _extend(message, field, value)
        elif field.message_type is not None:
            target = getattr(message, name)
            target.SetInParent()  # a set but empty message is not an unset one
            _fill_from_record(target, value)
        else:
            setattr(message, name, _scalar(field, value))


def _extend(message: Message, field: FieldDescriptor, values: object) -> None:
    assert isinstance(values, Iterable)
    target = getattr(message, field.name)
    for value in values:
        if field.message_type is not None:
            _fill_from_record(target.add(), value)
        else:
            target.append(_scalar(field, value))


def _fill_from_record(message: Message, value: object) -> None:
    assert isinstance(value, Record)
    _fill(message, {name: getattr(value, name) for name in type(value).model_fields})


def _scalar(field: FieldDescriptor, value: object) -> object:
    if isinstance(value, Enum):
        assert field.enum_type is not None
        return field.enum_type.values_by_name[_prefix(field.enum_type) + str(value.value)].number
    return value


def _read(message: Message) -> dict[str, object]:
    """Only what is set, and everything that can't be unset; the record's defaults fill the rest."""
    values: dict[str, object] = {}
    for field in cast(Iterable[FieldDescriptor], message.DESCRIPTOR.fields):
        if field.is_repeated:
            values[field.name] = tuple(_plain(field, item) for item in getattr(message, field.name))
        elif not field.has_presence or message.HasField(field.name):
            values[field.name] = _plain(field, getattr(message, field.name))
    return values


def _plain(field: FieldDescriptor, value: object) -> object:
    if isinstance(value, Message):
        return _read(value)
    if field.enum_type is not None:
        assert isinstance(value, int)
        known = field.enum_type.values_by_number.get(value)
        return known.name.removeprefix(_prefix(field.enum_type)) if known is not None else value
    return value


def _prefix(enum: EnumDescriptor) -> str:
    """VerdictKind -> VERDICT_KIND_, as buf's style has it."""
    zero = enum.values_by_number[0].name
    return zero.removesuffix("UNSPECIFIED")
