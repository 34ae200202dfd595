"""An entry whose payload is a script: what the sandbox's own tests and benchmarks run."""

from __future__ import annotations

from kit.inside.saying import IN_DIR, OUT_DIR, Say


def main(payload: dict[str, object], say: Say) -> None:
    """Run payload["source"], which sees `say`, `payload`, `IN_DIR` and `OUT_DIR`."""
    program = compile(str(payload["source"]), "<script>", "exec")
    exec(program, {"__name__": "script", "say": say, "payload": payload, "IN_DIR": IN_DIR, "OUT_DIR": OUT_DIR})
