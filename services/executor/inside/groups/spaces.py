"""Spaces: that the environment declares them, and that Stable-Baselines3's algorithms can take them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from kit.contracts.design import EnvDesign
from kit.contracts.findings import Blame, Finding
from kit.inside.candidate import Space, Value
from services.executor.inside.catalogue import define
from services.executor.inside.groups.loading import CONSTRUCTS
from services.executor.inside.groups.replaying import actions_for
from services.executor.inside.groups.walking import ends
from services.executor.inside.subject import Subject

LARGE_FLOAT_BYTES = 64 * 1024
LARGE_BYTES = 512 * 1024

MISSING = define(
    "space.missing",
    proves="observation_space and action_space are Gymnasium spaces.",
    example="self.action_space = spaces.Discrete(2)  # and no observation_space",
    remedy="Set both self.observation_space and self.action_space in __init__.",
)
ACTION = define(
    "space.action",
    proves="The action space is one that Stable-Baselines3's algorithms can use.",
    example="self.action_space = spaces.Tuple((spaces.Discrete(3), spaces.Box(-1, 1)))",
    remedy="Use Discrete(n), MultiDiscrete([...]), MultiBinary(n) or a one-dimensional finite Box, counted from 0, and "
    "translate inside step().",
    blame=Blame.DESIGN,
)
OBSERVATION = define(
    "space.observation",
    proves="The observation space is one that Stable-Baselines3's policies can encode.",
    example="self.observation_space = spaces.Dict(robot=spaces.Dict(...))",
    remedy="Use a Box of float32 (or uint8 for images), or one level of Dict of such boxes; count from 0.",
    blame=Blame.DESIGN,
)
NORMALISED = define(
    "space.action_scale",
    proves="A continuous action is centred on 0 with unit scale, as Gaussian policies assume.",
    example="self.action_space = spaces.Box(5.0, 35.0, (1,))",
    remedy="Declare Box(-1, 1, dtype=float32) and rescale inside step().",
    blame=Blame.DESIGN,
)
IMAGE = define(
    "space.image",
    proves="An image is declared as one: uint8 in [0, 255], at least 36 pixels a side.",
    example="spaces.Box(0, 255, (84, 84, 3), np.float32)",
    remedy="Declare Box(0, 255, (H, W, C), dtype=np.uint8), or scale the values to [0, 1].",
    blame=Blame.DESIGN,
)
SIZE = define(
    "space.size",
    proves="An observation is small enough for a replay buffer.",
    example="self.observation_space = spaces.Box(0.0, 1.0, (210 * 160 * 3,))",
    remedy="Downscale it, use uint8 for images, or shrink the buffer.",
    blame=Blame.DESIGN,
)
STAYS = define(
    "space.changes",
    proves="Both spaces stay what they were when the environment was made.",
    example="self.action_space = spaces.Discrete(len(self.possible_moves()))  # in step()",
    remedy="Declare the largest space once, in __init__; handle what is impossible now inside step(), or mask it.",
)
WATCHED = 60  # steps


def check_spaces(subject: Subject) -> Iterator[Finding]:
    """Reads both spaces; later groups take them from the subject."""
    with subject.start() as candidate:
        spaces = candidate.spaces(0)
    if not isinstance(spaces, tuple):
        yield CONSTRUCTS.of(spaces, "reading the spaces failed")
        return
    subject.observation, subject.action = _ordered(spaces[0], subject.design), spaces[1]
    line = subject.line_of("__init__")
    for name, space in (("observation_space", subject.observation), ("action_space", subject.action)):
        if space.kind == "missing":
            yield MISSING.error(f"{name} is not defined", line=line)
        elif space.kind == "other" and "gymnasium" not in space.name:
            yield MISSING.error(f"{name} is a {space.name}, expected a Gymnasium space", line=line)


def _ordered(space: Space, design: EnvDesign | None) -> Space:
    """A Dict with its parts in the order of the design's terms, others last: so is all that is flattened."""
    if design is None or not space.parts:
        return space
    named = [term.name for term in design.observation if term.name in space.parts]
    names = [*named, *(name for name in space.parts if name not in named)]
    return replace(space, parts={name: space.parts[name] for name in names})


def check_spaces_stay(subject: Subject) -> Iterator[Finding]:
    """Reads them again along random episodes; algorithms read them once."""
    if not subject.action.numeric:
        return
    with subject.start() as candidate:
        first = candidate.spaces(0)
        candidate.reset(0, seed=1)
        for number, action in enumerate(actions_for(subject, "spaces", min(WATCHED, subject.affordable(WATCHED)))):
            now = candidate.spaces(0)
            if not isinstance(first, tuple) or not isinstance(now, tuple):
                return
            for name, was, is_ in zip(("observation_space", "action_space"), first, now, strict=True):
                if not alike(was, is_):
                    yield STAYS.error(
                        f"{name} is another one after {number} steps", evidence="seed 1, random actions",
                        line=subject.line_of("step"),
                    )  # fmt: skip
                    return
            answer = candidate.step(action)
            if not isinstance(answer, Value):
                return
            if ends(answer):
                candidate.reset(0)


def alike(one: Space, other: Space) -> bool:
    return (
        (one.kind, one.dtype, one.shape, one.name) == (other.kind, other.dtype, other.shape, other.name)
        and np.array_equal(one.low, other.low)
        and np.array_equal(one.high, other.high)
        and one.parts.keys() == other.parts.keys()
        and all(alike(part, other.parts[name]) for name, part in one.parts.items())
    )


def check_action_space(subject: Subject) -> Iterator[Finding]:
    """What PPO, SAC and their like take."""
    space, line = subject.action, subject.line_of("__init__")
    if space.kind in ("Dict", "Tuple", "other"):
        kind = space.name.rpartition(".")[2] or space.kind
        yield ACTION.error(f"the action space is a {kind}, which Stable-Baselines3 does not support", line=line)
    elif space.kind == "Discrete" and int(space.low) != 0:
        last = int(space.high) - int(space.low)
        yield ACTION.error(
            f"the Discrete action space starts at {int(space.low)}; Stable-Baselines3 sends 0..{last}",
            remedy=f"Use Discrete({last + 1}) and shift inside step().",
            line=line,
        )
    elif space.kind == "MultiDiscrete" and len(space.shape) != 1:
        yield ACTION.error(f"MultiDiscrete's nvec has shape {space.shape}; it must have one dimension", line=line)
    elif space.kind == "MultiDiscrete" and np.any(space.low != 0):
        yield ACTION.error(f"the MultiDiscrete action space starts at {space.low.tolist()}, not at 0", line=line)
    elif space.kind == "MultiBinary" and len(space.shape) != 1:
        flat = int(np.prod(space.shape))
        yield ACTION.error(
            f"MultiBinary of shape {space.shape} is not supported; an algorithm needs one dimension",
            remedy=f"Use MultiBinary({flat}) and reshape inside step().",
            line=line,
        )
    elif space.kind == "Box":
        yield from _check_action_box(subject, space, line)


def _check_action_box(subject: Subject, space: Space, line: int | None) -> Iterator[Finding]:
    finite = np.abs(space.low.astype(np.float64)) < 1e30, np.abs(space.high.astype(np.float64)) < 1e30
    if space.dtype.startswith(("int", "uint")):
        yield NORMALISED.warning(
            f"the action Box has dtype {space.dtype}: algorithms treat it as continuous",
            remedy="Use Discrete or MultiDiscrete, or float32 in [-1, 1].",
            line=line,
        )
    elif not (finite[0].all() and finite[1].all()):
        yield ACTION.error(
            f"the action Box is unbounded: low {space.low.ravel()[:4]}, high {space.high.ravel()[:4]}", line=line
        )
    elif np.any(space.low >= space.high):
        yield ACTION.error("the action Box has a low that is not below its high", line=line)
    elif subject.design is None and (np.any(space.low != -1) or np.any(space.high != 1)):
        low, high = space.low.ravel()[:4].tolist(), space.high.ravel()[:4].tolist()
        yield NORMALISED.warning(f"the action Box runs from {low} to {high}, not from -1 to 1", line=line)


def check_observation_space(subject: Subject) -> Iterator[Finding]:
    """What SB3's feature extractors take."""
    space, line = subject.observation, subject.line_of("__init__")
    if space.kind in ("Tuple", "other"):
        kind = space.name.rpartition(".")[2] or space.kind
        yield OBSERVATION.error(
            f"the observation space is a {kind}, which Stable-Baselines3 does not support", line=line
        )
    for name, part in space.parts.items():
        if part.kind in ("Dict", "Tuple", "other"):
            kind = "nested Dict" if part.kind == "Dict" else part.name.rpartition(".")[2] or part.kind
            yield OBSERVATION.error(
                f'the observation space holds a {kind} under "{name}"; use one level of keys', line=line
            )
    for part in space.parts.values() or (space,):
        yield from _check_observation_part(part, line)
    size = sum(_bytes(part) for part in space.parts.values()) or _bytes(space)
    if size > LARGE_BYTES or (size > LARGE_FLOAT_BYTES and space.dtype.startswith("float")):
        yield SIZE.warning(
            f"an observation takes {size / 1024:.0f} KiB; a replay buffer of a million steps would take "
            f"{2 * size * 1e6 / 2**30:.0f} GiB",
            line=line,
        )


def _bytes(space: Space) -> int:
    return space.size * np.dtype(space.dtype).itemsize if space.dtype and space.numeric else 0


def _check_observation_part(part: Space, line: int | None) -> Iterator[Finding]:
    if part.kind == "Discrete" and int(part.low) != 0:
        yield OBSERVATION.error(
            f"a Discrete observation starts at {int(part.low)}; one-hot encoding needs 0..n-1",
            remedy="Shift the values so that they count from 0.",
            line=line,
        )
    elif part.kind == "MultiDiscrete" and len(part.shape) != 1:
        yield OBSERVATION.error(f"a MultiDiscrete observation has an nvec of shape {part.shape}: flatten it", line=line)
    elif part.kind == "MultiDiscrete" and np.any(part.low != 0):
        yield OBSERVATION.error(f"a MultiDiscrete observation starts at {part.low.tolist()}, not at 0", line=line)
    elif part.kind == "Box" and len(part.shape) == 3 and np.all(part.high >= 200):
        sides = sorted(part.shape)[1:]
        if part.dtype != "uint8":
            yield IMAGE.warning(
                f"an image of shape {part.shape} is declared as {part.dtype} up to {part.high.max():g}", line=line
            )
        elif min(sides) < 36:
            yield IMAGE.warning(f"an image of shape {part.shape} is too small for Stable-Baselines3's CNN", line=line)
    elif part.kind == "Box" and np.any(part.low > part.high):
        yield OBSERVATION.error("the observation Box has a low above its high", line=line)
