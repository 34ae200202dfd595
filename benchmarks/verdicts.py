"""How often the verdict is right: small worlds whose right verdict is known by how they are made, each really learned.

    python -m benchmarks.verdicts [--short] [--group NAME]... [--family NAME]...

In every world (verdict_cases/) a learner is trained on the design's reward (verdict_learner.py), and the product's
own judge measures the whole ladder in a box; then services/trainer/verdict.py and seeds.py decide. Thresholds were set
on the families of SET; those of HELD_OUT, SECOND and REALLY were only measured. Those of REALLY are learned by the
product's own trainer (verdict_trainings.py), from start to verdict. A case whose learner did not do what the case is
made for, by a fact that the verdict's code has no part in, is void, named, and not counted. Wilson intervals, 95 %.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from pathlib import Path

from benchmarks import verdict_trainings
from benchmarks.verdict_cases import HELD_OUT, REALLY, SECOND, SET, Case, cases_of
from kit.contracts.outcomes import ComponentShare, Evaluation, PolicyKind, TrainingReport, Verdict, VerdictKind
from kit.sandbox.driver import SandboxDriver
from kit.sandbox.jobs import Job, Limits
from kit.sandbox.settings import driver_from_environment
from services.trainer import seeds
from services.trainer.inside.payloads import LadderClaim, PolicyEpisodes, TrainClaim
from services.trainer.seeds import Trained

LEARNER = Path(__file__).with_name("verdict_learner.py")
LIMITS = Limits(wall_s=1800, memory_mib=1024, work_mib=64, said_bytes=64 * 2**20, line_bytes=8 * 2**20)
SHORT = 1  # cases of each family
KINDS = tuple(VerdictKind)
PREFIXES = {PolicyKind.TRAINED: "", PolicyKind.BASELINE: "rule.", PolicyKind.CONSTANT: "always."}
GROUPS = {"set": SET, "held out": HELD_OUT, "second": SECOND}
REALLY_TRAINED = "really trained"


@dataclass(frozen=True)
class Measured:
    """long: the metric's mean of a learner that had more steps, where there was one."""

    seeds: list[Trained]
    long: float | None = None


@dataclass(frozen=True)
class Judged:
    case: Case
    verdict: Verdict
    void: bool


async def measure(driver: SandboxDriver, cases: Sequence[Case]) -> dict[str, Measured]:
    """All seeds of each case, by its name; one box a family."""
    families: dict[str, list[Case]] = {}
    for case in cases:
        families.setdefault(case.family, []).append(case)
    turns = asyncio.Semaphore(2)

    async def one(of: Sequence[Case]) -> dict[str, Measured]:
        async with turns:
            asked = [
                {
                    "name": case.name,
                    "design": case.world.design(case.name).model_dump_json(),
                    "environment": case.world.source(case.name),
                    **{name: getattr(case, name) for name in ("steps", "seeds", "rate", "explore", "forgets", "more")},
                }
                for case in of
            ]
            payload: dict[str, object] = {"source": LEARNER.read_text(), "cases": asked}
            done = await driver.run(Job(entry="kit.inside.script", payload=payload, limits=LIMITS))
            if done.result is None:
                raise SystemExit(f"NOT MEASURED: {of[0].family}: {done.ending} {done.output}")
            print(f"{of[0].family}: {len(of)} cases, {done.wall_s:.0f} s", flush=True)
            named = {case.name: case for case in of}
            return {
                str(said["name"]): Measured(
                    [_trained(named[str(said["name"])], n, seed) for n, seed in enumerate(_list(said["seeds"]))],
                    _long(_list(said["seeds"])[0]),
                )
                for said in done.said
                if said.get("kind") == "case"
            }

    found = await asyncio.gather(*(one(of) for of in families.values()))
    return {name: trained for part in found for name, trained in part.items()}


def _trained(case: Case, seed: int, said: Mapping[str, object]) -> Trained:
    names = list(case.world.reward)
    report = TrainingReport(
        algorithm="Q-learning",
        why_algorithm="a table is enough",
        engine="benchmark",
        seed=seed,
        n_envs=1,
        total_timesteps=case.steps,
        evaluations=tuple(Evaluation.model_validate(one) for one in _list(said["evaluations"])),
        components=tuple(
            ComponentShare(name=name, first=first, last=last)
            for name, first, last in zip(names, _list(said["first"]), _list(said["last"]), strict=True)
        ),
    )
    policies = tuple(PolicyEpisodes.model_validate_json(json.dumps(one)) for one in _list(said["policies"]))
    measured = LadderClaim(policies=policies, validation=tuple(_list(said["validation"])))
    return Trained(seed, TrainClaim(report=report), measured, Path())


def _long(said: Mapping[str, object]) -> float | None:
    """The mean of the metric of the learner that had more steps."""
    if said["long"] is None:
        return None
    values = PolicyEpisodes.model_validate_json(json.dumps(said["long"])).metrics[0]
    known = [value for value in values if value is not None]
    return sum(known) / len(known)


def _list(value: object) -> list:
    assert isinstance(value, list)
    return value


def judged(case: Case, measured: Measured) -> Judged:
    design, trained = case.world.design(case.name), measured.seeds
    kept = seeds.kept_of(design, trained)
    means = {**_means(case, kept), "long.goods": measured.long or 0.0}
    decided = seeds.together(design, trained, kept)
    return Judged(case, decided, not (case.fact(means) and _disagree(case, trained)))


def _means(case: Case, kept: Trained) -> dict[str, float]:
    found: dict[str, float] = {}
    for policy in kept.measured.policies:
        prefix = PREFIXES.get(policy.kind)
        if prefix is None:
            continue
        columns = {"goods": policy.metrics[0], **dict(zip(case.world.reward, policy.components, strict=True))}
        for name, values in columns.items():
            known = [value for value in values if value is not None]
            found[prefix + name] = sum(known) / len(known)
    return found


def _disagree(case: Case, trained: Sequence[Trained]) -> bool:
    """Where seeds are made to disagree: some get the far prize in most episodes, and some hardly ever."""
    if case.seeds == 1:
        return True
    got = [_means(case, one)["goods"] > 0.5 for one in trained]
    return 0 < sum(got) < len(got)


def wilson(hits: int, of: int) -> tuple[float, float]:
    if not of:
        return 0.0, 1.0
    z, share = 1.96, hits / of
    middle, half = share + z * z / (2 * of), z * sqrt(share * (1 - share) / of + z * z / (4 * of * of))
    return (middle - half) / (1 + z * z / of), (middle + half) / (1 + z * z / of)


def told(name: str, results: Sequence[Judged]) -> dict[str, object]:
    """Print the confusion table and each verdict's precision and recall."""
    counted = [one for one in results if not one.void]
    table = Counter((one.case.truth, one.verdict.kind) for one in counted)
    print(f"\n{name}: {len(counted)} cases counted, {len(results) - len(counted)} void")
    print(f"{'made for':26}" + "".join(f"{kind.value[:12]:>14}" for kind in KINDS))
    for truth in KINDS:
        print(f"{truth.value:26}" + "".join(f"{table[truth, kind] or '.':>14}" for kind in KINDS))
    figures: dict[str, object] = {}
    for kind in KINDS:
        right, said = table[kind, kind], sum(table[truth, kind] for truth in KINDS)
        made = sum(table[kind, other] for other in KINDS)
        shown = [
            f"{word} {hits}/{of} ({low:.2f} to {high:.2f})"
            for word, hits, of in (("precision", right, said), ("recall", right, made))
            for low, high in [wilson(hits, of)]
        ]
        print(f"{kind.value:26}{', '.join(shown)}")
        figures[kind.value] = {"precision": right / said if said else None, "recall": right / made if made else None,
                               "cases": made}  # fmt: skip
    right = sum(one.case.truth is one.verdict.kind for one in counted)
    low, high = wilson(right, len(counted))
    print(f"{'all':26}right {right}/{len(counted)} ({low:.2f} to {high:.2f})")
    for one in results:
        if one.void:
            print(f"  void: {one.case.name}: its learner did not do it ({one.verdict.kind})")
        elif one.case.truth is not one.verdict.kind:
            print(f"  wrong: {one.case.name}: {one.verdict.kind}, not {one.case.truth}: {one.verdict.reason}")
    return {"cases": len(counted), "void": len(results) - len(counted), "right": right, "kinds": figures}


async def run(groups: Sequence[str], names: Sequence[str], short: bool) -> dict[str, object]:
    """groups, names: of families; all where nothing is said."""
    driver, why = await driver_from_environment(LIMITS)
    print(why)
    chosen = {
        group: [
            case for case in cases_of(families)
            if (not groups or group in groups) and (not names or case.family in names)
            and (not short or case.number <= SHORT)
        ]
        for group, families in {**GROUPS, REALLY_TRAINED: REALLY}.items()
    }  # fmt: skip
    really = chosen.pop(REALLY_TRAINED)
    try:
        found = await measure(driver, [case for cases in chosen.values() for case in cases])
        trained = [(case, await verdict_trainings.train(driver, case)) for case in really]
    finally:
        await driver.close()
    results = {group: [judged(case, found[case.name]) for case in cases] for group, cases in chosen.items()}
    results[REALLY_TRAINED] = [Judged(case, done.verdict, not case.fact(done.means)) for case, done in trained]
    return {group: told(group, judgements) for group, judgements in results.items() if judgements}


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--short", action="store_true", help="one case of each family")
    asked.add_argument("--group", action="append", default=[], choices=[*GROUPS, REALLY_TRAINED])
    asked.add_argument("--family", action="append", default=[])
    given = asked.parse_args()
    print(json.dumps({"benchmark": "verdicts", **asyncio.run(run(given.group, given.family, given.short))}))


if __name__ == "__main__":
    main()
