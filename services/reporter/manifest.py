"""manifest.json: everything that someone needs to run it again and to see that it is the same."""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, version
from typing import Final

from kit.contracts.outcomes import Artifact, NamedNumber, VerdictKind
from kit.contracts.records import Record
from kit.contracts.reports import ReportRequest
from kit.contracts.runs import Origin, RunOptions
from kit.contracts.spending import Usage
from kit.prose import Prose
from services.reporter.claims import Claims, Resumed
from services.reporter.sections.again import command

SERVICES: Final = ("gymwright", "numpy", "pydantic", "grpcio", "protobuf", "scikit-learn", "matplotlib")


class DraftRecord(Record):
    origin: Origin
    sha256: str
    findings: tuple[str, ...]  # "check: message"


class Seeds(Record):
    """training: of learning. test: the first of the seeds that the ladder was measured on."""

    training: int
    test: int | None


class Settings(Record):
    """All that decides the course of a training beside design, source and libraries.

    threads: of torch and NumPy; another number gives other last digits. twin_sha256: empty where there was no twin.
    """

    algorithm: str
    engine: str
    seed: int
    n_envs: int
    total_timesteps: int
    hyperparameters: tuple[NamedNumber, ...]
    threads: int
    twin_sha256: str


class Manifest(Record):
    """design_sha256: of the design's canonical JSON. source_sha256: of the last draft, as UTF-8.

    curve_sha256: of every evaluation and every point of the training's curve, to the last bit; a repetition on the same
    kind of machine with the same libraries has the same. Empty where nothing was trained.
    resumed: where the training went on in a fresh box, and that it had there what it had before.
    """

    run_id: str
    command: str
    problem_sha256: str
    options: RunOptions
    seeds: Seeds
    design_name: str
    design_sha256: str
    design_origin: Origin
    source_sha256: str
    drafts: tuple[DraftRecord, ...]
    trained: Settings | None
    curve_sha256: str
    resumed: tuple[Resumed, ...] = ()
    verdict: VerdictKind | None
    sandbox: str
    services: tuple[str, ...]  # versions where the services ran
    training: tuple[str, ...]  # versions in the training box
    report_prose_sha256: str  # the words of the report; a model's prompts are in the origins
    usages: tuple[Usage, ...]  # every call of a language model, with its tokens and cost
    artifacts: tuple[Artifact, ...]


def manifest(report: ReportRequest, claims: Claims, prose: Prose, present: Iterable[Artifact]) -> Manifest:
    """present: the run's files."""
    outcome = report.outcome
    return Manifest(
        run_id=report.run_id,
        command=command(report),
        problem_sha256=_sha256(report.problem),
        options=report.options,
        seeds=Seeds(
            training=outcome.training.seed if outcome.training else report.options.seed,
            test=outcome.ladder.first_seed if outcome.ladder else None,
        ),
        design_name=report.design.name,
        design_sha256=report.design.digest,
        design_origin=report.design_origin,
        source_sha256=_sha256(report.drafts[-1].source) if report.drafts else "",
        drafts=tuple(
            DraftRecord(
                origin=draft.origin,
                sha256=_sha256(draft.source),
                findings=tuple(f"{finding.check}: {finding.message}" for finding in draft.findings),
            )
            for draft in report.drafts
        ),
        trained=_settings(report, claims),
        curve_sha256=curve_sha256(report, claims),
        resumed=claims.resumed,
        verdict=outcome.verdict.kind if outcome.verdict else None,
        sandbox=report.sandbox,
        services=(f"python {platform.python_version()}", *_versions()),
        training=claims.libraries,
        report_prose_sha256=prose.digest,
        usages=report.usages,
        artifacts=tuple(present),
    )


def curve_sha256(report: ReportRequest, claims: Claims) -> str:
    """Python prints a float with as many digits as tell it from every other, so equal text is equal bits."""
    training = report.outcome.training
    if training is None:
        return ""
    evaluations = [one.model_dump(mode="json") for one in training.evaluations]
    points = [one.model_dump(mode="json") for one in claims.curve]
    return _sha256(json.dumps([evaluations, points], sort_keys=True))


def _settings(report: ReportRequest, claims: Claims) -> Settings | None:
    training = report.outcome.training
    if training is None:
        return None
    twin = report.drafts[-1].twin if report.drafts else ""
    return Settings(
        algorithm=training.algorithm,
        engine=training.engine,
        seed=training.seed,
        n_envs=training.n_envs,
        total_timesteps=training.total_timesteps,
        hyperparameters=training.hyperparameters,
        threads=claims.trained_with.threads if claims.trained_with else 1,
        twin_sha256=_sha256(twin) if twin else "",
    )


def _versions() -> list[str]:
    """A checkout that was never installed has no version of its own."""
    found = []
    for name in SERVICES:
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            found.append(f"{name} (not installed as a package)")
    return found


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()
