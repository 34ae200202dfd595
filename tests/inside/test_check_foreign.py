"""Without a design: each fault planted in somebody's environment is found under the right check."""

from __future__ import annotations

import pytest

from tests.inside.checked import checked, told
from tests.inside.foreign import FAULTS


@pytest.mark.parametrize(
    ("source", "old", "new", "check"), FAULTS, ids=[f"{fault[3]}-{i}" for i, fault in enumerate(FAULTS)]
)
def test_a_planted_fault_is_found(source, old, new, check, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert old in source
    report = checked(source.replace(old, new, 1))
    found = [finding for finding in report.findings if finding.check == check and finding.severity != "NOTE"]
    assert found, told(report)
