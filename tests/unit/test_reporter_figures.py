"""The reporter's figures: something to see, the same every time, and nothing that odd numbers can break."""

from __future__ import annotations

import struct
import zlib

import pytest

from kit.contracts.outcomes import TrainOutcome
from services.reporter.figures import style
from services.reporter.figures.components import components_figure
from services.reporter.figures.curve import reward_curve
from services.reporter.figures.ladder import ladder_figure
from tests.unit.reports import around, ladder, report, training


@pytest.mark.parametrize("draw", [reward_curve, ladder_figure, components_figure])
def test_a_figure_is_a_png_with_something_on_it_and_the_same_every_time(draw: object) -> None:
    png = draw(report())  # type: ignore[operator]
    width, height = struct.unpack(">II", png[16:24])
    assert png.startswith(b"\x89PNG")
    assert width > 1000
    assert height > 300
    assert len(set(_pixels(png))) > 20  # shades, so not an empty sheet
    assert png == draw(report())  # type: ignore[operator]


def _pixels(png: bytes) -> bytes:
    chunks, at = b"", 8
    while at < len(png):
        size, kind = struct.unpack(">I4s", png[at : at + 8])
        chunks += png[at + 8 : at + 8 + size] if kind == b"IDAT" else b""
        at += 12 + size
    return zlib.decompress(chunks)


@pytest.mark.parametrize("draw", [reward_curve, ladder_figure, components_figure])
def test_a_run_without_a_policy_has_no_figures(draw: object) -> None:
    assert draw(report(outcome=TrainOutcome())) is None  # type: ignore[operator]


def test_odd_numbers_and_names_can_be_drawn() -> None:
    flat = training().model_copy(
        update={
            "evaluations": (training().evaluations[0].model_copy(update={"metrics": (), "std_reward": 0.0}),),
            "components": tuple(s.model_copy(update={"first": 0.0, "last": 0.0}) for s in training().components),
        }
    )
    rows = [row.model_copy(update={"policy": "$x^$ {", "metrics": (), "reward": around(0.0)}) for row in ladder().rows]
    odd = report(outcome=TrainOutcome(training=flat, ladder=ladder().model_copy(update={"rows": tuple(rows)})))
    assert all(draw(odd) for draw in (reward_curve, ladder_figure, components_figure))


def test_labels_that_would_overlap_move_apart_in_order() -> None:
    places = style.apart([1.0, 1.0, 1.05, 9.0], 0.5)
    assert all(b - a >= 0.49 for a, b in zip(sorted(places), sorted(places)[1:], strict=False))
    assert places[3] == 9.0
