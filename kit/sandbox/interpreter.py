"""The interpreter that a local box runs: where it lies, and who can read it."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from gymwright.errors import SandboxUnavailable

_QUESTION: Final = "import json, sys; print(json.dumps([sys.executable, sys.prefix, sys.base_prefix]))"
_PATIENCE_S: Final = 20.0


@dataclass(frozen=True)
class Interpreter:
    """A Python with the libraries a job needs, and the folders it can't do without."""

    executable: str
    folders: tuple[Path, ...]

    @classmethod
    def at(cls, python: Path) -> Interpreter:
        """Ask it where it lies; SandboxUnavailable if it can't be run."""
        try:
            asked = subprocess.run(
                [str(python), "-I", "-c", _QUESTION], capture_output=True, timeout=_PATIENCE_S, check=True
            )
            executable, prefix, base = json.loads(asked.stdout)
        except (OSError, subprocess.SubprocessError, ValueError) as problem:
            raise SandboxUnavailable(f"The interpreter {python} can't be run: {problem}") from None
        return cls(executable, tuple(dict.fromkeys((Path(prefix), Path(base)))))

    def runs_as(self, uid: int) -> bool:
        """Whether another user can read all it takes; not so for one under a closed home folder."""
        try:
            asked = subprocess.run(
                [self.executable, "-I", "-c", "pass"],
                user=uid, group=uid, extra_groups=[], cwd="/", capture_output=True, timeout=_PATIENCE_S,
            )  # fmt: skip
        except (OSError, subprocess.SubprocessError):
            return False
        return asked.returncode == 0
