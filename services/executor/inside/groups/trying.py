"""In the candidate's own process: what would happen, tried on copies of an instance; its answers are claims."""

from __future__ import annotations

import copy
import time
from collections import deque
from typing import Any

import numpy as np

from services.executor.inside.groups.probing import same

FOLLOWING = 3  # steps after a choice in which its effect may still show


def effects(
    env: Any, seeds: list[int], choices: list[Any], states: int, compare: bool, budget_s: float
) -> dict[str, object]:
    """What the choice of an action changes, in states along random walks, each choice tried on a copy.

    seen, paid: whether it ever changed the next observation, the next reward. alike: pairs of choices (their
    places) that had the same effect in every state, and in the steps that followed; none without `compare`, which
    takes many states. states: how many were tried.
    """
    rng = np.random.default_rng(0)
    alike = {(one, other) for other in range(len(choices)) for one in range(other)} if compare else set()
    seen = paid = False
    tried, ends = 0, time.process_time() + budget_s
    for seed in seeds:
        env.reset(seed=seed)
        for _ in range(-(-states // len(seeds))):
            if (seen and paid and not alike) or time.process_time() > ends:
                return {"seen": seen, "paid": paid, "alike": sorted(alike), "states": tried}
            following = [choices[int(rng.integers(len(choices)))] for _ in range(FOLLOWING)]
            found = [_outcome(env, choice, following) for choice in choices]
            seen = seen or any(not same(found[0][0][0], other[0][0]) for other in found[1:])
            paid = paid or any(not same(found[0][0][1], other[0][1]) for other in found[1:])
            alike = {(one, other) for one, other in alike if same(found[one], found[other])}
            tried += 1
            _, _, terminated, truncated, _ = env.step(copy.deepcopy(choices[int(rng.integers(len(choices)))]))
            if terminated or truncated:
                env.reset()
    return {"seen": seen, "paid": paid, "alike": sorted(alike), "states": tried}


def _outcome(env: Any, choice: Any, following: list[Any]) -> list[tuple[Any, Any, Any, Any]]:
    """What a copy returns for the choice, and for the same actions after it."""
    made, told = copy.deepcopy(env), []
    for action in (choice, *following):
        observation, reward, terminated, truncated, _ = made.step(copy.deepcopy(action))
        told.append((copy.deepcopy(observation), float(reward), bool(terminated), bool(truncated)))
        if terminated or truncated:
            break
    return told


def masks_and_effects(env: Any, seeds: list[int], choices: list[int], steps: int, budget_s: float) -> dict[str, int]:
    """In how many states along random walks the mask tells exactly the choices that change what is observed.

    now: the mask of the state; before: the one that is given a step later.
    """
    rng = np.random.default_rng(0)
    told = {"now": 0, "before": 0, "states": 0}
    ends = time.process_time() + budget_s
    for seed in seeds:
        observation, _ = env.reset(seed=seed)
        for _ in range(steps):
            if time.process_time() > ends:
                return told
            mask, observation = np.asarray(env.action_masks(), dtype=bool), copy.deepcopy(observation)
            moves = np.array([not same(observation, copy.deepcopy(env).step(choice)[0]) for choice in choices])
            going = np.flatnonzero(moves) if moves.any() else np.arange(len(choices))
            observation, _, terminated, truncated, _ = env.step(choices[int(rng.choice(going))])
            if terminated or truncated:
                break
            told["now"] += bool(np.array_equal(mask, moves))
            told["before"] += bool(np.array_equal(np.asarray(env.action_masks(), dtype=bool), moves))
            told["states"] += 1
    return told


def climb(env: Any, seeds: list[int], choices: list[Any], steps: int, budget_s: float) -> list[dict[str, object]]:
    """Episodes in which every step takes what pays most at once; of equals, one at random.

    Of each: its rewards, and whether it terminated or was truncated.
    """
    rng = np.random.default_rng(0)
    played: list[dict[str, object]] = []
    ends = time.process_time() + budget_s
    for seed in seeds:
        going = copy.deepcopy(env)
        going.reset(seed=seed)
        rewards: list[float] = []
        terminated = truncated = False
        while len(rewards) < steps and not (terminated or truncated) and time.process_time() < ends:
            best: tuple[float, bool, bool, Any] | None = None
            for place in rng.permutation(len(choices)):
                made = copy.deepcopy(going)
                _, reward, over, cut, _ = made.step(copy.deepcopy(choices[int(place)]))
                if best is None or float(reward) > best[0]:
                    best = float(reward), bool(over), bool(cut), made
            assert best is not None
            rewards.append(best[0])
            terminated, truncated, going = best[1:]
        played.append({"rewards": rewards, "terminated": terminated, "truncated": truncated})
    return played


def explore(env: Any, seed: int, choices: list[Any], budget_s: float) -> dict[str, object]:
    """Breadth first through everything that can be observed from one start, every choice tried under two chances.

    paid: whether any step had a reward other than 0. exhausted: whether nothing unseen was left. seen: how much was.
    """
    start = copy.deepcopy(env)
    observation, _ = start.reset(seed=seed)
    waiting, known = deque([start]), {_cell(observation)}
    ends = time.process_time() + budget_s
    while waiting and time.process_time() < ends:
        here = waiting.popleft()
        for choice in choices:
            for chance in range(2):
                made = copy.deepcopy(here)
                made.unwrapped.np_random = np.random.default_rng(len(known) + chance)
                observation, reward, terminated, truncated, _ = made.step(copy.deepcopy(choice))
                if float(reward) != 0.0:
                    return {"paid": True, "exhausted": False, "seen": len(known)}
                cell = _cell(observation)
                if not terminated and not truncated and cell not in known:
                    known.add(cell)
                    waiting.append(made)
    return {"paid": False, "exhausted": not waiting, "seen": len(known)}


def _cell(observation: Any) -> bytes:
    if isinstance(observation, dict):
        return b"|".join(_cell(part) for part in observation.values())
    array = np.asarray(observation)
    return (np.round(array.astype(np.float64), 2) + 0.0).tobytes()
