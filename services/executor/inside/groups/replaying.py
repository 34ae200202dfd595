"""Replays: the same seeds and actions again, compared value by value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kit.inside.candidate import Candidate, Trouble, Value
from services.executor.inside.groups.walking import action_object, ends
from services.executor.inside.subject import Subject


@dataclass(frozen=True)
class Moment:
    """What came back from one call: where ("episode 1, step 3"), the exact bytes of it, and the parts for messages."""

    place: str
    print: bytes
    observation: Value | None = None
    reward: Value | None = None
    over: bool = False


Tape = list[Moment]


def actions_for(subject: Subject, purpose: str, count: int) -> list[object]:
    """Random actions, the same for every replay of a purpose."""
    sampled = subject.action.sample(subject.rng(purpose), count)
    return [action_object(subject.action, row) for row in sampled]


def record(
    subject: Subject, candidate: Candidate, seed: int | None, actions: Sequence[object], env: int = 0, episodes: int = 1
) -> Tape | Trouble:
    """reset(seed), the actions until the episode ends; then reset() without a seed, and so on."""
    tape: Tape = []
    for episode in range(episodes):
        seeded = {"seed": seed} if episode == 0 and seed is not None else {}
        answer = candidate.reset(env, **seeded)
        if not isinstance(answer, Value):
            return answer
        tape.append(moment_of(subject, f"episode {episode}, reset", answer))
        for step, action in enumerate(actions):
            answer = candidate.step(action, env)
            if not isinstance(answer, Value):
                return answer
            tape.append(moment_of(subject, f"episode {episode}, step {step}", answer))
            if ends(answer):
                break
    return tape


def difference(one: Tape, other: Tape) -> tuple[Moment, Moment] | None:
    """The first moment in which two tapes differ."""
    for left, right in zip(one, other, strict=False):
        if left.print != right.print:
            return left, right
    if len(one) != len(other):
        shorter = min(len(one), len(other)) - 1
        return one[min(shorter + 1, len(one) - 1)], other[min(shorter + 1, len(other) - 1)]
    return None


def told(pair: tuple[Moment, Moment]) -> str:
    """A difference as evidence."""
    left, right = pair
    if left.place != right.place:
        return f"one was at {left.place} when the other was at {right.place}"
    rewards = f"; rewards {left.reward} and {right.reward}" if left.reward is not None else ""
    return f"{left.place}: observations {left.observation} and {right.observation}{rewards}"


def moment_of(subject: Subject, place: str, answer: Value) -> Moment:
    observation = answer.items[0] if answer.items else None
    reward = answer.items[1] if len(answer.items) == 5 else None
    parts = list(answer.items[:-1])
    state = answer.items[-1].get("state") if subject.design is not None and answer.items else None
    return Moment(
        place,
        b"|".join(fingerprint(part) for part in [*parts, *([state] if state is not None else [])]),
        observation,
        reward,
        len(answer.items) == 5 and ends(answer),
    )


def fingerprint(value: Value) -> bytes:
    """Equal for equal values, NaN included."""
    if value.kind == "ndarray" and value.plain is not None:
        return f"{value.dtype}{value.shape}".encode() + np.ascontiguousarray(value.plain).tobytes()
    if value.items:
        return b"(" + b",".join(fingerprint(item) for item in value.items) + b")"
    if value.entries:
        return b"{" + b",".join(fingerprint(k) + b":" + fingerprint(v) for k, v in value.entries) + b"}"
    if value.kind == "other":
        return value.type_name.encode()  # a repr may hold an address
    return f"{value.kind}:{value.plain!r}".encode()
