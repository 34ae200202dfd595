"""Forms: a record's JSON schema as a model is given it, in the narrow dialect that both vendors accept."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

from kit.contracts.records import JsonObject, Record
from kit.llm.chat import Ask
from kit.prose import Prose, fenced

PROMPTS: Final = Path(__file__).parent / "prompts"


def strict(schema: JsonObject) -> JsonObject:
    """The schema with every property required and no defaults: these are told in the description instead.

    Optional properties are few where a vendor compiles the schema to a grammar, and some take none at all.
    """
    changed = {key: _strict(value) for key, value in schema.items() if key != "default"}
    if schema.get("default") is not None:
        told = f"Usually {json.dumps(schema['default'])}."
        changed["description"] = f"{schema['description']} {told}" if "description" in schema else told
    if isinstance(schema.get("properties"), dict) and schema.get("type") == "object":
        properties = changed["properties"]
        changed |= {"required": list(properties), "additionalProperties": False}  # type: ignore[call-overload]
    return changed


def with_form(ask: Ask) -> str:
    """The system prompt with the form written out, for a model that is not held to it by its vendor."""
    if ask.form is None:
        return ask.system
    return Prose(PROMPTS).fill("form", system=ask.system, schema=fenced(_plain(ask.form), "json"))


def _strict(value: object) -> object:
    if isinstance(value, dict):
        return strict(value)
    return [_strict(item) for item in value] if isinstance(value, list) else value


def _plain(form: type[Record]) -> str:
    return json.dumps(form.model_json_schema(), separators=(",", ":"))
