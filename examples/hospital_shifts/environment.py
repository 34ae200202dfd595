"""A hospital ward that is staffed one shift at a time, as a Gymnasium environment."""

import gymnasium as gym
import numpy as np


class Environment(gym.Env):
    """One ward, one decision a shift: how many of our own nurses to call in, how many agency nurses to hire.

    ## Description
    A ward of 30 beds is run in three eight-hour shifts (0 day, 1 evening, 2 night) on seven weekdays (0 Monday).
    One step is one shift, in this order:

    1. `call` own nurses are called in (at most those available) and `agency` nurses are hired (at most those offered).
    2. Each nurse called reports sick with chance `sick_chance + sick_when_tired * fatigue`.
    3. Patients arrive (Poisson, by weekday and shift); whoever finds no free bed is transferred to another hospital.
    4. One nurse is needed for every `patients_per_nurse` patients of the shift, rounded up. What lacks is the shortfall;
       its harm grows with its square.
    5. Patients go home, each with the shift's chance; a ward that is short of nurses discharges fewer.
    6. Nurses at home sick recover, each with `return_chance`. Whoever worked rests for `rest_shifts` shifts.
    7. The team's fatigue fades by `recovery` and grows with the shift's strain, the share of the team at work and its load.
    8. The clock moves on, and the agency says how many nurses it can send for the next shift.

    ## Observation Space
    `Box(0, 1, (21,), float32)`, every term a share of its largest value:

    | index | term | divided by |
    | --- | --- | --- |
    | 0 | patients in bed at the start of the coming shift | beds |
    | 1 | arrivals expected in the coming shift | 4 |
    | 2 | nurses needed for the patients and the expected arrivals, not rounded | 8 |
    | 3 | own nurses available for the coming shift | nurses |
    | 4-7 | own nurses at rest, back after 1, 2, 3 and 4 more shifts | nurses |
    | 8 | own nurses at home sick | nurses |
    | 9 | fatigue of the team | 1 |
    | 10 | nurses the agency offers | agency_most |
    | 11-13 | shift, one-hot | 1 |
    | 14-20 | weekday, one-hot | 1 |

    ## Action Space
    `MultiDiscrete([11, 6])`: own nurses to call (0-10), agency nurses to hire (0-5). More than are available or
    offered is cut to what there is.

    ## Rewards
    The sum of weight x component: money spent on staff, harm of missing nurses, transfers (all EUR, weight 0.0005)
    and fatigue (weight 0.05); all are costs, so the reward is never positive.

    ## Starting State
    A random weekday, day shift, 18-25 patients, 7-13 own nurses at rest from the last shifts, up to two at home sick,
    fatigue between 0.2 and 0.5.

    ## Episode End
    Truncated after 168 shifts (eight weeks); it never terminates.

    ## Arguments
    Every keyword of the constructor is a constant of the ward; `reset(options={"parameters": {...}})` replaces some
    for one episode.
    """

    metadata = {"render_modes": []}
    STEP_LIMIT = 168

    def __init__(
        self,
        *,
        beds=30,
        nurses=18,
        patients_per_nurse=(4, 5, 7),
        wage=300,
        agency_fee=500,
        agency_surge=150,
        agency_most=5,
        agency_chance=(0.8, 0.8, 0.8),
        shortfall_harm=600,
        transfer_cost=600,
        rest_shifts=(2, 2, 4),
        arrivals_mean=(
            (3.2, 2.0, 0.8),
            (2.8, 1.8, 0.8),
            (2.6, 1.8, 0.8),
            (2.6, 1.8, 0.8),
            (2.8, 2.0, 1.0),
            (1.4, 1.2, 1.0),
            (1.2, 1.0, 0.8),
        ),
        leave_chance=(0.16, 0.06, 0.01),
        short_discharge=0.7,
        sick_chance=0.02,
        sick_when_tired=0.35,
        return_chance=0.12,
        strain=(0.16, 0.2, 0.5),
        recovery=0.08,
        render_mode=None,
    ):
        self.render_mode = render_mode
        self._defaults = {
            "beds": beds,
            "nurses": nurses,
            "patients_per_nurse": patients_per_nurse,
            "wage": wage,
            "agency_fee": agency_fee,
            "agency_surge": agency_surge,
            "agency_most": agency_most,
            "agency_chance": agency_chance,
            "shortfall_harm": shortfall_harm,
            "transfer_cost": transfer_cost,
            "rest_shifts": rest_shifts,
            "arrivals_mean": arrivals_mean,
            "leave_chance": leave_chance,
            "short_discharge": short_discharge,
            "sick_chance": sick_chance,
            "sick_when_tired": sick_when_tired,
            "return_chance": return_chance,
            "strain": strain,
            "recovery": recovery,
        }
        self._use({})
        self.observation_space = gym.spaces.Box(0.0, 1.0, (21,), np.float32)
        self.action_space = gym.spaces.MultiDiscrete([11, 6])

    def _use(self, overrides):
        """Take the constants for one episode: the constructor's, some of them replaced."""
        unknown = sorted(set(overrides) - set(self._defaults))
        if unknown:
            raise ValueError(f"unknown parameters: {', '.join(unknown)}")
        p = {**self._defaults, **overrides}
        self.beds, self.nurses, self.agency_most = int(p["beds"]), int(p["nurses"]), int(p["agency_most"])
        self.patients_per_nurse = np.asarray(p["patients_per_nurse"], dtype=np.float64).reshape(3).tolist()
        self.wage = float(p["wage"])
        self.agency_fee, self.agency_surge = float(p["agency_fee"]), float(p["agency_surge"])
        self.shortfall_harm, self.transfer_cost = float(p["shortfall_harm"]), float(p["transfer_cost"])
        self.rest_shifts = np.asarray(p["rest_shifts"], dtype=np.int64).reshape(3).tolist()
        self.agency_chance = np.asarray(p["agency_chance"], dtype=np.float64).reshape(3).tolist()
        self.arrivals_mean = np.asarray(p["arrivals_mean"], dtype=np.float64).reshape(7, 3).tolist()
        self.leave_chance = np.asarray(p["leave_chance"], dtype=np.float64).reshape(3).tolist()
        self.short_discharge, self.return_chance = float(p["short_discharge"]), float(p["return_chance"])
        self.sick_chance, self.sick_when_tired = float(p["sick_chance"]), float(p["sick_when_tired"])
        self.strain = np.asarray(p["strain"], dtype=np.float64).reshape(3).tolist()
        self.recovery = float(p["recovery"])

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self._use((options or {}).get("parameters", {}))
        random = self.np_random
        self.time = 0
        self.shift, self.weekday = 0, int(random.integers(0, 7))
        self.patients = min(int(random.integers(18, 26)), self.beds)
        self.resting = [int(random.integers(4, 7)), int(random.integers(2, 5)), 0, int(random.integers(1, 4))]
        self.off_sick = int(random.integers(0, 3))
        self.fatigue = float(random.uniform(0.2, 0.5))
        self.agency_offered = int(random.binomial(self.agency_most, self.agency_chance[0]))
        self.called = self.hired = self.reported_sick = self.recovered = self.on_duty = 0
        self.arrivals = self.admitted = self.turned_away = self.discharged = self.needed = self.shortfall = 0
        return self._observation(), self._info(0.0, 0.0, 0.0, 0.0)

    def step(self, action):
        random = self.np_random
        # Who comes, and who reports sick.
        self.called = min(int(action[0]), self._available())
        self.hired = min(int(action[1]), self.agency_offered)
        sick_chance = min(1.0, self.sick_chance + self.sick_when_tired * self.fatigue)
        self.reported_sick = int(random.binomial(self.called, sick_chance))
        working = self.called - self.reported_sick
        self.on_duty = working + self.hired

        # The shift.
        self.arrivals = int(random.poisson(self.arrivals_mean[self.weekday][self.shift]))
        self.admitted = min(self.arrivals, self.beds - self.patients)
        self.turned_away = self.arrivals - self.admitted
        cared_for = self.patients + self.admitted
        each = self.patients_per_nurse[self.shift]
        self.needed = int(-(-cared_for // each))
        self.shortfall = max(0, self.needed - self.on_duty)
        leave_chance = self.leave_chance[self.shift] * (self.short_discharge if self.shortfall > 0 else 1.0)
        self.discharged = int(random.binomial(cared_for, leave_chance))
        self.patients = cared_for - self.discharged

        # The team.
        self.recovered = int(random.binomial(self.off_sick, self.return_chance))
        self.off_sick += self.reported_sick - self.recovered
        self.resting = [*self.resting[1:], 0]
        self.resting[self.rest_shifts[self.shift] - 1] += working
        load = min(2.0, cared_for / (each * max(1, self.on_duty)))
        grown = (1.0 - self.recovery) * self.fatigue + self.strain[self.shift] * working / self.nurses * load
        self.fatigue = min(1.0, grown)

        # The clock and the agency's next offer.
        self.shift = (self.shift + 1) % 3
        if self.shift == 0:
            self.weekday = (self.weekday + 1) % 7
        self.agency_offered = int(random.binomial(self.agency_most, self.agency_chance[self.shift]))
        self.time += 1

        hired = self.hired
        staff = self.wage * self.called + self.agency_fee * hired + self.agency_surge * hired * (hired - 1) / 2
        harm = self.shortfall_harm * self.shortfall**2
        transfers = self.transfer_cost * self.turned_away
        reward = -0.0005 * (staff + harm + transfers) - 0.05 * self.fatigue
        info = self._info(staff, harm, transfers, self.fatigue)
        return self._observation(), reward, False, self.time >= self.STEP_LIMIT, info

    def _available(self):
        return self.nurses - sum(self.resting) - self.off_sick

    def _observation(self):
        expected = self.arrivals_mean[self.weekday][self.shift]
        load = min(self.beds, self.patients + expected) / self.patients_per_nurse[self.shift]
        shift, weekday = [0.0] * 3, [0.0] * 7
        shift[self.shift] = weekday[self.weekday] = 1.0
        terms = [
            self.patients / self.beds,
            min(1.0, expected / 4.0),
            min(1.0, load / 8.0),
            self._available() / self.nurses,
            *[count / self.nurses for count in self.resting],
            self.off_sick / self.nurses,
            self.fatigue,
            self.agency_offered / self.agency_most,
        ]
        return np.array(terms + shift + weekday, dtype=np.float32)

    def _info(self, staff, harm, transfers, fatigue):
        return {
            "state": {
                "patients": self.patients,
                "weekday": self.weekday,
                "shift": self.shift,
                "resting": np.array(self.resting, dtype=np.int64),
                "off_sick": self.off_sick,
                "fatigue": self.fatigue,
                "agency_offered": self.agency_offered,
                "called": self.called,
                "hired": self.hired,
                "reported_sick": self.reported_sick,
                "recovered": self.recovered,
                "on_duty": self.on_duty,
                "arrivals": self.arrivals,
                "admitted": self.admitted,
                "turned_away": self.turned_away,
                "discharged": self.discharged,
                "needed": self.needed,
                "shortfall": self.shortfall,
            },
            "reward_components": {"staff": staff, "harm": harm, "transfers": transfers, "fatigue": fatigue},
            "ending": None,
        }
