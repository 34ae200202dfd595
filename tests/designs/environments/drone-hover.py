"""A small quadcopter that hovers in gusts, as a Gymnasium environment."""

import gymnasium as gym
import numpy as np


class Environment(gym.Env):
    """Set four motor thrusts so that the drone stays two metres above its start.

    ## Description
    One step is dt seconds. Thrusts turn and lift the body, gravity and the wind's drag move it, by semi-implicit Euler
    steps without cross terms between the angles. The wind fades and gets normal shocks.

    ## Observation Space
    `Box(13,)`: offset from the goal (twos of metres, 3), velocity (2 m/s, 3), roll and pitch (rad), sine and cosine of
    yaw, turning rates (5 rad/s, 3).

    ## Action Space
    `Box(-1, 1, (4,))`: front left, front right, rear right, rear left; 0 hovers.

    ## Rewards
    0.1 x nearness - 0.02 x turning - 0.01 x effort - 5 x lost.

    ## Starting State
    Near the goal, nearly level, at rest, with some wind.

    ## Episode End
    Terminates as `lost` on the ground, tipped over or out of reach; truncated after 500 steps.

    ## Arguments
    Every keyword is a constant; `reset(options={"parameters": {...}})` replaces some for one episode.
    """

    metadata = {"render_modes": []}
    STEP_LIMIT = 500
    GUSTS = np.array([1.0, 1.0, 0.5])  # weaker upwards

    def __init__(
        self,
        *,
        height=2,
        dt=0.02,
        gravity=9.81,
        mass=0.5,
        arm=0.1,
        inertia=(0.003, 0.003, 0.005),
        rotor_drag=0.015,
        spin_damping=1.0,
        drag=0.1,
        wind_keep=0.99,
        wind_shock=0.2,
        reach=4,
        render_mode=None,
    ):
        self.render_mode = render_mode
        self._defaults = {
            "height": height,
            "dt": dt,
            "gravity": gravity,
            "mass": mass,
            "arm": arm,
            "inertia": inertia,
            "rotor_drag": rotor_drag,
            "spin_damping": spin_damping,
            "drag": drag,
            "wind_keep": wind_keep,
            "wind_shock": wind_shock,
            "reach": reach,
        }
        self._use({})
        high = np.array([4] * 3 + [5] * 3 + [2] * 2 + [1] * 2 + [5] * 3, np.float32)
        self.observation_space = gym.spaces.Box(-high, high, dtype=np.float32)
        self.action_space = gym.spaces.Box(-1.0, 1.0, (4,), dtype=np.float32)

    def _use(self, overrides):
        p = {**self._defaults, **overrides}
        self.inertia = np.array(p.pop("inertia"), dtype=np.float64)
        self.height, self.dt, self.gravity, self.mass = (float(p[k]) for k in ("height", "dt", "gravity", "mass"))
        self.arm, self.rotor_drag = float(p["arm"]), float(p["rotor_drag"])
        self.spin_damping, self.drag = float(p["spin_damping"]), float(p["drag"])
        self.wind_keep, self.wind_shock, self.reach = (float(p[k]) for k in ("wind_keep", "wind_shock", "reach"))

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self._use((options or {}).get("parameters", {}))
        self.time = 0
        self.position = np.array([0.0, 0.0, self.height]) + self.np_random.uniform(-0.5, 0.5, 3)
        self.velocity, self.rates = np.zeros(3), np.zeros(3)
        self.angles = np.array([*self.np_random.uniform(-0.1, 0.1, 2), 0.0])
        self.wind = np.clip(self.np_random.normal(0.0, 1.0, 3) * self.GUSTS, -8.0, 8.0)
        self.thrust = np.zeros(4)
        zeros = {"near": 0.0, "turning": 0.0, "effort": 0.0, "lost": 0.0}
        return self._observation(), self._info(zeros, None)

    def step(self, action):
        hover = self.mass * self.gravity / 4
        self.thrust = hover * (1.0 + np.clip(np.asarray(action, dtype=np.float64), -1.0, 1.0))
        pull = self._pull()  # along the body's axis as it stands before the step

        fl, fr, rr, rl = self.thrust
        torque = np.array(
            [self.arm * (fl + rl - fr - rr), self.arm * (rr + rl - fl - fr), self.rotor_drag * (fl + rr - fr - rl)]
        )
        self.rates = (1 - self.spin_damping * self.dt) * self.rates + self.dt * torque / self.inertia
        self.angles = self.angles + self.dt * self.rates
        down = np.array([0.0, 0.0, self.gravity])
        air = self.drag / self.mass * (self.wind - self.velocity)
        self.velocity = self.velocity + self.dt * (self.thrust.sum() / self.mass * pull - down + air)
        self.position = self.position + self.dt * self.velocity
        shock = self.np_random.normal(0.0, self.wind_shock, 3) * self.GUSTS
        self.wind = np.clip(self.wind_keep * self.wind + shock, -8.0, 8.0)
        self.time += 1

        distance = float(np.sqrt(((self.position - [0.0, 0.0, self.height]) ** 2).sum()))
        tilt = float(np.abs(self.angles[:2]).max())
        lost = distance > self.reach or tilt > 1.2 or bool(self.position[2] < 0.05)
        components = {
            "near": float(np.exp(-2 * distance)),
            "turning": min(float((self.rates**2).sum()) / 100, 1.0),
            "effort": float(np.abs(self.thrust / hover - 1).mean()),
            "lost": float(lost),
        }
        reward = 0.1 * components["near"] - 0.02 * components["turning"] - 0.01 * components["effort"]
        reward -= 5.0 * components["lost"]
        truncated = not lost and self.time >= self.STEP_LIMIT
        return self._observation(), reward, lost, truncated, self._info(components, "lost" if lost else None)

    def _pull(self):
        roll, pitch, yaw = self.angles
        ahead, aside = np.sin(pitch) * np.cos(roll), -np.sin(roll)
        return np.array(
            [
                ahead * np.cos(yaw) - aside * np.sin(yaw),
                ahead * np.sin(yaw) + aside * np.cos(yaw),
                np.cos(roll) * np.cos(pitch),
            ]
        )

    def _observation(self):
        yaw = self.angles[2]
        offset = self.position - [0.0, 0.0, self.height]
        terms = [offset / 2, self.velocity / 2, self.angles[:2], [np.sin(yaw), np.cos(yaw)], self.rates / 5]
        seen = np.concatenate(terms).astype(np.float32)
        return np.clip(seen, self.observation_space.low, self.observation_space.high)

    def _info(self, components, ending):
        return {
            "state": {
                "position": self.position.copy(),
                "velocity": self.velocity.copy(),
                "angles": self.angles.copy(),
                "rates": self.rates.copy(),
                "wind": self.wind.copy(),
                "thrust": self.thrust.copy(),
            },
            "reward_components": components,
            "ending": ending,
        }
