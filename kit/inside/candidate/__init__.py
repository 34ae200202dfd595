"""The candidate kept at arm's length: its code runs in a process of its own, and answers over a typed pipe.

with Candidate.start() as candidate:
    loaded = candidate.load(source)                 # LoadedClass, or a Trouble
    candidate.make(0, {"beds": 30})                 # None, or a Trouble
    observation, action = candidate.spaces(0)       # Space
    answer = candidate.step(1)                      # Value, described whatever it is, or a Trouble
    played = rollout(candidate, policy, seeds, action.form, max_steps=365)   # Rollout: columns
"""

from kit.inside.candidate.judge import Candidate, LoadedClass, Note
from kit.inside.candidate.moments import Columns
from kit.inside.candidate.rollouts import Policy, Rollout, Seen, rollout
from kit.inside.candidate.spaces import Space, read_space
from kit.inside.candidate.trajectories import Trajectories
from kit.inside.candidate.troubles import Died, Raised, TimedOut, Trouble
from kit.inside.candidate.values import Value

__all__ = [
    "Candidate", "Columns", "Died", "LoadedClass", "Note", "Policy", "Raised", "Rollout", "Seen", "Space",
    "TimedOut", "Trajectories", "Trouble", "Value", "read_space", "rollout",
]  # fmt: skip
