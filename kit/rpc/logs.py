"""Logs: one JSON line an event on stderr, with the run's id where there is one."""

from __future__ import annotations

import logging
import sys

import structlog


def set_up_logs(room: str, level: str) -> None:
    """Called once, by the room's __main__."""
    number = logging.getLevelNamesMapping().get(level.upper(), logging.INFO)
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=True,
    )
    structlog.contextvars.bind_contextvars(room=room)
    # Libraries log through the standard module; only what needs attention is worth a line.
    logging.basicConfig(level=max(number, logging.WARNING), stream=sys.stderr)
