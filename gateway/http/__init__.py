"""HTTP beside gRPC: the same Runs for curl, browsers and scripts (docs/http.md)."""

from gateway.http.listening import http_listening

__all__ = ["http_listening"]
