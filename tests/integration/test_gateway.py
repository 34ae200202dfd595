"""The gateway between a client and its five services: the loop, the events, the files."""

from __future__ import annotations

import asyncio
from functools import partial

import pytest

from gymwright.errors import ArtifactNotFound, ProblemRejected, RequestWrong, RunIsOver, RunNotFound
from gymwright.v1 import gateway_pb2, run_pb2
from gymwright.views import RunState
from kit.contracts.findings import Blame, CheckReport
from kit.contracts.outcomes import TrainOutcome
from tests.integration.agents import Gate, Script, error
from tests.integration.gateways import events_of, house
from tests.unit.designs import kiosk


def crashing() -> Script:
    """A crash in the check, a crash in training, and a third draft that works."""
    return Script(
        checks={"draft 1": CheckReport(findings=(error("episodes.reset", line=41),))},
        outcomes={"draft 2": TrainOutcome(findings=(error("training.crash"),))},
    )


def fixes_in(events):
    return [
        (event.detail.fix, event.detail.fixes_allowed)
        for event in events
        if isinstance(event.detail, run_pb2.FixStarted)
    ]


async def test_a_run_goes_through_every_service_and_succeeds(tmp_path):
    script = Script()
    async with house(tmp_path, script) as client:
        run = await client.start("Sell newspapers")
        events = await events_of(client, run.id)
        after = await client.get(run.id)
    assert script.asked == ["DesignEnv", "WriteEnv", "StartCheck", "StartTraining", "WriteReport"]
    assert (after.state, after.fixes, after.design_name, after.verdict) == (RunState.SUCCEEDED, 0, "kiosk", "LEARNED")
    assert [event.sequence for event in events] == list(range(1, len(events) + 1))
    assert all(event.message and "\n" not in event.message for event in events)


async def test_the_gateway_keeps_the_problem_the_design_and_the_last_draft(tmp_path):
    async with house(tmp_path, crashing()) as client:
        run = await client.start("Sell newspapers")
        events = await events_of(client, run.id)
        names = [artifact.name for artifact in await client.artifacts(run.id)]
        source = b"".join([chunk async for chunk in client.read_artifact(run.id, "environment.py")])
        rest = b"".join([chunk async for chunk in client.read_artifact(run.id, "environment.py", offset=6)])
    assert names == ["design.json", "environment.py", "problem.txt"]
    assert [artifact.name for artifact in events[-1].detail.artifacts] == names
    assert (source, rest) == (b"draft 3\n", b"3\n")


async def test_a_crash_in_the_check_and_one_in_training_are_two_fixes(tmp_path):
    script = crashing()
    async with house(tmp_path, script) as client:
        run = await client.start("Sell newspapers")
        events = await events_of(client, run.id)
        after = await client.get(run.id)
    assert (after.state, after.fixes) == (RunState.SUCCEEDED, 2)
    assert fixes_in(events) == [(1, 2), (2, 2)]
    assert script.drafts_sent == [1, 2]  # the coder sees every draft so far
    assert [len(draft.findings) for draft in script.reports[0].drafts] == [1, 1, 0]
    assert "The check found 1 error: episodes.reset at line 41; asking the coder to fix (1 of 2)." in [
        event.message for event in events
    ]
    assert any(event.message.startswith("Training found 1 error: training.crash") for event in events)


async def test_a_run_that_needs_a_third_fix_fails_with_the_last_finding(tmp_path):
    script = crashing()
    script.checks["draft 3"] = CheckReport(findings=(error("observation.formula", line=7),))
    async with house(tmp_path, script) as client:
        run = await client.start("Sell newspapers")
        events = await events_of(client, run.id)
        after = await client.get(run.id)
    assert after.state is RunState.FAILED
    assert after.reason == (
        "The environment is still wrong after 2 fixes: observation.formula at line 7: observation.formula went wrong"
    )
    assert events[-1].detail.reason == after.reason


async def test_a_design_finding_goes_to_the_designer_and_costs_the_coder_nothing(tmp_path):
    better = kiosk().model_copy(update={"title": "A better kiosk"})
    wrong = CheckReport(findings=(error("design.reward_scale", Blame.DESIGN), error("observation.formula")))
    script = Script(designs=[kiosk(), better], checks={"draft 1": wrong})
    async with house(tmp_path, script) as client:
        run = await client.start("Sell newspapers")
        events = await events_of(client, run.id)
        after = await client.get(run.id)
    assert script.asked[:5] == ["DesignEnv", "WriteEnv", "StartCheck", "ReviseDesign", "WriteEnv"]
    assert (after.state, after.fixes) == (RunState.SUCCEEDED, 0)
    titles = [event.detail.design.title for event in events if isinstance(event.detail, run_pb2.DesignWritten)]
    assert titles == ["A newspaper kiosk", "A better kiosk"]


async def test_the_same_run_id_again_is_the_same_run(tmp_path):
    script = Script()
    async with house(tmp_path, script) as client:
        first = await client.start("Sell newspapers", run_id="kiosk-000001")
        await events_of(client, first.id)
        again = await client.start("Sell newspapers", run_id="kiosk-000001")
    assert again.state is RunState.SUCCEEDED
    assert script.asked.count("DesignEnv") == 1


async def test_a_watch_resumes_after_the_last_event_seen(tmp_path):
    async with house(tmp_path, Script()) as client:
        run = await client.start("Sell newspapers")
        everything = await events_of(client, run.id)
        assert await events_of(client, run.id, after=5) == everything[5:]
        assert await events_of(client, run.id, after=len(everything)) == []


async def test_runs_are_listed_newest_first_page_by_page(tmp_path):
    async with house(tmp_path, Script()) as client:
        ids = [(await client.start("Sell newspapers", run_id=f"kiosk-00000{n}")).id for n in range(3)]
        page = await client.list(page_size=2)
        rest = await client.list(page_size=2, page_token=page.next_page_token)
        for run_id in ids:
            await events_of(client, run_id)
    assert [run.id for run in (*page.runs, *rest.runs)] == ids[::-1]
    assert rest.next_page_token == ""


@pytest.mark.parametrize("stage", ["check", "train"])
async def test_cancelling_ends_the_box_within_two_seconds(tmp_path, stage):
    gate = Gate()
    script = Script(gates={stage: gate})
    async with house(tmp_path, script) as client:
        run = await client.start("Sell newspapers")
        await gate.reached.wait()
        assert (await client.cancel(run.id)).state is RunState.CANCELLING
        async with asyncio.timeout(2):
            events = await events_of(client, run.id)
        assert script.ended == script.keys[-1:]
        assert (await client.get(run.id)).state is RunState.CANCELLED
        assert [event.state for event in events[-2:]] == [RunState.CANCELLING, RunState.CANCELLED]
        with pytest.raises(RunIsOver, match="CANCELLED"):
            await client.cancel(run.id)


async def test_an_unknown_run_is_not_found(tmp_path):
    async with house(tmp_path, Script()) as client:
        answer = partial(client.answer, answer="Five.")
        for call in (client.get, client.cancel, client.artifacts, answer, client.review):
            with pytest.raises(RunNotFound, match="no-such-run"):
                await call("no-such-run")
        with pytest.raises(RunNotFound):
            await events_of(client, "no-such-run")


@pytest.mark.parametrize("name", ["nothing.txt", "../gymwright.db", "/etc/passwd", ""])
async def test_what_is_no_artifact_of_the_run_is_not_read(tmp_path, name):
    async with house(tmp_path, Script()) as client:
        run = await client.start("Sell newspapers")
        await events_of(client, run.id)
        with pytest.raises((ArtifactNotFound, RequestWrong)):
            _ = [chunk async for chunk in client.read_artifact(run.id, name)]


@pytest.mark.parametrize("problem", ["", " \n\t ", "x" * 20_001, "x" * 1_000_000, "ELF\x00\x01\x02"])
async def test_what_is_no_problem_is_refused_at_the_door(tmp_path, problem):
    async with house(tmp_path, Script()) as client:
        with pytest.raises(ProblemRejected):  # past the client's own check
            await client._answer(client._stub.StartRun, gateway_pb2.StartRunRequest(problem=problem))
        assert (await client.list()).runs == ()


@pytest.mark.parametrize(
    "request_",
    [
        gateway_pb2.StartRunRequest(problem="Sell newspapers", run_id="../../etc"),
        gateway_pb2.StartRunRequest(problem="Sell newspapers", options=run_pb2.RunOptions(n_envs=1000)),
        gateway_pb2.StartRunRequest(problem="Sell newspapers", options=run_pb2.RunOptions(seed=-1)),
    ],
)
async def test_options_out_of_range_are_refused_at_the_door(tmp_path, request_):
    async with house(tmp_path, Script()) as client:
        with pytest.raises(RequestWrong):
            await client._answer(client._stub.StartRun, request_)
