"""The judge's end: a Candidate answers requests, or says what became of it. Nothing here imports its code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType

import numpy as np

from kit.inside.candidate import process
from kit.inside.candidate.messages import Closed, Message, Nonsense, encode
from kit.inside.candidate.patience import Patience
from kit.inside.candidate.spaces import Space, read_space
from kit.inside.candidate.troubles import Died, Raised, TimedOut, Trouble
from kit.inside.candidate.values import BadValue, Packer, Value, read

GRACE_S = 0.5  # beyond the candidate's own alarm, before it is killed
LOAD_S = 20.0


@dataclass(frozen=True)
class Note:
    """Something the candidate's code did besides computing, counted by its own end. times: bytes, for prints."""

    what: str
    phase: str
    line: int | None
    times: int
    sample: str = ""


@dataclass(frozen=True)
class LoadedClass:
    """name: None where no environment class was found among `others`, or too many."""

    name: str | None
    is_env: bool
    others: tuple[str, ...]


class Candidate:
    """One process that has loaded the candidate's source; `with` kills it and all it started.

    Every request returns its answer or a Trouble. After TimedOut (unless it could be interrupted) or
    Died, every further request is Died too. Use `start` or `start_apart`.
    """

    def __init__(self, running: process.Process, seconds: float) -> None:
        self._running: process.Process | None = running
        self._seconds = seconds
        self._asked = 0
        self._end = ""
        self._made: set[int] = set()

    @classmethod
    def start(cls, seconds: float = 5.0) -> Candidate:
        """Forked from this process, with what is imported already. seconds: for each request."""
        return cls(process.fork(), seconds)

    @classmethod
    def start_apart(cls, hash_seed: int, seconds: float = 5.0) -> Candidate:
        """A fresh interpreter with another hash seed."""
        return cls(process.spawn(hash_seed), seconds)

    def __enter__(self) -> Candidate:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.end()

    def end(self) -> None:
        """Kill the process and its group; harmless the second time."""
        if self._running is not None:
            self._end = self._running.end()
            self._running = None

    @property
    def alive(self) -> bool:
        return self._running is not None

    def load(
        self, source: str, class_name: str | None = None, global_seed: int = 0, pace: float = 1.0
    ) -> LoadedClass | Trouble:
        """Run the source as a module, with the global generators of random and numpy seeded.

        pace: how many times as fast its clocks run; with any other than 1 all its surroundings are others.
        """
        text = np.frombuffer(source.encode(), dtype=np.uint8)  # as bytes: text on the pipe is cut short
        arguments: dict[str, object] = {
            "source": text,
            "class_name": class_name,
            "global_seed": global_seed,
            "pace": pace,
        }
        answer = self._ask("load", arguments, max(self._seconds, LOAD_S))
        if not isinstance(answer, Value):
            return answer
        name, is_env, others = answer.get("class"), answer.get("is_env"), answer.get("others")
        return LoadedClass(
            str(name.plain) if name is not None and name.kind == "str" else None,
            is_env is not None and is_env.plain is True,
            tuple(str(other.plain) for other in others.items) if others is not None else (),
        )

    def make(self, env: int = 0, kwargs: Mapping[str, object] | None = None) -> Trouble | None:
        """Construct instance number `env`."""
        answer = self._ask("make", {"env": env, "kwargs": dict(kwargs or {})})
        if not isinstance(answer, Value):
            return answer
        self._made.add(env)
        return None

    def ensure(self, count: int, kwargs: Mapping[str, object] | None = None) -> Trouble | None:
        """Make those of instances 0 .. count-1 that don't exist yet."""
        for env in range(count):
            if env not in self._made and (trouble := self.make(env, kwargs)) is not None:
                return trouble
        return None

    def spaces(self, env: int = 0) -> tuple[Space, Space] | Trouble:
        """(observation space, action space)."""
        answer = self._ask("spaces", {"env": env})
        if not isinstance(answer, Value):
            return answer
        return read_space(answer.get("observation")), read_space(answer.get("action"))

    def reset(self, env: int = 0, **kwargs: object) -> Value | Trouble:
        """reset(**kwargs), described whatever it is."""
        return self._ask("reset", {"env": env, "kwargs": kwargs})

    def step(self, action: object, env: int = 0, info: bool = True) -> Value | Trouble:
        """step(action), described whatever it is. info: with all that stands in it, most of an answer."""
        return self._ask("step", {"env": env, "action": action, "info": info})

    def record(
        self, actions: Sequence[object], env: int = 0, reset: Mapping[str, object] | None = None
    ) -> Value | Trouble:
        """A list of what reset(**reset), if it is wanted, and the steps returned, up to the episode's end.

        Of each info only its state. What raised has reset or step as its place.
        """
        resets = None if reset is None else dict(reset)
        return self._ask("record", {"env": env, "reset": resets, "actions": list(actions)})

    def action_masks(self, env: int = 0) -> Value | Trouble:
        return self._ask("action_masks", {"env": env})

    def render(self, env: int = 0) -> Value | Trouble:
        return self._ask("render", {"env": env})

    def close(self, env: int = 0) -> Value | Trouble:
        return self._ask("close", {"env": env})

    def probe(
        self, function: str, env: int | None = None, seconds: float | None = None, **kwargs: object
    ) -> Value | Trouble:
        """Call a function of ours in the candidate's process; what it answers is a claim."""
        return self._ask("probe", {"function": function, "env": env, "kwargs": kwargs}, seconds)

    def noted(self) -> tuple[Note, ...]:
        """What its code did so far besides computing; () where it can't be asked any more."""
        answer = self._ask("noted", {})
        if not isinstance(answer, Value):
            return ()
        return tuple(_note(item) for item in answer.items if item.kind == "dict")

    def reset_many(
        self, envs: Sequence[int], kwargs: Sequence[Mapping[str, object]], masks: bool = False, infos: bool = True
    ) -> Value | Trouble:
        """Columns of all the resets: observations, state, masks, ... one row an instance."""
        arguments = {"envs": list(envs), "kwargs": [dict(k) for k in kwargs], "masks": masks, "infos": infos}
        return self._ask("reset_many", arguments)

    def step_many(
        self, envs: Sequence[int], actions: np.ndarray, form: str, masks: bool = False, infos: bool = True
    ) -> Value | Trouble:
        """Columns of one time step of all these instances; masks only of those that go on."""
        arguments = {"envs": list(envs), "actions": actions, "form": form, "masks": masks, "infos": infos}
        return self._ask("step_many", arguments)

    def _ask(self, operation: str, arguments: dict[str, object], seconds: float | None = None) -> Value | Trouble:
        if self._running is None:
            return Died(operation, self._end)
        seconds = self._seconds if seconds is None else seconds
        self._asked += 1
        packer = Packer()
        head = {"op": operation, "n": self._asked, "args": packer.pack(arguments), "seconds": seconds}
        patience = Patience(self._running.pid, seconds + GRACE_S)
        try:
            self._running.pipe.send(encode(head, packer.blobs), patience)
            message = self._running.pipe.receive(patience)
            return self._read(operation, message, seconds)
        except TimeoutError:
            self.end()
            return TimedOut(operation, seconds)
        except Closed:
            self.end()
            return Died(operation, self._end)
        except (Nonsense, BadValue, KeyError, TypeError, RecursionError) as problem:
            self.end()
            self._end = f"it broke the protocol ({problem})"
            return Died(operation, self._end)

    def _read(self, operation: str, message: Message, seconds: float) -> Value | Trouble:
        head = message.head
        if head.get("n") != self._asked:
            raise Nonsense("an answer to another question")
        operation = operation.removesuffix("_many")
        if "ok" in head:
            return read(head["ok"], message.blob)
        about = head.get("raised", head.get("overran"))
        if not isinstance(about, dict):
            raise Nonsense("neither an answer nor an exception")
        if operation == "record" and (phase := about.get("phase")) in ("reset", "step"):
            operation = str(phase)
        line, index = (about.get(key) if type(about.get(key)) is int else None for key in ("line", "index"))
        trace = str(about.get("traceback", ""))[-3000:]
        if "overran" in head:
            return TimedOut(operation, seconds, trace, line)
        kind, text = str(about.get("kind", ""))[:100], str(about.get("message", ""))[:1000]
        return Raised(operation, kind, text, trace, line, index)


def _note(item: Value) -> Note:
    fields = {str(name.plain): value.plain for name, value in item.entries}
    line, times = fields.get("line"), fields.get("times")
    return Note(
        str(fields.get("what", "")),
        str(fields.get("phase", "")),
        line if isinstance(line, int) else None,
        times if isinstance(times, int) else 0,
        str(fields.get("sample", "")),
    )
