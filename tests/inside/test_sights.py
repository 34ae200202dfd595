"""Images and dicts: a good environment of each kind passes the check, and what is wrong in one is found."""

from __future__ import annotations

import numpy as np
import pytest

from kit.contracts.design import EnvDesign, Hyperparameter, ObservationKind
from kit.contracts.formulas.columns import flat_observation
from services.trainer.inside import export, sights
from services.trainer.inside.candidate import load
from services.trainer.inside.engines.auto import choose
from services.trainer.inside.engines.lean_vector import LeanVector
from services.trainer.inside.hyperparameters import plan
from tests.corridors import corridor, source_for
from tests.inside.checked import checked, told

KINDS = [ObservationKind.IMAGE, ObservationKind.DICT]


def design(sight: ObservationKind) -> EnvDesign:
    return corridor("DISCRETE", starts=3, sight=sight)


def source(sight: ObservationKind) -> str:
    """With all that a check asks for beyond a training."""
    text = source_for("DISCRETE", sight=sight)
    text = text.replace('"ending": None', '"ending": "reached" if self.position == self.cells - 1 else None')
    text = text.replace("return self._seen(), self._info(0)", "return self._seen(), self._start()")
    return (
        text.replace("progress - 0.1 * self.paid, reached", "float(progress) - 0.1 * self.paid, reached")
        + """
    def _start(self):
        info = self._info(0)
        info["reward_components"]["time"] = 0.0
        return info
"""
    )


@pytest.mark.parametrize("sight", KINDS)
def test_a_good_environment_passes(sight):
    report = checked(source(sight), design(sight))
    assert [line for line in told(report) if line.startswith("ERROR")] == []


@pytest.mark.parametrize(
    ("sight", "right", "wrong", "check"),
    [
        (ObservationKind.IMAGE, "view[:, 7 * ", "view[7 * ", "observation.formula"),
        (ObservationKind.IMAGE, "] = 255", "] = 254", "observation.formula"),
        (ObservationKind.IMAGE, "spaces.Box(0, 255,", "spaces.Box(0, 254,", "design.observation_space"),
        (ObservationKind.DICT, '"view": view}', '"view": view * 0}', "observation.formula"),
        (ObservationKind.DICT, '{"position": position,', '{"position": position * 0,', "observation.formula"),
        (ObservationKind.DICT, "spaces.Dict(position=", "spaces.Dict(place=", "design.observation_space"),
    ],
)  # fmt: skip
def test_what_an_environment_shows_wrongly_is_found(sight, right, wrong, check):
    good = source(sight)
    assert right in good
    report = checked(good.replace(right, wrong), design(sight))
    assert check in {finding.check for finding in report.errors}


def test_a_dict_is_flattened_in_the_order_of_the_design_whatever_its_own():
    asked = design(ObservationKind.DICT)
    view = np.arange(36 * 36, dtype=np.uint8).reshape(36, 36, 1)
    shown = {"position": np.array([3.0], np.float32), "view": view}
    row = flat_observation(asked, shown)
    assert (row[:5].tolist(), row[-1]) == ([0, 1, 2, 3, 4], 3)
    given = sights.inputs(asked, row[None])
    assert np.array_equal(given["obs.view"][0], view)
    assert given["obs.position"].tolist() == [[3.0]]


@pytest.mark.parametrize(
    ("family", "sight"),
    [
        ("DISCRETE", ObservationKind.IMAGE),
        ("MASKED", ObservationKind.IMAGE),
        ("MULTI_BINARY", ObservationKind.DICT),
        ("BOX", ObservationKind.DICT),
    ],
)
def test_the_exported_network_of_every_kind_does_what_the_model_does(family, sight):
    asked = corridor(family, sight=sight)
    small = [Hyperparameter(name="buffer_size", value=100)] if family == "BOX" else []
    settings = plan(asked, total_timesteps=500, n_envs=1, hyperparameters=small)
    venv = LeanVector([load(source_for(family, sight=sight), asked)])
    chosen = choose(settings, venv)
    assert chosen.engine == "sb3"
    rng = np.random.default_rng(0)
    highest = np.concatenate([np.full(term.size, term.high) for term in asked.observation])
    seen = rng.uniform(0, highest, (64, len(highest))).round()
    masks = rng.random((64, 4)) < 0.5 if family == "MASKED" else None
    if masks is not None:
        masks[:, 0] = True
    parity = export.parity(chosen.model, asked, export.export(chosen.model, asked), seen, masks)
    assert (parity.observations, parity.differ) == (64, 0)
