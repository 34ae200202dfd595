"""`gymwright run` and `gymwright watch`: start a run, follow it, and bring home what it made."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from gymwright.cli.answering import answering, nothing, say_line
from gymwright.cli.ending import Watching, watch_to_end
from gymwright.cli.exits import Exit
from gymwright.cli.following import ask_or_cancel
from gymwright.cli.house import house_for_one_run
from gymwright.cli.options import (
    OUT,
    AsJson,
    Gateway,
    NoWait,
    Out,
    RequireLearned,
    RunId,
    TensorBoardLog,
    connect,
    hyperparameters_of,
)
from gymwright.cli.problems import read_problem
from gymwright.cli.telling import say_json
from gymwright.cli.upping import DATA
from gymwright.client import GATEWAY
from gymwright.errors import RequestWrong
from gymwright.run_ids import new_run_id
from gymwright.views import RunOptions

ADVICE = "By default, as the design advises."


@answering
def run(
    problem: Annotated[
        str | None, typer.Argument(metavar="PROBLEM", help="What the agent should learn; - reads it from stdin.")
    ] = None,
    file: Annotated[Path | None, typer.Option(metavar="FILE", help="Read the problem from a file.")] = None,
    total_timesteps: Annotated[
        int | None,
        typer.Option("--total-timesteps", "--timesteps", metavar="N", min=1, help=f"Steps of training. {ADVICE}"),
    ] = None,
    n_envs: Annotated[
        int | None, typer.Option(metavar="N", min=1, max=256, help=f"Environments at a time. {ADVICE}")
    ] = None,
    seed: Annotated[int, typer.Option(metavar="N", min=0, max=2**31 - 1, help="Same seed, same training.")] = 0,
    seeds: Annotated[
        int, typer.Option(metavar="N", min=1, max=20, help="Policies to train; the median one is kept.")
    ] = 1,
    tune: Annotated[
        int, typer.Option(metavar="N", min=0, max=200, help="Trials of a search for hyperparameters first.")
    ] = 0,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="A hyperparameter, for example learning_rate=3e-4."),
    ] = None,
    review: Annotated[
        bool, typer.Option("--review", help="Wait after the design until you accept or edit it.")
    ] = False,
    insist: Annotated[bool, typer.Option("--insist", help="Go on where another tool is advised.")] = False,
    max_cost: Annotated[
        float | None, typer.Option(metavar="USD", help="At most this much for language models.")
    ] = None,
    tensorboard_log: TensorBoardLog = None,
    out: Out = OUT,
    gateway: Gateway = GATEWAY,
    local: Annotated[bool, typer.Option("--local", help="Start all services for this run, then stop them.")] = False,
    script: Annotated[
        Path | None, typer.Option(metavar="DIR", help="With --local: prepared drafts that stand in for the coder's.")
    ] = None,
    detach: Annotated[bool, typer.Option("--detach", help="Start the run, print its id, and leave.")] = False,
    no_wait: NoWait = False,
    require_learned: RequireLearned = False,
    as_json: AsJson = False,
) -> int:
    """From a problem in plain English to a policy. Designs, builds, checks, trains, and reports with evidence."""
    if local and (detach or no_wait):
        leaving = "--detach" if detach else "--no-wait"
        raise RequestWrong(f"--local and {leaving} exclude each other: the services would end with this command.")
    if script is not None and not (local and script.is_dir()):
        raise RequestWrong(f"--script {script}: needs --local, and a folder of prepared drafts.")
    options = RunOptions(
        total_timesteps=total_timesteps,
        n_envs=n_envs,
        seed=seed,
        seeds=seeds,
        tuning_trials=tune,
        hyperparameters=hyperparameters_of(settings or []),
        review=review,
        insist=insist,
        max_cost_usd=max_cost,
    )
    text = read_problem(problem, file)
    run_id = new_run_id(text)
    watching = Watching(gateway, as_json, out, tensorboard_log, require_learned, not no_wait)
    with ExitStack() as stack:
        if local:
            say = nothing if as_json else say_line
            if script is not None:
                say(f"The drafts are prepared ({script}), with faults put in on purpose; no model wrote them.")
            house = stack.enter_context(house_for_one_run(DATA / "local" / run_id, script, say))
            watching = watching.in_house(house.gateway, house.check, ask_or_cancel)
        client = stack.enter_context(connect(watching.gateway))
        started = client.start(text, options, run_id)
        if not detach:
            return watch_to_end(client, started, watching)
        if as_json:
            say_json(started.proto)
        else:
            typer.echo(started.id)
        return Exit.DONE


@answering
def watch(
    run_id: RunId,
    tensorboard_log: TensorBoardLog = None,
    out: Out = OUT,
    gateway: Gateway = GATEWAY,
    no_wait: NoWait = False,
    require_learned: RequireLearned = False,
    as_json: AsJson = False,
) -> int:
    """Follow a run, then fetch what it made. It is told from its beginning."""
    watching = Watching(gateway, as_json, out, tensorboard_log, require_learned, not no_wait)
    with connect(gateway) as client:
        return watch_to_end(client, client.get(run_id), watching)
