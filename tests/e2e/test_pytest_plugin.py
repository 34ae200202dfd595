"""`pytest --gymwright` and the fixture check_environment, as an engineer's own project runs them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.test_check_command import BOXES, LOCAL, ROOT, WARD

pytestmark = [
    pytest.mark.sandbox,
    pytest.mark.skipif(not BOXES.exists(), reason="no local boxes here: make sandbox-venv"),
]

TEST = """
from ward_env import Ward


def test_the_ward_passes(check_environment):
    check_environment(Ward)
"""


def run_pytest(project: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A pytest of its own, with no plugin but this one."""
    environment = {**os.environ, **LOCAL, "PYTHONPATH": f"{ROOT}:{project}", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "gymwright.pytest_plugin", "-p", "no:cacheprovider"]
    return subprocess.run([*command, *arguments], cwd=project, env=environment, capture_output=True, text=True)


@pytest.fixture
def project(tmp_path):
    (tmp_path / "pytest.ini").write_text("[pytest]\ngymwright_files = *_env.py\n")
    (tmp_path / "ward_env.py").write_text(WARD.replace("HIGHEST", "1.0"))
    return tmp_path


def test_a_good_environment_passes_and_a_bad_one_fails_with_its_remedy(project):
    (project / "leaky_env.py").write_text(WARD.replace("HIGHEST", "2.0"))
    done = run_pytest(project, "--gymwright")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "1 failed, 1 passed" in done.stdout
    assert "ERROR observation.bounds" in done.stdout
    assert "to mend it: Clip, wrap or rescale" in done.stdout


def test_an_environment_can_be_checked_in_a_test_of_ones_own(project):
    (project / "ward_env.py").write_text("class Ward:\n    pass\n")
    (project / "test_ward.py").write_text(TEST)
    done = run_pytest(project, "test_ward.py")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "EnvironmentFailed" in done.stdout
    assert "code.class" in done.stdout


def test_a_check_can_be_left_out_by_the_projects_settings(project):
    (project / "pytest.ini").write_text("[pytest]\ngymwright_files = *_env.py\ngymwright_ignore = observation.bounds\n")
    (project / "ward_env.py").write_text(WARD.replace("HIGHEST", "2.0"))
    done = run_pytest(project, "--gymwright")
    assert (done.returncode, "1 passed" in done.stdout) == (0, True), done.stdout + done.stderr


def test_without_the_option_nothing_is_checked(project):
    done = run_pytest(project, "--co")
    assert "no tests collected" in done.stdout
