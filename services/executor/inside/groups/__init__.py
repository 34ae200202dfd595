"""The groups of checks, cheapest first; a group is skipped, visibly, where one that it rests on failed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from kit.contracts.findings import Finding
from services.executor.inside.subject import Subject

CheckFunction = Callable[[Subject], Iterator[Finding]]


@dataclass(frozen=True)
class Group:
    """needs: groups without whose success this one can't say anything."""

    name: str
    checks: tuple[CheckFunction, ...]
    needs: tuple[str, ...] = ()
    needs_design: bool = False


from services.executor.inside.groups import (  # noqa: E402
    actions,
    bounds,
    contract,
    determinism,
    episodes,
    loading,
    manners,
    resources,
    sharing,
    spaces,
    static,
)

GROUPS = (
    Group(
        "static",
        (
            static.check_syntax,
            static.check_imports,
            static.check_randomness,
            static.check_reach,
            static.check_docstring,
        ),
    ),
    Group("loading", (loading.check_loading,), needs=("static",)),
    Group(
        "spaces",
        (spaces.check_spaces, spaces.check_action_space, spaces.check_observation_space),
        needs=("loading",),
    ),
    Group("contract", (contract.check_reset, contract.check_steps), needs=("spaces",)),
    Group("bounds", (bounds.check_play, bounds.check_scale, bounds.check_wrapping), needs=("contract",)),
    Group("determinism", (determinism.check_seeds,), needs=("contract",)),
    Group("sharing", (sharing.check_kept, sharing.check_copies), needs=("contract",)),
    Group("actions", (actions.check_types, actions.check_effect), needs=("contract", "determinism")),
    Group(
        "episodes",
        (episodes.check_resets_itself, episodes.check_lengths, episodes.check_running_total),
        needs=("contract",),
    ),
    Group("resources", (resources.check_notes, resources.check_pace), needs=("contract",)),
    Group("manners", (manners.check_close, manners.check_render), needs=("contract",)),
    Group(
        "peers",
        (manners.check_peers,),
        needs=("contract", "bounds", "determinism", "sharing", "episodes", "actions", "manners"),
    ),
)
