"""The policies of the ladder: idle, random, each baseline by formula, and the trained networks."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import onnx
import onnxruntime

from kit.contracts.design import ActionKind, EnvDesign
from kit.contracts.formulas import Program, parameter_values
from kit.contracts.formulas.batches import Batch
from kit.contracts.formulas.columns import act, term_width
from kit.inside.candidate import Policy, Seen
from services.trainer.inside import sights
from services.trainer.inside.payloads import MOST_POLICY_BYTES

DOMAINS = frozenset({"", "ai.onnx"})


class PolicyRefused(Exception):
    """policy.onnx can't be used, and why."""


class NoAction(Exception):
    """A policy had no finite action; `where` says for what it saw."""


def idle(design: EnvDesign) -> Policy:
    """Does nothing: choice 0 (or the first legal one), every switch off, zero as far as the bounds allow."""
    if design.action.kind is not ActionKind.BOX:
        return lambda seen: each_term(design, seen, lambda legal: legal.argmax(axis=1))
    row = np.concatenate([np.full(term.size, np.clip(0.0, term.low, term.high)) for term in design.action.terms])
    return lambda seen: np.tile(row, (len(seen.seeds), 1))


def at_random(design: EnvDesign, seed: int) -> Policy:
    """Uniform over the legal choices, or between the bounds."""
    generator = np.random.default_rng(seed)
    if design.action.kind is not ActionKind.BOX:
        return lambda seen: each_term(
            design, seen, lambda legal: np.where(legal, generator.random(legal.shape), -1.0).argmax(axis=1)
        )
    low = np.concatenate([np.full(term.size, term.low) for term in design.action.terms])
    high = np.concatenate([np.full(term.size, term.high) for term in design.action.terms])
    return lambda seen: generator.uniform(low, high, (len(seen.seeds), len(low)))


def rule(program: Program, baseline: str) -> Policy:
    """A baseline of the design."""
    params = parameter_values(program.design)

    def choose(seen: Seen) -> Batch:
        return _finite(act(program, baseline, params, seen.observations), seen)

    return choose


def trained(design: EnvDesign, model: bytes) -> Policy:
    """The network in policy.onnx, one thread; its masks are part of its input. PolicyRefused where it isn't one."""
    _check_graph(model)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    try:
        session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    except Exception as problem:
        raise PolicyRefused(f"ONNX Runtime can't load it: {str(problem)[:300]}") from problem
    width = sum(term_width(design, term) for term in design.action.terms)

    def choose(seen: Seen) -> Batch:
        inputs = sights.inputs(design, seen.observations)
        if design.action.masked:
            assert seen.masks is not None
            inputs["action_masks"] = seen.masks.astype(np.float32)
        try:
            answer = np.asarray(session.run(["action"], inputs)[0], dtype=np.float64)
        except Exception as problem:
            raise PolicyRefused(f"it can't be run on an observation: {str(problem)[:300]}") from problem
        if answer.shape != (len(seen.seeds), width):
            raise PolicyRefused(f"its action has shape {answer.shape}, not {(len(seen.seeds), width)}")
        return _within(design, _finite(answer, seen))

    return choose


def _check_graph(model: bytes) -> None:
    """Before the runtime sees it: no file outside, no operator of anybody's own, no surprising size."""
    if len(model) > MOST_POLICY_BYTES:
        raise PolicyRefused(f"it has {len(model)} bytes; {MOST_POLICY_BYTES} are allowed")
    try:
        graph = onnx.load_model_from_string(model).graph
    except Exception as problem:
        raise PolicyRefused(f"it is not an ONNX model: {str(problem)[:300]}") from problem
    for node in graph.node:
        if node.domain not in DOMAINS:
            raise PolicyRefused(f"it uses the operator {node.domain}::{node.op_type}")
        if any(attribute.HasField("g") or attribute.graphs for attribute in node.attribute):
            raise PolicyRefused(f"it branches or loops ({node.op_type}), which no policy of ours does")
    tensors = [*graph.initializer, *(a.t for node in graph.node for a in node.attribute if a.HasField("t"))]
    if any(tensor.data_location == onnx.TensorProto.EXTERNAL or tensor.external_data for tensor in tensors):
        raise PolicyRefused("it wants data from another file")


def each_term(design: EnvDesign, seen: Seen, choose: Callable[[np.ndarray], np.ndarray]) -> Batch:
    """choose: from (rows, choices) of what is legal to (rows,)."""
    rows, start, columns = len(seen.seeds), 0, []
    for term in design.action.terms:
        width = term.choices or 2
        legal = np.ones((rows, width), bool) if seen.masks is None else seen.masks[:, start : start + width] != 0
        columns.append(choose(legal))
        start += width
    return np.stack(columns, axis=1).astype(np.float64)


def _within(design: EnvDesign, actions: Batch) -> Batch:
    """Numbers within their bounds, choices whole and within their range, whatever the network said."""
    if design.action.kind is ActionKind.BOX:
        low = np.concatenate([np.full(term.size, term.low) for term in design.action.terms])
        high = np.concatenate([np.full(term.size, term.high) for term in design.action.terms])
        return np.clip(actions, low, high)
    most = np.array([(term.choices or 2) - 1 for term in design.action.terms])
    return np.clip(np.round(actions), 0, most)


def _finite(actions: Batch, seen: Seen) -> Batch:
    bad = np.flatnonzero(~np.isfinite(actions).all(axis=1))
    if len(bad):
        raise NoAction(f"seed {seen.seeds[bad[0]]}, step {seen.step}, observation {seen.observations[bad[0]].tolist()}")
    return actions
