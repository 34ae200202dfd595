"""Faults made mechanically in the worked problems' good code: which share of them does the checker kill?

    python -m benchmarks.mutants [--sample 40] [--seed 0] [--problem NAME] [--short]

A mutant is killed by an error. Mutants of the starting state, which designs describe in words, are counted apart from
those of everything that formulas cover: observations, components, endings, laws, invariants, expectations, parameters.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.mutating import Mutant, mutants_of
from gymwright.errors import SandboxUnavailable
from kit.contracts.design import EnvDesign
from kit.contracts.findings import Finding, Severity
from kit.sandbox.settings import driver_from_environment
from services.executor.checking import LIMITS, Checking

PROBLEMS = Path(__file__).parents[1] / "kit" / "library" / "problems"
GOALS = {"formulas": 0.98, "words": 0.8}
SHORT_SAMPLE = 4


@dataclass
class Tally:
    mutants: int = 0
    killed: int = 0
    survivors: list[str] = field(default_factory=list)

    @property
    def share(self) -> float:
        return round(self.killed / self.mutants, 3) if self.mutants else 0.0


async def measure(folders: list[Path], sample: int, seed: int) -> dict[str, object]:
    """A sample of each problem's mutants, one box each."""
    driver, sandbox = await driver_from_environment(LIMITS)
    print(sandbox)
    tallies: dict[str, Tally] = defaultdict(Tally)
    kinds: dict[str, Tally] = defaultdict(Tally)
    try:
        for folder in folders:
            design = EnvDesign.model_validate_json((folder / "design.json").read_text())
            every = list(mutants_of((folder / "environment.py").read_text()))
            chosen = random.Random(seed).sample(every, min(sample, len(every)))
            print(f"{folder.name}: {len(chosen)} of {len(every)} mutants")
            for mutant in chosen:
                killer = await first_error(Checking(driver), mutant.source, design)
                where = f"{folder.name}:{mutant.line} {mutant.kind}: {mutant.text}"
                print(f"{killer.check if killer else 'SURVIVES':28} {where}", flush=True)
                for tally in (tallies[covered_by(mutant)], kinds[mutant.kind]):
                    tally.mutants += 1
                    tally.killed += killer is not None
                    tally.survivors += [] if killer else [where]
    finally:
        await driver.close()
    for kind, tally in sorted(kinds.items()):
        print(f"{kind:24} {tally.killed}/{tally.mutants}")
    return {
        name: {"mutants": t.mutants, "killed": t.killed, "share": t.share, "survivors": t.survivors}
        for name, t in tallies.items()
    }


def covered_by(mutant: Mutant) -> str:
    """The starting state is described in words; all else of a worked problem has its formulas."""
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
    asked = parser.parse_args()
    folders = sorted(path.parent for path in PROBLEMS.glob(f"{asked.problem}/environment.py"))
    try:
        figures = asyncio.run(measure(folders, SHORT_SAMPLE if asked.short else asked.sample, asked.seed))
    except SandboxUnavailable as problem:
        print(f"NOT MEASURED: {problem}")
        figures = {}
    print(json.dumps({"benchmark": "mutants", "goals": GOALS, **figures}))


if __name__ == "__main__":
    main()
