"""Long work as jobs; see board."""

from kit.jobs.board import JobBoard, Say

__all__ = ["JobBoard", "Say"]
