"""The machine's arithmetic limit: what only the matrix products of a training would cost, at its shapes, in NumPy.

python -m benchmarks.arithmetic      microseconds an environment step, with the settings of contenders.json
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np

SIZES = {"inventory": (6, 21), "thermal": (8, 2)}  # observations, outputs or numbers
FOUND = Path(__file__).parent / "contenders.json"
DEFAULTS: Mapping[str, Mapping[str, float]] = {  # the libraries' own, of a plain script
    "inventory": {"n_envs": 1, "batch_size": 64, "epochs": 10, "width": 64},
    "thermal": {"n_envs": 1, "batch_size": 256, "updates_a_step": 1, "width": 256},
}

Product = tuple[int, int, int, int]  # copies, rows, inner, columns


def ppo_us(settings: Mapping[str, float], features: int, outputs: int) -> float:
    """An environment step: acted on once, and learned from in every epoch, by both networks."""
    width, batch = int(settings["width"]), int(settings["batch_size"])
    layers = [(2, width, features), (2, width, width), (1, outputs, width), (1, 1, width)]
    learning = _us(_both_ways(layers, batch)) / batch * settings["epochs"]
    acting = _us((c, out, inner, int(settings["n_envs"])) for c, out, inner in layers[:3]) / settings["n_envs"]
    return learning + acting


def sac_us(settings: Mapping[str, float], features: int, numbers: int) -> float:
    """An environment step: acted on once, and so many gradient steps for it."""
    width, batch = int(settings["width"]), int(settings["batch_size"])
    actor = [(1, width, features), (1, width, width), (2, numbers, width)]
    critics = [(2, width, features + numbers), (2, width, width), (2, 1, width)]
    forward = [(c, out, inner, batch) for c, out, inner in (*actor, *actor, *critics, *critics, *critics)]
    backward = [*_backward(critics, batch), *_to_inputs(critics, batch), *_backward(actor, batch)]
    return _us([*forward, *backward]) * settings["updates_a_step"]


def _both_ways(layers: Iterable[tuple[int, int, int]], batch: int) -> list[Product]:
    layers = list(layers)
    return [*((c, out, inner, batch) for c, out, inner in layers), *_backward(layers, batch)]


def _backward(layers: Iterable[tuple[int, int, int]], batch: int) -> list[Product]:
    """The slopes by the weights, and by the inputs of all layers but the first."""
    layers = list(layers)
    return [*((c, out, batch, inner) for c, out, inner in layers), *_to_inputs(layers[1:], batch)]


def _to_inputs(layers: Iterable[tuple[int, int, int]], batch: int) -> list[Product]:
    return [(c, inner, out, batch) for c, out, inner in layers]


def _us(products: Iterable[Product]) -> float:
    """The least of several rounds, so that other work on the machine weighs less."""
    blocks = []
    for copies, rows, inner, columns in products:
        shapes = (copies, rows, inner), (copies, inner, columns), (copies, rows, columns)
        blocks.append([np.ones(shape, np.float32) for shape in shapes])
    times = []
    for _ in range(200):
        began = time.perf_counter()
        for left, right, out in blocks:
            np.matmul(left, right, out=out)
        times.append(time.perf_counter() - began)
    return 1e6 * float(min(times))


def limit_us(problem: str, settings: Mapping[str, float]) -> float:
    """settings: {} for a plain script's."""
    return (ppo_us if problem == "inventory" else sac_us)(settings or DEFAULTS[problem], *SIZES[problem])


def main() -> None:
    limits = {
        f"{problem}, {contender}": limit_us(problem, of["settings"])
        for problem, contenders in json.loads(FOUND.read_text()).items()
        for contender, of in contenders.items()
    }
    for name, us in limits.items():
        print(f"{name:24}{us:10.2f} us an environment step")
    print(json.dumps(limits))


if __name__ == "__main__":
    main()
