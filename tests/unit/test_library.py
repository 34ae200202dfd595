"""The library: what people ask for finds the right worked problem, and what none answers is refused."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from kit.contracts.findings import Severity
from kit.contracts.linting import lint
from kit.library import LibraryBroken, WorkedProblem, nearest, read_problem, worked_problems
from kit.library.nearest import HALF_KNOWN
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
    ("office_heating", "control the heating of an office building"),
    ("office_heating", "Heat our offices cheaply"),
    ("office_heating", "building temperature control"),
    ("office_heating", "Optimise HVAC energy use in a commercial building"),
    ("office_heating", "A smart thermostat that saves energy but keeps people warm"),
    ("office_heating", "Run the heat pump when electricity is cheap"),
    ("office_heating", "heat pump control with dynamic electricity prices"),
    ("office_heating", "Keep the rooms at 21 degrees during office hours with the smallest electricity bill"),
    ("office_heating", "Reduce the heating bill of our office while the staff stay comfortable"),
    ("battery_arbitrage", "Earn money with a home battery and hourly power prices"),
    ("battery_arbitrage", "buy cheap electricity, store it, sell it when it is expensive"),
    ("battery_arbitrage", "When should I charge and discharge my 50 kWh battery?"),
    ("battery_arbitrage", "A storage operator trades on the day-ahead market and pays for every cycle"),
    ("battery_arbitrage", "battery energy arbitrage"),
    ("cloud_autoscaling", "Autoscale our web servers with bursts of requests"),
    ("cloud_autoscaling", "How many pods should our API run so that it stays fast and cheap?"),
    ("cloud_autoscaling", "Scale out before traffic spikes because new instances take a minute and a half to start"),
    ("cloud_autoscaling", "kubernetes autoscaler for a web service"),
    ("cloud_autoscaling", "Keep the p95 latency of our service under 200 ms with as few replicas as we can"),
    ("flight_pricing", "Sell airline seats at the best fare over sixty days"),
    ("flight_pricing", "airline revenue management"),
    ("flight_pricing", "Pick the ticket price of our plane every day until departure"),
    ("flight_pricing", "dynamic pricing of seats with fare classes"),
    ("flight_pricing", "We fly 150 seats and don't want empty ones or to sell them too cheaply too early"),
    ("greenhouse_valves", "Open and shut greenhouse vents and misters for my cucumbers"),
    ("greenhouse_valves", "greenhouse temperature and humidity control"),
    ("greenhouse_valves", "When should I mist, shade, heat and ventilate my tomatoes?"),
    ("greenhouse_valves", "Run the heater, the screens, the fogging and the windows of a glasshouse"),
    ("greenhouse_valves", "Tomatoes need the right climate; save water and energy in the glasshouse"),
    ("s_s_inventory", "(s, S) inventory policy with Poisson demand and a fixed order cost"),
    ("s_s_inventory", "inventory with lost sales whose optimum value iteration finds"),
    (
        "s_s_inventory",  # with other numbers: still the worked problem, and its origin says so
        "A kiosk has room for 25 packs of one snack. It can order up to 12 packs each morning, delivered at "
        "once. Demand is random with mean 5, lost when there is none left. An order costs 4, each pack kept overnight "
        "1, each lost sale 9. Keep the cost a day small.",
    ),
    ("traffic_signal", "Set the phases of the traffic signal at a busy junction"),
    ("traffic_signal", "How long should the green phase last at a crossroads?"),
    ("traffic_signal", "traffic light control"),
    ("traffic_signal", "Cars queue too long at our intersection; switch the lights better"),
    ("traffic_signal", "Adaptive signals for a four-armed crossing in the rush hour"),
]

UNRELATED = [
    "Choose a stock to buy",
    "Set the price of heating oil",
    "Count people in a store with cameras",
    "Decide when to sell my house",
    "Schedule irrigation",
    "Balance the charge of the cells in a battery pack",
    "Predict how long a battery will live",
    "Charge electric buses overnight at a depot",
    "Plan bus lanes and bicycle lanes of a city",
    "Recognise traffic signs from a car's camera",
    "Route cars around a traffic jam",
    "Match passengers and seats on a plane by their wishes",
    "Schedule crews and aircraft after a storm",
    "Cool a data centre with as little power as possible",
    "Balance queries over database shards",
    "Breed better tomatoes",
    "Detect diseases of tomato leaves in photos",
    "Run a sawmill's log storage",
    "Tell junk mail from real mail with a large set of labelled messages",
    "Two elevators, ten floors: send them so that nobody waits long in the morning",
    "The lifts in our office building are slow",
    "Stabilise a drone at two metres height in gusty wind",
    "An outbreak hits a small town; pick weekly restrictions so that the hospital does not overflow",
    "Play chess well enough to beat my brother",
    "Win at four in a row",
    "Use less grid power with rooftop solar and a battery",
    "A robot fetches boxes in a warehouse and must not run out of battery",
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


# Written when asked.md stood for nine problems. First 20 and 16 of them did right; then lines were added.
HELD_OUT = [
    ("battery_arbitrage", "Make money from electricity price differences with a storage system"),
    ("battery_arbitrage", "Optimal bidding of a lithium battery on hourly spot prices"),
    ("battery_arbitrage", "I own a 200 kWh battery; teach it when to buy and when to sell power"),
    ("battery_arbitrage", "profit from cheap night electricity by storing it for the evening"),
    ("cloud_autoscaling", "Decide the number of servers for fluctuating web traffic"),
    ("cloud_autoscaling", "horizontal scaling policy with cold start delay"),
    ("cloud_autoscaling", "Add and remove virtual machines so that response time stays short and the cloud bill small"),
    ("cloud_autoscaling", "replica count under bursty load"),
    ("flight_pricing", "How should we price plane tickets as the departure date approaches?"),
    ("flight_pricing", "Open or close booking classes of an aircraft with 90 seats"),
    ("flight_pricing", "Maximise the revenue of a flight by changing fares"),
    ("flight_pricing", "ticket pricing for airlines"),
    ("greenhouse_valves", "Automatic climate computer for a tomato greenhouse"),
    ("greenhouse_valves", "Keep plants under glass between 18 and 25 degrees and not too humid"),
    ("greenhouse_valves", "switch vents and heating of a greenhouse on and off"),
    ("greenhouse_valves", "misting and shading control for greenhouse vegetables"),
    ("s_s_inventory", "stochastic inventory problem with setup cost, find s and S"),
    ("s_s_inventory", "Small stock, fixed fee for each order, Poisson demand, lost sales"),
    ("traffic_signal", "Reduce waiting time of cars at traffic lights"),
    ("traffic_signal", "Signal timing for an urban intersection"),
    ("traffic_signal", "Which lane should get the green light next?"),
    ("traffic_signal", "Train an agent to operate the lights at a junction"),
    ("hospital_shifts", "How many nurses should a ward plan for the weekend?"),
    ("inventory_365", "Order the right quantity of a product for our store each day"),
    ("office_heating", "Heat an office with a heat pump as cheaply as possible"),
]
HELD_OUT_UNRELATED = [
    "Optimise the layout of traffic signs",
    "Predict flight delays",
    "Choose which airline to fly with",
    "Price second-hand cars",
    "Buy and sell shares on the stock market",
    "Replace the battery of my phone",
    "Design a new battery chemistry",
    "Build a greenhouse",
    "Classify plants by their leaves",
    "Write a Kubernetes manifest",
    "Choose a cloud provider",
    "Find bugs in a web service",
    "Deliver groceries by bicycle",
    "Teach a car to park",
    "Schedule the trains of a single-track line",
    "Control the lights of a stage show",
    "Water the lawn only when it is needed",
    "Book operating rooms for surgeons",
    "Design seats for an aeroplane",
    "Order the words of a sentence",
]


nearest_to = cache(nearest)  # several tests measure the same sentences


@pytest.mark.parametrize(("name", "asked"), RELATED)
def test_a_related_problem_finds_its_worked_problem(name: str, asked: str) -> None:
    match = nearest_to(asked)
    assert (match.problem.name, match.near_enough) == (name, True), match.similarity


@pytest.mark.parametrize("asked", UNRELATED)
def test_an_unrelated_problem_is_refused(asked: str) -> None:
    match = nearest_to(asked)
    assert not match.near_enough, (match.problem.name, match.similarity, match.elsewhere)


@pytest.mark.parametrize("problem", worked_problems(), ids=lambda problem: problem.name)
def test_a_worked_problem_is_found_by_its_own_words(problem: WorkedProblem) -> None:
    for own in (problem.problem, problem.title, problem.problem.splitlines()[0], problem.phrasings[-1]):
        match = nearest_to(own)
        assert (match.problem.name, match.near_enough) == (problem.name, True), own


def test_the_margin_of_the_threshold_is_what_its_docstring_says() -> None:
    related = min(nearest_to(asked).similarity for _, asked in RELATED)
    others = (match for match in map(nearest_to, UNRELATED) if match.similarity > match.elsewhere)
    unrelated = max((match.similarity for match in others if match.known > HALF_KNOWN), default=0.0)
    assert related == pytest.approx(0.27, abs=0.02)  # a worked problem's page may still be edited
    assert unrelated < 0.1


def test_sentences_that_were_written_later_do_as_the_docstring_says() -> None:
    # Lines were added after errors on these sentences had been seen, so these are no clean held-out rates.
    assert sum(nearest_to(asked).near_enough for asked in RELATED_LATER) >= 26
    assert sum(not nearest_to(asked).near_enough for asked in UNRELATED_LATER) >= 37
    assert (
        sum(nearest_to(asked).problem.name == name for name, asked in HELD_OUT if nearest_to(asked).near_enough) >= 20
    )
    assert sum(not nearest_to(asked).near_enough for asked in HELD_OUT_UNRELATED) >= 16


def test_no_sentence_that_is_measured_is_in_the_library_but_the_issues_own() -> None:
    known = {" ".join(line.lower().split()).strip(".!") for lines in how_people_ask().values() for line in lines}
    measured = {asked.lower().strip(".!") for _, asked in RELATED + HELD_OUT}
    measured |= {asked.lower() for asked in UNRELATED + HELD_OUT_UNRELATED}
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
def test_the_linter_finds_neither_error_nor_warning_in_a_worked_design(problem: WorkedProblem) -> None:
    assert [finding for finding in lint(problem.design) if finding.severity is not Severity.NOTE] == []


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
