"""Observations, components, reward, endings and legality against the design's formulas, in every step played."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kit.contracts.findings import Blame, Finding
from kit.contracts.formulas import tolerances
from kit.contracts.formulas.columns import masks, observe, reward
from services.executor.inside.catalogue import define
from services.executor.inside.groups.design_state import NOT_FINITE
from services.executor.inside.groups.frames import Frame, column, first, frames, not_finite, number, unequal
from services.executor.inside.subject import Subject

OBSERVATION = define(
    "observation.formula",
    proves="Every observation term is its formula over the state, within 1e-5.",
    example="self.stock / 50  # where the design says state.stock / params.capacity",
    remedy="Compute the term exactly as the formula says, from the state after the step, clipped to its bounds.",
)
COMPONENT = define(
    "reward.component",
    proves="Every reward component is its formula, within 1e-6, unweighted, under its name in info.",
    example='{"holding": -self.stock}  # where the design says params.holding_cost * state.stock',
    remedy='Compute it exactly as the formula says; info["reward_components"] holds it without its weight.',
)
COMPONENTS = define(
    "reward.components",
    proves='info["reward_components"] holds exactly the design\'s components after every step.',
    example='info = {"state": ...}  # and no reward_components',
    remedy='Put every component of the design into info["reward_components"], under its name.',
)
AT_RESET = define(
    "reward.at_reset",
    proves="Every reward component is 0 in the info of reset(), where nothing was done yet.",
    example='return self._observation(), {"reward_components": {"holding": self.stock}, ...}',
    remedy='Set every component in info["reward_components"] to 0.0 in reset().',
)
COMPONENT_BOUNDS = define(
    "reward.component_bounds",
    proves="A component's formula stays inside the bounds that the design declares for it.",
    example="low 0, high 100 for a cost that reaches 140",
    remedy="Correct the component's low and high, or its formula.",
    blame=Blame.DESIGN,
)
REWARD = define(
    "reward.sum",
    proves="The reward is the sum of weight x component, within 1e-6.",
    example="reward = -(holding + shortage)  # and no ordering",
    remedy="Return the sum of weight x component over all components of the design.",
)
ENDING = define(
    "episode.ending",
    proves='terminated and info["ending"] are the first of the design\'s endings that is true, in order.',
    example="terminated = self.level > 10  # where the design says >= 10",
    remedy='Test the endings in order after the step; the first true one sets terminated and info["ending"].',
)
LIMIT = define(
    "episode.limit",
    proves="truncated is true exactly at the step limit, where no ending is.",
    example="truncated = self.t > 365",
    remedy="Return truncated=True exactly when the step limit is reached and no ending is true.",
)
LEGALITY = define(
    "action.legality",
    proves="action_masks() is the design's legality, exactly.",
    example="mask = choices < self.stock  # where the design says <=",
    remedy="Compute each term's mask by the design's formula, and join them in the order of the terms.",
)


def check_observation(subject: Subject) -> Iterator[Finding]:
    """After reset() and after every step."""
    told: set[str] = set()
    for frame in frames(subject):
        rows = frame.played.rows
        after = observe(frame.program, frame.resting, rows)
        start = observe(frame.program, frame.starting, len(frame.played.seeds))
        position = 0
        for term in frame.program.design.observation:
            part = slice(position, position + term.size)
            position += term.size
            compiled = frame.program.observation[term.name]
            if compiled is None or term.name in told:
                continue
            for when, expected, found in (
                ("step", after[:, part], frame.played.next_observations[:, part]),
                ("reset", start[:, part], frame.played.start_observations[:, part]),
            ):
                place = frame.where if when == "step" else frame.at_start
                values = frame.resting if when == "step" else frame.starting
                if (bad := not_finite(expected)).any():
                    told.add(term.name)
                    row = frame.first(bad) if when == "step" else first(bad)
                    evidence = f"{place(row)}; {frame.inputs(compiled, row, values)}"
                    yield NOT_FINITE.error(f"observation term {term.name} has no finite value", evidence=evidence)
                    break
                if term.noise_std is not None:
                    continue
                if (off := unequal(found, expected, tolerances.OBSERVATION)).any():
                    told.add(term.name)
                    row = frame.first(off) if when == "step" else first(off)
                    late = (
                        when == "step"
                        and not unequal(found[1:], _before(frame, part)[1:], tolerances.OBSERVATION).any()
                    )
                    yield OBSERVATION.error(
                        f"observation term {term.name} is {number(found[row])}, its formula {compiled.text} gives "
                        f"{number(expected[row])}" + ("; it is that of the state before the step" if late else ""),
                        evidence=f"{place(row)}; {frame.inputs(compiled, row, values)}; {int(off.sum())} rows differ",
                        line=subject.line_of("_observation") or subject.line_of("_obs") or subject.line_of(when),
                    )
                    break


def _before(frame: Frame, part: slice) -> np.ndarray:
    """What the term would have been before each step."""
    earlier = {name.replace("prev.", "state.", 1): v for name, v in frame.moving.items() if name.startswith("prev.")}
    params = {name: v for name, v in frame.moving.items() if name.startswith("params.")}
    return observe(frame.program, {**params, **earlier}, frame.played.rows)[:, part]


def check_components(subject: Subject) -> Iterator[Finding]:
    """Names, values, the design's own bounds, and the sum."""
    told: set[str] = set()
    line = subject.line_of_return("step")
    for frame in frames(subject):
        design, found = frame.program.design, frame.played.components
        names = [component.name for component in design.reward]
        missing, extra = sorted(set(names) - set(found)), sorted(set(found) - set(names))
        if missing or extra:
            what = [f"lacks {', '.join(missing)}"] * bool(missing) + [
                f"has {', '.join(extra)}, unknown to the design"
            ] * bool(extra)
            yield COMPONENTS.error(f'info["reward_components"] {" and ".join(what)}', line=line)
            return
        for name, values in frame.played.start_components.items():
            if "reset" not in told and (off := unequal(values, np.zeros_like(values), tolerances.REWARD)).any():
                told.add("reset")
                yield AT_RESET.error(
                    f"after reset() the component {name} is {number(values[first(off)])}, and nothing was done yet",
                    evidence=frame.at_start(first(off)),
                    line=subject.line_of("reset"),
                )
        expected = {name: column(frame.program.components[name], frame.moving, frame.played.rows) for name in names}
        for component in design.reward:
            if component.name in told:
                continue
            for finding in _component(
                frame, component.name, expected[component.name], component.low, component.high, line
            ):
                told.add(component.name)
                yield finding
        total = reward(frame.program, expected)
        off = unequal(frame.played.rewards, total, tolerances.REWARD) & ~not_finite(total)
        if off.any() and not told:
            told.add("sum")
            row = frame.first(off)
            parts = " + ".join(f"{c.weight:g} x {number(expected[c.name][row])}" for c in design.reward)
            yield REWARD.error(
                f"the reward is {frame.played.rewards[row]:.9g}, its components give {total[row]:.9g} ({parts})",
                evidence=f"{frame.where(row)}; {int(off.sum())} of {len(off)} rows differ",
                line=line,
            )


def _component(
    frame: Frame, name: str, expected: np.ndarray, low: float, high: float, line: int | None
) -> Iterator[Finding]:
    compiled, found = frame.program.components[name], frame.played.components[name].astype(np.float64)
    if (bad := not_finite(expected)).any():
        row = frame.first(bad)
        yield NOT_FINITE.error(
            f"reward component {name} has no finite value",
            evidence=f"{frame.where(row)}; {frame.inputs(compiled, row)}",
        )
        return
    if (off := unequal(found, expected, tolerances.REWARD)).any():
        row = frame.first(off)
        yield COMPONENT.error(
            f"reward component {name} is {found[row]:.9g}, its formula {compiled.text} gives {expected[row]:.9g}",
            evidence=f"{frame.where(row)}; {frame.inputs(compiled, row)}; {int(off.sum())} of {len(off)} rows differ",
            line=line,
        )
        return
    slack = tolerances.REWARD * max(1.0, abs(low), abs(high))
    outside = (expected < low - slack) | (expected > high + slack)
    if outside.any():
        row = frame.first(outside)
        yield COMPONENT_BOUNDS.error(
            f"reward component {name} is {expected[row]:.7g}, outside its declared [{low:g}, {high:g}]",
            evidence=f"{frame.where(row)}; {frame.inputs(compiled, row)}",
        )


def check_endings(subject: Subject) -> Iterator[Finding]:
    """The name, the flag and the limit, in every step."""
    for frame in frames(subject):
        played, design = frame.played, frame.program.design
        expected = np.full(played.rows, "", dtype=object)
        for ending in reversed(design.episode.endings):
            holds = column(frame.program.endings[ending.name], frame.moving, played.rows)
            if (bad := not_finite(holds)).any():
                evidence = frame.where(frame.first(bad))
                yield NOT_FINITE.error(f"ending {ending.name} has no finite value", evidence=evidence)
                return
            expected[holds != 0] = ending.name
        found = np.array([name or "" for name in played.endings], dtype=object)
        line = subject.line_of_return("step")
        if (off := found != expected).any():
            row = frame.first(off)
            formula = frame.program.endings.get(expected[row]) or frame.program.endings.get(found[row])
            inputs = frame.inputs(formula, row) if formula is not None else ""
            yield ENDING.error(
                f'info["ending"] is {found[row] or None!r}, the design\'s endings give {expected[row] or None!r}'
                + (f" ({formula.text})" if formula is not None else ""),
                evidence=f"{frame.where(row)}; {inputs}",
                line=line,
            )
            return
        if (off := played.terminated != (expected != "")).any():
            row = frame.first(off)
            yield ENDING.error(
                f"terminated is {bool(played.terminated[row])}, the design's ending is {expected[row] or None!r}",
                evidence=frame.where(row),
                line=line,
            )
            return
        at_limit = (played.step + 1 >= design.episode.step_limit) & (expected == "")
        if (off := played.truncated != at_limit).any():
            row = frame.first(off)
            yield LIMIT.error(
                f"truncated is {bool(played.truncated[row])} after {played.step[row] + 1} steps, the step limit is "
                f"{design.episode.step_limit}" + (f" and the ending is {expected[row]}" if expected[row] else ""),
                evidence=frame.where(row),
                line=line,
            )
            return


def check_legality(subject: Subject) -> Iterator[Finding]:
    """What action_masks() said before each step."""
    if not subject.masked:
        return
    for frame in frames(subject):
        played = frame.played
        earlier = {n.replace("prev.", "state.", 1): v for n, v in frame.moving.items() if n.startswith("prev.")}
        params = {name: v for name, v in frame.moving.items() if name.startswith("params.")}
        expected = masks(frame.program, {**params, **earlier}, played.rows)
        line = subject.line_of("action_masks")
        if (bad := not_finite(expected)).any():
            yield NOT_FINITE.error(
                "the legality of an action has no finite value", evidence=frame.where(frame.first(bad))
            )
            return
        if played.masks is None or played.masks.shape != expected.shape:
            yield LEGALITY.error("action_masks() did not give one row of the right length for every state", line=line)
            return
        if (off := (played.masks != expected).any(axis=1)).any():
            row = frame.first(off)
            wrong = np.flatnonzero(played.masks[row] != expected[row])[:8].tolist()
            yield LEGALITY.error(
                f"action_masks() differs from the design's legality at entries {wrong}: it says "
                f"{played.masks[row][wrong].astype(bool).tolist()}",
                evidence=f"before {frame.where(row)}; {int(off.sum())} of {len(off)} rows differ",
                line=line,
            )
            return
