"""Held-out episodes: environments that play the validation seeds, one each, whenever they are all reset."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import VecEnv

from kit.contracts.design import EnvDesign
from services.trainer.inside.candidate import MakeEnv
from services.trainer.inside.engines.lean_vector import LeanVector
from services.trainer.inside.engines.twin_vector import TwinVector
from services.trainer.inside.payloads import VALIDATION_SEED
from services.trainer.inside.recorder import Recorder
from services.trainer.inside.recorders import Harvested, Recorders
from services.trainer.inside.rows import Layout
from services.trainer.inside.twin_recorder import TwinRecorder
from services.trainer.inside.twins import MakeTwin


@dataclass(frozen=True)
class HeldOut:
    """All are asked for actions at once, which costs a tenth of playing the episodes one after the other."""

    together: Recorders | TwinRecorder
    recorders: list[Recorder] | list[TwinRecorder]
    venv: VecEnv

    @property
    def harvest(self) -> Callable[[], Harvested]:
        return self.together.harvest


def held_out(make: MakeEnv, make_twin: MakeTwin | None, design: EnvDesign, layout: Layout, count: int) -> HeldOut:
    """The first `count` validation seeds. make_twin: of a twin that was proved equal, which then plays them."""
    seeds = range(VALIDATION_SEED, VALIDATION_SEED + count)
    if make_twin is not None:
        twin = TwinRecorder(make_twin(count), count, layout)
        return HeldOut(twin, [twin], TwinVector(twin, count, make(), seeds=seeds))
    each = [Recorder(make(), design, layout, seed) for seed in seeds]
    return HeldOut(Recorders(each), each, LeanVector([lambda recorder=r: Monitor(recorder) for r in each]))
