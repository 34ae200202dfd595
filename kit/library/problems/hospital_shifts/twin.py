"""The batched twin of environment.py: the same ward, as NumPy over many copies at once."""

import numpy as np


class BatchedEnvironment:
    """Wards that are stepped together; each copy draws what the scalar environment draws, in its order."""

    STEP_LIMIT = 168

    def __init__(
        self,
        copies,
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
    ):
        self.beds, self.nurses, self.agency_most = int(beds), int(nurses), int(agency_most)
        self.patients_per_nurse = np.asarray(patients_per_nurse, dtype=np.float64).reshape(3)
        self.wage, self.agency_fee, self.agency_surge = float(wage), float(agency_fee), float(agency_surge)
        self.shortfall_harm, self.transfer_cost = float(shortfall_harm), float(transfer_cost)
        self.rest_shifts = np.asarray(rest_shifts, dtype=np.int64).reshape(3)
        self.agency_chance = np.asarray(agency_chance, dtype=np.float64).reshape(3)
        self.arrivals_mean = np.asarray(arrivals_mean, dtype=np.float64).reshape(7, 3)
        self.leave_chance = np.asarray(leave_chance, dtype=np.float64).reshape(3)
        self.short_discharge, self.return_chance = float(short_discharge), float(return_chance)
        self.sick_chance, self.sick_when_tired = float(sick_chance), float(sick_when_tired)
        self.strain, self.recovery = np.asarray(strain, dtype=np.float64).reshape(3), float(recovery)

        self.everyone = np.arange(copies)
        self.time, self.shift, self.weekday, self.patients, self.off_sick = np.zeros((5, copies), np.int64)
        self.agency_offered, self.called, self.hired, self.reported_sick = np.zeros((4, copies), np.int64)
        self.recovered, self.on_duty, self.arrivals, self.admitted = np.zeros((4, copies), np.int64)
        self.turned_away, self.discharged, self.needed, self.shortfall = np.zeros((4, copies), np.int64)
        self.resting = np.zeros((4, copies), np.int64)
        self.fatigue, self.staff, self.harm, self.transfers = np.zeros((4, copies))

    def reset(self, rows, random):
        self.time[rows] = self.shift[rows] = 0
        self.weekday[rows] = random.integers(0, 7, rows=rows)
        self.patients[rows] = np.minimum(random.integers(18, 26, rows=rows), self.beds)
        self.resting[0, rows] = random.integers(4, 7, rows=rows)
        self.resting[1, rows] = random.integers(2, 5, rows=rows)
        self.resting[2, rows] = 0
        self.resting[3, rows] = random.integers(1, 4, rows=rows)
        self.off_sick[rows] = random.integers(0, 3, rows=rows)
        self.fatigue[rows] = random.uniform(0.2, 0.5, rows=rows)
        self.agency_offered[rows] = random.binomial(self.agency_most, self.agency_chance[0], rows=rows)
        for flow in (self.called, self.hired, self.reported_sick, self.recovered, self.on_duty, self.arrivals):
            flow[rows] = 0
        for flow in (self.admitted, self.turned_away, self.discharged, self.needed, self.shortfall):
            flow[rows] = 0

    def step(self, actions, random):
        # Who comes, and who reports sick.
        self.called = np.minimum(actions[:, 0], self._available())
        self.hired = np.minimum(actions[:, 1], self.agency_offered)
        sick_chance = np.minimum(1.0, self.sick_chance + self.sick_when_tired * self.fatigue)
        self.reported_sick = random.binomial(self.called, sick_chance)
        working = self.called - self.reported_sick
        self.on_duty = working + self.hired

        # The shift.
        self.arrivals = random.poisson(self.arrivals_mean[self.weekday, self.shift])
        self.admitted = np.minimum(self.arrivals, self.beds - self.patients)
        self.turned_away = self.arrivals - self.admitted
        cared_for = self.patients + self.admitted
        each = self.patients_per_nurse[self.shift]
        self.needed = np.ceil(cared_for / each).astype(np.int64)
        self.shortfall = np.maximum(0, self.needed - self.on_duty)
        leave_chance = self.leave_chance[self.shift] * np.where(self.shortfall > 0, self.short_discharge, 1.0)
        self.discharged = random.binomial(cared_for, leave_chance)
        self.patients = cared_for - self.discharged

        # The team.
        self.recovered = random.binomial(self.off_sick, self.return_chance)
        self.off_sick = self.off_sick + self.reported_sick - self.recovered
        self.resting = np.concatenate([self.resting[1:], np.zeros((1, len(working)), np.int64)])
        self.resting[self.rest_shifts[self.shift] - 1, self.everyone] += working
        load = np.minimum(2.0, cared_for / (each * np.maximum(1, self.on_duty)))
        grown = (1.0 - self.recovery) * self.fatigue + self.strain[self.shift] * working / self.nurses * load
        self.fatigue = np.minimum(1.0, grown)

        # The clock and the agency's next offer.
        self.shift = (self.shift + 1) % 3
        self.weekday = np.where(self.shift == 0, (self.weekday + 1) % 7, self.weekday)
        self.agency_offered = random.binomial(self.agency_most, self.agency_chance[self.shift])
        self.time += 1

        surge = self.agency_surge * self.hired * (self.hired - 1) / 2
        self.staff = self.wage * self.called + self.agency_fee * self.hired + surge
        self.harm = self.shortfall_harm * self.shortfall**2
        self.transfers = self.transfer_cost * self.turned_away
        rewards = -0.0005 * (self.staff + self.harm + self.transfers) - 0.05 * self.fatigue
        return rewards, np.zeros(len(rewards), bool), self.time >= self.STEP_LIMIT

    def observe(self):
        expected = self.arrivals_mean[self.weekday, self.shift]
        load = np.minimum(self.beds, self.patients + expected) / self.patients_per_nurse[self.shift]
        seen = np.zeros((len(load), 21), np.float32)
        seen[:, 0] = self.patients / self.beds
        seen[:, 1] = np.minimum(1.0, expected / 4.0)
        seen[:, 2] = np.minimum(1.0, load / 8.0)
        seen[:, 3] = self._available() / self.nurses
        seen[:, 4:8] = self.resting.T / self.nurses
        seen[:, 8] = self.off_sick / self.nurses
        seen[:, 9] = self.fatigue
        seen[:, 10] = self.agency_offered / self.agency_most
        seen[self.everyone, 11 + self.shift] = 1.0
        seen[self.everyone, 14 + self.weekday] = 1.0
        return seen

    def state(self):
        return {
            "patients": self.patients,
            "weekday": self.weekday,
            "shift": self.shift,
            "resting": self.resting.T,
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
        }

    def components(self):
        return {"staff": self.staff, "harm": self.harm, "transfers": self.transfers, "fatigue": self.fatigue}

    def _available(self):
        return self.nurses - self.resting.sum(axis=0) - self.off_sick
