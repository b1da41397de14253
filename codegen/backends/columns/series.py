"""Lists whose items expressions use: the values of the items are kept in series, one for each expression about an
item."""

from __future__ import annotations

from functools import reduce

from wireloom.base.dataclass import dataclass, field
from wireloom.format.program import Code, Op

from ...expression.nodes import Name, Node
from ...expression.types import ComputedIntegerType, Type
from .arrow import number_interval
from .assembler import Assembler
from .computed_text import is_spanned
from .expression import Compiler
from .instructions import ExpressionInstruction, InsertionPoint, Operation
from .interval import Interval
from .items import Series
from .refusal import NotForEngineError
from .stack_code import StackCode, constant, joined, of_series
from .symbols import Scalar

COMPUTED = Interval(-(1 << 63), (1 << 64) - 1)
"""The range assumed for a computed value that is requested before it is compiled."""


@dataclass(eq=False)
class _Iteration:
    """The end of an iteration, or of an item whose steps are not in a loop, with the values read there. ``number``: the
    register that counts the iterations, or the number of the item."""

    insertion_point: InsertionPoint
    compiler: Compiler
    number: Scalar | int

    @property
    def index(self) -> StackCode:
        """Return code of the index of the item."""
        if isinstance(self.number, int):
            return constant(self.number)
        return StackCode((self.number,), self.number.interval)


@dataclass(eq=False)
class KeptItems(Series):
    """The items of a repeated field. ``begin``: the position before them; ``certain``: paths whose values are absent in
    no item; ``adding``: paths being compiled, and ``followed``: those of them that depend on the same path in other
    items."""

    assembler: Assembler
    begin: InsertionPoint
    iterations: list[_Iteration] = field(default_factory=list)
    numbers: dict[Node, int] = field(default_factory=dict)
    intervals: dict[Node, Interval] = field(default_factory=dict)
    pending: list[Node] = field(default_factory=list)
    certain: set[Node] = field(default_factory=set)
    adding: set[Node] = field(default_factory=set)
    followed: set[Node] = field(default_factory=set)
    count: Scalar | None = None

    def add_iteration(self, compiler: Compiler, number: Scalar | int) -> None:
        """Add the position at which an item is complete; ``_`` in expressions of the compiler is the item."""
        iteration = _Iteration(self.assembler.insertion_point(), compiler, number)
        self.iterations.append(iteration)
        for path in self.pending:
            if is_spanned(path):
                self._add_text(iteration, path)
                continue
            found = self._add(iteration, path)
            if not self._holds(path, found.interval):
                raise NotForEngineError(f'an expression uses an item of "{self.name}" that may exceed 64 bits')
        if self.count is not None:
            self._note(iteration, self.count)

    def _holds(self, path: Node, found: Interval) -> bool:
        return found.within(self.intervals[path].low, self.intervals[path].high)

    def close(self) -> None:
        """Mark the end of the items."""
        self.is_open = False

    def size(self) -> StackCode:
        """Return the number of items read so far."""
        if self.is_open:
            # What later iterations read comes before the step that records it, so it cannot be a register.
            number, _ = self.number_of(Name("_index", type=ComputedIntegerType()))
            return of_series((), Code.SERIES_SIZE, number, Interval(0, 1 << 62))
        if self.count is None:
            self.count = Scalar(f"number of {self.name}", Interval(0, 1 << 62))
            self.begin.instructions.append(ExpressionInstruction(self.count, constant(0), self.count.name))
            for iteration in self.iterations:
                self._note(iteration, self.count)
        return StackCode((self.count,), self.count.interval)

    @staticmethod
    def _note(iteration: _Iteration, count: Scalar) -> None:
        more = joined((iteration.index, constant(1)), Code.ADD, count.interval)
        iteration.insertion_point.instructions.append(ExpressionInstruction(count, more, count.name))

    def number_of(self, path: Node) -> tuple[int, Interval]:
        """Return the number of the series with the values of ``path`` in each item ``_``, and their range."""
        if path not in self.numbers:
            number = self.assembler.series
            self.assembler.series += 1
            self.begin.instructions.append(Operation(Op.SERIES, number, comment=self.name))
            self.numbers[path] = number
            self.adding.add(path)
            if self.is_open:
                self.pending.append(path)
            self.intervals[path] = storable_range(path.type)
            try:
                compiled = [self._add(iteration, path) for iteration in self.iterations]
            except NotForEngineError:
                del self.numbers[path]
                self.pending = [each for each in self.pending if each != path]
                raise
            finally:
                self.adding.discard(path)
            found = [each.interval for each in compiled]
            if not self.is_open and not any(each.nullable for each in compiled):
                self.certain.add(path)
            if path in self.followed and not all(self._holds(path, each) for each in found):
                raise NotForEngineError(f'an expression uses an item of "{self.name}" that may exceed 64 bits')
            if not self.is_open and path not in self.followed:
                self.intervals[path] = reduce(Interval.union, found, found[0]) if found else Interval(0, 0)
        elif path in self.adding:
            self.followed.add(path)
        return self.numbers[path], self.intervals[path]

    def may_be_absent(self, path: Node) -> bool:
        """Return whether the value of ``path`` may be missing in an item because an attribute is absent."""
        return path not in self.certain

    def texts_of(self, path: Node) -> int:
        """Return the number of the series with the text or bytes that ``path`` finds in each item ``_``."""
        if path not in self.numbers:
            self.numbers[path] = number = self.assembler.series
            self.assembler.series += 1
            self.begin.instructions.append(Operation(Op.SERIES, number, comment=self.name))
            if self.is_open:
                self.pending.append(path)
            for iteration in self.iterations:
                self._add_text(iteration, path)
        return self.numbers[path]

    def _add_text(self, iteration: _Iteration, path: Node) -> None:
        span, name = iteration.compiler.span_in_input(path), f"item of {self.name}"
        present = iteration.compiler.present(path, span)
        there: Scalar | int = -1 if present.constant else self._kept(iteration, present)
        iteration.insertion_point.instructions.append(
            Operation(Op.SERIES_ADD_TEXT, self.numbers[path], span, there, comment=name)
        )

    def _add(self, iteration: _Iteration, path: Node) -> StackCode:
        asks_number = isinstance(path, Name) and path.id == "_index"
        compiled = iteration.index if asks_number else iteration.compiler.compile(path)
        kept = self._kept(iteration, compiled)
        iteration.insertion_point.instructions.append(
            Operation(Op.SERIES_ADD, self.numbers[path], kept, comment=f"item of {self.name}")
        )
        return compiled

    def _kept(self, iteration: _Iteration, compiled: StackCode) -> Scalar:
        if compiled.scalar is not None:
            return compiled.scalar
        kept = Scalar(f"item of {self.name}", compiled.interval, speculative=True)
        iteration.insertion_point.instructions.append(ExpressionInstruction(kept, compiled, kept.name))
        return kept


def storable_range(type: Type | None) -> Interval:
    """Return the range assumed for a value of a type that is requested before it is compiled."""
    return number_interval(type) or COMPUTED
