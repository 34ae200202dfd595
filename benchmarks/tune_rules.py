"""Tunes the rule of each worked problem by a recorded search, before anything is trained against it.

    python benchmarks/tune_rules.py                       # all of them; prints, writes nothing
    python benchmarks/tune_rules.py hospital_shifts --write

Needs gymnasium (the sandbox's virtual environment). The rule's formulas with blanks, and the range of each blank,
stand in the problem's tuning.json; --write puts the record of the search there and the rule into design.json.
The same seeds give the same constants. Seeds start at 1,000,000, away from those of training and testing.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import string
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
from pydantic import Field

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from kit.contracts.design import Baseline, BaselineTerm, Direction, EnvDesign  # noqa: E402
from kit.contracts.formulas import Program, columns, compile_design  # noqa: E402
from kit.contracts.records import Identifier, Record  # noqa: E402

PROBLEMS = ROOT / "kit" / "library" / "problems"
FIRST_SEED = 1_000_000
EACH, TIMES = 100, 4  # episodes a candidate; the finalists play so many times as many, on seeds of their own
WIDE, NARROW, FINALISTS = 80, 120, 12  # candidates drawn from the whole range, then around the best


class Constant(Record):
    """One blank of the rule: its range, where a sensible person would start, and how many decimals it gets."""

    name: Identifier
    meaning: str
    low: float
    high: float
    start: float
    decimals: int = 2


class Result(Record):
    """What the search did and found. Scores are means of the primary metric; interval: 95 %, of the mean."""

    method: str
    episodes: int
    seeds: tuple[int, int]
    confirming_seeds: tuple[int, int]
    constants: dict[str, float]
    score_at_start: float
    score: float
    interval: tuple[float, float]
    changed_after: str = ""


class Tuning(Record):
    """tuning.json: the rule with its blanks, and the record of the search that filled them."""

    rule: Identifier
    meaning: str
    metric: Identifier
    terms: tuple[BaselineTerm, ...]
    constants: tuple[Constant, ...] = Field(min_length=1)
    result: Result | None = None
    optimum: float | None = None  # of the metric, where some method finds it: tests/inside/test_known_optimum.py
    trained: tuple[str, ...] = ()  # what training against this rule was tried, in words

    def filled(self, values: Sequence[float]) -> Baseline:
        """The rule with these constants, as the design has it."""
        blanks = {c.name: f"{round(value, c.decimals):g}" for c, value in zip(self.constants, values, strict=True)}
        terms = [
            BaselineTerm(term=term.term, formula=string.Template(term.formula).substitute(blanks))
            for term in self.terms
        ]
        return Baseline(name=self.rule, meaning=self.meaning, terms=tuple(terms))


class Policy(Protocol):
    def __call__(self, observations: np.ndarray) -> np.ndarray:
        """(environments, size) -> actions (environments, total)."""


def environment(name: str) -> Callable[..., object]:
    """The worked problem's Environment class; its source is data, so it is loaded by path."""
    spec = importlib.util.spec_from_file_location(f"worked_{name}", PROBLEMS / name / "environment.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.Environment  # type: ignore[no-any-return]


def play(program: Program, make: Callable[..., object], policy: Policy, seeds: Iterable[int]) -> dict[str, np.ndarray]:
    """One episode a seed, all in step; metric -> its value in each episode, and "return" (not discounted)."""
    design = program.design
    envs = [make(**{p.name: p.argument for p in design.parameters}) for _ in seeds]
    first = [env.reset(seed=seed) for env, seed in zip(envs, seeds, strict=True)]  # type: ignore[attr-defined]
    seen = np.array([columns.flat_observation(design, observation) for observation, _ in first])
    states = [[info["state"]] for _, info in first]
    observations, actions = [], []
    returns = np.zeros(len(envs))
    for _ in range(design.episode.step_limit):
        chosen = policy(seen)
        observations.append(seen)
        actions.append(chosen)
        steps = [
            env.step(columns.as_env_action(design, row))  # type: ignore[attr-defined]
            for env, row in zip(envs, chosen, strict=True)
        ]
        over = [step[2] or step[3] for step in steps]
        assert all(over) == any(over), "episodes of worked problems are equally long"
        seen = np.array([columns.flat_observation(design, step[0]) for step in steps])
        returns += [step[1] for step in steps]
        for history, step in zip(states, steps, strict=True):
            history.append(step[4]["state"])
        if all(over):
            break
    scores: dict[str, list[float]] = {metric.name: [] for metric in design.metrics}
    for episode, history in enumerate(states):
        state = {key: np.array([row[key] for row in history], dtype=np.float64) for key in history[0]}
        values = columns.transitions(
            program,
            columns.parameter_values(design),
            {key: column[:-1] for key, column in state.items()},
            np.array([row[episode] for row in actions]),
            {key: column[1:] for key, column in state.items()},
            np.array([row[episode] for row in observations]),
        )
        for metric in program.metrics.values():
            scores[metric.name].append(columns.aggregate(metric, values, len(actions)))
    return {**{key: np.array(column) for key, column in scores.items()}, "return": returns}


def rule_of(program: Program, baseline: str) -> Policy:
    params = columns.parameter_values(program.design)
    return lambda observations: columns.act(program, baseline, params, observations.astype(np.float64))


def search(name: str, each: int, say: Callable[[str], None]) -> tuple[Tuning, EnvDesign]:
    """Random search over the ranges, then ever smaller steps from the best; the finalists meet on fresh seeds.

    each: episodes a candidate plays.
    """
    folder = PROBLEMS / name
    tuning = Tuning.model_validate_json((folder / "tuning.json").read_text())
    design = EnvDesign.model_validate_json((folder / "design.json").read_text())
    make = environment(name)
    metric = design.metrics[0]
    sign = 1.0 if metric.direction is Direction.LOWER else -1.0
    low = np.array([c.low for c in tuning.constants])
    high = np.array([c.high for c in tuning.constants])
    start = np.array([c.start for c in tuning.constants])
    random = np.random.default_rng(0)

    def scores(values: np.ndarray, seeds: range) -> np.ndarray:
        baseline = tuning.filled(values.tolist())
        program = compile_design(design.model_copy(update={"baselines": (baseline,)}))
        return play(program, make, rule_of(program, tuning.rule), seeds)[metric.name]

    seeds = range(FIRST_SEED, FIRST_SEED + each)
    tried = [(sign * float(scores(start, seeds).mean()), start)]
    for turn in range(WIDE + NARROW):
        if turn < WIDE:
            values = random.uniform(low, high)
        else:
            width = 0.25 * (1 - (turn - WIDE) / NARROW) + 0.02
            moved = random.random(len(low)) < 0.6
            step = random.normal(0, width, len(low)) * (high - low) * moved
            values = np.clip(min(tried, key=lambda one: one[0])[1] + step, low, high)
        tried.append((sign * float(scores(values, seeds).mean()), values))
        if turn % 50 == 49:
            say(f"{name}: {turn + 1} candidates, best {sign * min(one[0] for one in tried):.3f}")

    confirming = range(FIRST_SEED + 10_000, FIRST_SEED + 10_000 + TIMES * each)
    finalists = [values for _, values in sorted(tried[1:], key=lambda one: one[0])[:FINALISTS]] + [start]
    confirmed = [scores(values, confirming) for values in finalists]
    best = int(np.argmin([sign * column.mean() for column in confirmed]))
    mean, error = float(confirmed[best].mean()), float(confirmed[best].std(ddof=1) / np.sqrt(len(confirming)))
    result = Result(
        method=f"{WIDE} candidates drawn evenly from the ranges, {NARROW} by ever smaller steps from the best so far, "
        f"{each} episodes each on the same seeds; then the best {FINALISTS} and the start on {len(confirming)} fresh "
        "ones.",
        episodes=(1 + WIDE + NARROW) * each + (FINALISTS + 1) * len(confirming),
        seeds=(seeds[0], seeds[-1]),
        confirming_seeds=(confirming[0], confirming[-1]),
        constants={c.name: round(float(v), c.decimals) for c, v in zip(tuning.constants, finalists[best], strict=True)},
        score_at_start=round(float(confirmed[-1].mean()), 4),
        score=round(mean, 4),
        interval=(round(mean - 1.96 * error, 4), round(mean + 1.96 * error, 4)),
    )
    rule = tuning.filled(finalists[best].tolist())
    return tuning.model_copy(update={"result": result}), design.model_copy(update={"baselines": (rule,)})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("problems", nargs="*", default=sorted(path.name for path in PROBLEMS.iterdir()))
    parser.add_argument("--episodes", type=int, default=EACH, help="that a candidate plays")
    parser.add_argument("--write", action="store_true", help="put what was found into tuning.json and design.json")
    arguments = parser.parse_args()
    figures = {}
    for name in arguments.problems:
        began = time.process_time()
        tuning, design = search(name, arguments.episodes, print)
        assert tuning.result is not None
        figures[name] = {**tuning.result.model_dump(), "cpu_s": round(time.process_time() - began, 1)}
        if arguments.write:
            (PROBLEMS / name / "tuning.json").write_text(
                lines(tuning.model_dump(mode="json", exclude_none=True)) + "\n"
            )
            (PROBLEMS / name / "design.json").write_text(
                lines(design.model_dump(mode="json", exclude_defaults=True)) + "\n"
            )
    print(json.dumps(figures))


def lines(value: object, indent: int = 0) -> str:
    """JSON with each record on one line where it fits, so that a design can be read and compared by line."""
    flat = json.dumps(value, ensure_ascii=False)
    if indent + len(flat) <= 150 or not isinstance(value, dict | list):
        return flat
    pad = "\n" + " " * (indent + 1)
    if isinstance(value, dict):
        parts = [f"{json.dumps(key)}: {lines(item, indent + 1)}" for key, item in value.items()]
        return "{" + pad + f",{pad}".join(parts) + "\n" + " " * indent + "}"
    return "[" + pad + f",{pad}".join(lines(item, indent + 1) for item in value) + "\n" + " " * indent + "]"


if __name__ == "__main__":
    main()
