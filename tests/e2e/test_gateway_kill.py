"""The gateway's own process, killed and stopped in the middle of runs, and started again."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from gateway.clients import Addresses
from gymwright.async_client import AsyncClient
from gymwright.v1 import run_pb2
from gymwright.views import RunOptions, RunState
from kit.contracts.findings import CheckReport
from tests.integration.agents import Gate, Script, agents, error, nobody_there
from tests.integration.gateways import events_of
from tests.unit.designs import kiosk

ROOT = Path(__file__).parents[2]


class Gateway:
    """`python -m gateway` with a folder of its own, on an address that outlives the process."""

    def __init__(self, folder: Path, addresses: Addresses) -> None:
        self.address = nobody_there()
        self._log = folder / "gateway.log"
        self._environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("GYMWRIGHT_")},
            "GYMWRIGHT_GATEWAY_LISTEN": self.address,
            "GYMWRIGHT_GATEWAY_HTTP_LISTEN": "",
            "GYMWRIGHT_GATEWAY_DATABASE": f"sqlite:///{folder}/gymwright.db",
            "GYMWRIGHT_ARTIFACTS": str(folder / "runs"),
            **{f"GYMWRIGHT_GATEWAY_{name.upper()}": value for name, value in addresses.model_dump().items()},
        }
        self.process: asyncio.subprocess.Process | None = None

    async def start(self) -> None:
        with self._log.open("ab") as log:
            self.process = await asyncio.create_subprocess_exec(
                sys.executable, "-m", "gateway", cwd=ROOT, env=self._environment, stdout=log, stderr=log
            )

    async def end(self, how: signal.Signals) -> int:
        assert self.process is not None
        if self.process.returncode is None:
            self.process.send_signal(how)
        async with asyncio.timeout(20):
            return await self.process.wait()

    @property
    def log(self) -> str:
        return self._log.read_text()


@asynccontextmanager
async def a_gateway(folder: Path, script: Script) -> AsyncIterator[tuple[Gateway, AsyncClient]]:
    async with agents(script) as addresses:
        gateway = Gateway(folder, addresses)
        await gateway.start()
        async with AsyncClient(gateway.address, patience_s=30) as client:
            await _answers(client)
            try:
                yield gateway, client
            finally:
                await gateway.end(signal.SIGKILL)


async def _answers(client: AsyncClient) -> None:
    async with asyncio.timeout(30):
        while True:
            try:
                await client.list()
                return
            except Exception:  # it is still starting
                continue


@pytest.mark.parametrize("goes_on", ["while the gateway is down", "after its restart"])
@pytest.mark.parametrize("stage", ["check", "train"])
async def test_a_gateway_killed_in_a_stage_finishes_the_run_and_repeats_nothing(tmp_path, stage, goes_on):
    gate = Gate()
    script = Script(gates={stage: gate})
    async with a_gateway(tmp_path, script) as (gateway, client):
        run = await client.start("Sell newspapers")
        watching = asyncio.create_task(events_of(client, run.id))
        await gate.reached.wait()
        await asyncio.sleep(0.3)  # let what was said reach the journal
        assert await gateway.end(signal.SIGKILL) == -signal.SIGKILL
        if goes_on == "while the gateway is down":
            gate.open.set()
        await gateway.start()
        await _answers(client)
        gate.open.set()
        async with asyncio.timeout(30):
            events = await watching
        assert (await client.get(run.id)).state is RunState.SUCCEEDED
        assert await events_of(client, run.id) == events
    assert [event.sequence for event in events] == list(range(1, len(events) + 1))
    assert len({event.message for event in events}) == len(events)  # nothing is told twice
    assert [key.step for key in script.keys] == ["check-1", "train-1"]
    assert [script.asked.count(rpc) for rpc in ("DesignEnv", "WriteEnv", "WriteReport")] == [1, 1, 1]
    assert script.ended == []


async def test_a_run_killed_again_and_again_still_counts_its_fixes_right(tmp_path):
    gates = [Gate(), Gate(), Gate()]
    script = Script(
        checks={f"draft {n}": CheckReport(findings=(error("episodes.reset", line=n),)) for n in (1, 2)},
        gates={"check": gates[0]},
    )
    async with a_gateway(tmp_path, script) as (gateway, client):
        run = await client.start("Sell newspapers")
        watching = asyncio.create_task(events_of(client, run.id))
        for number, gate in enumerate(gates):
            await gate.reached.wait()
            await gateway.end(signal.SIGKILL)
            if number + 1 < len(gates):
                script.gates["check"] = gates[number + 1]
            gate.open.set()
            await gateway.start()
            await _answers(client)
        async with asyncio.timeout(30):
            events = await watching
        after = await client.get(run.id)
    assert (after.state, after.fixes) == (RunState.SUCCEEDED, 2)
    assert [event.sequence for event in events] == list(range(1, len(events) + 1))
    assert [key.step for key in script.keys] == ["check-1", "check-2", "check-3", "train-3"]
    assert script.asked.count("RepairEnv") == 2


async def test_a_cancel_that_the_gateway_did_not_live_to_carry_out_is_carried_out_after_its_restart(tmp_path):
    gate = Gate()
    script = Script(gates={"train": gate})
    async with a_gateway(tmp_path, script) as (gateway, client):
        run = await client.start("Sell newspapers")
        await gate.reached.wait()
        await client.cancel(run.id)
        await gateway.end(signal.SIGKILL)
        await gateway.start()
        await _answers(client)
        async with asyncio.timeout(30):
            await events_of(client, run.id)
        assert (await client.get(run.id)).state is RunState.CANCELLED
    assert [key.step for key in script.ended] == ["train-1"]


async def test_a_gateway_killed_while_it_designs_and_while_it_asks_forgets_no_cost_and_no_question(tmp_path):
    gate = Gate()
    script = Script(
        designs=["How many papers fit?", kiosk()],
        texts={"DesignEnv": ["half a"]},
        costs={"DesignEnv": [0.25]},
        gates={"DesignEnv": gate},
    )
    async with a_gateway(tmp_path, script) as (gateway, client):
        run = await client.start("Sell newspapers", RunOptions(max_cost_usd=9.0))
        watching = asyncio.create_task(events_of(client, run.id))
        async for event in client.watch(run.id):
            if isinstance(event.detail, run_pb2.Usage):  # it is in the journal
                break
        await gate.reached.wait()
        await gateway.end(signal.SIGKILL)
        script.gates.clear()
        await gateway.start()
        await _answers(client)
        async for event in client.watch(run.id):
            if event.state is RunState.ASKING:
                break
        await gateway.end(signal.SIGKILL)
        await gateway.start()
        await _answers(client)
        await client.answer(run.id, "Five.")
        async with asyncio.timeout(30):
            events = await watching
        after = await client.get(run.id)
    assert after.state is RunState.SUCCEEDED
    assert (after.spent.calls, after.spent.cost_usd) == (3, 0.75)  # the call that was cut off by the kill is paid too
    assert [usage.cost_usd for usage in script.reports[0].usages] == [0.25] * 3
    designs = [wish for wish in script.wishes if wish.DESCRIPTOR.name == "DesignEnvRequest"]
    assert [wish.budget_usd for wish in designs] == [9.0, 8.75, 8.5]
    texts = [event.detail for event in events if isinstance(event.detail, run_pb2.TextWritten)]
    assert [text.restarts for text in texts] == [False, True, True]
    assert [event.proto.question for event in events if event.proto.question] == ["How many papers fit?"]


async def test_a_gateway_asked_to_stop_ends_with_exit_0_and_leaves_the_box_alone(tmp_path):
    gate = Gate()
    script = Script(gates={"train": gate})
    async with a_gateway(tmp_path, script) as (gateway, client):
        run = await client.start("Sell newspapers")
        watching = asyncio.create_task(events_of(client, run.id))
        await gate.reached.wait()
        assert await gateway.end(signal.SIGTERM) == 0
        assert script.ended == []
        await gateway.start()
        await _answers(client)
        gate.open.set()
        async with asyncio.timeout(30):
            events = await watching
        assert (await client.get(run.id)).state is RunState.SUCCEEDED
        assert "Traceback" not in gateway.log
    assert [event.sequence for event in events] == list(range(1, len(events) + 1))
    assert [key.step for key in script.keys] == ["check-1", "train-1"]


async def test_a_setting_with_a_typing_error_stops_the_start_with_a_sentence(tmp_path):
    gateway = Gateway(tmp_path, Addresses())
    gateway._environment["GYMWRIGHT_GATEWAY_FIXES"] = "3"
    await gateway.start()
    async with asyncio.timeout(20):
        assert await gateway.process.wait() == 1
    assert "Unknown setting GYMWRIGHT_GATEWAY_FIXES" in gateway.log
