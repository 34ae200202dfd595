"""After a verdict that blames the design: one revision, two attempts, the better one on top and none overwritten."""

from __future__ import annotations

import pytest

from gymwright.errors import NoValidDesign
from gymwright.v1 import outcomes_pb2, run_pb2
from gymwright.views import RunState, Verdict
from kit.contracts.findings import Blame
from kit.contracts.outcomes import TrainOutcome, VerdictKind
from kit.contracts.outcomes import Verdict as VerdictRecord
from tests.integration.agents import Gate, Script, agents
from tests.integration.gateways import events_of, gateway, house, parts
from tests.unit.designs import kiosk

REVISED = kiosk().model_copy(update={"title": "A fairer kiosk"})


def outcome(kind: VerdictKind, primary: float) -> TrainOutcome:
    blame = None if kind is VerdictKind.LEARNED else Blame.DESIGN
    return TrainOutcome(
        verdict=VerdictRecord(kind=kind, reason="By the numbers.", blame=blame), validation_primary=primary
    )


def two_attempts(first: float, second: float) -> Script:
    return Script(
        designs=[kiosk(), REVISED],
        outcomes={
            "draft 1": outcome(VerdictKind.REWARD_HACKED, first),
            "draft 2": outcome(VerdictKind.LEARNED, second),
        },
    )


async def files_of(client, run_id: str) -> dict[str, str]:
    return {
        artifact.name: b"".join([chunk async for chunk in client.read_artifact(run_id, artifact.name)]).decode()
        for artifact in await client.artifacts(run_id)
    }


@pytest.mark.parametrize(
    ("second", "on_top", "aside", "verdict"),
    [
        (4.0, "draft 2\n", "attempt-1", Verdict.LEARNED),
        (2.0, "draft 1\n", "attempt-2", Verdict.REWARD_HACKED),
    ],
)
async def test_the_better_attempt_is_the_result_and_the_other_lies_in_a_folder(
    tmp_path, second, on_top, aside, verdict
):
    script = two_attempts(3.0, second)
    async with house(tmp_path, script) as client:
        run = await client.start("Sell newspapers")
        events = await events_of(client, run.id)
        after = await client.get(run.id)
        files = await files_of(client, run.id)
    assert (after.state, after.verdict) == (RunState.SUCCEEDED, verdict)
    assert sorted(files) == sorted(
        ["design.json", "environment.py", "problem.txt", f"{aside}/design.json", f"{aside}/environment.py"]
    )
    other = {"draft 1\n": "draft 2\n", "draft 2\n": "draft 1\n"}[on_top]
    assert (files["environment.py"], files[f"{aside}/environment.py"]) == (on_top, other)
    report = script.reports[0]
    assert (report.drafts[0].source, report.others[0].drafts[0].source) == (on_top, other)
    told = [event.detail for event in events if isinstance(event.detail, outcomes_pb2.TrainOutcome)]
    assert told[-1].validation_primary == max(3.0, second)  # the last that a watcher hears is the one that counts
    assert events[-1].message.startswith(f"Succeeded: {verdict}")


async def test_the_designer_gets_the_verdict_and_the_user_hears_of_it(tmp_path):
    script = two_attempts(3.0, 4.0)
    async with house(tmp_path, script) as client:
        run = await client.start("Sell newspapers")
        events = await events_of(client, run.id)
    assert [finding.check for finding in script.wishes[2].findings] == ["verdict.reward_hacked"]
    messages = [event.message for event in events]
    assert "The verdict is REWARD_HACKED, and the design is to blame; asking the designer to revise it." in messages
    assert "Writing the report on attempt 2. By profit on the validation seeds it is the best: 4 against 3." in messages


async def test_a_designer_that_can_not_revise_does_not_fail_the_run(tmp_path):
    script = two_attempts(3.0, 4.0)
    script.failures["ReviseDesign"] = [NoValidDesign("The library's designs can't be revised.")]
    async with house(tmp_path, script) as client:
        run = await client.start("Sell newspapers")
        events = await events_of(client, run.id)
        after = await client.get(run.id)
    assert (after.state, after.verdict) == (RunState.SUCCEEDED, Verdict.REWARD_HACKED)
    assert "Writing the report. The design could not be revised: The library's designs can't be revised." in [
        event.message for event in events
    ]
    assert len(script.reports[0].others) == 0
    assert script.reports[0].note == "The design could not be revised: The library's designs can't be revised."


async def test_a_second_attempt_that_never_trains_leaves_the_first_as_the_result(tmp_path):
    script = two_attempts(3.0, 4.0)
    script.outcomes["draft 2"] = TrainOutcome()  # no verdict, and not a word why
    async with house(tmp_path, script) as client:
        run = await client.start("Sell newspapers")
        await events_of(client, run.id)
        after = await client.get(run.id)
        files = await files_of(client, run.id)
    assert (after.state, after.verdict) == (RunState.SUCCEEDED, Verdict.REWARD_HACKED)
    assert (files["environment.py"], files["attempt-2/environment.py"]) == ("draft 1\n", "draft 2\n")


async def test_a_gateway_that_stops_in_the_second_attempt_goes_on_and_shelves_once(tmp_path):
    gate = Gate()
    script = two_attempts(3.0, 2.0)
    async with agents(script) as addresses:
        async with gateway(parts(tmp_path, addresses)) as client:
            run = await client.start("Sell newspapers")
            async for event in client.watch(run.id):
                if isinstance(event.detail, run_pb2.DesignWritten) and event.detail.design.title == REVISED.title:
                    script.gates["train"] = gate
                    break
            await gate.reached.wait()
        async with gateway(parts(tmp_path, addresses)) as client:
            gate.open.set()
            events = await events_of(client, run.id)
            files = await files_of(client, run.id)
    assert [event.sequence for event in events] == list(range(1, len(events) + 1))
    assert (files["environment.py"], files["attempt-2/environment.py"]) == ("draft 1\n", "draft 2\n")
    assert script.asked.count("ReviseDesign") == 1
