"""Material: all that a report is made of."""

from __future__ import annotations

from dataclasses import dataclass

from kit.contracts.reports import ReportRequest
from services.reporter.claims import Claims
from services.reporter.traces import Traced


@dataclass(frozen=True)
class Material:
    """claims: what the training box said of itself. traces: the shown episode, the trained policy's first."""

    report: ReportRequest
    claims: Claims
    traces: tuple[Traced, ...] = ()
