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
    design_dynamics,
    design_formulas,
    design_levels,
    design_noise,
    design_parameters,
    design_spaces,
    design_starts,
    design_state,
    determinism,
    episodes,
    halves,
    incentives,
    lasting,
    life,
    limits,
    loading,
    manners,
    masks,
    observing,
    probes,
    resources,
    seeing,
    sharing,
    spaces,
    static,
    tampering,
    unending,
)

GROUPS = (
    Group(
        "static",
        (
            static.check_syntax,
            static.check_imports,
            static.check_randomness,
            static.check_reach,
            tampering.check_looks,
            tampering.check_patches,
            static.check_docstring,
        ),
    ),
    Group("loading", (loading.check_loading,), needs=("static",)),
    Group(
        "spaces",
        (spaces.check_spaces, spaces.check_action_space, spaces.check_observation_space),
        needs=("loading",),
    ),
    Group(
        "design spaces",
        (
            design_spaces.check_observation_space,
            design_spaces.check_action_space,
            design_spaces.check_masks,
        ),
        needs=("spaces",),
        needs_design=True,
    ),
    Group("contract", (contract.check_reset, contract.check_steps, spaces.check_spaces_stay), needs=("spaces",)),
    Group(
        "bounds",
        (
            bounds.check_play,
            seeing.check_scale,
            seeing.check_saturation,
            seeing.check_darkness,
            bounds.check_reward_scale,
            bounds.check_wrapping,
            unending.check_unending,
            observing.check_repeated,
            observing.check_order,
            observing.check_last,
        ),
        needs=("contract", "design spaces"),
    ),
    Group(
        "design state",
        (
            design_state.check_state,
            design_state.check_invariants,
            design_starts.check_starts,
            design_starts.check_draws,
        ),
        needs=("contract", "design spaces"),
        needs_design=True,
    ),
    Group(
        "design formulas",
        (
            design_formulas.check_observation,
            design_noise.check_noise,
            design_formulas.check_components,
            design_formulas.check_endings,
            design_formulas.check_legality,
        ),
        needs=("contract", "design spaces"),
        needs_design=True,
    ),
    Group(
        "design dynamics",
        (
            design_dynamics.check_laws,
            design_dynamics.check_expectations,
            design_dynamics.check_metrics,
            design_dynamics.check_baselines,
        ),
        needs=("contract", "design spaces"),
        needs_design=True,
    ),
    Group("tampering", (tampering.check_intact,), needs=("contract",)),
    Group(
        "determinism", (determinism.check_seeds, lasting.check_ageing, lasting.check_surroundings), needs=("contract",)
    ),
    Group("sharing", (sharing.check_kept, sharing.check_copies, sharing.check_apart), needs=("contract",)),
    Group(
        "actions",
        (masks.check_masks, masks.check_late_masks, actions.check_types, actions.check_effect, halves.check_halves),
        needs=("contract", "determinism"),
    ),
    Group(
        "episodes",
        (episodes.check_resets_itself, episodes.check_lengths, episodes.check_running_total),
        needs=("contract",),
    ),
    Group(
        "parameters",
        (design_parameters.check_parameters,),
        needs=("design state", "design formulas", "design dynamics"),
        needs_design=True,
    ),
    Group("levels", (design_levels.check_levels,), needs=("parameters",), needs_design=True),
    Group("incentives", (incentives.check_climbs, incentives.check_incentives, limits.check_limits), needs=("bounds",)),
    Group("resources", (resources.check_notes, resources.check_pace), needs=("contract",)),
    Group("manners", (manners.check_close, manners.check_others_go_on, manners.check_render), needs=("contract",)),
    Group("life", (life.check_life,), needs=("contract",)),
    Group(
        "probes",
        (probes.check_order, probes.check_dying),
        needs=("design formulas", "design dynamics"),
        needs_design=True,
    ),
    Group(
        "peers",
        (manners.check_peers,),
        needs=("contract", "bounds", "determinism", "sharing", "episodes", "actions", "manners"),
    ),
)
