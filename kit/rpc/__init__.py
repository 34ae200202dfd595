"""Everything a room needs to be called: serve(), health, reflection, the door, and errors as statuses."""

from kit.rpc.serving import Register, serve

__all__ = ["Register", "serve"]
