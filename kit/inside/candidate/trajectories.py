"""Trajectories: the steps of several episodes as columns, episode after episode, ready for the formulas."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from kit.inside.candidate.moments import Columns, Moment
from kit.inside.candidate.values import dtype_name


@dataclass(frozen=True)
class Trajectories:
    """Row i goes from prev[i] by actions[i] to state[i].

    episode: (rows,) index into seeds. step: (rows,) counts from 0. observations, masks: what was seen
    before acting; next_observations: after. ended: (episodes,) whether it came to its end.
    start_*: one row an episode. dtypes: those that each state variable had, "observation" and "reward and flags" too.
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
    start_endings: tuple[str | None, ...]
    ended: np.ndarray
    dtypes: dict[str, frozenset[str]] = field(default_factory=dict)

    @property
    def rows(self) -> int:
        return len(self.rewards)

    def rows_of(self, episode: int) -> slice:
        """The rows of one episode."""
        first, last = np.searchsorted(self.episode, [episode, episode + 1])
        return slice(int(first), int(last))

    def between(self, first: int, stop: int) -> Trajectories:
        """Those of the episodes first .. stop-1, numbered from 0."""
        rows = slice(*np.searchsorted(self.episode, [first, stop]).tolist())

        def cut(table: Columns, part: slice) -> Columns:
            return {name: column[part] for name, column in table.items()}

        episodes = slice(first, stop)
        return Trajectories(
            seeds=self.seeds[episodes],
            episode=self.episode[rows] - first,
            step=self.step[rows],
            prev=cut(self.prev, rows),
            state=cut(self.state, rows),
            actions=self.actions[rows],
            observations=self.observations[rows],
            next_observations=self.next_observations[rows],
            rewards=self.rewards[rows],
            terminated=self.terminated[rows],
            truncated=self.truncated[rows],
            endings=self.endings[rows],
            components=cut(self.components, rows),
            masks=None if self.masks is None else self.masks[rows],
            start_state=cut(self.start_state, episodes),
            start_observations=self.start_observations[episodes],
            start_components=cut(self.start_components, episodes),
            start_endings=self.start_endings[episodes],
            ended=self.ended[episodes],
            dtypes=self.dtypes,
        )

    @property
    def lengths(self) -> np.ndarray:
        """(episodes,) steps."""
        return np.bincount(self.episode, minlength=len(self.seeds))

    @property
    def returns(self) -> np.ndarray:
        """(episodes,) the sum of the rewards."""
        return np.bincount(self.episode, weights=self.rewards, minlength=len(self.seeds))


@dataclass
class Part:
    """What was collected of episodes that were played together."""

    seeds: np.ndarray
    start: Moment | None = None
    moments: list[Moment] = field(default_factory=list)
    actions: list[np.ndarray] = field(default_factory=list)
    ended: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=bool))


def join(parts: Sequence[Part]) -> Trajectories | None:
    """Everything in one, episode after episode; None where no step was taken."""
    used = [(part, part.start) for part in parts if part.moments and part.start is not None]
    if not used:
        return None
    offsets = np.cumsum([0] + [len(part.seeds) for part, _ in used])
    placed = [(offset, moment) for offset, (part, _) in zip(offsets, used, strict=False) for moment in part.moments]
    moments, starts = [moment for _, moment in placed], [start for _, start in used]
    episode = np.concatenate([moment.episodes + offset for offset, moment in placed])
    step = np.concatenate([np.full(len(m.episodes), t) for part, _ in used for t, m in enumerate(part.moments)])
    order = np.argsort(episode, kind="stable")
    episode, step = episode[order], step[order]
    first = np.flatnonzero(step == 0)

    def column(pick: Callable[[Moment], np.ndarray]) -> np.ndarray:
        return np.concatenate([pick(moment) for moment in moments])[order]

    def shifted(start: np.ndarray, after: np.ndarray) -> np.ndarray:
        """What was there before each row: the start in the first of an episode, else the row above."""
        before = np.concatenate([after[:1], after[:-1]]).astype(np.result_type(start, after))
        before[first] = start[episode[first]]
        return before

    state = _table([m.state for m in moments], order)
    start_state = _table([s.state for s in starts])
    next_observations = column(lambda m: m.observations)
    start_observations = np.concatenate([s.observations for s in starts])
    endings = [name for m in moments for name in (m.endings or [None] * len(m.episodes))]
    masks = _masks_seen(used)
    return Trajectories(
        seeds=np.concatenate([part.seeds for part, _ in used]),
        episode=episode,
        step=step,
        prev={name: shifted(start_state[name], state[name]) for name in state if name in start_state},
        state=state,
        actions=np.concatenate([rows for part, _ in used for rows in part.actions])[order],
        observations=shifted(start_observations, next_observations),
        next_observations=next_observations,
        rewards=column(lambda m: m.rewards),
        terminated=column(lambda m: m.terminated),
        truncated=column(lambda m: m.truncated),
        endings=tuple(endings[i] for i in order),
        components=_table([m.components for m in moments], order),
        masks=None if masks is None else masks[order],
        start_state=start_state,
        start_observations=start_observations,
        start_components=_table([s.components for s in starts]),
        start_endings=tuple(name for s in starts for name in (s.endings or [None] * len(s.episodes))),
        ended=np.concatenate([part.ended for part, _ in used]),
        dtypes=_dtypes(moments, starts),
    )


def _table(tables: Sequence[Columns], order: np.ndarray | None = None) -> Columns:
    """The columns that all tables have, one under the other."""
    names = [name for name in tables[0] if all(name in table for table in tables)]
    joined = {name: np.concatenate([table[name] for table in tables]) for name in names}
    return joined if order is None else {name: values[order] for name, values in joined.items()}


def _dtypes(moments: Sequence[Moment], starts: Sequence[Moment]) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for moment in [*moments, *starts]:
        for name, column in moment.state.items():
            found.setdefault(name, set()).add(dtype_name(column.dtype))
    for part in ("observation", "reward and flags"):
        found[part] = {moment.dtypes.get(part, "") for moment in moments}
    return {name: frozenset(dtypes) for name, dtypes in found.items()}


def _masks_seen(used: Sequence[tuple[Part, Moment]]) -> np.ndarray | None:
    """The masks before each step, in the order of the moments."""
    rows: list[np.ndarray] = []
    for part, start in used:
        seen = start.masks
        for moment in part.moments:
            if seen is None or len(seen) != len(moment.episodes):
                return None
            rows.append(seen)
            seen = moment.masks
    return np.concatenate(rows)
