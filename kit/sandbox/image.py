"""Which image a box is made from: its tag is a hash of what is in it, so a stale one is never used.

Run by deploy/docker/build.sh with whatever python3 there is: the standard library only.
"""

from __future__ import annotations

import hashlib
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]

# What of our code a box holds. Everything else stays out: no service, no client, no wire.
CODE: Final = (
    "gymwright/__init__.py",
    "gymwright/errors.py",
    "kit/__init__.py",
    "kit/contracts",
    "kit/inside",
    "services/__init__.py",
    "services/executor/__init__.py",
    "services/executor/inside",
    "services/trainer/__init__.py",
    "services/trainer/inside",
)
LEFT_OUT: Final = ("kit/contracts/wire",)
LIBS: Final = (
    "deploy/docker/libs.Dockerfile",
    "deploy/docker/sandbox.lock",
    "deploy/docker/sandbox-torch.lock",
)


def libs_image(root: Path = ROOT) -> str:
    """The image that holds the interpreter and the libraries, and no code of ours."""
    return f"gymwright/sandbox-libs:{_hash_of(root, [root / name for name in LIBS])}"


def sandbox_image(root: Path = ROOT) -> str:
    """The image for exactly this code over exactly these libraries."""
    files = [root / name for name in (*LIBS, "deploy/docker/sandbox.Dockerfile")]
    return f"gymwright/sandbox:{_hash_of(root, [*files, *code_files(root)])}"


def code_files(root: Path = ROOT) -> Iterator[Path]:
    """Every file of our code that a box holds, in a fixed order."""
    for name in CODE:
        place = root / name
        found = [place] if place.is_file() else sorted(place.rglob("*"))
        for file in found:
            inside = file.relative_to(root)
            if file.is_file() and "__pycache__" not in inside.parts and not _is_left_out(inside):
                yield file


def copy_code(into: Path, root: Path = ROOT) -> None:
    """Lay out the code as the box holds it, readable by anybody."""
    for file in code_files(root):
        target = into / file.relative_to(root)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, target)
        target.chmod(0o644)


def _is_left_out(inside: Path) -> bool:
    return any(inside.is_relative_to(name) for name in LEFT_OUT)


def _hash_of(root: Path, files: list[Path]) -> str:
    total = hashlib.sha256()
    for file in files:
        content = file.read_bytes()
        total.update(f"{file.relative_to(root)}\0{len(content)}\0".encode())
        total.update(content)
    return total.hexdigest()[:12]


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["sandbox"]:
            sys.stdout.write(sandbox_image() + "\n")
        case ["libs"]:
            sys.stdout.write(libs_image() + "\n")
        case ["copy", folder]:
            copy_code(Path(folder))
        case _:
            sys.exit("usage: python -m kit.sandbox.image sandbox | libs | copy FOLDER")
