"""How near is equal: scaled by max(1, |x|). A float32 state is off by 4e-6, and told so."""

from typing import Final

REWARD: Final = 1e-6  # components, reward, laws
OBSERVATION: Final = 1e-5  # observations are float32
EXPECTATION_Z: Final = 5.0  # a sample mean further off than this many standard errors fails
