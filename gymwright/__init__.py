"""Gymwright: what a client installs.

    from gymwright import Client

Boxes hold this package's errors and nothing else of it, so the client is imported only when it is asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gymwright.async_client import AsyncClient
    from gymwright.client import Client

__all__ = ["AsyncClient", "Client"]


def __getattr__(name: str) -> object:
    if name == "Client":
        from gymwright.client import Client

        return Client
    if name == "AsyncClient":
        from gymwright.async_client import AsyncClient

        return AsyncClient
    raise AttributeError(f"module 'gymwright' has no attribute {name!r}")
