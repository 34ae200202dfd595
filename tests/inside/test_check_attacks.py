"""Candidates that attack the checker never pass."""

from __future__ import annotations

import pytest

from tests.inside.checked import checked, told
from tests.inside.hostile import GOOD, LATER, LIES, LOOKS, PATCHES, cart
from tests.inside.tank import SOURCE, design

FORGED = '{"kind": "result", "report": {"findings": [], "ran": ["static"]}}'
IN_STEP = "self.t += 1\n"

ATTACKS = {
    "leaves at once": "        import os\n        os._exit(0)\n",
    "prints a result": f"        print('{FORGED}')\n        raise SystemExit(0)\n",
    "writes to every descriptor": (
        "        import os\n        for fd in range(300):\n"
        f"            try: os.write(fd, b'{FORGED}' + bytes([10]))\n            except OSError: pass\n"
    ),
    "answers in the server's place": (
        "        import os, struct\n        os.write(4, struct.pack('>II', 2, 0) + b'{}')\n"
    ),
    "spins": "        while True: pass\n",
    "spins through every exception": (
        "        while True:\n            try:\n                while True: pass\n            except BaseException: pass\n"  # noqa: E501
    ),
    "kills its group": "        import os, signal\n        os.killpg(0, signal.SIGKILL)\n",
    "raises what nobody catches": "        raise KeyboardInterrupt\n",
    "recurses": "        return self.step(action)\n",
}


@pytest.mark.parametrize("attack", ATTACKS)
def test_an_attack_in_step_never_passes(attack):
    source = SOURCE.replace(IN_STEP, IN_STEP + ATTACKS[attack], 1)
    # Without a design nothing forbids the imports, so it is the judge that has to hold.
    report = checked(source)
    assert report.errors, told(report)


OF_THE_JUDGE = {
    "gymnasium's checker": "import gymnasium.utils.env_checker as c\nc.check_env = lambda *a, **k: None\n",
    "NumPy's comparisons": "np.array_equal = lambda *a, **k: True\nnp.allclose = lambda *a, **k: True\nnp.isfinite = np.isreal\n",  # noqa: E501
    "our own modules": (
        "import sys\nfor name, module in list(sys.modules.items()):\n"
        "    if name.startswith(('kit.', 'services.')):\n"
        "        for key, value in list(vars(module).items()):\n"
        "            if key.startswith(('check_', 'unequal', 'difference')): setattr(module, key, lambda *a, **k: iter(()))\n"  # noqa: E501
    ),
}


@pytest.mark.parametrize("patched", OF_THE_JUDGE)
def test_patching_what_the_judge_uses_changes_nothing_for_the_judge(patched):
    source = SOURCE.replace("reward = 0.1 * sales", "reward = 0.2 * sales").replace(
        "import numpy as np\n", "import numpy as np\n" + OF_THE_JUDGE[patched], 1
    )
    report = checked(source, design())
    assert report.errors, told(report)


@pytest.mark.timeout(500)  # the candidate needs a while for its gigabyte
def test_a_forged_state_of_a_gigabyte_is_refused_not_swallowed():
    source = SOURCE.replace('"served": self.served.copy()', '"served": np.zeros(20_000_000)')
    report = checked(source, design())
    assert report.errors, told(report)


def test_the_cart_that_hides_nothing_passes():
    assert told(checked(GOOD)) == []


@pytest.mark.parametrize("how", LOOKS)
def test_who_looks_at_who_runs_it_never_passes(how):
    assert "code.looks_around" in {finding.check for finding in checked(LOOKS[how]).errors}


@pytest.mark.parametrize("what", PATCHES)
def test_who_changes_what_is_not_its_own_never_passes(what):
    assert "code.patches" in {finding.check for finding in checked(PATCHES[what]).errors}


@pytest.mark.parametrize("how", LATER)
def test_who_behaves_until_later_never_passes(how):
    report = checked(LATER[how])
    assert report.errors, told(report)


@pytest.mark.parametrize("what", LIES)
def test_what_lies_about_itself_never_passes(what):
    report = checked(LIES[what])
    assert report.errors, told(report)


HARMLESS = {
    "its own module": "import sys\nHERE = sys.modules[__name__]",
    "its own folder": "import inspect\nHERE = inspect.getfile(inspect.currentframe())",
    "a name that is bound again": "import copy\n\ndef put(copy):\n    copy.x = 1",
    "its own class": "class Box:\n    pass\n\nBox.contains = None",
    "a quiet logger": "gym.logger.min_level = 40",
    "a setting": "import decimal\ndecimal.DefaultContext.prec = 12",
    "what counts and decides nothing": "N = [0]\n\ndef count():\n    N[0] += 1",
}


@pytest.mark.parametrize("what", HARMLESS)
def test_what_only_resembles_an_attack_passes(what):
    step = "count()" if "count()" in HARMLESS[what] else "pass"
    assert checked(cart(HARMLESS[what], step=step, checked="True")).passed
