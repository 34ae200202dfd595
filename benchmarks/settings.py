"""Which default hyperparameters serve a new problem: chosen on some worked problems, confirmed on others.

    python -m benchmarks.settings [--show] [--short]

Each candidate differs from the defaults in one thing, and takes the place of what the designs advise, since the
question is what serves a problem without advice. Every training is short (a third of what it takes or less), as a
first try is, with the same seeds for all. A score is the mean return of the final policy over 100 held-out episodes, on
a scale on which 0 is a random policy and 1 the problem's tuned rule (examples/*/ladder.json). What gained most on the
training set is tried together, and then once on the other problems: there it must win for a default to change.

What was measured is kept in settings.json, each training once: a run goes on where another stopped. --show prints
the table of what is there, and trains nothing. --short: two candidates on one problem, kept nowhere. Short trainings
favour a high and constant learning rate: what a falling one adds comes late (docs/training.md).
"""

from __future__ import annotations

import argparse
import json
import statistics
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.contending import ROOT, boxes_has
from benchmarks.quality import interval, trained

KEPT = Path(__file__).parent / "settings.json"
Candidate = Mapping[str, float]

STEPS = {
    "inventory_365": 80_000, "hospital_shifts": 80_000, "greenhouse_valves": 80_000, "cloud_autoscaling": 80_000,
    "s_s_inventory": 80_000, "flight_pricing": 80_000, "traffic_signal": 80_000,
    "battery_arbitrage": 12_000, "office_heating": 12_000,
}  # fmt: skip
CHOSEN_ON = {
    "PPO": ("inventory_365", "hospital_shifts", "greenhouse_valves", "cloud_autoscaling"),
    "SAC": ("battery_arbitrage",),
}
CONFIRMED_ON = {"PPO": ("s_s_inventory", "flight_pricing", "traffic_signal"), "SAC": ("office_heating",)}
SEEDS, CONFIRMING_SEEDS = (0, 1), (0, 1, 2)
CANDIDATES: Mapping[str, Mapping[str, Candidate]] = {
    "PPO": {
        "defaults": {},
        "8 environments": {"n_envs": 8},
        "rollout of 2048": {"n_steps": 128},
        "rollout of 8192": {"n_steps": 512},
        "batch of 1024": {"batch_size": 1024},
        "4 epochs": {"n_epochs": 4},
        "rate 0.0003": {"learning_rate": 3e-4},
        "rate 0.003": {"learning_rate": 3e-3},
        "constant rate": {"lr_decay": 0},
        "width 32": {"net_width": 32},
        "width 128": {"net_width": 128},
        "lambda 0.9": {"gae_lambda": 0.9},
    },
    "SAC": {
        "defaults": {},
        "8 environments": {"n_envs": 8},
        "an update a step": {"gradient_steps": 4},
        "an update in four steps": {"gradient_steps": 1},
        "batch of 256": {"batch_size": 256},
        "rate 0.0003": {"learning_rate": 3e-4},
        "rate 0.003": {"learning_rate": 3e-3},
        "width 128": {"net_width": 128},
    },
}
TOGETHER = 3  # of those that gained most


class Kept:
    """Final returns and CPU seconds by what was trained, in a file."""

    def __init__(self, path: Path | None, trains: bool = True) -> None:
        self._path, self._trains = path, trains
        self.of: dict[str, list[float]] = json.loads(path.read_text()) if path and path.exists() else {}

    def measure(self, problem: str, candidate: Candidate, seed: int) -> float:
        """The final return; trained where it is not known yet."""
        key = key_of(problem, candidate, seed)
        if key not in self.of:
            if not self._trains:
                raise SystemExit(f"{key}: not measured yet; run it without --show")
            told = trained(
                problem=problem, engine="fast", seed=seed, steps=STEPS[problem], hyperparameters=dict(candidate)
            )
            self.of[key] = [round(told["mean"], 4), round(told["cpu_s"], 2)]
            print(f"{key}: {self.of[key][0]:.2f}, {self.of[key][1]:.1f} s", flush=True)
            if self._path:
                self._path.write_text(json.dumps(self.of, indent=0, sort_keys=True) + "\n")
        return self.of[key][0]


def key_of(problem: str, candidate: Candidate, seed: int) -> str:
    said = " ".join(f"{name}={value:g}" for name, value in sorted(candidate.items()))
    return f"{problem}, {said or 'defaults'}, seed {seed}"


def scale(problem: str) -> tuple[float, float]:
    """Mean returns of a random policy, and of the best rule."""
    rows = json.loads((ROOT / "examples" / problem / "ladder.json").read_text())["rows"]
    returns = {kind: [row["reward"]["mean"] for row in rows if row["kind"] == kind] for kind in ("RANDOM", "BASELINE")}
    return returns["RANDOM"][0], max(returns["BASELINE"])


def scores(kept: Kept, problems: Sequence[str], candidate: Candidate, seeds: Sequence[int]) -> list[float]:
    """Problem by problem, seed by seed."""
    found = []
    for problem in problems:
        low, high = scale(problem)
        found += [(kept.measure(problem, candidate, seed) - low) / (high - low) for seed in seeds]
    return found


def choose(kept: Kept, algorithm: str) -> tuple[str, Candidate]:
    """The best on the training set, single or several together; ("defaults", {}) where nothing gains."""
    candidates, problems = CANDIDATES[algorithm], CHOSEN_ON[algorithm]
    gained = {name: statistics.fmean(scores(kept, problems, one, SEEDS)) for name, one in candidates.items()}
    ranked = [name for name in sorted(gained, key=lambda name: -gained[name]) if gained[name] > gained["defaults"]]
    together: dict[str, float] = {}
    for name in ranked[:TOGETHER]:
        together |= {key: value for key, value in candidates[name].items() if key not in together}
    best = ranked[0] if ranked else "defaults"
    if len(together) > 1 and statistics.fmean(scores(kept, problems, together, SEEDS)) > gained[best]:
        return " + ".join(ranked[:TOGETHER]), together
    return best, candidates[best]


def gains_of(kept: Kept, algorithm: str, candidate: Candidate) -> dict[str, list[float]]:
    """On the other problems, seed by seed: how much more than the defaults."""
    gains = {}
    for problem in CONFIRMED_ON[algorithm]:
        old, new = (scores(kept, [problem], one, CONFIRMING_SEEDS) for one in ({}, candidate))
        gains[problem] = [after - before for before, after in zip(old, new, strict=True)]
    return gains


def show(kept: Kept, algorithm: str) -> dict[str, object]:
    """Prints the table; what was chosen, and what it gained where it was not chosen, with its 95 % interval."""
    problems = CHOSEN_ON[algorithm]
    print(f"\n{algorithm}, 0 a random policy, 1 the tuned rule, mean of {len(SEEDS)} seeds")
    print(f"{'':26}" + "".join(f"{problem:>20}" for problem in problems) + f"{'mean':>9}{'CPU s':>8}")
    name, best = choose(kept, algorithm)
    for label, candidate in {**CANDIDATES[algorithm], **({"together: " + name: best} if len(best) > 1 else {})}.items():
        each = [statistics.fmean(scores(kept, [problem], candidate, SEEDS)) for problem in problems]
        spent = [kept.of[key_of(problem, candidate, seed)][1] for problem in problems for seed in SEEDS]
        row = "".join(f"{value:20.3f}" for value in each)
        print(f"{label[:26]:26}{row}{statistics.fmean(each):9.3f}{statistics.fmean(spent):8.1f}")
    if not best:
        print("Nothing gains on the defaults.")
        return {"best": name}
    gains = gains_of(kept, algorithm, best)
    every = [gain for found in gains.values() for gain in found]
    low, high = interval([0.0] * len(every), every)
    said = "a gain" if low > 0 else "a loss" if high < 0 else "no gain that is sure"
    print(f"Best: {name}. Its gain on others, {len(CONFIRMING_SEEDS)} seeds each:")
    for problem, found in gains.items():
        print(f"{problem:26}{', '.join(f'{gain:+.3f}' for gain in found)}")
    print(f"{'all':26}{statistics.fmean(every):+.3f} ({low:+.3f} to {high:+.3f}): {said}")
    return {"best": name, "settings": dict(best), "gain": statistics.fmean(every), "interval": [low, high]}


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--show", action="store_true", help="the table of what is kept")
    asked.add_argument("--short", action="store_true", help="two candidates on one problem")
    given = asked.parse_args()
    if not boxes_has("stable_baselines3"):
        print("NOT MEASURED: the boxes' libraries are not here; `make sandbox-venv` brings them")
        print(json.dumps({}))
        return
    if given.short:
        told = {
            name: scores(Kept(None), ("s_s_inventory",), CANDIDATES["PPO"][name], (0,))
            for name in ("defaults", "4 epochs")
        }
        print(json.dumps({"benchmark": "settings", "s_s_inventory": told}))
        return
    kept = Kept(KEPT, trains=not given.show)
    print(json.dumps({"benchmark": "settings", **{algorithm: show(kept, algorithm) for algorithm in CANDIDATES}}))


if __name__ == "__main__":
    main()
