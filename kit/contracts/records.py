"""What every contract model is built on: frozen, closed records and the names in them."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, StringConstraints

Identifier = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,39}$")]
"""A name that formulas and arrays can use: lower case, digits and underscores, at most 40 characters."""

JsonObject = dict[str, object]
"""A JSON object whose values the reader still has to check."""


class Record(BaseModel):
    """A value object: it never changes and takes no field that it doesn't know."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)
