"""Copies from a run what is small and worth reading into examples/<name>/, and lists all examples in README.md.

    python examples/publish.py RUN_DIR...

The name is that of the run's design; all figures of its report come along. What is left out: models, checkpoints,
every step's log (they are large; the manifest says how to make them again).
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

EXAMPLES = Path(__file__).parent
FILES = (
    "problem.txt", "report.md", "design.json", "environment.py", "manifest.json", "ladder.json", "training.json",
    "results.csv",
)  # fmt: skip
MOST_BYTES = 1_000_000
HEADS = ("example", "action", "training", "metric", "trained", "best of the others", "verdict")
LIST_BEGINS = "<!-- written by examples/publish.py -->\n"


def publish(run: Path) -> Path:
    """The folder it was copied to. Raises SystemExit where the run lacks a file, or one is too large to keep."""
    target = EXAMPLES / _read(run / "design.json")["name"]
    target.mkdir(exist_ok=True)
    figures = sorted(path.name for path in run.glob("*.png"))
    for file in (*FILES, *figures):
        source = run / file
        if not source.is_file():
            raise SystemExit(f"{run} has no {file}: is it a finished run?")
        if source.stat().st_size > MOST_BYTES:
            raise SystemExit(f"{source} has {source.stat().st_size:,} bytes: too large for an example.")
        shutil.copyfile(source, target / file)
    return target


def row(example: Path) -> str:
    """The example's line in the list: what its own files say, rounded."""
    design, training = _read(example / "design.json"), _read(example / "training.json")
    ladder, verdict = _read(example / "ladder.json")["rows"], _read(example / "manifest.json")["verdict"]
    metric = design["metrics"][0]
    means = {
        rung["policy"]: (
            rung["kind"],
            next(m["interval"]["mean"] for m in rung["metrics"] if m["name"] == metric["name"]),
        )
        for rung in ladder
    }
    trained = next(value for kind, value in means.values() if kind == "TRAINED")
    others = {
        name: value for name, (kind, value) in means.items() if kind in ("BASELINE", "IDLE", "RANDOM", "CONSTANT")
    }
    best = (max if metric["direction"] == "HIGHER" else min)(others, key=lambda name: others[name])
    report, cpu_s = training["report"], training["cpu_s"]["training"]
    cells = (
        f"[{example.name}]({example.name}/report.md)",
        design["action"]["kind"].replace("_", " ").lower(),
        f"{report['algorithm']}, {report['total_timesteps']:,} steps, {cpu_s:.0f} s of CPU",
        f"{metric['name']}, {metric.get('unit', '1')}, {metric['direction'].lower()} is better",
        _number(trained),
        f"{_number(others[best])} ({best})",
        verdict.replace("_", " "),
    )
    return "| " + " | ".join(cells) + " |"


def list_examples() -> None:
    """Rewrites the table at the end of README.md."""
    page = EXAMPLES / "README.md"
    before, mark, _ = page.read_text(encoding="utf-8").partition(LIST_BEGINS)
    examples = sorted(path.parent for path in EXAMPLES.glob("*/manifest.json"))
    heads = ["| " + " | ".join(HEADS) + " |", "| " + " | ".join("---" for _ in HEADS) + " |"]
    page.write_text(before + mark + "\n".join([*heads, *map(row, examples)]) + "\n", encoding="utf-8")


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def _read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def main() -> None:
    for run in sys.argv[1:]:
        publish(Path(run))
    list_examples()


if __name__ == "__main__":
    main()
