"""The house with rooms of its own: started together, stopped together, and never outliving who started them."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gymwright.cli.health import healthy
from gymwright.cli.house import House, HouseFell, Room
from gymwright.errors import NotReady
from tests.integration.terminals import piped

ROOT = Path(__file__).resolve().parents[2]
STEADY = Room("steady", "tests.integration.rooms.steady", 50990)
STUBBORN = Room("stubborn", "tests.integration.rooms.stubborn", 50991)
BROKEN = Room("broken", "tests.integration.rooms.broken", 50992)


def processes_of(data: Path) -> list[int]:
    """Rooms of this house that are alive, found by the artifact folder in their environment."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            environment = (process / "environ").read_bytes()
            running = (process / "stat").read_text().rpartition(")")[2].split()[0] != "Z"
        except OSError:
            continue
        if f"GYMWRIGHT_ARTIFACTS={data.resolve()}/".encode() in environment and running:
            found.append(int(process.name))
    return found


def test_rooms_are_up_together_and_gone_together(tmp_path) -> None:
    with House(tmp_path, (STEADY, STUBBORN), free_ports=True, stop_s=1.0) as house:
        house.wait_until_healthy()
        assert healthy(house.address("steady")) and healthy(house.address("stubborn"))
        assert len(processes_of(tmp_path)) == 2
    assert processes_of(tmp_path) == []


def test_a_room_that_can_not_start_is_named_with_its_last_words_and_the_others_stop(tmp_path) -> None:
    with pytest.raises(HouseFell) as raised, House(tmp_path, (STEADY, BROKEN), free_ports=True) as house:
        house.wait_until_healthy()
    assert re.match(r"The broken ended with exit code 1; the last 1 line of ", str(raised.value))
    assert str(raised.value).endswith("\nbroken | No sandbox: make one first.")
    assert processes_of(tmp_path) == []


def test_a_room_that_is_killed_is_noticed(tmp_path) -> None:
    with pytest.raises(HouseFell, match="The steady was killed by SIGKILL"), House(tmp_path, (STEADY,), True) as house:
        house.wait_until_healthy()
        os.kill(processes_of(tmp_path)[0], signal.SIGKILL)
        house.stay()


def test_a_second_house_on_the_same_data_is_refused(tmp_path) -> None:
    with (
        House(tmp_path, (STEADY,), free_ports=True),
        pytest.raises(NotReady, match="already run on"),
        House(tmp_path, (STEADY,), free_ports=True),
    ):
        pass


def test_a_port_that_is_taken_is_said_before_anything_starts(tmp_path) -> None:
    with socket.create_server(("127.0.0.1", STEADY.port)), pytest.raises(HouseFell, match="Port 50990, the steady's"):
        House(tmp_path, (STEADY,)).__enter__()
    assert processes_of(tmp_path) == []


def test_rooms_end_when_who_started_them_is_killed_with_sigkill(tmp_path) -> None:
    starter = (
        "import sys; from pathlib import Path; from gymwright.cli.house import House;"
        "from tests.integration.test_cli_house import STEADY\n"
        "with House(Path(sys.argv[1]), (STEADY,), True) as house:\n"
        "    house.wait_until_healthy(); print('up', flush=True); house.stay()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", starter, str(tmp_path)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None and process.stdout.readline() == "up\n"
        assert len(processes_of(tmp_path)) == 1
        process.kill()
    assert _within(10.0, lambda: processes_of(tmp_path) == [])


async def test_where_only_the_client_is_installed_up_says_so(tmp_path) -> None:
    shutil.copytree(ROOT / "gymwright", tmp_path / "site" / "gymwright")
    ended = await piped("up", cwd=tmp_path, PYTHONPATH=str(tmp_path / "site"))
    assert (ended.code, ended.out) == (1, "")
    assert ended.err.startswith("gymwright: The services are not on this machine, only the client is.")


def _within(seconds: float, holds) -> bool:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if holds():
            return True
        time.sleep(0.05)
    return False
