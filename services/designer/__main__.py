"""The designer's room: turns problems into typed designs, on port 50051."""

from __future__ import annotations

import asyncio

from pydantic import DirectoryPath, Field, PositiveInt

from gymwright.v1.designer_pb2_grpc import add_DesignerServiceServicer_to_server
from kit.contracts.runs import Origin, OriginKind
from kit.llm import ModelSettings, ScriptedModel, choose_model, read_model_settings, read_script
from kit.llm.keys import how_to_get_a_model
from kit.rpc import serve
from kit.settings import RoomSettings, read_settings
from services.designer.designing import Designer, LibraryDesigner
from services.designer.model_designer import ModelDesigner
from services.designer.servicer import DesignerServicer


class DesignerSettings(RoomSettings, env_prefix="GYMWRIGHT_DESIGNER_"):
    """GYMWRIGHT_DESIGNER_LISTEN, _SCRIPT, _TRIES, _COVERAGE."""

    listen: str = "127.0.0.1:50051"
    script: DirectoryPath | None = None  # a folder with design.json (and revision.json) to serve instead
    tries: PositiveInt = 3  # how often a model may answer until its design is valid
    # Of the state variables that laws, invariants and expectations should pin down; below it a model is asked again.
    coverage: float = Field(default=0.6, ge=0, le=1)


def choose_designer(settings: DesignerSettings, advice: str, models: ModelSettings | None = None) -> Designer:
    """A script where there is one, else the model that is set, else the library."""
    if settings.script is None:
        model = choose_model(models) if models is not None else None
        if models is None or model is None:
            return LibraryDesigner(advice)
        origin = Origin(kind=OriginKind.MODEL, detail=model.name)
        return ModelDesigner(model, origin, settings.tries, models.ceiling, settings.coverage)
    origin = Origin(kind=OriginKind.SCRIPTED, detail=f"prepared in {settings.script.name}")
    return ModelDesigner(ScriptedModel(read_script(settings.script)), origin, settings.tries)


async def main() -> None:
    settings = read_settings(DesignerSettings)
    designer = choose_designer(settings, how_to_get_a_model(), read_model_settings())
    await serve(
        "designer",
        settings,
        lambda server: add_DesignerServiceServicer_to_server(DesignerServicer(designer), server),
        "gymwright.v1.DesignerService",
    )


if __name__ == "__main__":
    asyncio.run(main())
