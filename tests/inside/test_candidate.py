"""The judge's end of the pipe: exact types come through, and whatever the candidate does is an answer."""

from __future__ import annotations

import numpy as np
import pytest

from kit.inside.candidate import Candidate, Died, Raised, TimedOut, Value, rollout
from kit.inside.candidate.values import BadValue, Packer, read, rebuild
from tests.inside.tank import SOURCE

EMPTY = """
import gymnasium, numpy as np, collections

class Env(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0, 1, (1,))
    action_space = gymnasium.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        return {body}
"""


def returning(body: str) -> Value | object:
    with Candidate.start(seconds=2.0) as candidate:
        candidate.load(EMPTY.replace("{body}", body))
        candidate.make()
        return candidate.reset(0)


@pytest.mark.parametrize(
    ("body", "kind", "type_name"),
    [
        ("None", "None", "NoneType"),
        ("True", "bool", "bool"),
        ("1", "int", "int"),
        ("10 ** 30", "other", "int"),  # no whole number of the wire
        ("1.5", "float", "float"),
        ("float('nan')", "float", "float"),
        ("np.float32(1)", "numpy.float32", "numpy.float32"),
        ("np.bool_(True)", "numpy.bool", "numpy.bool"),
        ("np.zeros((2, 3))", "ndarray", "numpy.ndarray"),
        ("np.array([None])", "ndarray", "numpy.ndarray"),
        ("np.array('text')", "ndarray", "numpy.ndarray"),
        ("[1, 2]", "list", "list"),
        ("(1, 'a')", "tuple", "tuple"),
        ("collections.OrderedDict(a=1)", "dict", "collections.OrderedDict"),
        ("gymnasium.spaces.Discrete(2)", "other", "gymnasium.Discrete"),
        ("object()", "other", "object"),
    ],
)
def test_a_value_comes_through_with_its_exact_type(body, kind, type_name):
    value = returning(body)
    assert isinstance(value, Value)
    assert (value.kind, value.type_name) == (kind, type_name)


@pytest.mark.parametrize("value", [None, True, 3, -2.5, "text", [1, (2.0,)], {"a": {"b": np.int64(4)}}])
def test_what_is_packed_is_rebuilt(value):
    packer = Packer()
    node = packer.pack(value)
    assert rebuild(node, b"".join(packer.blobs)) == value


@pytest.mark.parametrize(
    "node",
    [
        {"t": "a", "d": "<f8", "s": [4], "at": 0},  # past the end of the message
        {"t": "a", "d": "<f8", "s": [-1], "at": 0},
        {"t": "a", "d": "|O", "s": [1], "at": 0},  # objects would be pointers
        {"t": "a", "d": "<U9", "s": [1], "at": 0},
        {"t": "a", "d": "<f8", "s": [2**39, 2**39, 2**39], "at": 0},
        {"t": "d", "v": [[1]]},
        {"t": "?"},
        [1],
    ],
)
def test_a_lying_message_is_refused(node):
    with pytest.raises(BadValue):
        read(node, b"12345678")


def test_an_exception_comes_with_the_candidates_own_line():
    answer = returning("self.nothing")
    assert isinstance(answer, Raised)
    assert (answer.kind, answer.line) == ("AttributeError", 9)
    assert "kit/inside" not in answer.traceback


def test_a_call_that_never_returns_is_timed_out_with_the_line_where_it_hung():
    answer = returning("[None for _ in iter(int, 1)]")
    assert isinstance(answer, TimedOut)
    assert answer.line == 9


def test_a_candidate_that_ends_its_process_is_died_and_stays_so():
    with Candidate.start() as candidate:
        answer = candidate.load("import os\nos._exit(3)")
        assert isinstance(answer, Died)
        assert "exit status 3" in answer.how
        assert isinstance(candidate.make(), Died)
        assert not candidate.alive


def test_what_the_code_reaches_for_is_noted_with_its_line():
    with Candidate.start() as candidate:
        candidate.load(EMPTY.replace("{body}", "(open('/tmp/x', 'w').close(), print('hello'))"))
        candidate.make()
        candidate.reset(0)
        notes = {note.what: note for note in candidate.noted()}
    assert notes["writes a file"].line == 9
    assert notes["prints"].times == len("hello\n")


def test_the_judges_descriptors_are_closed_in_the_candidate(tmp_path):
    with (tmp_path / "secret").open("w") as secret, Candidate.start() as candidate:
        candidate.load(EMPTY.replace("{body}", "__import__('os').listdir('/proc/self/fd')"))
        candidate.make()
        answer = candidate.reset(0)
        assert secret.fileno() >= 3
    assert isinstance(answer, Value)
    assert {str(item.plain) for item in answer.items} <= {"0", "1", "2", "3", "4", "5"}  # 5: the listing's own


def test_a_fresh_interpreter_plays_the_same_episode():
    answers = []
    for start in (Candidate.start, lambda: Candidate.start_apart(3)):
        with start() as candidate:
            candidate.load(SOURCE)
            candidate.make()
            candidate.reset(0, seed=4)
            answers.append(str(candidate.step(2)))
    assert answers[0] == answers[1]


def test_a_rollout_has_one_row_a_step_and_prev_is_the_state_before():
    rng = np.random.default_rng(0)
    with Candidate.start() as candidate:
        candidate.load(SOURCE)
        played = rollout(candidate, lambda seen: rng.integers(0, 4, len(seen.seeds)), range(130), "int", 60, masks=True)
    assert played.trouble is None
    together = played.trajectories
    assert together is not None
    assert together.ended.all()
    assert together.lengths.sum() == together.rows
    for episode in (0, 101, 129):
        rows = together.rows_of(episode)
        assert np.array_equal(together.prev["level"][rows][1:], together.state["level"][rows][:-1])
        assert together.prev["level"][rows][0] == together.start_state["level"][episode]
    assert together.masks is not None
    assert together.masks.shape == (together.rows, 4)


def test_an_instance_that_raises_in_a_batch_is_named_by_its_seed():
    source = SOURCE.replace("self.t += 1\n", "self.t += 1\n        assert self.t < 5 or self.level < 1000\n")
    source = source.replace("self.t = 0\n", "self.t = 0\n        self.bad = seed == 12\n").replace(
        "self.t += 1\n", "self.t += 1\n        if self.bad and self.t == 3: raise ValueError('twelve')\n", 1
    )
    with Candidate.start() as candidate:
        candidate.load(source)
        played = rollout(candidate, lambda seen: np.zeros(len(seen.seeds)), range(10, 15), "int", 60)
    assert isinstance(played.trouble, Raised)
    assert (played.seed, played.step) == (12, 2)
    assert played.trajectories is not None
    assert played.trajectories.rows == 10  # the two steps before are kept
