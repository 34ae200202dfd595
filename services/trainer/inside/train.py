"""Box 1: train on the candidate, choose the best policy on the validation seeds, export it; all of it a claim."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any, Final

import torch
from stable_baselines3.common import logger as sb3_logger
from stable_baselines3.common.vec_env import VecEnv

from kit.contracts.formulas import compile_design
from kit.contracts.outcomes import NamedNumber, TrainingReport
from kit.inside.saying import IN_DIR, OUT_DIR, TMP_DIR, Say
from services.trainer.inside import export, halfway, leaving, sights
from services.trainer.inside.candidate import load
from services.trainer.inside.checkpoints import Checkpoints, Kind, Scene
from services.trainer.inside.copies import copies_for
from services.trainer.inside.engines.auto import choose
from services.trainer.inside.episodes import Episodes
from services.trainer.inside.evaluation import Evaluations
from services.trainer.inside.faults import CandidateBroke
from services.trainer.inside.halfway import HalfWay
from services.trainer.inside.harvest import Harvest
from services.trainer.inside.hyperparameters import HyperparameterRefused, plan
from services.trainer.inside.keeping import Clock, Keeping
from services.trainer.inside.levels import Levels
from services.trainer.inside.payloads import (
    CHECKPOINT_FILE,
    HALF_FILE,
    POLICY_FILE,
    SEEDS,
    TRAINING_SEED,
    CpuSpent,
    TrainClaim,
    TrainPayload,
)
from services.trainer.inside.pilot import sized
from services.trainer.inside.pruning import Pruning
from services.trainer.inside.resuming import CantResume, resume
from services.trainer.inside.rows import Layout
from services.trainer.inside.shaping import Shaping
from services.trainer.inside.steps_file import StepsFile
from services.trainer.inside.stopping import Stopping
from services.trainer.inside.twin_recorder import TwinBroke
from services.trainer.inside.watchdog import Watchdog

MONITORS: Final = TMP_DIR / "monitors"
EVENTS: Final = TMP_DIR / "tensorboard"
STEPS_FILE_BYTES: Final = 96 * 2**20


def main(payload: dict[str, object], say: Say) -> None:
    """Says progress while it trains, findings where the candidate broke, and a TrainClaim as its result."""
    asked = TrainPayload.model_validate_json(json.dumps(payload))
    torch.set_num_threads(1)
    recorders: list[Any] = []
    try:
        with Watchdog(lambda: sum(recorder.moments for recorder in recorders)):
            claim = _trained(asked, recorders, say)
    except CandidateBroke as broke:
        claim = TrainClaim(findings=(broke.finding,))
    except HyperparameterRefused as refused:
        claim = TrainClaim(findings=(leaving.refused(refused),))
    for finding in claim.findings:
        say("finding", **finding.model_dump(mode="json"))
    say("result", **claim.model_dump(mode="json"))


def _trained(asked: TrainPayload, recorders: list[Any], say: Say) -> TrainClaim:
    """From the checkpoint, if there is one that can be used, and on the twin, if it keeps what its proof promised."""
    given = IN_DIR / CHECKPOINT_FILE
    checkpoint, twin_before, not_resumed = given if given.is_file() else None, "", ""
    while True:
        try:
            claim = train(asked, recorders, say, twin_before, checkpoint)
            return claim.model_copy(update={"not_resumed": not_resumed})
        except TwinBroke as broke:  # proved equal, and yet: the scalar environment is what counts
            asked, twin_before = asked.model_copy(update={"twin": ""}), f"set aside: {broke}"
        except CantResume as reason:
            not_resumed = str(reason)
        checkpoint = None
        leaving.clear(OUT_DIR, MONITORS, EVENTS)


def train(
    asked: TrainPayload, watched: list[Any], say: Say, twin_before: str = "", checkpoint: Path | None = None
) -> TrainClaim:
    """From the candidate to the files in OUT_DIR; raises CandidateBroke where it can't be trained on, TwinBroke where
    the twin fails after its proof, CantResume where nothing can be made of the checkpoint.

    watched: gets every recorder as it is made. twin_before: why an earlier try did without its twin. checkpoint: where
    to go on from.
    """
    design = asked.design
    settings = plan(design, asked.seed, asked.total_timesteps, asked.n_envs, asked.hyperparameters)
    program, layout = compile_design(design), Layout(design)
    episodes = Episodes(program, layout)
    make = load(asked.source, design)

    # The environments of the training: logged, monitored, seeded apart from validation and test.
    began, cpu_began = time.monotonic(), time.process_time()
    copies = copies_for(asked, settings, make, layout, watched, MONITORS)
    settings, recorders = copies.plan, copies.recorders
    cpu_proof = time.process_time() - cpu_began
    venv: VecEnv = copies.venv
    shaping: Shaping | None = None
    if program.potential is not None:
        venv = shaping = Shaping(venv, recorders, program, layout)
    chosen = choose(settings, venv)
    model = chosen.model
    model.get_env().seed(TRAINING_SEED + SEEDS * settings.seed % 2**31)  # some generators take no more
    model.set_logger(sb3_logger.configure(str(EVENTS), ["tensorboard"]))

    # What watches it.
    steps = StepsFile(OUT_DIR / "steps.parquet", layout, STEPS_FILE_BYTES)
    cpu_began = time.process_time()
    size = sized(asked, settings.total_timesteps, make, copies.make_twin, program, layout, watched)
    cpu_pilot = time.process_time() - cpu_began
    levels = Levels(make, design, layout, episodes, size.episodes, recorders, watched)
    evaluations = Evaluations(
        make, copies.make_twin, design, layout, episodes, size.episodes, OUT_DIR / "results.csv", levels
    )
    watched += evaluations.recorders
    evaluate = evaluations.callback(design.action.masked, settings.total_timesteps, settings.n_envs)
    deadline = time.monotonic() + asked.wall_s
    harvest = Harvest(recorders, episodes, steps, design, settings.total_timesteps, deadline, say, lambda: levels.name)
    half = HalfWay(settings.total_timesteps)
    pruning = Pruning(asked.bars, design.metrics[0], evaluations.done)
    stopping = Stopping(int(settings.values.get("early_stop", 0)), evaluations.done)
    ready_s, clock = time.monotonic() - began, Clock()

    # All that a checkpoint holds, and what it says it is of.
    kind = Kind(
        engine=chosen.engine,
        algorithm=settings.algorithm.name,
        n_envs=settings.n_envs,
        total_timesteps=settings.total_timesteps,
        twin=copies.make_twin is not None,
    )
    parts: dict[str, Keeping] = {"harvest": harvest, "evaluations": evaluations, "evaluate": evaluate}
    parts |= {"half": half, "pruning": pruning, "clock": clock, "levels": levels}
    parts |= {"shaping": shaping} if shaping else {}
    scene = Scene(kind, copies.venv, parts, MONITORS, EVENTS)
    every = max(settings.total_timesteps // 10 // settings.n_envs, 1)
    checkpoints = parts["checkpoints"] = Checkpoints(every, OUT_DIR, scene, say, asked.leave_every_s)
    if checkpoint is not None:
        checkpoints.resumed += (resume(checkpoint, model, scene),)

    left = settings.total_timesteps - model.num_timesteps
    watching = [harvest, evaluate, checkpoints, half, pruning, stopping]
    model.learn(left, callback=watching, reset_num_timesteps=not checkpoints.resumed)
    if pruning.pruned:
        return TrainClaim(pruned=True)
    wall_s, cpu_learning = ready_s + clock.wall_s, clock.cpu_s
    if not evaluations.done or evaluations.done[-1].timesteps != model.num_timesteps:
        evaluate.eval_freq = 1
        evaluate.on_step()
    steps.close()
    model.logger.close()

    # The best policy on the validation seeds is the one that leaves the box.
    assert evaluations.best is not None
    model.set_parameters(evaluations.best)
    model.save(OUT_DIR / "model.zip")
    cpu_began = time.process_time()
    onnx = export.export(model, design)
    (OUT_DIR / POLICY_FILE).write_bytes(onnx)
    visited = sights.visited(program, layout, evaluations.visited)
    masks = evaluations.visited_masks(program, len(visited))
    parity = export.parity(model, design, onnx, visited, masks)
    if half.parameters is not None:
        model.set_parameters(half.parameters)
        (OUT_DIR / HALF_FILE).write_bytes(halfway.exported(model, design, onnx, visited, masks))
    cpu_export = time.process_time() - cpu_began
    (OUT_DIR / "monitor.csv").write_text(leaving.monitored(MONITORS))
    (OUT_DIR / "tensorboard.events").write_bytes(leaving.events(EVENTS))

    return TrainClaim(
        findings=leaving.reward_differs(harvest.gap) + levels.unfinished(model.num_timesteps),
        report=TrainingReport(
            algorithm=settings.algorithm.name,
            why_algorithm=settings.algorithm.why,
            engine=chosen.engine,
            seed=settings.seed,
            n_envs=settings.n_envs,
            total_timesteps=model.num_timesteps,
            hyperparameters=tuple(
                NamedNumber(name=name, value=value)
                for name, value in sorted({**settings.values, "eval_episodes": size.episodes}.items())
            ),
            wall_s=wall_s,
            steps_per_s=model.num_timesteps / max(wall_s, 1e-9),
            evaluations=tuple(evaluations.done),
            components=leaving.shares(design, harvest.curve),
            twin=twin_before or copies.twin,
        ),
        curve=tuple(harvest.curve),
        parity=parity,
        chosen_at=evaluations.best_at,
        stopped_early=_why_early(asked, harvest.overdue, stopping, model.num_timesteps >= settings.total_timesteps),
        steps_recorded=steps.rows,
        cpu_s=CpuSpent(
            training=cpu_proof + cpu_learning - harvest.cpu_s - evaluate.cpu_s,
            evaluation=cpu_pilot + evaluate.cpu_s,
            logging=harvest.cpu_s,
            export=cpu_export,
        ),
        trained_with=leaving.trained_with(asked),
        resumed=checkpoints.resumed,
        why_engine=chosen.why,
        why_episodes=size.why,
    )


def _why_early(asked: TrainPayload, overdue: bool, stopping: Stopping, whole: bool) -> str:
    if overdue:
        return f"its time of {asked.wall_s:g} s was over"
    return "" if whole else stopping.why
