"""The gateway while a model designs and codes: its text, its costs and their ceiling, questions, reviews, advice."""

from __future__ import annotations

import asyncio
import json

import pytest

from gymwright.errors import BudgetSpent, NotReady, NoValidEnvironment, RequestWrong, SandboxUnavailable
from gymwright.v1 import design_pb2, gateway_pb2, run_pb2
from gymwright.views import RunOptions, RunState
from kit.contracts.design import EnvDesign, Fit, FitVerdict
from kit.contracts.wire import to_proto
from tests.integration.agents import Gate, Script, agents
from tests.integration.gateways import events_of, gateway, house, parts
from tests.unit.designs import kiosk

LINEAR = Fit(verdict=FitVerdict.BETTER_TOOL, why="The horizon is one step.", better_tool="a linear program")


async def waiting(client, run_id, question=""):
    """The event that says that the run waits for the user; of a question, for the answer to this one."""
    async for event in client.watch(run_id):
        if event.state.waits and question in event.proto.question:
            return event
    raise AssertionError("the run rests")


def texts(events) -> list[run_pb2.TextWritten]:
    return [event.detail for event in events if isinstance(event.detail, run_pb2.TextWritten)]


def edited(**changes: object) -> design_pb2.EnvDesign:
    return to_proto(kiosk().model_copy(update=changes), design_pb2.EnvDesign)


async def test_design_and_code_can_be_read_as_they_are_written(tmp_path):
    script = Script(texts={"DesignEnv": ['{"na', 'me": ', '"kiosk"}'], "WriteEnv": ["import ", "numpy"]})
    async with house(tmp_path, script) as client:
        run = await client.start("Sell newspapers")
        events = await events_of(client, run.id)
    written = [(text.purpose, text.text, text.restarts) for text in texts(events)]
    assert written == [("design", '{"name": "kiosk"}', False), ("code", "import numpy", False)]
    states = [event.state for event in events if isinstance(event.detail, run_pb2.TextWritten)]
    assert states == [RunState.DESIGNING, RunState.CODING]


async def test_a_design_that_is_tried_again_makes_the_text_before_it_void(tmp_path):
    script = Script(texts={"DesignEnv": ["half a"]}, breaks={"DesignEnv": [SandboxUnavailable("Away.")]})
    async with house(tmp_path, script) as client:
        run = await client.start("Sell newspapers")
        events = await events_of(client, run.id)
    assert [(text.text, text.restarts) for text in texts(events)] == [("half a", False), ("half a", True)]


async def test_every_call_of_a_model_is_told_added_up_and_reported_also_those_of_a_try_that_failed(tmp_path):
    script = Script(
        costs={"DesignEnv": [0.25, 0.5], "WriteEnv": [0.125]}, breaks={"DesignEnv": [SandboxUnavailable("Away.")]}
    )
    async with house(tmp_path, script) as client:
        run = await client.start("Sell newspapers")
        events = await events_of(client, run.id)
        after = await client.get(run.id)
    costs = [event.detail.cost_usd for event in events if isinstance(event.detail, run_pb2.Usage)]
    assert costs == [0.25, 0.5, 0.25, 0.5, 0.125]
    assert (after.spent.calls, after.spent.cost_usd) == (5, 1.625)
    assert [usage.cost_usd for usage in script.reports[0].usages] == costs


async def test_what_is_left_of_the_ceiling_goes_with_each_wish_and_the_lower_ceiling_holds(tmp_path):
    script = Script(costs={"DesignEnv": [0.25]})
    async with agents(script) as addresses:
        cheap = parts(tmp_path, addresses).model_copy(update={"max_cost_usd": 1.0})
        async with gateway(cheap) as client:
            for run_id, own in (("kiosk-000001", 0.5), ("kiosk-000002", 9.0), ("kiosk-000003", None)):
                await client.start("Sell newspapers", RunOptions(max_cost_usd=own), run_id)
                await events_of(client, run_id)
    assert [wish.budget_usd for wish in script.wishes] == [0.5, 0.25, 1.0, 0.75, 1.0, 0.75]


async def test_without_a_ceiling_there_is_no_budget_to_keep(tmp_path):
    script = Script(costs={"DesignEnv": [0.25]})
    async with house(tmp_path, script) as client:
        await events_of(client, (await client.start("Sell newspapers")).id)
    assert not any(wish.HasField("budget_usd") for wish in script.wishes)


@pytest.mark.parametrize(
    ("script", "said"),
    [
        (Script(costs={"DesignEnv": [0.6]}), "Nothing is left of the $0.5 that this run may spend on language models."),
        (
            Script(costs={"DesignEnv": [0.6]}, breaks={"DesignEnv": [BudgetSpent("The next call could cost $9.")]}),
            "The next call could cost $9.",
        ),
    ],
)
async def test_a_spent_budget_ends_the_run_and_says_what_was_spent_and_what_to_do(tmp_path, script, said):
    async with house(tmp_path, script) as client:
        run = await client.start("Sell newspapers", RunOptions(max_cost_usd=0.5))
        await events_of(client, run.id)
        after = await client.get(run.id)
    assert after.state is RunState.FAILED
    assert after.reason == (
        f"{said} Spent so far: 1 call, 0 + 0 tokens, $0.6000 of at most $0.5."
        " Start again with a higher --max-cost, or have a cheaper model set."
    )


async def test_a_question_waits_for_its_answer_over_a_restart_and_the_designer_then_knows_it(tmp_path):
    script = Script(designs=["How many papers fit?", "And the price?", kiosk()])
    async with agents(script) as addresses:
        async with gateway(parts(tmp_path, addresses)) as client:
            run = await client.start("Sell newspapers")
            event = await waiting(client, run.id)
            assert event.proto.question == "How many papers fit?"
        async with gateway(parts(tmp_path, addresses)) as client:
            assert (await client.get(run.id)).question == "How many papers fit?"
            answered = await client.answer(run.id, " Five. ")
            assert (answered.state, answered.question) == (RunState.DESIGNING, "")
            await waiting(client, run.id, "And the price?")
            await client.answer(run.id, "2.50")
            events = await events_of(client, run.id)
    assert [event.proto.answer for event in events if event.proto.answer] == ["Five.", "2.50"]
    assert [[(pair.question, pair.answer) for pair in wish.answered] for wish in script.wishes[:3]] == [
        [],
        [("How many papers fit?", "Five.")],
        [("How many papers fit?", "Five."), ("And the price?", "2.50")],
    ]
    assert [event.sequence for event in events] == list(range(1, len(events) + 1))
    assert events[-1].state is RunState.SUCCEEDED


async def test_only_a_run_that_asks_takes_an_answer_and_only_one(tmp_path):
    gate = Gate()
    script = Script(designs=["How many?", kiosk()], gates={"check": gate})
    async with house(tmp_path, script) as client:
        run = await client.start("Sell newspapers")
        await waiting(client, run.id)
        for nothing in ("", " \n", "x" * 20_001, "\x00"):
            with pytest.raises(RequestWrong):  # past the client's own check
                await client._answer(
                    client._stub.AnswerQuestion, gateway_pb2.AnswerQuestionRequest(run_id=run.id, answer=nothing)
                )
        with pytest.raises(NotReady, match="ASKING, not REVIEWING"):
            await client.review(run.id)
        both = await asyncio.gather(*(client.answer(run.id, text) for text in "56"), return_exceptions=True)
        assert sorted(type(one).__name__ for one in both) == ["NotReady", "Run"]
        await gate.reached.wait()
        with pytest.raises(NotReady, match="CHECKING, not ASKING"):
            await client.answer(run.id, "7")
        gate.open.set()
        await events_of(client, run.id)


async def test_a_reply_whose_answer_was_lost_may_be_repeated(tmp_path):
    gate = Gate()
    async with house(tmp_path, Script(designs=["How many?", kiosk()], gates={"check": gate})) as client:
        run = await client.start("Sell newspapers", RunOptions(review=True))
        await waiting(client, run.id)
        for _ in range(2):
            await client.answer(run.id, "Five.")
        async for event in client.watch(run.id):
            if event.state is RunState.REVIEWING:
                break
        for _ in range(2):
            assert (await client.review(run.id, edited(title="My kiosk"))).taken
        with pytest.raises(NotReady):
            await client.review(run.id, edited(title="Another kiosk"))
        gate.open.set()
        events = await events_of(client, run.id)
    assert [event.proto.answer for event in events if event.proto.answer] == ["Five."]
    assert sum(isinstance(event.detail, run_pb2.DesignReviewed) for event in events) == 1


@pytest.mark.parametrize("wait", ["a question", "a review"])
async def test_a_run_that_waits_for_the_user_can_be_cancelled(tmp_path, wait):
    script = Script(designs=["How many?"]) if wait == "a question" else Script()
    async with house(tmp_path, script) as client:
        run = await client.start("Sell newspapers", RunOptions(review=True))
        await waiting(client, run.id)
        await client.cancel(run.id)
        await events_of(client, run.id)
        after = await client.get(run.id)
    assert (after.state, after.question) == (RunState.CANCELLED, "")


async def test_a_reviewed_design_that_is_accepted_is_built_as_it_is(tmp_path):
    async with house(tmp_path, Script()) as client:
        run = await client.start("Sell newspapers", RunOptions(review=True))
        await waiting(client, run.id)
        review = await client.review(run.id)
        events = await events_of(client, run.id)
        names = [artifact.name for artifact in await client.artifacts(run.id)]
    assert (review.run.state, review.findings) == (RunState.DESIGNING, ())
    assert "You accepted the design." in [event.message for event in events]
    assert (events[-1].state, "review.diff" in names) == (RunState.SUCCEEDED, False)


async def test_an_edited_design_is_taken_once_the_linter_finds_no_error_in_it(tmp_path):
    script = Script()
    first, *rest = kiosk().metrics
    broken = edited(metrics=(first.model_copy(update={"formula": "state.nowhere"}), *rest))
    async with agents(script) as addresses:
        async with gateway(parts(tmp_path, addresses)) as client:
            run = await client.start("Sell newspapers", RunOptions(review=True))
            await waiting(client, run.id)
            refused = await client.review(run.id, broken)
            assert refused.run.state is RunState.REVIEWING
            assert any("nowhere" in finding.message for finding in refused.findings)
        async with gateway(parts(tmp_path, addresses)) as client:  # it waits over a restart
            taken = await client.review(run.id, edited(title="My kiosk"))
            events = await events_of(client, run.id)
            files = {
                name: b"".join([chunk async for chunk in client.read_artifact(run.id, name)]).decode()
                for name in ("design.json", "review.diff")
            }
    assert taken.run.state is RunState.DESIGNING
    diff = next(event.detail for event in events if isinstance(event.detail, run_pb2.DesignReviewed)).diff
    assert [line for line in diff.splitlines() if line[0] in "+-"][2:] == [
        '-  "title": "A newspaper kiosk",',
        '+  "title": "My kiosk",',
    ]
    assert (files["review.diff"], json.loads(files["design.json"])["title"]) == (diff, "My kiosk")
    assert script.reports[0].review_diff == diff
    assert script.reports[0].design.title == "My kiosk"
    assert "You edited the design (2 changed lines)." in [event.message for event in events]


async def test_a_coder_that_serves_only_its_own_designs_says_that_it_was_edited(tmp_path):
    script = Script(failures={"WriteEnv": [NoValidEnvironment("The library serves its own designs only.")]})
    async with house(tmp_path, script) as client:
        run = await client.start("Sell newspapers", RunOptions(review=True))
        await waiting(client, run.id)
        await client.review(run.id, edited(title="My kiosk"))
        await events_of(client, run.id)
        after = await client.get(run.id)
    assert after.state is RunState.FAILED
    assert after.reason == ("The design as you edited it could not be built: The library serves its own designs only.")


async def test_what_is_no_design_is_refused_in_a_review_and_the_run_goes_on_waiting(tmp_path):
    async with house(tmp_path, Script()) as client:
        run = await client.start("Sell newspapers", RunOptions(review=True))
        await waiting(client, run.id)
        with pytest.raises(RequestWrong, match="EnvDesign is not valid"):
            await client.review(run.id, design_pb2.EnvDesign(name="kiosk"))
        assert (await client.get(run.id)).state is RunState.REVIEWING


ILL_FITTING: EnvDesign = kiosk().model_copy(update={"fit": LINEAR})


@pytest.mark.parametrize("answer", [LINEAR, ILL_FITTING])
async def test_a_problem_for_another_tool_ends_as_advised_before_any_code(tmp_path, answer):
    script = Script(designs=[answer])
    async with house(tmp_path, script) as client:
        run = await client.start("Sell newspapers")
        events = await events_of(client, run.id)
        after = await client.get(run.id)
    assert (after.state, events[-1].detail.state) == (RunState.ADVISED, run_pb2.RUN_STATE_ADVISED)
    assert "use a linear program: The horizon is one step." in after.reason
    assert script.asked == ["DesignEnv"]


async def test_who_insists_gets_a_policy_all_the_same_and_the_designer_hears_of_it(tmp_path):
    script = Script(designs=[ILL_FITTING])
    async with house(tmp_path, script) as client:
        run = await client.start("Sell newspapers", RunOptions(insist=True))
        await events_of(client, run.id)
        assert (await client.get(run.id)).state is RunState.SUCCEEDED
    assert script.wishes[0].insist


async def test_the_batched_twin_reaches_the_trainer_and_the_report(tmp_path):
    script = Script(twins={"draft 1": "as NumPy"})
    async with house(tmp_path, script) as client:
        await events_of(client, (await client.start("Sell newspapers")).id)
    assert script.trainings[0].twin == "as NumPy"
    assert script.reports[0].drafts[0].twin == "as NumPy"
