"""How to get the same again, and how to use the policy."""

from __future__ import annotations

import shlex

from kit.contracts.design import ActionKind
from kit.contracts.reports import ReportRequest
from kit.prose import Prose, fenced
from services.reporter.claims import Claims
from services.reporter.marks import bullets, code, inline, number, table

SHORT = 160


def again(report: ReportRequest, claims: Claims, prose: Prose) -> str:
    artifacts = report.outcome.artifacts
    return prose.fill(
        "again",
        command=fenced(command(report), "sh"),
        seed=report.outcome.training.seed if report.outcome.training else report.options.seed,
        libraries=bullets(code(line) for line in claims.libraries) or prose.fill("no_libraries"),
        use=use(report, prose) if report.outcome.trained else "",
        files=table(
            ("file", "bytes", "SHA-256"),
            ((code(one.name), number(one.size), code(inline(one.sha256)[:16])) for one in artifacts),
            right=(1,),
        )
        if artifacts
        else prose.fill("no_files"),
    )


def command(report: ReportRequest) -> str:
    """What to type; a long problem is read from the file beside the report."""
    one_line = len(report.problem) <= SHORT and report.problem.isprintable()
    words = ["gymwright", "run", *([shlex.quote(report.problem)] if one_line else ["--file", "problem.txt"])]
    options = report.options
    if options.total_timesteps is not None:
        words += ["--timesteps", str(options.total_timesteps)]
    if options.n_envs is not None:
        words += ["--n-envs", str(options.n_envs)]
    if options.seeds > 1:
        words += ["--seeds", str(options.seeds)]
    if options.tuning_trials:
        words += ["--tune", str(options.tuning_trials)]
    for one in options.hyperparameters:
        words += ["--set", f"{one.name}={one.value:g}"]
    return " ".join([*words, "--seed", str(options.seed)])


def use(report: ReportRequest, prose: Prose) -> str:
    """A snippet that runs the policy, by the kind of action."""
    action = report.design.action
    return prose.fill(
        "use",
        snippet=fenced(
            prose.fill(
                "use_masked" if action.masked else "use_plain",
                take="int(action[0])" if action.kind is ActionKind.DISCRETE else "action",
            ),
            "python",
        ),
    )
