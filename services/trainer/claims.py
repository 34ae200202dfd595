"""What a box said, as the records it must be; anything else counts as not said."""

from __future__ import annotations

import json
from typing import TypeVar

from pydantic import ValidationError

from kit.contracts.records import JsonObject, Record

Claim = TypeVar("Claim", bound=Record)


def read(said: JsonObject | None, kind: type[Claim]) -> Claim | None:
    """The object as a `kind`, or None where it is not one."""
    if said is None:
        return None
    try:
        return kind.model_validate_json(json.dumps({name: value for name, value in said.items() if name != "kind"}))
    except ValidationError:
        return None
