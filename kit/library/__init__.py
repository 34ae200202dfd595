"""The library: worked problems as data, and the retrieval of the one nearest to what a user asks."""

from kit.library.nearest import NEAR_ENOUGH, Match, nearest
from kit.library.worked import LibraryBroken, WorkedProblem, read_problem, worked_problems

__all__ = ["NEAR_ENOUGH", "LibraryBroken", "Match", "WorkedProblem", "nearest", "read_problem", "worked_problems"]
