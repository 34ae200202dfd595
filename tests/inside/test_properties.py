"""What holds for any seed and any legal actions, for any value of any space, and for any order of checks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from gymnasium import spaces
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kit.inside.candidate.describing import describe_space
from kit.inside.candidate.spaces import Space, read_space
from kit.inside.candidate.values import Packer, Value, read
from tests.inside.checked import checked
from tests.inside.tank import SOURCE, design
from tests.inside.test_worked_problems import NAMES, arguments, design_of, environment_of

SEEDS = st.integers(0, 2**32 - 1)
LONGEST = 25
FEW = settings(max_examples=6, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
MANY = settings(max_examples=150, deadline=None, derandomize=True)


def legal_action(draw: st.DrawFn, env: Any) -> Any:
    """Any action of the space that the masks allow."""
    space = env.action_space
    if isinstance(space, spaces.Box):
        return np.array([draw(st.floats(-1.0, 1.0, width=32)) for _ in range(space.shape[0])], np.float32)
    if isinstance(space, spaces.MultiBinary):
        return np.array([draw(st.integers(0, 1)) for _ in range(space.shape[0])], np.int8)
    sizes = [int(space.n)] if isinstance(space, spaces.Discrete) else [int(n) for n in space.nvec]
    masks = env.action_masks() if hasattr(env, "action_masks") else np.ones(sum(sizes), bool)
    parts = np.split(masks, np.cumsum(sizes)[:-1])
    chosen = [draw(st.sampled_from(np.flatnonzero(part).tolist())) for part in parts]
    return chosen[0] if isinstance(space, spaces.Discrete) else np.array(chosen, np.int64)


@st.composite
def played(draw: st.DrawFn, name: str) -> tuple[int, list[Any], list[tuple[Any, ...]]]:
    """A seed, legal actions, and what came back: (observation, reward, terminated, truncated) of every step."""
    env = environment_of(name)(**arguments(design_of(name)))
    seed, length = draw(SEEDS), draw(st.integers(1, LONGEST))
    tape: list[tuple[Any, ...]] = [(env.reset(seed=seed)[0], 0.0, False, False)]
    actions: list[Any] = []
    while len(actions) < length and not (tape[-1][2] or tape[-1][3]):
        actions.append(legal_action(draw, env))
        tape.append(env.step(actions[-1])[:4])
    return seed, actions, tape


@pytest.mark.parametrize("name", NAMES)
def test_a_worked_problem_keeps_its_contract_for_any_seed_and_any_legal_actions(name):
    space = environment_of(name)(**arguments(design_of(name))).observation_space

    @FEW
    @given(played(name))
    def holds(episode):
        seed, actions, tape = episode
        for observation, reward, terminated, truncated in tape:
            assert space.contains(observation)
            assert type(reward) is float and np.isfinite(reward)
            assert (type(terminated), type(truncated)) == (bool, bool)
            assert not (terminated and truncated)
        again = environment_of(name)(**arguments(design_of(name)))
        once_more = [(again.reset(seed=seed)[0], 0.0, False, False), *(again.step(action)[:4] for action in actions)]
        for one, other in zip(tape, once_more, strict=True):
            np.testing.assert_equal(one[0], other[0])
            assert one[1:] == other[1:]

    holds()


BOUNDS = st.tuples(st.integers(-5, 0), st.integers(1, 5))
SHAPES = st.lists(st.integers(1, 3), min_size=1, max_size=3).map(tuple)
PLAIN_SPACES = st.one_of(
    st.builds(
        lambda bounds, shape, dtype: spaces.Box(*bounds, shape, dtype),
        BOUNDS, SHAPES, st.sampled_from([np.float32, np.float64, np.int8, np.int64]),
    ),
    st.builds(lambda shape: spaces.Box(0, 255, shape, np.uint8), SHAPES),
    st.builds(lambda shape: spaces.Box(-np.inf, np.inf, shape, np.float32), SHAPES),
    st.builds(spaces.Discrete, st.integers(1, 6)),
    st.builds(spaces.MultiDiscrete, st.lists(st.integers(1, 5), min_size=1, max_size=4)),
    st.builds(spaces.MultiBinary, st.integers(1, 5)),
)  # fmt: skip
SPACES = st.one_of(
    PLAIN_SPACES, st.dictionaries(st.sampled_from("abc"), PLAIN_SPACES, min_size=1, max_size=3).map(spaces.Dict)
)
SPOILT = (
    lambda array: array.astype(np.float64) + 0.25,
    lambda array: array.astype(np.int64) + 300,
    lambda array: array.astype(np.float32) - 700,
    lambda array: array[None],
    lambda array: array.reshape(-1)[:-1],
    lambda array: np.full(np.shape(array), np.nan),
    lambda array: array.astype(object),
    lambda array: array.tolist(),
    lambda array: None,
)


def across(value: object) -> Value:
    """As the judge gets it from the candidate's end of the pipe."""
    packer = Packer()
    node = packer.pack(value)
    return read(node, b"".join(packer.blobs))


def judged(space: spaces.Space[Any]) -> Space:
    return read_space(across(describe_space(space)))


@MANY
@given(SPACES, SEEDS)
def test_whatever_a_space_samples_the_judge_takes(space, seed):
    space.seed(seed)
    assert judged(space).problem_with(across(space.sample())) is None


@MANY
@given(PLAIN_SPACES, SEEDS, st.sampled_from(range(len(SPOILT))))
def test_whatever_gymnasium_refuses_the_judge_refuses(space, seed, how):
    space.seed(seed)
    value = SPOILT[how](np.asarray(space.sample()))
    if not space.contains(value):
        assert judged(space).problem_with(across(value)) is not None


MUTATIONS = (
    ("self.level < 5.0", "self.level < 4.0"),
    ("sales = p", "sales = 1.01 * p"),
    ("reward = 0.1 * sales", "reward = 0.2 * sales"),
    ("super().reset(seed=seed)", "super().reset(seed=5)"),
)


@settings(parent=FEW, max_examples=4)
@given(SEEDS, st.sets(st.sampled_from(MUTATIONS), max_size=3), st.booleans())
def test_the_same_source_and_seed_give_the_same_findings(seed, mutations, beside_its_design):
    source = SOURCE
    for old, new in sorted(mutations):
        source = source.replace(old, new, 1)
    beside = design() if beside_its_design else None
    one, other = (checked(source, beside, seed=seed % 1000) for _ in range(2))
    assert (one.findings, one.ran, one.steps) == (other.findings, other.ran, other.steps)
