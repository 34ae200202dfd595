# Runs in a box, for verdicts.py: a tabular Q-learner in each world; everything is measured by the product's own judge.
import numpy as np

from kit.contracts.design import EnvDesign
from kit.contracts.formulas import compile_design
from kit.contracts.outcomes import Evaluation, NamedNumber, PolicyKind
from kit.inside.candidate import Candidate
from services.trainer.inside import policies
from services.trainer.inside.candidate import load
from services.trainer.inside.constants import constants
from services.trainer.inside.contests import sign_of
from services.trainer.inside.episodes import mean_or_none
from services.trainer.inside.measuring import Judge, Rung
from services.trainer.inside.payloads import TEST_SEED, TRAINING_SEED, VALIDATION_SEED

EVALUATIONS = 20
VALIDATION = range(VALIDATION_SEED, VALIDATION_SEED + 20)


class Table:
    """Q-values by what is seen."""

    def __init__(self, choices, generator):
        self.choices, self.values, self.generator = choices, {}, generator

    def of(self, seen):
        """Ties at the start are broken by chance."""
        key = tuple(int(x) for x in seen)
        if key not in self.values:
            self.values[key] = 1e-3 * self.generator.random(self.choices)
        return self.values[key]

    def policy(self):
        """As it is now, greedy; what was never seen gets the first choice."""
        best = {seen: int(values.argmax()) for seen, values in self.values.items()}
        return lambda seen: np.array([[best.get(tuple(int(x) for x in row), 0)] for row in seen.observations], float)


def learn(make, judge, design, case, seed):
    """The best policy on the validation seeds, the one half way, the evaluations, and what components changed."""
    generator, env = np.random.default_rng(1000 + seed), make()
    table = Table(design.action.terms[0].choices, generator)
    every, kept, half, done, shares = case["steps"] // EVALUATIONS, None, None, [], []
    seen, _ = env.reset(seed=TRAINING_SEED + 1000 * seed)
    for step in range(1, case["steps"] + 1):
        share = step / case["steps"]
        values = table.of(seen)
        curious = generator.random() < max(case["explore"] * (1 - share), 0.05)
        action = int(generator.integers(table.choices)) if curious else int(values.argmax())
        after, reward, ended, cut, _ = env.step(action)
        worth = reward + (0 if ended else design.training.discount * table.of(after).max())
        values[action] += case["rate"] * max(1 - share, 0.1) * (worth - values[action])
        if share > case["forgets"]:
            values += generator.normal(0, 0.3 * (np.abs(values).max() + 0.1), table.choices)
        seen = env.reset()[0] if ended or cut else after
        if step % every == 0:
            rung = Rung("trained", PolicyKind.TRAINED, table.policy())
            measured = judge.values(judge.play(rung, VALIDATION))
            mean = mean_or_none(measured.metrics[:, 0])
            done.append(
                Evaluation(
                    timesteps=step,
                    mean_reward=float(measured.rewards.mean()),
                    std_reward=float(measured.rewards.std()),
                    episodes=len(VALIDATION),
                    metrics=() if mean is None else (NamedNumber(name="goods", value=mean),),
                )
            )
            shares.append(measured.components.mean(axis=0).tolist())
            if kept is None or done[-1].mean_reward > kept[0]:
                kept = (done[-1].mean_reward, rung, measured.metrics[:, 0].tolist())
            if half is None and step * 2 >= case["steps"]:
                half = Rung("half_trained", PolicyKind.HALF_TRAINED, table.policy())
    return kept[1], half, done, (shares[0], shares[-1]), kept[2]


def climb(case):
    design = EnvDesign.model_validate_json(case["design"])
    program = compile_design(design)
    make = load(case["environment"], design)
    seeds = range(TEST_SEED, TEST_SEED + 100)
    found = []
    with Candidate.start(10.0) as candidate:
        judge = Judge(candidate, case["environment"], program)
        sign = sign_of(design.metrics[0])
        always = [Rung(name, PolicyKind.CONSTANT, policy) for name, policy in constants(design).items()]
        worth = [sign * (mean_or_none(judge.values(judge.play(r, VALIDATION)).metrics[:, 0]) or 0) for r in always]
        fixed = [
            Rung("idle", PolicyKind.IDLE, policies.idle(design)),
            Rung("random", PolicyKind.RANDOM, policies.at_random(design, 0)),
            always[int(np.argmax(worth))],
            Rung("rule", PolicyKind.BASELINE, policies.rule(program, "rule")),
        ]
        measured = [judge.episodes(rung, seeds) for rung in fixed]
        long = None
        if case["more"]:
            trained = learn(make, judge, design, {**case, "steps": case["steps"] * case["more"]}, 0)[0]
            long = judge.episodes(trained, seeds).model_dump(mode="json")
        for seed in range(case["seeds"]):
            trained, half, evaluations, shares, validation = learn(make, judge, design, case, seed)
            rungs = [*measured, judge.episodes(half, seeds), judge.episodes(trained, seeds)]
            found.append(
                {
                    "policies": [one.model_dump(mode="json") for one in rungs],
                    "evaluations": [one.model_dump(mode="json") for one in evaluations],
                    "first": shares[0],
                    "last": shares[1],
                    "validation": validation,
                    "long": long,
                }
            )
    return found


for case in payload["cases"]:  # noqa: F821
    say("case", name=case["name"], seeds=climb(case))  # noqa: F821
say("result", done=len(payload["cases"]))  # noqa: F821
