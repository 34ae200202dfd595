"""policy.onnx: what the policy does, and nothing else, by an explicit wrapper around each family's network."""

from __future__ import annotations

import io
import warnings
from typing import TypeAlias

import numpy as np
import onnxruntime
import torch
from stable_baselines3.common.base_class import BaseAlgorithm
from torch import nn

from kit.contracts.design import ActionKind, EnvDesign, ObservationKind
from services.trainer.inside import sights
from services.trainer.inside.payloads import Parity

MASKED_LOGIT = -1e8  # as sb3-contrib has it
CONTINUOUS_TOLERANCE = 1e-5


Seen: TypeAlias = torch.Tensor | dict[str, torch.Tensor]
"""What the networks are given: one tensor, or one for each key of a dict observation."""


class Eyes(nn.Module):  # type: ignore[misc]
    """From the model's inputs, images with their channels last, to what the networks are given, channels first."""

    def __init__(self, acting: nn.Module, images: tuple[bool, ...], keys: tuple[str, ...]) -> None:
        super().__init__()
        self.acting = acting
        self.images = images
        self.keys = keys

    def forward(self, *given: torch.Tensor) -> torch.Tensor:
        turned = [part.permute(0, 3, 1, 2) if image else part for part, image in zip(given, self.images, strict=False)]
        obs: Seen = dict(zip(self.keys, turned, strict=True)) if self.keys else turned[0]
        action: torch.Tensor = self.acting(obs, *given[len(self.images) :])
        return action


class Choices(nn.Module):  # type: ignore[misc]
    """DISCRETE and MULTI_DISCRETE: the likeliest legal choice of each term, (rows, terms) int64."""

    def __init__(self, policy: nn.Module, widths: tuple[int, ...]) -> None:
        super().__init__()
        self.policy = policy
        self.widths = widths

    def forward(self, obs: Seen, action_masks: torch.Tensor | None = None) -> torch.Tensor:
        logits = _latent_to_logits(self.policy, obs)
        if action_masks is not None:
            logits = torch.where(action_masks > 0.5, logits, torch.full_like(logits, MASKED_LOGIT))
        terms = torch.split(logits, self.widths, dim=1)
        return torch.cat([term.argmax(dim=1, keepdim=True) for term in terms], dim=1)


class Switches(nn.Module):  # type: ignore[misc]
    """MULTI_BINARY: on where that is likelier than off, (rows, terms) int64."""

    def __init__(self, policy: nn.Module) -> None:
        super().__init__()
        self.policy = policy

    def forward(self, obs: Seen) -> torch.Tensor:
        # As torch rounds a probability: exactly one half is off.
        return (torch.sigmoid(_latent_to_logits(self.policy, obs)) > 0.5).to(torch.int64)


class Squashed(nn.Module):  # type: ignore[misc]
    """SAC: the mean, squashed and rescaled to the action's bounds, (rows, numbers) float32."""

    lowest: torch.Tensor
    half_span: torch.Tensor

    def __init__(self, actor: nn.Module, low: np.ndarray, high: np.ndarray) -> None:
        super().__init__()
        self.actor = actor
        self.register_buffer("lowest", torch.as_tensor(low))
        self.register_buffer("half_span", torch.as_tensor(0.5 * (high - low)))

    def forward(self, obs: Seen) -> torch.Tensor:
        features = self.actor.extract_features(obs, self.actor.features_extractor)
        mean = torch.tanh(self.actor.mu(self.actor.latent_pi(features)))
        return self.lowest + (mean + 1.0) * self.half_span


def export(model: BaseAlgorithm, design: EnvDesign) -> bytes:
    """The ONNX model: obs (rows, n) float32 [, action_masks (rows, choices) float32] -> action.

    Images and dicts as `sights.inputs` has them. An action is laid out as the design's terms are; it is
    what the environment's step() takes.
    """
    rows = torch.export.Dim("rows")
    given = sights.inputs(design, np.zeros((2, sum(term.size for term in design.observation))))
    examples = [torch.as_tensor(one) for one in given.values()]
    names = list(given)
    if design.action.masked:
        examples.append(torch.ones(2, sum(term.choices or 0 for term in design.action.terms)))
        names.append("action_masks")
    written = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about packages that the exporter could use if we had them
        torch.onnx.export(
            _seeing(_wrapped(model, design), design).eval(),
            tuple(examples),
            written,
            input_names=names,
            output_names=["action"],
            dynamic_shapes=(tuple({0: rows} for _ in names),),
            external_data=False,
            dynamo=True,
            verbose=False,
        )
    return written.getvalue()


def parity(
    model: BaseAlgorithm, design: EnvDesign, onnx: bytes, observations: np.ndarray, masks: np.ndarray | None
) -> Parity:
    """Compare action by action with model.predict, on (rows, total) observations that were visited."""
    if not len(observations):
        return Parity(observations=0, differ=0, largest=0.0)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(onnx, options, providers=["CPUExecutionProvider"])
    inputs = sights.inputs(design, observations)
    seen = sights.observations(design, inputs)
    legal = {}
    if masks is not None:
        inputs["action_masks"] = masks.astype(np.float32)
        legal["action_masks"] = masks.astype(bool)
    ours = session.run(["action"], inputs)[0]
    theirs, _ = model.predict(seen, deterministic=True, **legal)
    off = np.abs(ours.astype(np.float64) - theirs.reshape(ours.shape).astype(np.float64))
    scale = np.ones(ours.shape[1])
    if ours.dtype == np.float32:
        scale = np.maximum(1.0, model.action_space.high - model.action_space.low).ravel()
    return Parity(
        observations=len(ours),
        differ=int((off / scale > CONTINUOUS_TOLERANCE).any(axis=1).sum()),
        largest=float(off.max()),
    )


def _seeing(acting: nn.Module, design: EnvDesign) -> nn.Module:
    images = tuple(term.image is not None for term in design.observation)
    match design.observation_kind:
        case ObservationKind.DICT:
            return Eyes(acting, images, sights.keys(design))
        case ObservationKind.IMAGE:
            return Eyes(acting, images, ())
        case ObservationKind.VECTOR:
            return Eyes(acting, (False,), ())


def _wrapped(model: BaseAlgorithm, design: EnvDesign) -> nn.Module:
    match design.action.kind:
        case ActionKind.BOX:
            return Squashed(model.policy.actor, model.action_space.low, model.action_space.high)
        case ActionKind.MULTI_BINARY:
            return Switches(model.policy)
        case _:
            return Choices(model.policy, tuple(term.choices or 0 for term in design.action.terms))


def _latent_to_logits(policy: nn.Module, obs: Seen) -> torch.Tensor:
    features = policy.extract_features(obs, policy.pi_features_extractor)
    logits: torch.Tensor = policy.action_net(policy.mlp_extractor.forward_actor(features))
    return logits
