"""Reporting: everything known of a run becomes report.md, figures and manifest.json in the artifact store."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Final

from kit.artifacts import ArtifactStore
from kit.contracts.outcomes import Artifact
from kit.contracts.reports import ReportRequest
from kit.prose import Prose
from services.reporter import sections
from services.reporter.claims import read_claims
from services.reporter.figures.components import components_figure
from services.reporter.figures.course import course_figure
from services.reporter.figures.curve import reward_curve
from services.reporter.figures.episode import episode_figure
from services.reporter.figures.ladder import ladder_figure
from services.reporter.figures.tuning import tuning_figure
from services.reporter.manifest import manifest
from services.reporter.material import Material
from services.reporter.traces import read_traces

PROSE: Final = Path(__file__).parent / "prose"
MANIFEST: Final = "manifest.json"
FIGURES: Final[dict[str, Callable[[Material], bytes | None]]] = {
    "reward_curve.png": lambda material: reward_curve(material.report),
    "ladder.png": lambda material: ladder_figure(material.report),
    "components.png": lambda material: components_figure(material.report),
    "course.png": course_figure,
    "episode.png": episode_figure,
    "tuning.png": tuning_figure,
}


class Reporter:
    """Writes reports into `store`; writing again replaces them."""

    def __init__(self, store: ArtifactStore) -> None:
        self._store = store
        self._prose = Prose(PROSE)
        self._drawing = asyncio.Lock()  # one report at a time: drawing takes a core for a second or two

    async def write(self, report: ReportRequest) -> tuple[Artifact, ...]:
        """What was written, the manifest last. StorageUnavailable where the store can't be written.

        The manifest names every file the run has by then: call this when all others are in the store.
        """
        claims = await read_claims(self._store, report.run_id)
        material = Material(report, claims, await read_traces(self._store, report.run_id))
        async with self._drawing:
            files = await asyncio.to_thread(self._files, material)
        written = [await self._store.put_bytes(report.run_id, name, content) for name, content in files.items()]
        present = [one for one in await self._store.list(report.run_id) if one.name != MANIFEST]
        last = manifest(report, claims, self._prose, present).model_dump_json(indent=1).encode()
        return (*written, await self._store.put_bytes(report.run_id, MANIFEST, last))

    def _files(self, material: Material) -> dict[str, bytes]:
        """All but the manifest. A figure that has nothing to show is left out."""
        drawn = {name: figure for name, draw in FIGURES.items() if (figure := draw(material)) is not None}
        return {"report.md": sections.page(material, self._prose, tuple(drawn)).encode(), **drawn}
