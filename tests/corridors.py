"""A corridor of five cells in every action family and kind of observation: small, and quick enough to train on."""

from __future__ import annotations

from kit.contracts.design import (
    ActionKind,
    ActionSpec,
    ActionTerm,
    Aggregate,
    Baseline,
    BaselineTerm,
    Definition,
    Direction,
    Dynamics,
    EnvDesign,
    Episode,
    EpisodeEnding,
    Fit,
    FitVerdict,
    Hyperparameter,
    ImageSize,
    Law,
    Level,
    Metric,
    ObservationKind,
    ObservationTerm,
    Parameter,
    RewardComponent,
    Source,
    StateVariable,
    TrainingAdvice,
    VariableKind,
)

FAMILIES = ("DISCRETE", "MULTI_DISCRETE", "MULTI_BINARY", "BOX", "MASKED")

_MOVE = ActionTerm(name="move", meaning="where to", choices=3, labels=("stay", "right", "left"))
_ACTIONS: dict[str, ActionSpec] = {
    "DISCRETE": ActionSpec(kind=ActionKind.DISCRETE, terms=(_MOVE,)),
    "MULTI_DISCRETE": ActionSpec(
        kind=ActionKind.MULTI_DISCRETE,
        terms=(_MOVE, ActionTerm(name="gait", meaning="go or wait", choices=2, labels=("go", "wait"))),
    ),
    "MULTI_BINARY": ActionSpec(
        kind=ActionKind.MULTI_BINARY,
        terms=(ActionTerm(name="forward", meaning="push"), ActionTerm(name="back", meaning="pull")),
    ),
    "BOX": ActionSpec(kind=ActionKind.BOX, terms=(ActionTerm(name="push", meaning="push", low=-2.0, high=1.0),)),
    # Left is illegal in the first cell; the trapdoor always is.
    "MASKED": ActionSpec(
        kind=ActionKind.DISCRETE,
        terms=(
            ActionTerm(
                name="move",
                meaning="where to",
                choices=4,
                labels=("stay", "right", "left", "trapdoor"),
                legal="where(choice == 3, 0, where(choice == 2, state.position > 0, 1))",
            ),
        ),
        illegal="An illegal choice is taken as staying.",
    ),
}
_DISPLACEMENT = {
    "DISCRETE": "(action.move == 1) - (action.move == 2)",
    "MULTI_DISCRETE": "((action.move == 1) - (action.move == 2)) * (action.gait == 0)",
    "MULTI_BINARY": "action.forward - action.back",
    "BOX": "(action.push > 0.3) - (action.push < -0.3)",
    "MASKED": "(action.move == 1) - (action.move == 2)",
}
_IN_PYTHON = {
    "DISCRETE": "int(action == 1) - int(action == 2)",
    "MULTI_DISCRETE": "(int(action[0] == 1) - int(action[0] == 2)) * int(action[1] == 0)",
    "MULTI_BINARY": "int(action[0]) - int(action[1])",
    "BOX": "int(action[0] > 0.3) - int(action[0] < -0.3)",
    "MASKED": "int(action == 1) - int(action == 2)",
}
_SPACE = {
    "DISCRETE": "spaces.Discrete(3)",
    "MULTI_DISCRETE": "spaces.MultiDiscrete([3, 2])",
    "MULTI_BINARY": "spaces.MultiBinary(2)",
    "BOX": "spaces.Box(-2.0, 1.0, (1,), np.float32)",
    "MASKED": "spaces.Discrete(4)",
}
# Goes right in even cells only, so it stops in the first odd one.
_HESITANT = {
    "DISCRETE": {"move": "@CELL % 2 < 0.5"},
    "MULTI_DISCRETE": {"move": "@CELL % 2 < 0.5", "gait": "0"},
    "MULTI_BINARY": {"forward": "@CELL % 2 < 0.5", "back": "0"},
    "BOX": {"push": "@CELL % 2 < 0.5"},
    "MASKED": {"move": "@CELL % 2 < 0.5"},
}
_CELL = {
    ObservationKind.VECTOR: "obs.position",
    ObservationKind.IMAGE: "argmax(obs.view[arange(5) * 7 + 3])",
    ObservationKind.DICT: "obs.position",
}
# A cell is seven columns of pixels wide, and white where the walker is.
_POSITION = ObservationTerm(name="position", meaning="cell", low=0, high=4, formula="state.position")
_VIEW = ObservationTerm(
    name="view",
    meaning="the corridor from above",
    size=36 * 36,
    low=0,
    high=255,
    image=ImageSize(height=36, width=36, channels=1),
    formula="255 * (arange(1296) % 36 // 7 == state.position)",
)
_SEEN = {
    ObservationKind.VECTOR: (_POSITION,),
    ObservationKind.IMAGE: (_VIEW,),
    ObservationKind.DICT: (_VIEW, _POSITION),
}

_SOURCE = '''\
"""A corridor of cells; the goal is the last."""

import gymnasium
import numpy as np
from gymnasium import spaces


class Environment(gymnasium.Env):
    def __init__(self, cells, starts, toll=1.0):
        self.cells, self.starts, self.toll = cells, starts, toll
        position = spaces.Box(0.0, float(cells - 1), (1,), np.float32)
        view = spaces.Box(0, 255, (36, 36, 1), np.uint8)
        self.observation_space = @SIGHT
        self.action_space = @SPACE

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.position, self.clock, self.paid = int(self.np_random.integers(self.starts)), 0, 0.0
        return self._seen(), self._info(0)

    def step(self, action):
        before = self.position
        self.clock += 1
        self.position = min(max(before + @DISPLACEMENT, 0), self.cells - 1)
        progress, self.paid = self.position - before, self.toll
        reached = self.position == self.cells - 1
        truncated = self.clock >= @LIMIT and not reached
        return self._seen(), progress - 0.1 * self.paid, reached, truncated, self._info(progress)

    def action_masks(self):
        return np.array([True, True, self.position > 0, False])

    def _seen(self):
        position = np.array([self.position], np.float32)
        view = np.zeros((36, 36, 1), np.uint8)
        view[:, 7 * self.position : 7 * self.position + 7] = 255
        return @SIGHT

    def _info(self, progress):
        state = {"position": np.int64(self.position), "clock": np.int64(self.clock)}
        return {"state": state, "reward_components": {"progress": float(progress), "time": self.paid}, "ending": None}
'''


_SIGHT = {
    ObservationKind.VECTOR: ("position", "position"),
    ObservationKind.IMAGE: ("view", "view"),
    ObservationKind.DICT: ("spaces.Dict(position=position, view=view)", '{"position": position, "view": view}'),
}


def corridor(
    family: str,
    step_limit: int = 20,
    starts: int = 2,
    potential: str | None = None,
    sight: ObservationKind = ObservationKind.VECTOR,
    tolls: tuple[float, float] | None = None,
    curriculum: tuple[Level, ...] = (),
) -> EnvDesign:
    """starts: an episode starts in one of the first `starts` cells, by chance. tolls: the range of a step's cost."""
    toll = Parameter(name="toll", meaning="of a step", values=(1.0,), source=Source.ASSUMED, **_range(tolls))
    return EnvDesign(
        name="corridor",
        title="A corridor",
        summary="Walk to the last cell.",
        fit=Fit(verdict=FitVerdict.RL, why="a test"),
        parameters=(
            Parameter(name="cells", meaning="cells", values=(5,), source=Source.GIVEN),
            Parameter(name="starts", meaning="first cells", values=(starts,), source=Source.GIVEN),
            *((toll,) if tolls else ()),
        ),
        state=(
            StateVariable(name="position", meaning="cell", kind=VariableKind.WHOLE, low=0, high=4),
            StateVariable(name="clock", meaning="steps", kind=VariableKind.WHOLE, low=0, high=step_limit),
        ),
        definitions=(Definition(name="displacement", formula=_DISPLACEMENT[family]),),
        observation_kind=sight,
        observation=_SEEN[sight],
        action=_ACTIONS[family],
        dynamics=Dynamics(
            steps=("move",),
            step_unit="step",
            laws=(Law(name="walk", formula="state.position == clip(prev.position + displacement, 0, 4)"),),
        ),
        reward=(
            RewardComponent(
                name="progress",
                meaning="cells gained",
                formula="state.position - prev.position",
                weight=1.0,
                low=-1,
                high=1,
            ),
            RewardComponent(
                name="time",
                meaning="a step",
                formula="params.toll" if tolls else "1",
                weight=-0.1,
                low=tolls[0] if tolls else 1,
                high=tolls[1] if tolls else 1,
            ),
        ),
        potential=potential,
        episode=Episode(
            step_limit=step_limit,
            endings=(EpisodeEnding(name="reached", formula="state.position == 4", success=True),),
            start="one of the first cells",
        ),
        metrics=(
            Metric(
                name="steps_taken",
                meaning="steps until the end",
                formula="1",
                aggregate=Aggregate.SUM,
                direction=Direction.LOWER,
            ),
            Metric(
                name="reached",
                meaning="arrived",
                formula="state.position == 4",
                aggregate=Aggregate.FINAL,
                direction=Direction.HIGHER,
            ),
            Metric(
                name="mean_cell",
                meaning="where it was",
                formula="state.position",
                per="1",
                aggregate=Aggregate.RATIO,
                direction=Direction.HIGHER,
            ),
        ),
        baselines=(
            Baseline(
                name="hesitant",
                meaning="right in even cells",
                terms=tuple(
                    BaselineTerm(term=term, formula=text.replace("@CELL", _CELL[sight]))
                    for term, text in _HESITANT[family].items()
                ),
            ),
        ),
        curriculum=curriculum,
        training=TrainingAdvice(
            total_timesteps=3000,
            discount=0.95,
            hyperparameters=(Hyperparameter(name="net_width", value=16), Hyperparameter(name="n_envs", value=4)),
        ),
    )


def _range(tolls: tuple[float, float] | None) -> dict[str, float]:
    return {} if tolls is None else {"low": tolls[0], "high": tolls[1]}


def source_for(family: str, step_limit: int = 20, sight: ObservationKind = ObservationKind.VECTOR) -> str:
    """The environment of corridor(family, step_limit, sight=sight)."""
    space, seen = _SIGHT[sight]
    return (
        _SOURCE.replace("self.observation_space = @SIGHT", f"self.observation_space = {space}")
        .replace("return @SIGHT", f"return {seen}")
        .replace("@SPACE", _SPACE[family])
        .replace("@DISPLACEMENT", _IN_PYTHON[family])
        .replace("@LIMIT", str(step_limit))
    )
