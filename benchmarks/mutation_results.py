"""What became of each mutant: kept line by line, so that a run of hours may be interrupted, and summed up."""

from __future__ import annotations

import hashlib
import json
import math
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

Z = 1.96  # of a 95 % interval
GAPS = {
    "words": "gap: nothing checked says this of the start",
    "formulas": "gap: no check tells it from the good code",
}


@dataclass(frozen=True)
class Outcome:
    """killer: the check whose error killed it; None where it survives. where: problem, line and slip."""

    group: str
    kind: str
    where: str
    killer: str | None

    @property
    def killed(self) -> bool:
        return self.killer is not None


class Results:
    """Outcomes by the mutant's source and its design's digest. path: JSON lines; None keeps nothing."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._known: dict[str, Outcome] = {}
        if path is not None and path.exists():
            for line in path.read_text().splitlines():
                with suppress(json.JSONDecodeError):  # a run that was killed may have left half a line
                    entry = json.loads(line)
                    key = entry.pop("key")
                    self._known[key] = Outcome(**entry)

    def known(self, source: str, digest: str) -> Outcome | None:
        return self._known.get(_key(source, digest))

    def add(self, source: str, digest: str, outcome: Outcome) -> None:
        key = _key(source, digest)
        self._known[key] = outcome
        if self._path is not None:
            with self._path.open("a") as file:
                file.write("\n" + json.dumps({"key": key, **asdict(outcome)}))  # never on a torn line


def summary(outcomes: list[Outcome], equivalent: dict[str, str]) -> dict[str, object]:
    """The share that was killed of those that differ, its 95 % interval, and each survivor with what let it live.

    equivalent: by `where`, why a mutant is the good code in other words.
    """
    killed = sum(outcome.killed for outcome in outcomes)
    survivors = [outcome for outcome in outcomes if not outcome.killed]
    differing = len(outcomes) - sum(one.where in equivalent for one in survivors)
    return {
        "mutants": len(outcomes),
        "equivalent": len(outcomes) - differing,
        "killed": killed,
        "share": round(killed / differing, 3) if differing else 0.0,
        "interval": [round(end, 3) for end in wilson(killed, differing)],
        "survivors": [f"{one.where} ({equivalent.get(one.where, GAPS[one.group])})" for one in survivors],
    }


def wilson(successes: int, trials: int) -> tuple[float, float]:
    """Wilson's score interval for a share, at 95 %; (0, 1) where nothing was tried."""
    if not trials:
        return 0.0, 1.0
    share = successes / trials
    centre = (share + Z**2 / (2 * trials)) / (1 + Z**2 / trials)
    half = Z / (1 + Z**2 / trials) * math.sqrt(share * (1 - share) / trials + Z**2 / (4 * trials**2))
    return max(0.0, centre - half), min(1.0, centre + half)


def _key(source: str, digest: str) -> str:
    return hashlib.sha256(f"{digest}\n{source}".encode()).hexdigest()[:24]
