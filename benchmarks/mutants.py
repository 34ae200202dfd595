"""Faults made mechanically in the worked problems' good code: which share of them does the checker kill?

    python -m benchmarks.mutants [--sample 40] [--seed 0] [--problem NAME] [--short] [--results FILE]

A mutant is killed by an error. Mutants of the starting state, which is drawn once an episode, are counted apart from
those of what every step is held to: observations, components, endings, laws, invariants, expectations, parameters.
--results keeps one line for each mutant measured; a run that finds it goes on where the other stopped. Its lines hold
for one source and one design: after a change of the checks, begin a new file. All mutants (--sample 1000) take hours.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from benchmarks.mutating import Mutant, mutants_of
from benchmarks.mutation_results import Outcome, Results, summary
from gymwright.errors import SandboxUnavailable
from kit.contracts.design import EnvDesign
from kit.contracts.findings import Finding, Severity
from kit.sandbox.settings import driver_from_environment
from services.executor.checking import LIMITS, Checking

PROBLEMS = Path(__file__).parents[1] / "kit" / "library" / "problems"
EQUIVALENT = Path(__file__).parent / "mutants_equivalent.json"
GOALS = {"formulas": 0.98, "words": 0.8}
SHORT_SAMPLE = 4


def sampled(folders: list[Path], sample: int, seed: int) -> Iterator[tuple[str, EnvDesign, Mutant]]:
    """The same of each problem for the same seed; a larger sample holds other mutants, not more of the same."""
    for folder in folders:
        design = EnvDesign.model_validate_json((folder / "design.json").read_text())
        every = list(mutants_of((folder / "environment.py").read_text()))
        chosen = random.Random(seed).sample(every, min(sample, len(every)))
        print(f"{folder.name}: {len(chosen)} of {len(every)} mutants")
        yield from ((folder.name, design, mutant) for mutant in chosen)


async def measure(folders: list[Path], sample: int, seed: int, results: Results) -> dict[str, object]:
    """A sample of each problem's mutants, one box each, one after the other."""
    driver, sandbox = await driver_from_environment(LIMITS)
    print(sandbox)
    outcomes: list[Outcome] = []
    try:
        for problem, design, mutant in sampled(folders, sample, seed):
            if (outcome := results.known(mutant.source, design.digest)) is None:
                killer = await first_error(Checking(driver), mutant.source, design)
                outcome = Outcome(
                    group=covered_by(mutant),
                    kind=mutant.kind,
                    where=f"{problem}:{mutant.line} {mutant.kind}: {mutant.text}",
                    killer=killer.check if killer else None,
                )
                results.add(mutant.source, design.digest, outcome)
            print(f"{outcome.killer or 'SURVIVES':28} {outcome.where}", flush=True)
            outcomes.append(outcome)
    finally:
        await driver.close()
    kinds: dict[str, list[Outcome]] = defaultdict(list)
    for outcome in outcomes:
        kinds[outcome.kind].append(outcome)
    for kind, of_kind in sorted(kinds.items()):
        print(f"{kind:24} {sum(one.killed for one in of_kind)}/{len(of_kind)}")
    equivalent = json.loads(EQUIVALENT.read_text())
    return {group: summary([one for one in outcomes if one.group == group], equivalent) for group in GOALS}


def covered_by(mutant: Mutant) -> str:
    """A start is drawn once an episode, so that less can be said of it; all else shows in every step."""
    return "words" if mutant.method == "reset" else "formulas"


async def first_error(checking: Checking, source: str, design: EnvDesign) -> Finding | None:
    """What kills it; the rest of its check is not waited for."""
    found: asyncio.Future[Finding] = asyncio.get_running_loop().create_future()

    def hear(finding: Finding) -> None:
        if finding.severity is Severity.ERROR and not found.done():
            found.set_result(finding)

    checked = asyncio.create_task(checking.check(source, design, on_finding=hear))
    await asyncio.wait((checked, found), return_when=asyncio.FIRST_COMPLETED)
    if not checked.done():
        checked.cancel()
    with suppress(asyncio.CancelledError):
        await checked
    return found.result() if found.done() else None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sample", type=int, default=40, help="of each problem")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--problem", default="*")
    parser.add_argument("--short", action="store_true", help=f"{SHORT_SAMPLE} of each problem")
    parser.add_argument("--results", type=Path, help="a file of JSON lines, to go on from and to append to")
    asked = parser.parse_args()
    folders = sorted(path.parent for path in PROBLEMS.glob(f"{asked.problem}/environment.py"))
    try:
        figures = asyncio.run(
            measure(folders, SHORT_SAMPLE if asked.short else asked.sample, asked.seed, Results(asked.results))
        )
    except SandboxUnavailable as problem:
        print(f"NOT MEASURED: {problem}")
        figures = {}
    print(json.dumps({"benchmark": "mutants", "goals": GOALS, **figures}))


if __name__ == "__main__":
    main()
