"""The linter's rules by text: what a formula says as it is written, and how to say what the language can't."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Final

from kit.contracts.design import EnvDesign, Source
from kit.contracts.findings import Finding, Severity
from kit.contracts.formulas.grammar import parse
from kit.contracts.formulas.program import Program
from kit.contracts.linting.rules import Rule, fault

NUMBER: Final = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.])")
REMEDY: Final = "Write it in the formula language over the names this part may use."
REMEDIES: Final = {
    "IfExp is not part": "Write where(condition, yes, no).",
    "Slice is not part": "There are no slices: write v[arange(n) + first], with n written out.",
    "ListComp is not part": "There are no loops: write it for the whole vector at once.",
    "GeneratorExp is not part": "There are no loops: write it for the whole vector at once.",
    "Invert is not part": "Write not.",
    "BitAnd is not part": "Write and.",
    "BitOr is not part": "Write or.",
    "BitXor is not part": "A power is written **.",
    "MatMult is not part": "There is no matrix product: write sum(a * b), or a vector of such sums.",
    "keyword is not part": "Functions take no named arguments: sum(x) and its like go over all axes.",
    "must have ()": "Make it one number: sum(...), mean(...), max(...), any(...) or all(...).",
    "has shape (), must have (": "Give it that shape: add 0 times a vector of it.",
    "numbers, the term says": "Correct the term's size, or the formula.",
    "don't go together": "Shapes broadcast from the right; a row of a matrix is m[i], several elements pick(m, i, j).",
    "hold by luck": "Make the variables WHOLE if they count something.",
    "can't use pi": "Write 3.141592653589793.",
    "can't use choice": "Only `legal` knows choice.",
    "a conditional mean can't use state.": "Take the difference into `formula`, and let the mean be 0.",
    "a baseline can't use state.": "A rule sees what the agent sees: read obs, or show the agent this.",
    "a baseline can't use prev.": "A rule with memory needs the memory in the state, and in the observation.",
    "an observation can't use prev.": "Keep what is needed of the step before in a state variable.",
    "an observation can't use action.": "Keep the action in a state variable.",
}


def remedy(problem: str) -> str:
    """How to say it, for a problem of the compiler's."""
    return next((said for sign, said in REMEDIES.items() if sign in problem), REMEDY)


def negative_index(program: Program) -> Iterator[Finding]:
    """An index counts from 0; a negative one has no value and does not count from the end."""
    for where, text in _formulas(program.design):
        for node in ast.walk(parse(text)):
            match node:
                case ast.Subscript(slice=ast.UnaryOp(op=ast.USub(), operand=ast.Constant())):
                    yield fault(
                        "design.negative_index",
                        Severity.ERROR,
                        f"{where} has an index that is negative: {ast.unparse(node)}.",
                        "Indices count from 0 and never from the end; write the last one out.",
                    )


def given_unused(program: Program) -> Iterator[Finding]:
    """What the user gave is used: by its name, or as a number written out, a size, a limit or a target."""
    design = program.design
    said = " ".join([*(text for _, text in _formulas(design)), *design.dynamics.steps, design.episode.start])
    built_in: set[float | None] = {size for variable in design.state for size in variable.shape}
    built_in |= {len(design.action.terms), design.episode.step_limit, *(term.size for term in design.observation)}
    built_in |= {number for term in design.action.terms for number in (term.choices, (term.choices or 0) - 1)}
    built_in |= {metric.target for metric in design.metrics}
    built_in |= {float(number) for number in NUMBER.findall(said)}
    for parameter in design.parameters:
        if parameter.source is Source.GIVEN and parameter.name not in said and not built_in & set(parameter.values):
            yield fault(
                "design.given_unused",
                Severity.NOTE,
                f"No formula and no step uses {parameter.name}, which the user gave.",
                "Use it, or see whether the user's wish was forgotten.",
            )


def definition_unused(program: Program) -> Iterator[Finding]:
    """Every definition is used by some formula; one that none uses is not even compiled."""
    texts = list(_formulas(program.design))
    for definition in program.design.definitions:
        named = re.compile(rf"(?<![\w.]){definition.name}(?!\w)")
        if not any(named.search(text) for where, text in texts if where != f"The definition {definition.name}"):
            yield fault(
                "design.definition_unused",
                Severity.NOTE,
                f"No formula uses the definition {definition.name}.",
                "Use it by its bare name, or drop it.",
            )


def _formulas(design: EnvDesign) -> Iterator[tuple[str, str]]:
    """Every formula of the design, and where it stands."""
    for definition in design.definitions:
        yield f"The definition {definition.name}", definition.formula
    for observed in design.observation:
        if observed.formula is not None:
            yield f"The observation term {observed.name}", observed.formula
    for term in design.action.terms:
        if term.legal is not None:
            yield f"The legality of {term.name}", term.legal
    yield from ((f"The law {law.name}", law.formula) for law in design.dynamics.laws)
    yield from ((f"The invariant {invariant.name}", invariant.formula) for invariant in design.dynamics.invariants)
    for start in design.dynamics.starts:
        parts = (start.formula, start.low, start.high, start.mean)
        yield from ((f"The start {start.name}", text) for text in parts if text)
    yield from ((f"The reward component {component.name}", component.formula) for component in design.reward)
    yield from ((f"The ending {ending.name}", ending.formula) for ending in design.episode.endings)
    for expected in design.dynamics.expected:
        yield from (
            (f"The expectation {expected.name}", text)
            for text in (expected.formula, expected.mean, expected.deviation)
            if text
        )
    for metric in design.metrics:
        yield from ((f"The metric {metric.name}", text) for text in (metric.formula, metric.per) if text)
    for baseline in design.baselines:
        yield from ((f"The baseline {baseline.name}", rule.formula) for rule in baseline.terms)
    if design.potential is not None:
        yield "The potential", design.potential


TEXT_RULES: Final[tuple[Rule, ...]] = (negative_index, given_unused, definition_unused)
