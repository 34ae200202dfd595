"""DoesNotApply: how the fast engine says that it can't run a model."""

from __future__ import annotations


class DoesNotApply(ValueError):
    """The fast engine can't run this model; the message is a clause that says why."""
