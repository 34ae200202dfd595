"""Replays: the same seeds and actions again, compared value by value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kit.inside.candidate import Candidate, Trouble, Value
from services.executor.inside.groups.walking import action_object, ends
from services.executor.inside.subject import Subject

TOGETHER = 64
MESSAGE_BYTES = 16 * 2**20


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
    together = _together(subject)
    for episode in range(episodes):
        reset: dict[str, object] | None = {"seed": seed} if episode == 0 and seed is not None else {}
        for first in range(0, max(len(actions), 1), together):
            answer = candidate.record(actions[first : first + together], env, reset)
            if not isinstance(answer, Value):
                return answer
            wanted = range(first, min(first + together, len(actions)))
            names = [f"episode {episode}, step {step}" for step in wanted]
            if reset is not None:
                names.insert(0, f"episode {episode}, reset")
                reset = None
            tape += [moment_of(subject, name, item) for name, item in zip(names, answer.items, strict=False)]
            if len(answer.items) < len(names) or (tape and tape[-1].over):
                break
    return tape


def _together(subject: Subject) -> int:
    """How many steps one request is for: a second's at the most, and no more than a message holds."""
    bytes_each = 8 * max(1, subject.observation.size)
    return max(1, min(TOGETHER, MESSAGE_BYTES // bytes_each, int(1.0 / max(subject.step_s, 1e-6))))


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
