"""The recorder: what it logs is what the environment said, and what can't be logged is a finding that says where."""

from __future__ import annotations

import numpy as np
import pytest
from stable_baselines3.common.monitor import Monitor

from services.trainer.inside.candidate import load
from services.trainer.inside.engines.lean_vector import LeanVector
from services.trainer.inside.faults import CandidateBroke
from services.trainer.inside.recorder import Recorder
from services.trainer.inside.recorders import Recorders
from services.trainer.inside.rows import REWARD, STEP, Layout
from tests.corridors import corridor, source_for

DESIGN = corridor("DISCRETE")
LAYOUT = Layout(DESIGN)
POSITION, CLOCK = (part.start for part in LAYOUT.state)
RIGHT = 1
SEEN = "        return self._seen(), progress - 0.1 * self.paid, reached, truncated, self._info(progress)\n"


def recorder_of(line: str = "") -> Recorder:
    """Of the corridor with one more line where a step has been taken; `info` is what it is about to say."""
    source = source_for("DISCRETE")
    assert SEEN in source
    changed = SEEN.replace("self._seen(), progress - 0.1 * self.paid", "seen, paid").replace(
        "self._info(progress)", "info"
    )
    before = "        seen, paid, info = self._seen(), progress - 0.1 * self.paid, self._info(progress)\n"
    source = source.replace(SEEN, f"{before}        {line or 'pass'}\n{changed}")
    return Recorder(load(source, DESIGN)(), DESIGN, LAYOUT)


def steps(recorder: Recorder, count: int) -> None:
    """To and fro, so that no episode ends; a goal is four cells away."""
    recorder.reset(seed=1)
    for number in range(count):
        recorder.step(RIGHT if number % 2 else 2)


@pytest.mark.parametrize(
    "line",
    [
        "pass",
        "info['state'] = vars(self).setdefault('same', {}) | info['state']",
        "self.said = vars(self).get('said', {}); self.said.update(info['state']); info['state'] = self.said",
        "info['state']['clock'] = float(self.clock)",  # a whole number that comes as a float
        "info['state']['clock'] = float(self.clock) if self.clock > 5 else self.clock",  # from some step on
        "info['state']['clock'] = np.array(float(self.clock))",
    ],
)
def test_rows_are_the_same_however_an_environment_hands_its_numbers_out(line):
    plain, other = recorder_of(), recorder_of(line)
    for one in (plain, other):
        steps(one, 12)
    expected = plain.harvest()[1]
    assert expected[:, CLOCK].tolist() == list(range(13))
    assert np.array_equal(other.harvest()[1], expected)


def test_a_row_can_be_looked_at_before_it_is_harvested():
    recorder = recorder_of()
    steps(recorder, 3)
    assert (recorder.now[STEP], recorder.now[CLOCK], recorder.before_reset[CLOCK]) == (3, 3, 3)
    recorder.reset(seed=1)
    assert (recorder.now[CLOCK], recorder.before_reset[CLOCK]) == (0, 3)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("if self.clock == 3: paid = np.nan", "the reward is not finite"),
        ("if self.clock == 3: seen[0] = np.inf", "the observation is not finite"),
        ("if self.clock == 3: info['state']['clock'] = np.nan", "state.clock is not finite"),
        ("if self.clock == 3: info['reward_components']['time'] = -np.inf", "the component time is not finite"),
    ],
)
def test_what_is_not_finite_is_found_at_the_next_look_and_named_with_its_step(line, says):
    recorder = recorder_of(line)
    steps(recorder, 8)
    with pytest.raises(CandidateBroke) as broke:
        Recorders([recorder]).check()
    assert broke.value.finding.check == "training.not_finite"
    assert broke.value.finding.message == says
    assert broke.value.finding.evidence == "episode 0, step 3 of it, step 3 of this environment"


def test_an_observation_that_is_not_finite_stops_the_vector_before_a_network_acts_on_it():
    venv = LeanVector([lambda: Monitor(recorder_of("if self.clock == 3: seen[0] = np.nan"))])
    venv.reset()
    for _ in range(2):
        venv.step(np.array([0]))
    with pytest.raises(CandidateBroke, match="the observation is not finite"):
        venv.step(np.array([0]))


def test_a_crash_after_what_is_not_finite_is_blamed_on_that():
    recorder = recorder_of("if self.clock == 2: paid = np.nan\n        if self.clock == 4: raise RuntimeError('lost')")
    with pytest.raises(CandidateBroke, match="the reward is not finite"):
        steps(recorder, 4)


def test_numbers_that_square_to_more_than_a_float_holds_are_finite():
    recorder = recorder_of("paid = 1e300")
    steps(recorder, 2)
    assert recorder.harvest()[1][:, REWARD].tolist() == [0.0, 1e300, 1e300]


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("if self.clock == 3: info['state']['clock'] = 'late'", "clock is 'late', which is no number"),
        ("if self.clock == 3: paid = None", "the reward is 'None', which is no number"),
        ("if self.clock == 3: del info['reward_components']['time']", "KeyError: 'time'"),
        ("if self.clock == 3: seen = np.zeros(7)", "ValueError"),
    ],
)
def test_what_does_not_fit_the_design_is_found_at_its_step(line, says):
    with pytest.raises(CandidateBroke) as broke:
        steps(recorder_of(line), 4)
    assert broke.value.finding.check == "training.reported"
    assert says in broke.value.finding.message
    assert broke.value.finding.evidence == "episode 0, step 3 of it, step 3 of this environment"
