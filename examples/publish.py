"""Copies from a run what is small and worth reading into examples/<name>/, where name is that of the run's design.

    python examples/publish.py RUN_DIR...

What is left out: models, checkpoints, every step's log (they are large; the manifest says how to make them again).
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

EXAMPLES = Path(__file__).parent
FILES = (
    "problem.txt", "report.md", "design.json", "environment.py", "manifest.json", "ladder.json", "results.csv",
    "ladder.png", "reward_curve.png", "components.png",
)  # fmt: skip
MOST_BYTES = 1_000_000


def publish(run: Path) -> Path:
    """The folder it was copied to. Raises SystemExit where the run lacks a file, or one is too large to keep."""
    name = json.loads((run / "design.json").read_text(encoding="utf-8"))["name"]
    target = EXAMPLES / name
    target.mkdir(exist_ok=True)
    for file in FILES:
        source = run / file
        if not source.is_file():
            raise SystemExit(f"{run} has no {file}: is it a finished run?")
        if source.stat().st_size > MOST_BYTES:
            raise SystemExit(f"{source} has {source.stat().st_size:,} bytes: too large for an example.")
        shutil.copyfile(source, target / file)
    return target


def main() -> None:
    for run in sys.argv[1:]:
        publish(Path(run))


if __name__ == "__main__":
    main()
