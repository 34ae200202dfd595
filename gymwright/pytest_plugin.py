"""Gymwright in your own tests: `pytest --gymwright my_env.py`, or the fixture `check_environment`.

Every environment is checked as `gymwright check` checks it: in a box, from its source alone. A finding that is an
error fails the test; with --gymwright-strict a warning does, too.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterator, Sequence
from fnmatch import fnmatch
from pathlib import Path

import pytest

OPTION = "gymwright"
STRICT = "gymwright_strict"
FILES = "gymwright_files"
IGNORE = "gymwright_ignore"
Check = Callable[[type | str | Path], None]


class EnvironmentFailed(AssertionError):
    """The environment has findings that fail it; the message holds each with its remedy."""


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("gymwright", "checking Gymnasium environments")
    group.addoption(
        "--gymwright",
        action="store_true",
        dest=OPTION,
        help="check the files given, and those that gymwright_files matches, as environments",
    )
    group.addoption("--gymwright-strict", action="store_true", dest=STRICT, help="let a warning fail, too")
    parser.addini(FILES, "patterns of the files that hold one environment each", "args", default=[])
    parser.addini(IGNORE, "checks to leave out, by their ids or patterns such as reward.*", "args", default=[])


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> EnvironmentFile | None:
    """One test for each environment file."""
    return EnvironmentFile.from_parent(parent, path=file_path) if _is_environment(file_path, parent) else None


@pytest.hookimpl(tryfirst=True)
def pytest_pycollect_makemodule(module_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """An environment file is no test module: it is not imported here."""
    return _Nothing.from_parent(parent, path=module_path) if _is_environment(module_path, parent) else None


@pytest.fixture
def check_environment(request: pytest.FixtureRequest) -> Check:
    """A function that fails the test if the environment has errors: of a class, "FILE", "FILE:CLASS", or a path."""
    strict, ignore = bool(request.config.getoption(STRICT)), request.config.getini(IGNORE)

    def check(environment: type | str | Path) -> None:
        assert_passes(environment, strict=strict, ignore=ignore)

    return check


def assert_passes(environment: type | str | Path, *, strict: bool = False, ignore: Sequence[str] = ()) -> None:
    """EnvironmentFailed if it has errors, or warnings where strict; GymwrightError if it could not be checked."""
    from gymwright.cli.checking import run_checks, split_target

    if isinstance(environment, type):
        file, name = Path(inspect.getsourcefile(environment) or ""), environment.__name__
    else:
        file, name = split_target(str(environment))
    report = json.loads(run_checks(str(file), class_name=name, ignore=ignore).output)
    failing = ("ERROR", "WARNING") if strict else ("ERROR",)
    found = [finding for finding in report["findings"] if finding["severity"] in failing]
    if found:
        raise EnvironmentFailed("\n\n".join([f"{file} fails {len(found)} of Gymwright's checks.", *map(_told, found)]))


def _told(finding: dict[str, object]) -> str:
    line = f", line {finding['line']}" if finding.get("line") is not None else ""
    parts = [f"{finding['severity']} {finding['check']}{line}: {finding['message']}"]
    parts += [f"  seen at: {finding['evidence']}"] if finding.get("evidence") else []
    parts += [f"  to mend it: {finding['remedy']}"] if finding.get("remedy") else []
    return "\n".join(parts)


def _is_environment(file: Path, parent: pytest.Collector) -> bool:
    if not parent.config.getoption(OPTION) or file.suffix != ".py":
        return False
    patterns = parent.config.getini(FILES)
    if any(fnmatch(file.name, str(pattern)) for pattern in patterns):
        return True
    tests = parent.config.getini("python_files")
    return parent.session.isinitpath(file) and not any(fnmatch(file.name, str(pattern)) for pattern in tests)


class _Nothing(pytest.File):
    def collect(self) -> Iterator[pytest.Item]:
        return iter(())


class EnvironmentFile(pytest.File):
    """A file that holds one environment."""

    def collect(self) -> Iterator[EnvironmentItem]:
        yield EnvironmentItem.from_parent(self, name=OPTION)


class EnvironmentItem(pytest.Item):
    """Its check."""

    def runtest(self) -> None:
        assert_passes(self.path, strict=bool(self.config.getoption(STRICT)), ignore=self.config.getini(IGNORE))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: None = None) -> str:  # type: ignore[override]
        """What was found, without our own traceback."""
        return str(excinfo.value)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        return self.path, None, f"gymwright check {self.path.name}"
