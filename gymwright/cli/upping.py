"""`gymwright up`: the whole house on this machine until Ctrl-C."""

from __future__ import annotations

import signal
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final

import typer

from gymwright.cli.answering import answering, open_console, say_line
from gymwright.cli.exits import Exit
from gymwright.cli.house import House
from gymwright.client import GATEWAY

DATA: Final = Path(".gymwright")
STOPS: Final = (signal.SIGTERM, signal.SIGINT, getattr(signal, "SIGHUP", signal.SIGTERM))


class Ports(StrEnum):
    USUAL = "usual"
    FREE = "free"


class Asked(BaseException):
    """A signal asked us to stop; like KeyboardInterrupt, no error."""


@answering
def up(
    data: Annotated[Path, typer.Option(metavar="DIR", help="Runs, artifacts and logs are kept here.")] = DATA,
    ports: Annotated[Ports, typer.Option(help="50050 to 50055, or any that are free.")] = Ports.USUAL,
) -> int:
    """Start all services here, until Ctrl-C. They stop together, also when one of them ends by itself."""
    console = open_console()
    for number in STOPS:
        signal.signal(number, _asked)
    try:
        with House(data, free_ports=ports is Ports.FREE) as house:
            console.print(f"Starting; the logs are in {data / 'logs'}/", soft_wrap=True)
            house.wait_until_healthy(lambda room: console.print(f"{room.name:9} {house.address(room.name)}"))
            console.print(f"{'http':9} {house.http}", soft_wrap=True)
            say_line(house.sandbox())
            console.print("All services are up; Ctrl-C stops them.", soft_wrap=True)
            if house.gateway != GATEWAY:
                console.print(f"Elsewhere: export GYMWRIGHT_GATEWAY={house.gateway}", soft_wrap=True)
            house.stay()
    except Asked:
        console.print("Stopped.")
    return Exit.DONE


def _asked(number: int, frame: object) -> None:
    for other in STOPS:
        signal.signal(other, signal.SIG_IGN)  # once is enough; the stop has a time limit
    raise Asked
