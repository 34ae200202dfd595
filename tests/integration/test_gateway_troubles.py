"""The gateway when something is in the way: services away for a while or for good, refusals, lost jobs, full disks."""

from __future__ import annotations

import asyncio

import pytest

from gateway.clients import Deadlines
from gateway.journal import Journal
from gateway.patience import Patience
from gymwright.errors import (
    GymwrightError,
    NoSuitableProblem,
    NoValidDesign,
    NoValidEnvironment,
    SandboxUnavailable,
)
from gymwright.views import RunState
from kit.contracts import runs as contracts
from kit.contracts.findings import Blame, CheckReport
from tests.integration.agents import FakeExecutor, Gate, Script, agents, error, nobody_there
from tests.integration.gateways import events_of, gateway, house, parts

RPCS = ("DesignEnv", "WriteEnv", "StartCheck", "StartTraining", "WriteReport")


@pytest.mark.parametrize("rpc", RPCS)
async def test_what_is_away_for_a_moment_is_tried_again_and_costs_nobody_a_fix(tmp_path, rpc):
    script = Script(failures={rpc: [SandboxUnavailable("No box could be started.")] * 2})
    async with house(tmp_path, script) as client:
        run = await client.start("Sell newspapers")
        events = await events_of(client, run.id)
        after = await client.get(run.id)
    assert (after.state, after.fixes) == (RunState.SUCCEEDED, 0)
    assert script.asked.count(rpc) == 3
    notes = [event.message for event in events if "Trying again" in event.message]
    assert notes == [f"No box could be started. Trying again in {pause} s." for pause in ("0.05", "0.1")]


@pytest.mark.parametrize(("job", "step"), [("the check", "check-1"), ("the training", "train-1")])
async def test_a_job_that_gets_no_box_is_started_again_as_another_attempt(tmp_path, job, step):
    script = Script(failures={job: [SandboxUnavailable("No box could be started.")] * 2})
    async with house(tmp_path, script) as client:
        run = await client.start("Sell newspapers")
        events = await events_of(client, run.id)
        assert (await client.get(run.id)).state is RunState.SUCCEEDED
    assert [key.attempt for key in script.keys if key.step == step] == [0, 1, 2]
    assert [event.sequence for event in events] == list(range(1, len(events) + 1))


async def test_a_job_that_never_gets_a_box_ends_the_run_in_the_services_words(tmp_path):
    script = Script(failures={"the training": [SandboxUnavailable("The Docker engine does not answer.")] * 99})
    async with house(tmp_path, script) as client:
        run = await client.start("Sell newspapers")
        await events_of(client, run.id)
        after = await client.get(run.id)
    assert (after.state, after.reason) == (RunState.FAILED, "The Docker engine does not answer. Tried for 1.5 s.")


@pytest.mark.parametrize("room", ["designer", "coder", "executor", "trainer", "reporter"])
async def test_a_service_that_is_down_for_good_ends_the_run_with_its_name_and_address(tmp_path, room):
    async with agents(Script()) as addresses:
        nowhere = nobody_there()
        without = addresses.model_copy(update={room: nowhere})
        async with gateway(parts(tmp_path, without)) as client:
            run = await client.start("Sell newspapers")
            events = await events_of(client, run.id)
            after = await client.get(run.id)
    assert after.state is RunState.FAILED
    assert after.reason == f"The {room} at {nowhere} can't be reached; is it running? Tried for 1.5 s."
    assert 3 <= sum("Trying again" in event.message for event in events) <= 15


@pytest.mark.parametrize(
    ("rpc", "refusal"),
    [
        ("DesignEnv", NoSuitableProblem("Nothing in the library is near enough; set a key.")),
        ("DesignEnv", GymwrightError("An unforeseen failure; its log has the details.")),
        ("WriteEnv", NoValidEnvironment("This coder can't write this design.")),
    ],
)
async def test_a_refusal_ends_the_run_at_once_in_the_agents_words(tmp_path, rpc, refusal):
    script = Script(failures={rpc: [refusal]})
    async with house(tmp_path, script) as client:
        run = await client.start("Sell newspapers")
        await events_of(client, run.id)
        after = await client.get(run.id)
    assert (after.state, after.reason) == (RunState.FAILED, str(refusal))
    assert script.asked.count(rpc) == 1


async def test_a_designer_that_cannot_revise_leaves_the_design_finding_as_the_reason(tmp_path):
    wrong = CheckReport(findings=(error("design.horizon", Blame.DESIGN),))
    script = Script(
        checks={"draft 1": wrong}, failures={"ReviseDesign": [NoValidDesign("No valid revision came out.")]}
    )
    async with house(tmp_path, script) as client:
        run = await client.start("Sell newspapers")
        await events_of(client, run.id)
        after = await client.get(run.id)
    assert after.state is RunState.FAILED
    assert after.reason == "No valid revision came out. The last finding: design.horizon: design.horizon went wrong"


async def test_a_job_that_a_restarted_service_lost_is_started_again(tmp_path):
    gate = Gate()
    script = Script(gates={"check": gate})
    executor = FakeExecutor(script)
    async with agents(script, executor) as addresses, gateway(parts(tmp_path, addresses)) as client:
        run = await client.start("Sell newspapers")
        await gate.reached.wait()
        gate.open.set()
        script.gates.clear()
        await executor.board.close()  # as if the process had been started afresh: nothing is known any more
        events = await events_of(client, run.id)
        after = await client.get(run.id)
    assert after.state is RunState.SUCCEEDED
    assert [event.sequence for event in events] == list(range(1, len(events) + 1))


async def test_a_run_can_be_cancelled_while_a_service_is_away(tmp_path):
    async with agents(Script()) as addresses:
        without = addresses.model_copy(update={"trainer": nobody_there()})
        async with gateway(parts(tmp_path, without)) as client:
            run = await client.start("Sell newspapers")
            async for event in client.watch(run.id):
                if "Trying again" in event.message:
                    await client.cancel(run.id)
                    break
            async with asyncio.timeout(2):
                await events_of(client, run.id)
            assert (await client.get(run.id)).state is RunState.CANCELLED


async def test_a_store_that_can_not_be_written_ends_the_run_in_its_own_words(tmp_path):
    script = Script()
    async with agents(script) as addresses, gateway(parts(tmp_path, addresses)) as client:
        (tmp_path / "runs").rmdir()
        (tmp_path / "runs").write_text("a file where the folder was: nothing can be written")
        run = await client.start("Sell newspapers")
        await events_of(client, run.id)
        after = await client.get(run.id)
    assert after.state is RunState.FAILED
    assert after.reason.startswith("The artifact store can't write problem.txt")
    assert script.asked == []


async def test_a_run_that_was_asked_for_and_not_begun_is_taken_up(tmp_path):
    script = Script()
    async with agents(script) as addresses:
        async with gateway(parts(tmp_path, addresses)) as client:
            pass
        journal = Journal(parts(tmp_path, addresses).database)
        asked = contracts.Run(
            id="kiosk-000001", problem="Sell newspapers", state=contracts.RunState.STARTING, created_at_s=1.0
        )
        await journal.open(asked)
        journal.close()
        async with gateway(parts(tmp_path, addresses)) as client:
            await events_of(client, "kiosk-000001")
            assert (await client.get("kiosk-000001")).state is RunState.SUCCEEDED


async def test_a_gateway_that_stops_in_the_middle_goes_on_after_its_restart(tmp_path):
    gate = Gate()
    script = Script(gates={"train": gate})
    async with agents(script) as addresses:
        async with gateway(parts(tmp_path, addresses)) as client:
            run = await client.start("Sell newspapers")
            await gate.reached.wait()
        async with gateway(parts(tmp_path, addresses)) as client:
            gate.open.set()
            events = await events_of(client, run.id)
            assert (await client.get(run.id)).state is RunState.SUCCEEDED
    assert len(script.keys) == 2  # one check, one training
    assert script.ended == []
    assert [event.sequence for event in events] == list(range(1, len(events) + 1))


async def test_a_service_that_never_answers_meets_its_deadline(tmp_path):
    script = Script()
    async with agents(script) as addresses:
        hasty = parts(tmp_path, addresses).model_copy(
            update={"deadlines": Deadlines(think_s=0.2), "patience": Patience(total_s=0.3, first_s=0.05)}
        )
        script.asleep.add("WriteEnv")
        async with gateway(hasty) as client:
            run = await client.start("Sell newspapers")
            await events_of(client, run.id)
            after = await client.get(run.id)
    assert after.state is RunState.FAILED
    assert after.reason.startswith(f"The coder at {addresses.coder} did not answer in time")
    assert script.asked.count("WriteEnv") >= 2


async def test_a_service_that_falls_silent_is_asked_again_however_long_the_whole_may_take(tmp_path):
    script = Script(texts={"WriteEnv": ["import "]}, asleep={"after the text"})
    async with agents(script) as addresses:
        hasty = parts(tmp_path, addresses).model_copy(
            update={
                "deadlines": Deadlines(think_s=60, silence_s=0.2),
                "patience": Patience(total_s=0.3, first_s=0.05),
            }
        )
        async with gateway(hasty) as client:
            run = await client.start("Sell newspapers")
            await events_of(client, run.id)
            after = await client.get(run.id)
    assert after.state is RunState.FAILED
    assert after.reason == f"The coder at {addresses.coder} said nothing for 0.2 s. Tried for 0.3 s."
    assert script.asked.count("WriteEnv") >= 2


async def test_runs_at_the_same_time_do_not_mix(tmp_path):
    script = Script()
    async with house(tmp_path, script) as client:
        runs = [await client.start("Sell newspapers", run_id=f"kiosk-00000{number}") for number in range(6)]
        told = await asyncio.gather(*(events_of(client, run.id) for run in runs))
    for run, events in zip(runs, told, strict=True):
        assert {event.run_id for event in events} == {run.id}
        assert [event.sequence for event in events] == list(range(1, len(events) + 1))
        assert events[-1].state is RunState.SUCCEEDED
    assert len({(key.run_id, key.step) for key in script.keys}) == len(script.keys) == 12
