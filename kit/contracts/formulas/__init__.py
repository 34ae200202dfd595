"""The formula language: parse, check, and compute on whole trajectories (docs/formulas.md).

program = compile_design(design)              # every formula of a design, or ProgramError
values = transitions(program, ...)            # columns of a trajectory under the names formulas use
program.components["cost"](values)            # (rows,)
"""

from kit.contracts.formulas.columns import Columns, moments, parameter_values, transitions
from kit.contracts.formulas.compiler import Compiled, Values, compile_formula
from kit.contracts.formulas.grammar import FormulaError
from kit.contracts.formulas.parts import CompiledDraw, CompiledExpectation, CompiledLaw, CompiledMetric
from kit.contracts.formulas.program import FormulaProblem, Program, ProgramError, compile_design

__all__ = [
    "Columns", "Compiled", "CompiledDraw", "CompiledExpectation", "CompiledLaw", "CompiledMetric", "FormulaError",
    "FormulaProblem", "Program", "ProgramError", "Values", "compile_design", "compile_formula", "moments",
    "parameter_values", "transitions",
]  # fmt: skip
