"""`python -m services.executor.catalogue_page [--check]`: writes docs/checks.md from the checks themselves."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from services.executor import ends
from services.executor.inside import check
from services.executor.inside.catalogue import CATALOGUE, Check

PAGE = Path(__file__).parents[2] / "docs" / "checks.md"
HEAD = """# The checks

What the executor looks for, by the id that a finding carries. An ERROR fails the environment, a WARNING does not, a
NOTE teaches. Blame says who can fix it: CODE goes to the coder, DESIGN to the designer.

The judge never imports the candidate: it starts it in a process of its own, asks over a typed pipe, and computes what
the design says itself. What a candidate fabricates consistently, state and all, it can't see; the laws, the
expectations and the probes are what is left against that.

A module that changes what is not its own (code.patches), or looks at who runs it or takes hold of the interpreter
(code.looks_around), is refused whatever else it does. Nothing of ours is in sys.modules, on the path, in argv or in the
environment while its code runs; what counts on over resets is tried with large numbers, and time with a hurried clock.

The same file and `--seed` give the same findings. Time in which the candidate wanted a processor and got none is not
held against it (the kernel's own account decides); a check that could not be finished for that reason is no verdict:
exit code 3, or UNAVAILABLE from the service, to be tried again.

## In your own project

```console
$ gymwright check my_env.py            # or my_env.py:MyEnv; exit code 0: no error, 1: some, 3: could not check
$ gymwright check my_env.py --ignore 'reward.*' --ignore space.action_scale    # without these
$ pytest --gymwright my_env.py         # one test a file; --gymwright-strict lets warnings fail, too
```

`pytest --gymwright` without a file checks what `gymwright_files` in pytest.ini matches, such as `*_env.py`, beside your
other tests; `gymwright_ignore` there names checks to leave out. In a test of your own, take the fixture:

```python
def test_my_environment_holds_its_contract(check_environment):
    check_environment(MyEnv)           # or "envs/my_env.py:MyEnv"
```

Both run the file by itself in a box, so it must not import other files of your project. The plugin is installed with
the package; for git, `.pre-commit-hooks.yaml` has the hook `gymwright-check`.

## How good it is

| `python -m benchmarks.faults`, by group | faults | found | on target |
| --- | --- | --- | --- |
| of public reports, of the code | 61 | 61 | 61 |
| of public reports, of the design | 3 | 3 | 3 |
| of public reports, that need the intent: alone, beside a design | 4 | 0, 4 | 0, 4 |
| edits of good modules, of the code | 143 | 143 | 142 |
| edits of good modules, of the design; that need the intent | 9; 2 | 8; 0 | 8; 0 |
| by an author who had not seen the checks, of the code | 44 | 41 | 41 |
| by that author, of the design; that need the intent | 2; 2 | 2; 0 | 2; 0 |

None of 58 good modules gets an error or a warning. All of these have been looked at since: the estimate for faults that
nobody had in view is the first sight, before any check was written for them, of the last author's 48: 33 found on
target, 2 by another check, 13 missed (of the edits 113 of 154 on target, 15 by another). Without all the checks that
any fault of its kind names, 12 of 44 are still found (`--left-out --short`).

A check of a worked problem takes 1.9 to 5.2 s of CPU, 3.3 in the middle (`python -m benchmarks.check`). Of mutants of
worked problems' good code, 46 of 46 of the starting state and 165 of 167 of the rest are killed, 14 of all 227 left
aside as the good code in other words (`python -m benchmarks.mutants`; `mutants_equivalent.json` says why of each).

## The catalogue

This page is written by `python -m services.executor.catalogue_page`.
"""


def page() -> str:
    """The whole page, ids in order."""
    assert check and ends  # imported so that their checks are in the catalogue
    return "\n".join([HEAD, *(line for id in sorted(CATALOGUE) for line in _section(CATALOGUE[id]))])


def _section(entry: Check) -> Iterator[str]:
    yield f"### {entry.id}"
    yield ""
    yield f"{entry.proves} Blame: {entry.blame.value}."
    yield ""
    yield "Fails:"
    yield ""
    yield "```python"
    yield entry.example
    yield "```"
    yield ""
    yield f"Remedy: {entry.remedy}"
    yield ""


def main() -> int:
    written = page()
    if "--check" in sys.argv[1:]:
        if not PAGE.exists() or PAGE.read_text() != written:
            sys.stderr.write(f"{PAGE.name} is stale: run python -m services.executor.catalogue_page\n")
            return 1
        return 0
    PAGE.write_text(written)
    return 0


if __name__ == "__main__":
    sys.exit(main())
