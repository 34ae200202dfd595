"""The inventory with a known optimum: value iteration from the design's numbers, by none of the environment's code."""

from __future__ import annotations

import json
from math import exp, factorial

import numpy as np
import pytest

from kit.contracts.design import EnvDesign
from tests.inside.test_worked_problems import PROBLEMS, environment_of

FOLDER = PROBLEMS / "s_s_inventory"
DEMANDS = np.arange(80)  # Poisson with mean 4: what lies beyond has no weight


def design() -> EnvDesign:
    return EnvDesign.model_validate_json((FOLDER / "design.json").read_text())


def costs(values: np.ndarray) -> np.ndarray:
    """(stock, order) -> expected cost of the day and of what follows; values: by stock, of what follows."""
    number = {parameter.name: parameter.values[0] for parameter in design().parameters}
    room, mean = int(number["capacity"]), number["demand_mean"]
    chance = np.array([exp(-mean) * mean**k / factorial(int(k)) for k in DEMANDS])
    orders = design().action.terms[0].choices
    table = np.zeros((room + 1, orders or 0))
    for stock in range(room + 1):
        for order in range(table.shape[1]):
            there = min(room, stock + order)
            left, lost = np.maximum(there - DEMANDS, 0), np.maximum(DEMANDS - there, 0)
            day = number["holding_cost"] * left + number["lost_cost"] * lost + number["order_fee"] * (order > 0)
            table[stock, order] = chance @ (day + values[left])
    return table


def optimum() -> tuple[float, np.ndarray]:
    """The lowest average cost a day over the episode, and the best order by stock on its first day."""
    days, start = design().episode.step_limit, next(p for p in design().parameters if p.name == "start_stock")
    values = np.zeros(21)
    for _ in range(days):
        table = costs(values)
        values = table.min(axis=1)
    return float(values[int(start.values[0])]) / days, table.argmin(axis=1)


def test_the_optimum_on_record_is_what_value_iteration_finds():
    cost, orders = optimum()
    assert cost == pytest.approx(json.loads((FOLDER / "tuning.json").read_text())["optimum"], abs=1e-4)
    # An (s, S) policy, as theory says: at 4 or fewer order up to 7, else nothing.
    assert orders.tolist() == [7, 6, 5, 4, 3] + [0] * 16


def test_the_best_orders_cost_in_the_environment_what_value_iteration_says():
    cost, orders = optimum()
    env = environment_of("s_s_inventory")()
    means = []
    for seed in range(300):
        _, info = env.reset(seed=seed)
        paid = 0.0
        for _ in range(design().episode.step_limit):
            _, _, _, _, info = env.step(int(orders[info["state"]["stock"]]))
            paid += sum(info["reward_components"].values())
        means.append(paid / design().episode.step_limit)
    assert abs(np.mean(means) - cost) < 4 * np.std(means) / np.sqrt(len(means))
