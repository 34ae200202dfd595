"""Contract: what reset() and step() return, step by step over several episodes, by exact type."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kit.contracts.findings import Finding, Severity
from kit.inside.candidate import Died, TimedOut, Trouble, Value
from services.executor.inside.catalogue import Check, define
from services.executor.inside.groups.walking import Walk, action_object, fixed, measure_pace, sampler, walk
from services.executor.inside.subject import Subject

SEEDS = (0, 1, 123, 2**31 - 1, 2**32 - 1)
WALK_STEPS = 250
SLOW_S = 0.02

RESET_RETURNS = define(
    "reset.returns",
    proves="reset() returns a tuple (observation, info dict).",
    example="return self._obs()",
    remedy="End reset() with `return observation, {}`.",
)
RESET_ARGUMENTS = define(
    "reset.arguments",
    proves="reset() takes the keyword arguments seed and options.",
    example="def reset(self):",
    remedy="Write `def reset(self, *, seed=None, options=None)` and call super().reset(seed=seed) first.",
)
RESET_RAISES = define(
    "reset.raises",
    proves="reset() works at any time, with any seed that is a non-negative whole number.",
    example="assert seed < 10",
    remedy="Make reset() work for every seed, and without one; map a seed onto scenarios with a modulus.",
)
STEP_RETURNS = define(
    "step.returns",
    proves="step() returns (observation, reward, terminated, truncated, info).",
    example="return obs, reward, done, {}",
    remedy="End step() with `return observation, reward, terminated, truncated, info`.",
)
STEP_RAISES = define(
    "step.raises",
    proves="step() takes every action of the action space in every state that it reaches, until the episode ends.",
    example="raise ValueError('illegal move')",
    remedy="Handle this action or state inside step(): ignore, repair or penalise it; never raise.",
)
HANGS = define(
    "code.hangs",
    proves="Every call returns promptly.",
    example="while not os.path.exists(mailbox): time.sleep(0.05)",
    remedy="Remove the waiting or the endless loop.",
)
DIES = define(
    "code.ends_process",
    proves="The candidate's process stays alive.",
    example="os._exit(0)",
    remedy="Remove whatever ends the process.",
)
OBSERVATION_TYPE = define(
    "observation.type",
    proves="Every observation has the type, dtype and shape that its space declares.",
    example="return [self.x, self.v], {}",
    remedy="Return numpy.array([...], dtype=numpy.float32) of the declared shape, in every branch.",
)
OBSERVATION_BOUNDS = define(
    "observation.bounds",
    proves="Every observation, the last of an episode too, is finite and lies in its space.",
    example="numpy.array([self.angle], numpy.float32)  # never wrapped to [-pi, pi]",
    remedy="Clip, wrap or rescale the observation, or widen the declared bounds.",
)
REWARD_TYPE = define(
    "reward.type",
    proves="Every reward is a float, in every branch.",
    example="return obs, torch.tensor(1.0), True, False, {}",
    remedy="Return float(reward), and let every branch return one.",
)
REWARD_FINITE = define(
    "reward.finite",
    proves="Every reward is a finite number.",
    example="reward = sold / asked  # asked can be 0",
    remedy="Guard the division or logarithm that gives this value.",
)
FLAG_TYPE = define(
    "flag.type",
    proves="terminated and truncated are each one bool.",
    example="terminated = x > 1, v > 8  # a tuple is always true",
    remedy="Return bool(...) for both flags.",
)
INFO_TYPE = define(
    "info.type",
    proves="info is a dict.",
    example="return obs, reward, terminated, truncated, None",
    remedy="Return a dict, at least {}.",
)
INFO_RESERVED = define(
    "info.reserved",
    proves="info[\"episode\"] is left to the wrappers that record statistics: Gymnasium's and Stable-Baselines3's.",
    example='info = {"episode": self.episode_number}',
    remedy='Give the entry another name, such as "episode_number".',
)
SLOW = define(
    "pace.slow",
    proves="A step takes far less than 20 ms.",
    example="time.sleep(0.25)",
    remedy="Remove the waiting, and vectorise what loops.",
)
MALFORMED: dict[str, Check] = {
    "reset": RESET_RETURNS,
    "step": STEP_RETURNS,
    "observation": OBSERVATION_TYPE,
    "reward": REWARD_TYPE,
    "flag": FLAG_TYPE,
    "info": INFO_TYPE,
}


def trouble_with(trouble: Trouble, evidence: str) -> Finding:
    """The finding for a request that got no proper answer."""
    if isinstance(trouble, TimedOut):
        return HANGS.of(trouble, f"{trouble.where}() did not return", evidence)
    if isinstance(trouble, Died):
        return DIES.of(trouble, f"{trouble.where}() ended the process", evidence)
    if trouble.kind.startswith("Malformed."):
        return MALFORMED[trouble.kind.removeprefix("Malformed.")].error(trouble.message, evidence=evidence)
    check = RESET_RAISES if trouble.where == "reset" else STEP_RAISES
    if (
        trouble.where == "reset" and trouble.kind == "TypeError" and trouble.line is None
    ):  # raised before its first line
        check = RESET_ARGUMENTS
    return check.of(trouble, f"{trouble.where}() raised", evidence)


def check_reset(subject: Subject) -> Iterator[Finding]:
    """reset() with and without its arguments, for small and large seeds."""
    with subject.start() as candidate:
        calls: list[dict[str, object]] = [{}, {"seed": 7}, {"seed": 7, "options": {}}, {"options": None}]
        calls += [{"seed": seed} for seed in SEEDS]
        for kwargs in calls:
            answer = candidate.reset(0, **kwargs)
            said = ", ".join(f"{name}={value}" for name, value in kwargs.items())
            if not isinstance(answer, Value):
                yield trouble_with(answer, f"reset({said})")
                return
            found = list(_reset_answer(subject, answer, f"reset({said})"))
            yield from found
            if found:
                return


def check_steps(subject: Subject) -> Iterator[Finding]:
    """Several episodes, looking at everything that comes back; then each corner of the action space."""
    if not subject.action.numeric:
        return
    with subject.start() as candidate:
        first = measure_pace(subject, candidate)
        found = list(_walk_findings(subject, first))
        yield from found
        if any(finding.severity is Severity.ERROR for finding in found):
            return
        if subject.step_s > SLOW_S:
            hours = subject.step_s * 1e5 / 3600
            yield SLOW.warning(
                f"a step takes about {subject.step_s * 1000:.0f} ms: 100,000 steps would take {hours:.1f} hours",
                line=subject.line_of("step"),
            )
        limit = subject.affordable(WALK_STEPS)
        low, high = subject.action.finite if subject.action.kind == "Box" else (subject.action.low, subject.action.high)
        corners = [fixed([action_object(subject.action, corner)]) for corner in (low, high)]
        rng = subject.rng("contract")
        chooses = [sampler(subject.action, rng) for _ in SEEDS] + corners
        for seed, choose in zip([*SEEDS, 5, 6], chooses, strict=True):
            played = walk(candidate, choose, limit, seed)
            subject.episodes += 1
            subject.steps += len(played.steps)
            found = list(_walk_findings(subject, played))
            yield from found
            if played.trouble is not None or any(finding.severity is Severity.ERROR for finding in found):
                return


def _walk_findings(subject: Subject, played: Walk) -> Iterator[Finding]:
    """The first finding of each kind in one episode."""
    if not isinstance(played.start, Value):
        yield trouble_with(played.start, played.evidence())
        return
    seen: set[str] = set()
    for finding in _reset_answer(subject, played.start, played.evidence()):
        seen.add(finding.check)
        yield finding
    for number, step in enumerate(played.steps):
        if not isinstance(step.answer, Value):
            yield trouble_with(step.answer, played.evidence(number))
            return
        for finding in _step_answer(subject, step.answer, played.evidence(number)):
            if finding.check not in seen:
                seen.add(finding.check)
                yield finding


def _reset_answer(subject: Subject, answer: Value, evidence: str) -> Iterator[Finding]:
    line = subject.line_of_return("reset")
    if answer.kind != "tuple" or len(answer.items) != 2:
        got = f"a tuple of {len(answer.items)}" if answer.kind == "tuple" else f"{answer.type_name}"
        yield RESET_RETURNS.error(f"reset() returned {got}, expected (observation, info)", evidence=evidence, line=line)
        return
    observation, info = answer.items
    yield from _observation(subject, observation, "reset", evidence, line)
    if info.kind != "dict":
        yield INFO_TYPE.error(f"info of reset() is {info.type_name}, expected a dict", evidence=evidence, line=line)
    yield from _reserved(info, evidence, line)


def _step_answer(subject: Subject, answer: Value, evidence: str) -> Iterator[Finding]:
    line = subject.line_of_return("step")
    if answer.kind != "tuple" or len(answer.items) != 5:
        got = f"{len(answer.items)} values" if answer.kind == "tuple" else f"{answer.type_name}"
        yield STEP_RETURNS.error(
            f"step() returned {got}, expected 5: observation, reward, terminated, truncated, info",
            evidence=evidence,
            line=line,
        )
        return
    observation, reward, terminated, truncated, info = answer.items
    yield from _observation(subject, observation, "step", evidence, line)
    yield from _reward(reward, evidence, line)
    for name, flag in (("terminated", terminated), ("truncated", truncated)):
        if flag.kind == "numpy.bool":
            yield FLAG_TYPE.warning(
                f"{name} is a numpy.bool; harmless, but strict checkers refuse it", evidence=evidence, line=line
            )
        elif flag.kind != "bool":
            yield FLAG_TYPE.error(
                f"{name} is {flag} ({flag.type_name}), expected one bool", evidence=evidence, line=line
            )
    if info.kind != "dict":
        yield INFO_TYPE.error(f"info of step() is {info.type_name}, expected a dict", evidence=evidence, line=line)
    yield from _reserved(info, evidence, line)


def _reserved(info: Value, evidence: str, line: int | None) -> Iterator[Finding]:
    """Stable-Baselines3 reads info["episode"]["r"] and ["l"] after every step, whoever wrote it."""
    entry = info.get("episode")
    if entry is not None and (entry.get("r") is None or entry.get("l") is None):
        yield INFO_RESERVED.error(
            f'info["episode"] is {entry}, where wrappers put {{"r": return, "l": length}}: training raises KeyError',
            evidence=evidence,
            line=line,
        )


def _observation(subject: Subject, value: Value, method: str, evidence: str, line: int | None) -> Iterator[Finding]:
    problem = subject.observation.problem_with(value)
    if problem is None:
        return
    bounds = (
        " is above the declared" in problem
        or " is below the declared" in problem
        or problem.endswith((" is nan", "inf"))
    )
    check = OBSERVATION_BOUNDS if bounds else OBSERVATION_TYPE
    space = subject.observation
    yield check.error(
        f"observation of {method}(): {problem} (space {space.kind} {space.shape})", evidence=evidence, line=line
    )


def _reward(reward: Value, evidence: str, line: int | None) -> Iterator[Finding]:
    number = reward.plain
    if reward.kind in ("float", "int", "numpy.float64"):
        if not np.isfinite(float(number)):  # type: ignore[arg-type]
            yield REWARD_FINITE.error(f"the reward is {number}", evidence=evidence, line=line)
    elif reward.kind.startswith("numpy.") and reward.kind != "numpy.bool":
        yield REWARD_TYPE.warning(
            f"the reward is a {reward.kind}; harmless, but strict checkers want a float", evidence=evidence, line=line
        )
        if not np.isfinite(float(number)):  # type: ignore[arg-type]
            yield REWARD_FINITE.error(f"the reward is {number}", evidence=evidence, line=line)
    elif reward.kind in ("bool", "numpy.bool"):
        yield REWARD_TYPE.warning(f"the reward is the bool {number}, expected a float", evidence=evidence, line=line)
    else:
        yield REWARD_TYPE.error(
            f"the reward is {reward} ({reward.type_name}), expected a float", evidence=evidence, line=line
        )
