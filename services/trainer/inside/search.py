"""The search for hyperparameters: Optuna's sampler in a box of its own, told everything anew each time it is asked."""

from __future__ import annotations

import json
from pathlib import Path

import optuna
from optuna.distributions import BaseDistribution, FloatDistribution, IntDistribution
from optuna.storages import JournalStorage
from optuna.storages.journal import JournalFileBackend
from optuna.trial import TrialState

from kit.contracts.outcomes import NamedNumber, TuningTrial
from kit.inside.saying import OUT_DIR, Say
from services.trainer.inside.payloads import STUDY_FILE, Knob, SearchClaim, SearchPayload

FEWEST_FOR_IMPORTANCES = 4
AT_RANDOM = 4  # trials before the sampler draws conclusions


def main(payload: dict[str, object], say: Say) -> None:
    """Says a SearchClaim, and leaves the study as Optuna's journal, which its dashboard reads."""
    claim = answer(SearchPayload.model_validate_json(json.dumps(payload)), OUT_DIR)
    say("result", **claim.model_dump(mode="json"))


def answer(asked: SearchPayload, into: Path) -> SearchClaim:
    """into: the folder for the study."""
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = _study(asked, into)
    space = {knob.name: _distribution(knob) for knob in asked.knobs}
    suggested = [study.ask(space).params for _ in range(asked.ask)]
    return SearchClaim(suggested=tuple(_named(params) for params in suggested), importances=_named(_importances(study)))


def _study(asked: SearchPayload, into: Path) -> optuna.Study:
    """All trials so far: told, pruned, or running, which the sampler takes for mediocre so as not to ask them twice."""
    study = optuna.create_study(
        study_name="gymwright",
        storage=JournalStorage(JournalFileBackend(str(into / STUDY_FILE))),
        direction="maximize" if asked.maximise else "minimize",
        sampler=optuna.samplers.TPESampler(
            seed=asked.seed + len(asked.trials) + len(asked.running),
            n_startup_trials=AT_RANDOM,
            multivariate=True,
            constant_liar=True,
        ),
    )
    space = {knob.name: _distribution(knob) for knob in asked.knobs}
    for trial in asked.trials:
        study.add_trial(_told(trial, space))
    for running in asked.running:
        state = TrialState.RUNNING
        study.add_trial(optuna.create_trial(state=state, params=_params(running, space), distributions=space))
    return study


def _told(trial: TuningTrial, space: dict[str, BaseDistribution]) -> optuna.trial.FrozenTrial:
    state = TrialState.COMPLETE
    if trial.value is None:
        state = TrialState.PRUNED if trial.pruned else TrialState.FAIL
    params = _params(trial.hyperparameters, space)
    return optuna.create_trial(state=state, value=trial.value, params=params, distributions=space)


def _importances(study: optuna.Study) -> dict[str, float]:
    complete = study.get_trials(states=[TrialState.COMPLETE])
    if len(complete) < FEWEST_FOR_IMPORTANCES or len({trial.value for trial in complete}) < 2:
        return {}
    evaluator = optuna.importance.PedAnovaImportanceEvaluator()
    found: dict[str, float] = optuna.importance.get_param_importances(study, evaluator=evaluator)
    return found


def _distribution(knob: Knob) -> BaseDistribution:
    if knob.whole:
        return IntDistribution(int(knob.low), int(knob.high), log=knob.log)
    return FloatDistribution(knob.low, knob.high, log=knob.log)


def _params(values: tuple[NamedNumber, ...], space: dict[str, BaseDistribution]) -> dict[str, float]:
    return {one.name: int(one.value) if isinstance(space[one.name], IntDistribution) else one.value for one in values}


def _named(values: dict[str, float]) -> tuple[NamedNumber, ...]:
    return tuple(NamedNumber(name=name, value=float(value)) for name, value in values.items())
