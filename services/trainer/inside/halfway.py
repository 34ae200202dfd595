"""Half way: the policy as it was when half of the training's steps were taken, for a rung of the ladder."""

from __future__ import annotations

import copy

import numpy as np
import onnx
from onnx import numpy_helper
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.callbacks import BaseCallback

from kit.contracts.design import EnvDesign
from services.trainer.inside import export
from services.trainer.inside.keeping import Keeping


class HalfWay(Keeping, BaseCallback):  # type: ignore[misc]
    """parameters: None until then, and where training ended before."""

    KEPT = ("parameters",)

    def __init__(self, total: int) -> None:
        super().__init__()
        self._half = total / 2
        self.parameters: dict[str, object] | None = None

    def _on_step(self) -> bool:
        if self.parameters is None and self.num_timesteps >= self._half:
            self.parameters = copy.deepcopy(self.model.get_parameters())
        return True


def exported(
    model: BaseAlgorithm, design: EnvDesign, alike: bytes, observations: np.ndarray, masks: np.ndarray | None
) -> bytes:
    """The ONNX model of what `model` is now, made from that of the same network with other parameters: to trace the
    network again takes longer than many a training. Where the result does not act as the model does, it is traced."""
    swapped = _with_parameters(alike, {name: value.numpy() for name, value in model.policy.state_dict().items()})
    if export.parity(model, design, swapped, observations, masks).differ == 0:
        return swapped
    return export.export(model, design)


def _with_parameters(alike: bytes, parameters: dict[str, np.ndarray]) -> bytes:
    """Tensors are named as the parameters are, behind the names of the modules around them."""
    made = onnx.load_model_from_string(alike)
    for tensor in made.graph.initializer:
        name = next((n for n in parameters if tensor.name.endswith(f".{n}")), "")
        if name and list(tensor.dims) == list(parameters[name].shape):
            tensor.CopyFrom(numpy_helper.from_array(parameters[name], tensor.name))
    written: bytes = made.SerializeToString()
    return written
