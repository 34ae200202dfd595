"""Spaces against the design: the same Box, choices and bounds, in the order of the terms."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kit.contracts.design import ActionKind, EnvDesign, ObservationKind, ObservationTerm
from kit.contracts.findings import Finding
from kit.inside.candidate import Raised, Space, Value
from services.executor.inside.catalogue import define
from services.executor.inside.subject import Subject

SPACE_OBSERVATION = define(
    "design.observation_space",
    proves="observation_space is the Box, image or Dict of the design's terms, in their order, with their bounds.",
    example="Box(0, 1, (3,))  # where the design has four terms",
    remedy="Build the space from the design's terms: low and high of each, repeated `size` times, dtype float32; an "
    "image is Box(0, 255, (height, width, channels), uint8), and a Dict has one key a term.",
)
SPACE_ACTION = define(
    "design.action_space",
    proves="action_space is of the design's kind, with its choices or bounds.",
    example="Discrete(10)  # where the design has 11 choices",
    remedy="Build the action space from the design's action terms.",
)
MASKS = define(
    "design.action_masks",
    proves="The environment has action_masks() where the design says which actions are legal.",
    example="(no method action_masks)",
    remedy="Add action_masks(), returning a one-dimensional bool array: the choices of all terms side by side.",
)


def check_observation_space(subject: Subject) -> Iterator[Finding]:
    """Low, high and size of every term."""
    assert subject.design is not None
    if subject.design.observation_kind is ObservationKind.VECTOR:
        yield from _check_vector(subject, subject.design)
        return
    space, line = subject.observation, subject.line_of("__init__")
    terms = {term.name: term for term in subject.design.observation}
    parts = space.parts if subject.design.observation_kind is ObservationKind.DICT else {next(iter(terms)): space}
    if sorted(parts) != sorted(terms):
        found = f"{space.kind} with the keys {sorted(parts)}" if space.kind == "Dict" else space.kind
        yield SPACE_OBSERVATION.error(
            f"observation_space is a {found}, the design says Dict with the keys {sorted(terms)}", line=line
        )
        return
    for name, part in parts.items():
        expected = expected_part(terms[name])
        same = part.kind == "Box" and part.shape == expected.shape and part.dtype == expected.dtype
        if not (same and np.array_equal(part.low, expected.low) and np.array_equal(part.high, expected.high)):
            yield SPACE_OBSERVATION.error(
                f"the space of observation term {name} is {brief(part)}, the design says {brief(expected)}", line=line
            )


def expected_part(term: ObservationTerm) -> Space:
    """The Box of one term of an IMAGE or DICT observation."""
    shape, dtype = ((term.size,), np.float32) if term.image is None else (term.image.shape, np.uint8)
    low, high = np.full(shape, term.low, dtype), np.full(shape, term.high, dtype)
    return Space("Box", str(low.dtype), low.shape, low, high)


def brief(space: Space) -> str:
    """A Box by its least and greatest bound."""
    if space.kind != "Box" or not space.low.size:
        return space.kind
    return f"Box({space.low.min():g}, {space.high.max():g}, {space.shape}, {space.dtype})"


def _check_vector(subject: Subject, design: EnvDesign) -> Iterator[Finding]:
    space, line = subject.observation, subject.line_of("__init__")
    width = sum(term.size for term in design.observation)
    if space.kind != "Box" or space.dtype != "float32" or space.shape != (width,):
        found = f"{space.kind} of {space.dtype} and shape {space.shape}"
        yield SPACE_OBSERVATION.error(
            f"observation_space is a {found}, the design says Box ({width},) of float32", line=line
        )
        return
    start = 0
    for term in design.observation:
        for name, bound, declared in (("low", term.low, space.low), ("high", term.high, space.high)):
            part = declared[start : start + term.size]
            if not np.array_equal(part, np.full(term.size, bound, np.float32)):
                yield SPACE_OBSERVATION.error(
                    f"the {name} of observation term {term.name} (index {start}) is {part.tolist()}, not {bound:g}",
                    line=line,
                )
        start += term.size


def check_action_space(subject: Subject) -> Iterator[Finding]:
    """Kind, choices, bounds."""
    design, space, line = subject.design, subject.action, subject.line_of("__init__")
    assert design is not None
    expected = expected_action_space(design)
    same = space.kind == expected.kind and space.shape == expected.shape
    same = same and np.array_equal(space.low, expected.low) and np.array_equal(space.high, expected.high)
    if not same or (space.kind == "Box" and space.dtype != "float32"):
        yield SPACE_ACTION.error(
            f"action_space is {described(space)}, the design says {described(expected)}", line=line
        )


def check_masks(subject: Subject) -> Iterator[Finding]:
    """Only whether they are there, and as long as they must be; what they say comes later."""
    design = subject.design
    if design is None or not design.action.masked:
        return
    with subject.start() as candidate:
        candidate.reset(0, seed=0)
        answer = candidate.action_masks(0)
    width = sum(term.choices or 2 for term in design.action.terms)
    if isinstance(answer, Raised):
        yield MASKS.of(answer, "action_masks() raised")
    elif isinstance(answer, Value) and (answer.kind != "ndarray" or answer.shape != (width,) or answer.dtype != "bool"):
        yield MASKS.error(
            f"action_masks() returned {answer}, expected a bool array of shape ({width},)",
            line=subject.line_of("action_masks"),
        )


def expected_action_space(design: EnvDesign) -> Space:
    """The space that the design's action terms make."""
    terms = design.action.terms
    match design.action.kind:
        case ActionKind.DISCRETE:
            return Space("Discrete", "int64", (), np.int64(0), np.int64((terms[0].choices or 1) - 1))  # type: ignore[arg-type]
        case ActionKind.MULTI_DISCRETE:
            high = np.array([(term.choices or 1) - 1 for term in terms], np.int64)
            return Space("MultiDiscrete", "int64", high.shape, np.zeros_like(high), high)
        case ActionKind.MULTI_BINARY:
            high = np.ones(len(terms), np.int64)
            return Space("MultiBinary", "int8", high.shape, np.zeros_like(high), high)
        case ActionKind.BOX:
            low = np.concatenate([np.full(term.size, term.low, np.float32) for term in terms])
            high = np.concatenate([np.full(term.size, term.high, np.float32) for term in terms])
            return Space("Box", "float32", low.shape, low, high)


def described(space: Space) -> str:
    """A space in a few words."""
    match space.kind:
        case "Discrete":
            return f"Discrete({int(space.high) - int(space.low) + 1})"
        case "MultiDiscrete":
            return f"MultiDiscrete({(space.high - space.low + 1).tolist()})"
        case "MultiBinary":
            return f"MultiBinary({space.shape})"
        case "Box":
            return f"Box({space.low.tolist()}, {space.high.tolist()}, {space.dtype})"
    return space.kind
