"""The client against a scripted gateway over a real socket."""

from __future__ import annotations

import asyncio

import pytest

from gymwright.client import AsyncClient, Client
from gymwright.designs import design_of
from gymwright.downloads import DownloadRefused
from gymwright.errors import (
    DesignRejected,
    NotReady,
    ProblemRejected,
    RequestWrong,
    RunIsOver,
    RunNotFound,
    ServiceUnavailable,
)
from gymwright.v1 import design_pb2, outcomes_pb2, run_pb2
from gymwright.views import RunOptions, RunState, Verdict
from tests.integration import scripts
from tests.integration.fake_gateway import Play, artifact_of, fake_gateway

PROBLEM = "Optimise hospital shift scheduling"


async def started(client: AsyncClient) -> str:
    return (await client.start(PROBLEM)).id


async def sequences(client: AsyncClient, run_id: str, after: int = 0) -> list[int]:
    return [event.sequence async for event in client.watch(run_id, after)]


async def test_a_run_keeps_what_was_asked_for() -> None:
    async with fake_gateway() as (address, _), AsyncClient(address) as client:
        asked = RunOptions(total_timesteps=5000, seed=7, seeds=3, hyperparameters={"gamma": 0.9}, max_cost_usd=0.5)
        run = await client.start(PROBLEM, asked, run_id="hospital-1")
        assert (run.id, run.problem, run.state) == ("hospital-1", PROBLEM, RunState.STARTING)
        assert run.options == asked


@pytest.mark.parametrize(
    "wrong",
    [
        {"total_timesteps": 0},
        {"n_envs": 257},
        {"seed": -1},
        {"seeds": 0},
        {"tuning_trials": 201},
        {"max_cost_usd": 0.0},
        {"hyperparameters": {"gamma": float("nan")}},
    ],
)
def test_what_no_run_can_be_asked_for_is_refused_here(wrong) -> None:
    with pytest.raises(RequestWrong):
        RunOptions(**wrong)


async def test_a_question_is_answered_once() -> None:
    async with fake_gateway(Play(script=scripts.asking())) as (address, fake), AsyncClient(address) as client:
        run_id = await started(client)
        states = []
        async for event in client.watch(run_id):
            states.append(event.state)
            if event.state.waits:
                assert (await client.get(run_id)).question == "How many beds has the ward?"
                await client.answer(run_id, "Thirty.")
        with pytest.raises(NotReady):
            await client.answer(run_id, "Forty.")
    assert (states[-1], fake.answers) == (RunState.SUCCEEDED, ["Thirty."])


async def test_a_design_is_sent_back_as_it_was_written_to_a_file() -> None:
    async with fake_gateway(Play(script=scripts.reviewing())) as (address, fake), AsyncClient(address) as client:
        run_id = await started(client)
        async for event in client.watch(run_id):
            if event.state.waits:
                text = b"".join([chunk async for chunk in client.read_artifact(run_id, "design.json")]).decode()
                assert not (await client.review(run_id, design_of(text.replace("Hospital shifts", "broken")))).taken
                assert (await client.review(run_id, design_of(text))).taken
    assert fake.reviews[0].fit.verdict == design_pb2.FIT_VERDICT_RL


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "not JSON"),
        ("[]", "no JSON object"),
        ('{"nme": "x"}', "nme"),
        ('{"fit": {"verdict": "MAYBE"}}', "MAYBE"),
    ],
)
def test_what_is_no_design_is_refused_before_it_is_sent(text, said) -> None:
    with pytest.raises(DesignRejected, match=said):
        design_of(text)


async def test_an_environment_is_checked_without_a_run() -> None:
    async with fake_gateway() as (address, _), AsyncClient(address) as client:
        group, finding, report = [said async for said in client.check("import gymnasium")]
    assert (group, finding.check, report.episodes) == ("static", "observation.formula", 16)


async def test_a_start_whose_answer_is_lost_is_repeated_and_starts_one_run() -> None:
    async with fake_gateway(Play(refuse=[ServiceUnavailable("Busy.")])) as (address, fake):
        async with AsyncClient(address) as client:
            await client.start(PROBLEM)
        assert (fake.starts, len(fake.runs)) == (2, 1)


async def test_a_watch_tells_every_event_once_and_ends_when_the_run_rests() -> None:
    async with fake_gateway() as (address, fake), AsyncClient(address) as client:
        run_id = await started(client)
        assert await sequences(client, run_id) == list(range(1, len(fake.play.script) + 1))


async def test_a_watch_whose_stream_breaks_goes_on_after_the_last_event_seen() -> None:
    async with fake_gateway(Play(drop_after=[3, 7, 8])) as (address, fake), AsyncClient(address) as client:
        away: list[str] = []
        run_id = await started(client)
        seen = [event.sequence async for event in client.watch(run_id, 0, lambda error: away.append(str(error)))]
        assert seen == list(range(1, len(fake.play.script) + 1))
        assert (fake.watches, len(away)) == ([0, 3, 7, 8], 3)


async def test_a_watch_of_a_run_at_rest_from_its_last_event_ends_at_once() -> None:
    async with fake_gateway() as (address, _), AsyncClient(address) as client:
        run_id = await started(client)
        last = (await sequences(client, run_id))[-1]
        assert await sequences(client, run_id, after=last) == []


async def test_a_gap_in_the_events_is_never_passed_over() -> None:
    script = [event for event in scripts.with_a_fix() if event.sequence != 5]
    async with fake_gateway(Play(script=script)) as (address, _), AsyncClient(address, patience_s=0.3) as client:
        run_id = await started(client)
        with pytest.raises(ServiceUnavailable, match="Event 5"):
            await sequences(client, run_id)


async def test_a_watch_gives_up_when_nothing_comes_for_as_long_as_its_patience() -> None:
    async with fake_gateway(Play(pause_after=2)) as (address, _):
        client = AsyncClient(address, patience_s=0.5)
        run_id = await started(client)
        events = client.watch(run_id)
        await anext(events), await anext(events)
    with pytest.raises(ServiceUnavailable, match="can't be reached"):  # the gateway is gone
        await anext(events)
    await client.close()


async def test_an_event_carries_its_detail_as_a_message_to_match_on() -> None:
    async with fake_gateway() as (address, _), AsyncClient(address) as client:
        run_id = await started(client)
        details = [event.detail async for event in client.watch(run_id)]
        assert any(isinstance(detail, outcomes_pb2.TrainOutcome) for detail in details)
        assert sum(isinstance(detail, run_pb2.TrainingProgress) for detail in details) == 10
        assert (await client.get(run_id)).verdict is Verdict.LEARNED


async def test_runs_come_in_pages_newest_first() -> None:
    async with fake_gateway() as (address, _), AsyncClient(address) as client:
        ids = [(await client.start(PROBLEM, run_id=f"hospital-{number}")).id for number in range(3)]
        first = await client.list(page_size=2)
        second = await client.list(page_size=2, page_token=first.next_page_token)
        assert [run.id for run in (*first.runs, *second.runs)] == ids[::-1]
        assert second.next_page_token == ""


@pytest.mark.parametrize(
    ("problem", "said"),
    [
        ("  \n", "empty"),
        ("x" * 1_000_000, "20,000 characters"),
        ("\x00\x01\x02 learn", "not text"),
        ("\udcff\udcfe", "not text"),  # bytes on a command line that are no UTF-8
        ("reject me", "The problem is not one"),  # the gateway's own word
    ],
)
async def test_a_problem_that_is_none_is_refused(problem: str, said: str) -> None:
    async with fake_gateway() as (address, _), AsyncClient(address) as client:
        with pytest.raises(ProblemRejected, match=said):
            await client.start(problem)


async def test_unknown_runs_and_runs_that_are_over_raise_errors_of_our_own() -> None:
    async with fake_gateway() as (address, _), AsyncClient(address) as client:
        for call in (client.get, client.cancel, client.artifacts):
            with pytest.raises(RunNotFound):
                await call("no-such-run")
        with pytest.raises(RunNotFound):
            await anext(client.watch("no-such-run"))
        with pytest.raises(RequestWrong):
            await client.get("../../etc")
        run_id = await started(client)
        await sequences(client, run_id)
        with pytest.raises(RunIsOver):
            await client.cancel(run_id)


async def test_nobody_at_the_address_is_said_within_seconds() -> None:
    async with AsyncClient("127.0.0.1:1") as client:
        with pytest.raises(ServiceUnavailable, match=r"127\.0\.0\.1:1 "):
            await client.get("hospital-1")


async def test_a_download_that_breaks_is_resumed_and_whole(tmp_path) -> None:
    async with fake_gateway(Play(drop_read_at=[0, 3000])) as (address, fake), AsyncClient(address) as client:
        run_id = await started(client)
        files = await client.download(run_id, tmp_path)
        assert {file.relative_to(tmp_path).as_posix(): file.read_bytes() for file in files} == fake.play.files


@pytest.mark.parametrize(
    "name", ["../evil", "/etc/passwd", "a/../../b", "a//b", ".", "", "a\\b", "a\x1b[2Jb", "C:evil", "a/" * 300]
)
async def test_an_artifact_whose_name_leads_elsewhere_is_refused(tmp_path, name) -> None:
    play = Play(files={name: b"evil"})
    async with fake_gateway(play) as (address, _), AsyncClient(address) as client:
        run_id = await started(client)
        with pytest.raises(DownloadRefused, match="unsafe name"):
            await client.download(run_id, tmp_path / "runs")
    assert list(tmp_path.rglob("*")) == []


@pytest.mark.parametrize(
    ("announced", "said"),
    [
        (artifact_of("policy.onnx", b"short"), "longer than"),
        (outcomes_pb2.Artifact(name="policy.onnx", size=9, sha256="00"), "ended after"),
        (outcomes_pb2.Artifact(name="policy.onnx", size=8, sha256="00"), "checksum"),
    ],
)
async def test_an_artifact_that_is_not_what_was_announced_leaves_nothing(tmp_path, announced, said) -> None:
    play = Play(files={"policy.onnx": b"8 bytes."}, announced={"policy.onnx": announced})
    async with fake_gateway(play) as (address, _), AsyncClient(address) as client:
        run_id = await started(client)
        with pytest.raises(DownloadRefused, match=said):
            await client.download(run_id, tmp_path)
    assert list(tmp_path.iterdir()) == []


async def test_a_link_in_the_folder_is_not_followed_out_of_it(tmp_path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "tensorboard").symlink_to(tmp_path / "elsewhere")
    async with fake_gateway() as (address, _), AsyncClient(address) as client:
        run_id = await started(client)
        with pytest.raises(DownloadRefused, match="leads out"):
            await client.download(run_id, tmp_path / "run")
    assert list((tmp_path / "elsewhere").iterdir()) == []


async def test_the_plain_client_does_the_same_without_an_event_loop(tmp_path) -> None:
    async with fake_gateway(Play(drop_after=[4])) as (address, fake):
        seen = await asyncio.to_thread(_plainly, address, tmp_path)
        assert seen == list(range(1, len(fake.play.script) + 1))
        assert (tmp_path / "report.md").read_bytes() == fake.play.files["report.md"]


async def test_a_plain_watch_that_is_left_early_lets_the_client_close() -> None:
    async with fake_gateway(Play(pause_after=2)) as (address, _):
        assert await asyncio.to_thread(_left_early, address) == 1


def _plainly(address: str, into) -> list[int]:
    with Client(address) as client:
        run = client.start(PROBLEM)
        seen = [event.sequence for event in client.watch(run.id)]
        client.download(run.id, into)
        assert client.list().runs[0].id == run.id
        return seen


def _left_early(address: str) -> int:
    with Client(address) as client:
        run = client.start(PROBLEM)
        for event in client.watch(run.id):
            return event.sequence
    raise AssertionError("no event came")
