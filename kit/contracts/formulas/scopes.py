"""Which names each part of a design may use, by the rules of the formula language."""

from __future__ import annotations

from kit.contracts.design import ActionKind, ActionTerm, EnvDesign, VariableKind
from kit.contracts.formulas.compiler import Kind, Scope


class Scopes:
    """The scopes of one design. Transition formulas see prev, action, state; decision formulas see no prev."""

    def __init__(self, design: EnvDesign) -> None:
        self._design = design
        self._definitions = {definition.name: definition.formula for definition in design.definitions}
        self._params = {f"params.{p.name}": Kind(p.shape, p.whole) for p in design.parameters}
        self._state = {
            variable.name: Kind(variable.shape, variable.kind is VariableKind.WHOLE) for variable in design.state
        }
        self._obs = {f"obs.{term.name}": Kind(() if term.size == 1 else (term.size,)) for term in design.observation}
        self._action = {f"action.{term.name}": self.action_kind(term) for term in design.action.terms}

    def action_kind(self, term: ActionTerm) -> Kind:
        box = self._design.action.kind is ActionKind.BOX
        return Kind((term.size,) if box and term.size > 1 else (), whole=not box)

    def transition(self, what: str) -> Scope:
        """Reward, ending, metric, law, expectation: params, prev, action, state, obs, legal_taken."""
        kinds = self._params | self._named("prev") | self._action | self._named("state") | self._obs
        if self._design.action.masked:
            kinds = kinds | {"legal_taken": Kind((), True)}
        return Scope(what, kinds, self._definitions)

    def before(self, what: str) -> Scope:
        """A conditional mean: what was known when the action was taken."""
        return Scope(what, self._params | self._named("prev") | self._action, self._definitions)

    def moment(self, what: str) -> Scope:
        """Observation, potential, invariant: one state and nothing else."""
        return Scope(what, self._params | self._named("state"), self._definitions)

    def legality(self, term: ActionTerm) -> Scope:
        """One state, and `choice` = every choice of the term at once."""
        return self.moment(f"the legality of {term.name}").plus({"choice": Kind((term.choices or 1,), True)})

    def baseline(self, what: str, earlier: tuple[str, ...]) -> Scope:
        """What the agent could know: params, obs, and the action terms already decided."""
        kinds = self._params | self._obs | {f"action.{name}": self._action[f"action.{name}"] for name in earlier}
        return Scope(what, kinds, self._definitions)

    def _named(self, space: str) -> dict[str, Kind]:
        return {f"{space}.{name}": kind for name, kind in self._state.items()}
