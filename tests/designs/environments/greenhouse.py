"""The four valves of a tomato greenhouse, as a Gymnasium environment."""

import math

import gymnasium as gym
import numpy as np

CONSTANTS = {
    "warm_low": 18, "warm_high": 27, "moist_low": 60, "moist_high": 80, "mean_outside": 14, "swing_outside": 6,
    "moist_outside": 65, "keep_anomaly": 0.98, "shock_anomaly": 0.3, "keep_cloud": 0.95, "shock_cloud": 0.08,
    "gain_sun": 1.9, "shade_share": 0.55, "gain_heating": 0.9, "loss": 0.07, "vent_loss": 0.16, "mist_cooling": 0.7,
    "mist_gain": 5, "breath": 1.6, "leak": 0.04, "vent_dry": 0.18, "heat_dry": 1.2, "draught": 0.15, "damp": 0.8,
    "water_use": 12, "heat_use": 6, "motor_use": 0.05, "water_price": 0.004, "energy_price": 0.12, "harm_warm": 0.5,
    "harm_moist": 0.06,
}  # fmt: skip


class Environment(gym.Env):
    """Open or close misting, heating, shade and vents, so that tomatoes do well with little water and energy.

    ## Description
    One step is ten minutes. Valves, sun and outside air change temperature and humidity, with a chance part; what lies
    outside the bands harms the crop.

    ## Observation Space
    `Box(10,)`: temperature, humidity, temperature outside, sun, the four valves, sine and cosine of the time of day.

    ## Action Space
    `MultiBinary(4)`: misting, heating, shade, vents.

    ## Rewards
    -0.5 x (money for water and energy) - 0.5 x (harm to the crop in money).

    ## Starting State
    Midnight, mild inside, all valves closed.

    ## Episode End
    Truncated after 432 steps, three days.

    ## Arguments
    Every constant of CONSTANTS is a keyword; `reset(options={"parameters": {...}})` replaces some for one episode.
    """

    metadata = {"render_modes": []}
    STEP_LIMIT = 432

    def __init__(self, *, render_mode=None, **constants):
        unknown = sorted(set(constants) - set(CONSTANTS))
        if unknown:
            raise TypeError(f"unknown constants: {', '.join(unknown)}")
        self.render_mode = render_mode
        self._defaults = {**CONSTANTS, **constants}
        self._use({})
        low = np.array([-4, -4, -3, 0, 0, 0, 0, 0, -1, -1], np.float32)
        high = np.array([4, 4, 3, 1, 1, 1, 1, 1, 1, 1], np.float32)
        self.observation_space = gym.spaces.Box(low, high, dtype=np.float32)
        self.action_space = gym.spaces.MultiBinary(4)

    def _use(self, overrides):
        self.p = {name: float(value) for name, value in {**self._defaults, **overrides}.items()}

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self._use((options or {}).get("parameters", {}))
        self.time = self.tick = 0
        self.temperature = float(self.np_random.uniform(19, 23))
        self.humidity = float(self.np_random.uniform(60, 80))
        self._sky(self.np_random.uniform(-3, 3), self.np_random.uniform(-0.65, 0.35))
        self.open = np.zeros(4, dtype=np.int64)
        self.gust = self.damp = self.water = self.energy = self.off_warm = self.off_moist = 0.0
        return self._observation(), self._info(0.0, 0.0)

    def step(self, action):
        p = self.p
        chosen = np.asarray(action, dtype=np.int64).copy()
        misting, heating, shade, vents = (int(valve) for valve in chosen)
        self.water = p["water_use"] * misting
        moves = abs(shade - int(self.open[2])) + abs(vents - int(self.open[3]))
        self.energy = p["heat_use"] * heating + p["motor_use"] * moves
        self.open = chosen

        sun, normal = self.sun, self.np_random.normal
        self.gust = float(np.clip(normal(0.0, p["draught"]), -3.0, 3.0))
        self.damp = float(np.clip(normal(0.0, p["damp"]), -15.0, 15.0))
        warming = p["gain_heating"] * heating + p["gain_sun"] * sun * (1 - p["shade_share"] * shade)
        warming -= p["mist_cooling"] * misting
        warming -= (p["loss"] + p["vent_loss"] * vents) * (self.temperature - self.outside)
        moistening = p["mist_gain"] * misting + p["breath"] * sun - p["heat_dry"] * heating
        moistening -= (p["leak"] + p["vent_dry"] * vents) * (self.humidity - p["moist_outside"])
        self.temperature = float(np.clip(self.temperature + warming + self.gust, -30.0, 80.0))
        self.humidity = float(np.clip(self.humidity + moistening + self.damp, 0.0, 100.0))
        self.off_warm = max(0.0, p["warm_low"] - self.temperature, self.temperature - p["warm_high"])
        self.off_moist = max(0.0, p["moist_low"] - self.humidity, self.humidity - p["moist_high"])

        self.tick = (self.tick + 1) % 144
        self._sky(
            p["keep_anomaly"] * self.anomaly + normal(0.0, p["shock_anomaly"]),
            p["keep_cloud"] * self.cloud + normal(0.0, p["shock_cloud"]),
        )
        self.time += 1

        spending = p["water_price"] * self.water + p["energy_price"] * self.energy
        harm = p["harm_warm"] * self.off_warm + p["harm_moist"] * self.off_moist
        reward = -0.5 * spending - 0.5 * harm
        return self._observation(), reward, False, self.time >= self.STEP_LIMIT, self._info(spending, harm)

    def _sky(self, anomaly, cloud):
        self.anomaly, self.cloud = float(np.clip(anomaly, -12.0, 12.0)), float(np.clip(cloud, -0.65, 0.35))
        coldest = math.cos(2 * math.pi * (self.tick - 18) / 144)
        self.outside = self.p["mean_outside"] - self.p["swing_outside"] * coldest + self.anomaly
        self.sun = max(0.0, math.sin(2 * math.pi * (self.tick - 36) / 144)) * (0.65 + self.cloud)

    def _observation(self):
        angle = 2 * math.pi * self.tick / 144
        air = [(self.temperature - 22.5) / 4.5, (self.humidity - 70) / 10, (self.outside - 14) / 10, self.sun]
        seen = np.array([*air, *self.open, math.sin(angle), math.cos(angle)], dtype=np.float32)
        return np.clip(seen, self.observation_space.low, self.observation_space.high)

    def _info(self, spending, harm):
        return {
            "state": {
                "temperature": self.temperature,
                "humidity": self.humidity,
                "outside": self.outside,
                "anomaly": self.anomaly,
                "cloud": self.cloud,
                "sun": self.sun,
                "tick": self.tick,
                "open": self.open.copy(),
                "gust": self.gust,
                "damp": self.damp,
                "water": self.water,
                "energy": self.energy,
                "off_warm": self.off_warm,
                "off_moist": self.off_moist,
            },
            "reward_components": {"spending": spending, "harm": harm},
            "ending": None,
        }
