"""Environments written by hand for designs written by hand obey these, step by step, under every rule and by chance.

The whole check takes several seconds each; `gymwright check tests/designs/environments/ID.py` with the design does it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kit.contracts.design import EnvDesign
from kit.contracts.formulas import compile_design, tolerances
from kit.contracts.formulas.batches import flat
from kit.contracts.formulas.columns import (
    act,
    as_env_action,
    masks,
    moments,
    observe,
    parameter_values,
    reward,
    transitions,
)

WRITTEN = Path(__file__).parents[1] / "designs"
MOST_STEPS = 60


def made(name: str) -> Any:
    names: dict[str, Any] = {"__name__": "written"}
    exec(
        compile((WRITTEN / "environments" / f"{name}.py").read_text(), name, "exec"), names
    )  # ours, so it may run here
    return names["Environment"]()


class Played:
    """One episode of a policy, as rows; after[i] is what before[i] became by actions[i]."""

    def __init__(self, env: Any, program: Any, policy: str) -> None:
        design = program.design
        params = parameter_values(design)
        self.before, self.after, self.actions, self.seen, self.shown, self.said = [], [], [], [], [], []
        self.masks: list[Any] = []
        observation, info = env.reset(seed=3)
        env.action_space.seed(3)
        self.first = info["state"]
        for _ in range(MOST_STEPS):
            self.before.append(info["state"])
            self.seen.append(observation)
            if design.action.masked:
                self.masks.append(env.action_masks())
            row = np.asarray(env.action_space.sample(), np.float64).reshape(-1)
            if policy:
                row = act(program, policy, params, np.asarray([observation], np.float64))[0]
            self.actions.append(row)
            observation, paid, terminated, truncated, info = env.step(as_env_action(design, row))
            self.after.append(info["state"])
            self.shown.append(observation)
            self.said.append((paid, info["reward_components"], info["ending"], terminated))
            if terminated or truncated:
                break


def columns(design: EnvDesign, states: list[Any]) -> dict[str, Any]:
    assert all(set(state) == {variable.name for variable in design.state} for state in states)
    return {v.name: np.stack([np.asarray(state[v.name], np.float64) for state in states]) for v in design.state}


@pytest.mark.parametrize("name", sorted(path.stem for path in (WRITTEN / "environments").glob("*.py")))
def test_a_written_environment_obeys_its_design(name: str) -> None:
    program = compile_design(EnvDesign.model_validate_json((WRITTEN / f"{name}.json").read_text()))
    env = made(name)
    for policy in ("", *program.baselines):
        obeys(program, Played(env, program, policy))


def obeys(program: Any, played: Played) -> None:
    design, rows = program.design, len(played.actions)
    params = parameter_values(design)
    before, after = columns(design, played.before), columns(design, played.after)
    values = transitions(program, params, before, np.stack(played.actions), after, np.stack(played.seen))

    for variable in design.state:
        assert np.all((after[variable.name] >= variable.low) & (after[variable.name] <= variable.high)), variable.name
        assert not variable.flow or not np.any(played.first[variable.name])
    seen = observe(program, moments(params, after), rows)
    np.testing.assert_allclose(np.stack(played.shown), seen, atol=tolerances.OBSERVATION, rtol=tolerances.OBSERVATION)
    for law in program.laws.values():
        left = flat(law.left(values))
        if law.right is None:
            assert np.all(left != 0), law.name
        else:
            np.testing.assert_allclose(
                left + 0 * flat(law.right(values)), flat(law.right(values)) + 0 * left, 1e-6, 1e-6
            )
    for name, compiled in program.invariants.items():
        assert np.all(compiled(moments(params, after)) != 0), name
    components = {name: np.broadcast_to(compiled(values), rows) for name, compiled in program.components.items()}
    for name, expected in components.items():
        np.testing.assert_allclose([said[1][name] for said in played.said], expected, 1e-6, 1e-6)
    np.testing.assert_allclose([said[0] for said in played.said], reward(program, components), 1e-6, 1e-6)
    for row, (_, _, ending, terminated) in enumerate(played.said):
        true = [name for name, compiled in program.endings.items() if np.broadcast_to(compiled(values), rows)[row]]
        assert (ending, terminated) == (true[0] if true else None, bool(true))
    if design.action.masked:
        np.testing.assert_array_equal(np.stack(played.masks), masks(program, moments(params, before), rows) != 0)
