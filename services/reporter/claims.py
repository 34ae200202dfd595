"""What the training box said about itself, read back from training.json: versions, parity, which model was chosen."""

from __future__ import annotations

import json
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from gymwright.errors import ArtifactNotFound
from kit.artifacts import ArtifactStore

FILE: Final = "training.json"
MOST_BYTES: Final = 8 * 2**20


class _Part(BaseModel):
    """The trainer says more than the report needs."""

    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False)


class Parity(_Part):
    observations: int = 0
    differ: int = 0


class TrainedWith(_Part):
    libraries: Annotated[tuple[str, ...], Field(max_length=50)] = ()


class Claims(_Part):
    """Claims, since the candidate ran beside the code that made them; all empty where there is no such file."""

    trained_with: TrainedWith | None = None
    parity: Parity | None = None
    chosen_at: int = 0
    stopped_early: str = ""
    why_engine: str = ""  # a sentence

    @property
    def libraries(self) -> tuple[str, ...]:
        """ "torch 2.13.0" and the like."""
        return self.trained_with.libraries if self.trained_with else ()


async def read_claims(store: ArtifactStore, run_id: str) -> Claims:
    """Nothing is claimed where the file is missing, too large, or not what we expect."""
    content = b""
    try:
        async for chunk in store.read(run_id, FILE):
            content += chunk
            if len(content) > MOST_BYTES:
                return Claims()
        return Claims.model_validate(json.loads(content))
    except (ArtifactNotFound, ValidationError, ValueError):
        return Claims()
