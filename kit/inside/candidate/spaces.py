"""The judge's view of a space: what it declares, what lies in it, and samples from it."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from kit.inside.candidate.values import Value


@dataclass(frozen=True)
class Space:
    """kind: "Box", "Discrete", "MultiDiscrete", "MultiBinary", "Dict", "Tuple", "missing", or "other".

    low, high: inclusive, in the space's shape and dtype (for the discrete kinds too). parts: of Dict, Tuple.
    """

    kind: str
    dtype: str = ""
    shape: tuple[int, ...] = ()
    low: np.ndarray = field(default_factory=lambda: np.zeros(0))
    high: np.ndarray = field(default_factory=lambda: np.zeros(0))
    parts: dict[str, Space] = field(default_factory=dict)
    name: str = ""

    @property
    def size(self) -> int:
        """How many numbers a point has."""
        return sum(part.size for part in self.parts.values()) if self.parts else int(np.prod(self.shape, dtype=int))

    @property
    def numeric(self) -> bool:
        """Whether a point is one number or array."""
        return self.kind in ("Box", "Discrete", "MultiDiscrete", "MultiBinary")

    @property
    def form(self) -> str:
        """How a row of numbers becomes an action (see server.FORMS)."""
        if self.kind == "Discrete":
            return "numpy.int64"  # what gymnasium's own sample() gives
        return {"MultiDiscrete": "int64", "MultiBinary": "int8"}.get(self.kind, "as is")

    def sample(self, rng: np.random.Generator, count: int) -> np.ndarray:
        """(count, *shape), uniform; from unbounded sides within 10 of the other."""
        if self.kind != "Box":
            return rng.integers(self.low, self.high + 1, (count, *self.shape))
        low, high = self.finite
        if self.dtype.startswith(("int", "uint")):
            return rng.integers(low, high + 1, (count, *self.shape)).astype(self.dtype)
        return rng.uniform(low, high, (count, *self.shape)).astype(self.dtype)

    @property
    def finite(self) -> tuple[np.ndarray, np.ndarray]:
        """Low and high, with unbounded sides 10 from the other, or from zero."""
        low, high = self.low.astype(np.float64), self.high.astype(np.float64)
        low_open, high_open = ~(np.abs(low) < 1e30), ~(np.abs(high) < 1e30)
        low = np.where(low_open, np.where(high_open, -10.0, high - 10.0), low)
        return low, np.where(high_open, np.where(low_open, 10.0, low + 10.0), high)

    def problem_with(self, value: Value) -> str | None:
        """Why `value` is no point of this space, or None. A float inside the bounds by float32 is inside."""
        match self.kind:
            case "Dict":
                return self._problem_with_dict(value)
            case "Tuple":
                return self._problem_with_tuple(value)
            case "Discrete":
                whole = value.kind == "int" or value.kind.startswith(("numpy.int", "numpy.uint"))
                zero_d = value.kind == "ndarray" and value.shape == () and value.dtype.startswith(("int", "uint"))
                if not (whole or zero_d):
                    return f"it is {article(value.type_name)}, expected an int"
            case "Box" | "MultiDiscrete" | "MultiBinary":
                if value.kind != "ndarray":
                    return f"it is {article(value.type_name)}, expected a numpy.ndarray of {self.dtype}"
                if value.shape != self.shape:
                    return f"its shape is {value.shape}, expected {self.shape}"
                if value.dtype != self.dtype and not self._acceptable(value.dtype):
                    return f"its dtype is {value.dtype}, expected {self.dtype}"
            case _:
                return None
        array = value.array
        if array is None:
            return f"its dtype is {value.dtype}, expected {self.dtype}"
        return self._problem_with_numbers(array)

    def _acceptable(self, dtype: str) -> bool:
        """Whole numbers of another width are as good; floats must match."""
        return self.kind != "Box" and dtype.startswith(("int", "uint", "bool"))

    def _problem_with_numbers(self, array: np.ndarray) -> str | None:
        bad = ~((array >= self.low) & (array <= self.high) & np.isfinite(array))  # a bound may be infinite
        if not bad.any():
            return None
        place = tuple(int(i) for i in np.argwhere(bad)[0])
        number, low, high = array[place], np.asarray(self.low)[place], np.asarray(self.high)[place]
        at = f"[{', '.join(map(str, place))}]" if place else ""
        if not np.isfinite(number):
            return f"{at or 'it'} is {number}"
        side = f"below the declared low {low:.9g}" if number < low else f"above the declared high {high:.9g}"
        return f"{at or 'it'} = {number:.9g} is {side}"

    def _problem_with_dict(self, value: Value) -> str | None:
        if value.kind != "dict":
            return f"it is {article(value.type_name)}, expected a dict"
        names = [str(name.plain) for name, _ in value.entries]
        if sorted(names) != sorted(self.parts):
            return f"its keys are {sorted(names)}, expected {sorted(self.parts)}"
        for name, part in self.parts.items():
            entry = value.get(name)
            problem = part.problem_with(entry) if entry is not None else "it is missing"
            if problem:
                return f'["{name}"]: {problem}'
        return None

    def _problem_with_tuple(self, value: Value) -> str | None:
        if value.kind != "tuple" or len(value.items) != len(self.parts):
            return f"it is {article(value.type_name)} of {len(value.items)}, expected a tuple of {len(self.parts)}"
        for item, (name, part) in zip(value.items, self.parts.items(), strict=True):
            if problem := part.problem_with(item):
                return f"[{name}]: {problem}"
        return None


def article(noun: str) -> str:
    return f"an {noun}" if noun[:1].lower() in "aeiou" else f"a {noun}"


def read_space(value: Value | None) -> Space:
    """From what the candidate's end described; what makes no sense is a space of kind "other"."""
    if value is None or value.kind != "dict":
        return Space("missing")
    kind = str(_plain(value, "kind"))
    match kind:
        case "Box":
            low, high = _array(value, "low"), _array(value, "high")
            if low is not None and high is not None and low.shape == high.shape:
                return Space("Box", str(low.dtype), low.shape, low, high)
        case "Discrete":
            n, start = _plain(value, "n"), _plain(value, "start")
            if isinstance(n, int) and isinstance(start, int):
                return Space("Discrete", "int64", (), np.int64(start), np.int64(start + n - 1))  # type: ignore[arg-type]
        case "MultiDiscrete":
            nvec, start = _array(value, "nvec"), _array(value, "start")
            if nvec is not None and start is not None:
                low = start.astype(np.int64)
                return Space("MultiDiscrete", str(_plain(value, "dtype")), nvec.shape, low, low + nvec - 1)
        case "MultiBinary":
            shape_value = value.get("shape")
            shape = tuple(int(n.plain) for n in shape_value.items) if shape_value else ()  # type: ignore[call-overload]
            return Space("MultiBinary", "int8", shape, np.zeros(shape, np.int64), np.ones(shape, np.int64))
        case "Dict" | "Tuple":
            parts = value.get("parts")
            entries = parts.entries if parts else ()
            return Space(kind, parts={str(name.plain): read_space(part) for name, part in entries})
        case "missing":
            return Space("missing")
    return Space("other", name=str(_plain(value, "name")))


def _plain(value: Value, key: str) -> object:
    entry = value.get(key)
    return None if entry is None else entry.plain


def _array(value: Value, key: str) -> np.ndarray | None:
    entry = value.get(key)
    return None if entry is None or entry.kind != "ndarray" else entry.array
