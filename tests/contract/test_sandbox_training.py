"""A box does what it is for: it trains with torch in a fork of a runner that has loaded it."""

from __future__ import annotations

import time

import pytest

from kit.sandbox.local_driver import LocalDriver
from tests.contract.box_jobs import python
from tests.contract.conftest import sandbox_python

TRAIN = """
import threading
alone = threading.active_count()
import gymnasium, stable_baselines3, torch
model = stable_baselines3.PPO('MlpPolicy', gymnasium.make('CartPole-v1'), n_steps=128, device='cpu')
model.learn(256)
model.save(OUT_DIR / 'model.zip')
say('result', cuda=torch.version.cuda, threads=torch.get_num_threads(), before=alone)
"""
WORKERS = """
import gymnasium
from stable_baselines3.common.vec_env import SubprocVecEnv
envs = SubprocVecEnv([lambda: gymnasium.make('CartPole-v1')] * 2, start_method='fork')
envs.reset()
for _ in range(10): envs.step([0, 1])
envs.close()
say('result', shape=list(envs.observation_space.shape))
"""


@pytest.mark.docker
async def test_a_warm_box_trains_in_its_fork(docker, tmp_path):
    driver = await docker(warm=1)
    await driver.warmed()
    first = []
    begun = time.monotonic()
    job = python(TRAIN, memory_mib=1024, work_mib=256, wall_s=60, take=("model.zip",))
    result = await driver.run(job, tmp_path, on_said=lambda _: first.append(time.monotonic() - begun))
    assert result.result == {"kind": "result", "cuda": None, "threads": 1, "before": 1}, result.output
    assert result.artifacts["model.zip"].read_bytes()[:2] == b"PK"
    workers = await driver.run(python(WORKERS, memory_mib=1024, work_mib=256, wall_s=60))
    assert workers.result == {"kind": "result", "shape": [4]}, workers.output


@pytest.mark.sandbox
async def test_a_local_box_trains_too(tmp_path):
    interpreter = sandbox_python()
    if interpreter is None:
        pytest.skip("no sandbox virtual environment (make sandbox-venv)")
    driver = LocalDriver(interpreter)
    try:
        job = python(TRAIN, memory_mib=1024, wall_s=60, take=("model.zip",))
        result = await driver.run(job, tmp_path)
        assert result.result is not None, result.output
        assert (result.result["cuda"], result.result["threads"]) == (None, 1)
    finally:
        await driver.close()
