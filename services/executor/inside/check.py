"""The executor's entry in the box: every group of checks in turn, cheapest first, and a report."""

from __future__ import annotations

import time
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch

from pydantic import ValidationError

from kit.contracts.design import EnvDesign
from kit.contracts.findings import Blame, CheckReport, Finding, Severity, SkippedGroup
from kit.contracts.formulas import FormulaError, compile_design
from kit.inside.saying import Say
from services.executor.inside.catalogue import define
from services.executor.inside.groups import GROUPS, Group
from services.executor.inside.starving import FAIR_SHARE, STARVED
from services.executor.inside.subject import CannotSay, Subject, Unusable, cpu_seconds

MOST_OF_A_KIND = 3
PLENTY_CPU_S = 40.0  # ten times what an ordinary environment takes
SLEEPY_S = 0.005  # the quickest of several steps
NO_DESIGN = "there is no design to compare with"
TIME_OVER = "the time for the check was over"

DESIGN_FORMULAS = define(
    "design.formulas",
    proves="Every formula of the design can be compiled.",
    example="A reward component whose formula names a state variable that the design does not declare.",
    remedy="Correct the formula; it may use only declared names, in the shapes they have.",
    blame=Blame.DESIGN,
)
CANDIDATE_DIES = define(
    "code.dies",
    proves="The candidate can be started again at any time and stays alive.",
    example="os._exit(0) in step().",
    remedy="Remove whatever ends the process or hangs; raise an ordinary exception if something is wrong.",
)
UNFINISHED = define(
    "pace.unfinished",
    proves="The environment is quick enough to be checked against its design.",
    example="time.sleep(0.25) in step()",
    remedy="Make step() take microseconds: no waiting, no loops over histories.",
)
STUMBLED = define(
    "code.unjudged",
    proves="What the candidate returns can be judged at all.",
    example="arrays that change their shape from step to step",
    remedy="Return values of the same type and shape in every step.",
)


@dataclass(frozen=True)
class Times:
    """By time.monotonic: see main()."""

    ends: float
    last: float


def main(payload: dict[str, object], say: Say) -> None:
    """payload: source, design (JSON or null), class_name, seed, ignored, budget_s, last_s. Says findings and a report.

    ignored: patterns of check ids whose findings count for nothing, so that what rests on their groups goes on.
    budget_s: after this no group is begun if the time went to the candidate. last_s: after this none is, whoever took
    the time; a check that is so starved of a processor says so in what it skipped.
    """
    _preload()
    began = time.monotonic()
    budget = payload.get("budget_s")
    budget_s = float(budget) if isinstance(budget, (int, float)) else 30.0
    last = payload.get("last_s")
    times = Times(began + budget_s, began + (float(last) if isinstance(last, (int, float)) else 1.5 * budget_s))
    report = run(payload, say, times)
    finished = report.model_copy(update={"wall_s": round(time.monotonic() - began, 3)})
    say("result", report=finished.model_dump(mode="json"))


def _preload() -> None:
    """Import what every candidate imports, once, so that its process starts in milliseconds."""
    import gymnasium
    import stable_baselines3.common.env_checker

    assert gymnasium and stable_baselines3


def run(payload: dict[str, object], say: Say, times: Times) -> CheckReport:
    """All groups until the time is over."""
    subject, findings = prepare(payload)
    unusable = bool(findings)
    for finding in findings:
        say("finding", **finding.model_dump(mode="json"))
    ran: list[str] = []
    skipped: list[SkippedGroup] = []
    failed: set[str] = set()
    ignored = payload.get("ignored")
    ignored = [str(pattern) for pattern in ignored] if isinstance(ignored, list) else []
    for group in GROUPS:
        why = "the design's formulas failed" if unusable else _why_not(group, subject, failed, times)
        if why:
            skipped.append(SkippedGroup(group=group.name, why=why))
            if why != NO_DESIGN:
                failed.add(group.name)
            continue
        say("group", name=group.name, share=round(subject.account.share, 3))
        found: list[Finding] = []
        try:
            for finding in _limited(_counting(_safely(group, subject, times), ignored)):
                say("finding", **finding.model_dump(mode="json"))
                found.append(finding)
            ran.append(group.name)
        except CannotSay as lacking:
            skipped.append(SkippedGroup(group=group.name, why=str(lacking)))
            failed.add(group.name)
        findings += found
        if any(finding.severity is Severity.ERROR for finding in found):
            failed.add(group.name)
    against_design = {group.name for group in GROUPS if group.needs_design} - {"probes"}
    late = [group.group for group in skipped if group.why == TIME_OVER and group.group in against_design]
    if (
        late and subject.design is not None and not any(finding.severity is Severity.ERROR for finding in findings)
    ):  # to be slow must not be a way around conformance
        unfinished = UNFINISHED.error(f"the time was over before {', '.join(late)}", line=subject.line_of("step"))
        say("finding", **unfinished.model_dump(mode="json"))
        findings.append(unfinished)
    return CheckReport(
        findings=tuple(findings),
        ran=tuple(ran),
        skipped=tuple(skipped),
        episodes=subject.episodes,
        steps=subject.steps,
    )


def prepare(payload: dict[str, object]) -> tuple[Subject, list[Finding]]:
    """The subject, and what is wrong with its design, if anything."""
    source, seed, name = str(payload["source"]), payload.get("seed"), payload.get("class_name")
    subject = Subject(source, seed if isinstance(seed, int) else 0, class_name=str(name) if name else None)
    design = payload.get("design")
    if design is None:
        return subject, []
    try:
        subject.design = EnvDesign.model_validate(design)
        subject.program = compile_design(subject.design)
    except (ValidationError, FormulaError) as problem:
        return subject, [DESIGN_FORMULAS.error(str(problem)[:1500])]
    return subject, []


def _why_not(group: Group, subject: Subject, failed: set[str], times: Times) -> str:
    if group.needs_design and subject.design is None:
        return NO_DESIGN
    missing = [name for name in group.needs if name in failed]
    if missing:
        return f"it rests on {', '.join(missing)}"
    return time_over(subject, times)


def time_over(subject: Subject, times: Times) -> str:
    """TIME_OVER where the candidate used the time, STARVED where it could not, "" while there is some left."""
    now = time.monotonic()
    if now <= times.ends:
        return ""
    busy_s = max(cpu_seconds() - subject.began_cpu_s, subject.account.computed_s)
    if busy_s > PLENTY_CPU_S or subject.step_s > SLEEPY_S or times.ends <= subject.began:
        return TIME_OVER
    if now <= times.last:
        return ""
    return STARVED if subject.account.share < FAIR_SHARE else TIME_OVER


def _safely(group: Group, subject: Subject, times: Times) -> Iterator[Finding]:
    for check in group.checks:
        if check is not group.checks[0] and (why := time_over(subject, times)):
            raise CannotSay(why)
        try:
            yield from check(subject)
        except CannotSay:
            raise
        except Unusable as unusable:
            yield CANDIDATE_DIES.of(unusable.trouble, f"while checking {group.name}, it could not be started again")
            return
        except Exception as problem:  # what hostile data did to one check must not save it from the others
            yield STUMBLED.error(
                f"{check.__name__} could not judge what it got: {type(problem).__name__}: {problem}",
                evidence=traceback.format_exc()[-1000:],
            )


def _counting(findings: Iterator[Finding], ignored: Sequence[str]) -> Iterator[Finding]:
    return (finding for finding in findings if not any(fnmatch(finding.check, pattern) for pattern in ignored))


def _limited(findings: Iterator[Finding]) -> Iterator[Finding]:
    """At most MOST_OF_A_KIND of each check, and no message twice: more of the same teaches nothing."""
    seen: dict[str, set[str]] = {}
    for finding in findings:
        messages = seen.setdefault(finding.check, set())
        if finding.message not in messages and len(messages) < MOST_OF_A_KIND:
            messages.add(finding.message)
            yield finding
