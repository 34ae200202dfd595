"""Which class of a file is the environment, where it has several."""

from __future__ import annotations

import pytest

from kit.inside.candidate.loading import load

CORE = "import gymnasium\n\nclass Core(gymnasium.Env): ...\n"
WHOLE = "class Whole(gymnasium.Wrapper):\n    def __init__(self): super().__init__(Core())\n"


@pytest.mark.parametrize(
    ("source", "found"),
    [
        (CORE, "Core"),
        (CORE + "class Leaf(Core): ...\n", "Leaf"),
        (CORE + "class Around(gymnasium.Wrapper): ...\n", "Core"),  # it needs an environment to be made
        (CORE + WHOLE, "Whole"),  # it makes its own, and is what is trained on
        (CORE + WHOLE + "class Around(gymnasium.Wrapper): ...\n", "Whole"),
        (CORE + "class Other(gymnasium.Env): ...\n", None),  # the user must say which
        (CORE + "class Environment(gymnasium.Env): ...\n", "Environment"),
    ],
)
def test_the_environment_of_a_file(source, found):
    cls = load(source, None).cls
    assert (cls.__name__ if cls else None) == found
