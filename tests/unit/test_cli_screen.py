"""What a run looks like on 80 columns, at the moments that matter."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.console import Console, RenderableType
from rich.spinner import Spinner

from gymwright.cli.drawing import run_drawn
from gymwright.cli.story import Mark, Story
from gymwright.cli.verdicts import end_drawn, files_drawn, ladder_drawn
from gymwright.v1 import outcomes_pb2, run_pb2
from gymwright.views import RunEvent
from tests.integration import scripts


def told(events: list[run_pb2.RunEvent]) -> Story:
    story = Story()
    for event in events:
        story.hear(RunEvent.of(event))
    return story


def drawn(*parts: RenderableType) -> str:
    console = Console(file=io.StringIO(), width=80, force_terminal=False, color_system=None, emoji=False)
    for part in parts:
        console.print(part)
    text = console.file.getvalue()  # type: ignore[attr-defined]
    return "\n".join(line.rstrip() for line in text.splitlines())


def screen(story: Story) -> str:
    return drawn(run_drawn(story, story.last_at_s + 2.0, Spinner("simpleDots")))


REPAIRING = """\
 ✓ design Hospital shifts: staff a ward safely at the lowest cost         1.0 s
          worked problem hospital_shifts (similarity 0.93)
 . code   fix 1 of 2                                                      2.0 s
 · check
 · train
 · report

 ✗ error  observation.formula  code  line 84
   obs "patients_waiting" is 3 where the design's formula gives 4: arrivals of
   this step are left out.
 ↻ fix 1 of 2"""

TRAINING = """\
 ✓ design Hospital shifts: staff a ward safely at the lowest cost         1.0 s
          worked problem hospital_shifts (similarity 0.93)
 ✓ code   fix 1, 214 lines                                                1.0 s
 ✓ check  passed, 40 episodes, 9,312 steps                                1.0 s
 . train  ━━━━━━━━━━━━━━━━━╸                  50% 2,140 steps/s 0:05 left 7.0 s
          reward -25.00 ▁▃▅▇█
          patients unseen 6.50 █▇▅▃▁
 · report"""

LEARNED = """\

 LEARNED  patients_unseen 4.2 [3.9, 4.5] against 6.1 [5.8, 6.4] of "staff the
 longest queue".

 policy                       patients unseen ↓                    reward
 ────────────────────────────────────────────────────────────────────────
 trained                      4.20 [3.89, 4.51]      -12.4 [-13.6, -11.2]
 staff the longest queue      6.10 [5.79, 6.41]      -21.4 [-22.6, -20.2]
 random                    18.40 [18.09, 18.71]      -88.0 [-89.2, -86.8]
 idle                      41.20 [40.89, 41.51]   -160.0 [-161.2, -158.8]

 Everything lies in runs/hospital-1/
   report.md    read this first
   policy.onnx  the trained policy, for any runtime
   results.csv  tensorboard/"""


def test_a_repair_shows_what_was_found_and_that_it_is_being_fixed() -> None:
    assert screen(told(scripts.with_a_fix()[:8])) == REPAIRING


WRITING = """\
 │ {
 │   "name": "hospital_shifts"
 │ }"""


def test_what_a_model_writes_is_seen_as_it_is_written_and_what_it_dropped_is_not() -> None:
    _, text = screen(told(scripts.written()[:7])).split("\n\n")
    assert text == WRITING
    assert "│" not in screen(told(scripts.written()[:9]))  # the design is there


def test_training_shows_how_far_it_is_how_fast_and_what_it_has_learned() -> None:
    stages, history = screen(told(scripts.with_a_fix()[:17])).split("\n\n")
    assert (stages, history.splitlines()[-1]) == (TRAINING, " ↻ fix 1 of 2")


def test_the_end_is_the_verdict_the_ladder_and_where_everything_lies() -> None:
    folder = Path("runs/hospital-1")
    names = ("report.md", "policy.onnx", "results.csv", "tensorboard/a", "tensorboard/b")
    files = tuple(folder / name for name in names)
    assert drawn(*end_drawn(told(scripts.with_a_fix())), *files_drawn(folder, files)) == LEARNED


def test_every_kind_of_policy_has_its_rung_on_the_ladder() -> None:
    kinds = ("HALF_TRAINED", "RANDOM", "CONSTANT", "TRAINED", "IDLE", "BASELINE")
    rows = [
        outcomes_pb2.LadderRow(policy=kind.lower(), kind=outcomes_pb2.PolicyKind.Value(f"POLICY_KIND_{kind}"))
        for kind in kinds
    ]
    table = drawn(ladder_drawn(outcomes_pb2.Ladder(rows=rows), None))
    names = [line.split()[0] for line in table.splitlines() if line.strip()][2:]
    assert names == ["trained", "half_trained", "baseline", "constant", "random", "idle"]


def test_a_finding_told_three_times_is_shown_once() -> None:
    assert len(told(scripts.with_a_fix()).history) == 2  # the finding, and the fix


def test_a_finding_that_differs_only_in_its_evidence_tells_nothing_new() -> None:
    script = scripts.with_a_fix()[:7]
    script[6].checked.findings.add().CopyFrom(scripts.FINDING)
    script[6].checked.findings[1].evidence = "seed 8, step 3"
    assert len(told(script).history) == 1


def test_a_run_that_failed_has_its_broken_stage_marked() -> None:
    story = told(scripts.failing())
    assert [stage.mark for stage in story.stages.values()] == [
        Mark.DONE, Mark.DONE, Mark.FAILED, Mark.WAITING, Mark.WAITING,
    ]  # fmt: skip
    assert "FAILED  2 fixes were not enough" in drawn(*end_drawn(story))


def test_a_stage_that_is_entered_again_forgets_what_followed_it() -> None:
    story = told(scripts.with_a_fix()[:8])
    assert [stage.mark for stage in story.stages.values()] == [
        Mark.DONE, Mark.ACTIVE, Mark.WAITING, Mark.WAITING, Mark.WAITING,
    ]  # fmt: skip


@pytest.mark.parametrize("total", [0, 30_000])
def test_training_that_has_no_speed_yet_is_drawn_without_a_time(total) -> None:
    script = scripts.with_a_fix()[:13]
    script[-1].progress.CopyFrom(run_pb2.TrainingProgress(timesteps=0, total_timesteps=total))
    assert "0:" not in screen(told(script))
