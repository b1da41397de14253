"""Functions and their results: values in the object that a call has read."""

from __future__ import annotations

from wireloom.base.dataclass import dataclass, field

from ...expression.nodes import Name, Node
from ...expression.types import Path
from .assembler import Assembler
from .expression import Compiler
from .instructions import ExpressionInstruction, InsertionPoint
from .interval import Interval
from .items import CallResultObject
from .refusal import NotForEngineError
from .series import storable_range
from .stack_code import StackCode
from .symbols import Scalar


@dataclass(eq=False)
class Function:
    """A function of the program.

    - ``arguments``: the registers for its parameters and, if ``has_order``, for the byte order of the enclosing object.
    - ``of_parent``: the integers that it needs of the enclosing object, of type ``parent``; these are arguments too.
    - ``results``: the registers with the results, by the paths that find their values in the object of the function.
    - ``end``: the position at the end of the function at which results requested before the end are computed.
    """

    number: int
    arguments: tuple[Scalar, ...]
    has_order: bool
    of_parent: tuple[Name, ...]
    parent: Path
    assembler: Assembler
    results: dict[Node, Scalar] = field(default_factory=dict)
    end: tuple[InsertionPoint, Compiler] | None = None

    def close(self, compiler: Compiler) -> None:
        """End the function. ``compiler``: for expressions about its object, which is ``_``."""
        self.end = self.assembler.insertion_point(), compiler
        for path, result in self.results.items():
            self._give(path, result, *self.end)

    def result(self, path: Node) -> Scalar:
        """Return the register that contains the value of ``path`` after a call."""
        if path not in self.results:
            result = self.results[path] = Scalar("result", storable_range(path.type), speculative=True)
            self.assembler.make_result(result)
            if self.end is not None:
                self._give(path, result, *self.end)
        return self.results[path]

    @staticmethod
    def _give(path: Node, result: Scalar, at: InsertionPoint, compiler: Compiler) -> None:
        compiled = compiler.compile(path)
        if not compiled.interval.within(result.interval.low, result.interval.high):
            raise NotForEngineError("an expression uses a value that may exceed 64 bits in a type that contains itself")
        at.instructions.append(ExpressionInstruction(result, compiled, result.name))


@dataclass(eq=False)
class Call(CallResultObject):
    """An object that a call has read. ``after``: the position after the call; ``copies``: the registers that keep its
    results."""

    function: Function
    after: InsertionPoint
    copies: dict[Node, Scalar] = field(default_factory=dict)

    def value_of(self, path: Node) -> StackCode:
        """Return code of the integer that ``path`` finds in the object ``_``."""
        result = self.function.result(path)
        if path not in self.copies:
            copy = self.copies[path] = Scalar(
                f"in {self.name}", result.interval, may_fail=True, speculative=True, nullable=True
            )
            self.after.instructions.append(
                ExpressionInstruction(copy, StackCode((result,), result.interval), copy.name)
            )
        # If the object is absent its register contains the previous value, or 0.
        return StackCode((self.copies[path],), result.interval.union(Interval(0, 0)))
