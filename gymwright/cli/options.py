"""The options that several commands share, each said once."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Final, TypeAlias

import typer

from gymwright.client import GATEWAY, Client
from gymwright.errors import RequestWrong
from gymwright.tls import tls_from

Gateway: TypeAlias = Annotated[
    str, typer.Option("--gateway", envvar="GYMWRIGHT_GATEWAY", metavar="HOST:PORT", help="The gateway to talk to.")
]
RunId: TypeAlias = Annotated[str, typer.Argument(metavar="RUN", help="The run's id.", show_default=False)]
AsJson: TypeAlias = Annotated[bool, typer.Option("--json", help="JSON lines on stdout, and nothing else there.")]
Out: TypeAlias = Annotated[Path, typer.Option("--out", metavar="DIR", help="Everything lands in DIR/<run id>/.")]
TensorBoardLog: TypeAlias = Annotated[
    Path | None,
    typer.Option("--tensorboard-log", metavar="DIR", help="Also put the TensorBoard files in DIR/<run id>/."),
]
RequireLearned: TypeAlias = Annotated[
    bool, typer.Option("--require-learned", help="Exit with 5 unless the verdict is LEARNED.")
]
NoWait: TypeAlias = Annotated[
    bool, typer.Option("--no-wait", help="Leave with 7 where the run waits for your answer or review.")
]

OUT: Final = Path("runs")


def connect(gateway: str = GATEWAY) -> Client:
    """A client for this gateway, with the token and the certificate that the environment names."""
    host, colon, port = gateway.rpartition(":")
    if not (host and colon and port.isdigit() and 0 < int(port) < 2**16):
        raise RequestWrong(f"--gateway {gateway}: an address is HOST:PORT, for example {GATEWAY}.")
    return Client(gateway, token=_token(), tls=tls_from(os.environ))


def hyperparameters_of(settings: list[str]) -> dict[str, float]:
    """NAME=VALUE, as --set takes them."""
    named: dict[str, float] = {}
    for setting in settings:
        name, _, value = setting.partition("=")
        try:
            named[name.strip()] = float(value)
        except ValueError:
            raise RequestWrong(f"--set {setting}: say NAME=NUMBER, for example learning_rate=3e-4.") from None
    return named


def _token() -> str | None:
    named = os.environ.get("GYMWRIGHT_TOKEN_FILE")
    if not named:
        return None
    try:
        return Path(named).read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError) as problem:
        raise RequestWrong(f"The token file {named} can't be read: {problem}") from None
