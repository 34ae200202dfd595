"""The grammar: which of Python's expressions a formula may be; everything else is refused with its place."""

from __future__ import annotations

import ast

MAX_CHARACTERS = 4000
MAX_NODES = 1000
MAX_DEPTH = 60

NAMESPACES = frozenset({"params", "state", "prev", "action", "obs"})

ALLOWED = (
    ast.Expression, ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.Call, ast.Attribute, ast.Subscript,
    ast.Name, ast.Constant, ast.List, ast.Tuple, ast.Load,
    ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow, ast.USub, ast.UAdd, ast.Not,
    ast.And, ast.Or, ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE,
)  # fmt: skip


class FormulaError(ValueError):
    """A formula that can't be said in the language; the message says what and where."""


def parse(text: str) -> ast.expr:
    """The expression's tree, grammar checked; names and shapes are the compiler's business."""
    if len(text) > MAX_CHARACTERS:
        raise FormulaError(f"a formula has at most {MAX_CHARACTERS} characters, this one {len(text)}")
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, MemoryError, RecursionError) as problem:
        reason = problem.msg if isinstance(problem, SyntaxError) else "too deeply nested or not text"
        raise FormulaError(f"not an expression: {reason} in {_short(text)}") from None
    _check(tree, text)
    return tree.body


def refuse(node: ast.AST, why: str) -> FormulaError:
    """The error for `node`: what it is, and why it can't stand there."""
    return FormulaError(f"{why}: {_short(ast.unparse(node))}")


def _short(text: str) -> str:
    return repr(text if len(text) <= 120 else text[:117] + "...")


def _check(tree: ast.Expression, text: str) -> None:
    pending: list[tuple[ast.AST, int]] = [(tree, 0)]
    count = 0
    while pending:
        node, depth = pending.pop()
        count += 1
        if count > MAX_NODES or depth > MAX_DEPTH:
            raise FormulaError(f"too large (at most {MAX_NODES} parts, {MAX_DEPTH} deep): {_short(text)}")
        if not isinstance(node, ALLOWED):
            raise FormulaError(f"{type(node).__name__} is not part of the formula language: {_short(text)}")
        if isinstance(node, ast.Constant) and not isinstance(node.value, bool | int | float):
            raise FormulaError(f"only numbers can stand in a formula, not {node.value!r}")
        pending.extend((child, depth + 1) for child in ast.iter_child_nodes(node))
