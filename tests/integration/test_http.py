"""HTTP on real sockets, before a gateway with fakes for the five services."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from gateway.http import http_listening
from gateway.opening import opened
from kit.settings import SettingsWrong
from tests.integration.agents import Gate, Script, agents
from tests.integration.gateways import parts

RUN = "http-run-1"
TOKEN = "a token of some length"


class Http:
    def __init__(self, port: int) -> None:
        self.base = f"http://127.0.0.1:{port}"

    async def __call__(
        self, path: str, body: object = None, method: str | None = None, **headers: str
    ) -> tuple[int, dict[str, str], bytes]:
        return await asyncio.to_thread(self._ask, path, body, method, headers)

    def _ask(
        self, path: str, body: object, method: str | None, headers: dict[str, str]
    ) -> tuple[int, dict[str, str], bytes]:
        data = json.dumps(body).encode() if body is not None else None
        said = {"Content-Type": "application/json"} | {name.replace("_", "-"): text for name, text in headers.items()}
        try:
            with urlopen(Request(self.base + path, data, said, method=method), timeout=20) as answer:
                return answer.status, {k.lower(): v for k, v in answer.headers.items()}, answer.read()
        except HTTPError as refusal:
            return refusal.code, {k.lower(): v for k, v in refusal.headers.items()}, refusal.read()


@pytest.fixture
async def http(tmp_path: Path) -> AsyncIterator[Http]:
    async with (
        agents(Script()) as addresses,
        opened(parts(tmp_path, addresses)) as runs,
        http_listening(runs, "127.0.0.1:0") as port,
    ):
        yield Http(port)


async def finished(http: Http) -> list[dict[str, object]]:
    """A run started and watched to its end."""
    status, _, _ = await http("/v1/runs", {"problem": "Run a kiosk.", "run_id": RUN})
    assert status == 201
    _, headers, lines = await http(f"/v1/runs/{RUN}/events")
    assert headers["content-type"].startswith("application/x-ndjson")
    return [json.loads(line) for line in lines.splitlines()]


async def test_a_run_is_started_watched_and_listed(http: Http) -> None:
    events = await finished(http)
    assert [event["sequence"] for event in events] == list(range(1, len(events) + 1))
    assert events[-1]["state"] == "SUCCEEDED"
    status, _, body = await http(f"/v1/runs/{RUN}")
    assert (status, json.loads(body)["state"]) == (200, "SUCCEEDED")
    _, _, page = await http("/v1/runs?page_size=1")
    assert [run["id"] for run in json.loads(page)["runs"]] == [RUN]


async def test_starting_twice_under_one_id_starts_one_run(http: Http) -> None:
    await finished(http)
    status, _, body = await http("/v1/runs", {"problem": "Run a kiosk.", "run_id": RUN})
    assert (status, json.loads(body)["state"]) == (201, "SUCCEEDED")


async def test_a_stream_is_picked_up_after_the_last_number_seen(http: Http) -> None:
    events = await finished(http)
    _, _, rest = await http(f"/v1/runs/{RUN}/events?after=2")
    assert [json.loads(line) for line in rest.splitlines()] == events[2:]


async def test_server_sent_events_carry_their_numbers(http: Http) -> None:
    events = await finished(http)
    _, headers, body = await http(f"/v1/runs/{RUN}/events", Accept="text/event-stream", Last_Event_ID="2")
    assert headers["content-type"].startswith("text/event-stream")
    assert body.startswith(b"id: 3\ndata: {")
    assert body.count(b"\n\n") == len(events) - 2


async def test_curl_reads_the_events_line_by_line(http: Http) -> None:
    await http("/v1/runs", {"problem": "Run a kiosk.", "run_id": RUN})
    curl = await asyncio.create_subprocess_exec(
        "curl", "-sN", f"{http.base}/v1/runs/{RUN}/events", stdout=asyncio.subprocess.PIPE
    )
    said, _ = await asyncio.wait_for(curl.communicate(), 30)
    assert json.loads(said.splitlines()[-1])["ended"]["state"] == "SUCCEEDED"


@pytest.mark.parametrize(
    ("path", "body", "status", "error"),
    [
        ("/v1/runs/unknown-run", None, 404, "RunNotFound"),
        ("/v1/runs/unknown-run/events", None, 404, "RunNotFound"),
        ("/v1/runs/unknown-run/artifacts", None, 404, "RunNotFound"),
        ("/v1/runs?page_size=9999", None, 400, "RequestWrong"),
        ("/v1/runs", {"problem": ""}, 400, "ProblemRejected"),
        ("/v1/runs", {"problem": "x", "run_id": "../up"}, 400, "RequestWrong"),
        ("/v1/runs", {"problem": "x", "surprise": 1}, 422, "RequestWrong"),
        ("/v1/runs", {"problem": "x" * 300_000}, 413, "PayloadTooLarge"),
        ("/nowhere", None, 404, "NotFound"),
    ],
)
async def test_what_is_refused_says_why(http: Http, path: str, body: object, status: int, error: str) -> None:
    got, _, said = await http(path, body)
    assert (got, json.loads(said)["error"]) == (status, error)
    assert set(json.loads(said)) == {"error", "message"}


async def test_a_run_that_is_over_can_not_be_cancelled(http: Http) -> None:
    await finished(http)
    status, _, said = await http(f"/v1/runs/{RUN}/cancel", method="POST")
    assert (status, json.loads(said)["error"]) == (409, "RunIsOver")


async def first_artifact(http: Http) -> tuple[str, bytes]:
    await finished(http)
    _, _, body = await http(f"/v1/runs/{RUN}/artifacts")
    name = next(each["name"] for each in json.loads(body)["artifacts"] if each["size"] > 4)
    path = f"/v1/runs/{RUN}/artifacts/{name}"
    status, headers, whole = await http(path)
    assert (status, headers["content-length"]) == (200, str(len(whole)))
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["content-disposition"].startswith("attachment")
    return path, whole


async def test_artifacts_come_whole_and_in_ranges(http: Http) -> None:
    path, whole = await first_artifact(http)
    for asked, part in (("bytes=1-2", whole[1:3]), ("bytes=2-", whole[2:]), ("bytes=-3", whole[-3:])):
        status, headers, got = await http(path, Range=asked)
        assert (status, got) == (206, part)
        assert headers["content-range"].endswith(f"/{len(whole)}")
    status, headers, _ = await http(path, Range=f"bytes={len(whole)}-")
    assert (status, headers["content-range"]) == (416, f"bytes */{len(whole)}")
    assert (await http(path, Range="lines=1-2"))[2] == whole  # not understood: ignored


async def test_a_page_elsewhere_can_not_use_the_browser_to_call(http: Http) -> None:
    assert (await http("/v1/runs", Host="evil.example"))[0] == 400
    assert (await http("/v1/runs", Origin="http://evil.example"))[0] == 400
    assert (await http("/v1/runs", Host="localhost:1"))[0] == 200


async def test_with_a_token_nobody_without_it_gets_in(tmp_path: Path) -> None:
    async with (
        agents(Script()) as addresses,
        opened(parts(tmp_path, addresses)) as runs,
        http_listening(runs, "127.0.0.1:0", TOKEN) as port,
    ):
        http = Http(port)
        status, headers, said = await http("/v1/runs")
        assert (status, headers["www-authenticate"]) == (401, "Bearer")
        assert json.loads(said)["error"] == "Unauthenticated"
        assert (await http("/v1/runs", Authorization=f"Bearer {TOKEN}"))[0] == 200
        assert (await http("/healthz"))[0] == 200
        with pytest.raises(SettingsWrong, match="not loopback"):
            async with http_listening(runs, "0.0.0.0:0"):
                pass


async def test_openapi_names_every_route(http: Http) -> None:
    _, _, body = await http("/openapi.json")
    assert "/v1/runs/{run_id}/events" in json.loads(body)["paths"]


async def test_a_stream_that_is_open_does_not_hold_up_the_stop(tmp_path: Path) -> None:
    gate = Gate()
    async with agents(Script(gates={"check": gate})) as addresses, opened(parts(tmp_path, addresses)) as runs:
        async with http_listening(runs, "127.0.0.1:0") as port:
            http = Http(port)
            await http("/v1/runs", {"problem": "Run a kiosk.", "run_id": RUN})
            await asyncio.wait_for(gate.reached.wait(), 20)
            curl = await asyncio.create_subprocess_exec(
                "curl", "-sN", f"{http.base}/v1/runs/{RUN}/events", stdout=asyncio.subprocess.PIPE
            )
            assert curl.stdout is not None
            await asyncio.wait_for(curl.stdout.readline(), 20)
            stopping = asyncio.get_running_loop().time()
        await asyncio.wait_for(curl.wait(), 20)
        assert asyncio.get_running_loop().time() - stopping < 5
        assert curl.returncode != 0  # cut, which is not the end of the run
        gate.open.set()
