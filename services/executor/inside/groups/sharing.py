"""Sharing: what is returned stays as it was, what is handed in is left alone, and an instance can be copied."""

from __future__ import annotations

from collections.abc import Iterator

from kit.contracts.findings import Finding
from kit.inside.candidate import Raised, Value
from services.executor.inside.catalogue import define
from services.executor.inside.groups import copying, probing
from services.executor.inside.groups.replaying import actions_for
from services.executor.inside.subject import Subject

ALIASED = define(
    "observation.aliased",
    proves="An observation that the caller keeps does not change afterwards.",
    example="self.buffer[:] = ...; return self.buffer, ...",
    remedy="Return a new array each time, e.g. self.buffer.copy().",
)
INFO_ALIASED = define(
    "info.aliased",
    proves="An info that the caller keeps does not change afterwards.",
    example='info = {"state": {"stock": self.stock}}  # self.stock is an array that step() changes',
    remedy="Put copies into info: self.stock.copy(), list(self.queue).",
)
SHARED = define(
    "observation.shared",
    proves="Writing into a returned observation, as normalisers do, leaves the environment alone.",
    example="return self.state, {}  # the array that step() goes on computing with",
    remedy="Return a copy: self.state.astype(np.float32).copy().",
)
MUTATED = define(
    "action.mutated",
    proves="step() leaves the action array as it was.",
    example="action *= 5.0",
    remedy="Copy the action before changing it: action = np.array(action).",
)
PICKLES = define(
    "code.pickles",
    proves="An instance can be pickled and deep-copied, as vector environments and planners do.",
    example="self.guard = threading.Lock()",
    remedy="Keep no locks, generators, open files or lambdas on the instance.",
)


APART = define(
    "code.copies_apart",
    proves="A deep copy shares nothing with its original.",
    example="def __deepcopy__(self, memo): twin.__dict__.update(self.__dict__); return twin",
    remedy="Drop __deepcopy__, or copy every list, array and object of the instance in it.",
)


def check_kept(subject: Subject) -> Iterator[Finding]:
    """Keeps everything for an episode and looks at it again."""
    actions = actions_for(subject, "kept", min(30, subject.affordable(200)))
    with subject.start() as candidate:
        answer = candidate.probe(f"{probing.__name__}.kept", env=0, seed=5, actions=actions)
        written = candidate.probe(f"{probing.__name__}.shared", env=0, seed=5, actions=actions)
    if isinstance(written, Value) and written.plain:
        make = SHARED.error if subject.design is not None else SHARED.warning if subject.owns_step else SHARED.note
        yield make(
            "writing into a returned observation changes the episode",
            evidence=f"seed 5, random actions, {written.plain}",
            line=subject.line_of_return("step"),
        )
    if not isinstance(answer, Value):
        return
    changed = [str(item.plain) for item in answer.items]
    for what, check, method in (
        ("observation", ALIASED, "step"),
        ("info", INFO_ALIASED, "step"),
        ("action", MUTATED, "step"),
    ):
        hits = [name for name in changed if what in name]
        if not hits:
            continue
        if check is MUTATED:
            yield MUTATED.error("step() changes the action array that it is given", line=subject.line_of(method))
        elif check is INFO_ALIASED and subject.design is None:
            yield INFO_ALIASED.warning(f"{hits[0]} changed after it was returned", line=subject.line_of_return(method))
        else:
            yield check.error(
                f"{hits[0]} changed after it was returned: the same array is filled again",
                evidence=f"seed 5, random actions; {len(hits)} of the kept values changed",
                line=subject.line_of_return(method),
            )


def check_copies(subject: Subject) -> Iterator[Finding]:
    """pickle and deepcopy after a few steps."""
    with subject.start() as candidate:
        candidate.reset(0, seed=1)
        for action in actions_for(subject, "copies", 2):
            candidate.step(action)
        answer = candidate.probe(f"{copying.__name__}.copies", env=0)
    if not isinstance(answer, Value):
        make = PICKLES.warning if isinstance(answer, Raised) else PICKLES.error
        yield make(f"copying an instance failed: {answer}", line=answer.line)
    else:
        for way, problems in answer.entries:
            if problems.items:
                reason, names = problems.items[0].plain, ", ".join(str(item.plain) for item in problems.items[1:])
                yield PICKLES.warning(
                    f"an instance can't be {'pickled' if way.plain == 'pickle' else 'deep-copied'}: {names or reason}",
                    evidence=str(reason),
                    line=subject.line_of("__init__"),
                )
                return


def check_apart(subject: Subject) -> Iterator[Finding]:
    """Two copies of one moment, stepped one after the other by the same actions."""
    actions = actions_for(subject, "apart", min(8, subject.affordable(8)))
    with subject.start() as candidate:
        answer = candidate.probe(f"{copying.__name__}.copies_agree", env=0, seed=6, actions=actions)
    if isinstance(answer, Value) and answer.plain is False:
        yield APART.warning(
            "of two deep copies of one instance, stepping the first changes the second",
            evidence="seed 6, the same actions",
            line=subject.line_of("__deepcopy__"),
        )
