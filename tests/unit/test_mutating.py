"""The mutants of the bench: one slip each, in sources that still compile."""

from __future__ import annotations

import pytest

from benchmarks.mutating import mutants_of

SOURCE = """
class Environment:
    def __init__(self, size=3):
        self.size = size

    def step(self, action):
        \"\"\"Moves by 1 at most.\"\"\"
        self.place = min(self.place + action, 9)
        if self.place >= self.size:
            raise ValueError("over 8")
        return {"place": self.place, "paid": -1.5}
"""

MADE = [
    ("forgets a statement", "pass"),
    ("drops a clip", "self.place + action"),
    ("swaps a sign", "self.place - action"),
    ("changes a number", "10"),
    ("changes a comparison", "self.place > self.size"),
    ("drops a minus", "1.5"),
    ("forgets an entry", "{'paid': -1.5}"),
]


@pytest.mark.parametrize(("kind", "became"), MADE)
def test_a_slip_is_made_and_told(kind, became):
    texts = [mutant.text.partition("  ->  ")[2] for mutant in mutants_of(SOURCE) if mutant.kind == kind]
    assert became in texts


def test_every_mutant_compiles_and_is_another_program():
    sources = [mutant.source for mutant in mutants_of(SOURCE)]
    for source in sources:
        compile(source, "mutant", "exec")
    assert len(set(sources)) == len(sources)


def test_arguments_docstrings_and_refusals_are_left_alone():
    lines = {mutant.line for mutant in mutants_of(SOURCE)}
    assert lines == {8, 9, 11}
