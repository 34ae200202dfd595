"""Artifacts: see store."""

from kit.artifacts.store import ArtifactStore

__all__ = ["ArtifactStore"]
