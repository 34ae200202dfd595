"""An installed environment as a source to check: `gymnasium:CartPole-v1` is what gymnasium.make gives."""

from __future__ import annotations

import re
from typing import Final

PREFIX: Final = "gymnasium:"
_ID: Final = re.compile(r"[A-Za-z0-9_./:-]{1,100}")
_SOURCE: Final = '''"""{name}, as gymnasium.make gives it, time limit included."""

import gymnasium

NAME = {name!r}


class Installed(gymnasium.Wrapper):
    """The registered environment; whoever wrote it is not asked to change it."""

    metadata = gymnasium.make(NAME, disable_env_checker=True).metadata

    def __init__(self, render_mode=None):
        super().__init__(gymnasium.make(NAME, render_mode=render_mode, disable_env_checker=True))
'''


def source_of(name: str) -> str:
    """A module whose only class is the environment registered as `name`; ValueError if that can't be an id."""
    if not _ID.fullmatch(name):
        raise ValueError(f"{name!r} is not the id of a Gymnasium environment.")
    return _SOURCE.format(name=name)
