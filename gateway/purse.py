"""Purse: what a run may still spend on language models."""

from __future__ import annotations

from gateway.journal import Journal
from gymwright.errors import BudgetSpent
from kit.contracts.runs import Run
from kit.contracts.spending import Spent

RAISE_IT: str = "Start again with a higher --max-cost, or have a cheaper model set."


class Purse:
    """ceiling_usd: the operator's, for every run; None: there is none. A run's own can only be lower."""

    def __init__(self, journal: Journal, ceiling_usd: float | None) -> None:
        self._journal = journal
        self._ceiling_usd = ceiling_usd

    async def left(self, run: Run) -> float | None:
        """US dollars that the next call may cost; None: no ceiling is set. BudgetSpent where nothing is left."""
        ceiling = self._of(run)
        if ceiling is None:
            return None
        spent = await self._spent(run)
        if spent.cost_usd >= ceiling:
            raise BudgetSpent(f"Nothing is left of the ${ceiling:.4g} that this run may spend on language models.")
        return ceiling - spent.cost_usd

    async def account(self, run: Run) -> str:
        """What was spent and what to do, in two sentences."""
        ceiling = self._of(run)
        of_how_much = f" of at most ${ceiling:.4g}" if ceiling is not None else ""
        return f"Spent so far: {await self._spent(run)}{of_how_much}. {RAISE_IT}"

    def _of(self, run: Run) -> float | None:
        ceilings = [each for each in (run.options.max_cost_usd, self._ceiling_usd) if each is not None]
        return min(ceilings, default=None)

    async def _spent(self, run: Run) -> Spent:
        return (await self._journal.run(run.id)).spent or Spent()
