"""Observing: the same features in the same places from first to last, and no part that only repeats another."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kit.contracts.findings import Finding
from kit.inside.candidate import Trajectories
from services.executor.inside.catalogue import define
from services.executor.inside.subject import Subject

MOST_ROWS = 500
MOST_FEATURES = 60
FEWEST_EPISODES = 8
NEARER = 5.0  # times, than the feature in its own place
STAYS = 2.0  # times, from then on

REPEATED = define(
    "observation.repeated",
    proves="The parts of a stacked observation differ at times, as frames of different moments do.",
    example="self.frames.append(self.canvas)  # one array, drawn on again and again",
    remedy="Store a copy of each frame: self.frames.append(self.canvas.copy()).",
)
ORDER = define(
    "observation.order",
    proves="reset() and step() put the features of the observation in the same order.",
    example="reset() returns [width, goal, speed], step() returns [width, speed, goal]",
    remedy="Build the observation in one method that both reset() and step() call.",
)
LAST = define(
    "episode.last_observation",
    proves="The last observation of an episode shows the state that it ended in.",
    example="return self.first_observation, reward, False, True, {}",
    remedy="Return the observation of the state that was reached; the next reset() starts anew.",
)


def check_repeated(subject: Subject) -> Iterator[Finding]:
    """In equal blocks of a vector, or in slices along the first or the last axis of an array."""
    space = subject.observation
    if subject.design is not None or space.kind != "Box" or not subject.played or not space.shape:
        return
    values = np.concatenate([played.next_observations[:MOST_ROWS] for played in subject.played.values()])
    if not (values != values[0]).any():
        return
    for count, parts in _parted(values, space.shape):
        several = (parts != parts[:, :1, :1]).any()
        if several and (parts == parts[:, :1]).all():
            yield REPEATED.warning(
                f"the {count} parts of every observation are the same: a stack of one and the same frame",
                evidence=f"{len(values)} observations of {', '.join(subject.played)}",
                line=subject.line_of("_obs") or subject.line_of_return("step"),
            )
            return


def _parted(values: np.ndarray, shape: tuple[int, ...]) -> Iterator[tuple[int, np.ndarray]]:
    """(number of parts, (rows, parts, numbers of one)); not the three colours of an image, which may be grey."""
    rows, size = values.shape
    if len(shape) == 1:
        yield from ((k, values.reshape(rows, k, -1)) for k in range(2, 9) if size % k == 0 and size // k >= 4)
        return
    shaped = values.reshape(rows, *shape)
    for axis in (0, len(shape) - 1):
        if 2 <= shape[axis] <= 8 and shape[axis] != 3:
            yield shape[axis], np.moveaxis(shaped, axis + 1, 1).reshape(rows, shape[axis], -1)


def check_order(subject: Subject) -> Iterator[Finding]:
    """Whether features are found again elsewhere after the first step, and stay there from then on."""
    space = subject.observation
    if subject.design is not None or space.kind != "Box" or not 2 <= space.size <= MOST_FEATURES:
        return
    firsts = [_firsts(played) for played in subject.played.values()]
    if sum(len(three) for three in firsts) < FEWEST_EPISODES:
        return
    start, then, later = np.moveaxis(np.concatenate(firsts), 1, 0)
    at_first, afterwards = _distances(start, then), _distances(then, later)
    places = at_first.argmin(axis=1)
    moved = np.flatnonzero(places != np.arange(len(places)))
    drawn = [len(np.unique(start[:, feature])) >= FEWEST_EPISODES // 2 for feature in moved]
    if len(moved) < 2 or sorted(places[moved]) != sorted(moved) or sum(drawn) < 2:
        return
    nearer = np.where(drawn, NEARER, STAYS)  # what starts the same in every episode tells less
    away = at_first[moved, moved] > nearer * at_first[moved, places[moved]] + 1e-9
    stays = afterwards[moved, places[moved]] > STAYS * afterwards[moved, moved] + 1e-9
    if away.all() and stays.all():
        yield ORDER.error(
            f"features {', '.join(map(str, moved))} of the first observation stand in places "
            f"{', '.join(map(str, places[moved]))} from the first step on",
            evidence=f"in {len(start)} episodes each is several times nearer to that place, and never after",
            line=subject.line_of_return("reset"),
        )


def _firsts(played: Trajectories) -> np.ndarray:
    """(episodes, 3, size): after reset, one step and two, of the episodes that have them."""
    one, two = (np.flatnonzero(played.step == step) for step in (0, 1))
    one = one[np.isin(played.episode[one], played.episode[two])]
    parts = [
        played.start_observations[played.episode[one]],
        played.next_observations[one],
        played.next_observations[two],
    ]
    return np.stack(parts, axis=1)


def _distances(before: np.ndarray, after: np.ndarray) -> np.ndarray:
    """[i, j]: how far feature j is afterwards from what feature i was, on average."""
    distances: np.ndarray = np.abs(before[:, :, None] - after[:, None, :]).mean(axis=0)
    return distances


def check_last(subject: Subject) -> Iterator[Finding]:
    """Whether every episode that ends one way ends with its own first observation, which else hardly comes again."""
    if subject.design is not None:
        return
    for how in ("truncated", "terminated"):
        hits, others, starts = [], [], set()
        for played in subject.played.values():
            last = getattr(played, how)
            again = (played.next_observations == played.start_observations[played.episode]).all(axis=1)
            # Where nothing moved in the last step either, the state may be just that.
            moved = (played.next_observations != played.observations).any(axis=1)
            hits += (again & moved)[last].tolist()
            others += again[~last].tolist()
            starts |= {row.tobytes() for row in played.start_observations[played.episode[last]]}
        if len(hits) >= FEWEST_EPISODES and all(hits) and len(starts) >= 3 and np.mean(others or [0.0]) < 0.02:
            yield LAST.error(
                f"the last observation of every {how} episode is its first one again",
                evidence=f"{len(hits)} episodes; of other observations {np.mean(others or [0.0]):.1%}",
                line=subject.line_of_return("step"),
            )
            return
