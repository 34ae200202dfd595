"""The candidate's end of the pipe: one request at a time, an answer for each, whatever the code does."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable

import numpy as np

from kit.inside.candidate import batches
from kit.inside.candidate.describing import describe_space
from kit.inside.candidate.hiding import Hidden, elsewhere
from kit.inside.candidate.loading import Loaded, about, load
from kit.inside.candidate.messages import Closed, Message, Pipe, encode
from kit.inside.candidate.patience import Patience
from kit.inside.candidate.values import Packed, Packer, rebuild
from kit.inside.candidate.watching import Watch

Form = Callable[[np.ndarray], object]
# How one row of numbers becomes the action that step() gets.
FORMS: dict[str, Form] = {
    "int": lambda row: int(row.reshape(-1)[0]),
    "numpy.int64": lambda row: np.int64(row.reshape(-1)[0]),
    "int64": lambda row: row.astype(np.int64),
    "int8": lambda row: row.astype(np.int8),
    "float32": lambda row: row.astype(np.float32),
    "as is": lambda row: row,
}


_FLAGS = (bool, int, float, np.generic)


KEPT = ("episode",)  # of an info that nobody asks for: what wrappers put there and read


class Overran(BaseException):
    """Raised in the middle of the candidate's code when its time for one request is over."""


class Server:
    """Holds the candidate's class and its instances by number."""

    def __init__(self, pipe: Pipe) -> None:
        self._pipe = pipe
        self._watch = Watch()
        self._hidden = Hidden()
        self._loaded: Loaded | None = None
        self._patience: Patience | None = None
        self._packer = Packer()
        self.envs: dict[int, object] = {}

    def serve(self) -> None:
        """Until the judge closes its end."""
        signal.signal(signal.SIGALRM, self._overrun)
        self._watch.start()
        while True:
            try:
                message = self._pipe.receive()
            except Closed:
                return
            self._pipe.send(self._answer(message))

    def _overrun(self, *_: object) -> None:
        self._watch.looking = False  # the account that is read now is not read by the candidate
        left = self._patience.left() if self._patience is not None else 0.0
        self._watch.looking = True
        if left > 0:
            signal.setitimer(signal.ITIMER_REAL, left + 0.001)  # it had to wait for its turn
            return
        raise Overran

    def _answer(self, message: Message) -> bytes:
        head = message.head
        operation = str(head["op"])
        self._watch.phase = operation.removesuffix("_many")
        answer: dict[str, object] = {"n": head["n"]}
        packer = self._packer = Packer()
        try:
            arguments = rebuild(head["args"], message.blob)
            seconds = float(head["seconds"])  # type: ignore[arg-type]
            self._patience = Patience("self", seconds)
            signal.setitimer(signal.ITIMER_REAL, seconds)
            result = getattr(self, f"do_{operation}")(**arguments)  # type: ignore[arg-type]
            answer["ok"] = packer.pack(result)
        except Overran as problem:
            answer["overran"] = {**about(problem), "phase": self._watch.phase}
        except batches.Malformed as problem:
            answer["raised"] = {"kind": f"Malformed.{problem.part}", "message": str(problem), "index": problem.index}
        except BaseException as problem:
            index = getattr(problem, "batch_index", None)
            answer["raised"] = {**about(problem), "index": index, "phase": self._watch.phase}
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
        try:
            return encode(answer, packer.blobs)
        except (ValueError, RecursionError) as problem:
            return encode({"n": head["n"], "raised": about(problem)}, [])

    # One method for each request.

    def do_load(self, source: np.ndarray, class_name: str | None, global_seed: int, pace: float) -> dict[str, object]:
        import random

        random.seed(global_seed)
        np.random.seed(global_seed % 2**32)
        self._hidden.hide()
        if pace != 1.0:
            elsewhere(pace)
        self._loaded = load(source.tobytes().decode(), class_name)
        cls = self._loaded.cls
        return {"class": cls.__name__ if cls else None, "is_env": self._loaded.is_env, "others": self._loaded.others}

    def do_make(self, env: int, kwargs: dict[str, object]) -> None:
        assert self._loaded is not None and self._loaded.cls is not None
        self.envs[env] = self._loaded.cls(**kwargs)

    def do_drop(self, env: int) -> None:
        self.envs.pop(env, None)

    def do_spaces(self, env: int) -> dict[str, object]:
        made = self.envs[env]
        return {
            "observation": describe_space(getattr(made, "observation_space", None)),
            "action": describe_space(getattr(made, "action_space", None)),
        }

    def do_reset(self, env: int, kwargs: dict[str, object]) -> object:
        return self.envs[env].reset(**kwargs)  # type: ignore[attr-defined]

    def do_step(self, env: int, action: object, info: bool) -> object:
        result = self.envs[env].step(action)  # type: ignore[attr-defined]
        bare = not info and type(result) is tuple and result and type(result[-1]) is dict
        return (*result[:-1], {key: result[-1][key] for key in KEPT if key in result[-1]}) if bare else result

    def do_record(self, env: int, reset: dict[str, object] | None, actions: list[object]) -> list[Packed]:
        made, told = self.envs[env], []
        if reset is not None:
            self._watch.phase = "reset"
            told.append(self._packed(made.reset(**reset)))  # type: ignore[attr-defined]
        self._watch.phase = "step"
        for action in actions:
            result = made.step(action)  # type: ignore[attr-defined]
            told.append(self._packed(result))
            if _over(result):
                break
        return told

    def _packed(self, result: object) -> Packed:
        """Of info only the state: the rest is nobody's to compare."""
        if isinstance(result, tuple) and result and isinstance(result[-1], dict):
            state = {"state": result[-1]["state"]} if "state" in result[-1] else {}
            result = (*result[:-1], state)
        return Packed(self._packer.pack(result))

    def do_action_masks(self, env: int) -> object:
        return self.envs[env].action_masks()  # type: ignore[attr-defined]

    def do_render(self, env: int) -> object:
        return self.envs[env].render()  # type: ignore[attr-defined]

    def do_close(self, env: int) -> object:
        return self.envs[env].close()  # type: ignore[attr-defined]

    def do_noted(self) -> list[dict[str, object]]:
        return self._watch.report()

    def do_probe(self, function: str, env: int | None, kwargs: dict[str, object]) -> object:
        """Call a function of ours, named by its dotted path, on an instance, or on the class."""
        module, _, name = function.rpartition(".")
        subject = self.envs[env] if env is not None else self._loaded and self._loaded.cls
        return getattr(self._hidden.module(module), name)(subject, **kwargs)

    def do_reset_many(
        self, envs: list[int], kwargs: list[dict[str, object]], masks: bool, infos: bool
    ) -> dict[str, object]:
        made = [self.envs[env] for env in envs]
        results = _each(lambda i: made[i].reset(**kwargs[i]), len(made))  # type: ignore[attr-defined]
        return {**batches.pack_resets(results, infos), **(_masks(made) if masks else {})}

    def do_step_many(
        self, envs: list[int], actions: np.ndarray, form: str, masks: bool, infos: bool
    ) -> dict[str, object]:
        made = [self.envs[env] for env in envs]
        shaped = FORMS[form]
        results = _each(lambda i: made[i].step(shaped(actions[i])), len(made))  # type: ignore[attr-defined]
        columns = batches.pack_steps(results, infos)
        if masks:
            going = ~(columns["terminated"] | columns["truncated"])  # type: ignore[operator]
            columns |= _masks([env for env, on in zip(made, going, strict=True) if on])
        return columns


def _over(result: object) -> bool:
    """Whether a step's result ends the episode: a flag that is no bool counts by its truth; what is no result does."""
    if not isinstance(result, tuple) or len(result) != 5:
        return True
    return any(isinstance(flag, _FLAGS) and flag == 1 for flag in result[2:4])


def _each(call: Callable[[int], object], count: int) -> list[object]:
    results = []
    for index in range(count):
        try:
            results.append(call(index))
        except Exception as problem:
            problem.batch_index = index  # type: ignore[attr-defined]
            raise
    return results


def _masks(made: list[object]) -> dict[str, object]:
    if not made:
        return {}
    rows = _each(lambda i: made[i].action_masks(), len(made))  # type: ignore[attr-defined]
    for index, row in enumerate(rows):
        if not isinstance(row, np.ndarray) or row.dtype.kind not in "biu":
            raise batches.Malformed("info", index, "action_masks() must return a one-dimensional array of bool")
    return {"masks": np.stack(rows).astype(np.int8)}  # type: ignore[arg-type]


def serve_and_leave(source: int, sink: int) -> None:
    """The whole life of the candidate's process; never returns."""
    try:
        Server(Pipe(source, sink)).serve()
    finally:
        os._exit(0)
