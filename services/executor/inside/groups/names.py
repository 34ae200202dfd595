"""Names in a source: which of them stand for something imported, by the dotted path that they were imported from."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from services.executor.inside.subject import Subject

_IS_THE_PROGRAM = ("__name__ == '__main__'", "'__main__' == __name__")


@dataclass(frozen=True)
class Names:
    """nodes: of the whole tree, but for what runs only where the module is the program. imported: path by name.

    local: by node, the names that are bound in a function around it and so hide what is imported. harmless: nodes
    by which a module asks for itself alone. constants: targets that are set to a number, a text or a bool.
    """

    nodes: tuple[ast.AST, ...]
    imported: dict[str, str]
    local: dict[ast.AST, frozenset[str]]
    harmless: frozenset[ast.AST]
    constants: frozenset[ast.AST]

    def path(self, node: ast.expr) -> str:
        """Of np.random.seed "numpy.random.seed"; "" for what doesn't start at something imported."""
        root, _, rest = dotted(node).partition(".")
        if root not in self.imported or root in self.local.get(node, frozenset()):
            return ""
        return self.imported[root] + (f".{rest}" if rest else "")


def names_in(tree: ast.Module) -> Names:
    """Reads a module once."""
    imported: dict[str, str] = {}
    local: dict[ast.AST, frozenset[str]] = {}
    harmless: set[ast.AST] = set()
    constants: set[ast.AST] = set()
    nodes = tuple(walked(tree))
    for node in nodes:
        match node:
            case ast.Import(names=aliases):
                for alias in aliases:
                    bound = alias.asname or alias.name.partition(".")[0]
                    imported[bound] = alias.name if alias.asname else bound
            case ast.ImportFrom(module=module, names=aliases):
                imported |= {alias.asname or alias.name: f"{module}.{alias.name}" for alias in aliases}
            case ast.Subscript(value=inner, slice=ast.Name(id="__name__")):
                harmless.add(inner)  # sys.modules[__name__]
            case ast.Call(func=ast.Attribute(attr="getfile"), args=[ast.Call(func=inner)]):
                harmless.add(inner)  # inspect.getfile(inspect.currentframe())
            case ast.Assign(targets=targets, value=ast.Constant(value=bool() | int() | float() | str())):
                constants.update(targets)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda():
                bound_here = _bound(node)
                for inside in ast.walk(node):
                    local[inside] = local.get(inside, frozenset()) | bound_here
    return Names(nodes, imported, local, frozenset(harmless), frozenset(constants))


def _bound(function: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> frozenset[str]:
    """Arguments and what is assigned; not what an import within the function binds."""
    given = function.args
    arguments = [*given.posonlyargs, *given.args, *given.kwonlyargs, *filter(None, [given.vararg, given.kwarg])]
    stored = (n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
    return frozenset({argument.arg for argument in arguments} | set(stored))


def walked(node: ast.AST) -> Iterator[ast.AST]:
    """Everything but what runs only where the module is the program: `if __name__ == "__main__":`."""
    yield node
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and ast.unparse(child.test) in _IS_THE_PROGRAM:
            for otherwise in child.orelse:
                yield from walked(otherwise)
        else:
            yield from walked(child)


def dotted(node: ast.expr) -> str:
    """Of an attribute of a name "a.b.c", else ""."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else ""


def compared(subject: Subject) -> set[str]:
    """The names that stand in comparisons."""
    nodes = [node for node in ast.walk(subject.tree) if isinstance(node, ast.Compare)] if subject.tree else []
    inside = [inner for node in nodes for inner in ast.walk(node)]
    return {n.attr for n in inside if isinstance(n, ast.Attribute)} | {n.id for n in inside if isinstance(n, ast.Name)}
