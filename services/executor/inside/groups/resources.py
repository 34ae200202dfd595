"""Resources: pace, growth, prints, and everything that reaches out of the process."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from kit.contracts.findings import Finding
from kit.inside.candidate import Value
from services.executor.inside.catalogue import define
from services.executor.inside.groups import probing
from services.executor.inside.groups.replaying import actions_for
from services.executor.inside.subject import Subject

ENDURANCE_STEPS = 2400
GROWTH_BYTES = 24 * 2**20

SLOWS_DOWN = define(
    "pace.slows_down",
    proves="The thousandth step is as fast as the first.",
    example="self.log.append(row); mean = np.mean(self.log)",
    remedy="Keep running sums, or clear the history in reset().",
)
GROWS = define(
    "memory.grows",
    proves="Nothing grows from episode to episode.",
    example="self.log.append(row)  # never cleared",
    remedy="Clear it in reset(), or keep only what is needed.",
)
OUTPUT = define(
    "output.prints",
    proves="step() and reset() are silent.",
    example="print('day', self.t)",
    remedy="Delete the prints; put what is worth knowing into info.",
)
FILES = define(
    "io.writes",
    proves="The environment writes no files, starts no processes and uses no network.",
    example="open('log.txt', 'w')",
    remedy="Compute everything in memory; return logs in info.",
)
READS = define(
    "io.reads",
    proves="The environment needs no files.",
    example="np.loadtxt('prices.csv')",
    remedy="Put the data into the module, or generate it from the seed.",
)
SLEEPS = define(
    "io.sleeps",
    proves="The environment never sleeps and starts no threads.",
    example="time.sleep(0.05)",
    remedy="Simulated time needs no real time: delete the call.",
)


def check_notes(subject: Subject) -> Iterator[Finding]:
    """A short episode, and what the candidate's process noted meanwhile."""
    actions = actions_for(subject, "notes", min(40, subject.affordable(200)))
    with subject.start() as candidate:
        candidate.reset(0, seed=2)
        taken = 0
        for action in actions:
            answer = candidate.step(action)
            taken += 1
            if not isinstance(answer, Value) or any(flag.plain is True for flag in answer.items[2:4]):
                break
        noted = candidate.noted()
    rare = tuple(note for note in subject.noted if note.what not in {known.what for known in noted})
    for note in (*noted, *rare):
        at = f"in {note.phase}(), line {note.line}" if note.phase else ""
        if note.what == "prints" and note.times > 0 and note.phase in ("reset", "step"):
            each = f"about {note.times / (taken + 1):.0f} bytes a step" if note in noted else "now and then"
            yield OUTPUT.warning(f"the environment prints {each}: {note.sample!r}", line=_print(subject))
        elif note.what in ("sleeps", "starts a thread"):
            yield SLEEPS.warning(f"the environment {note.what} {at}", line=note.line, evidence=f"{note.times} times")
        elif note.what == "reads a file":
            yield READS.warning(f"the environment {note.what} {at}", line=note.line)
        elif note.what and note.what != "prints":
            yield FILES.error(f"the environment {note.what} {at}", line=note.line, evidence=f"{note.times} times")


def _print(subject: Subject) -> int | None:
    nodes = ast.walk(subject.tree) if subject.tree else ()
    lines = [
        n.lineno for n in nodes if isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.func.id == "print"
    ]
    return min(lines, default=None)


def check_pace(subject: Subject) -> Iterator[Finding]:
    """How long a step takes, over many; CPU time, so that a busy machine does no harm."""
    actions = actions_for(subject, "pace", 64)
    with subject.start() as candidate:
        answer = candidate.probe(
            f"{probing.__name__}.endurance", env=0, seconds=4.0,
            seed=9, actions=actions, steps=subject.affordable(ENDURANCE_STEPS), budget_s=1.5,
        )  # fmt: skip
    if not isinstance(answer, Value):
        return
    quarters, grown, steps = answer.get("quarters"), answer.get("grown"), answer.get("steps")
    times = [float(item.plain) for item in quarters.items] if quarters else []  # type: ignore[arg-type]
    if len(times) == 4 and times[3] > 3 * times[0] and times[3] - times[0] > 5e-6 and times[2] > 1.8 * times[0]:
        yield SLOWS_DOWN.warning(
            f"steps become slower: {times[0] * 1e6:.0f} us at first, {times[3] * 1e6:.0f} us after {steps} steps",
            line=subject.line_of("step"),
        )
    resident, taken = answer.get("resident"), steps.plain if steps else 0
    if resident is not None and isinstance(resident.plain, int) and isinstance(taken, int) and taken > 500:
        each = resident.plain / taken
        if resident.plain > GROWTH_BYTES and each > 4096:
            yield GROWS.warning(
                f"memory grows by {each / 1024:.0f} KiB a step, {resident.plain >> 20} MiB in {taken} steps"
            )
            return
    for name, size in grown.entries if grown else ():
        yield GROWS.warning(f"{name} has {size.plain} entries after {steps} steps, and reset() does not clear it")
