"""Reading a model's answer: the Python module in it, and its twin where there is one, looked at as text, never run."""

from __future__ import annotations

import ast
import re
import warnings
from dataclasses import dataclass
from typing import Final

MAX_SOURCE_BYTES: Final = 256 * 1024
CLASS_NAME: Final = "Environment"
A_TWIN: Final = re.compile(r"^class BatchedEnvironment\b", re.MULTILINE)

OPENING: Final = re.compile(r"^ {0,3}(`{3,}|~{3,})[ \t]*([A-Za-z0-9_+-]*)[^\n]*$")


@dataclass(frozen=True)
class Module:
    """source: has a class Environment. twin: the same over many copies; empty where there is none that parses."""

    source: str
    twin: str = ""


@dataclass(frozen=True)
class Rejected:
    """The answer holds no usable module. page: which of the coder's prompts tells the model so; about: its blank."""

    page: str
    about: str


def parse_answer(text: str) -> Module | Rejected:
    """The module in the answer's only Python code block but a twin's, or why none could be an environment.

    A twin is only ever a gain: one that can't be used costs the model no try.
    """
    blocks = _python_blocks(text)
    modules = [block for block in blocks if not _is_twin(block)]
    twins = [block for block in blocks if _is_twin(block)]
    if len(modules) != 1 or len(twins) > 1:
        return Rejected("not_one_block", str(len(blocks)))
    source = modules[0]
    if (size := _bytes(source)) > MAX_SOURCE_BYTES:
        return Rejected("too_large", str(size // 1024))
    module = _parsed(source)
    if not isinstance(module, ast.Module):
        return Rejected("does_not_parse", _where(module))
    classes = _classes(module)
    if CLASS_NAME not in classes:
        return Rejected("no_class", ", ".join(classes) or "-")
    twin = "".join(twins)
    usable = _bytes(twin) <= MAX_SOURCE_BYTES and isinstance(_parsed(twin), ast.Module)
    return Module(source, twin if usable else "")


def _is_twin(block: str) -> bool:
    """By its text, since a twin that doesn't parse is one still."""
    return A_TWIN.search(block) is not None and not re.search(rf"^class {CLASS_NAME}\b", block, re.MULTILINE)


def _bytes(source: str) -> int:
    return len(source.encode(errors="replace"))


def _parsed(source: str) -> ast.Module | Exception:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(source)
    except (SyntaxError, ValueError, MemoryError, RecursionError) as problem:
        return problem


def _classes(module: ast.Module) -> list[str]:
    return [node.name for node in module.body if isinstance(node, ast.ClassDef)]


def _python_blocks(text: str) -> list[str]:
    """The contents of every fenced block marked python, py or nothing; a block that never closes counts as one."""
    blocks: list[str] = []
    fence = ""
    lines: list[str] | None = None
    for line in text.splitlines():
        opening = OPENING.match(line)
        if not fence and opening:
            fence = opening[1]
            lines = [] if opening[2].lower() in ("", "python", "py", "python3") else None
        elif fence and line.strip().startswith(fence) and not line.strip().strip(fence[0]):
            if lines is not None:
                blocks.append("\n".join(lines) + "\n")
            fence, lines = "", None
        elif lines is not None:
            lines.append(line)
    return [*blocks, "\n".join(lines) + "\n"] if lines is not None else blocks


def _where(problem: Exception) -> str:
    if isinstance(problem, SyntaxError):
        return f"line {problem.lineno}: {problem.msg}"
    return "too deeply nested, or not text"
