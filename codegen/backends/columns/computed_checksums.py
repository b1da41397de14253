"""Lowers checksums that are values of instances: computed as soon as the last attribute that they cover is read."""

from __future__ import annotations

from wireloom.format.program import ChecksumRule, Op, Place

from ...expression.nodes import CoveredChecksum
from .compiled import Compiled
from .lines import Label, Line, ReadLine
from .refusal import NotForEngineError
from .scope import Scope, Span, checksum_target
from .state import State


class ComputedChecksums:
    """The checksums of one object. Each has two marks for each run of attributes, with consecutive numbers."""

    def __init__(self, state: State, scope: Scope) -> None:
        self.state, self.scope = state, scope
        self.nodes = () if scope.in_function else scope.struct.computed_checksums
        self._targets = {each.id: checksum_target(each) for each in self.nodes}
        self._marks = {each.id: [state.assembler.mark() for _ in range(2 * len(each.runs))] for each in self.nodes}

    def before(self, name: str) -> None:
        """Append the marks before an attribute. They are dropped if no step needs the checksum."""
        self._mark(name, 0, f"{name} begins")

    def after(self, name: str) -> None:
        """Append the marks after an attribute, and the steps of the checksums whose last attribute it is."""
        self._mark(name, 1, f"{name} ends")
        for each in self.nodes:
            if each.runs[-1][1] == name:
                self._lower(each)

    def _mark(self, name: str, place: int, comment: str) -> None:
        for each in self.nodes:
            for number, run in enumerate(each.runs):
                if run[place] == name:
                    mark = self._marks[each.id][2 * number + place]
                    self.state.run.mark(mark, comment, self._targets[each.id])

    def _lower(self, node: CoveredChecksum) -> None:
        state, target, assembler = self.state, self._targets[node.id], self.state.assembler
        state.run.flush()
        target.facts = state.facts
        self.scope.checksums[node.id] = target
        state.created.append(target)
        absent, held = Label(), self._condition(node)
        if held is not None:
            question = f"is {node.id} there?"
            line = Line(Op.SKIP_IF_ZERO, assembler.temporary(held, question), 1, absent, comment=question)
            assembler.items.append(ReadLine(line, target))
        place = Place.SPAN_LE if isinstance(target, Span) else Place.REGISTER
        rule = ChecksumRule(node.algorithm, node.initial, node.final_xor, place=place)
        covered = ", ".join(first if first == last else f"{first} to {last}" for first, last in node.runs)
        assembler.sum(target, rule, self._marks[node.id][0], len(node.runs), f"{node.id} over {covered}")
        assembler.place(absent)

    def _condition(self, node: CoveredChecksum) -> Compiled | None:
        """Return the condition of the instance, without which no expression uses its value; ``None`` if there is none,
        or if it is not known yet."""
        instance = self.scope.struct.instance(node.id)
        try:
            condition = None if instance is None else instance.condition
            return None if condition is None else self.state.compiler(self.scope).strict.compile(condition)
        except NotForEngineError:
            return None
