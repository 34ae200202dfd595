"""The house: all six services as processes on this machine, started together and stopped together."""

from __future__ import annotations

import json
import queue
import shutil
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Final

from gymwright.cli.health import healthy
from gymwright.cli.premises import Lock, interpreter, room_environment
from gymwright.cli.words import plural
from gymwright.errors import ServiceUnavailable

START_S: Final = 90.0  # six interpreters on two busy cores
STOP_S: Final = 15.0
POLL_S: Final = 0.2
LAST_LINES: Final = 12
HOST: Final = "127.0.0.1"
HTTP_LISTEN: Final = "GYMWRIGHT_GATEWAY_HTTP_LISTEN"
KEYS: Final = ("ANTHROPIC_API_KEY", "OPENAI_API_KEY")


@dataclass(frozen=True)
class Room:
    """One service: its name is also that of its settings and its log. asks_models: it alone gets the vendors' keys."""

    name: str
    module: str
    port: int
    asks_models: bool = False


ROOMS: Final = (
    Room("gateway", "gateway", 50050),
    Room("designer", "services.designer", 50051, asks_models=True),
    Room("coder", "services.coder", 50052, asks_models=True),
    Room("executor", "services.executor", 50053),
    Room("trainer", "services.trainer", 50054),
    Room("reporter", "services.reporter", 50055),
)


HTTP: Final = Room("http", "gateway", 8080)  # the gateway's second address, not a process


class HouseFell(ServiceUnavailable):
    """A service of the house could not be started, or ended by itself."""


def _without_keys(environment: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in environment.items() if name not in KEYS}


@dataclass
class House:
    """Six processes around one data folder. Enter it to start them; leaving stops them, whatever happened.

    Each room is tied to this process (gymwright.cli.tied): none survives it, also when it is killed.
    """

    data: Path
    rooms: tuple[Room, ...] = ROOMS
    free_ports: bool = False
    settings: dict[str, str] = field(default_factory=dict)  # further ones, for the rooms' environment
    stop_s: float = STOP_S  # until a room that does not stop is killed
    _processes: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)
    _fallen: queue.SimpleQueue[Room] = field(default_factory=queue.SimpleQueue)
    _ports: dict[str, int] = field(default_factory=dict)
    _held: ExitStack = field(default_factory=ExitStack)
    _first_fallen: Room | None = None
    _stopping: bool = False

    @property
    def gateway(self) -> str:
        return self.address("gateway")

    @property
    def has_http(self) -> bool:
        return HTTP_LISTEN not in self.settings and any(room.name == "gateway" for room in self.rooms)

    @property
    def http(self) -> str:
        """Empty where there is none."""
        return f"http://{self.address(HTTP.name)}" if HTTP.name in self._ports else ""

    def address(self, name: str) -> str:
        return f"{HOST}:{self._ports[name]}"

    def _log_of(self, name: str) -> Path:
        return self.data / "logs" / f"{name}.log"

    def __enter__(self) -> House:
        environment = room_environment()
        self._held.enter_context(Lock(self.data))
        try:
            places = (*self.rooms, HTTP) if self.has_http else self.rooms
            self._ports = _free_ports(places) if self.free_ports else _usual_ports(places)
            (self.data / "logs").mkdir(parents=True, exist_ok=True)
            environment |= self._addresses() | self.settings
            for room in self.rooms:
                self._start(room, environment)
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.stop()

    def wait_until_healthy(self, on_up: Callable[[Room], None] = lambda room: None, within_s: float = START_S) -> None:
        """Return when every room says that it serves. HouseFell if one ends, or takes too long."""
        waiting = list(self.rooms)
        until = time.monotonic() + within_s
        while waiting:
            self.check(wait_s=POLL_S)
            for room in [room for room in waiting if healthy(self.address(room.name))]:
                waiting.remove(room)
                on_up(room)
            if waiting and time.monotonic() > until:
                raise HouseFell(self._sentence(waiting[0], f"did not answer within {within_s:.0f} s"))

    def sandbox(self) -> str:
        """Which boxes are used, and how they are weaker, if they are: the executor's own words, from its log."""
        for line in self._log_of("executor").read_text("utf-8", "replace").splitlines():
            with suppress(ValueError):
                said = json.loads(line)
                if isinstance(said, dict) and "sandbox" in said:
                    return str(said["sandbox"])
        return ""

    def check(self, wait_s: float = 0.0) -> None:
        """Raise HouseFell if a room has ended by itself, or does so within wait_s."""
        if self._first_fallen is None:
            try:
                self._first_fallen = self._fallen.get(timeout=wait_s) if wait_s else self._fallen.get_nowait()
            except queue.Empty:
                return
        room = self._first_fallen
        code = self._processes[room.name].wait()
        how = f"was killed by {signal.Signals(-code).name}" if code < 0 else f"ended with exit code {code}"
        raise HouseFell(self._sentence(room, how))

    def stay(self) -> None:
        """Wait for ever; HouseFell when a room ends by itself."""
        while True:
            self.check(wait_s=3600.0)

    def stop(self) -> None:
        """SIGTERM to all, the gateway first, so that it starts nothing new; SIGKILL to whoever is left."""
        self._stopping = True
        for process in self._processes.values():
            process.terminate()
        until = time.monotonic() + self.stop_s
        for process in self._processes.values():
            try:
                process.wait(max(0.1, until - time.monotonic()))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            if process.stdin is not None:
                process.stdin.close()
        self._held.close()

    def _start(self, room: Room, environment: dict[str, str]) -> None:
        log = self._log_of(room.name)
        if log.exists():
            log.replace(log.with_suffix(".previous.log"))
        with log.open("wb") as file:
            process = subprocess.Popen(
                [*interpreter(), "gymwright.cli.tied", room.module],
                stdin=subprocess.PIPE,  # held open as long as we live
                stdout=file,
                stderr=subprocess.STDOUT,
                env=environment if room.asks_models else _without_keys(environment),
                start_new_session=True,  # a Ctrl-C is ours alone, so that they stop in order
            )
        self._processes[room.name] = process
        threading.Thread(target=self._mourn, args=(room, process), name=f"mourns-{room.name}", daemon=True).start()

    def _mourn(self, room: Room, process: subprocess.Popen[bytes]) -> None:
        process.wait()
        if not self._stopping:
            self._fallen.put(room)
            for other in list(self._processes.values()):  # so that whoever watches through the gateway hears of it
                other.terminate()

    def _addresses(self) -> dict[str, str]:
        """Who listens where, and where everything is kept."""
        data = self.data.resolve()
        settings = {f"GYMWRIGHT_{room.name.upper()}_LISTEN": self.address(room.name) for room in self.rooms}
        settings |= {
            f"GYMWRIGHT_GATEWAY_{room.name.upper()}": self.address(room.name)
            for room in self.rooms
            if room.name != "gateway"
        }
        if self.has_http:
            settings[HTTP_LISTEN] = self.address(HTTP.name)
        settings["GYMWRIGHT_ARTIFACTS"] = str(data / "artifacts")
        settings["GYMWRIGHT_GATEWAY_DATABASE"] = f"sqlite:///{data / 'gateway.sqlite'}"
        return settings

    def _sentence(self, room: Room, how: str) -> str:
        log = self._log_of(room.name)
        lines = [line for line in log.read_text("utf-8", "replace").splitlines() if line.strip()][-LAST_LINES:]
        said = "".join(f"\n{room.name} | {_log_line(line)}" for line in lines)
        return f"The {room.name} {how}; the last {plural(len(lines), 'line')} of {log}:{said}"


def _log_line(line: str) -> str:
    """A line of a room's log for a person: what happened, without when and where."""
    with suppress(ValueError):
        said = json.loads(line)
        if isinstance(said, dict):
            rest = (
                f"{key}={value}" for key, value in said.items() if key not in ("event", "level", "room", "timestamp")
            )
            line = " ".join((f"{said.get('level', '')}: {said.get('event', '')}", *rest))
    return line[:400]


@contextmanager
def house_for_one_run(data: Path, script: Path | None, say: Callable[[str], None]) -> Iterator[House]:
    """A house on free ports. Its data, the logs among it, is removed unless something broke.

    script: a folder of prepared drafts that stand in for the coder's, and for the designer's if it holds a design.
    """
    settings: dict[str, str] = {HTTP_LISTEN: ""}  # nobody else is to find it
    if script is not None:
        settings["GYMWRIGHT_CODER_SCRIPT"] = str(script.resolve())
        if (script / "design.json").exists():
            settings["GYMWRIGHT_DESIGNER_SCRIPT"] = str(script.resolve())
    with House(data, free_ports=True, settings=settings) as house:
        say(f"Starting {plural(len(house.rooms), 'service')} on this machine; their logs are in {data / 'logs'}/.")
        house.wait_until_healthy()
        say(house.sandbox())
        yield house
    shutil.rmtree(data, ignore_errors=True)


def _usual_ports(rooms: tuple[Room, ...]) -> dict[str, int]:
    for room in rooms:
        with socket.socket() as trial:
            trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                trial.bind((HOST, room.port))
            except OSError:
                raise HouseFell(
                    f"Port {room.port}, the {room.name}'s, is taken: do the services run already?"
                    " `gymwright up --ports free` chooses free ones."
                ) from None
    return {room.name: room.port for room in rooms}


def _free_ports(rooms: tuple[Room, ...]) -> dict[str, int]:
    with ExitStack() as held:
        ports: dict[str, int] = {}
        for room in rooms:
            trial = held.enter_context(socket.socket())
            trial.bind((HOST, 0))
            ports[room.name] = trial.getsockname()[1]
        return ports
