"""The state of the lowering of a row while it walks the row's fields."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from wireloom.format.program_limits import MOST_STEPS

from ...plan import Field, Plan
from ...wire import ExpressionSize, FixedSize
from .assembler import Assembler
from .column_nodes import ColumnNode, ColumnNodes
from .expression import Compiler
from .refusal import NotForEngineError
from .run import Run
from .scope import Fact, Scalar, Scope


@dataclass
class State:
    """Where the walk is.

    ``bounded``: the bytes end where a frame or a sub-stream does. ``row``: appends the steps of a row's columns
    that are no fields of it, for rows inside of units. ``fills``: the columns that fields of objects fill.
    ``contained``: the innermost sub-stream is one on the way to the rows. ``has_row``: the steps of a row are
    there. ``facts``: the conditions under which the current field is read. ``created``: the scalars of the
    innermost optional field so far. ``nesting``: how many user types deep. ``steps``: how many steps of the way to
    the rows have been made. ``units``: how many units inside of the outermost one are open. ``fields``: how many
    were walked.
    ``before_expansion``: appends the checksums of the block that is about to be decompressed.
    """

    plan: Plan
    assembler: Assembler
    bounded: bool
    columns: ColumnNodes
    row: Callable[[State, Scope], None] | None = None
    fills: dict[Scope, dict[str, ColumnNode]] = field(default_factory=dict)
    contained: bool = False
    has_row: bool = False
    steps: int = 0
    units: int = 0
    run: Run = field(init=False)
    facts: tuple[Fact, ...] = ()
    created: list[Scalar] = field(default_factory=list)
    nesting: int = 0
    fields: int = 0
    before_expansion: Callable[[], None] = field(default=lambda: None)

    def __post_init__(self) -> None:
        self.run = Run(self.assembler)

    def count(self) -> None:
        """Count a field, those of a type wherever it is used. Raises ``NotForEngineError`` beyond the limit."""
        self.fields += 1
        if max(self.fields, len(self.assembler.items)) > MOST_STEPS:
            raise NotForEngineError(f"a row takes more than {MOST_STEPS} steps")

    def compiler(self, scope: Scope) -> Compiler:
        """A compiler of expressions that are at this place in ``scope``."""
        return Compiler(scope, self.facts)

    def column(self, scope: Scope, name: str) -> ColumnNode | None:
        """The column that a field of ``scope`` fills."""
        return self.fills.get(scope, {}).get(name)

    def fixed_size(self, scope: Scope, field: Field) -> int | None:
        """Return how many bytes the field takes, where that is the same in every row."""
        if isinstance(field.size, FixedSize):
            return field.size.size
        if isinstance(field.size, ExpressionSize):
            return self.compiler(scope).compile(field.size.expression).constant
        return None

    def size(self, scope: Scope, size: ExpressionSize, name: str) -> tuple[Scalar, int]:
        """The register that holds a size, and what is to be added to it."""
        compiled, addend = self.compiler(scope).size(size.expression)
        return self.assembler.temporary(compiled, f"size of {name}"), addend
