"""Episodes without a seed, and with any: where there is chance they differ."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from kit.contracts.findings import Finding
from kit.inside.candidate import Candidate
from services.executor.inside.catalogue import define
from services.executor.inside.groups.replaying import difference, record
from services.executor.inside.subject import Subject

UNSEEDED = 40  # episodes without a seed, until one differs

STUCK = define(
    "determinism.stuck",
    proves="Where there is chance, seeds differ from one another, and so do episodes without one.",
    example="super().reset(seed=42)",
    remedy="Pass the seed that reset() got to super().reset(seed=seed), never a constant.",
)


def check_stuck(subject: Subject, candidate: Candidate, actions: list[object]) -> Iterator[Finding]:
    """Whether episodes are all the same without a seed, or with any."""
    tapes = [record(subject, candidate, seed, actions[:20]) for seed in (1, 2, 3)]
    first = record(subject, candidate, None, actions[:20])
    if not isinstance(first, list) or any(not isinstance(tape, list) for tape in tapes):
        return
    matters = any(difference(tapes[0], tape) for tape in tapes[1:])  # type: ignore[arg-type]
    # Few starts repeat themselves often, so it takes many episodes to call them stuck.
    more = (record(subject, candidate, None, actions[:20]) for _ in range(subject.affordable(UNSEEDED)))
    moves = any(not isinstance(again, list) or difference(first, again) is not None for again in more)
    if matters and not moves:
        yield STUCK.error("reset() without a seed gives the same episode every time", line=subject.line_of("reset"))
    elif not matters and not moves and _constant_seed(subject):
        yield STUCK.error(
            "every seed gives the same episode: a constant seeds the generator", line=subject.line_of("reset")
        )


def _constant_seed(subject: Subject) -> bool:
    """Whether an episode makes a generator from a constant: super().reset(seed=5), default_rng(5)."""
    methods = [n for n in ast.walk(subject.tree) if isinstance(n, ast.FunctionDef)] if subject.tree else []
    # A module or a constructor may make its data from a constant; what runs in every episode may not.
    for node in (inner for method in methods if method.name != "__init__" for inner in ast.walk(method)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            makes = node.func.attr in ("default_rng", "RandomState", "Random", "np_random", "seed")
            given = [keyword.value for keyword in node.keywords if keyword.arg == "seed"] + (
                node.args[:1] if makes else []
            )
            if any(isinstance(value, ast.Constant) and type(value.value) is int for value in given):
                return True
    return False
