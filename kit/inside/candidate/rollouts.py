"""Whole episodes of many instances stepped together, one message a time step, as columns for the formulas."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from kit.inside.candidate.judge import Candidate
from kit.inside.candidate.troubles import Died, Raised, Trouble
from kit.inside.candidate.values import Value

MAX_BYTES = 256 * 2**20
BATCH = 100

Columns = dict[str, np.ndarray]


@dataclass(frozen=True)
class Seen:
    """What a policy decides on: one row for each episode that goes on.

    observations: (k, size) float64, flattened. masks: (k, choices) or None. seeds: (k,). step: counts from 0.
    """

    observations: np.ndarray
    masks: np.ndarray | None
    seeds: np.ndarray
    step: int


Policy = Callable[[Seen], np.ndarray]
"""(k, width of an action), one row for each episode that goes on."""


@dataclass(frozen=True)
class Trajectories:
    """Steps of several episodes, episode after episode; row i goes from prev[i] by actions[i] to state[i].

    episode: (rows,) index into seeds. step: (rows,) counts from 0. observations, masks: what was seen
    before acting; next_observations: after. ended: (episodes,) whether it came to its end.
    start_state, start_observations: one row an episode. dtypes: those that each state variable had.
    Columns of info are empty where the environment's info has none.
    """

    seeds: np.ndarray
    episode: np.ndarray
    step: np.ndarray
    prev: Columns
    state: Columns
    actions: np.ndarray
    observations: np.ndarray
    next_observations: np.ndarray
    rewards: np.ndarray
    terminated: np.ndarray
    truncated: np.ndarray
    endings: tuple[str | None, ...]
    components: Columns
    masks: np.ndarray | None
    start_state: Columns
    start_observations: np.ndarray
    start_components: Columns
    ended: np.ndarray
    dtypes: dict[str, frozenset[str]] = field(default_factory=dict)

    @property
    def rows(self) -> int:
        return len(self.rewards)

    def rows_of(self, episode: int) -> slice:
        """The rows of one episode."""
        first, last = np.searchsorted(self.episode, [episode, episode + 1])
        return slice(int(first), int(last))

    @property
    def lengths(self) -> np.ndarray:
        """(episodes,) steps."""
        return np.bincount(self.episode, minlength=len(self.seeds))

    @property
    def returns(self) -> np.ndarray:
        """(episodes,) the sum of the rewards."""
        return np.bincount(self.episode, weights=self.rewards, minlength=len(self.seeds))


@dataclass(frozen=True)
class Rollout:
    """What was collected, and the trouble that stopped it, if any, with its seed and step (-1: in reset)."""

    trajectories: Trajectories | None
    trouble: Trouble | None = None
    seed: int | None = None
    step: int = 0


@dataclass
class _Moment:
    """One time step's answer, unpacked, with the episodes its rows belong to."""

    episodes: np.ndarray
    columns: Columns
    state: Columns
    components: Columns
    endings: list[str | None]
    masks: np.ndarray | None


def rollout(
    candidate: Candidate,
    policy: Policy,
    seeds: Sequence[int],
    form: str,
    max_steps: int,
    *,
    masks: bool = False,
    options: Mapping[str, object] | None = None,
    kwargs: Mapping[str, object] | None = None,
) -> Rollout:
    """Every seed's episode to its end, or to max_steps. form: how a row becomes an action (Space.form).

    Seeds beyond BATCH are played in turns. Instances 0 .. BATCH-1 of the candidate are made as needed,
    with kwargs, and used again by the next rollout.
    """
    parts: list[_Part] = []
    for first in range(0, len(seeds), BATCH):
        part = _Part(
            candidate, np.asarray(seeds[first : first + BATCH], dtype=np.int64), form, masks, dict(kwargs or {})
        )
        result = part.play(policy, max_steps, options)
        parts.append(part)
        if result is not None:
            return Rollout(_join(parts), *result)
    return Rollout(_join(parts))


class _Part:
    """At most BATCH episodes, played together."""

    def __init__(
        self, candidate: Candidate, seeds: np.ndarray, form: str, masks: bool, kwargs: dict[str, object]
    ) -> None:
        self.candidate, self.seeds, self.form, self.masks, self.kwargs = candidate, seeds, form, masks, kwargs
        self.start: _Moment | None = None
        self.moments: list[_Moment] = []
        self.actions: list[np.ndarray] = []
        self.ended = np.zeros(len(seeds), dtype=bool)

    def play(
        self, policy: Policy, max_steps: int, options: Mapping[str, object] | None
    ) -> tuple[Trouble, int | None, int] | None:
        """None, or what stopped it, with seed and step."""
        trouble = self.candidate.ensure(len(self.seeds), self.kwargs)
        if trouble is not None:
            return trouble, None, -1
        going = np.arange(len(self.seeds))
        extra = {} if options is None else {"options": dict(options)}
        answer = self.candidate.reset_many(going.tolist(), [{"seed": int(s), **extra} for s in self.seeds], self.masks)
        if not isinstance(answer, Value):
            return answer, self._seed(answer, going), -1
        self.start = now = _unpack(answer, going)
        size = 0
        for step in range(max_steps):
            now_masks = now.masks
            seen = Seen(now.columns["observations"], now_masks, self.seeds[going], step)
            actions = np.asarray(policy(seen)).reshape(len(going), -1)
            answer = self.candidate.step_many(going.tolist(), actions, self.form, self.masks)
            if not isinstance(answer, Value):
                return answer, self._seed(answer, going), step
            moment = _unpack(answer, going)
            if any(len(moment.columns.get(n, ())) != len(going) for n in ("rewards", "terminated", "truncated")):
                self.candidate.end()
                return Died("step", "it broke the protocol (columns of the wrong length)"), None, step
            self.moments.append(moment)
            self.actions.append(actions)
            done = moment.columns["terminated"] | moment.columns["truncated"]
            self.ended[going[done]] = True
            size += _bytes(moment)
            if size > MAX_BYTES:
                return Raised("step", "Malformed", f"the states of {step + 1} steps take {size} bytes"), None, step
            going = going[~done]
            if not len(going):
                break
            now = _Moment(going, {"observations": moment.columns["observations"][~done]}, {}, {}, [], moment.masks)
        return None

    def _seed(self, trouble: Trouble, going: np.ndarray) -> int | None:
        index = getattr(trouble, "index", None)
        return int(self.seeds[going[index]]) if index is not None and 0 <= index < len(going) else None


def _unpack(answer: Value, episodes: np.ndarray) -> _Moment:
    """Columns of an answer; one that has too few rows is left out, so that nobody reads another's row."""
    rows = len(episodes)
    columns = {
        name: column
        for name in ("rewards", "terminated", "truncated")
        if (column := _array(answer.get(name))) is not None
    }
    columns["observations"] = _flat(answer.get("observations"), rows)
    if "rewards" in columns:
        columns["rewards"] = columns["rewards"].astype(np.float64)
    for name in ("terminated", "truncated"):
        if name in columns:
            columns[name] = columns[name].astype(bool)
    endings = answer.get("endings")
    names = [item.plain if isinstance(item.plain, str) else None for item in endings.items] if endings else []
    masks = _array(answer.get("masks"))
    return _Moment(
        episodes,
        columns,
        _table(answer.get("state"), rows),
        _table(answer.get("reward_components"), rows),
        names if len(names) == rows else [],
        masks,
    )


def _array(value: Value | None) -> np.ndarray | None:
    return value.plain if value is not None and isinstance(value.plain, np.ndarray) else None


def _flat(value: Value | None, rows: int) -> np.ndarray:
    """(rows, size) float64; of a dict, its parts in order, side by side."""
    if value is None:
        return np.zeros((rows, 0))
    if value.kind == "dict":
        parts = [_flat(part, rows) for _, part in value.entries]
        return np.concatenate(parts, axis=1) if parts else np.zeros((rows, 0))
    array = _array(value)
    if array is None or array.ndim == 0 or len(array) != rows:
        return np.zeros((rows, 0))
    return array.reshape(rows, -1).astype(np.float64)


def _table(value: Value | None, rows: int) -> Columns:
    if value is None or value.kind != "dict":
        return {}
    found = {str(name.plain): _array(column) for name, column in value.entries}
    return {
        name: column for name, column in found.items() if column is not None and column.ndim and len(column) == rows
    }


def _bytes(moment: _Moment) -> int:
    return sum(column.nbytes for part in (moment.columns, moment.state, moment.components) for column in part.values())


def _join(parts: Sequence[_Part]) -> Trajectories | None:
    """Everything in one, episode after episode; None where no step was taken."""
    used = [part for part in parts if part.moments and part.start is not None]
    if not used:
        return None
    before = np.cumsum([0] + [len(part.seeds) for part in used])
    moments = [(offset, moment) for offset, part in zip(before, used, strict=False) for moment in part.moments]
    episode = np.concatenate([moment.episodes + offset for offset, moment in moments])
    step = np.concatenate([np.full(len(moment.episodes), t) for part in used for t, moment in enumerate(part.moments)])
    order = np.argsort(episode, kind="stable")
    first = np.flatnonzero(step[order] == 0)

    def column(pick: Callable[[_Moment], np.ndarray]) -> np.ndarray:
        return np.concatenate([pick(moment) for _, moment in moments])[order]

    def table(pick: Callable[[_Moment], Columns]) -> Columns:
        shared = set.intersection(*({*pick(moment)} for _, moment in moments))
        names = [name for name in pick(moments[0][1]) if name in shared]
        return {name: column(lambda m, name=name: pick(m)[name]) for name in names}  # type: ignore[misc]

    def starting(pick: Callable[[_Moment], Columns]) -> Columns:
        starts = [pick(part.start) for part in used if part.start is not None]
        shared = set.intersection(*({*start} for start in starts))
        return {n: np.concatenate([start[n] for start in starts]) for n in starts[0] if n in shared}

    def shifted(start: np.ndarray, after: np.ndarray) -> np.ndarray:
        """What was there before each row: the start in the first of an episode, else the row above."""
        before_ = np.concatenate([after[:1], after[:-1]])
        before_ = before_.astype(np.result_type(start, after))
        before_[first] = start[episode[order][first]]
        return before_

    state, start_state = table(lambda m: m.state), starting(lambda m: m.state)
    next_observations = column(lambda m: m.columns["observations"])
    start_observations = starting(lambda m: {"o": m.columns["observations"]})["o"]
    endings = [name for _, moment in moments for name in (moment.endings or [None] * len(moment.episodes))]
    masks = _masks_seen(used)
    return Trajectories(
        seeds=np.concatenate([part.seeds for part in used]),
        episode=episode[order],
        step=step[order],
        prev={
            n: shifted(start_state[n], state[n]) for n in state if n in start_state and _alike(start_state[n], state[n])
        },
        state=state,
        actions=np.concatenate([rows for part in used for rows in part.actions])[order],
        observations=shifted(start_observations, next_observations),
        next_observations=next_observations,
        rewards=column(lambda m: m.columns["rewards"]),
        terminated=column(lambda m: m.columns["terminated"]),
        truncated=column(lambda m: m.columns["truncated"]),
        endings=tuple(endings[i] for i in order),
        components=table(lambda m: m.components),
        masks=None if masks is None else masks[order],
        start_state=start_state,
        start_observations=start_observations,
        start_components=starting(lambda m: m.components),
        ended=np.concatenate([part.ended for part in used]),
        dtypes={
            n: frozenset(str(m.state[n].dtype) for _, m in moments) | {str(start_state[n].dtype)}
            for n in start_state
            if n in state
        },
    )


def _alike(start: np.ndarray, after: np.ndarray) -> bool:
    return start.shape[1:] == after.shape[1:]


def _masks_seen(used: Sequence[_Part]) -> np.ndarray | None:
    """The masks before each step, in the order of the moments."""
    rows: list[np.ndarray] = []
    for part in used:
        assert part.start is not None
        seen = part.start.masks
        for moment in part.moments:
            if seen is None or len(seen) != len(moment.episodes):
                return None
            rows.append(seen)
            seen = moment.masks
    return np.concatenate(rows)
