"""Each fault planted in the tank is found, under the right check, with the right blame."""

from __future__ import annotations

import pytest

from kit.contracts.design import EnvDesign
from kit.contracts.findings import Blame
from tests.inside.checked import checked, told
from tests.inside.tank import DESIGN, SOURCE, design

OBSERVE = "np.clip(np.array(terms, dtype=np.float32), [0.0, -1.0, 0.0], [1.0, 1.0, 5.0]).astype(np.float32)"

CODE_FAULTS = [
    # What the source gives away.
    ("import gymnasium\nimport numpy", "import gymnasium\nimport scipy\nimport numpy", "code.imports"),
    ("self.np_random.uniform(0, 2", "np.random.uniform(0, 2", "code.global_random"),
    ("self.t += 1\n", "self.t += 1\n        open('/tmp/log', 'a')\n", "code.reaches_out"),
    ("def step(self, action):", "def step(self, action:", "code.syntax"),
    ("class Environment(gymnasium.Env)", "class Environment", "code.class"),
    ("price=2.0, spill_cost=0.5)", "price=2.0)", "code.constructs"),
    # Spaces.
    ("Discrete(4)", "Discrete(5)", "design.action_space"),
    ("[1.0, 1.0, 5.0], np.float32), dtype", "[1.0, 1.0, 4.0], np.float32), dtype", "design.observation_space"),
    ("def action_masks", "def masks", "design.action_masks"),
    # What reset() and step() return.
    ("return self._observation(), reward, terminated, truncated, self", "return self._observation(), reward, terminated, self", "step.returns"),  # noqa: E501
    ("return self._observation(), self._info(0.0, 0.0, None)", "return self._observation()", "reset.returns"),
    ("reset(self, *, seed=None, options=None)", "reset(self, *, options=None, seed)", "reset.arguments"),
    (".astype(np.float32)\n", ".astype(np.float64)\n", "observation.type"),
    ("reward, terminated, truncated, self", "np.array([reward]), terminated, truncated, self", "reward.type"),
    ("terminated = ending is not None", "terminated = (ending is not None,)", "flag.type"),
    ("self.t += 1\n", "self.t += 1\n        assert int(action) < 3\n", "step.raises"),
    ("super().reset(seed=seed)\n", "super().reset(seed=seed)\n        assert seed is None or seed < 1000\n", "reset.raises"),  # noqa: E501
    ("self.t += 1\n", "self.t += 1\n        while self.t > 20: pass\n", "code.hangs"),
    # State.
    ('"inflow": self.inflow, "released"', '"released"', "state.variables"),
    ('"served": self.served.copy()', '"served": self.served.sum()', "state.variables"),
    ("self.inflow = self.released = self.spilled = 0.0\n", "self.inflow = self.released = self.spilled = 1.0\n", "state.flow_at_reset"),  # noqa: E501
    # Formulas.
    ("self.level / self.params", "(self.level + 1) / self.params", "observation.formula"),
    ("self.day / 7)", "self.day / 6)", "observation.formula"),
    ("sales = p", "sales = 1.01 * p", "reward.component"),
    ("reward = 0.1 * sales - 0.2 * spill", "reward = 0.1 * sales + 0.2 * spill", "reward.sum"),
    ("reward = 0.1 * sales - 0.2 * spill", "reward = 0.1 * sales", "reward.sum"),
    ('{"sales": sales, "spill": spill}', '{"sales": sales}', "reward.components"),
    ("self._info(0.0, 0.0, None)", "self._info(0.0, 0.1, None)", "reward.at_reset"),
    ("self.level < 5.0", "self.level < 4.0", "episode.ending"),
    ('ending = "dry"', 'ending = "empty"', "episode.ending"),
    ("terminated = ending is not None", 'terminated = ending == "dry"', "episode.ending"),
    ("self.t >= 60", "self.t > 60", "episode.limit"),
    ("self.t >= 60", "self.t >= 59", "episode.limit"),
    ("np.arange(4) <= self.level", "np.arange(4) < self.level - 12", "action.legality"),
    # Dynamics.
    ("(self.day + 1) % 7", "(self.day + 2) % 7", "dynamics.law"),
    ("min(p[\"portion\"] * int(action), self.level)", "p[\"portion\"] * int(action) * 0.5", "dynamics.law"),
    ("uniform(0, 2 * p", "uniform(0, 2.4 * p", "dynamics.expected"),
    ("uniform(0, 2 * p[\"rain\"])", "uniform(0.5 * p[\"rain\"], 1.5 * p[\"rain\"])", "dynamics.deviation"),
    ("self.np_random.uniform(0, 2 * p[\"rain\"])", "self.np_random.uniform(0, 2 * p[\"rain\"]) * (1.2 if self.level > 50 else 0.8)", "dynamics.expected"),  # noqa: E501
    # Parameters.
    ('{**self._defaults, **(options or {}).get("parameters", {})}', "dict(self._defaults)", "parameters.options"),
    ('self.params = {**self._defaults, **(options or {}).get("parameters", {})}', 'self.params.update((options or {}).get("parameters", {}))', "parameters.restored"),  # noqa: E501
    ('self.params = {**self._defaults, **(options or {}).get("parameters", {})}', 'self.params = {**self._defaults, "price": 2.0, **(options or {}).get("parameters", {})}', "parameters.arguments"),  # noqa: E501
    # Episodes, seeds, sharing.
    ("        self.t = 0\n", "        self.t = getattr(self, 't', 0)\n", "episode.history"),
    ("super().reset(seed=seed)", "super().reset(seed=5)", "determinism.stuck"),
    ('"served": self.served.copy()', '"served": self.__dict__.setdefault("kept", self.served)', "dynamics.law"),
    ("self.t += 1\n", "self.t += 1\n        if self.t == 10: self.reset()\n", "episode.resets_itself"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "check"), CODE_FAULTS, ids=lambda v: str(v)[:30])
def test_a_fault_in_the_code_is_found_and_blamed_on_the_code(old, new, check):
    assert SOURCE.count(old) >= 1
    report = checked(SOURCE.replace(old, new, 1), design())
    found = [finding for finding in report.errors if finding.check == check]
    assert found, told(report)
    assert found[0].blame == "CODE"
    assert found[0].remedy


def test_a_state_array_that_changes_after_it_was_returned_is_found():
    source = SOURCE.replace("self.served = self.released *", "self.served[:] = self.released *")
    report = checked(source.replace("self.served.copy()", "self.served"), design())
    assert "info.aliased" in {finding.check for finding in report.errors}, told(report)


def _changed(**parts: object) -> EnvDesign:
    return EnvDesign.model_validate({**DESIGN, **parts})


DESIGN_FAULTS = [
    # A component's formula leaves the bounds that the design gives it.
    ({"reward": [{**DESIGN["reward"][0], "high": 3.0}, DESIGN["reward"][1]]}, "reward.component_bounds"),
    # A formula has no value where nothing was served.
    (
        {"metrics": [{**DESIGN["metrics"][0], "formula": "state.inflow / sum(state.served)"}]},
        "design.not_finite",
    ),
    (
        {"baselines": [{"name": "r", "meaning": "r", "terms": [{"term": "release", "formula": "1 / obs.inflow"}]}]},
        "baseline.value",
    ),
]


@pytest.mark.parametrize(("parts", "check"), DESIGN_FAULTS, ids=[check for _, check in DESIGN_FAULTS])
def test_a_fault_in_the_design_is_found_and_blamed_on_the_design(parts, check):
    report = checked(SOURCE, _changed(**parts))
    found = [finding for finding in report.errors if finding.check == check]
    assert found, told(report)
    assert {finding.blame for finding in report.errors} == {"DESIGN"}


def test_a_reward_that_ranks_policies_against_the_metric_is_told_of():
    backwards = [{**DESIGN["reward"][0], "weight": -0.1}, DESIGN["reward"][1]]
    source = SOURCE.replace("reward = 0.1 * sales", "reward = -0.1 * sales")
    report = checked(source, _changed(reward=backwards))
    assert report.passed
    assert ("probe.order", "DESIGN") in {(finding.check, finding.blame) for finding in report.findings}, told(report)


def test_bounds_that_the_designs_own_law_leaves_are_the_designs_fault():
    asked = design()
    narrow = tuple(v.model_copy(update={"high": 15.0}) if v.name == "released" else v for v in asked.state)
    report = checked(SOURCE, asked.model_copy(update={"state": narrow}))
    (found,) = [finding for finding in report.errors if finding.check.startswith("state.bounds")]
    assert (found.check, found.blame) == ("state.bounds_by_law", Blame.DESIGN)
