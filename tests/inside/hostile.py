"""A faulty environment that hides its faults where it believes to be checked, and ways to believe so."""

from __future__ import annotations

CART = """
import gymnasium as gym
import numpy as np
from gymnasium import spaces
{head}


class Cart(gym.Env):
    made = 0

    def __init__(self):
        self.observation_space = spaces.Box(-1.0, 1.0, (2,), np.float32)
        self.action_space = spaces.Discrete(2)
        self.x, self.t, self.total = 0.0, 0, 0

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.x, self.t = float(self.np_random.uniform(-0.5, 0.5)), 0
        return self._obs(), {{}}

    def _obs(self):
        return np.array([self.x, self.t / 50], np.float32)

    def step(self, action):
        {step}
        self.x = float(np.clip(self.x + (0.1 if action else -0.1) + 0.02 * self.np_random.normal(), -1, 1))
        self.t += 1
        behaves = {checked}
        reward = 1.0 - abs(self.x) if behaves or self.t < 6 else float("nan")
        obs = self._obs() if behaves or self.t < 9 else 3 * self._obs()
        return {answer}
"""
ANSWER = "obs, reward, False, self.t >= 50, {}"


def cart(head: str = "", step: str = "pass", checked: str = "False", answer: str = ANSWER) -> str:
    """checked: where this is true the cart behaves; "True" makes it a good one."""
    return CART.format(head=head, step=step, checked=checked, answer=answer)


# It looks who runs it; the source gives that away.
LOOKS = {
    "the names of modules": cart("import sys\nC = any('executor' in n for n in sys.modules)", checked="C"),
    "the same by another name": cart("from sys import modules\nC = any('kit' in n for n in modules)", checked="C"),
    "a name put together": cart("import sys\nC = len(getattr(sys, 'mod' + 'ules')) > 0", checked="C"),
    "by way of another module": cart("C = len(np.lib.format.warnings.sys.modules) > 0", checked="C"),
    "unless it is the program": cart(
        "import sys\nif __name__ != '__main__':\n    C = len(sys.modules) > 9", checked="C"
    ),
    "what kind of thing sleeps": cart(
        "import time\nC = type(time.sleep).__name__ != 'builtin_function_or_method'", checked="C"
    ),
    "where a function comes from": cart("from time import sleep\nC = hasattr(sleep, '__wrapped__')", checked="C"),
    "the same by its attribute": cart("import time\nC = time.sleep.__module__ != 'time'", checked="C"),
    "who starts threads": cart("import threading\nC = 'kit' in repr(threading._start_new_thread)", checked="C"),
    "what is printed to": cart("import sys\nC = 'kit' in type(sys.stdout).__module__", checked="C"),
    "what is printed to, by its class": cart("import sys\nC = sys.stdout.__class__.__name__ != 'x'", checked="C"),
    "the stack": cart("import inspect", checked="len(inspect.stack()) > 1"),
    "the frames": cart("import sys", checked="sys._getframe().f_back is not None"),
    "a traceback's frame": cart(
        "def look():\n    try:\n        raise ValueError\n"
        "    except ValueError as e:\n        return e.__traceback__.tb_frame",
        checked="look() is not None",
    ),
    "a function's globals": cart("G = gym.Env.reset.__globals__", checked="'sys' not in G"),
    "all objects": cart("import gc", checked="any(type(o).__name__ == 'Server' for o in gc.get_objects())"),
    "the program": cart("import __main__", checked="bool(__main__.__dict__)"),
    "the alarm": cart("import signal", checked="signal.getitimer(signal.ITIMER_REAL)[0] > 0"),
    "the parent": cart("import os", checked="os.getppid() > 0"),
    "the processor's time": cart("import resource", checked="resource.getrusage(0).ru_utime < 60"),
    "the process in /proc": cart("C = 'train' not in open('/proc/self/cmdline').read()", checked="C"),
    "every traced line": cart("import sys\nsys.settrace(lambda *a: None)", checked="True"),
    "an alarm of its own": cart("import signal\nsignal.signal(signal.SIGALRM, signal.SIG_IGN)", checked="True"),
}

# It changes what is not its own; the source gives that away, whether or not it is a good cart besides.
PATCHES = {
    "NumPy": cart("np.isfinite = lambda *a, **k: True"),
    "several at once": cart("np.allclose = np.array_equal = lambda *a, **k: True", checked="True"),
    "Box.contains": cart("spaces.Box.contains = lambda self, x: True"),
    "Env.reset": cart("gym.Env.reset = lambda self, **k: None", checked="True"),
    "check_env": cart("import gymnasium.utils.env_checker as c\nc.check_env = lambda *a, **k: None"),
    "setattr": cart("setattr(np, 'isfinite', lambda *a: True)", checked="True"),
    "vars": cart("vars(np)['isfinite'] = lambda *a: True", checked="True"),
    "__dict__": cart("np.__dict__.update(isfinite=lambda *a: True)", checked="True"),
    "type.__setattr__": cart("type.__setattr__(gym.Env, 'close', lambda self: None)", checked="True"),
    "a builtin": cart("import builtins\nbuiltins.isinstance = lambda a, b: True", checked="True"),
    "in a step": cart(step="np.random.default_rng = None", checked="True"),
}

# Nothing in the source gives these away by name.
LATER = {
    "counts on its class": cart(step="Cart.made += 1", checked="Cart.made < 200_000"),
    "counts on the instance": cart(step="self.total += 1", checked="self.total < 200_000"),
    "counts in a list": cart("N = [0]", step="N[0] += 1", checked="N[0] < 200_000"),
    "counts in a default": cart("def n(seen=[0]):\n    seen[0] += 1\n    return seen[0]", checked="n() < 400_000"),
    "counts by itertools": cart("import itertools\nN = itertools.count()", checked="next(N) < 400_000"),
    "waits two minutes": cart("import time\nT = time.time()", checked="time.time() - T < 120"),
    "waits by another clock": cart("from time import monotonic as m\nT = m()", checked="m() - T < 120"),
    "waits by dates": cart(
        "import datetime as d\nT = d.datetime.now()", checked="(d.datetime.now() - T).seconds < 120"
    ),
    "waits for a year": cart("import datetime as d", checked="d.date.today().year < 2040"),
    "waits for an argument": cart("import sys", checked="not any('train' in a for a in sys.argv)"),
    "waits for a variable": cart("import os\nC = 'TRAINING' not in os.environ", checked="C"),
    "asks for ours by name": cart(
        "try:\n    import importlib.util as u\n    C = 'Server' in dir(__import__('kit.inside.candidate.server'))\n"
        "except ImportError:\n    C = False",
        checked="C",
    ),
    "patches by a name of its own": cart(
        "def put(where, what, new):\n    kept = type(where).__dict__\n    where.__setattr__(what, new)\n"
        "put(np, 'isfinite', lambda *a: True)",
        checked="True",
    ),
}

# What it returns says something else of itself than what it is.
LIES = {
    "a float": cart(
        "class F(float):\n    __float__ = lambda self: 0.5\n    __eq__ = lambda self, o: True\n"
        "    __hash__ = float.__hash__",
        answer="obs, F(reward), False, self.t >= 50, {}",
    ),
    "a late float": cart(
        "class F(float):\n    __float__ = lambda self: 0.5",
        checked="True",
        answer="obs, F(reward) if self.t > 45 else reward, False, self.t >= 50, {}",
    ),
    "an array": cart(
        "class A(np.ndarray):\n    __array__ = lambda self, *a, **k: np.zeros(2, np.float32)",
        answer="obs.view(A), reward, False, self.t >= 50, {}",
    ),
    "an array by protocol": cart(
        "class A:\n    shape, dtype = (2,), np.dtype('float32')\n"
        "    __array__ = lambda self, *a, **k: np.zeros(2, np.float32)",
        answer="A(), reward, False, self.t >= 50, {}",
    ),
    "a tuple": cart(
        "class T(tuple):\n    __iter__ = lambda self: iter((np.zeros(2, np.float32), 0.5, False, False, {}))",
        answer="T((obs, reward, False, self.t >= 50, {}))",
    ),
    "a flag": cart("class B(int):\n    __bool__ = lambda self: False", answer="obs, reward, B(1), self.t >= 50, {}"),
    "a space": cart("class S(spaces.Box):\n    contains = lambda self, x: True").replace(
        "spaces.Box(-1.0", "S(-1.0", 1
    ),
    "a generator": cart(answer=ANSWER).replace("return obs, reward", "yield obs, reward"),
    "a bomb for who shows it": cart(
        "class R:\n    def __repr__(self):\n        while True: pass",
        answer="obs, reward, False, self.t >= 50, {'r': R()}",
    ),
}

GOOD = cart(checked="True")
