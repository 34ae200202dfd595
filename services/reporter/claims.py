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
    threads: int = 1


class CurvePoint(_Part):
    """Means over some training episodes; components weighted, both in the design's order."""

    timesteps: int
    reward: float
    components: tuple[float, ...]
    metrics: tuple[float | None, ...]


class Fingerprint(_Part):
    """Of a model at a checkpoint: SHA-256 of its parameters, of its optimisers' state and of its replay buffer."""

    timesteps: int
    updates: int
    learning_rate: float
    parameters: Annotated[str, Field(max_length=64)]
    optimizer: Annotated[str, Field(max_length=64)]
    buffer: Annotated[str, Field(max_length=64)] = ""


class Resumed(_Part):
    """A fresh box that went on from a checkpoint. before: as the lost box had it; after: as the fresh one began."""

    before: Fingerprint
    after: Fingerprint
    episodes_went_on: bool = False


class Claims(_Part):
    """Claims, since the candidate ran beside the code that made them; all empty where there is no such file."""

    trained_with: TrainedWith | None = None
    parity: Parity | None = None
    chosen_at: int = 0
    stopped_early: str = ""
    why_engine: str = ""  # a sentence
    why_episodes: str = ""  # of an evaluation so many, in a sentence
    resumed: Annotated[tuple[Resumed, ...], Field(max_length=50)] = ()
    not_resumed: str = ""  # why a checkpoint could not be used
    curve: Annotated[tuple[CurvePoint, ...], Field(max_length=2000)] = ()

    @property
    def libraries(self) -> tuple[str, ...]:
        """ "torch 2.13.0" and the like."""
        return self.trained_with.libraries if self.trained_with else ()


async def read_claims(store: ArtifactStore, run_id: str) -> Claims:
    """Nothing is claimed where the file is missing, too large, or not what we expect."""
    try:
        return Claims.model_validate(json.loads(await read_file(store, run_id, FILE)))
    except (ValidationError, ValueError):
        return Claims()


async def read_file(store: ArtifactStore, run_id: str, name: str) -> bytes:
    """Nothing where it is missing or too large."""
    content = b""
    try:
        async for chunk in store.read(run_id, name):
            content += chunk
            if len(content) > MOST_BYTES:
                return b""
    except ArtifactNotFound:
        return b""
    return content
