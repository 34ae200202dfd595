"""The library's worked problems: each design compiles, and each environment does what its design says, step by step."""

from __future__ import annotations

import importlib.util
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from stable_baselines3.common import env_checker

from kit.contracts.design import ActionKind, EnvDesign, VariableKind
from kit.contracts.formulas import columns, compile_design, tolerances
from kit.contracts.formulas.program import Program

PROBLEMS = Path(__file__).parents[2] / "kit" / "library" / "problems"
NAMES = sorted(folder.name for folder in PROBLEMS.iterdir() if (folder / "design.json").is_file())
POLICIES = ["random", "lowest", "highest", "swinging", "rule"]
FILES = {"problem.md", "design.json", "environment.py", "tuning.json"}
EPISODES = 3


def design_of(name: str) -> EnvDesign:
    return EnvDesign.model_validate_json((PROBLEMS / name / "design.json").read_text())


def environment_of(name: str) -> Callable[..., Any]:
    spec = importlib.util.spec_from_file_location(f"worked_{name}", PROBLEMS / name / "environment.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.Environment  # type: ignore[no-any-return]


def arguments(design: EnvDesign) -> dict[str, object]:
    return {parameter.name: parameter.argument for parameter in design.parameters}


def choose(program: Program, policy: str, env: Any, step: int, observation: np.ndarray) -> np.ndarray:
    """The policy's action as a row of numbers, as the design lays it out."""
    design = program.design
    if policy == "rule":
        rule, params = design.baselines[0].name, columns.parameter_values(design)
        return columns.act(program, rule, params, observation[None].astype(np.float64))[0]
    if policy == "random":
        return np.atleast_1d(env.action_space.sample()).astype(np.float64)
    box = design.action.kind is ActionKind.BOX
    lowest = np.array([term.low if box else 0 for term in design.action.terms], dtype=np.float64)
    highest = np.array([term.high if box else (term.choices or 2) - 1 for term in design.action.terms], np.float64)
    return highest if policy == "highest" or (policy == "swinging" and step % 2) else lowest


@dataclass(frozen=True)
class Rollout:
    """Episodes of one policy: rows are steps; `moments` are states with what was observed in them, resets included."""

    values: dict[str, np.ndarray]
    rewards: np.ndarray
    said: dict[str, np.ndarray]  # reward components as the environment gave them
    seen: np.ndarray
    seen_in: dict[str, np.ndarray]
    endings: list[str | None]
    terminated: np.ndarray


def roll(program: Program, make: Callable[..., Any], policy: str, episodes: int = EPISODES) -> Rollout:
    design = program.design
    env = make(**arguments(design))
    env.action_space.seed(7)
    prev, after, actions, before, rewards, said, endings, terminated = [], [], [], [], [], [], [], []
    moments, seen = [], []
    for episode in range(episodes):
        shown, info = env.reset(seed=episode)
        observation = columns.flat_observation(design, shown)
        assert_reset(design, info)
        moments.append(info["state"])
        seen.append(observation)
        for step in range(design.episode.step_limit):
            action = choose(program, policy, env, step, observation)
            old, before_obs = info, observation
            shown, reward, ended, truncated, info = env.step(columns.as_env_action(design, action))
            observation = columns.flat_observation(design, shown)
            assert type(reward) is float and type(ended) is bool and type(truncated) is bool
            assert_moment(design, env, shown, info)
            prev.append(old["state"])
            after.append(info["state"])
            actions.append(action)
            before.append(before_obs)
            rewards.append(reward)
            said.append(info["reward_components"])
            endings.append(info["ending"])
            terminated.append(ended)
            moments.append(info["state"])
            seen.append(observation)
            assert truncated == (step + 1 == design.episode.step_limit and not ended)
            if ended:
                break
    values = columns.transitions(
        program, columns.parameter_values(design), stack(prev), np.array(actions), stack(after), np.array(before)
    )
    return Rollout(
        dict(values), np.array(rewards), stack(said), np.array(seen), stack(moments), endings, np.array(terminated)
    )


@cache
def played(name: str, policy: str) -> tuple[Program, Rollout]:
    program = compile_design(design_of(name))
    return program, roll(program, environment_of(name), policy)


def stack(rows: list[dict[str, Any]]) -> dict[str, np.ndarray]:
    return {name: np.array([row[name] for row in rows], dtype=np.float64) for name in rows[0]}


def assert_reset(design: EnvDesign, info: dict[str, Any]) -> None:
    for variable in design.state:
        if variable.flow:
            assert np.all(np.asarray(info["state"][variable.name]) == 0), f"{variable.name} is a flow: zero at reset"
    assert set(info["reward_components"].values()) == {0.0}
    assert info["ending"] is None


def assert_moment(design: EnvDesign, env: Any, observation: Any, info: dict[str, Any]) -> None:
    assert env.observation_space.contains(observation)
    assert list(info["state"]) == [variable.name for variable in design.state]
    for variable in design.state:
        value = np.asarray(info["state"][variable.name])
        assert value.shape == variable.shape, variable.name
        assert value.dtype == (np.int64 if variable.kind is VariableKind.WHOLE else np.float64), variable.name
        assert np.all((variable.low <= value) & (value <= variable.high)), f"{variable.name} is {value}"


def close(left: np.ndarray, right: np.ndarray, tolerance: float) -> np.ndarray:
    return np.abs(left - right) <= tolerance * np.maximum(1, np.abs(right))


@pytest.mark.parametrize("name", NAMES)
def test_a_worked_problem_has_its_files_and_its_design_compiles(name):
    assert {path.name for path in (PROBLEMS / name).iterdir() if path.is_file()} - {"twin.py"} == FILES
    assert compile_design(design_of(name)).design.name == name
    assert (PROBLEMS / name / "problem.md").read_text().splitlines()[0].endswith(".")


@pytest.mark.parametrize("name", NAMES)
def test_both_environment_checkers_have_nothing_to_say(name):
    make = environment_of(name)
    from gymnasium.utils.env_checker import check_env

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(make(), skip_render_check=True)
        env_checker.check_env(make())


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("name", NAMES)
def test_the_environment_does_what_its_design_says(name, policy):
    program, rollout = played(name, policy)
    design, rows = program.design, len(rollout.rewards)

    moments = columns.moments(columns.parameter_values(design), rollout.seen_in)
    expected = columns.observe(program, moments, len(rollout.seen))
    assert close(rollout.seen, expected, tolerances.OBSERVATION).all()
    for invariant, compiled in program.invariants.items():
        assert np.all(compiled(moments) == 1), invariant

    components = {
        key: np.broadcast_to(compiled(rollout.values), (rows,)) for key, compiled in program.components.items()
    }
    for component in design.reward:
        value = components[component.name]
        assert close(rollout.said[component.name], value, tolerances.REWARD).all(), component.name
        assert np.all((component.low <= value) & (value <= component.high)), component.name
    assert close(rollout.rewards, columns.reward(program, components), tolerances.REWARD).all()

    for law in program.laws.values():
        left = law.left(rollout.values)
        holds = left == 1 if law.right is None else close(left, law.right(rollout.values), tolerances.REWARD)
        assert np.all(holds), (
            f"{law.name} fails first at row {np.argmin(np.atleast_1d(holds.reshape(rows, -1).all(1)))}"
        )

    first = [next((key for key, holds in row.items() if holds), None) for row in ending_rows(program, rollout, rows)]
    assert first == rollout.endings
    assert rollout.terminated.tolist() == [ending is not None for ending in first]


def ending_rows(program: Program, rollout: Rollout, rows: int) -> list[dict[str, bool]]:
    holds = {key: np.broadcast_to(compiled(rollout.values), (rows,)) for key, compiled in program.endings.items()}
    return [{key: bool(column[row]) for key, column in holds.items()} for row in range(rows)]


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("name", NAMES)
def test_what_is_random_has_the_mean_and_spread_the_design_expects(name, policy):
    program, rollout = played(name, policy)
    rows = len(rollout.rewards)
    for key, expectation in program.expected.items():
        value = expectation.formula(rollout.values)
        mean = np.broadcast_to(expectation.mean(rollout.values), value.shape)
        off = (value - mean).reshape(rows, -1)
        if expectation.deviation is None:
            variance = np.broadcast_to(off.var(axis=0), off.shape)
        else:
            variance = np.broadcast_to(expectation.deviation(rollout.values), value.shape).reshape(rows, -1) ** 2
        total = np.sqrt(variance.sum(axis=0))
        z = np.where(total > 0, off.sum(axis=0) / np.maximum(total, 1e-12), 0)
        assert np.all(np.abs(z) < tolerances.EXPECTATION_Z), f"{key}: z = {z}"
        # Squared, too: the spread is neither lost nor doubled.
        observed, stated = (off**2).sum(axis=0), variance.sum(axis=0)
        assert np.all(observed[stated > 1] < 1.6 * stated[stated > 1]), f"{key} spreads more than its deviation"


@pytest.mark.parametrize("name", NAMES)
def test_the_same_seed_gives_the_same_episode(name):
    program, make = compile_design(design_of(name)), environment_of(name)
    one, other = (roll(program, make, "random", episodes=1) for _ in range(2))
    assert np.array_equal(one.rewards, other.rewards) and np.array_equal(one.seen, other.seen)


@pytest.mark.parametrize("name", NAMES)
def test_parameters_can_be_replaced_for_one_episode_only(name):
    design, make = design_of(name), environment_of(name)
    env = make(**arguments(design))
    changed = next(p for p in design.parameters if not p.shape and p.values[0] != 0)
    untouched = columns.flat_observation(design, env.reset(seed=3)[0])
    env.reset(seed=3, options={"parameters": {changed.name: changed.values[0] * 1.5}})
    assert np.array_equal(columns.flat_observation(design, env.reset(seed=3)[0]), untouched)
    with pytest.raises(ValueError, match="no_such_parameter"):
        env.reset(options={"parameters": {"no_such_parameter": 1}})


@pytest.mark.parametrize("name", [name for name in NAMES if design_of(name).action.masked])
def test_choices_are_masked_as_the_design_says_and_an_illegal_one_is_no_exception(name):
    program, env = compile_design(design_of(name)), environment_of(name)()
    _, info = env.reset(seed=5)
    for step in range(100):
        state = columns.moments(columns.parameter_values(program.design), stack([info["state"]]))
        masks = env.action_masks()
        assert np.array_equal(masks, columns.masks(program, state, 1)[0])
        illegal = np.flatnonzero(~masks)
        _, _, _, _, info = env.step(int(illegal[0]) if len(illegal) and step % 2 else env.action_space.sample())


@pytest.mark.parametrize("name", NAMES)
def test_the_environment_s_own_defaults_are_the_design_s(name):
    program, make = compile_design(design_of(name)), environment_of(name)
    given = roll(program, make, "random", episodes=1)
    assumed = roll(program, lambda **_: make(), "random", episodes=1)
    assert np.array_equal(given.rewards, assumed.rewards) and np.array_equal(given.seen, assumed.seen)
