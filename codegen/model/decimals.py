"""The key ``decimal`` of attributes: decimal numbers of COBOL, and which bytes are one."""

from __future__ import annotations

from wireloom.base.dataclass import replace

from ..expression.fold import constant_integer
from ..expression.parser import parse_expression
from ..expression.types import BytesType, type_name
from ..spec.diagnostics import Diagnostics
from ..spec.syntax import Expression, Section
from ..spec.tree import Scalar
from ..tree import Attribute, Valid
from ..tree.leaves import Decimal, ExpressionSize
from .scope import Bindings, Typing
from .symbols import Member, Symbol

MOST_DIGITS = 38
"""Maximum number of digits of a decimal in Arrow and in Spark."""


def decimal_of(section: Section, attribute: Attribute, diagnostics: Diagnostics) -> Decimal | None:
    """Return the logical type that the key ``decimal`` gives an attribute.

    Args:
        section: The extensions of the attribute, with the key.
        attribute: The attribute.
        diagnostics: Receives the errors.

    Returns:
        The type; ``None`` on errors.
    """
    position = section.position_of("decimal")
    keys = section.section("decimal")
    if keys is not None and keys.faulty:
        return None
    size = constant_integer(attribute.size.expression) if isinstance(attribute.size, ExpressionSize) else None
    plain = not (attribute.switch or attribute.process or attribute.is_cut)
    if not isinstance(attribute.type, BytesType) or not plain or not size:
        found = type_name(attribute.type)
        diagnostics.error(position, f"'decimal' requires bytes of a constant size, without other keys, found {found}")
        return None
    if attribute.valid is not None:
        diagnostics.error(position, "'decimal' and 'valid' cannot be used together: invalid digits are damage anyway")
        return None
    form = section.word("decimal") if keys is None else keys.word("form")
    digits = 2 * size - 1 if form == "packed" else size
    scale = 0 if keys is None else keys.integer("scale") or 0
    if digits > MOST_DIGITS:
        diagnostics.error(position, f"the decimal has {digits} digits, but at most {MOST_DIGITS} are supported")
        return None
    if scale > digits:
        diagnostics.error(position, f"the scale of the decimal is {scale}, but it has {digits} digits")
        return None
    return Decimal(form, digits, scale, keys is None or "signed" not in keys or keys.flag("signed"))


def with_valid_digits(symbol: Symbol, member: Member, attribute: Attribute, typing: Typing) -> Attribute:
    """Return an attribute that must be a decimal, if it is one by its key, with that as its ``valid``.

    Args:
        symbol: The type with the attribute.
        member: The attribute as it is written.
        attribute: The attribute.
        typing: Types the condition.
    """
    if not isinstance(attribute.logical, Decimal) or member.field is None or member.position is None:
        return attribute
    text = _condition(attribute.logical)
    condition = Expression(parse_expression(text), Scalar(member.position, text, text))
    node = typing.expression(symbol, condition, Bindings(index=member.field.repeats, item=member.field.type))
    return replace(attribute, valid=Valid(expression=node))


def _condition(decimal: Decimal) -> str:
    """Return the condition that bytes ``_`` are a decimal, as an expression."""
    packed = decimal.form == "packed"
    last = decimal.digits // 2 if packed else decimal.digits - 1
    if packed:
        # Adding 6 to a digit above 9 carries into the digit before it.
        others, mask = [f"(_[{n}] + 0x66 ^ _[{n}] ^ 0x66)" for n in range(last)], "0x110"
        end = f"_[{last}] < 0xa0 and _[{last}] & 15 > 9"
    else:
        others, mask = [f"(_[{n}] ^ 0xf0 | (_[{n}] ^ 0xf0) + 6)" for n in range(last)], "0x1f0"
        end = f"_[{last}] >= 0xa0 and _[{last}] & 15 < 10"
    if not decimal.signed:
        sign = f"_[{last}] & 15" if packed else f"_[{last}] >> 4"
        end += f" and {sign} != 0xb and {sign} != 0xd"
    return f"({' | '.join(others)}) & {mask} == 0 and {end}" if others else end
