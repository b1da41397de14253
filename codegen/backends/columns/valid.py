"""Lowers ``valid`` to checks of the engine."""

from __future__ import annotations

from collections.abc import Callable

from wireloom.base.dataclass import dataclass, replace
from wireloom.format.program import Op

from ...expression.nodes import Comparison, IntegerLiteral, Logical, Name, Node
from ...expression.types import EnumType
from ...tree import Attribute, Spec
from .assembler import Assembler
from .expression import Compiler
from .instructions import Refusal
from .interval import INT64
from .lowering_context import LoweringContext
from .refusal import NotForEngineError
from .stack_code import StackCode
from .symbols import ObjectScope, Scalar, Span

_IT = Name("_")
_LARGEST_UNSIGNED = (1 << 64) - 1


def refusal_of(field: Attribute) -> Refusal:
    """Return the consequence of an invalid value of the field."""
    return Refusal(field.determines_layout, field.reason)


@dataclass(frozen=True)
class Check:
    """One check of ``scalar``: a range, or an expression that must hold."""

    scalar: Scalar
    refusal: Refusal
    low: int = 0
    high: int = 0
    condition: StackCode | None = None

    def appender(self, assembler: Assembler) -> Callable[[], None]:
        """Return a function that appends the steps of the check."""
        return lambda: self._append(assembler)

    def _append(self, assembler: Assembler) -> None:
        comment = f"valid {self.scalar.name}"
        if self.condition is not None:
            register = assembler.temporary(self.condition, comment)
            assembler.add(Op.CHECK_TRUE, register, self.refusal, comment=comment)
            return
        refusal = replace(self.refusal, unsigned=self.high > INT64.high)
        assembler.add(Op.CHECK_RANGE, self.scalar, refusal, self.low, self.high, comment=comment)


def checks(field: Attribute, scalar: Scalar, compiler: Compiler, spec: Spec) -> list[Check]:
    """Return the checks of a number. Afterwards ``scalar`` is known to lie between its constant bounds.

    Raises ``NotForEngineError`` if an expression is not supported by the engine.
    """
    seeing = replace(compiler, it=scalar)
    refusal = refusal_of(field)
    found: list[Check] = []

    def must(condition: Node) -> None:
        compiled = seeing.compile(condition)
        if compiled.constant is None:
            found.append(Check(scalar, refusal, condition=compiled))
        elif not compiled.constant:
            raise NotForEngineError(f'"valid" of "{field.id}" is never true')

    def between(low: Node | None, high: Node | None) -> None:
        bounds = [None if each is None else seeing.compile(each).constant for each in (low, high)]
        varies = (low is not None and bounds[0] is None) or (high is not None and bounds[1] is None)
        if varies or scalar.interval.is_float:
            for bound, operator in ((low, ">="), (high, "<=")):
                if bound is not None:
                    must(Comparison(operator, _IT, bound))
            return
        within(*bounds)

    def within(low: int | None, high: int | None) -> None:
        least = scalar.interval.low if low is None else max(low, scalar.interval.low)
        greatest = scalar.interval.high if high is None else min(high, scalar.interval.high)
        if least > greatest:
            raise NotForEngineError(f'"valid" of "{field.id}" is never true')
        if scalar.interval.within(least, greatest):
            return
        if INT64.low <= least <= INT64.high and greatest <= _LARGEST_UNSIGNED:
            found.append(Check(scalar, refusal, least, greatest))
        else:
            must(_between(least, greatest))
        scalar.interval = scalar.interval.intersection(least, greatest)

    operands = {each.rule: each.operands for each in field.checks}
    if "equal" in operands:
        between(*operands["equal"], *operands["equal"])
    if "at least" in operands or "at most" in operands:
        between(*operands.get("at least", (None,)), *operands.get("at most", (None,)))
    if "one of" in operands:
        must(_any([Comparison("==", _IT, each) for each in operands["one of"]]))
    if "in enum" in operands and isinstance(field.type, EnumType):
        values = sorted(each.value for each in spec.enum(field.type.path).labels)
        runs = _runs(values)
        if len(runs) == 1:
            within(*runs[0])
        else:
            must(_any([_between(low, high) for low, high in runs]))
    if "holds" in operands:
        must(*operands["holds"])
    return found


def span_checks(field: Attribute, span: Span, compiler: Compiler) -> list[StackCode]:
    """Return the conditions that bytes or text must meet. Raises ``NotForEngineError`` for expressions other than
    comparisons."""
    seeing = replace(compiler, it=span)
    operands = {each.rule: each.operands for each in field.checks}
    conditions: list[Node] = [
        Comparison(operator, _IT, each)
        for rule, operator in (("equal", "=="), ("at least", ">="), ("at most", "<="))
        for each in operands.get(rule, ())
    ]
    if "one of" in operands:
        conditions.append(_any([Comparison("==", _IT, each) for each in operands["one of"]]))
    conditions += operands.get("holds", ())
    return [seeing.compile(each) for each in conditions]


def _runs(values: list[int]) -> list[tuple[int, int]]:
    """Return sorted values as ranges of consecutive numbers.

    >>> _runs([0, 1, 2, 7])
    [(0, 2), (7, 7)]
    """
    runs: list[tuple[int, int]] = []
    for value in values:
        if runs and value <= runs[-1][1] + 1:
            runs[-1] = (runs[-1][0], value)
        else:
            runs.append((value, value))
    return runs


def _between(low: int, high: int) -> Node:
    if low == high:
        return Comparison("==", _IT, IntegerLiteral(low))
    return Logical("and", Comparison(">=", _IT, IntegerLiteral(low)), Comparison("<=", _IT, IntegerLiteral(high)))


def _any(conditions: list[Node]) -> Node:
    found = conditions[0]
    for each in conditions[1:]:
        found = Logical("or", found, each)
    return found


def check_object(context: LoweringContext, scope: ObjectScope, field: Attribute) -> None:
    """Append the checks of an object that has been read."""
    found = scope.members.get(field.id)
    for each in (operand for check in field.checks for operand in check.operands):
        context.run.flush()
        compiled = replace(context.compiler(scope), it=found).compile(each)
        register = context.assembler.temporary(compiled, f"valid {field.id}")
        context.assembler.add(Op.CHECK_TRUE, register, refusal_of(field), comment=f"valid {field.id}")
