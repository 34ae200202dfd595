"""The design linter's rules: what can be known to be wrong with a design before any code is written.

Each rule is one function from a compiled design to findings, and one line in RULES; texts.py has those that read
formulas as they are written, contradictions.py those on parts that don't go together, and values.py those that compute
formulas. A rule's docstring is its entry in the catalogue: what it proves; the remedy is in the finding.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from kit.contracts.design import Aggregate, Direction, FitVerdict, VariableKind
from kit.contracts.findings import Blame, Finding, Severity
from kit.contracts.formulas.program import Program

Rule = Callable[[Program], Iterator[Finding]]

SCALE_APART: Final = 100.0
UNPINNED_SHARE: Final = 0.5


def fault(check: str, severity: Severity, message: str, remedy: str, evidence: str = "") -> Finding:
    return Finding(
        check=check, severity=severity, blame=Blame.DESIGN, message=message, remedy=remedy, evidence=evidence
    )


def unused_action(program: Program) -> Iterator[Finding]:
    """Every action term is read by a law, an expectation, a reward component or a metric's formula."""
    read = program.read_by_transitions
    for term in program.design.action.terms:
        if f"action.{term.name}" not in read:
            yield fault(
                "design.action_unused",
                Severity.WARNING,
                f"No reward, law, expectation or metric uses the action {term.name}.",
                "State what the action does as a law or an expectation, or drop it.",
            )


def unused_state(program: Program) -> Iterator[Finding]:
    """Every state variable is read by some formula; one that none reads can't be tested."""
    read = program.read_by_transitions | _read_by_decisions(program)
    for variable in program.design.state:
        if not {f"state.{variable.name}", f"prev.{variable.name}"} & read:
            yield fault(
                "design.state_unused",
                Severity.WARNING,
                f"No formula reads the state variable {variable.name}.",
                "Use it, pin it down with a law, or drop it.",
            )


def unpinned_state(program: Program) -> Iterator[Finding]:
    """Most state variables are pinned down by a law, an invariant or an expectation."""
    loose = sorted(v.name for v in program.design.state if v.name not in pinned(program))
    share = len(loose) / len(program.design.state)
    if share > UNPINNED_SHARE:
        yield fault(
            "design.state_unpinned",
            Severity.WARNING,
            f"{share:.0%} of the state variables are in no law, invariant or expectation: {', '.join(loose)}.",
            "State the laws of motion as formulas; what none says, no check can test.",
        )


def unpinned_start(program: Program) -> Iterator[Finding]:
    """What every state variable is after a reset is said by a start; a flow is 0 then anyway."""
    parts = [side for law in program.starts.values() for side in (law.left, law.right) if side]
    parts += [draw.formula for draw in program.draws.values()]
    # An invariant of one variable is a bound; of several it may tie one to the others.
    parts += [tie for tie in program.invariants.values() if sum(name.startswith("state.") for name in tie.names) > 1]
    told = {name for part in parts for name in part.names}
    untold = [v.name for v in program.design.state if not v.flow and f"state.{v.name}" not in told]
    if untold:
        yield fault(
            "design.start_unpinned",
            Severity.NOTE,
            f"No start says how an episode begins for {', '.join(untold)}.",
            "Give its value as an equation in `starts`, or what it is drawn from with low and high.",
        )


def metric_is_reward(program: Program) -> Iterator[Finding]:
    """The primary metric is not the reward itself, or reward hacking could not be seen."""
    design = program.design
    primary = design.metrics[0]
    if len(design.reward) == 1 and _same(primary.formula, design.reward[0].formula):
        yield fault(
            "design.metric_is_reward",
            Severity.WARNING,
            f"The primary metric {primary.name} is the only reward component {design.reward[0].name}.",
            "Let the metric say what the user wants in the user's units, and the reward how it is taught.",
        )


def reward_scales(program: Program) -> Iterator[Finding]:
    """No weighted component can be 100 times another: the small one would teach nothing."""
    spans = {
        component.name: abs(component.weight) * max(abs(component.low), abs(component.high))
        for component in program.design.reward
    }
    for name, span in spans.items():
        if span == 0:
            yield fault(
                "design.reward_nothing",
                Severity.ERROR,
                f"The reward component {name} is always 0: its weight or its bounds are.",
                "Give it a weight and true bounds, or drop it.",
            )
        elif max(spans.values()) / span > SCALE_APART:
            largest = max(spans, key=lambda other: spans[other])
            yield fault(
                "design.reward_scales",
                Severity.NOTE,
                f"At its most, {largest} pays {max(spans.values()) / span:.0f} times what {name} can.",
                f"See that {name} still matters, or change the weights.",
            )


def endless(program: Program) -> Iterator[Finding]:
    """The discount sees the end: the horizon 1 / (1 - discount) is not far below or above the episode."""
    design = program.design
    if design.training.discount < 1:
        horizon = 1 / (1 - design.training.discount)
        if horizon * 20 < design.episode.step_limit and design.episode.endings:
            yield fault(
                "design.horizon",
                Severity.NOTE,
                f"The discount {design.training.discount} looks {horizon:.0f} steps ahead, "
                f"an episode has up to {design.episode.step_limit}.",
                "Raise the discount if what matters comes late in an episode.",
            )


def constant_ending(program: Program) -> Iterator[Finding]:
    """An ending depends on the state; a constant one ends every episode at once, or none."""
    for name, compiled in program.endings.items():
        if not any(read.startswith(("state.", "prev.", "action.")) for read in compiled.names):
            yield fault(
                "design.ending_constant",
                Severity.ERROR,
                f"The ending {name} depends on nothing that changes: {compiled.text}.",
                "Say it as a condition on the state.",
            )


def per_step_metric_of_flow(program: Program) -> Iterator[Finding]:
    """A stock is not summed over the steps: LAST, MEAN or FINAL says what is meant."""
    flows = {f"state.{v.name}" for v in program.design.state if v.flow}
    wholes = {f"state.{v.name}" for v in program.design.state if not v.flow}
    for metric in program.design.metrics:
        read = program.metrics[metric.name].formula.names
        if metric.aggregate is Aggregate.SUM and metric.formula.strip() in wholes and not read & flows:
            yield fault(
                "design.metric_sums_a_stock",
                Severity.WARNING,
                f"The metric {metric.name} adds up {metric.formula}, which is a stock, over all steps.",
                "Use MEAN or LAST, or mark the variable as a flow.",
            )


def target_out_of_reach(program: Program) -> Iterator[Finding]:
    """A share's target lies between 0 and 1."""
    for metric in program.design.metrics:
        if metric.unit in ("share", "fraction") and metric.target is not None and not 0 <= metric.target <= 1:
            yield fault(
                "design.target",
                Severity.ERROR,
                f"The metric {metric.name} is a share, its target is {metric.target}.",
                "Give the target as a fraction from 0 to 1.",
            )


def assumption_unexplained(program: Program) -> Iterator[Finding]:
    """Every assumption says on what grounds it was made, so that the user can judge it."""
    bare = [parameter.name for parameter in program.design.assumed if not parameter.why.strip()]
    if bare:
        yield fault(
            "design.assumption_unexplained",
            Severity.WARNING,
            f"These parameters were assumed, and it is not said why: {', '.join(bare)}.",
            "Give each a reason in `why`: a usual value, or what it has to fit.",
        )


def fit_without_tool(program: Program) -> Iterator[Finding]:
    """A design that says RL is the wrong tool names the right one."""
    fit = program.design.fit
    if fit.verdict is FitVerdict.BETTER_TOOL and not fit.better_tool:
        yield fault(
            "design.fit",
            Severity.ERROR,
            "The design says that another tool is better, and names none.",
            "Name the tool, e.g. a mixed-integer solver.",
        )


def mask_needs_words(program: Program) -> Iterator[Finding]:
    """Where choices can be illegal, the design says what taking one does."""
    action = program.design.action
    if action.masked and not action.illegal:
        yield fault(
            "design.illegal_unsaid",
            Severity.ERROR,
            "Some choices are illegal in some states, and the design does not say what taking one does.",
            "Say it in action.illegal, e.g. `counts as the nearest legal choice`; it is never an exception.",
        )


def box_far_from_unit(program: Program) -> Iterator[Finding]:
    """Observations within a few units of zero train best; the environment has no normaliser."""
    large = [t.name for t in program.design.observation if max(abs(t.low), abs(t.high)) > 1000]
    if large:
        yield fault(
            "design.observation_scale",
            Severity.WARNING,
            f"The observation terms {', '.join(large)} reach beyond 1000.",
            "Divide by what is usual, so that most values lie within [-1, 1] or [0, 1].",
        )


def whole_bounds(program: Program) -> Iterator[Finding]:
    """A WHOLE variable has whole bounds."""
    for variable in program.design.state:
        whole = variable.low == int(variable.low) and variable.high == int(variable.high)
        if variable.kind is VariableKind.WHOLE and not whole:
            yield fault(
                "design.whole_bounds",
                Severity.ERROR,
                f"{variable.name} is a whole number between {variable.low} and {variable.high}.",
                "Give it whole bounds, or make it REAL.",
            )


def unbounded_lower_better(program: Program) -> Iterator[Finding]:
    """Ending early must not be the way to a low total: SUM with LOWER and a failure ending."""
    design = program.design
    failing = [ending.name for ending in design.episode.endings if not ending.success]
    primary = design.metrics[0]
    if failing and primary.aggregate is Aggregate.SUM and primary.direction is Direction.LOWER:
        yield fault(
            "design.early_end_flatters",
            Severity.WARNING,
            f"The primary metric {primary.name} is a total to keep low, and {', '.join(failing)} ends an episode "
            "early: failing at once would look best.",
            "Use MEAN or RATIO, or charge the failure in the metric.",
        )


def _read_by_decisions(program: Program) -> frozenset[str]:
    names: set[str] = set()
    for compiled in (*program.observation.values(), *program.legality.values(), *program.invariants.values()):
        names |= compiled.names if compiled is not None else frozenset()
    return frozenset(names | (program.potential.names if program.potential else frozenset()))


def pinned(program: Program) -> frozenset[str]:
    """The state variables that a law, an invariant or an expectation says something about."""
    names: set[str] = set()
    for law in program.laws.values():
        names |= law.left.names | (law.right.names if law.right else frozenset())
    for compiled in program.invariants.values():
        names |= compiled.names
    for expected in program.expected.values():
        names |= expected.formula.names
    return frozenset(name.removeprefix("state.") for name in names if name.startswith("state."))


def _same(left: str, right: str) -> bool:
    """Equal but for sign and spaces."""
    return left.replace(" ", "").lstrip("-").strip("()") == right.replace(" ", "").lstrip("-").strip("()")


RULES: Final[tuple[Rule, ...]] = (
    fit_without_tool,
    assumption_unexplained,
    unused_action,
    unused_state,
    unpinned_state,
    unpinned_start,
    metric_is_reward,
    per_step_metric_of_flow,
    target_out_of_reach,
    reward_scales,
    endless,
    constant_ending,
    mask_needs_words,
    whole_bounds,
    box_far_from_unit,
    unbounded_lower_better,
)
