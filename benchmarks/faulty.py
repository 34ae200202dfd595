"""The collection of faults that benchmarks.faults measures: modules of their own, and edits of good modules."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

FOLDER = Path(__file__).parent / "faults"


@dataclass(frozen=True)
class Fault:
    """One line of faults.jsonl or variants.jsonl. on_target is empty where the folder does not say.

    paired: a folder with the same fault beside a design. paired_blame: where that differs, since the design is right.
    of, changes: of a variant, the good module and what is replaced in it. at_first: what became of it before any check
    was written or changed for it.
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
    of: str = ""
    at_first: str = ""
    changes: tuple[tuple[str, str], ...] = ()

    @property
    def group(self) -> str:
        """Faults of the code; of the design, seen in the module; of the design, seen by who knows what was meant."""
        group = "needs the intent" if self.needs == "intent" else "design" if self.expected == "design" else "code"
        return f"fresh, {group}" if self.of else f"unseen, {group}" if self.at_first else group


@dataclass(frozen=True)
class Specimen:
    """A module to check, and what is wrong with it; None where nothing is."""

    id: str
    source: str
    fault: Fault | None


def specimens(folder: Path) -> Iterator[Specimen]:
    """The folder's modules, then its variants: each is a good module in which every change was made once.

    Then those that were written without knowledge of the checks.
    """
    known = _faults(folder)
    for file in sorted(folder.glob("*.py")):
        yield Specimen(file.stem, file.read_text(), known.get(file.stem))
    for file in sorted(folder.glob("fresh/*.py")):
        yield Specimen(file.stem, file.read_text(), None)
    for fault in _read(folder / "fresh" / "variants.jsonl"):
        yield Specimen(fault.id, _changed(folder / "fresh" / f"{fault.of}.py", fault), fault)
    unseen = {fault.id: fault for fault in _read(folder / "unseen" / "faults.jsonl")}
    for file in sorted(folder.glob("unseen/*.py")):
        yield Specimen(file.stem, file.read_text(), unseen.get(file.stem))


def _changed(file: Path, fault: Fault) -> str:
    source = file.read_text()
    for old, new in fault.changes:
        if source.count(old) != 1:
            raise ValueError(f"{fault.id}: {old!r} stands {source.count(old)} times in {file.name}, expected once")
        source = source.replace(old, new)
    return source


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
        Fault(
            **{name: row[name] for name in names if name in row} | {"report": row.get("report", row.get("source", ""))}
        )
        for row in rows
    ]
