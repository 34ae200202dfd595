"""The checker over a folder of faulty and good environments, beside both check_envs.

    python -m benchmarks.faults [--folder benchmarks/faults] [--short]

The folder holds modules with one environment each, and faults.jsonl says what is wrong with which: id, fault, kind,
expected (error, warning, training, design), blame, on_target (a pattern of check ids). A module that it doesn't name
is good. Where it names a folder as `paired`, the fault is looked for again beside the design.json in there.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import statistics
from collections import defaultdict
from dataclasses import dataclass, field, replace
from pathlib import Path

from gymwright.errors import SandboxUnavailable
from kit.contracts.design import EnvDesign
from kit.contracts.findings import CheckReport, Finding, Severity
from kit.sandbox.driver import SandboxDriver
from kit.sandbox.jobs import Job, Limits
from kit.sandbox.settings import driver_from_environment
from services.executor.checking import LIMITS, Checking

FOLDER = Path(__file__).parent / "faults"
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


@dataclass(frozen=True)
class Fault:
    """One line of faults.jsonl. on_target is empty where the folder does not say.

    paired: a folder with the same fault beside a design. paired_blame: where that differs, since the design is right.
    """

    id: str
    fault: str
    kind: str
    expected: str
    blame: str
    on_target: str = ""
    needs: str = ""
    paired: str = ""
    paired_blame: str = ""
    report: str = ""

    @property
    def group(self) -> str:
        """Faults of the code; of the design, seen in the module; of the design, seen by who knows what was meant."""
        return "needs the intent" if self.needs == "intent" else "design" if self.expected == "design" else "code"


@dataclass
class Tally:
    """Counts of one group."""

    faults: int = 0
    found: int = 0
    on_target: int = 0
    blamed: int = 0
    missed: list[str] = field(default_factory=list)

    def add(self, fault: Fault, report: CheckReport) -> str:
        """Count one; a word on how it went."""
        told = [finding for finding in report.findings if finding.severity is not Severity.NOTE]
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


async def measure(folder: Path, files: list[Path]) -> dict[str, object]:
    """Every one of the folder's modules, one box each."""
    known = _faults(folder)
    driver, sandbox = await driver_from_environment(LIMITS)
    print(sandbox)
    groups: dict[str, Tally] = defaultdict(Tally)
    kinds: dict[str, Tally] = defaultdict(Tally)
    peers: dict[str, int] = defaultdict(int)
    false: list[str] = []
    seconds: list[float] = []
    good = 0
    try:
        for file in files:
            code = file.read_text()
            report = await Checking(driver).check(code, None)
            seconds.append(report.wall_s)
            fault = known.get(file.stem)
            if fault is None:
                good += 1
                told = [finding for finding in report.findings if finding.severity is not Severity.NOTE]
                false += [f"{file.stem}: {line(finding)}" for finding in told]
                print(f"{'FALSE ALARM' if told else 'quiet':12} {file.stem}", flush=True)
                continue
            word = groups[fault.group].add(fault, report)
            kinds[fault.kind].add(fault, report)
            told = [finding for finding in report.findings if finding.severity is not Severity.NOTE]
            print(f"{word:12} {fault.id:32} {'; '.join(map(line, told[:2]))}", flush=True)
            if fault.paired:
                beside = await _paired(driver, folder / fault.paired)
                word = groups["beside a design"].add(replace(fault, blame=fault.paired_blame or fault.blame), beside)
                told = [finding for finding in beside.findings if finding.severity is not Severity.NOTE]
                print(f"{word:12} {fault.id:32} beside its design: {'; '.join(map(line, told[:2]))}", flush=True)
            for peer, caught in (await _peers(driver, code)).items():
                peers[peer] += caught
    finally:
        await driver.close()
    _print_kinds(kinds)
    print("\n".join(f"FALSE ALARM {alarm}" for alarm in false))
    shares: dict[str, object] = {
        name: {
            "faults": t.faults, "found": t.found, "on_target": t.on_target, "blamed": t.blamed, "missed": t.missed,
        }
        for name, t in groups.items()
    }  # fmt: skip
    every = sum(t.faults for t in kinds.values())
    return {
        "groups": shares, "good": good, "false_alarms": len(false),
        "check_envs": {peer: f"{caught}/{every}" for peer, caught in peers.items()},
        "median_wall_s": round(statistics.median(seconds), 2) if seconds else None,
    }  # fmt: skip


def _faults(folder: Path) -> dict[str, Fault]:
    """By module; what another folder leaves out about a public report is taken from ours."""
    ours = {fault.report: fault for fault in _read(FOLDER / "faults.jsonl")}
    found = {}
    for fault in _read(folder / "faults.jsonl"):
        same = ours.get(fault.report)
        if same is not None:
            fault = replace(fault, on_target=fault.on_target or same.on_target, needs=fault.needs or same.needs)
        found[fault.id] = fault
    return found


def _read(file: Path) -> list[Fault]:
    if not file.exists():
        return []
    names = Fault.__dataclass_fields__
    rows = [json.loads(row) for row in file.read_text().splitlines() if row.strip()]
    return [
        Fault(**{name: row[name] for name in names if name in row} | {"report": row.get("report", row.get("source"))})
        for row in rows
    ]


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
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, default=FOLDER)
    parser.add_argument("--short", action="store_true", help="one in six")
    asked = parser.parse_args()
    try:
        files = sorted(asked.folder.glob("*.py"))
        figures = asyncio.run(measure(asked.folder, files[:: SHORT_EVERY if asked.short else 1]))
    except SandboxUnavailable as problem:
        print(f"NOT MEASURED: {problem}")
        figures = {}
    print(json.dumps({"benchmark": "faults", **figures}))


if __name__ == "__main__":
    main()
