"""The coder's room: turns designs into environments, on port 50052."""

from __future__ import annotations

import asyncio

from pydantic import DirectoryPath, PositiveInt

from gymwright.v1.coder_pb2_grpc import add_CoderServiceServicer_to_server
from kit.contracts.runs import Origin, OriginKind
from kit.llm import ModelSettings, ScriptedModel, choose_model, read_model_settings
from kit.llm.keys import how_to_get_a_model
from kit.rpc import serve
from kit.settings import RoomSettings, SettingsWrong, read_settings
from services.coder.coding import Coder, LibraryCoder
from services.coder.model_coder import ModelCoder
from services.coder.scripts import ScriptBroken, read_drafts
from services.coder.servicer import CoderServicer


class CoderSettings(RoomSettings, env_prefix="GYMWRIGHT_CODER_"):
    """GYMWRIGHT_CODER_LISTEN, GYMWRIGHT_CODER_SCRIPT, GYMWRIGHT_CODER_TRIES."""

    listen: str = "127.0.0.1:50052"
    script: DirectoryPath | None = None  # a folder of prepared drafts, served in order, instead of the library
    tries: PositiveInt = 3  # how often a model may answer until its module can be used


def choose_coder(settings: CoderSettings, advice: str, models: ModelSettings | None = None) -> Coder:
    """A script where there is one, else the model that is set, else the library."""
    if settings.script is None:
        model = choose_model(models) if models is not None else None
        if models is None or model is None:
            return LibraryCoder(advice)
        origin = Origin(kind=OriginKind.MODEL, detail=model.name)
        return ModelCoder(model, origin, settings.tries, models.ceiling)
    try:
        script = read_drafts(settings.script)
    except ScriptBroken as problem:
        raise SettingsWrong(f"Setting GYMWRIGHT_CODER_SCRIPT: {problem}.") from None
    origin = Origin(kind=OriginKind.SCRIPTED, detail=f"prepared in {settings.script.name}")
    return ModelCoder(ScriptedModel(script), origin, settings.tries)


async def main() -> None:
    settings = read_settings(CoderSettings)
    coder = choose_coder(settings, how_to_get_a_model(), read_model_settings())
    await serve(
        "coder",
        settings,
        lambda server: add_CoderServiceServicer_to_server(CoderServicer(coder), server),
        "gymwright.v1.CoderService",
    )


if __name__ == "__main__":
    asyncio.run(main())
