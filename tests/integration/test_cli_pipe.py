"""The command line on pipes: plain lines, JSON lines, exit codes, and one sentence for every failure."""

from __future__ import annotations

import asyncio
import json

import pytest
from google.protobuf.json_format import Parse

from gymwright.v1 import outcomes_pb2, run_pb2
from tests.integration import scripts
from tests.integration.fake_gateway import Play, fake_gateway
from tests.integration.terminals import COMMAND, Ended, environment, piped

PROBLEM = "Optimise hospital shift scheduling"


def lines_of(ended: Ended) -> list[str]:
    return [line.rstrip() for line in ended.out.splitlines()]


async def test_a_run_in_a_pipe_is_told_in_plain_lines_and_brings_its_files_home(tmp_path) -> None:
    async with fake_gateway() as (address, fake):
        ended = await piped(
            "run", PROBLEM, "--gateway", address, "--tensorboard-log", "tb", cwd=tmp_path, FORCE_COLOR="1"
        )
        run_id = next(iter(fake.runs))
    assert (ended.code, ended.err) == (0, "")
    assert [sign for sign in ended.out if not sign.isprintable() and sign != "\n"] == []
    for line in (
        "check: 1 error",
        "fix 1 of 2",
        "check: passed, 40 episodes, 9,312 steps",
        "train: 15,000 of 30,000 steps, 2,140 steps/s, 0:07 left, reward -25.00, patients unseen 6.50",
        " trained                      4.20 [3.89, 4.51]      -12.4 [-13.6, -11.2]",
        f" Everything lies in runs/{run_id}/",
    ):
        assert line in lines_of(ended), line
    assert (tmp_path / "runs" / run_id / "report.md").read_bytes() == fake.play.files["report.md"]
    assert (tmp_path / "tb" / run_id / "events.out.1").read_bytes() == b"board"


async def test_json_is_one_event_a_line_with_the_protos_names_and_nothing_else(tmp_path) -> None:
    async with fake_gateway() as (address, fake):
        ended = await piped("run", PROBLEM, "--gateway", address, "--json", cwd=tmp_path)
        events = [Parse(line, run_pb2.RunEvent()) for line in ended.out.splitlines()]
        assert [event.sequence for event in events] == [event.sequence for event in fake.play.script]
        assert events[-2].state == run_pb2.RUN_STATE_REPORTING
        assert json.loads(ended.out.splitlines()[2])["design_written"]["design"]["name"] == "hospital_shifts"
        assert (ended.code, ended.err) == (0, "")
        assert (tmp_path / "runs" / next(iter(fake.runs)) / "policy.onnx").exists()


async def test_a_run_that_failed_says_why_and_exits_with_1(tmp_path) -> None:
    async with fake_gateway(Play(script=scripts.failing())) as (address, _):
        ended = await piped("run", PROBLEM, "--gateway", address, cwd=tmp_path)
    assert ended.code == 1
    assert " FAILED  2 fixes were not enough: observation.formula, line 84." in lines_of(ended)


@pytest.mark.parametrize(
    ("verdict", "arguments", "code"),
    [
        (outcomes_pb2.VERDICT_KIND_LEARNED, ["--require-learned"], 0),
        (outcomes_pb2.VERDICT_KIND_NO_BETTER_THAN_BASELINE, ["--require-learned"], 5),
        (outcomes_pb2.VERDICT_KIND_NO_BETTER_THAN_BASELINE, [], 0),  # an honest verdict is a success
    ],
)
async def test_the_verdict_counts_only_where_it_is_asked_for(tmp_path, verdict, arguments, code) -> None:
    script = scripts.with_a_fix()
    script[-3].trained.verdict.kind = verdict
    async with fake_gateway(Play(script=script)) as (address, _):
        assert (await piped("run", PROBLEM, "--gateway", address, *arguments, cwd=tmp_path)).code == code


async def test_a_question_in_a_pipe_is_told_with_how_to_answer_it_and_the_run_is_watched_on(tmp_path) -> None:
    async with fake_gateway(Play(script=scripts.asking())) as (address, fake):
        watched = asyncio.create_task(piped("run", PROBLEM, "--gateway", address, cwd=tmp_path))
        await asyncio.wait_for(fake.waiting.wait(), 60)
        (run_id,) = fake.runs
        shown = await piped("show", run_id, "--gateway", address, cwd=tmp_path)
        answered = await piped("answer", run_id, "Thirty.", "--gateway", address, cwd=tmp_path)
        ended = await watched
    assert "The designer asks: How many beds has the ward?" in lines_of(ended)
    assert ended.err == f'gymwright: Answer it: gymwright answer {run_id} --gateway {address} "..."\n'
    assert f"gymwright answer {run_id}" in shown.out
    assert (answered.code, answered.out, fake.answers) == (0, f"{run_id} is designing.\n", ["Thirty."])
    assert ended.code == 0


@pytest.mark.parametrize("script", [scripts.asking, scripts.reviewing])
async def test_who_will_not_wait_leaves_with_7_and_knows_how_to_reply(tmp_path, script) -> None:
    async with fake_gateway(Play(script=script())) as (address, fake):
        ended = await piped("run", PROBLEM, "--gateway", address, "--no-wait", cwd=tmp_path)
        (run_id,) = fake.runs
        watched = await piped("watch", run_id, "--gateway", address, "--no-wait", cwd=tmp_path)
    assert (ended.code, watched.code, fake.cancelled.is_set()) == (7, 7, False)
    assert ended.err.startswith("gymwright: The run waits for you.\n") and run_id in ended.err


async def test_a_review_by_file_is_taken_once_the_linter_finds_no_error(tmp_path) -> None:
    async with fake_gateway(Play(script=scripts.reviewing())) as (address, fake):
        at = ("--gateway", address)
        await piped("run", PROBLEM, *at, "--review", "--no-wait", cwd=tmp_path)
        (run_id,) = fake.runs
        assert fake.runs[run_id].options.review
        (tmp_path / "design.json").write_text('{"title": "broken"}')
        refused = await piped("review", run_id, *at, "--file", "design.json", cwd=tmp_path)
        assert (refused.code, fake.reviews) == (1, []) and "observation.formula" in refused.out
        (tmp_path / "design.json").write_text('{"title": "Mine"}')
        assert (await piped("review", run_id, *at, "--file", "design.json", cwd=tmp_path)).code == 0
        again = await piped("review", run_id, *at, "--accept", cwd=tmp_path)
        assert (again.code, again.err) == (1, f"gymwright: The run {run_id} has no design to review.\n")
    assert [design.title for design in fake.reviews] == ["Mine"]


async def test_the_advice_of_another_tool_exits_with_6(tmp_path) -> None:
    async with fake_gateway(Play(script=scripts.advised())) as (address, _):
        ended = await piped("run", PROBLEM, "--gateway", address, cwd=tmp_path)
    assert ended.code == 6
    assert " ADVISED  Use a linear program: one step has no future." in lines_of(ended)


async def test_every_option_of_a_run_reaches_the_gateway(tmp_path) -> None:
    options = ["--total-timesteps", "5000", "--n-envs", "2", "--seed", "7", "--seeds", "3", "--tune", "10"]
    options += ["--insist", "--review", "--max-cost", "1.5"]
    named = ("--set", "learning_rate=3e-4", "--set", "gamma=0.9")
    async with fake_gateway() as (address, fake):
        await piped("run", PROBLEM, "--gateway", address, "--detach", *options, *named, cwd=tmp_path)
        (run,) = fake.runs.values()
    asked = run.options
    assert (asked.total_timesteps, asked.n_envs, asked.seed, asked.seeds, asked.tuning_trials) == (5000, 2, 7, 3, 10)
    assert (asked.insist, asked.review, asked.max_cost_usd) == (True, True, 1.5)
    assert {one.name: one.value for one in asked.hyperparameters} == {"learning_rate": 3e-4, "gamma": 0.9}


async def test_what_a_model_writes_does_not_fill_a_pipe_but_what_it_took_is_said(tmp_path) -> None:
    async with fake_gateway(Play(script=scripts.written())) as (address, _):
        ended = await piped("run", PROBLEM, "--gateway", address, cwd=tmp_path)
    assert "being written" not in ended.out
    assert " Language models: 1 call, 2,000 tokens, $0.0123" in lines_of(ended)


async def test_a_detached_run_is_watched_cancelled_and_listed_by_its_id(tmp_path) -> None:
    async with fake_gateway(Play(pause_after=4)) as (address, _):
        at = ("--gateway", address)
        run_id = (await piped("run", PROBLEM, *at, "--detach", cwd=tmp_path)).out.strip()
        watched = asyncio.create_task(piped("watch", run_id, *at, cwd=tmp_path))
        cancelled = await piped("cancel", run_id, *at, cwd=tmp_path)
        assert (cancelled.code, cancelled.out) == (0, f"{run_id} is cancelling.\n")
        ended = await watched
        assert (ended.code, "CANCELLED  You cancelled it." in ended.out) == (4, True)
        again = await piped("cancel", run_id, *at, cwd=tmp_path)
        assert (again.code, again.err) == (1, f"gymwright: The run {run_id} is over.\n")
        assert run_id in (await piped("list", *at, cwd=tmp_path)).out
        shown = await piped("show", run_id, *at, cwd=tmp_path)
        assert (shown.code, "CANCELLED  You cancelled it." in shown.out) == (0, True)
        assert "policy.onnx" in (await piped("artifacts", run_id, *at, cwd=tmp_path)).out
        await piped("artifacts", run_id, *at, "--download", "here", cwd=tmp_path)
        assert (tmp_path / "here" / run_id / "policy.onnx").is_file()


async def test_ctrl_c_in_a_pipe_detaches_and_says_how_to_cancel(tmp_path) -> None:
    async with fake_gateway(Play(pause_after=4)) as (address, fake):
        ended = await piped("run", PROBLEM, "--gateway", address, cwd=tmp_path, interrupt_at="code: first draft")
        run_id = next(iter(fake.runs))
        assert (ended.code, fake.cancelled.is_set()) == (130, False)
    assert f"Cancel it: gymwright cancel {run_id} --gateway {address}" in ended.err


async def test_a_broken_stream_is_told_once_and_nothing_is_told_twice(tmp_path) -> None:
    async with fake_gateway(Play(drop_after=[4, 9])) as (address, _):
        ended = await piped("run", PROBLEM, "--gateway", address, cwd=tmp_path)
    lines = ended.out.splitlines()
    assert (ended.code, lines.count("code: first draft, 212 lines"), lines.count("fix 1 of 2")) == (0, 1, 1)
    assert lines.count("The stream broke. Trying again.") == 2


async def test_text_of_a_candidate_can_not_move_the_cursor(tmp_path) -> None:
    script = scripts.with_a_fix()
    script[5].finding.message = "\x1b[2J\x1b]0;owned\x07 [bold]loud[/bold] \u202eright to left"
    async with fake_gateway(Play(script=script)) as (address, _):
        ended = await piped("run", PROBLEM, "--gateway", address, cwd=tmp_path)
    assert "[2J ]0;owned [bold]loud[/bold] right to left" in ended.out
    assert not {"\x1b", "\x07", "\u202e"} & set(ended.out)


async def test_a_reader_that_leaves_early_is_no_failure(tmp_path) -> None:
    async with fake_gateway() as (address, _):
        command = '"$@" 2>&1 >/dev/full | head -c 300; "$@" | head -1'
        process = await asyncio.create_subprocess_exec(
            "sh", "-c", command, "sh", *COMMAND, "run", PROBLEM, "--gateway", address,
            cwd=tmp_path, env=environment(), stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
        )  # fmt: skip
        out, _ = await process.communicate()
    assert "Traceback" not in out.decode() and "No space left" in out.decode()


@pytest.mark.parametrize(
    ("arguments", "stdin", "code", "said"),
    [
        (["run"], b"", 2, "Say what the agent should learn"),
        (["run", ""], b"", 2, "The problem is empty"),
        (["run", "-"], b"x" * 1_000_000, 2, "over 200,000 bytes"),
        (["run", "-"], b"\xff\xfe\x00", 2, "not text in UTF-8"),
        (["run", "--file", "nowhere.txt"], b"", 2, "nowhere.txt can't be read: No such file or directory."),
        (["run", "a problem", "--local", "--detach"], b"", 2, "exclude each other"),
        (["run", "a problem", "--local", "--no-wait"], b"", 2, "exclude each other"),
        (["run", "a problem", "--set", "learning_rate"], b"", 2, "say NAME=NUMBER"),
        (["review", "hospital-1"], b"", 2, "either --accept or --file"),
        (["run", "a problem", "--gateway", "localhost"], b"", 2, "an address is HOST:PORT"),
        (
            ["run", "a problem", "--gateway", "127.0.0.1:1"],
            b"",
            3,
            "can't be reached; is it running? Start",
        ),
        (["show", "../../etc/passwd"], b"", 2, "is not the id of a run"),
        (["check", "nowhere.py"], b"", 2, "There is no file nowhere.py."),
    ],
)
async def test_what_can_not_be_done_is_said_in_one_sentence(tmp_path, arguments, stdin, code, said) -> None:
    ended = await piped(*arguments, stdin=stdin, cwd=tmp_path)
    assert (ended.code, ended.out, ended.err.count("\n")) == (code, "", 1)
    assert ended.err.startswith("gymwright: ") and said in ended.err


async def test_what_the_gateway_refuses_is_said_in_its_own_words(tmp_path) -> None:
    async with fake_gateway() as (address, _):
        unknown = await piped("watch", "no-such-run", "--gateway", address, cwd=tmp_path)
        refused = await piped("run", "reject me", "--gateway", address, cwd=tmp_path)
    assert (unknown.code, unknown.err) == (2, "gymwright: No run has the id no-such-run.\n")
    assert (refused.code, refused.err) == (2, "gymwright: The problem is not one.\n")


async def test_a_problem_comes_from_a_file_or_from_stdin(tmp_path) -> None:
    (tmp_path / "problem.txt").write_text(PROBLEM)
    async with fake_gateway() as (address, fake):
        await piped("run", "--file", "problem.txt", "--gateway", address, "--detach", cwd=tmp_path)
        await piped("run", "-", "--gateway", address, "--detach", stdin=PROBLEM.encode(), cwd=tmp_path)
        assert [run.problem for run in fake.runs.values()] == [PROBLEM, PROBLEM]
