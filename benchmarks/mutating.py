"""Faults made mechanically: every place of an environment's source where one of a dozen slips could have happened."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

LEFT_ALONE = ("__init__",)  # its numbers are defaults, which the design's parameters replace
ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult,
}  # fmt: skip
COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.Gt), ast.LtE: (ast.Lt, ast.GtE), ast.Gt: (ast.GtE, ast.Lt), ast.GtE: (ast.Gt, ast.LtE),
    ast.Eq: (ast.NotEq,), ast.NotEq: (ast.Eq,),
}  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    """kind: the slip. line, text: where in the good source, and what became of it there."""

    kind: str
    line: int
    text: str
    method: str
    source: str


def mutants_of(source: str) -> Iterator[Mutant]:
    """All of them, in the order of the source."""
    tree = ast.parse(source)
    good = ast.unparse(tree)
    cls = next(node for node in tree.body if isinstance(node, ast.ClassDef))
    for method in (node for node in cls.body if isinstance(node, ast.FunctionDef)):
        if method.name in LEFT_ALONE:
            continue
        for statement in (node for node in ast.walk(method) if isinstance(node, ast.stmt)):
            if isinstance(statement, (ast.Raise, ast.FunctionDef)) or _is_docstring(statement):
                continue
            for kind, node, change in _slips(statement):
                if (changed := _changed(tree, node, change)) != good:
                    line = getattr(node, "lineno", statement.lineno)
                    text = f"{ast.unparse(node)}  ->  {ast.unparse(change(node))}"
                    yield Mutant(kind, line, text.replace("\n", " ")[:160], method.name, changed)


Change = Callable[[Any], ast.AST]
Slip = tuple[str, ast.AST, Change]


def _slips(statement: ast.stmt) -> Iterator[Slip]:
    """What could go wrong in this statement itself; what is nested in it has its turn."""
    if isinstance(statement, (ast.Assign, ast.AugAssign)) and _targets(statement):
        yield "forgets a statement", statement, lambda node: ast.Pass()
    inner = [field for field in ast.iter_child_nodes(statement) if not isinstance(field, ast.stmt)]
    for node in (found for child in inner for found in ast.walk(child)):
        yield from _slips_of(node)


def _slips_of(node: ast.AST) -> Iterator[Slip]:
    if isinstance(node, ast.BinOp) and type(node.op) in ARITHMETIC:
        other = ARITHMETIC[type(node.op)]
        kind = "swaps a sign" if other in (ast.Add, ast.Sub) else "swaps an operator"
        yield kind, node, lambda n: _with(n, op=other())
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        yield "drops a minus", node, lambda n: n.operand
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield "drops a not", node, lambda n: n.operand
    elif isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in COMPARISONS:
        for other_op in COMPARISONS[type(node.ops[0])]:
            yield "changes a comparison", node, lambda n, op=other_op: _with(n, ops=[op()])  # type: ignore[misc]
    elif isinstance(node, ast.BoolOp):
        flipped = ast.Or if isinstance(node.op, ast.And) else ast.And
        yield "and for or", node, lambda n: _with(n, op=flipped())
    elif isinstance(node, ast.Constant) and type(node.value) in (int, float):
        value = _another(node.value)
        yield "changes a number", node, lambda n: ast.Constant(value)
    elif isinstance(node, ast.Call):
        yield from _slips_of_call(node)
    elif isinstance(node, ast.Attribute) and node.attr == "np_random":
        yield "global randomness", node, lambda n: ast.parse("np.random", mode="eval").body
    elif isinstance(node, ast.Dict) and len(node.keys) > 1 and None not in node.keys:
        yield "forgets an entry", node, lambda n: _with(n, keys=n.keys[1:], values=n.values[1:])


def _another(number: object) -> int | float:
    if isinstance(number, float):
        return number * 1.1 or 0.1
    return number + 1 if isinstance(number, int) else 1


def _slips_of_call(node: ast.Call) -> Iterator[Slip]:
    name = ast.unparse(node.func)
    if name in ("min", "max") and len(node.args) == 2:
        for place in (0, 1):
            yield "drops a clip", node, lambda n, i=place: n.args[i]  # type: ignore[misc]
    elif name in ("np.clip", "np.minimum", "np.maximum"):
        yield "drops a clip", node, lambda n: n.args[0]
    elif name.endswith(".copy"):
        yield "forgets a copy", node, lambda n: n.func.value


def _with(node: ast.AST, **fields: object) -> ast.AST:
    made = copy.copy(node)
    for name, value in fields.items():
        setattr(made, name, value)
    return made


def _changed(tree: ast.Module, node: ast.AST, change: Change) -> str:
    """The whole source with one node replaced."""
    replacement = change(node)

    class Replacing(ast.NodeTransformer):
        def visit(self, seen: ast.AST) -> ast.AST:
            return replacement if seen is node else self.generic_visit(_shallow(seen))

    return ast.unparse(ast.fix_missing_locations(Replacing().visit(tree)))


def _shallow(node: ast.AST) -> ast.AST:
    """A copy whose lists are its own, so that the tree stays as it is."""
    made = copy.copy(node)
    for name, value in ast.iter_fields(node):
        if isinstance(value, list):
            setattr(made, name, list(value))
    return made


def _targets(statement: ast.stmt) -> frozenset[str]:
    """Attributes of self that it sets."""
    places = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
    nodes = [node for place in places if place is not None for node in ast.walk(place)]
    return frozenset(
        node.attr for node in nodes if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
    )


def _is_docstring(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
