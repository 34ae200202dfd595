"""HTTP where a run waits for its user, where an environment is checked, and where the gateway itself is in trouble."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import sqlalchemy as sa

from gateway.http import http_listening
from gateway.opening import opened
from gymwright.errors import RequestWrong, SandboxUnavailable
from kit.contracts.findings import CheckReport
from tests.integration.agents import Gate, Script, agents, error
from tests.integration.gateways import parts
from tests.integration.test_http import RUN, Http, finished, first_artifact
from tests.unit.designs import kiosk


@asynccontextmanager
async def serving(folder: Path, script: Script) -> AsyncIterator[Http]:
    async with (
        agents(script) as addresses,
        opened(parts(folder, addresses)) as runs,
        http_listening(runs, "127.0.0.1:0") as port,
    ):
        yield Http(port)


@pytest.fixture
async def http(tmp_path: Path) -> AsyncIterator[Http]:
    async with serving(tmp_path, Script()) as http:
        yield http


async def waiting(http: Http, state: str, **options: object) -> None:
    """A run that has come to this state."""
    await http("/v1/runs", {"problem": "Run a kiosk.", "run_id": RUN, "options": options})
    curl = await asyncio.create_subprocess_exec(
        "curl", "-sN", f"{http.base}/v1/runs/{RUN}/events", stdout=asyncio.subprocess.PIPE
    )
    assert curl.stdout is not None
    while json.loads(await curl.stdout.readline())["state"] != state:
        pass
    curl.kill()
    await curl.wait()


async def test_a_question_is_read_in_the_run_and_answered(tmp_path: Path) -> None:
    script = Script(designs=["How many papers fit?", kiosk()], costs={"DesignEnv": [0.25]})
    async with serving(tmp_path, script) as http:
        await waiting(http, "ASKING")
        _, _, body = await http(f"/v1/runs/{RUN}")
        run = json.loads(body)
        assert (run["question"], run["spent"]["cost_usd"]) == ("How many papers fit?", 0.25)
        status, _, said = await http(f"/v1/runs/{RUN}/answer", {"answer": ""})
        assert (status, json.loads(said)["error"]) == (400, "RequestWrong")
        status, _, _ = await http(f"/v1/runs/{RUN}/answer", {"answer": "Five."})
        assert status == 200
        _, _, lines = await http(f"/v1/runs/{RUN}/events")
        events = [json.loads(line) for line in lines.splitlines()]
        status, _, said = await http(f"/v1/runs/{RUN}/answer", {"answer": "Six."})
    assert [event["answer"] for event in events if "answer" in event] == ["Five."]
    assert events[-1]["state"] == "SUCCEEDED"
    assert (status, json.loads(said)["error"]) == (409, "NotReady")


async def test_a_design_is_reviewed_with_the_linters_word_and_replaced(tmp_path: Path) -> None:
    async with serving(tmp_path, Script()) as http:
        await waiting(http, "REVIEWING", review=True)
        _, _, body = await http(f"/v1/runs/{RUN}/artifacts/design.json")
        design = json.loads(body)
        broken = design | {"metrics": [design["metrics"][0] | {"formula": "state.nowhere"}]}
        _, _, said = await http(f"/v1/runs/{RUN}/design", {"design": broken})
        refused = json.loads(said)
        assert (refused["run"]["state"], refused["findings"][0]["severity"]) == ("REVIEWING", "ERROR")
        status, _, _ = await http(f"/v1/runs/{RUN}/design", {"design": {"name": "kiosk"}})
        assert status == 422
        _, _, said = await http(f"/v1/runs/{RUN}/design", {"design": design | {"title": "My kiosk"}})
        assert json.loads(said)["run"]["state"] == "DESIGNING"
        _, _, lines = await http(f"/v1/runs/{RUN}/events")
        assert json.loads(lines.splitlines()[-1])["state"] == "SUCCEEDED"
        _, _, diff = await http(f"/v1/runs/{RUN}/artifacts/review.diff")
    assert b'+  "title": "My kiosk",' in diff


async def test_a_design_is_accepted_as_it_is(http: Http) -> None:
    await waiting(http, "REVIEWING", review=True)
    status, _, _ = await http(f"/v1/runs/{RUN}/design", {})
    assert status == 200
    assert json.loads((await http(f"/v1/runs/{RUN}/events"))[2].splitlines()[-1])["state"] == "SUCCEEDED"


async def test_every_option_reaches_the_trainer(tmp_path: Path) -> None:
    script = Script()
    options = {
        "total_timesteps": 5000,
        "n_envs": 2,
        "seed": 7,
        "seeds": 3,
        "tuning_trials": 10,
        "hyperparameters": [{"name": "learning_rate", "value": 0.0003}],
        "max_cost_usd": 1.5,
    }
    async with serving(tmp_path, script) as http:
        await http("/v1/runs", {"problem": "Run a kiosk.", "run_id": RUN, "options": options})
        await http(f"/v1/runs/{RUN}/events")
    asked = script.trainings[0].options
    assert (asked.total_timesteps, asked.n_envs, asked.seed, asked.seeds, asked.tuning_trials) == (5000, 2, 7, 3, 10)
    assert [(one.name, one.value) for one in asked.hyperparameters] == [("learning_rate", 0.0003)]


@pytest.mark.parametrize(
    "options", [{"seeds": 21}, {"tuning_trials": -1}, {"max_cost_usd": 0}, {"n_envs": 257}, {"seed": -1}, {"sed": 1}]
)
async def test_options_out_of_range_are_refused(http: Http, options: object) -> None:
    status, _, said = await http("/v1/runs", {"problem": "Run a kiosk.", "options": options})
    assert (status, json.loads(said)["error"]) == (422, "RequestWrong")


async def test_an_environment_is_checked_line_by_line(tmp_path: Path) -> None:
    script = Script(checks={"mine": CheckReport(findings=(error("episodes.reset"),), ran=("static",))})
    async with serving(tmp_path, script) as http:
        status, headers, lines = await http("/v1/check", {"source": "mine", "class_name": "Kiosk", "seed": 3})
    said = [json.loads(line) for line in lines.splitlines()]
    assert (status, headers["content-type"]) == (200, "application/x-ndjson")
    assert [list(one) for one in said] == [["group"], ["group"], ["finding"], ["report"]]
    assert said[-1]["report"]["ran"] == ["static"]
    assert (script.checked[0].class_name, script.checked[0].seed) == ("Kiosk", 3)


@pytest.mark.parametrize(
    ("refusal", "status"), [(RequestWrong("The source is empty."), 400), (SandboxUnavailable("No box."), 503)]
)
async def test_a_check_that_can_not_begin_is_a_status(tmp_path: Path, refusal: Exception, status: int) -> None:
    async with serving(tmp_path, Script(failures={"StartCheck": [refusal]})) as http:
        got, _, said = await http("/v1/check", {"source": "mine"})
    assert (got, json.loads(said)) == (status, {"error": type(refusal).__name__, "message": str(refusal)})


async def test_hanging_up_ends_a_check(tmp_path: Path) -> None:
    gate = Gate()
    script = Script(gates={"check": gate})
    async with serving(tmp_path, script) as http:
        curl = await asyncio.create_subprocess_exec(
            *("curl", "-sN", f"{http.base}/v1/check", "--json", '{"source": "mine"}'), stdout=asyncio.subprocess.PIPE
        )
        await asyncio.wait_for(gate.reached.wait(), 20)
        curl.kill()
        await curl.wait()
        await asyncio.wait_for(script.cancelled.wait(), 20)
    assert script.ended == script.keys


async def test_a_run_under_way_is_cancelled(tmp_path: Path) -> None:
    gate = Gate()
    async with serving(tmp_path, Script(gates={"train": gate})) as http:
        await http("/v1/runs", {"problem": "Run a kiosk.", "run_id": RUN})
        await asyncio.wait_for(gate.reached.wait(), 20)
        status, _, said = await http(f"/v1/runs/{RUN}/cancel", method="POST")
        _, _, lines = await http(f"/v1/runs/{RUN}/events")
    assert (status, json.loads(said)["state"]) == (200, "CANCELLING")
    assert json.loads(lines.splitlines()[-1])["ended"]["state"] == "CANCELLED"


async def test_a_range_holds_only_for_the_file_that_it_was_meant_for(http: Http) -> None:
    path, whole = await first_artifact(http)
    tag = (await http(path))[1]["etag"]
    assert (await http(path, Range="bytes=0-1", If_Range=tag))[0::2] == (206, whole[:2])
    assert (await http(path, Range="bytes=0-1", If_Range='"another"'))[0::2] == (200, whole)


async def test_runs_come_page_by_page_newest_first(http: Http) -> None:
    for number in range(3):
        await http("/v1/runs", {"problem": "Run a kiosk.", "run_id": f"kiosk-00000{number}"})
        await http(f"/v1/runs/kiosk-00000{number}/events")
    page = json.loads((await http("/v1/runs?page_size=2"))[2])
    rest = json.loads((await http(f"/v1/runs?page_size=2&page_token={page['next_page_token']}"))[2])
    assert [run["id"] for run in page["runs"] + rest["runs"]] == [f"kiosk-00000{number}" for number in (2, 1, 0)]
    assert rest["next_page_token"] == ""
    assert (await http("/v1/runs?page_token=nonsense"))[0] == 400


@pytest.mark.parametrize(
    ("damage", "status", "name"),
    [
        ("DROP TABLE gymwright_runs", 503, "StorageUnavailable"),
        ("UPDATE gymwright_runs SET run = 'nonsense'", 500, "GymwrightError"),
    ],
)
async def test_trouble_of_the_gateway_is_its_own_and_says_nothing_of_its_insides(
    tmp_path: Path, damage: str, status: int, name: str
) -> None:
    async with serving(tmp_path, Script()) as http:
        await finished(http)
        with sa.create_engine(f"sqlite:///{tmp_path}/gymwright.db").begin() as connection:
            connection.execute(sa.text(damage))
        got, headers, said = await http(f"/v1/runs/{RUN}")
    assert (got, json.loads(said)["error"], headers.get("retry-after")) == (
        status,
        name,
        "5" if status == 503 else None,
    )
    assert "Traceback" not in said.decode() and "nonsense" not in said.decode()


async def test_openapi_describes_every_route_and_every_option(http: Http) -> None:
    described = json.loads((await http("/openapi.json"))[2])
    assert {"/v1/check", "/v1/runs/{run_id}/answer", "/v1/runs/{run_id}/design"} <= set(described["paths"])
    assert {"seeds", "tuning_trials", "review", "insist"} <= set(
        described["components"]["schemas"]["RunOptions"]["properties"]
    )
