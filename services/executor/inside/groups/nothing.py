"""What a source says about its reward: whether it is 0 in every branch of step(), or cut to whole numbers."""

from __future__ import annotations

import ast

_WRAPPERS = ("float", "int", "abs")
_ROUNDING = frozenset({"int", "round", "floor", "rint", "trunc", "fix"})


def pays_nothing(tree: ast.Module) -> bool:
    """True only where every return of step() has a reward that must be 0."""
    for cls in (node for node in tree.body if isinstance(node, ast.ClassDef)):
        methods = {node.name: node for node in cls.body if isinstance(node, ast.FunctionDef)}
        if "step" in methods:
            returned = [node.value for node in ast.walk(methods["step"]) if isinstance(node, ast.Return)]
            rewards = [value.elts[1] for value in returned if isinstance(value, ast.Tuple) and len(value.elts) == 5]
            if rewards and len(rewards) == len(returned):
                return all(_Reader(cls, methods["step"]).is_zero(reward) for reward in rewards)
    return False


def cut_to_whole(tree: ast.Module) -> bool:
    """Whether a reward of step() is rounded, or an integer by division."""
    for method in (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name == "step"):
        returned = [node.value for node in ast.walk(method) if isinstance(node, ast.Return)]
        rewards = [value.elts[1] for value in returned if isinstance(value, ast.Tuple) and len(value.elts) == 5]
        names = {reward.id for reward in rewards if isinstance(reward, ast.Name)}
        stored = [node.value for node in ast.walk(method) if isinstance(node, ast.Assign)
                  and any(isinstance(target, ast.Name) and target.id in names for target in node.targets)]  # fmt: skip
        for node in (inner for expression in (*rewards, *stored) for inner in ast.walk(expression)):
            if isinstance(node, ast.BinOp) and isinstance(node.op, ast.FloorDiv):
                return True
            if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in _ROUNDING:
                return True
    return False


class _Reader:
    """Reads expressions of one method; names and attributes by all that is ever assigned to them."""

    def __init__(self, cls: ast.ClassDef, method: ast.FunctionDef, depth: int = 0) -> None:
        self._cls = cls
        self._method = method
        self._depth = depth

    def is_zero(self, node: ast.expr) -> bool:
        """Whether it can have no other value than 0; what is not understood can."""
        match node:
            case ast.Constant(value):
                return value is False or (isinstance(value, (int, float)) and value == 0)
            case ast.UnaryOp(ast.USub() | ast.UAdd(), operand):
                return self.is_zero(operand)
            case ast.BinOp(left, ast.Mult(), right):
                return self.is_zero(left) or self.is_zero(right)
            case ast.BinOp(left, ast.Add() | ast.Sub(), right) | ast.IfExp(_, left, right):
                return self.is_zero(left) and self.is_zero(right)
            case ast.Call(ast.Name(name), [argument], []) if name in _WRAPPERS:
                return self.is_zero(argument)
            case ast.Call(ast.Attribute(ast.Name("self"), name)) if self._depth < 3:
                return self._pays_zero(name)
            case ast.Name() | ast.Attribute(ast.Name("self")):
                return self._always_zero(node)
        return False

    def _pays_zero(self, name: str) -> bool:
        method = next((n for n in self._cls.body if isinstance(n, ast.FunctionDef) and n.name == name), None)
        if method is None:
            return False
        inner = _Reader(self._cls, method, self._depth + 1)
        values = [node.value for node in ast.walk(method) if isinstance(node, ast.Return)]
        return bool(values) and all(value is not None and inner.is_zero(value) for value in values)

    def _always_zero(self, place: ast.expr) -> bool:
        """By every assignment to the name in this method, or to the attribute in the class."""
        if self._depth > 6:
            return False
        text, found = ast.unparse(place), False
        reader = _Reader(self._cls, self._method, self._depth + 1)
        for node in ast.walk(self._method if isinstance(place, ast.Name) else self._cls):
            match node:
                case ast.Assign(targets, value) if any(ast.unparse(target) == text for target in targets):
                    found = True
                    if not reader.is_zero(value):
                        return False
                case ast.AnnAssign(target, _, value) if ast.unparse(target) == text and value is not None:
                    found = True
                    if not reader.is_zero(value):
                        return False
                case ast.AugAssign(target, ast.Add() | ast.Sub(), value) if ast.unparse(target) == text:
                    if not reader.is_zero(value):
                        return False
                case ast.AugAssign(target, ast.Mult()) if ast.unparse(target) == text:
                    continue
                case ast.Assign(targets) if any(_names(target, text) for target in targets):
                    return False  # one of several that are unpacked
                case ast.For(target) | ast.AugAssign(target) if _names(target, text):
                    return False
        return found


def _names(target: ast.expr, text: str) -> bool:
    return any(ast.unparse(node) == text for node in ast.walk(target) if isinstance(node, (ast.Name, ast.Attribute)))
