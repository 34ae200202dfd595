"""Any Python value as a typed, bounded tree: how hostile data crosses the pipe without being unpickled.

Both ends use it. The candidate's end describes whatever its code returned, with exact types; the
judge's end rebuilds only numbers, text and arrays of allow-listed dtypes, and names everything else.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

MAX_DEPTH = 12
MAX_NODES = 50_000
MAX_TEXT = 2_000
MAX_BLOB = 64 * 2**20
PLAIN_KINDS = "biuf"  # bool, signed, unsigned, float: what may be rebuilt from bytes
WHOLE_LIMIT = 2**63

Node = object  # JSON: null, bool, int, float, str, or a tagged object


class BadValue(ValueError):
    """What came over the pipe is not a described value, or one that is too large."""


@dataclass(frozen=True)
class Value:
    """One value of the candidate as the judge sees it.

    kind: "None", "bool", "int", "float", "str", "ndarray", "list", "tuple", "dict", a NumPy scalar's
        name such as "numpy.float32", or "other". type_name: the exact type, e.g. "torch.Tensor".
    plain: the number, text or array, where there is one. items: of a list or tuple; entries: of a dict.
    """

    kind: str
    type_name: str
    plain: object = None
    dtype: str = ""
    shape: tuple[int, ...] = ()
    items: tuple[Value, ...] = ()
    entries: tuple[tuple[Value, Value], ...] = ()
    text: str = ""

    def get(self, key: str) -> Value | None:
        """The entry of a dict under a text key, or None."""
        for name, value in self.entries:
            if name.kind == "str" and name.plain == key:
                return value
        return None

    @property
    def array(self) -> np.ndarray | None:
        """The data of an array or number as an array; None where there is none."""
        return np.asarray(self.plain) if isinstance(self.plain, (bool, int, float, np.ndarray)) else None

    def __str__(self) -> str:
        """Short, for messages."""
        if self.kind in ("list", "tuple"):
            inside = ", ".join(str(item) for item in self.items[:4]) + (", ..." if len(self.items) > 4 else "")
            return f"[{inside}]" if self.kind == "list" else f"({inside})"
        if self.kind == "dict":
            inside = ", ".join(f"{k}: {v}" for k, v in self.entries[:4])
            return "{" + inside + (", ..." if len(self.entries) > 4 else "") + "}"
        if self.kind == "ndarray":
            data = "" if self.plain is None else " " + np.array2string(np.asarray(self.plain).ravel(), threshold=8)
            return f"array of {self.dtype}, shape {self.shape}{data}"
        if self.kind == "other":
            return f"{self.type_name} {self.text}".strip()[:200]
        return repr(self.plain)[:200]


@dataclass(frozen=True)
class Packed:
    """What was packed as soon as it came, before later calls could change it."""

    node: Node


@dataclass
class Packer:
    """Collects the bytes of the arrays in one message, and counts what it holds."""

    blobs: list[bytes] = field(default_factory=list)
    size: int = 0
    nodes: int = 0

    def pack(self, value: object, depth: int = 0) -> Node:
        """The node for any value. Never raises for what a candidate can return."""
        self.nodes += 1
        kind = type(value)
        if value is None or kind is bool:
            return value
        if kind is Packed:
            return value.node  # type: ignore[attr-defined]
        if kind is float:
            return value
        if kind is int:
            return value if -WHOLE_LIMIT <= value < WHOLE_LIMIT else self._other(value)  # type: ignore[operator]
        if kind is str:
            return str(value)[:MAX_TEXT].encode("utf-8", "replace").decode()
        if self.nodes > MAX_NODES or depth > MAX_DEPTH:
            return {"t": "o", "n": type_name(value), "r": "(too large or too deep to show)"}
        if isinstance(value, np.ndarray) and kind is np.ndarray:
            return self.array(value)
        if isinstance(value, np.generic) and value.dtype.kind in PLAIN_KINDS and value.dtype.itemsize <= 8:
            return {"t": "n", "d": value.dtype.str, "at": self.blob(value.tobytes())}
        if isinstance(value, dict):
            pairs = list(value.items())[: MAX_NODES - self.nodes + 1]
            entries = [[self.pack(key, depth + 1), self.pack(entry, depth + 1)] for key, entry in pairs]
            return {"t": "d", "v": entries, **({} if kind is dict else {"n": type_name(value)})}
        if isinstance(value, (list, tuple)):
            items = [self.pack(item, depth + 1) for item in value[: MAX_NODES - self.nodes + 1]]
            exact = kind in (list, tuple)
            tag = "l" if isinstance(value, list) else "u"
            return {"t": tag, "v": items, **({} if exact else {"n": type_name(value)})}
        return self._other(value)

    def array(self, value: np.ndarray) -> Node:
        """The node of an array; without its data where the dtype is not plain or it is too large."""
        node: dict[str, object] = {"t": "a", "d": value.dtype.str, "s": list(value.shape)}
        plain = value.dtype.kind in PLAIN_KINDS and value.dtype.itemsize <= 8
        if plain and self.size + value.nbytes <= MAX_BLOB:
            node["at"] = self.blob(np.ascontiguousarray(value).tobytes())
        return node

    def blob(self, data: bytes) -> int:
        """Where the bytes will stand."""
        at = self.size
        self.blobs.append(data)
        self.size += len(data)
        return at

    def _other(self, value: object) -> Node:
        try:
            text = repr(value)[:200]
        except Exception:
            text = "(its repr raises)"
        return {"t": "o", "n": type_name(value), "r": text.encode("utf-8", "replace").decode()}


def type_name(value: object) -> str:
    """ "float", "numpy.float32", "torch.Tensor": the exact type, as a person would say it."""
    kind = type(value)
    module = str(getattr(kind, "__module__", "")).split(".", maxsplit=1)[0]
    name = str(getattr(kind, "__qualname__", kind))[:100]
    return name if module in ("builtins", "environment") else f"{module}.{name}"


def read(node: Node, blob: bytes) -> Value:
    """The judge's view of one node; BadValue where it is none."""
    return _read(node, blob, 0)


def _read(node: Node, blob: bytes, depth: int) -> Value:
    if depth > MAX_DEPTH + 2:
        raise BadValue("nested too deeply")
    if node is None:
        return _NOTHING
    if isinstance(node, str):
        return _text(node)
    if isinstance(node, (bool, int, float)):
        name = type(node).__name__
        return Value(name, name, node)
    if not isinstance(node, dict):
        raise BadValue(f"a node of type {type(node).__name__}")
    name = str(node.get("n", ""))[:120]
    match node.get("t"):
        case "a":
            return _read_array(node, blob)
        case "n":
            number = array_of({**node, "s": []}, blob)
            dtype = dtype_name(number.dtype)
            return Value(f"numpy.{dtype}", f"numpy.{dtype}", number.item(), dtype)
        case "l" | "u" as tag:
            kind = "list" if tag == "l" else "tuple"
            return Value(kind, name or kind, items=tuple(_read(v, blob, depth + 1) for v in _listed(node)))
        case "d":
            return Value("dict", name or "dict", entries=tuple(_read_pairs(node, blob, depth)))
        case "o":
            return Value("other", name, text=str(node.get("r", ""))[:200])
    raise BadValue("a node without a known tag")


_NOTHING = Value("None", "NoneType")


@lru_cache(maxsize=1024)
def _text(text: str) -> Value:
    """Of all texts most are the names in a dict, the same at every step."""
    return Value("str", "str", text)


def _read_pairs(node: dict[str, object], blob: bytes, depth: int) -> Iterator[tuple[Value, Value]]:
    for pair in _listed(node):
        if not isinstance(pair, list) or len(pair) != 2:
            raise BadValue("an entry that is no pair")
        yield _read(pair[0], blob, depth + 1), _read(pair[1], blob, depth + 1)


def _listed(node: dict[str, object]) -> list[object]:
    found = node.get("v")
    if not isinstance(found, list):
        raise BadValue("no list of items")
    return found


def _read_array(node: dict[str, object], blob: bytes) -> Value:
    shape = _shape(node)
    if "at" not in node:
        return Value("ndarray", "numpy.ndarray", None, _dtype_name(node.get("d")), shape)
    data = array_of(node, blob)
    return Value("ndarray", "numpy.ndarray", data, dtype_name(data.dtype), shape)


def array_of(node: Node, blob: bytes) -> np.ndarray:
    """The array of a node, copied out of the message; BadValue where there is none."""
    if not isinstance(node, dict):
        raise BadValue("not an array")
    dtype, at, shape = _dtype(node.get("d")), node.get("at"), _shape(node)
    count = math.prod(shape)
    if not isinstance(at, int) or at < 0 or at + count * dtype.itemsize > len(blob):
        raise BadValue("an array that reaches past its message")
    return np.frombuffer(blob, dtype=dtype, count=count, offset=at).reshape(shape).copy()


def _shape(node: dict[str, object]) -> tuple[int, ...]:
    shape = node.get("s")
    sound = isinstance(shape, list) and len(shape) <= 32 and all(isinstance(n, int) and 0 <= n < 2**40 for n in shape)
    if not sound:
        raise BadValue("an array without a sound shape")
    return tuple(shape)  # type: ignore[arg-type]


def _dtype(text: object) -> np.dtype:
    if not isinstance(text, str) or len(text) > 4:
        raise BadValue("an array without a known dtype")
    return _plain_dtype(text)


@lru_cache(maxsize=64)
def dtype_name(dtype: np.dtype) -> str:
    """ "float32"; NumPy puts it together anew at every call."""
    return dtype.name


@lru_cache(maxsize=64)
def _plain_dtype(text: str) -> np.dtype:
    try:
        dtype = np.dtype(text)
    except TypeError:
        raise BadValue(f"dtype {text!r}") from None
    if dtype.kind not in PLAIN_KINDS or dtype.itemsize > 8:
        raise BadValue(f"dtype {text!r}")
    return dtype


def _dtype_name(text: object) -> str:
    return {"|O": "object"}.get(str(text), str(text))[:60]


def rebuild(node: Node, blob: bytes) -> object:
    """The real Python object: for the candidate's end, which believes the judge."""
    if not isinstance(node, dict):
        return node
    match node["t"]:
        case "a":
            return array_of(node, blob)
        case "n":
            return array_of({**node, "s": []}, blob)[()]
        case "l":
            return [rebuild(item, blob) for item in _listed(node)]
        case "u":
            return tuple(rebuild(item, blob) for item in _listed(node))
        case "d":
            return {rebuild(pair[0], blob): rebuild(pair[1], blob) for pair in _listed(node)}  # type: ignore[index]
    raise BadValue(f"a {node.get('n')} can't be rebuilt")
