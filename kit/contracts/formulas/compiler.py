"""From text to a function over batches: names resolved, shapes inferred, nothing else reachable."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import prod

import numpy as np

from kit.contracts.design.parameters import Shape
from kit.contracts.formulas import batches
from kit.contracts.formulas.batches import Batch
from kit.contracts.formulas.functions import ALL_NAMES, function_named
from kit.contracts.formulas.grammar import NAMESPACES, FormulaError, parse, refuse

Values = Mapping[str, Batch]
"""What a formula is evaluated on: "state.stock" -> (rows, *shape), "choice" -> (1, n), ..."""

Scratch = dict[str, Batch]
"""The values of one evaluation, and the definitions already computed in it."""


@dataclass(frozen=True)
class Kind:
    """What is known of a value before it is computed: its shape, and whether it is a whole number."""

    shape: Shape = ()
    whole: bool = False


@dataclass(frozen=True)
class Scope:
    """The names that a formula may use. kinds: by full name; definitions: name -> text."""

    what: str  # for messages, e.g. "a reward component"
    kinds: Mapping[str, Kind]
    definitions: Mapping[str, str] = field(default_factory=dict)

    def plus(self, kinds: Mapping[str, Kind]) -> Scope:
        return Scope(self.what, {**self.kinds, **kinds}, self.definitions)


@dataclass(frozen=True)
class Compiled:
    """A formula ready to be evaluated. names: every full name it reads, through definitions too.

    cells: how many numbers computing one row makes, intermediate ones included: what it costs in time and memory.
    """

    text: str
    kind: Kind
    names: frozenset[str]
    run: Callable[[Scratch], Batch]
    cells: int = 1

    @property
    def shape(self) -> Shape:
        return self.kind.shape

    def __call__(self, values: Values) -> Batch:
        """(rows or 1, *shape); NaN or infinite where the formula has no value there."""
        with np.errstate(all="ignore"):
            return np.asarray(self.run(dict(values)), dtype=np.float64)


Run = Callable[[Scratch], Batch]
Node = tuple[Kind, Run]

ARITHMETIC: dict[type[ast.operator], Callable[[Batch, Batch], Batch]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
}
COMPARISON: dict[type[ast.cmpop], Callable[[Batch, Batch], Batch]] = {
    ast.Eq: batches.comparing(operator.eq),
    ast.NotEq: batches.comparing(operator.ne),
    ast.Lt: batches.comparing(operator.lt),
    ast.LtE: batches.comparing(operator.le),
    ast.Gt: batches.comparing(operator.gt),
    ast.GtE: batches.comparing(operator.ge),
}


def compile_formula(text: str, scope: Scope) -> Compiled:
    """Raises FormulaError saying what the formula names or combines that it can't."""
    return compile_tree(parse(text), text, scope)


def compile_tree(tree: ast.expr, text: str, scope: Scope) -> Compiled:
    compiler = _Compiler(scope)
    kind, run = compiler.node(tree)
    return Compiled(text, kind, frozenset(compiler.names), run, compiler.cells)


def _computed_once(key: str, node: Node) -> Node:
    """Definitions that build on each other would otherwise double the work at every level."""
    kind, compute = node

    def run(values: Scratch) -> Batch:
        if key not in values:
            values[key] = compute(values)
        return values[key]

    return kind, run


class _Compiler:
    """One walk over one formula's tree; each method returns what is known and how to compute it."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.names: set[str] = set()
        self.open: list[str] = []  # definitions being compiled, to find cycles
        self.done: dict[str, Node] = {}
        self.cells = 0

    def node(self, tree: ast.expr) -> Node:
        found = self._node(tree)
        self.cells += prod(found[0].shape)
        return found

    def _node(self, tree: ast.expr) -> Node:
        match tree:
            case ast.Constant(value=value):
                return self._constant(float(value), whole=float(value).is_integer())  # type: ignore[arg-type]
            case ast.Name(id=name):
                return self._name(tree, name)
            case ast.Attribute(value=ast.Name(id=space), attr=name) if space in NAMESPACES:
                return self._value(tree, f"{space}.{name}")
            case ast.BinOp(left=left, op=op, right=right):
                return self._arithmetic(tree, op, self.node(left), self.node(right))
            case ast.UnaryOp(op=op, operand=operand):
                return self._unary(op, self.node(operand))
            case ast.BoolOp(op=op, values=parts):
                logic = batches.both if isinstance(op, ast.And) else batches.either
                nodes = [self.node(part) for part in parts]
                result = nodes[0]
                for other in nodes[1:]:
                    result = self._elementwise(tree, logic, [result, other], whole=True)
                return result
            case ast.Compare():
                return self._compare(tree)
            case ast.Call():
                return self._call(tree)
            case ast.Subscript(value=value, slice=index):
                return self._subscript(tree, self.node(value), self.node(index))
            case ast.List(elts=elements) | ast.Tuple(elts=elements) if elements:
                return self._vector(tree, [self.node(element) for element in elements])
        raise refuse(tree, "this can't stand in a formula")

    @staticmethod
    def _constant(value: float, whole: bool) -> Node:
        batch = np.array([value])
        return Kind((), whole), lambda values: batch

    def _name(self, tree: ast.expr, name: str) -> Node:
        if name in self.scope.definitions:
            return self._definition(tree, name)
        if name in NAMESPACES or name in ALL_NAMES:
            raise refuse(tree, f"{name} can't stand alone; write {name}.<name> or {name}(...)")
        return self._value(tree, name)

    def _value(self, tree: ast.expr, name: str) -> Node:
        kind = self.scope.kinds.get(name)
        if kind is None:
            known = ", ".join(sorted(self.scope.kinds)) or "nothing"
            raise refuse(tree, f"{self.scope.what} can't use {name} (it can use: {known})")
        self.names.add(name)
        return kind, lambda values: values[name]

    def _definition(self, tree: ast.expr, name: str) -> Node:
        if name in self.open:
            raise refuse(tree, f"the definition {name} uses itself, by way of {' -> '.join(self.open)}")
        if name not in self.done:
            self.open.append(name)
            try:
                self.done[name] = _computed_once(f"({name})", self.node(parse(self.scope.definitions[name])))
            except FormulaError as problem:
                raise FormulaError(f"in the definition {name}: {problem}") from None
            self.open.pop()
        return self.done[name]

    def _elementwise(self, tree: ast.expr, operation: Callable[..., Batch], nodes: list[Node], whole: bool) -> Node:
        try:
            shape = tuple(np.broadcast_shapes(*(kind.shape for kind, _ in nodes)))
        except ValueError:
            shapes = " and ".join(str(kind.shape) for kind, _ in nodes)
            raise refuse(tree, f"shapes {shapes} don't go together") from None
        rank = len(shape)
        runs = [run for _, run in nodes]
        if all(len(kind.shape) == rank for kind, _ in nodes):
            return Kind(shape, whole), lambda values: operation(*(run(values) for run in runs))
        return Kind(shape, whole), lambda values: operation(*(batches.align(run(values), rank) for run in runs))

    def _arithmetic(self, tree: ast.expr, op: ast.operator, left: Node, right: Node) -> Node:
        whole = left[0].whole and right[0].whole and not isinstance(op, ast.Div | ast.Pow)
        whole = whole or isinstance(op, ast.FloorDiv)
        return self._elementwise(tree, ARITHMETIC[type(op)], [left, right], whole)

    @staticmethod
    def _unary(op: ast.unaryop, operand: Node) -> Node:
        kind, run = operand
        if isinstance(op, ast.Not):
            return Kind(kind.shape, True), lambda values: batches.negate(run(values))
        if isinstance(op, ast.USub):
            return kind, lambda values: -run(values)
        return operand

    def _compare(self, tree: ast.Compare) -> Node:
        operands = [self.node(part) for part in (tree.left, *tree.comparators)]
        result: Node | None = None
        for op, left, right in zip(tree.ops, operands, operands[1:], strict=False):
            if isinstance(op, ast.Eq | ast.NotEq) and not (left[0].whole and right[0].whole):
                raise refuse(
                    tree,
                    "== and != on real numbers hold by luck; write abs(a - b) < tolerance, or make it a law of its own",
                )
            one = self._elementwise(tree, COMPARISON[type(op)], [left, right], whole=True)
            result = one if result is None else self._elementwise(tree, batches.both, [result, one], whole=True)
        assert result is not None
        return result

    def _call(self, tree: ast.Call) -> Node:
        if not isinstance(tree.func, ast.Name) or tree.keywords:
            raise refuse(tree, f"only plain calls of {', '.join(sorted(ALL_NAMES))} can stand in a formula")
        name = tree.func.id
        if name == "arange":
            return self._arange(tree)
        nodes = [self.node(argument) for argument in tree.args]
        if name == "pick":
            return self._pick(tree, nodes)
        function = function_named(name, len(nodes))
        if function is None:
            raise refuse(tree, f"there is no function {name} (there are {', '.join(sorted(ALL_NAMES))})")
        least, most = function.arguments
        if not least <= len(nodes) <= most:
            raise refuse(tree, f"{name} takes {least} argument{'s' * (least > 1)}, not {len(nodes)}")
        whole = function.whole([kind.whole for kind, _ in nodes])
        if function.reduces:
            run, operation = nodes[0][1], function.operation
            return Kind((), whole), lambda values: operation(run(values))
        return self._elementwise(tree, function.operation, nodes, whole)

    def _arange(self, tree: ast.Call) -> Node:
        match tree.args:
            case [ast.Constant(value=int(size))] if not isinstance(size, bool) and 1 <= size <= 100_000:
                row = np.arange(size, dtype=np.float64)[None, :]
                return Kind((size,), True), lambda values: row
        raise refuse(tree, "arange takes one whole number, written out, from 1 to 100000")

    def _pick(self, tree: ast.Call, nodes: list[Node]) -> Node:
        if len(nodes) != 3 or len(nodes[0][0].shape) != 2:
            raise refuse(tree, "pick takes a matrix and two indices")
        (matrix_kind, matrix), i, j = nodes
        at = self._elementwise(tree, lambda a, b: a, [i, j], whole=True)
        rank, run_i, run_j = len(at[0].shape), i[1], j[1]

        def run(values: Scratch) -> Batch:
            return batches.pick(matrix(values), batches.align(run_i(values), rank), batches.align(run_j(values), rank))

        return Kind(at[0].shape, matrix_kind.whole), run

    def _subscript(self, tree: ast.expr, of: Node, index: Node) -> Node:
        (kind, run), (index_kind, run_index) = of, index
        if not kind.shape:
            raise refuse(tree, "a single number can't be indexed")
        if isinstance(tree, ast.Subscript) and isinstance(tree.slice, ast.Tuple):
            raise refuse(tree, "write pick(matrix, i, j) for two indices")
        shape = (*index_kind.shape, *kind.shape[1:])
        return Kind(shape, kind.whole), lambda values: batches.take(run(values), run_index(values))

    def _vector(self, tree: ast.expr, nodes: list[Node]) -> Node:
        shapes = {kind.shape for kind, _ in nodes}
        if len(shapes) != 1:
            raise refuse(tree, f"the parts of a vector must have one shape, not {sorted(shapes)}")
        runs = [run for _, run in nodes]

        def run(values: Scratch) -> Batch:
            parts = [part(values) for part in runs]
            rows = max(part.shape[0] for part in parts)
            return np.stack([np.broadcast_to(part, (rows, *part.shape[1:])) for part in parts], axis=1)

        return Kind((len(nodes), *shapes.pop()), all(kind.whole for kind, _ in nodes)), run
