"""Bounds: many episodes under random, extreme, constant and persistent actions; nothing may leave its range."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import numpy as np

from kit.contracts.findings import Blame, Finding
from kit.inside.candidate import Space, Trajectories
from services.executor.inside.catalogue import define
from services.executor.inside.groups.contract import (
    FLAG_TYPE,
    OBSERVATION_BOUNDS,
    OBSERVATION_TYPE,
    REWARD_FINITE,
    REWARD_TYPE,
    trouble_with,
)
from services.executor.inside.groups.evidence import earliest, placed
from services.executor.inside.groups.playing import LONGEST, longest_of, play_all
from services.executor.inside.groups.policies import play, policies, reacting
from services.executor.inside.subject import Subject

FULL = 6000  # steps of the longest episode that is played to its end
LARGE_REWARD = 5_000.0

NEVER_ENDS = define(
    "episode.never_ends",
    proves="Every episode ends, by an ending or by the step limit.",
    example="return obs, reward, False, False, {}",
    remedy="Count the steps and return truncated=True at a limit, or end the episode in a terminal state.",
    blame=Blame.DESIGN,
)
REWARD_SCALE = define(
    "reward.scale",
    proves="Rewards are of a size that a value network can learn: thousands at the most.",
    example="reward = -1e6 * error",
    remedy="Scale the reward so that an ordinary step is worth between -10 and 10.",
    blame=Blame.DESIGN,
)
WRAPS = define(
    "reward.wraps",
    proves="No reward comes from unsigned numbers that wrap around below zero.",
    example="gained = self.memory - now  # both uint8",
    remedy="Convert to a signed type, int(...) or float(...), before subtracting.",
)


def check_play(subject: Subject) -> Iterator[Finding]:
    """Plays; later groups read subject.played."""
    for played in play_all(subject):
        trajectories, trouble = played.rollout.trajectories, played.rollout.trouble
        if trajectories is not None:
            subject.played[played.policy] = trajectories
            subject.episodes += int(trajectories.ended.sum())
            subject.steps += trajectories.rows
            yield from values_in_range(subject, played.policy, trajectories)
        if trouble is not None:
            seed = played.rollout.seed if played.rollout.seed is not None else f"{played.first} or a later one"
            yield trouble_with(trouble, f"policy {played.policy}, seed {seed}, step {played.rollout.step}")
            return
    longest = longest_of(subject)
    yield from _play_reacting(subject, longest)
    yield from _play_in_full(subject)
    yield from check_ends(subject, longest)


def _play_reacting(subject: Subject, longest: int) -> Iterator[Finding]:
    """Where no policy brought about a terminal state: policies that push a feature of the observation on."""
    if subject.design is not None or any(known.terminated.any() for known in subject.played.values()):
        return
    limit = min(longest, subject.affordable(longest))
    with subject.start() as candidate:
        for name, policy in reacting(subject).items():
            played = play(subject, candidate, policy, (1, 2), limit)
            if played.trouble is not None:
                yield trouble_with(played.trouble, f"policy {name}, seed {played.seed}, step {played.step}")
                return
            if played.trajectories is not None:
                subject.steps += played.trajectories.rows
                yield from values_in_range(subject, name, played.trajectories)
                if played.trajectories.terminated.any():
                    subject.played[name] = played.trajectories
                    return


def _play_in_full(subject: Subject) -> Iterator[Finding]:
    """Where the environment names a limit beyond what was played: whole episodes up to there."""
    longest = max((int(known.lengths.max()) for known in subject.played.values()), default=0)
    limit = max((int(value) + 2 for value in subject.attributes.values() if value <= FULL), default=0)
    if subject.design is not None or limit <= longest or subject.affordable(5 * FULL) < 5 * limit:
        return
    if not any((known.lengths[~known.ended] >= LONGEST // 3).any() for known in subject.played.values()):
        return  # they end by themselves
    with subject.start() as candidate:
        played = play(subject, candidate, policies(subject)["random"], range(500, 505), limit)
    if played.trouble is not None:
        yield trouble_with(played.trouble, f"policy random, seed {played.seed}, step {played.step}")
    elif played.trajectories is not None:
        subject.played["random in full"] = played.trajectories
        subject.steps += played.trajectories.rows
        yield from values_in_range(subject, "random in full", played.trajectories)


def values_in_range(subject: Subject, name: str, played: Trajectories) -> Iterator[Finding]:
    """Rewards and observations, every row."""
    bad = ~np.isfinite(played.rewards)
    if bad.any():
        row = earliest(played, bad)
        yield REWARD_FINITE.error(
            f"the reward is {played.rewards[row]}",
            evidence=where(played, row, name),
            line=subject.line_of_return("step"),
        )
    names = {name for joined in played.dtypes.get("reward and flags", ()) for name in joined.split(", ")}
    if odd := sorted(names - {"float", "int", "numpy.float64", "bool", "numpy.bool"}):
        yield REWARD_TYPE.warning(f"some rewards are {', '.join(odd)}, expected float", evidence=f"policy {name}")
    if "numpy.bool" in names:
        yield FLAG_TYPE.warning(
            "some terminated or truncated flags are numpy.bool, expected bool", evidence=f"policy {name}"
        )
    low, high = flat_limits(subject.observation)
    for when, values in (("after a step", played.next_observations), ("after reset()", played.start_observations)):
        if values.shape[1:] != low.shape:
            yield OBSERVATION_TYPE.error(f"an observation {when} has {values.shape[1]} numbers, expected {low.size}")
            return
        outside = ~((values >= low) & (values <= high) & np.isfinite(values))  # a bound may be infinite
        if outside.any():
            any_outside = np.asarray(outside.any(axis=1))
            row = earliest(played, any_outside) if when == "after a step" else int(np.argmax(any_outside))
            column = int(np.argmax(outside[row]))
            evidence = (
                where(played, row, name) if when == "after a step" else f"seed {played.seeds[row]}, policy {name}"
            )
            last = when == "after a step" and bool(played.terminated[row] or played.truncated[row])
            value = values[row, column]
            place = f"lies outside [{low[column]:.9g}, {high[column]:.9g}]" if np.isfinite(value) else "is not finite"
            yield OBSERVATION_BOUNDS.error(
                f"observation[{column}] = {value:.9g} {when}{' that ended the episode' if last else ''} {place}",
                evidence=evidence,
                line=subject.line_of("_obs") or subject.line_of_return("step"),
            )
            return


def where(played: Trajectories, row: int, policy: str) -> str:
    """Where a row is, so that it can be played again."""
    return placed(policy, played, row)


def check_ends(subject: Subject, longest: int) -> Iterator[Finding]:
    """Whether any episode of any policy came to its end; where none did, one much longer try."""
    if any(played.ended.any() for played in subject.played.values()):
        return
    if any(FULL < value < 10**7 for value in subject.attributes.values()):
        return  # a limit that is too long to be played
    limit = subject.affordable(max(longest, 4000))
    policy = policies(subject)["random"]
    with subject.start() as candidate:
        played = play(subject, candidate, policy, range(3), limit)
    if played.trouble is not None:
        yield trouble_with(played.trouble, f"random policy, step {played.step}")
    elif played.trajectories is not None and not played.trajectories.ended.any() and limit >= 1000:
        yield NEVER_ENDS.error(
            f"no episode ended in {limit} steps under random actions, nor in {longest} under others",
            line=subject.line_of_return("step"),
        )


def check_reward_scale(subject: Subject) -> Iterator[Finding]:
    """What an ordinary step pays."""
    if not subject.played:
        return
    ordinary = float(np.percentile(np.abs(np.concatenate([played.rewards for played in subject.played.values()])), 90))
    if ordinary > LARGE_REWARD:
        yield REWARD_SCALE.warning(f"one step in ten pays more than {ordinary:.3g} either way")


def check_wrapping(subject: Subject) -> Iterator[Finding]:
    """A reward that lies nearly 256 (65536, 2**32) ordinary units above another, where the code uses unsigned types."""
    unsigned = _unsigned_lines(subject)
    if not unsigned:
        return
    for name, played in subject.played.items():
        values = np.unique(np.round(played.rewards, 9))
        if not 3 <= len(values) <= 300:
            continue
        for reward in values[np.argsort(-np.abs(values))[:4]]:
            others = values[values != reward]
            gaps = np.unique(np.round(np.diff(others), 9))[:6]
            units = np.abs(reward - others)[:, None] / gaps[gaps > 1e-6][None]
            for bits in (8, 16, 32):
                near = (np.abs(units - np.round(units)) < 1e-4) & (units > 2.0**bits - 8) & (units < 2.0**bits + 0.5)
                if near.any():
                    row = int(np.argmax(np.abs(played.rewards - reward) < 1e-8))
                    yield WRAPS.error(
                        f"a reward of {reward:g} beside others like {others[0]:g} and {others[1]:g}: an unsigned "
                        f"subtraction wrapped around {2**bits}",
                        evidence=where(played, row, name),
                        line=unsigned[0],
                    )
                    return


def flat_limits(space: Space) -> tuple[np.ndarray, np.ndarray]:
    """Low and high of the flattened observation, in the order in which it is flattened."""
    if space.parts:
        parts = [flat_limits(part) for part in space.parts.values()]
        return np.concatenate([low for low, _ in parts]), np.concatenate([high for _, high in parts])
    low, high = np.asarray(space.low, dtype=np.float64), np.asarray(space.high, dtype=np.float64)
    return low.reshape(-1), high.reshape(-1)


def _unsigned_lines(subject: Subject) -> list[int]:
    names = {"uint8", "uint16", "uint32", "uint64", "ubyte", "ushort", "uintc", "uint"}
    nodes = ast.walk(subject.tree) if subject.tree else ()
    return [n.lineno for n in nodes if isinstance(n, ast.Attribute) and n.attr in names]
