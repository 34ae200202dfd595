"""Static: what the source gives away before it runs."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator

from kit.contracts.findings import Finding
from services.executor.inside.catalogue import define
from services.executor.inside.groups.names import dotted, walked
from services.executor.inside.subject import Subject

MAX_CHARACTERS = 200_000
ALLOWED_IMPORTS = frozenset({
    "__future__", "gymnasium", "numpy", "math", "dataclasses", "typing", "collections", "enum", "functools",
    "itertools", "copy", "heapq", "bisect", "abc", "operator", "statistics", "fractions", "string",
})  # fmt: skip

SYNTAX = define(
    "code.syntax",
    proves="The source is one Python module of bearable size.",
    example="def step(self, action:",
    remedy="Return one complete Python module that compiles.",
)
IMPORTS = define(
    "code.imports",
    proves="The module imports only gymnasium, numpy and a short list of the standard library.",
    example="import pandas",
    remedy="Use only gymnasium, numpy and "
    + ", ".join(sorted(ALLOWED_IMPORTS - {"gymnasium", "numpy", "__future__"}))
    + ".",
)
GLOBAL_RANDOM = define(
    "code.global_random",
    proves="Chance comes from self.np_random alone.",
    example="noise = np.random.normal()",
    remedy="Draw from self.np_random, which reset(seed=...) seeds through super().reset(seed=seed).",
)
DANGEROUS = define(
    "code.reaches_out",
    proves="The module has no business with files, processes, the network or the interpreter.",
    example="open('log.txt', 'w')",
    remedy="Compute everything in memory; delete this call.",
)
PRINTS = define(
    "code.prints",
    proves="step() and reset() print nothing.",
    example="print('step', self.t)",
    remedy="Delete the print; put what is worth knowing into info.",
)
EXPLAINED = define(
    "code.docstring",
    proves="The environment's docstring explains it under Gymnasium's own headings.",
    example="class Environment(gymnasium.Env):  # and no docstring",
    remedy="Add a docstring with the headings Description, Action Space, Observation Space, Rewards, Starting State, "
    "Episode End.",
)

_RANDOM_OK = frozenset({"default_rng", "Generator", "SeedSequence", "PCG64", "RandomState", "BitGenerator", "Philox"})
_OWN = frozenset({"Random", "SystemRandom"})  # generators of their own, which other checks judge
_REACHING = frozenset({"open", "exec", "eval", "compile", "__import__", "input", "breakpoint", "globals"})
_REACHING_MODULES = frozenset({
    "os", "subprocess", "socket", "shutil", "pathlib", "sys", "ctypes", "threading", "multiprocessing", "signal",
    "importlib", "pickle", "requests", "urllib", "http", "tempfile", "asyncio", "inspect", "gc", "builtins",
})  # fmt: skip

_ABROAD = frozenset({"subprocess", "socket", "requests", "urllib", "http"})  # strange in anybody's environment


def check_syntax(subject: Subject) -> Iterator[Finding]:
    """Parses; nothing is run."""
    if len(subject.source) > MAX_CHARACTERS:
        yield SYNTAX.error(f"the source has {len(subject.source)} characters, at most {MAX_CHARACTERS} are taken")
        return
    try:
        subject.tree = ast.parse(subject.source)
    except SyntaxError as problem:
        yield SYNTAX.error(
            f"the module does not compile: {problem.msg}", line=problem.lineno, evidence=problem.text or ""
        )
    except (ValueError, RecursionError, MemoryError) as problem:
        yield SYNTAX.error(f"the module does not compile: {problem}")


def check_imports(subject: Subject) -> Iterator[Finding]:
    """An error for our own coder; anybody else's file may import what it likes."""
    for node, module in _imports(subject):
        top = module.split(".", maxsplit=1)[0]
        if subject.design is not None and top not in ALLOWED_IMPORTS:
            yield IMPORTS.error(f"the module imports {module}", line=node.lineno)
        elif subject.design is None and top not in sys.stdlib_module_names and top not in ("gymnasium", "numpy"):
            yield IMPORTS.note(f"the module needs {module}, which is not everywhere", line=node.lineno)


def check_randomness(subject: Subject) -> Iterator[Finding]:
    """np.random.normal(...), random.random(...), default_rng() without a seed."""
    numpy_names = {"np", "numpy"}
    random_names: set[str] = set()
    for node, module in _imports(subject):
        if module == "random" and isinstance(node, ast.Import):
            random_names |= {alias.asname or alias.name for alias in node.names if alias.name == "random"}
        if isinstance(node, ast.ImportFrom) and module == "random" and any(a.name not in _OWN for a in node.names):
            yield GLOBAL_RANDOM.warning("the module takes functions of the global random module", line=node.lineno)
    replaced = _replaced_generators(subject)
    for call, name in _calls(subject):
        root, _, rest = name.partition(".")
        if root in numpy_names and rest.startswith("random."):
            function = rest.removeprefix("random.")
            if function not in _RANDOM_OK:
                yield _random(subject, f"{name}() draws from NumPy's global generator", call.lineno)
            elif function == "default_rng" and not call.args and not call.keywords and call not in replaced:
                yield _random(subject, f"{name}() makes a generator that no seed reaches", call.lineno)
        elif root in random_names and rest and rest not in _OWN:
            yield _random(subject, f"{name}() draws from Python's global generator", call.lineno)


def _replaced_generators(subject: Subject) -> set[ast.Call]:
    """What the constructor puts where another method puts a generator with a seed: it only fills the place."""
    made: dict[str, list[tuple[str, ast.Call]]] = {}
    for method in ast.walk(subject.tree) if subject.tree else ():
        if isinstance(method, ast.FunctionDef):
            for node in ast.walk(method):
                if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
                    made.setdefault(ast.unparse(node.targets[0]), []).append((method.name, node.value))
    return {
        call
        for calls in made.values()
        for method, call in calls
        if method == "__init__" and any(other.args or other.keywords for name, other in calls if name != "__init__")
    }


def check_reach(subject: Subject) -> Iterator[Finding]:
    """Files, processes, the interpreter: an error where a design says that the module is ours to write."""
    for call, name in _calls(subject):
        root = name.split(".", maxsplit=1)[0]
        if name in _REACHING or (root in _REACHING_MODULES and "." in name) or name.endswith(".sleep"):
            abroad = DANGEROUS.warning if root in _ABROAD else DANGEROUS.note
            make = DANGEROUS.error if subject.design is not None else abroad
            yield make(f"the module calls {name}()", line=call.lineno)
        if name == "print" and subject.design is not None:
            yield PRINTS.warning("the module prints", line=call.lineno)


def check_docstring(subject: Subject) -> Iterator[Finding]:
    """Asked only of our own coder."""
    if subject.design is None or subject.tree is None:
        return
    classes = [node for node in subject.tree.body if isinstance(node, ast.ClassDef)]
    if classes and not any(ast.get_docstring(node) for node in classes):
        yield EXPLAINED.note("the environment has no docstring", line=classes[0].lineno)


def _random(subject: Subject, message: str, line: int) -> Finding:
    return (GLOBAL_RANDOM.error if subject.design is not None else GLOBAL_RANDOM.warning)(message, line=line)


def _imports(subject: Subject) -> Iterator[tuple[ast.Import | ast.ImportFrom, str]]:
    for node in ast.walk(subject.tree) if subject.tree else ():
        if isinstance(node, ast.Import):
            yield from ((node, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node, node.module or "."


def _calls(subject: Subject) -> Iterator[tuple[ast.Call, str]]:
    """Every call of something with a dotted name."""
    for node in walked(subject.tree) if subject.tree else ():
        if isinstance(node, ast.Call) and (name := dotted(node.func)):
            yield node, name
