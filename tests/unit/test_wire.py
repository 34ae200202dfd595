"""The translator: every pair of record and message survives the round trip, zeros and absences included."""

from __future__ import annotations

import random
import types
import typing
from contextlib import suppress
from enum import Enum

import pytest
from google.protobuf.message import Message
from pydantic import ValidationError

from gymwright.errors import DesignRejected, RequestWrong
from gymwright.v1 import (
    coder_pb2,
    design_pb2,
    designer_pb2,
    executor_pb2,
    findings_pb2,
    gateway_pb2,
    outcomes_pb2,
    reporter_pb2,
    run_pb2,
    trainer_pb2,
)
from kit.contracts import findings, outcomes, reports, runs, said, spending, wishes
from kit.contracts.design import EnvDesign
from kit.contracts.records import Record
from kit.contracts.wire import from_proto, to_proto
from tests.unit.designs import TRIED, kiosk, tried

PAIRS: list[tuple[type[Record], type[Message]]] = [
    (findings.Finding, findings_pb2.Finding),
    (findings.SkippedGroup, findings_pb2.SkippedGroup),
    (findings.CheckReport, findings_pb2.CheckReport),
    (outcomes.Interval, outcomes_pb2.Interval),
    (outcomes.Evaluation, outcomes_pb2.Evaluation),
    (outcomes.TrainingReport, outcomes_pb2.TrainingReport),
    (outcomes.LadderRow, outcomes_pb2.LadderRow),
    (outcomes.Ladder, outcomes_pb2.Ladder),
    (outcomes.Verdict, outcomes_pb2.Verdict),
    (outcomes.Artifact, outcomes_pb2.Artifact),
    (outcomes.TrainOutcome, outcomes_pb2.TrainOutcome),
    (runs.Origin, run_pb2.Origin),
    (runs.Draft, run_pb2.Draft),
    (runs.RunOptions, run_pb2.RunOptions),
    (runs.Run, run_pb2.Run),
    (runs.CodeWritten, run_pb2.CodeWritten),
    (runs.FixStarted, run_pb2.FixStarted),
    (runs.TrainingProgress, run_pb2.TrainingProgress),
    (runs.RunEnded, run_pb2.RunEnded),
    (runs.RunEvent, run_pb2.RunEvent),
    (runs.JobKey, run_pb2.JobKey),
    (reports.ReportRequest, reporter_pb2.ReportRequest),
    (spending.Usage, run_pb2.Usage),
    (spending.Spent, run_pb2.Spent),
    (runs.TextWritten, run_pb2.TextWritten),
    (runs.DesignReviewed, run_pb2.DesignReviewed),
    (wishes.DesignWish, designer_pb2.DesignEnvRequest),
    (wishes.RevisionWish, designer_pb2.ReviseDesignRequest),
    (wishes.CodeWish, coder_pb2.WriteEnvRequest),
    (wishes.RepairWish, coder_pb2.RepairEnvRequest),
    (reports.Attempt, reporter_pb2.Attempt),
    (outcomes.TrainedSeed, outcomes_pb2.TrainedSeed),
    (outcomes.Tuning, outcomes_pb2.Tuning),
    (said.DesignSaid, designer_pb2.DesignEnvResponse),
    (said.CodeSaid, coder_pb2.WriteEnvResponse),
    (said.CheckSaid, executor_pb2.WatchCheckResponse),
    (said.EnvironmentSaid, gateway_pb2.CheckEnvironmentResponse),
    (said.TrainSaid, trainer_pb2.WatchTrainingResponse),
]


STREAMED = (said.DesignSaid, said.CodeSaid, said.CheckSaid, said.EnvironmentSaid, said.TrainSaid)


def anything(kind: object, chance: random.Random) -> object:
    """A value of the annotated type; zeros, empties and absences often, since those are what gets lost."""
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin is typing.Annotated:
        return anything(arguments[0], chance)
    if origin in (typing.Union, types.UnionType):
        return None if chance.random() < 0.4 else anything(arguments[0], chance)
    if origin is tuple:
        return tuple(anything(arguments[0], chance) for _ in range(chance.choice([0, 1, 3])))
    assert isinstance(kind, type)
    if kind is EnvDesign:
        return kiosk()
    if issubclass(kind, Record):
        return record(kind, chance)
    if issubclass(kind, Enum):
        return chance.choice(list(kind))
    return {
        bool: lambda: chance.random() < 0.5,
        int: lambda: chance.choice([1, 2, 200]),
        float: lambda: chance.choice([0.0, -0.0, 1.5, -1e300, 5e-324]),
        str: lambda: chance.choice(["", "0", "line\nbreak", "ünïcödé ☃"]),
    }[kind]()


def record(kind: type[Record], chance: random.Random) -> Record:
    """A valid one; values outside a field's bounds are drawn again."""
    for _ in range(200):
        with suppress(ValidationError):
            return kind.model_validate({name: anything(f.annotation, chance) for name, f in kind.model_fields.items()})
    raise AssertionError(f"no valid {kind.__name__} in 200 draws")


def one_part_at_most(made: Record) -> Record:
    """A oneof carries one part; records of that kind are trimmed to it."""
    if not isinstance(made, STREAMED):
        return made
    parts = [name for name in type(made).model_fields if name != "sequence" and getattr(made, name) is not None]
    return made.model_copy(update=dict.fromkeys(parts[1:]))


@pytest.mark.parametrize(("kind", "message"), PAIRS, ids=[kind.__name__ for kind, _ in PAIRS])
def test_a_record_survives_the_wire(kind, message):
    chance = random.Random(0)
    for _ in range(40):
        made = one_part_at_most(record(kind, chance))
        sent = to_proto(made, message).SerializeToString()
        assert from_proto(message.FromString(sent), kind) == made


@pytest.mark.parametrize("path", TRIED, ids=lambda path: path.stem)
def test_a_design_survives_the_wire_to_the_hash(path):
    design = tried(path)
    sent = to_proto(design, design_pb2.EnvDesign).SerializeToString()
    assert from_proto(design_pb2.EnvDesign.FromString(sent), EnvDesign).digest == design.digest


@pytest.mark.parametrize(("kind", "message"), PAIRS, ids=[kind.__name__ for kind, _ in PAIRS])
def test_record_and_message_have_the_same_fields(kind, message):
    assert set(kind.model_fields) == set(message.DESCRIPTOR.fields_by_name)


def test_unset_is_not_zero():
    assert from_proto(run_pb2.RunOptions(), runs.RunOptions).total_timesteps is None
    with pytest.raises(RequestWrong, match="total_timesteps"):
        from_proto(run_pb2.RunOptions(total_timesteps=0), runs.RunOptions)


def test_an_empty_message_that_is_set_is_not_an_unset_one():
    event = runs.RunEvent(
        run_id="a", sequence=1, at_s=0, state=runs.RunState.CODING, message="", trained=outcomes.TrainOutcome()
    )
    assert from_proto(to_proto(event, run_pb2.RunEvent), runs.RunEvent).trained == outcomes.TrainOutcome()


def test_a_message_that_does_not_fit_is_refused_with_the_field_and_the_reason():
    with pytest.raises(RequestWrong, match="state: Input should be"):
        from_proto(run_pb2.Run(), runs.Run)
    with pytest.raises(DesignRejected, match="EnvDesign is not valid"):
        from_proto(design_pb2.EnvDesign(), EnvDesign)


def test_an_enum_value_of_the_future_is_refused_and_not_guessed():
    message = to_proto(outcomes.Verdict(kind=outcomes.VerdictKind.LEARNED, reason=""), outcomes_pb2.Verdict)
    message.kind = 99
    with pytest.raises(RequestWrong, match="kind"):
        from_proto(message, outcomes.Verdict)
