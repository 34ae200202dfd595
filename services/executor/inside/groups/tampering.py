"""Tampering: what changes code that is not its own, or looks at who runs it, is refused whatever else it does.

Nobody's environment needs either, so these are errors with and without a design. The source is read for it, and after
some steps the candidate's process is compared with what it was before the source was loaded.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from kit.contracts.findings import Finding
from kit.inside.candidate import Candidate, LoadedClass, Value
from services.executor.inside.catalogue import define
from services.executor.inside.groups import intact
from services.executor.inside.groups.names import Names, dotted, names_in
from services.executor.inside.groups.replaying import actions_for
from services.executor.inside.subject import PATIENCE_S, Subject

PATCHES = define(
    "code.patches",
    proves="The module changes nothing that belongs to another one: NumPy, Gymnasium and the rest stay as they are.",
    example="np.isfinite = lambda *values: True",
    remedy="Delete the assignment; define a function or a class of your own instead.",
)
LOOKS_AROUND = define(
    "code.looks_around",
    proves="The module doesn't look at who runs it, and takes no hold of the interpreter.",
    example="if any('check' in name for name in sys.modules): ...",
    remedy="Delete it: an environment depends on its arguments, its actions and its seed alone.",
)

# What tells of callers, or gets between them and the interpreter.
_LOOKS = frozenset({
    "sys.modules", "sys._getframe", "sys._current_frames", "sys.settrace", "sys.setprofile", "sys.addaudithook",
    "sys.meta_path", "sys.path_hooks", "sys._getframemodulename", "sys.monitoring",
    "inspect.stack", "inspect.currentframe", "inspect.getouterframes", "inspect.getinnerframes", "inspect.trace",
    "gc.get_objects", "gc.get_referrers", "gc.get_referents", "gc.callbacks",
    "traceback.extract_stack", "traceback.print_stack", "traceback.format_stack", "traceback.walk_stack",
    "threading.settrace", "threading.setprofile", "threading.settrace_all_threads", "threading.setprofile_all_threads",
    "signal.signal", "signal.getsignal", "signal.setitimer", "signal.getitimer", "signal.alarm", "signal.sigwait",
    "signal.pthread_sigmask", "os._exit", "os.abort", "os.kill", "os.killpg", "os.fork", "os.getppid",
    "ctypes.pythonapi", "resource.getrusage", "os.times",
    "time.clock_gettime", "time.clock_gettime_ns",
})  # fmt: skip
_INNARDS = frozenset({
    "f_back", "f_globals", "f_locals", "f_builtins", "f_code", "tb_frame", "gi_frame", "cr_frame", "ag_frame",
    "__globals__", "__subclasses__", "__closure__", "__code__", "__builtins__", "_getframe", "currentframe",
})  # fmt: skip
# Modules that tell of callers and are reached by way of another one: np.lib.format.warnings.sys.
_TELLING = frozenset({"sys", "os", "gc", "inspect", "builtins", "ctypes", "importlib", "subprocess"})
_JUDGES = frozenset({"numpy", "gymnasium", "gym", "stable_baselines3", "builtins", "kit", "services"})
# What a process that is watched may have of its own kind: to use it is fine, to ask what it is isn't.
_WATCHED = ("time.", "threading.", "_thread.", "sys.stdout", "sys.stderr")
_USES = frozenset({"write", "writelines", "flush", "isatty", "encoding", "fileno", "buffer", "reconfigure"})
_ASKS = frozenset({"type", "isinstance", "hasattr", "getattr", "callable", "repr", "str", "id", "vars", "dir"})
_TELLING_FOLDERS = ("/proc/", "/sys/", "/opt/gymwright", "/job")


def check_looks(subject: Subject) -> Iterator[Finding]:
    """By the source."""
    if subject.tree is None:
        return
    names = names_in(subject.tree)
    for node in names.nodes:
        what = _looked_at(node, names)
        if what:
            yield LOOKS_AROUND.error(f"the module uses {what}", line=getattr(node, "lineno", None))


def _looked_at(node: ast.AST, names: Names) -> str:
    match node:
        case ast.Attribute(attr=attr):
            path = names.path(node)
            if node in names.harmless or path.endswith(".sys.path"):
                return ""
            if path in _LOOKS:
                return path
            if attr in _INNARDS:
                return attr
            if any(part in _TELLING for part in path.split(".")[1:]):
                return f"{path}, by way of {path.split('.')[0]}"
            if attr not in _USES and _is_watched(names.path(node.value)):
                return path
        case ast.Name(id="__builtins__"):
            return "__builtins__"
        case ast.Import(names=aliases) if any(alias.name == "__main__" for alias in aliases):
            return "__main__"
        case ast.ImportFrom(module=module, names=aliases):
            taken = [f"{module}.{alias.name}" for alias in aliases]
            return next((one for one in taken if one in _LOOKS), "")
        case ast.Call(func=ast.Name(id="getattr" | "vars" | "dir" as how), args=[ast.expr() as first, *rest]):
            path = names.path(first)
            if path.split(".")[0] in _TELLING:
                name = rest[0].value if rest and isinstance(rest[0], ast.Constant) else None
                if how != "getattr" or not isinstance(name, str) or f"{path}.{name}" in _LOOKS:
                    return f"{how}() of {path}"
        case ast.Call(func=ast.Name(id=how), args=[ast.expr() as first, *_]) if how in _ASKS and _is_watched(
            names.path(first)
        ):
            return f"{how}() of {names.path(first)}"
        case ast.Constant(value=str(text)) if text.startswith(_TELLING_FOLDERS):
            return repr(text[:40])
    return ""


def _is_watched(path: str) -> bool:
    """A function of those modules, or a stream; of a class, as of threading.Lock, the methods are anyone's."""
    return path.startswith(_WATCHED) and path.count(".") == 1 and not path.rpartition(".")[2][:1].isupper()


def check_patches(subject: Subject) -> Iterator[Finding]:
    """By the source: an attribute of something imported is set or deleted."""
    if subject.tree is None:
        return
    names = names_in(subject.tree)
    for node in names.nodes:
        for what in _changed(node, names):
            yield PATCHES.error(f"the module sets {what}", line=getattr(node, "lineno", None))


def _changed(node: ast.AST, names: Names) -> Iterator[str]:
    match node:
        case ast.Attribute(ctx=ast.Store() | ast.Del()):
            path = names.path(node)
            if path and path not in ("sys.stdout", "sys.stderr") and not _a_setting(node, path, names):
                yield path
        case ast.Subscript(value=inner, ctx=ast.Store() | ast.Del()):
            if whose := _attributes_of(inner, names):
                yield f"an attribute of {whose}"
        case ast.Call(func=func, args=[ast.expr() as first, *_]) if dotted(func).rpartition(".")[2] in (
            "setattr", "delattr", "__setattr__", "__delattr__",
        ):  # fmt: skip
            if path := names.path(first):
                yield f"an attribute of {path}"
        case ast.Call(func=ast.Attribute(value=inner, attr="update" | "pop" | "clear" | "setdefault" | "__setitem__")):
            if whose := _attributes_of(inner, names):
                yield f"an attribute of {whose}"


def _a_setting(node: ast.Attribute, path: str, names: Names) -> bool:
    """Whether it is like torch.backends.cudnn.benchmark = False: no code, and nothing that the judge goes by."""
    return "logger" in path or (node in names.constants and path.partition(".")[0] not in _JUDGES)


def _attributes_of(node: ast.expr, names: Names) -> str:
    """Of vars(np), np.__dict__: "numpy"."""
    match node:
        case ast.Attribute(value=value, attr="__dict__"):
            return names.path(value)
        case ast.Call(func=ast.Name(id="vars"), args=[first]):
            return names.path(first)
    return ""


def check_intact(subject: Subject) -> Iterator[Finding]:
    """By what became of the process: remembered before the source is loaded, compared after some steps."""
    with Candidate.start(PATIENCE_S) as candidate:
        remembered = candidate.probe(f"{intact.__name__}.remember")
        loaded = candidate.load(subject.source, subject.class_name)
        if not isinstance(remembered, Value) or not isinstance(loaded, LoadedClass):
            return
        if candidate.make(0, subject.kwargs) is None and isinstance(candidate.reset(0, seed=1), Value):
            for action in actions_for(subject, "intact", subject.affordable(20)) if subject.action.numeric else ():
                candidate.step(action)
        changed = candidate.probe(f"{intact.__name__}.changed", env=0)
    if not isinstance(changed, Value):
        yield PATCHES.error("what the module left of its process could not be looked at")
        return
    for item in changed.items[:3]:
        yield PATCHES.error(f"{item.plain} is not what it was before the module was loaded")
