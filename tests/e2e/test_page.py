"""The page in a real browser, on a gateway with fakes for the five services."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from google.protobuf.message import Message
from playwright.async_api import expect

from gateway.http import http_listening
from gateway.opening import opened
from kit.contracts.design import Fit, FitVerdict
from kit.contracts.findings import CheckReport
from kit.contracts.outcomes import (
    Evaluation,
    Interval,
    Ladder,
    LadderRow,
    NamedInterval,
    NamedNumber,
    PolicyKind,
    TrainingReport,
    TrainOutcome,
    Verdict,
    VerdictKind,
)
from tests.e2e.browsing import a_page, a_tab, needs_a_browser, parts
from tests.integration.agents import Gate, Script, agents, error
from tests.unit.designs import kiosk

PROBLEM = "Run a kiosk."
TOKEN = "a token of some length"


def row(policy: str, kind: PolicyKind, profit: float) -> LadderRow:
    def around(value: float) -> Interval:
        return Interval(mean=value, low=value - 0.1, high=value + 0.1)

    metrics = (
        NamedInterval(name="profit", interval=around(profit)),
        NamedInterval(name="service", interval=around(profit / 4)),
    )
    return LadderRow(policy=policy, kind=kind, episodes=100, reward=around(profit * 4), metrics=metrics)


MEASURED = TrainOutcome(
    training=TrainingReport(
        algorithm="PPO",
        why_algorithm="It does for few choices.",
        engine="SB3",
        seed=0,
        n_envs=4,
        total_timesteps=2000,
        hyperparameters=(NamedNumber(name="learning_rate", value=0.0003),),
        evaluations=tuple(
            Evaluation(
                timesteps=steps,
                mean_reward=steps / 500,
                std_reward=0.5,
                episodes=20,
                metrics=(NamedNumber(name="profit", value=steps / 2000), NamedNumber(name="service", value=0.5)),
            )
            for steps in (500, 1000, 2000)
        ),
    ),
    ladder=Ladder(
        rows=(
            row("idle", PolicyKind.IDLE, 0.0),
            row("random", PolicyKind.RANDOM, 0.7),
            row("refill", PolicyKind.BASELINE, 1.25),
            row("trained", PolicyKind.TRAINED, 1.75),
        ),
        first_seed=20000,
    ),
    verdict=Verdict(
        kind=VerdictKind.UNDERTRAINED,
        reason="The reward was still rising.",
        remedy="Train longer.",
        suggested_timesteps=4000,
    ),
)


def wishes(script: Script, request: str) -> list[Message]:
    """What the designer or the coder was asked for."""
    return [wish for wish in script.wishes if wish.DESCRIPTOR.name == request]


async def test_a_run_goes_from_a_sentence_to_a_report_by_the_keyboard_alone(tmp_path: Path) -> None:
    script = Script(outcomes={"draft 1": MEASURED})
    async with a_page(tmp_path, script) as tab:
        await tab.visit()
        await tab.shows("None yet.")
        await tab.is_accessible()
        keys = tab.page.keyboard
        for _ in range(3):  # the way over to the content, the mark, the problem
            await keys.press("Tab")
        await keys.type(PROBLEM)
        await keys.press("Control+Enter")
        await tab.shows_heading("Undertrained")
        shown = tab.page.get_by_role("tab", selected=True)
        await expect(shown).to_have_text("Report")
        await shown.focus()
        for name in ("Progress", "Design", "Code", "Curves", "Ladder", "Files"):
            await keys.press("ArrowRight")
            await expect(shown).to_have_text(name)
            await expect(shown).to_be_focused()
            await tab.is_accessible()
        await keys.press("Home")
        await expect(shown).to_have_text("Report")


async def test_every_tab_shows_what_there_is_of_the_run(tmp_path: Path) -> None:
    script = Script(outcomes={"draft 1": MEASURED})
    async with a_page(tmp_path, script) as tab:
        await tab.start(PROBLEM)
        await tab.shows_heading("Undertrained")
        for name, text in {
            "Progress": "The check passed",
            "Design": "where(obs.stock < 0.5, 2, 0)",
            "Code": "draft 1",
            "Curves": "On validation seeds",
            "Ladder": "on test seeds from 20000 up",
            "Files": "the typed design",
        }.items():
            await tab.open(name)
            await tab.shows(text)
        await tab.press("Train 4,000 steps")
        await tab.shows("Steps asked for")
    assert [training.options.total_timesteps for training in script.trainings] == [0, 4000]


async def test_a_reload_in_the_middle_takes_up_the_same_run(tmp_path: Path) -> None:
    gate = Gate()
    async with a_page(tmp_path, Script(gates={"train": gate})) as tab:
        await tab.start(PROBLEM)
        await asyncio.wait_for(gate.reached.wait(), 20)
        await tab.shows("2,000 of 2,000 steps")
        await tab.is_accessible()
        address = tab.page.url
        await tab.page.reload()
        await tab.shows("2,000 of 2,000 steps")
        assert tab.page.url == address
        gate.open.set()
        await tab.shows_heading("Learned")
        await tab.page.go_back()
        await tab.shows_heading("What should an agent learn?")
        await tab.page.get_by_role("link", name=PROBLEM).click()
        await tab.shows_heading("Learned")


async def test_a_lost_connection_is_said_and_taken_up_after_the_last_event_seen(tmp_path: Path) -> None:
    needs_a_browser()
    gate = Gate()
    async with agents(Script(gates={"train": gate})) as addresses, opened(parts(tmp_path, addresses)) as runs:
        async with http_listening(runs, "127.0.0.1:0") as port:
            pass
        async with a_tab(f"http://127.0.0.1:{port}") as tab:
            async with http_listening(runs, f"127.0.0.1:{port}"):
                await tab.start(PROBLEM)
                await tab.shows("2,000 of 2,000 steps")
            await tab.shows("The connection to the gateway is lost.")
            await tab.is_accessible()
            gate.open.set()
            await tab.press("Try now")
            async with http_listening(runs, f"127.0.0.1:{port}"):
                await tab.shows_heading("Learned")
                await expect(tab.page.get_by_text("is lost")).to_have_count(0)
            watched = [url for url in tab.asked if "/events" in url]
    assert watched[0].endswith("?after=0")
    assert int(watched[-1].rpartition("=")[2]) > 5


async def test_a_run_is_cancelled_after_a_question_by_the_keyboard(tmp_path: Path) -> None:
    gate = Gate()
    script = Script(gates={"train": gate})
    async with a_page(tmp_path, script) as tab:
        await tab.start(PROBLEM)
        await asyncio.wait_for(gate.reached.wait(), 20)
        await tab.page.get_by_role("button", name="Cancel").focus()
        await tab.page.keyboard.press("Enter")
        await tab.shows_heading("Cancel this run?")
        await tab.is_accessible()
        await tab.page.keyboard.press("Escape")
        await expect(tab.page.get_by_role("dialog")).to_have_count(0)
        await tab.press("Cancel")
        await tab.press("Cancel the run")
        await tab.shows_heading("Cancelled")
        await tab.is_accessible()
    assert [key.step for key in script.ended] == ["train-1"]


async def test_the_designers_question_is_answered_and_the_cost_is_shown(tmp_path: Path) -> None:
    script = Script(designs=["How many papers fit?", kiosk()], costs={"DesignEnv": [0.25]})
    async with a_page(tmp_path, script) as tab:
        await tab.start(PROBLEM)
        await tab.shows("How many papers fit?")
        await tab.shows("$0.25")
        await tab.is_accessible()
        await tab.press("Answer")
        await tab.shows("An empty answer does not help the designer.")
        await tab.page.get_by_label("Your answer").fill("Five.")
        await tab.press("Answer")
        await tab.shows_heading("Learned")
        await tab.shows("$0.50")
        await tab.open("Progress")
        await expect(tab.page.get_by_text("Five.")).to_be_visible()
    assert [[each.answer for each in wish.answered] for wish in wishes(script, "DesignEnvRequest")] == [[], ["Five."]]


async def test_a_design_is_edited_against_the_linters_word_and_the_edited_one_is_coded(tmp_path: Path) -> None:
    script = Script()
    async with a_page(tmp_path, script) as tab:
        await tab.visit()
        await tab.page.get_by_label("The problem").fill(PROBLEM)
        await tab.page.get_by_text("Options").click()
        await tab.page.get_by_label("Show me the design").check()
        await tab.press("Start the run")
        await tab.shows_heading("Your review of the design")
        await tab.press("Edit it")
        await tab.is_accessible()
        editor = tab.page.get_by_label("The design as JSON")
        written = await editor.input_value()
        await editor.fill(written + "}")
        await tab.press("Use the edited design")
        await tab.shows("This is not JSON")
        await editor.fill(written.replace('"params.price * state.sold"', '"params.price * state.nowhere"'))
        await tab.press("Use the edited design")
        await tab.shows("The linter does not accept this design")
        await tab.is_accessible()
        await editor.fill(json.dumps(json.loads(written) | {"title": "A bigger kiosk"}, indent=2))
        await tab.page.get_by_text("What you changed").click()
        await expect(tab.page.locator("tr.added")).to_contain_text("A bigger kiosk")
        await tab.press("Use the edited design")
        await tab.shows_heading("Learned")
        await tab.open("Progress")
        await tab.shows("You edited the design.")
    assert [wish.design.title for wish in wishes(script, "WriteEnvRequest")] == ["A bigger kiosk"]


async def test_a_failing_run_shows_what_was_found_at_its_line_and_every_fix(tmp_path: Path) -> None:
    faulty = CheckReport(findings=(error("episodes.reset", line=1),), ran=("static",))
    async with a_page(tmp_path, Script(checks={f"draft {n}": faulty for n in (1, 2, 3)})) as tab:
        await tab.start(PROBLEM)
        await tab.shows_heading("Failed")
        await tab.is_accessible()
        await expect(tab.page.get_by_role("heading", name="The check found 1 error")).to_have_count(3)
        await expect(tab.page.get_by_role("heading", name="Fix 2")).to_be_visible()
        await tab.open("Code")
        await expect(tab.page.locator("tr.faulty")).to_contain_text("draft 3")
        await tab.page.get_by_label("Draft").select_option("1: first draft")
        await expect(tab.page.locator("tr.faulty")).to_contain_text("draft 1")
        await tab.page.get_by_label("Draft").select_option("2: fix 1")
        await tab.press("What changed")
        await expect(tab.page.locator("tr.removed")).to_contain_text("draft 1")
        await tab.is_accessible()
        await tab.page.get_by_role("link", name="Change it and try again").click()
        await expect(tab.page.get_by_label("The problem")).to_have_value(PROBLEM)


async def test_against_the_advice_to_use_another_tool_a_run_can_be_insisted_on(tmp_path: Path) -> None:
    advice = Fit(verdict=FitVerdict.BETTER_TOOL, why="It is known in advance.", better_tool="OR-Tools")
    script = Script(designs=[advice, kiosk()])
    async with a_page(tmp_path, script) as tab:
        await tab.start(PROBLEM)
        await tab.shows("OR-Tools")
        await tab.is_accessible()
        await tab.press("Use reinforcement learning anyway")
        await tab.shows_heading("Learned")
    assert [wish.insist for wish in wishes(script, "DesignEnvRequest")] == [False, True]


async def test_what_a_model_writes_is_shown_as_it_is_written(tmp_path: Path) -> None:
    gate = Gate()
    script = Script(texts={"DesignEnv": ['{"name": ', '"kiosk"']}, gates={"DesignEnv": gate})
    async with a_page(tmp_path, script) as tab:
        await tab.start(PROBLEM)
        written = tab.page.get_by_role("region", name="The design as it is written")
        await expect(written).to_have_text('{"name": "kiosk"')
        await tab.is_accessible()
        gate.open.set()
        await tab.shows_heading("Learned")


async def test_a_gateway_with_a_token_is_entered_with_it_and_no_other(tmp_path: Path) -> None:
    async with a_page(tmp_path, Script(), TOKEN) as tab:
        await tab.visit()
        await tab.shows_heading("This gateway wants a token")
        await tab.is_accessible()
        await tab.page.get_by_label("Token").fill("something else")
        await tab.press("Enter")
        await tab.shows("That is not this gateway's token.")
        await tab.page.get_by_label("Token").fill(TOKEN)
        await tab.press("Enter")
        await tab.start(PROBLEM)
        await tab.shows_heading("Learned")
        await tab.open("Files")
        async with tab.page.expect_download() as coming:
            await tab.page.get_by_role("link", name="design.json").click()
        design = json.loads((await (await coming.value).path()).read_text())
    assert design["name"] == "kiosk"


HOSTILE = "<img src=x onerror=alert(1)><script>alert(2)</script>"
REPORT = f"""# A report

{HOSTILE}

![away](http://elsewhere.example/pixel.png) ![](data:image/png;base64,AAAA)

[a link](javascript:alert(3)) <a href="javascript:alert(4)">another</a>
"""


async def test_hostile_text_stays_text(tmp_path: Path) -> None:
    found = error("static.imports").model_copy(update={"message": HOSTILE, "evidence": HOSTILE})
    script = Script(
        designs=[kiosk().model_copy(update={"title": HOSTILE, "summary": HOSTILE})],
        checks={"draft 1": CheckReport(findings=(found,), ran=(HOSTILE,))},
    )
    async with a_page(tmp_path, script) as tab:
        gate = Gate()
        script.gates["train"] = gate
        await tab.start(PROBLEM)
        await asyncio.wait_for(gate.reached.wait(), 20)
        run_id = tab.page.url.partition("run=")[2]
        (tmp_path / "runs" / run_id / "report.md").write_text(REPORT)
        gate.open.set()
        await tab.shows_heading("A report")
        await tab.shows("a link")
        for name in ("Report", "Progress", "Design", "Code"):
            await tab.open(name)
            if name == "Code":
                await tab.page.get_by_label("Draft").select_option("1: first draft")
            await tab.shows("onerror=alert(1)")
            assert await tab.page.locator("img, [href^=javascript], main script").count() == 0


@pytest.mark.parametrize("path", ["/?run=no-such-run", "/?run=../up"])
async def test_a_run_that_is_not_there_is_said(tmp_path: Path, path: str) -> None:
    async with a_page(tmp_path, Script()) as tab:
        await tab.visit(path)
        await expect(tab.page.get_by_role("heading", level=1)).to_be_visible()
        await tab.shows("All runs")
        await tab.is_accessible()
