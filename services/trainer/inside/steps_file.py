"""steps.parquet: every step of every environment, a column for each component, action term and state variable."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from kit.contracts.formulas.batches import Batch
from services.trainer.inside.rows import AT, ENDED, EPISODE, REWARD, STEP, Layout, Part

ROWS_TOGETHER: Final = 16_384  # a column chunk costs its overhead whatever is in it


class StepsFile:
    """Columns: env, at (steps this environment took in all), episode, step (0: the reset), reward,
    ended (0 running, 1 terminated, 2 truncated), action.<term>, component.<name>, state.<name>,
    parameter.<name> of those that are drawn for each episode;
    vectors and matrices as name[0], name[1], ... in row-major order. Rows come in blocks, environment
    after environment; (env, episode, step) puts them in order.

    Full at `most_bytes`: later steps are not recorded, and `rows` says how many were.
    """

    def __init__(self, path: Path, layout: Layout, most_bytes: int) -> None:
        self._path = path
        self._most_bytes = most_bytes
        self._columns: list[tuple[str, int, pa.DataType]] = [
            ("at", AT, pa.int32()), ("episode", EPISODE, pa.int32()), ("step", STEP, pa.int32()),
            ("reward", REWARD, pa.float64()), ("ended", ENDED, pa.int8()),
        ]  # fmt: skip
        for space, parts in (
            ("action", layout.actions), ("component", layout.components), ("state", layout.state),
            ("parameter", layout.parameters),
        ):  # fmt: skip
            self._columns += [column for part in parts for column in _columns_of(space, part)]
        fields = [pa.field("env", pa.int16())] + [pa.field(name, kind) for name, _, kind in self._columns]
        self._schema = pa.schema(fields)
        # Counts change little from step to step. As differences they are as small with lz4 as they would be with zstd,
        # for half the time; dictionaries and statistics cost more and make the file no smaller.
        self._writer = pq.ParquetWriter(
            path,
            self._schema,
            compression="lz4",
            use_dictionary=False,
            write_statistics=False,
            column_encoding={
                field.name: "DELTA_BINARY_PACKED" for field in fields if field.type in (pa.int32(), pa.int64())
            },
        )
        self._waiting: list[tuple[NDArray[np.intp], Batch]] = []
        self.rows = 0

    def write(self, environments: NDArray[np.intp], rows: Batch) -> None:
        """environments: the number of the environment of each row."""
        self._waiting.append((environments, rows))
        if sum(len(block) for _, block in self._waiting) >= ROWS_TOGETHER:
            self._flush()

    def close(self) -> None:
        self._flush()
        self._writer.close()

    def _flush(self) -> None:
        waiting, self._waiting = self._waiting, []
        if not waiting or self._path.stat().st_size > self._most_bytes:
            return
        env = np.concatenate([numbers for numbers, _ in waiting]).astype(np.int16)
        turned = np.concatenate([block.T for _, block in waiting], axis=1) if len(waiting) > 1 else waiting[0][1].T
        arrays = [pa.array(env)]
        for _, at, kind in self._columns:
            column = np.ascontiguousarray(turned[at])
            arrays.append(pa.array(column if kind == pa.float64() else column.astype(kind.to_pandas_dtype())))
        self._writer.write_batch(pa.record_batch(arrays, schema=self._schema))
        self.rows += len(env)


def _columns_of(space: str, part: Part) -> list[tuple[str, int, pa.DataType]]:
    kind = pa.int64() if part.whole else pa.float64()
    name = f"{space}.{part.name}"
    if not part.shape:
        return [(name, part.start, kind)]
    return [(f"{name}[{i}]", at, kind) for i, at in enumerate(range(part.start, part.stop))]
