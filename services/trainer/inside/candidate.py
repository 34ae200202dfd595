"""Loads the candidate beside our code, for speed; whatever it reports from here on is a claim."""

from __future__ import annotations

import linecache
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from types import ModuleType

import gymnasium
import numpy as np
from gymnasium import spaces

from kit.contracts.design import ActionKind, EnvDesign, ImageSize, ObservationKind
from services.trainer.inside.faults import FILE, CandidateBroke, raised, reported

MakeEnv = Callable[[], gymnasium.Env]
Arguments = Mapping[str, object]

_SPACE_OF = {
    ActionKind.DISCRETE: spaces.Discrete,
    ActionKind.MULTI_DISCRETE: spaces.MultiDiscrete,
    ActionKind.MULTI_BINARY: spaces.MultiBinary,
    ActionKind.BOX: spaces.Box,
}


@dataclass(frozen=True)
class Maker:
    """Makes one more environment with the design's parameters, or with others; CandidateBroke where it can't."""

    kind: type[gymnasium.Env]
    design: EnvDesign
    arguments: Arguments = field(default_factory=dict)

    def __call__(self) -> gymnasium.Env:
        try:
            env = self.kind(**self.arguments)
        except MemoryError:
            raise
        except BaseException as problem:
            raise raised(problem, "Environment(...)", f"parameters {sorted(self.arguments)}") from problem
        _check_spaces(env, self.design)
        return env

    def with_arguments(self, others: Arguments) -> Maker:
        return replace(self, arguments={**self.arguments, **others})


def load(source: str, design: EnvDesign) -> Maker:
    """What makes environments of the source. CandidateBroke where it is no environment's."""
    module = ModuleType("environment")
    module.__file__ = FILE
    sys.modules["environment"] = module  # dataclasses and pickling look there
    linecache.cache[FILE] = (len(source), None, source.splitlines(keepends=True), FILE)
    try:
        exec(compile(source, FILE, "exec"), module.__dict__)
    except MemoryError:
        raise
    except BaseException as problem:
        raise raised(problem, "importing the module", "") from problem
    kind = module.__dict__.get("Environment")
    if not (isinstance(kind, type) and issubclass(kind, gymnasium.Env)):
        raise reported(
            "training.spaces", "the module has no class Environment(gymnasium.Env)", "", "Name the class Environment."
        )
    return Maker(kind, design, {parameter.name: parameter.argument for parameter in design.parameters})


def _check_spaces(env: gymnasium.Env, design: EnvDesign) -> None:
    wanted = _observation_space(design)
    seen, acted = getattr(env, "observation_space", None), getattr(env, "action_space", None)
    if not _alike(seen, wanted):
        raise _wrong_space("observation", f"like {wanted}", seen)
    if not isinstance(acted, _SPACE_OF[design.action.kind]):
        raise _wrong_space("action", f"a {_SPACE_OF[design.action.kind].__name__}", acted)


def _observation_space(design: EnvDesign) -> spaces.Space:
    parts = {term.name: _box(term.size, term.image) for term in design.observation}
    match design.observation_kind:
        case ObservationKind.DICT:
            return spaces.Dict(parts)
        case ObservationKind.IMAGE:
            return next(iter(parts.values()))
        case ObservationKind.VECTOR:
            return _box(sum(term.size for term in design.observation), None)


def _box(size: int, image: ImageSize | None) -> spaces.Box:
    if image is not None:
        return spaces.Box(0, 255, image.shape, np.uint8)
    return spaces.Box(-np.inf, np.inf, (size,), np.float32)


def _alike(found: object, wanted: spaces.Space) -> bool:
    """Of the same kind, shapes and dtypes; bounds are the executor's business."""
    if isinstance(wanted, spaces.Dict):
        same = isinstance(found, spaces.Dict) and found.spaces.keys() == wanted.spaces.keys()
        return same and all(_alike(found[key], part) for key, part in wanted.spaces.items())  # type: ignore[index]
    return isinstance(found, spaces.Box) and (found.shape, found.dtype) == (wanted.shape, wanted.dtype)


def _wrong_space(which: str, wanted: str, found: object) -> CandidateBroke:
    return reported(
        "training.spaces",
        f"the {which} space must be {wanted}, it is {found}",
        "",
        f"Build the {which} space from the design's terms, in their order.",
    )
