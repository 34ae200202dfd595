"""Playing: some episodes of every policy, which most checks look at."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from kit.inside.candidate import Candidate, Policy, Rollout, Seen
from services.executor.inside.groups.policies import play, policies
from services.executor.inside.subject import Subject

EPISODES = 9
FEWEST = 5  # where episodes are long
LONGEST = 1500
STEPS = 24_000  # of all policies together
APART = 1000  # between the seeds of two policies
QUICKLY_MADE_S = 0.2  # EPISODES instances


@dataclass(frozen=True)
class Played:
    """What a policy did: its seeds are first, first + 1, ..."""

    policy: str
    first: int
    rollout: Rollout


def longest_of(subject: Subject) -> int:
    """Steps after which an episode is left."""
    return min(LONGEST, subject.step_limit + 2) if subject.step_limit else LONGEST


def play_all(subject: Subject) -> Iterator[Played]:
    """Policy after policy, until one meets trouble. Fills in subject.noted.

    All but the first are played side by side, which takes a fraction of the messages; what each does is the same as
    alone. Where that meets trouble they are played again one after the other, so that it has a policy, and all before
    it are whole.
    """
    chosen = policies(subject)
    longest = longest_of(subject)
    budget = subject.affordable(STEPS) // len(chosen)
    episodes = EPISODES
    if subject.step_s > 0.001:
        episodes = int(np.clip(budget // longest, 1, EPISODES))
    elif subject.step_limit:
        episodes = int(np.clip(budget // longest, FEWEST, EPISODES))
    limit = max(4, min(longest, budget * (3 if episodes > 1 else 1) // episodes))
    with subject.start() as candidate:
        began = time.monotonic()
        candidate.ensure(episodes, subject.kwargs)
        quickly_made = time.monotonic() - began < QUICKLY_MADE_S
        name, policy = next(iter(chosen.items()))
        rollout = play(subject, candidate, policy, range(APART, APART + episodes), limit)
        yield Played(name, APART, rollout)
        if rollout.trouble is not None:
            return
        others = dict(list(chosen.items())[1:])
        ended = rollout.trajectories is not None and bool(rollout.trajectories.ended.any())
        if quickly_made and ended and (found := _side_by_side(subject, candidate, others, episodes, limit)):
            yield from found
            subject.noted = candidate.noted()
            return
    with subject.start() as candidate:
        again = policies(subject)  # they have a memory
        for place, (name, policy) in enumerate(again.items(), 1):
            if place == 2 and not ended:
                limit = max(4, limit // 4)  # it looks as if no episode ended; that gets a try of its own
            first = APART * place
            rollout = play(subject, candidate, policy, range(first, first + episodes), limit)
            if place > 1:
                yield Played(name, first, rollout)
            if rollout.trouble is not None:
                return
        subject.noted = candidate.noted()


def _side_by_side(
    subject: Subject, candidate: Candidate, chosen: Mapping[str, Policy], episodes: int, limit: int
) -> list[Played]:
    """[] where something was in the way."""
    each = list(chosen.values())

    def choose(seen: Seen) -> np.ndarray:
        whose = seen.seeds // APART - 2
        rows = []
        for number, policy in enumerate(each):
            mine = whose == number
            if mine.any():
                masks = None if seen.masks is None else seen.masks[mine]
                chosen_now = policy(Seen(seen.observations[mine], masks, seen.seeds[mine], seen.step))
                rows.append(np.reshape(chosen_now, (-1, *subject.action.shape)))
        return np.concatenate(rows)

    seeds = [APART * (2 + number) + episode for number in range(len(each)) for episode in range(episodes)]
    rollout = play(subject, candidate, choose, seeds, limit)
    if rollout.trouble is not None or rollout.trajectories is None:
        return []
    each_his = [rollout.trajectories.between(at, at + episodes) for at in range(0, len(seeds), episodes)]
    return [
        Played(name, APART * (2 + number), Rollout(his))
        for number, (name, his) in enumerate(zip(chosen, each_his, strict=True))
    ]
