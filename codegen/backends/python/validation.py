"""The checks of a value as statements: after the value in readers, before it in writers."""

from __future__ import annotations

from collections.abc import Iterator

from ...expression.nodes import (
    Node,
)
from ...expression.types import BooleanType, EnumType, FloatType
from ...tree import Attribute, Check
from .absence import may_fail
from .expressions import BIT_OR
from .scope import ClassScope
from .statements import attempt, block, code, when
from .view import Lines

ERRORS = {
    "contents": "ValidationNotEqualError",
    "equal": "ValidationNotEqualError",
    "at least": "ValidationLessThanError",
    "at most": "ValidationGreaterThanError",
    "one of": "ValidationNotAnyOfError",
    "in enum": "ValidationNotInEnumError",
    "holds": "ValidationExprError",
}


def check_field(scope: ClassScope, field: Attribute, value: str, io: str = "io") -> Lines:
    """Return the statements that check a value that was read. A reader may continue after a refusal if the end of the
    item is known.

    Args:
        scope: The scope of the class.
        field: The field.
        value: The text of the value.
        io: The text of the stream, for the positions in errors.
    """
    return tuple(_refused(scope, field, each, value, io, raises=field.determines_layout) for each in field.checks)


def check_lines(scope: ClassScope, field: Attribute, value: str) -> Lines:
    """Return the checks of a value to be written; a refusal always raises."""
    return tuple(_refused(scope, field, each, value, "None", raises=True) for each in field.checks)


def refusals(scope: ClassScope, field: Attribute, value: str) -> Iterator[str]:
    """Return the conditions on which a value to be written is refused."""
    return (_condition(scope, field, each, value)[0] for each in field.checks)


def _refused(scope: ClassScope, field: Attribute, check: Check, value: str, io: str, *, raises: bool) -> str:
    condition, operands = _condition(scope, field, check, value)
    # A reader that continues uses the reason ``value`` if none is given.
    reason = "" if field.reason == "value" and not raises else field.reason
    refusal = scope.refusal(ERRORS[check.rule], (*operands, io, repr(field.key_path)), reason, loses=raises)
    if not raises and scope.own and any(may_fail(scope.struct, each) for each in check.operands):
        # The validity of the value may be unknown; its end is known.
        error = f"{scope.use('ExpressionError')} as error"
        tried = attempt([f"is_refused = {condition}"], error, ["self._refuse(error)"])
        return code((tried, block("else:", [when("is_refused", [refusal])])))
    return when(condition, [refusal])


def _condition(scope: ClassScope, field: Attribute, check: Check, value: str) -> tuple[str, tuple[str, ...]]:
    """Return the condition of a refusal, and the first arguments of the error."""

    def text(node: Node) -> str:
        return scope.translator(field.position, _=value).text(node, BIT_OR)

    texts = [text(each) for each in check.operands] if check.rule != "holds" else []
    # NaN is neither below nor above a bound, nor between two of them.
    floats = isinstance(field.type, FloatType)
    match check.rule:
        case "contents":
            expected = repr(check.contents)
            return f"{value} != {expected}", (expected, value)
        case "equal":
            truth = isinstance(check.operands[0].type, BooleanType) and texts[0] in ("True", "False")
            unequal = f"{value} != {texts[0]}"
            return (value if texts[0] == "False" else f"not {value}") if truth else unequal, (texts[0], value)
        case "at least":
            return f"not {value} >= {texts[0]}" if floats else f"{value} < {texts[0]}", (texts[0], value)
        case "at most":
            return f"not {value} <= {texts[0]}" if floats else f"{value} > {texts[0]}", (texts[0], value)
        case "one of":
            choices = f"{value} not in ({', '.join(texts)})"
            return f"{value} != {texts[0]}" if len(texts) == 1 else choices, (value,)
        case "in enum":
            assert isinstance(field.type, EnumType)
            return f"{value} not in {scope.module.table(field.type.path)}", (value,)
    return scope.translator(field.position, _=value).negation(check.operands[0]), (value,)
