"""The library: what people ask for finds the right worked problem, and what none answers is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from kit.contracts.findings import Severity
from kit.contracts.linting import lint
from kit.library import LibraryBroken, nearest, read_problem, worked_problems
from kit.library.worked import ELSEWHERE, PROBLEMS, how_people_ask

RELATED = [
    ("hospital_shifts", "Optimise hospital shift scheduling"),
    ("hospital_shifts", "Optimise hospital shift scheduling."),
    ("hospital_shifts", "optimize HOSPITAL shift scheduling!!"),
    ("hospital_shifts", "Help our hospital to schedule its shifts"),
    ("hospital_shifts", "nurse rostering"),
    ("hospital_shifts", "I want an AI that does the nurse scheduling for my ward"),
    ("hospital_shifts", "Schedule doctors and nurses in an emergency department"),
    ("hospital_shifts", "We never have enough nurses on the night shift and agency staff is expensive. Help!"),
    ("hospital_shifts", "Work out how many nurses should be on duty in each shift of a 30-bed ward"),
    ("hospital_shifts", "How can we staff our ward cheaply without burning out the nurses?"),
    (
        "hospital_shifts",
        "Our ward has 28 beds. At the start of each shift somebody phones around: which of our 14 nurses come in, and "
        "do we pay for agency people? Overworked nurses fall ill. Patients turn up at random, more of them on Mondays.",
    ),
    ("inventory_365", "minimise inventory cost of a shop"),
    ("inventory_365", "Minimise the inventory cost of a shop that orders once a day"),
    ("inventory_365", "Manage stock levels in my store"),
    ("inventory_365", "when should I reorder and how much?"),
    ("inventory_365", "Inventory management for a small retailer"),
    ("inventory_365", "Learn an ordering policy for a single product with uncertain demand"),
    ("inventory_365", "optimal reorder policy for a warehouse with stochastic demand"),
    ("inventory_365", "restock the shelves of my shop at the lowest cost"),
    ("inventory_365", "Decide daily how much of a product to order; holding it costs money, stockouts lose sales"),
    (
        "inventory_365",  # near, with other numbers: still the worked problem, and its origin says so
        "A kiosk has room for 25 packs of one snack. It can order up to 12 packs each morning, delivered at "
        "once. Demand is random with mean 5, lost when there is none left. An order costs 4, each pack kept overnight "
        "1, each lost sale 9. Keep the cost a day small.",
    ),
    ("office_heating", "control the heating of an office building"),
    ("office_heating", "Heat our offices cheaply"),
    ("office_heating", "building temperature control"),
    ("office_heating", "Optimise HVAC energy use in a commercial building"),
    ("office_heating", "A smart thermostat that saves energy but keeps people warm"),
    ("office_heating", "Run the heat pump when electricity is cheap"),
    ("office_heating", "heat pump control with dynamic electricity prices"),
    ("office_heating", "Keep the rooms at 21 degrees during office hours with the smallest electricity bill"),
    ("office_heating", "Reduce the heating bill of our office while the staff stay comfortable"),
]

UNRELATED = [
    "Tell junk mail from real mail with a large set of labelled messages",
    "Two elevators, ten floors: send them so that nobody waits long in the morning",
    "The lifts in our office building are slow",
    "Set the phases of the traffic signal at a busy junction",
    "How long should the green phase last at a crossroads?",
    "Stabilise a drone at two metres height in gusty wind",
    "An outbreak hits a small town; pick weekly restrictions so that the hospital does not overflow",
    "Play chess well enough to beat my brother",
    "Win at four in a row",
    "Autoscale our web servers with bursts of requests",
    "Earn money with a home battery and hourly power prices",
    "Use less grid power with rooftop solar and a battery",
    "Sell airline seats at the best fare over sixty days",
    "A robot fetches boxes in a warehouse and must not run out of battery",
    "Open and shut greenhouse vents and misters for my cucumbers",
    "Fastest way between two addresses on a map",
    "Make our support bot friendlier from thumbs up and down",
    "Make my business better",
    "Give each of eight workers one of eight tasks at the lowest total cost",
    "Distribute a fixed budget over thirteen projects",
    "Choose the shares of seven funds and cash each day",
    "Find the gains of a PID loop for a known motor",
    "Move bikes between stations with a small van",
    "Which Kubernetes configuration gives the best latency?",
    "Schedule the waiters of my restaurant",
    "Sequence jobs on three machines",
    "Set hotel prices for the summer",
    "Dispatch ambulances in a county",
    "Cool a data centre with less power",
    "Predict tomorrow's electricity demand",
    "Grow more maize with less water",
    "Dose insulin for a diabetic",
    "Keep a fishery alive and profitable",
    "Write me a poem about shifts",
    "hello",
    "12345 67890",
    "Wie wird das Wetter morgen?",
    "日本語で質問します",
]


# Written after the library's own lines and never used to change them; the strangers share words with it on purpose.
RELATED_LATER = [
    "Improve the work schedule of our hospital staff",
    "hospital workforce planning",
    "Nurses are overworked; plan their duties",
    "Decide the number of nurses for tonight",
    "shift schedule for a medical ward with agency nurses",
    "Can you optimise who works when in our clinic?",
    "minimise overtime of nursing staff",
    "Schedule hospital shifts so patients are safe and costs are low",
    "Find a staffing policy for a hospital ward",
    "emergency department staffing with random arrivals",
    "Manage inventory for an online store",
    "Daily ordering decisions for a retail shop with unknown demand",
    "Teach an agent to keep a warehouse stocked",
    "How many units should we reorder each week?",
    "stock replenishment",
    "Minimise holding and shortage costs",
    "inventory control with lead time",
    "Balance ordering costs against running out of product",
    "Our shop keeps running out of its bestseller",
    "365 day inventory problem",
    "Regulate indoor temperature at minimal energy cost",
    "Heat the office when power prices are low",
    "Optimise the heating schedule of a building",
    "Keep workers comfortable but cut our gas and heating bill",
    "RL for HVAC control",
    "Control a heat pump with a day-ahead price forecast",
    "smart heating",
    "office climate",
    "When should the heating be switched on in the morning?",
    "reduce heating energy without discomfort",
]
UNRELATED_LATER = [
    "Plan a wedding",
    "Design a bridge",
    "Optimise flight crew pairing",
    "reduce queueing in a bank",
    "Schedule maintenance of lifts",
    "Optimise a compiler's register allocation",
    "teach a dog robot to trot",
    "Solve a Rubik's cube",
    "Control a nuclear reactor",
    "Run a lemonade stand",
    "Fold proteins",
    "Decide when to sell my house",
    "Optimise ad spend",
    "Manage a football team",
    "balance server load",
    "control the volume of my speakers",
    "hospital website design",
    "Classify nurses' notes",
    "Count people in a store with cameras",
    "detect shoplifters in a shop",
    "predict which products are bought together",
    "Set the price of heating oil",
    "forecast the temperature for tomorrow",
    "find a good office to rent",
    "Optimise delivery of vaccines",
    "Schedule irrigation",
    "schedule posts on social media",
    "shift supply curve in economics",
    "shift cipher decryption",
    "manage my time",
    "plan routes of garbage trucks",
    "crane operation in a port",
    "assign seats at a party",
    "Choose a stock to buy",
    "Cook rice",
    "pump water into a tank",
    "Control a swimming pool's chlorine",
    "thermal imaging of buildings",
    "Fill potholes",
    "order of chess moves",
]


@pytest.mark.parametrize(("name", "asked"), RELATED)
def test_a_related_problem_finds_its_worked_problem(name: str, asked: str) -> None:
    match = nearest(asked)
    assert (match.problem.name, match.near_enough) == (name, True), match.similarity


@pytest.mark.parametrize("asked", UNRELATED)
def test_an_unrelated_problem_is_refused(asked: str) -> None:
    match = nearest(asked)
    assert not match.near_enough, (match.problem.name, match.similarity, match.elsewhere)


def test_the_margin_of_the_threshold_is_what_its_docstring_says() -> None:
    related = min(nearest(asked).similarity for _, asked in RELATED)
    unrelated = max(match.similarity for match in map(nearest, UNRELATED) if match.similarity > match.elsewhere)
    assert related == pytest.approx(0.32, abs=0.02)  # a worked problem's page may still be edited
    assert unrelated == pytest.approx(0.08, abs=0.02)


def test_sentences_that_were_written_later_do_as_the_docstring_says() -> None:
    # HALF_KNOWN was added after errors on these sentences had been seen, so this is no clean held-out rate.
    matched = sum(nearest(asked).near_enough for asked in RELATED_LATER)
    refused = sum(not nearest(asked).near_enough for asked in UNRELATED_LATER)
    assert matched >= 26
    assert refused >= 37


def test_no_sentence_that_is_measured_is_in_the_library_but_the_issues_own() -> None:
    known = {" ".join(line.lower().split()).strip(".!") for lines in how_people_ask().values() for line in lines}
    measured = {asked.lower().strip(".!") for _, asked in RELATED} | {asked.lower() for asked in UNRELATED}
    assert measured & known <= {
        "optimise hospital shift scheduling",
        "control the heating of an office building",
        "nurse rostering",
    }


def test_a_match_ranks_the_others_and_similarity_stays_in_its_range() -> None:
    match = nearest("Optimise hospital shift scheduling")
    values = [match.similarity, *(other.value for other in match.others)]
    assert len(values) == len(worked_problems())
    assert values == sorted(values, reverse=True)
    assert all(0 <= value <= 1 for value in values)
    assert match.similarity == pytest.approx(1)


def test_a_long_problem_is_compared_in_moderate_time() -> None:
    assert not nearest("zebra quagga okapi " * 1000).near_enough


@pytest.mark.parametrize("problem", worked_problems(), ids=lambda problem: problem.name)
def test_a_worked_design_passes_the_linter(problem: object) -> None:
    design = problem.design  # type: ignore[attr-defined]
    assert [finding for finding in lint(design) if finding.severity is Severity.ERROR] == []


def test_every_worked_problem_is_asked_for_in_several_ways() -> None:
    assert {problem.name for problem in worked_problems()} | {ELSEWHERE} == set(how_people_ask())
    assert all(len(problem.phrasings) >= 5 for problem in worked_problems())


def test_a_worked_problem_without_its_source_is_broken(tmp_path: Path) -> None:
    folder = tmp_path / "hospital_shifts"
    folder.mkdir()
    for name in ("problem.md", "design.json"):
        (folder / name).write_text((PROBLEMS / "hospital_shifts" / name).read_text())
    with pytest.raises(LibraryBroken, match="hospital_shifts"):
        read_problem(folder, how_people_ask())


def test_a_worked_problem_whose_folder_has_another_name_is_broken(tmp_path: Path) -> None:
    folder = tmp_path / "other"
    folder.mkdir()
    for name in ("problem.md", "design.json", "environment.py"):
        (folder / name).write_text((PROBLEMS / "hospital_shifts" / name).read_text())
    with pytest.raises(LibraryBroken, match="called hospital_shifts"):
        read_problem(folder, how_people_ask())
