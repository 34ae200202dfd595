"""Program: a whole design compiled, so that we compute what its environment must do."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from math import prod

from kit.contracts.design import Baseline, EnvDesign
from kit.contracts.design.dynamics import Start
from kit.contracts.design.parameters import Shape
from kit.contracts.formulas.compiler import Compiled, Scope, compile_formula, compile_tree
from kit.contracts.formulas.grammar import FormulaError, parse
from kit.contracts.formulas.parts import CompiledDraw, CompiledExpectation, CompiledLaw, CompiledMetric
from kit.contracts.formulas.scopes import Scopes


@dataclass(frozen=True)
class FormulaProblem:
    """One formula that can't be compiled. where: its place in the design, e.g. "reward.cost"."""

    where: str
    problem: str


class ProgramError(FormulaError):
    """A design some of whose formulas can't be compiled; `problems` names each."""

    def __init__(self, problems: tuple[FormulaProblem, ...]) -> None:
        super().__init__("; ".join(f"{p.where}: {p.problem}" for p in problems))
        self.problems = problems


@dataclass(frozen=True)
class Program:
    """Every formula of `design`, compiled; dictionaries keep the design's order."""

    design: EnvDesign
    observation: dict[str, Compiled | None]  # None: the design has no formula for this term
    legality: dict[str, Compiled | None]  # by action term
    components: dict[str, Compiled]
    endings: dict[str, Compiled]
    metrics: dict[str, CompiledMetric]
    laws: dict[str, CompiledLaw]
    invariants: dict[str, Compiled]
    starts: dict[str, CompiledLaw]
    draws: dict[str, CompiledDraw]  # those starts that say how a value is spread
    expected: dict[str, CompiledExpectation]
    baselines: dict[str, dict[str, Compiled]]  # baseline -> action term -> formula
    potential: Compiled | None

    @cached_property
    def read_by_transitions(self) -> frozenset[str]:
        """The names that rewards, endings, metrics, laws and expectations read, e.g. `state.stock`."""
        formulas = [*self.components.values(), *self.endings.values()]
        formulas += [one for metric in self.metrics.values() for one in (metric.formula, metric.per) if one]
        formulas += [side for law in self.laws.values() for side in (law.left, law.right) if side]
        formulas += [e for x in self.expected.values() for e in (x.formula, x.mean, x.deviation) if e]
        return frozenset(name for compiled in formulas for name in compiled.names)


def compile_design(design: EnvDesign) -> Program:
    """Raises ProgramError naming every formula that can't be compiled."""
    return _Builder(design).build()


class _Builder:
    """Compiles part by part and collects what fails, so that a designer sees all of it at once."""

    def __init__(self, design: EnvDesign) -> None:
        self.design = design
        self.scopes = Scopes(design)
        self.problems: list[FormulaProblem] = []

    def build(self) -> Program:
        design, scopes = self.design, self.scopes
        moment, transition = scopes.moment, scopes.transition
        dynamics = design.dynamics
        program = Program(
            design=design,
            observation={
                term.name: self._sized(f"observation.{term.name}", term.formula, moment("an observation"), term.size)
                if term.formula is not None
                else None
                for term in design.observation
            },
            legality={
                term.name: self._shaped(
                    f"action.{term.name}.legal", term.legal, scopes.legality(term), (term.choices or 1,)
                )
                if term.legal is not None
                else None
                for term in design.action.terms
            },
            components=dict(self._numbers("reward", design.reward, transition("a reward component"))),
            endings=dict(self._numbers("ending", design.episode.endings, transition("an ending"))),
            metrics={
                metric.name: CompiledMetric(
                    metric.name,
                    metric.aggregate,
                    self._shaped(f"metric.{metric.name}", metric.formula, transition("a metric"), ()),
                    self._shaped(f"metric.{metric.name}.per", metric.per, transition("a metric"), ())
                    if metric.per is not None
                    else None,
                )
                for metric in design.metrics
            },
            laws={
                law.name: self._law(law.name, f"law.{law.name}", law.formula, transition("a law"))
                for law in dynamics.laws
            },
            invariants={
                invariant.name: self._any(f"invariant.{invariant.name}", invariant.formula, moment("an invariant"))
                for invariant in dynamics.invariants
            },
            starts={
                start.name: self._law(start.name, f"start.{start.name}", start.formula, moment("a start"))
                for start in dynamics.starts
                if not start.drawn
            },
            draws={start.name: self._draw(start) for start in dynamics.starts if start.drawn},
            expected={e.name: self._expectation(e.name, e.formula, e.mean, e.deviation) for e in dynamics.expected},
            baselines={baseline.name: self._baseline(baseline) for baseline in design.baselines},
            potential=self._shaped("potential", design.potential, moment("the potential"), ())
            if design.potential is not None
            else None,
        )
        if self.problems:
            raise ProgramError(tuple(self.problems))
        return program

    def _compile(self, where: str, build: Callable[[], Compiled]) -> Compiled:
        try:
            return build()
        except FormulaError as problem:
            self.problems.append(FormulaProblem(where, str(problem)))
            return _NOTHING

    def _any(self, where: str, text: str, scope: Scope) -> Compiled:
        return self._compile(where, lambda: compile_formula(text, scope))

    def _shaped(self, where: str, text: str, scope: Scope, shape: Shape) -> Compiled:
        compiled = self._any(where, text, scope)
        if compiled is not _NOTHING and compiled.shape != shape:
            self.problems.append(FormulaProblem(where, f"has shape {compiled.shape}, must have {shape}"))
        return compiled

    def _sized(self, where: str, text: str, scope: Scope, size: int) -> Compiled:
        compiled = self._any(where, text, scope)
        if compiled is not _NOTHING and prod(compiled.shape) != size:
            self.problems.append(FormulaProblem(where, f"gives {prod(compiled.shape)} numbers, the term says {size}"))
        return compiled

    def _numbers(self, part: str, records: tuple, scope: Scope) -> Iterator[tuple[str, Compiled]]:  # type: ignore[type-arg]
        for record in records:
            yield record.name, self._shaped(f"{part}.{record.name}", record.formula, scope, ())

    def _law(self, name: str, where: str, text: str, scope: Scope) -> CompiledLaw:
        try:
            tree = parse(text)
        except FormulaError as problem:
            self.problems.append(FormulaProblem(where, str(problem)))
            return CompiledLaw(name, _NOTHING, None)
        match tree:
            # At the top of a law or a start, == means within tolerance, so it may stand between real numbers.
            case ast.Compare(left=left, ops=[ast.Eq()], comparators=[right]):
                return CompiledLaw(
                    name,
                    self._compile(where, lambda: compile_tree(left, text, scope)),
                    self._compile(where, lambda: compile_tree(right, text, scope)),
                )
        return CompiledLaw(name, self._compile(where, lambda: compile_tree(tree, text, scope)), None)

    def _draw(self, start: Start) -> CompiledDraw:
        where, scope = f"start.{start.name}", self.scopes.moment("a start")
        value = self._any(where, start.formula, scope)

        def about(part: str, text: str | None) -> Compiled | None:
            if text is None:
                return None
            compiled = self._any(f"{where}.{part}", text, scope)
            if compiled.shape not in ((), value.shape):
                shapes = f"{compiled.shape}, must have {value.shape} or be one number"
                self.problems.append(FormulaProblem(f"{where}.{part}", f"has shape {shapes}"))
            return compiled

        return CompiledDraw(
            start.name, value, about("low", start.low), about("high", start.high), about("mean", start.mean)
        )

    def _expectation(self, name: str, formula: str, mean: str, deviation: str | None) -> CompiledExpectation:
        where, before = f"expected.{name}", self.scopes.before("a conditional mean")
        value = self._any(where, formula, self.scopes.transition("an expectation"))
        return CompiledExpectation(
            name,
            value,
            self._shaped(f"{where}.mean", mean, before, value.shape),
            self._shaped(f"{where}.deviation", deviation, before, value.shape) if deviation is not None else None,
        )

    def _baseline(self, baseline: Baseline) -> dict[str, Compiled]:
        where = f"baseline.{baseline.name}"
        terms = tuple(term.name for term in self.design.action.terms)
        if tuple(term.term for term in baseline.terms) != terms:
            self.problems.append(FormulaProblem(where, f"must set {', '.join(terms)}, in this order"))
            return {}
        compiled: dict[str, Compiled] = {}
        for position, (term, rule) in enumerate(zip(self.design.action.terms, baseline.terms, strict=True)):
            scope = self.scopes.baseline("a baseline", terms[:position])
            shape = self.scopes.action_kind(term).shape
            compiled[term.name] = self._shaped(f"{where}.{term.name}", rule.formula, scope, shape)
        return compiled


_NOTHING = compile_formula("0", Scope("nothing", {}))
