"""A whole run by each vendor's API: a design, its environment, a repair, training and report, in the real house."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kit.library import worked_problems
from kit.prose import fenced
from services.coder.scripts import read_drafts
from tests.integration.terminals import piped
from tests.integration.vendors import Turn, Vendors, vendors

ROOT = Path(__file__).resolve().parents[2]
BOXES = ROOT / ".sandbox-venv" / "bin" / "python"
WARD = next(problem for problem in worked_problems() if problem.name == "hospital_shifts")
KEY = "sk-marker-2209-secret"
# A draft that shows all it can find of its surroundings, in the one place where users will see it.
SNOOP = """
        import os, pathlib
        found = [*os.environ.items(), *(p.read_bytes() for p in pathlib.Path("/proc").glob("[0-9]*/environ"))]
        raise ValueError(f"could not start: {found}")
"""

pytestmark = [
    pytest.mark.sandbox,
    pytest.mark.skipif(not BOXES.exists(), reason="no local boxes here: make sandbox-venv"),
    pytest.mark.timeout(300),
]


def faulty() -> str:
    """The first of the prepared faulty drafts: its reset() raises."""
    (answer, *_) = read_drafts(ROOT / "examples" / "repair")["draft_0"]
    return answer


def files_of(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def turns() -> list[Turn]:
    """What a model would answer: a design, a faulty draft, then the environment with its twin, shown what failed."""
    design = json.dumps({"kind": "DESIGN", "design": WARD.design.model_dump(mode="json")})
    return [Turn(design), Turn(faulty()), Turn(f"{fenced(WARD.source, 'python')}\n\n{fenced(WARD.twin, 'python')}")]


def environment(api: str, house: Vendors) -> dict[str, str]:
    """As a user sets it."""
    boxes = {"GYMWRIGHT_SANDBOX_DRIVER": "local", "GYMWRIGHT_SANDBOX_PYTHON": str(BOXES)}
    prices = {"GYMWRIGHT_MODEL_PRICE_INPUT": "1", "GYMWRIGHT_MODEL_PRICE_OUTPUT": "10"}
    if api == "anthropic":
        return boxes | prices | {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": house.url}
    keys = {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": f"{house.url}/v1", "GYMWRIGHT_MODEL_NAME": "some-model"}
    return boxes | prices | keys


@pytest.mark.parametrize("api", ["anthropic", "openai"])
async def test_a_run_by_a_vendors_api_repairs_trains_reports_and_says_what_it_cost(api: str, tmp_path: Path) -> None:
    async with vendors(*turns()) as house:
        asked = ("run", "--local", "--json", "--total-timesteps", "50000", "Staff our ward")
        ended = await piped(*asked, cwd=tmp_path, **environment(api, house))
    assert ended.code == 0, ended.err + ended.out[-2000:]
    events = [json.loads(line) for line in ended.out.splitlines() if line.startswith("{")]
    (folder,) = (tmp_path / "runs").iterdir()
    report = (folder / "report.md").read_text()
    used = [event["used"] for event in events if "used" in event]
    assert [one["purpose"] for one in used] == ["design", "code", "repair"]
    assert used[0]["cost_usd"] == pytest.approx((15 * 1 + 7 * 10) / 1e6)
    assert WARD.source in "".join(e["text_written"]["text"] for e in events if "text_written" in e)
    assert "| **all** |  | 45 |  | 21 | 0.0003 |" in report  # three calls of 85 millionths each
    kept = json.loads((folder / "manifest.json").read_text())["usages"]
    assert [(one["purpose"], one["cost_usd"]) for one in kept] == [(one["purpose"], one["cost_usd"]) for one in used]
    assert "equal to the scalar environment on 2,000 episodes" in report
    assert (folder / "twin.py").read_text() == WARD.twin
    assert {"model.zip", "policy.onnx"} <= {path.name for path in folder.iterdir()}


async def test_the_key_reaches_no_box_event_log_or_artifact(tmp_path: Path) -> None:
    snooping = WARD.source.replace(
        "        super().reset(seed=seed)\n", f"        super().reset(seed=seed)\n{SNOOP}", 1
    )
    assert SNOOP in snooping
    answers = [turns()[0], Turn(fenced(snooping, "python")), *turns()[2:]]
    async with vendors(*answers) as house:
        asked = ("run", "--local", "--json", "--total-timesteps", "2048", "Staff our ward")
        ended = await piped(*asked, cwd=tmp_path, **environment("anthropic", house))
    assert ended.code == 0, ended.err
    assert "could not start" in ended.out
    assert KEY not in ended.out + ended.err + str([body for _, body in house.requests])
    left = files_of(tmp_path)
    assert len(left) > 20
    assert [path for path in left if KEY.encode() in path.read_bytes()] == []


async def test_a_run_stops_cleanly_at_its_ceiling(tmp_path: Path) -> None:
    async with vendors(*turns()) as house:
        asked = ("run", "--local", "--json", "--max-cost", "0.0001", "Staff our ward")
        ended = await piped(*asked, cwd=tmp_path, **environment("anthropic", house))
    assert ended.code == 1
    last = json.loads(ended.out.splitlines()[-1])
    assert last["state"].endswith("FAILED")
    assert "--max-cost" in last["ended"]["reason"] or "max_cost_usd" in last["ended"]["reason"]
    assert len(house.requests) == 2
