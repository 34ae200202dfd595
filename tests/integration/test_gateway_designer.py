"""The gateway with the real designer behind it: a model that asks before it designs, heard by whoever watches."""

from __future__ import annotations

import json
from collections.abc import Callable

from gymwright.v1 import run_pb2
from gymwright.v1.designer_pb2_grpc import add_DesignerServiceServicer_to_server
from gymwright.views import RunState
from kit.contracts.runs import Origin, OriginKind
from kit.llm.chat import Answer, Ask
from kit.rpc.testing import serving_for_test
from services.designer.model_designer import ModelDesigner
from services.designer.servicer import DesignerServicer
from tests.integration.agents import Script, agents
from tests.integration.gateways import events_of, gateway, parts
from tests.unit.designs import kiosk

QUESTION = "How many papers does the kiosk hold?"
ANSWER = "It holds 5 papers."
DESIGN = kiosk().model_dump_json()


class AsksOnce:
    """Designs once it reads the answer to its question."""

    name = "a model that asks"

    async def answer(self, ask: Ask, hear: Callable[[str], None] = lambda piece: None) -> Answer:
        knows = any(ANSWER in message.text for message in ask.messages)
        text = DESIGN if knows else json.dumps({"kind": "QUESTION", "question": QUESTION})
        for start in range(0, len(text), 1000):
            hear(text[start : start + 1000])
        return Answer(text=text, input_tokens=1000, output_tokens=500, usd=0.25)


async def test_a_model_asks_reads_the_answer_and_is_watched_while_it_writes(tmp_path):
    designer = DesignerServicer(ModelDesigner(AsksOnce(), Origin(kind=OriginKind.MODEL, detail="a model")))
    async with (
        agents(Script()) as addresses,
        serving_for_test(lambda server: add_DesignerServiceServicer_to_server(designer, server)) as address,
        gateway(parts(tmp_path, addresses.model_copy(update={"designer": address}))) as client,
    ):
        run = await client.start("Sell newspapers")
        async for event in client.watch(run.id):
            if event.state is RunState.ASKING:
                assert event.proto.question == QUESTION
                await client.answer(run.id, ANSWER)
        events = await events_of(client, run.id)
        after = await client.get(run.id)
    assert (after.state, after.design_name) == (RunState.SUCCEEDED, "kiosk")
    assert (after.spent.calls, after.spent.cost_usd, after.spent.input_tokens) == (2, 0.5, 2000)
    texts = [event.detail for event in events if isinstance(event.detail, run_pb2.TextWritten)]
    begun = [number for number, text in enumerate(texts) if text.restarts]
    assert "".join(text.text for text in texts[begun[-1] :]) == DESIGN
