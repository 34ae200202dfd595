"""Manners: closing, rendering, goals, and what Gymnasium's and Stable-Baselines3's own checkers say."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kit.contracts.findings import Finding
from kit.inside.candidate import Value
from services.executor.inside.catalogue import define
from services.executor.inside.groups import probing, rendering
from services.executor.inside.groups.replaying import actions_for
from services.executor.inside.subject import Subject

_COLOURS = re.compile(r"\x1b\[\d*m")

CLOSES = define(
    "close.raises",
    proves="close() works at any time, also twice and before any render().",
    example="def close(self): self.window.quit()  # made by render() alone",
    remedy="Create in __init__ what close() uses, and test it for None.",
)
RENDERS = define(
    "render.returns",
    proves="render() gives what the declared mode promises: rgb_array a new uint8 (H, W, 3) of one size, ansi a str.",
    example="def render(self): frame = draw()  # and no return",
    remedy="Return the frame, a new array each time, or leave the mode out of metadata['render_modes'].",
)
CHANGES = define(
    "render.changes",
    proves="render() only looks: an episode goes the same way with it and without.",
    example="def render(self): self.t += 1",
    remedy="Change nothing in render(), and draw no random number from self.np_random there.",
)
CLOSES_OTHERS = define(
    "close.others",
    proves="Closing one instance leaves the others working.",
    example="def close(self): type(self).images.clear()",
    remedy="In close(), release only what belongs to this instance.",
)
PEER = define(
    "peer.check_env",
    proves="Gymnasium's and Stable-Baselines3's check_env pass.",
    example="(anything that they assert)",
    remedy="See the message; it is the other checker's own.",
)


def check_close(subject: Subject) -> Iterator[Finding]:
    """Before anything, after a reset, and twice."""
    with subject.start() as candidate:
        candidate.make(1, subject.kwargs)
        candidate.reset(0, seed=1)
        for env, when in ((1, "before reset()"), (0, "after reset()"), (0, "a second time")):
            answer = candidate.close(env)
            if not isinstance(answer, Value):
                yield CLOSES.of(answer, f"close() {when}, with nothing rendered, failed")
                return


def check_others_go_on(subject: Subject) -> Iterator[Finding]:
    """Whoever closes one instance leaves the others alone."""
    with subject.start() as candidate:
        if candidate.make(1, subject.kwargs) is not None or not subject.action.numeric:
            return
        action = actions_for(subject, "others go on", 1)[0]
        ready = [candidate.reset(env, seed=env) for env in (0, 1)]
        if not all(isinstance(answer, Value) for answer in ready) or not isinstance(candidate.step(action, 0), Value):
            return
        if not isinstance(candidate.close(1), Value):
            return
        for answer, what in ((candidate.reset(0, seed=2), "reset"), (candidate.step(action, 0), "step")):
            if not isinstance(answer, Value):
                yield CLOSES_OTHERS.of(answer, f"{what}() failed after another instance was closed")
                return


def check_render(subject: Subject) -> Iterator[Finding]:
    """Every mode that the metadata declares, but "human"."""
    with subject.start() as candidate:
        answer = candidate.probe(f"{rendering.__name__}.rendering", env=0, seconds=10.0, kwargs=subject.kwargs)
    if not isinstance(answer, Value):
        return
    for item in answer.items:
        if len(item.items) != 3:
            continue
        mode, what, detail = (str(part.plain) for part in item.items)
        if what == "raised" and detail.startswith(("DependencyNotInstalled", "ModuleNotFoundError", "ImportError")):
            yield RENDERS.note(f"render() in mode {mode} could not be tried here: {detail}")
        elif what == "raised":
            yield RENDERS.warning(f"render() in mode {mode} raised {detail}", line=subject.line_of("render"))
        elif what == "moved":
            how = "" if mode == "None" else f" in mode {mode}"
            yield CHANGES.error(f"render(){how} changes the episode", line=subject.line_of("render"))
        elif what == "constructor":
            yield RENDERS.warning(f"metadata declares render mode {mode}, but the constructor takes no render_mode")
        else:
            yield RENDERS.warning(f"render() in mode {mode} returned {detail}", line=subject.line_of("render"))


def check_peers(subject: Subject) -> Iterator[Finding]:
    """Both run in the candidate's process; where everything of ours passed, their failure is an error."""
    for which, name in (("gymnasium", "Gymnasium"), ("sb3", "Stable-Baselines3")):
        with subject.start() as candidate:
            answer = candidate.probe(
                f"{probing.__name__}.peer", env=0, seconds=20.0, which=which, kwargs=subject.kwargs
            )
        if not isinstance(answer, Value):
            yield PEER.of(answer, f"{name}'s check_env could not finish")
            continue
        failure, warnings = answer.get("failure"), answer.get("warnings")
        if failure is not None and failure.plain:
            yield PEER.error(f"{name}'s check_env: {failure.plain}")
        for warning in warnings.items if warnings is not None else ():
            said = _COLOURS.sub("", str(warning.plain)).removeprefix("WARN: ")
            yield PEER.note(f"{name}'s check_env warns: {said}")
