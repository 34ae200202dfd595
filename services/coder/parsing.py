"""Reading a model's answer: the one Python module in it, looked at as text and never run."""

from __future__ import annotations

import ast
import re
import warnings
from dataclasses import dataclass
from typing import Final

MAX_SOURCE_BYTES: Final = 256 * 1024
CLASS_NAME: Final = "Environment"

OPENING: Final = re.compile(r"^ {0,3}(`{3,}|~{3,})[ \t]*([A-Za-z0-9_+-]*)[^\n]*$")


@dataclass(frozen=True)
class Rejected:
    """The answer holds no usable module. page: which of the coder's prompts tells the model so; about: its blank."""

    page: str
    about: str


def parse_answer(text: str) -> str | Rejected:
    """The source in the answer's only Python code block, or why there is none that could be an environment."""
    blocks = _python_blocks(text)
    if len(blocks) != 1:
        return Rejected("not_one_block", str(len(blocks)))
    source = blocks[0]
    size = len(source.encode(errors="replace"))
    if size > MAX_SOURCE_BYTES:
        return Rejected("too_large", str(size // 1024))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            module = ast.parse(source)
    except (SyntaxError, ValueError, MemoryError, RecursionError) as problem:
        return Rejected("does_not_parse", _where(problem))
    classes = [node.name for node in module.body if isinstance(node, ast.ClassDef)]
    if CLASS_NAME not in classes:
        return Rejected("no_class", ", ".join(classes) or "-")
    return source


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
