"""The checker over a folder of faulty and good environments, beside both check_envs.

    python -m benchmarks.faults [--folder benchmarks/faults] [--no-peers] [--short]

The folder holds modules with one environment each, and faults.jsonl says what is wrong with which: id, fault, kind,
expected (error, warning, training, design), blame, on_target (a pattern of check ids). A module that it doesn't name
is good. Where it names a folder as `paired`, the fault is looked for again beside the design.json in there.
fresh/ holds good modules, and variants.jsonl makes faulty ones of them by replacing text; unseen/ holds modules, good
and faulty, by an author who had not seen the checks. `at_first` there says what became of each before any check had
been written or changed for it.

"Left out" estimates what is caught of faults that nobody had in view: with --left-out each fault is checked once more,
ignoring the checks that were written for its kind (that any fault of its kind names as its target), and so that what
rests on them goes on. It errs downwards: a checker without the one check that looks at resets sees no reset's fault.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import statistics
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from benchmarks.faulty import FOLDER, Fault, Specimen, specimens
from gymwright.errors import SandboxUnavailable
from kit.contracts.design import EnvDesign
from kit.contracts.findings import CheckReport, Finding, Severity
from kit.sandbox.driver import SandboxDriver
from kit.sandbox.jobs import Job, Limits
from kit.sandbox.settings import driver_from_environment
from services.executor.checking import LIMITS, Checking
from services.executor.inside import check
from services.executor.inside.catalogue import CATALOGUE

SHORT_EVERY = 6
PEERS = """
from kit.inside.candidate import Candidate, Value
from services.executor.inside.groups import probing

caught = {}
for which in ("gymnasium", "sb3"):
    with Candidate.start() as candidate:
        candidate.load(payload["code"])
        made = candidate.make()
        answer = candidate.probe(probing.__name__ + ".peer", env=0, seconds=20.0, which=which, kwargs={})
        failure = answer.get("failure") if isinstance(answer, Value) else None
        warned = answer.get("warnings") if isinstance(answer, Value) else None
        caught[which] = failure is None or bool(failure.plain) or bool(warned and warned.items)
say("result", **caught)
"""


@dataclass
class Tally:
    """Counts of one group."""

    faults: int = 0
    found: int = 0
    on_target: int = 0
    blamed: int = 0
    missed: list[str] = field(default_factory=list)

    def add(self, fault: Fault, told: list[Finding]) -> str:
        """Count one; a word on how it went."""
        hits = [finding for finding in told if re.search(fault.on_target, finding.check)]
        blamed = any(finding.blame.value == fault.blame.upper() for finding in hits)
        self.faults += 1
        self.found += bool(told)
        self.on_target += bool(hits)
        self.blamed += blamed
        if not told:
            self.missed.append(fault.id)
            return "MISSED"
        return "found" if blamed else "wrong blame" if hits else "off target"


@dataclass
class Measured:
    """What all specimens gave. told: by fault, without notes."""

    groups: dict[str, Tally] = field(default_factory=lambda: defaultdict(Tally))
    kinds: dict[str, Tally] = field(default_factory=lambda: defaultdict(Tally))
    told: list[tuple[Fault, list[Finding]]] = field(default_factory=list)
    good: int = 0
    false: list[str] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    peers: dict[str, int] = field(default_factory=lambda: defaultdict(int))


async def measure(folder: Path, chosen: list[Specimen], peers: bool, without: bool) -> dict[str, object]:
    """Every specimen, one box each."""
    driver, sandbox = await driver_from_environment(LIMITS)
    print(sandbox)
    measured = Measured()
    try:
        for specimen in chosen:
            await _one(driver, folder, specimen, measured, peers)
        kinds_left_out = await left_out(driver, chosen) if without else "NOT MEASURED: see --left-out"
    finally:
        await driver.close()
    _print_kinds(measured.kinds)
    print("\n".join(f"FALSE ALARM {alarm}" for alarm in measured.false))
    every = len(measured.told)
    return {
        "groups": {
            name: {
                "faults": t.faults, "found": t.found, "on_target": t.on_target, "blamed": t.blamed, "missed": t.missed,
            }
            for name, t in measured.groups.items()
        },
        "at_first": _at_first([fault for fault, _ in measured.told]),
        "left_out": kinds_left_out,
        "good": measured.good, "false_alarms": len(measured.false),
        "check_envs": {peer: f"{caught}/{every}" for peer, caught in measured.peers.items()},
        "median_wall_s": round(statistics.median(measured.seconds), 2) if measured.seconds else None,
    }  # fmt: skip


async def _one(driver: SandboxDriver, folder: Path, specimen: Specimen, measured: Measured, peers: bool) -> None:
    report = await Checking(driver).check(specimen.source, None)
    measured.seconds.append(report.wall_s)
    fault, told = specimen.fault, _told(report)
    if fault is None:
        measured.good += 1
        measured.false += [f"{specimen.id}: {line(finding)}" for finding in told]
        print(f"{'FALSE ALARM' if told else 'quiet':12} {specimen.id}", flush=True)
        return
    word = measured.groups[fault.group].add(fault, told)
    measured.kinds[fault.kind].add(fault, told)
    measured.told.append((fault, told))
    print(f"{word:12} {fault.id:32} {'; '.join(map(line, told[:2]))}", flush=True)
    if fault.paired:
        beside = _told(await _paired(driver, folder / fault.paired))
        word = measured.groups["beside a design"].add(replace(fault, blame=fault.paired_blame or fault.blame), beside)
        print(f"{word:12} {fault.id:32} beside its design: {'; '.join(map(line, beside[:2]))}", flush=True)
    if peers:
        for peer, caught in (await _peers(driver, specimen.source)).items():
            measured.peers[peer] += caught


def _told(report: CheckReport) -> list[Finding]:
    return [finding for finding in report.findings if finding.severity is not Severity.NOTE]


def aims_of(faults: Sequence[Fault], checks: Iterable[str]) -> dict[str, list[str]]:
    """By kind, those of the checks that any fault of the kind names as its target."""
    aims: dict[str, set[str]] = defaultdict(set)
    for fault in faults:
        aims[fault.kind] |= {check for check in checks if re.search(fault.on_target, check)}
    return {kind: sorted(aimed) for kind, aimed in aims.items()}


async def left_out(driver: SandboxDriver, chosen: list[Specimen]) -> str:
    """How many faults are still found where the checks that had their kind in view are ignored."""
    faulty = [(specimen, specimen.fault) for specimen in chosen if specimen.fault and specimen.fault.on_target]
    aims = aims_of([fault for _, fault in faulty], CATALOGUE)
    found = 0
    for specimen, fault in faulty:
        told = _told(await Checking(driver).check(specimen.source, None, ignored=aims[fault.kind]))
        found += bool(told)
        word = "found" if told else "MISSED"
        print(f"{word:12} {fault.id:32} left out: {'; '.join(map(line, told[:2]))}", flush=True)
    return f"{found}/{len(faulty)}"


def _at_first(faults: list[Fault]) -> dict[str, dict[str, int]]:
    """By folder, what the first sight of each gave."""
    counts: dict[str, dict[str, int]] = {"fresh": defaultdict(int), "unseen": defaultdict(int)}
    for fault in faults:
        if fault.at_first:
            counts["fresh" if fault.of else "unseen"][fault.at_first] += 1
    return {folder: dict(found) for folder, found in counts.items()}


async def _paired(driver: SandboxDriver, folder: Path) -> CheckReport:
    design = EnvDesign.model_validate_json((folder / "design.json").read_text())
    return await Checking(driver).check((folder / "environment.py").read_text(), design)


async def _peers(driver: SandboxDriver, code: str) -> dict[str, bool]:
    """Whether each check_env fails or warns; one that can't finish counts as having caught it."""
    limits = Limits(wall_s=90.0, memory_mib=LIMITS.memory_mib, processes=LIMITS.processes)
    job = Job(entry="kit.inside.script", payload={"source": PEERS, "code": code}, limits=limits, owner="bench")
    result = (await driver.run(job)).result or {}
    return {"gymnasium": bool(result.get("gymnasium", True)), "sb3": bool(result.get("sb3", True))}


def line(finding: Finding) -> str:
    """A finding in short."""
    return f"{finding.severity.value[0]} {finding.check} {finding.blame.value}"


def _print_kinds(kinds: dict[str, Tally]) -> None:
    print("\nkind          faults  found  on target  right blame")
    for kind, tally in sorted(kinds.items()):
        print(f"{kind:12} {tally.faults:7} {tally.found:6} {tally.on_target:10} {tally.blamed:12}")


def main() -> None:
    assert check  # imported so that all checks are in the catalogue
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, default=FOLDER)
    parser.add_argument("--no-peers", action="store_true", help="leave out both check_envs")
    parser.add_argument("--left-out", action="store_true", help="check each fault again without its kind's checks")
    parser.add_argument("--short", action="store_true", help="one in six")
    asked = parser.parse_args()
    try:
        chosen = list(specimens(asked.folder))[:: SHORT_EVERY if asked.short else 1]
        figures = asyncio.run(measure(asked.folder, chosen, not asked.no_peers, asked.left_out))
    except SandboxUnavailable as problem:
        print(f"NOT MEASURED: {problem}")
        figures = {}
    print(json.dumps({"benchmark": "faults", **figures}))


if __name__ == "__main__":
    main()
