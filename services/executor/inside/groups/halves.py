"""Halves: of a continuous action's range, each does something."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kit.contracts.findings import Finding
from services.executor.inside.catalogue import define
from services.executor.inside.groups.replaying import difference, record
from services.executor.inside.groups.walking import action_object
from services.executor.inside.subject import Subject

SEEDS = (21, 22, 23, 24)
STEPS = 30

HALF = define(
    "action.half_dead",
    proves="Both halves of a continuous action's range do something.",
    example="power = max(0.0, action[0])  # the space is [-1, 1]",
    remedy="Map the whole range onto what is meant: power = (action[0] + 1) / 2.",
)


def check_halves(subject: Subject) -> Iterator[Finding]:
    """Random actions beside the same with one half of the range pushed to its middle."""
    space = subject.action
    if space.kind != "Box" or not space.dtype.startswith("float"):
        return
    low, high = space.finite
    middle = (low + high) / 2
    dead = {"lower", "upper"}
    steps = min(STEPS, subject.affordable(400))
    with subject.start() as candidate:
        for seed in SEEDS:
            base = space.sample(subject.rng(f"halves {seed}"), steps)
            kept = {"lower": np.maximum(base, middle), "upper": np.minimum(base, middle)}
            whole = record(subject, candidate, seed, [action_object(space, row) for row in base])
            for half in sorted(dead):
                tape = record(subject, candidate, seed, [action_object(space, row) for row in kept[half]])
                if not isinstance(whole, list) or not isinstance(tape, list) or difference(whole, tape):
                    dead.discard(half)
            if not dead:
                return
    if len(dead) == 1:  # both: it is ignored altogether
        yield HALF.warning(
            f"the {dead.pop()} half of the action's range does the same as its middle: half of all actions are wasted",
            evidence=f"seeds {SEEDS}",
            line=subject.line_of("step"),
        )
