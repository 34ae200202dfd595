"""What becomes of a training whose box ends badly, or lies: always an answer with a finding, never an error."""

from __future__ import annotations

import pytest

from gymwright.errors import SandboxUnavailable
from kit.contracts.findings import Blame, Severity
from kit.sandbox.jobs import Ending, JobResult
from services.trainer.training import Training, TrainSettings
from tests.corridors import corridor, source_for

PROGRESS = {"kind": "progress", "timesteps": 512, "total_timesteps": 3000, "steps_per_s": 100.0, "mean_reward": 1.0}
REPORT = {
    "algorithm": "PPO",
    "why_algorithm": "a test",
    "engine": "sb3",
    "seed": 0,
    "n_envs": 1,
    "total_timesteps": 3000,
}


class OneEnding:
    """A driver whose every box ends in the given way, having said and left the given things."""

    def __init__(self, result: JobResult, said: tuple = (), files: tuple[str, ...] = ()) -> None:
        self.result, self.said, self.files = result, said, files
        self.jobs: list[str] = []

    async def run(self, job, artifacts_into=None, on_said=lambda said: None):
        self.jobs.append(job.entry)
        for one in self.said:
            on_said(one)
        for name in self.files:
            (artifacts_into / name).write_bytes(b"x")
        return self.result

    async def check(self): ...

    async def close(self): ...


class NoBox(OneEnding):
    async def run(self, job, artifacts_into=None, on_said=lambda said: None):
        self.jobs.append(job.entry)
        raise SandboxUnavailable("the engine is down")


async def trained(driver, into, **options):
    return await Training(driver, pauses_s=(0.0, 0.0)).train(
        source_for("DISCRETE"), corridor("DISCRETE"), TrainSettings(), into, **options
    )


@pytest.mark.parametrize(
    ("ending", "check"),
    [
        (Ending.OVERRAN, "training.overran"),
        (Ending.OUT_OF_MEMORY, "training.out_of_memory"),
        (Ending.KILLED, "training.killed"),
        (Ending.EXITED, "training.no_result"),
    ],
)
async def test_a_box_without_a_result_is_a_finding_against_the_code(tmp_path, ending, check):
    result = JobResult(ending=ending, exit_code=1, output="the last words", wall_s=3.0)
    outcome = await trained(OneEnding(result, said=(PROGRESS,)), tmp_path)
    (finding,) = outcome.findings
    assert (finding.check, finding.severity, finding.blame) == (check, Severity.ERROR, Blame.CODE)
    assert "512 of 3000 steps" in finding.evidence
    assert "the last words" in finding.evidence
    assert not outcome.trained


@pytest.mark.parametrize(
    "said",
    [
        {"kind": "result"} | {"report": {**REPORT, "surprise": 1}},
        {"kind": "result"} | {"report": REPORT, "chosen_at": -1},
        {"kind": "result"} | {"findings": "none"},
    ],
)
async def test_a_result_that_is_not_what_it_must_be_is_no_result(tmp_path, said):
    outcome = await trained(OneEnding(JobResult(ending=Ending.EXITED, exit_code=0, result=said)), tmp_path)
    assert [finding.check for finding in outcome.findings] == ["training.no_result"]


async def test_a_box_that_claims_success_and_leaves_no_policy_has_failed(tmp_path):
    result = JobResult(ending=Ending.EXITED, exit_code=0, result={"kind": "result", "report": REPORT})
    driver = OneEnding(result)
    outcome = await trained(driver, tmp_path)
    assert [finding.check for finding in outcome.findings] == ["training.no_result"]
    assert driver.jobs == ["services.trainer.inside.train"]


async def test_a_second_box_that_fails_leaves_the_training_without_a_verdict(tmp_path):
    result = JobResult(ending=Ending.EXITED, exit_code=0, result={"kind": "result", "report": REPORT})
    driver = OneEnding(result, files=("policy.onnx",))
    original = driver.run

    async def run(job, artifacts_into=None, on_said=lambda said: None):
        if job.entry.endswith("ladder"):
            return JobResult(ending=Ending.OUT_OF_MEMORY)
        return await original(job, artifacts_into, on_said)

    driver.run = run
    outcome = await trained(driver, tmp_path)
    assert [finding.check for finding in outcome.findings] == ["ladder.out_of_memory"]
    assert outcome.training is not None
    assert outcome.verdict is None
    assert {artifact.name for artifact in outcome.artifacts} == {"policy.onnx", "training.json"}


async def test_an_engine_that_stays_away_is_asked_a_few_times_and_passes_through(tmp_path):
    driver, notes = NoBox(JobResult(ending=Ending.EXITED)), []
    with pytest.raises(SandboxUnavailable, match="the engine is down"):
        await trained(driver, tmp_path, on_note=notes.append)
    assert len(driver.jobs) == 3
    assert notes == ["training"] + ["training: the engine is down; trying again in 0 s"] * 2


async def test_a_flood_of_progress_does_not_reach_the_watchers(tmp_path):
    heard = []
    await trained(
        OneEnding(JobResult(ending=Ending.KILLED), said=(PROGRESS,) * 5000), tmp_path, on_progress=heard.append
    )
    assert len(heard) < 10


async def test_progress_that_is_nonsense_is_not_passed_on(tmp_path):
    heard = []
    said = (PROGRESS, {"kind": "progress", "timesteps": "many"}, {"kind": "chatter"})
    driver = OneEnding(JobResult(ending=Ending.KILLED), said=said)
    await trained(driver, tmp_path, on_progress=heard.append)
    assert [progress.timesteps for progress in heard] == [512]
