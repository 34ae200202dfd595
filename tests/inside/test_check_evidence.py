"""Evidence can be played again: the seed and actions that a finding names show the fault, and nothing shorter does."""

from __future__ import annotations

import re

import pytest

from tests.inside.checked import checked
from tests.inside.tank import SOURCE, design


def played(source: str, seed: int, actions: list[int]) -> list[tuple[object, ...]]:
    """What an episode of this source gives, step by step."""
    names: dict[str, type] = {}
    exec(compile(source, "tank", "exec"), names)
    env = names["Environment"]()
    env.reset(seed=seed)
    return [(obs.tolist(), *rest) for obs, *rest, _ in (env.step(action) for action in actions)]


@pytest.mark.parametrize(
    ("old", "new", "check", "step"),
    [
        # Wrong in the third step alone, and only where something is sold.
        ("sales = p", "sales = (1.01 if self.t == 3 else 1.0) * p", "reward.component", 2),
        ("self.inflow / 10]", "self.inflow / (11 if self.t == 2 else 10)]", "observation.formula", 1),
    ],
)
def test_the_evidence_is_the_shortest_way_to_the_fault(old, new, check, step):
    assert SOURCE.count(old) == 1
    faulty = SOURCE.replace(old, new)
    finding = next(finding for finding in checked(faulty, design()).findings if finding.check == check)
    way = re.search(r"reset\(seed=(\d+)\), then step\(\) with ([\d, ]+)", finding.evidence)
    assert way is not None, finding.evidence
    actions = [int(action) for action in way[2].split(", ")]
    good, bad = (played(source, int(way[1]), actions) for source in (SOURCE, faulty))
    assert len(actions) == step + 1
    assert (good[:-1], good[-1] == bad[-1]) == (bad[:-1], False)
