"""How many problems are designed, coded and pass their checks at the first try and after each fix, by a real model.

Runs every problem of a folder (*.md, one problem each, or *.jsonl with a `problem` on each line) through the product
with whatever model is configured (docs/models.md). Without one it prints NOT MEASURED.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from kit.llm import choose_model, read_model_settings

TIMESTEPS = 2_000  # what is measured ends with the check
DEADLINE_S = 3_600


@dataclass
class Outcome:
    """asked, advised: it ended with a question, or with the advice to use another tool. designed: and linted.

    passed_after: the number of fixes with which the check passed; None where it never did.
    """

    asked: bool = False
    advised: bool = False
    designed: bool = False
    coded: bool = False
    passed_after: int | None = None
    tokens: int = 0
    usd: float = 0.0


def outcome(lines: Iterable[str]) -> Outcome:
    """Read from a run's events, one JSON object a line."""
    found, fix = Outcome(), 0
    for line in lines:
        event = json.loads(line)
        if used := event.get("used"):
            found.tokens += int(used.get("input_tokens", 0)) + int(used.get("output_tokens", 0))
            found.usd += float(used.get("cost_usd", 0))
        found.asked |= bool(event.get("question"))
        found.advised |= str(event.get("state")).endswith("ADVISED")
        found.designed |= "design_written" in event
        if "code_written" in event:
            found.coded, fix = True, int(event["code_written"].get("fix", 0))
        if "checked" in event and found.passed_after is None:
            severities = [str(finding.get("severity")) for finding in event["checked"].get("findings", [])]
            if not any(severity.endswith("ERROR") for severity in severities):
                found.passed_after = fix
    return found


def problems(folder: Path) -> Iterator[str]:
    for path in sorted(folder.iterdir()):
        if path.suffix == ".md" and path.stem != "README":
            yield path.read_text(encoding="utf-8")
        elif path.suffix == ".jsonl":
            yield from (json.loads(line)["problem"] for line in path.read_text(encoding="utf-8").splitlines() if line)


def run(problem: str) -> Outcome:
    command = [str(Path(sys.executable).parent / "gymwright"), "run", "--local", "--json"]
    ran = subprocess.run(
        [*command, "--no-wait", "--total-timesteps", str(TIMESTEPS), "--", problem],
        capture_output=True,
        text=True,
        timeout=DEADLINE_S,
    )
    return outcome(line for line in ran.stdout.splitlines() if line.startswith("{"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--short", action="store_true", help="the first three problems")
    asked = parser.parse_args()
    model = choose_model(read_model_settings())
    if model is None or asked.folder is None:
        print("NOT MEASURED: " + ("no language model is set" if model is None else "no folder of problems is named"))
        print(json.dumps({"benchmark": "first_try", "problems": 0}))
        return
    texts = list(problems(asked.folder))[: 3 if asked.short else None]
    found = [run(text) for text in texts]
    after = [item.passed_after for item in found]
    figures = {
        "problems": len(found),
        "model": model.name,
        "asked": sum(item.asked for item in found),
        "advised": sum(item.advised for item in found),
        "designed": sum(item.designed for item in found),
        "coded": sum(item.coded for item in found),
        "passed_first": after.count(0),
        "passed_after_1_fix": after.count(0) + after.count(1),
        "passed_after_2_fixes": sum(fixes is not None for fixes in after),
        "tokens": sum(item.tokens for item in found),
        "usd": round(sum(item.usd for item in found), 4),
    }
    for name in ("asked", "advised", "designed", "coded", "passed_first", "passed_after_1_fix", "passed_after_2_fixes"):
        print(f"{name}: {figures[name]} of {len(found)}")
    print(json.dumps({"benchmark": "first_try", **figures}))


if __name__ == "__main__":
    main()
