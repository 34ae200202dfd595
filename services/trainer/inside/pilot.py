"""Pilot: how many validation seeds an evaluation plays, so that its mean is as sure as the verdict needs it.

Before the training, random actions and the design's rules play the fewest seeds. What lies between the two is what
there is to learn; the verdict calls a tenth of it noticeable, so the half-width of a mean's 95 % interval is to be half
of that. The policies are fixed, so the number is the same for every seed, every trial of a search, and every
repetition.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import Any, Final

import numpy as np
from sb3_contrib.common.maskable.utils import get_action_masks

from kit.contracts.design import ActionKind, EnvDesign
from kit.contracts.formulas import Program
from kit.contracts.formulas.batches import Batch
from kit.inside.candidate import Policy, Seen
from services.trainer.inside import policies, sights
from services.trainer.inside.candidate import MakeEnv
from services.trainer.inside.contests import sign_of
from services.trainer.inside.episodes import Episodes
from services.trainer.inside.held_out import HeldOut, held_out
from services.trainer.inside.levels import stages_of
from services.trainer.inside.payloads import TrainPayload
from services.trainer.inside.policies import NoAction
from services.trainer.inside.recorders import first_episodes
from services.trainer.inside.rows import Layout
from services.trainer.inside.twins import MakeTwin

LEAST, MOST = 20, 100  # episodes of an evaluation
SHARE: Final = 0.25  # of the training's steps may be spent on evaluating: at most 15 % of its time, measured
FEWEST, OFTEN = 5, 20  # evaluations in a training
PRECISION: Final = 0.05  # the half-width wanted, as a share of what there is to learn
_Z: Final = 1.96
_DTYPES: Final = {
    ActionKind.DISCRETE: np.int64, ActionKind.MULTI_DISCRETE: np.int64, ActionKind.MULTI_BINARY: np.int8,
    ActionKind.BOX: np.float32,
}  # fmt: skip


@dataclass(frozen=True)
class Size:
    """why: a sentence."""

    episodes: int
    why: str


def evaluations(total: int, steps: int) -> int:
    """How many there are in a training of `total` steps, where one takes `steps`: enough for a curve, and cheap."""
    return min(max(int(SHARE * total / steps), FEWEST), OFTEN)


def affordable(total: int, steps: int) -> int:
    """Episodes of an evaluation, each of at most `steps` steps, with as many evaluations as the fewest would allow."""
    often = evaluations(total, LEAST * steps)
    return min(max(int(SHARE * total / (often * steps)), LEAST), MOST)


def size(rule: Batch, chance: Batch, most: int) -> Size:
    """rule, chance: a metric of the best rule and of random actions, NaN where an episode has no value."""
    rule, chance = rule[np.isfinite(rule)], chance[np.isfinite(chance)]
    if len(rule) < 2 or not len(chance):
        return Size(LEAST, f"Each evaluation plays {LEAST} validation seeds: too few episodes had a value to say more.")
    gap, spread = abs(float(rule.mean() - chance.mean())), float(rule.std(ddof=1))
    wanted = PRECISION * gap
    enough = ceil(min((_Z * spread / wanted) ** 2, 1e9)) if wanted else (0 if spread == 0 else 10**9)
    episodes = min(max(enough, LEAST), most)
    half = _Z * spread / episodes**0.5
    share = f", {100 * half / gap:.2g} % of what lies between random actions and the best rule" if gap else ""
    said = f"Each evaluation plays {episodes} validation seeds, so that a mean is known to about ±{half:.3g}{share}"
    if enough > episodes:
        said += f" ({100 * PRECISION:g} % was wanted; evaluating would take too long)"
    return Size(episodes, f"{said}.")


def sized(
    asked: TrainPayload,
    total: int,
    make: MakeEnv,
    make_twin: MakeTwin | None,
    program: Program,
    layout: Layout,
    watched: list[Any],
) -> Size:
    """Of every evaluation of this training. watched: gets the recorders of the pilot, where one is needed.

    An observation that no formula draws can't be shown to the rules from the rows of a recorder.
    """
    if asked.eval_episodes:
        return Size(asked.eval_episodes, f"Each evaluation plays {asked.eval_episodes} validation seeds, as asked.")
    design = program.design
    most = affordable(total, design.episode.step_limit * (2 if len(stages_of(design)) > 1 else 1))
    if most == LEAST or any(term.image is not None and term.formula is None for term in design.observation):
        return Size(LEAST, f"Each evaluation plays {LEAST} validation seeds, the fewest.")
    held = held_out(make, make_twin, design, layout, LEAST)
    watched += held.recorders
    chance = _played(held, policies.at_random(design, 0), program, layout)
    rules = [_played(held, policies.rule(program, one.name), program, layout) for one in design.baselines]
    known = [values for values in rules if np.isfinite(values).any()]
    sign = sign_of(design.metrics[0])
    return size(max(known, key=lambda one: sign * float(np.nanmean(one)), default=np.empty(0)), chance, most)


def _played(held: HeldOut, policy: Policy, program: Program, layout: Layout) -> Batch:
    """The primary metric, one value a seed; none where the policy has no action for what it sees."""
    design, venv = program.design, held.venv
    seeds, going = np.arange(venv.num_envs), np.ones(venv.num_envs, bool)
    venv.reset()
    step = 0
    while going.any():
        masks = np.asarray(get_action_masks(venv), np.float64) if design.action.masked else None
        seen = Seen(sights.visited(program, layout, held.together.now), masks, seeds, step)
        try:
            chosen = policy(seen)
        except NoAction:
            held.harvest()  # what ended is nobody's
            return np.empty(0)
        _, _, dones, _ = venv.step(_for_vector(design, chosen))
        going &= ~dones
        step += 1
    return Episodes(program, layout).of(first_episodes(held.harvest().complete)).metrics[:, 0]


def _for_vector(design: EnvDesign, rows: Batch) -> Any:
    """As a model's predict() gives them."""
    given = rows.astype(_DTYPES[design.action.kind])
    return given[:, 0] if design.action.kind is ActionKind.DISCRETE else given
