"""A greenhouse with four valves, ten minutes at a time, as a Gymnasium environment."""

from math import cos, exp, pi, sin

import gymnasium as gym
import numpy as np


class Environment(gym.Env):
    """One greenhouse of tomatoes: switch misting, heating, shade and vents every ten minutes.

    ## Description
    The house is one body of air with its vapour, above ground that stores heat. One step is ten minutes:

    1. The four valves are set; each that changes wears its motor.
    2. The air mixes with the outdoors, more through open vents, and exchanges heat with the ground. Sun that the
       shade lets through and the heater warm it, misting cools it; a little chance stays (`draught`).
    3. The ground follows the air slowly and takes its share of the sun.
    4. Vapour mixes with the outdoors; the plants add some, more in the sun, and misting adds more. Air holds at most
       `5 exp(0.06 T)` grams a cubic metre; the rest condenses.
    5. Degrees outside 18-26 and percent of humidity outside 60-85 harm the crop.
    6. The clock moves on, the weather's anomaly and the clouds drift.

    ## Observation Space
    `Box(-5, 5, (12,), float32)`, most of it near [-1, 1]:

    | index | term | scale |
    | --- | --- | --- |
    | 0 | temperature of the air, from 22 degrees | 4 K |
    | 1 | relative humidity, from 72.5 % | 12.5 % |
    | 2 | temperature of the ground, from 22 degrees | 4 K |
    | 3 | temperature outdoors, from 11 degrees | 8 K |
    | 4 | vapour in the air, less vapour outdoors | 5 g/m3 |
    | 5 | sun above the roof, as a share of full sun | 1 |
    | 6-7 | sine and cosine of the time of day | 1 |
    | 8-11 | misting, heating, shade, vents: 1 where on or open | 1 |

    ## Action Space
    `MultiBinary(4)`: misting, heating, shade (drawn), vents (open).

    ## Rewards
    -0.2 x the money of the step: harm to the crop, energy, water, and wear by switching.

    ## Starting State
    Midnight; air between 17 and 21 degrees, ground within a degree of it, humidity between 60 and 85 %, an anomaly of
    the weather and clouds drawn, all valves shut and off.

    ## Episode End
    Truncated after 288 steps (two days); it never terminates.

    ## Arguments
    Every keyword of the constructor is a constant of the house or the weather; `reset(options={"parameters": {...}})`
    replaces some for one episode.
    """

    metadata = {"render_modes": []}
    STEP_LIMIT = 288

    def __init__(
        self,
        *,
        band_low=18,
        band_high=26,
        dry=60,
        damp=85,
        leak=0.04,
        vent_factor=5,
        ground_exchange=0.1,
        ground_follow=0.02,
        sun_air=2.2,
        sun_ground=0.25,
        shade_block=0.6,
        heater=2.0,
        mist_cool=1.0,
        mist_vapour=1.2,
        transpire=0.5,
        transpire_dark=0.3,
        outside_humidity=0.55,
        outside_mean=11,
        outside_swing=6,
        anomaly_keep=0.99,
        anomaly_drift=0.25,
        clear_mean=0.6,
        clear_keep=0.9,
        clear_drift=0.04,
        draught=0.1,
        harm_degree=0.8,
        harm_percent=0.1,
        heat_energy=10,
        energy_price=0.1,
        mist_water=30,
        water_price=0.01,
        motor_wear=0.15,
        render_mode=None,
    ):
        self.render_mode = render_mode
        self._defaults = {
            "band_low": band_low,
            "band_high": band_high,
            "dry": dry,
            "damp": damp,
            "leak": leak,
            "vent_factor": vent_factor,
            "ground_exchange": ground_exchange,
            "ground_follow": ground_follow,
            "sun_air": sun_air,
            "sun_ground": sun_ground,
            "shade_block": shade_block,
            "heater": heater,
            "mist_cool": mist_cool,
            "mist_vapour": mist_vapour,
            "transpire": transpire,
            "transpire_dark": transpire_dark,
            "outside_humidity": outside_humidity,
            "outside_mean": outside_mean,
            "outside_swing": outside_swing,
            "anomaly_keep": anomaly_keep,
            "anomaly_drift": anomaly_drift,
            "clear_mean": clear_mean,
            "clear_keep": clear_keep,
            "clear_drift": clear_drift,
            "draught": draught,
            "harm_degree": harm_degree,
            "harm_percent": harm_percent,
            "heat_energy": heat_energy,
            "energy_price": energy_price,
            "mist_water": mist_water,
            "water_price": water_price,
            "motor_wear": motor_wear,
        }
        self._use({})
        self.observation_space = gym.spaces.Box(-5.0, 5.0, (12,), np.float32)
        self.action_space = gym.spaces.MultiBinary(4)

    def _use(self, overrides):
        """Take the constants for one episode: the constructor's, some of them replaced."""
        unknown = sorted(set(overrides) - set(self._defaults))
        if unknown:
            raise ValueError(f"unknown parameters: {', '.join(unknown)}")
        for name, value in {**self._defaults, **overrides}.items():
            setattr(self, name, float(value))

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self._use((options or {}).get("parameters", {}))
        random = self.np_random
        self.time = self.tick = 0
        self.temperature = float(random.uniform(17.0, 21.0))
        self.ground = self.temperature + float(random.uniform(-1.0, 1.0))
        self.vapour = float(random.uniform(0.60, 0.85)) * saturation(self.temperature)
        self.anomaly = float(random.uniform(-4.0, 4.0))
        self.clouds = float(random.uniform(-0.2, 0.2))
        self._look_outside()
        self.valves = [0, 0, 0, 0]
        self.switched = 0
        return self._observation(), self._info(0.0, 0.0, 0.0, 0.0)

    def step(self, action):
        random = self.np_random
        before, self.valves = self.valves, [int(valve) for valve in action]
        self.switched = sum(old != new for old, new in zip(before, self.valves, strict=True))
        misting, heating, shade, vents = self.valves

        # The house: everything moves by the values before the step.
        sun = self.sun * (1.0 - self.shade_block * shade)
        exchange = self.leak * (1.0 + self.vent_factor * vents)
        temperature, ground, vapour = self.temperature, self.ground, self.vapour
        self.temperature += exchange * (self.outside - temperature) + self.ground_exchange * (ground - temperature)
        self.temperature += self.sun_air * sun + self.heater * heating - self.mist_cool * misting
        self.temperature += self.draught * float(random.uniform(-1.0, 1.0))
        self.ground += self.ground_follow * (temperature - ground) + self.sun_ground * sun
        vapour += exchange * (self._outside_vapour() - vapour)
        vapour += self.transpire * (self.transpire_dark + sun) + self.mist_vapour * misting
        self.vapour = min(vapour, saturation(self.temperature))

        humidity = self._humidity()
        degrees = max(0.0, self.band_low - self.temperature, self.temperature - self.band_high)
        percent = max(0.0, self.dry - humidity, humidity - self.damp)
        harm = self.harm_degree * degrees + self.harm_percent * percent
        energy = self.energy_price * self.heat_energy * heating
        water = self.water_price * self.mist_water * misting
        wear = self.motor_wear * self.switched

        # The clock and the weather.
        self.tick = (self.tick + 1) % 144
        self.time += 1
        self.anomaly = self.anomaly_keep * self.anomaly + self.anomaly_drift * float(random.uniform(-1.0, 1.0))
        self.clouds = self.clear_keep * self.clouds + self.clear_drift * float(random.uniform(-1.0, 1.0))
        self._look_outside()

        reward = -0.2 * (harm + energy + water + wear)
        info = self._info(harm, energy, water, wear)
        return self._observation(), reward, False, self.time >= self.STEP_LIMIT, info

    def _look_outside(self):
        """Coldest at three in the morning, mildest at three in the afternoon; the sun is up from six to eighteen."""
        self.outside = self.outside_mean + self.outside_swing * sin(2.0 * pi * (self.tick - 54) / 144) + self.anomaly
        self.sun = max(0.0, sin(pi * (self.tick - 36) / 72)) * (self.clear_mean + self.clouds)

    def _outside_vapour(self):
        return self.outside_humidity * saturation(self.outside)

    def _humidity(self):
        return min(100.0, 100.0 * self.vapour / saturation(self.temperature))

    def _observation(self):
        angle = 2.0 * pi * self.tick / 144
        terms = [
            (self.temperature - 22.0) / 4.0,
            (self._humidity() - 72.5) / 12.5,
            (self.ground - 22.0) / 4.0,
            (self.outside - 11.0) / 8.0,
            (self.vapour - self._outside_vapour()) / 5.0,
            self.sun,
            sin(angle),
            cos(angle),
            *self.valves,
        ]
        return np.array([min(5.0, max(-5.0, term)) for term in terms], dtype=np.float32)

    def _info(self, harm, energy, water, wear):
        return {
            "state": {
                "temperature": self.temperature,
                "ground": self.ground,
                "vapour": self.vapour,
                "humidity": self._humidity(),
                "tick": self.tick,
                "outside": self.outside,
                "anomaly": self.anomaly,
                "clouds": self.clouds,
                "sun": self.sun,
                "valves": np.array(self.valves, dtype=np.int64),
                "switched": self.switched,
            },
            "reward_components": {"harm": harm, "energy": energy, "water": water, "wear": wear},
            "ending": None,
        }


def saturation(temperature):
    """Vapour that air of this temperature holds at most, in g/m3; within a few percent from 0 to 35 degrees."""
    return 5.0 * exp(0.06 * temperature)
