"""Whether the room in this container serves: `python -m kit.rpc.probing [HOST:PORT]`; exit code 0 if so.

With no address the rooms' usual ports are asked on loopback: one container holds one room. Where GYMWRIGHT_TLS_…
is set the room is asked by mutual TLS; then GYMWRIGHT_TLS_NAME must be the name in its certificate.
"""

from __future__ import annotations

import os
import sys
from typing import Final

from gymwright.cli.health import healthy
from gymwright.tls import tls_from

USUAL: Final = tuple(f"127.0.0.1:{port}" for port in range(50050, 50056))
PATIENCE_S: Final = 2.0


def serves(addresses: tuple[str, ...]) -> bool:
    """Whether any of them answers that it serves; a port that nobody listens on is passed over at once."""
    tls = tls_from(os.environ)
    return any(healthy(address, PATIENCE_S, tls) for address in addresses)


if __name__ == "__main__":
    sys.exit(not serves(tuple(sys.argv[1:]) or USUAL))
