"""Filters as predicates of the engine.

The structure of a pyarrow expression is only accessible in its serialized form: calls, fields and constants in
sequence. Parts that are not recognised there are applied to the batches after these have been built.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pyarrow as pa

from ..base.dataclass import dataclass
from ..format.decoded import DecodedFormat
from ..format.description import Format
from ..rows.predicates import Domain, Predicate, Ranges, common, union, without

TOKEN = re.compile(r"(\w+): '(.*)'")
TURNED = {"less": "greater", "less_equal": "greater_equal", "greater": "less", "greater_equal": "less_equal"}
"""For each comparison operator, the one for exchanged operands."""


@dataclass(frozen=True)
class Pushed:
    """The predicates of a filter, for the engine. ``full``: the filter for rows to which the engine has not applied
    them, with constants of the columns' own types if known; ``residual``: the filter for rows for which the predicates
    are true, ``None`` if nothing remains."""

    full: Any
    predicates: tuple[Predicate, ...]
    residual: Any


NOTHING = Pushed(None, (), None)
"""No filter."""


class UnknownError(Exception):
    """An expression cannot be represented by predicates."""


@dataclass(frozen=True)
class FilterNode:
    """A call of a function, a field (``name``) or a constant."""

    call: str = ""
    name: str = ""
    constant: Any = None
    inside: tuple[FilterNode, ...] = ()
    options: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Truth:
    """The keys of a column for which an expression is true; it is false for all others. ``null``: its value for nulls,
    ``None`` for null."""

    column: str
    true: Ranges
    null: bool | None


def pushed(format: Format, expression: Any) -> Pushed:
    """Return the predicates of a filter that fits the format's columns, if any."""
    if expression is None:
        return NOTHING
    if format.in_pieces or isinstance(format, DecodedFormat):
        # The rows are not those of the engine.
        return Pushed(expression, (), expression)
    domains = {
        each.name: domain
        for each, field in zip(format.columns, format.schema, strict=True)
        if not (each.labels or each.looked_up or each.engine_refusal) and (domain := Domain.of(field.type))
    }
    found: dict[str, Truth] = {}
    exact, is_all = expression, True
    try:
        tree = _tree(expression)
    except (UnknownError, pa.ArrowException):
        return Pushed(expression, (), expression)
    for part in _conjuncts(tree):
        try:
            truth = _truth(part, domains)
        except UnknownError:
            is_all = False
            continue
        known = found.get(truth.column)
        found[truth.column] = truth if known is None else _both(known, truth)
    if is_all:
        exact = _expression(tree, {name: each.kind for name, each in domains.items()})
    numbers = {each.name: number for number, each in enumerate(format.columns)}
    predicates = (
        Predicate(numbers[name], domains[name].keys, each.null is True, each.true) for name, each in found.items()
    )
    return Pushed(exact, tuple(predicates), None if is_all else exact)


def _conjuncts(node: FilterNode) -> Iterator[FilterNode]:
    if node.call == "and_kleene":
        for each in node.inside:
            yield from _conjuncts(each)
    else:
        yield node


def fields_of(expression: Any) -> set[str] | None:
    """Return the names of the fields in an expression; ``None`` if they cannot be determined."""
    try:
        return set(_names(_tree(expression)))
    except (UnknownError, pa.ArrowException):
        return None


def part_on(expression: Any, types: Mapping[str, pa.DataType]) -> Any:
    """Return the conditions of a filter that are about these columns alone, as one; ``None`` if there are none."""
    try:
        tree = _tree(expression)
    except (UnknownError, pa.ArrowException):
        return None
    found = None
    for part in _conjuncts(tree):
        if (named := set(_names(part))) and named <= types.keys():
            try:
                made = _expression(part, types)
            except UnknownError:
                continue
            found = made if found is None else found & made
    return found


def _names(node: FilterNode) -> Iterator[str]:
    if node.name:
        yield node.name
    for each in node.inside:
        yield from _names(each)


# Trees ---------------------------------------------------------------------------------------------------------------


def _tree(expression: Any) -> FilterNode:
    """Return the tree of an expression. Raises ``UnknownError``, or ``pa.ArrowException`` if Arrow cannot serialize
    it."""
    file = pa.ipc.open_file(expression.__reduce__()[1][0])
    constants = file.get_batch(0)
    text = file.schema.to_string(show_schema_metadata=True, truncate_metadata=False)
    lines = text.partition("-- schema metadata --\n")[2].splitlines()
    found = [TOKEN.fullmatch(line) for line in lines]
    tokens = [(each[1], each[2]) for each in found if each]
    if len(tokens) != len(lines):
        raise UnknownError
    node, end = _node(tokens, 0, constants)
    if end != len(tokens):
        raise UnknownError
    return node


def _node(tokens: list[tuple[str, str]], at: int, constants: pa.RecordBatch) -> tuple[FilterNode, int]:
    if at == len(tokens):
        raise UnknownError
    word, value = tokens[at]
    if word == "field_ref":
        return FilterNode(name=value), at + 1
    if word == "literal":
        return FilterNode(constant=constants.column(int(value))[0]), at + 1
    if word != "call":
        raise UnknownError
    inside: list[FilterNode] = []
    options = None
    at += 1
    while at < len(tokens) and tokens[at][0] != "end":
        if tokens[at][0] == "options":
            options = dict(constants.column(int(tokens[at][1]))[0].items())
            at += 1
        else:
            node, at = _node(tokens, at, constants)
            inside.append(node)
    return FilterNode(call=value, inside=tuple(inside), options=options), at + 1


# Truth ---------------------------------------------------------------------------------------------------------------


def _truth(node: FilterNode, domains: Mapping[str, Domain]) -> Truth:
    """Return the values of a single column for which an expression is true. Raises ``UnknownError``."""
    call, inside = node.call, node.inside
    if call in ("and_kleene", "or_kleene"):
        sides = [_truth(each, domains) for each in inside]
        return (_both if call == "and_kleene" else _either)(*sides)
    if call == "invert":
        truth = _truth(inside[0], domains)
        null = None if truth.null is None else not truth.null
        return Truth(truth.column, without(domains[truth.column].all, truth.true), null)
    if len(inside) == 2 and inside[1].name:
        call, inside = TURNED.get(call, call), inside[::-1]
    name = inside[0].name if inside else node.name
    domain = domains.get(name)
    if domain is None:
        raise UnknownError
    if not call and domain.is_truth:
        return Truth(name, ((1, 255),), None)
    if call == "is_valid":
        return Truth(name, domain.all, False)
    options = node.options or {}
    # Without options, those of Arrow's default hold.
    if call == "is_null" and not ("nan_is_null" in options and options["nan_is_null"].as_py()):
        return Truth(name, (), True)
    if call == "is_in" and not domain.is_float:
        return _is_in(name, domain, options)
    if len(inside) == 2 and inside[1].constant is not None:
        return Truth(name, _compared(call, domain, inside[1].constant), None)
    raise UnknownError


def _compared(call: str, domain: Domain, constant: Any) -> Ranges:
    """Return the keys of values for which a comparison with a constant is true."""
    near = domain.around(constant)
    if near is None or (domain.is_truth and call not in ("equal", "not_equal")):
        raise UnknownError
    [(first, last)] = near
    [(least, most)] = domain.ordered
    ranges: Mapping[str, Ranges] = {
        "equal": near,
        "less": ((least, first - 1),),
        "less_equal": ((least, last),),
        "greater": ((last + 1, most),),
        "greater_equal": ((first, most),),
    }
    if call == "not_equal":
        return without(domain.all, near)
    if call not in ranges:
        raise UnknownError
    return common(domain.all, ranges[call])


def _is_in(name: str, domain: Domain, options: Mapping[str, Any]) -> Truth:
    behaviour, values = options["null_matching_behavior"].as_py(), options["value_set"].values
    if behaviour != 0:
        # All of them, except that null is one of the values if any value is null.
        raise UnknownError
    keys: list[tuple[int, int]] = []
    for each in values.drop_null():
        near = domain.around(each)
        if near is None:
            raise UnknownError
        keys += near
    return Truth(name, common(domain.all, union(tuple(keys), ())), values.null_count > 0)


def _both(one: Truth, other: Truth) -> Truth:
    null = False if False in (one.null, other.null) else None if None in (one.null, other.null) else True
    return Truth(_column(one, other), common(one.true, other.true), null)


def _either(one: Truth, other: Truth) -> Truth:
    null = True if True in (one.null, other.null) else None if None in (one.null, other.null) else False
    return Truth(_column(one, other), union(one.true, other.true), null)


def _column(one: Truth, other: Truth) -> str:
    if one.column != other.column:
        raise UnknownError
    return one.column


# Expressions ---------------------------------------------------------------------------------------------------------

MADE: Mapping[str, Callable[..., Any]] = {
    "and_kleene": operator.and_,
    "or_kleene": operator.or_,
    "invert": operator.invert,
    "equal": operator.eq,
    "not_equal": operator.ne,
    "less": operator.lt,
    "less_equal": operator.le,
    "greater": operator.gt,
    "greater_equal": operator.ge,
    "is_valid": operator.methodcaller("is_valid"),
    "is_null": operator.methodcaller("is_null"),
}


def _expression(node: FilterNode, types: Mapping[str, pa.DataType], kind: pa.DataType | None = None) -> Any:
    """Return the expression of a tree over columns of these types, with constants converted to ``kind`` if possible:
    Arrow would compare an unsigned column with a signed constant as signed, and fail for large values. Raises
    ``UnknownError``."""
    # Imported here: reading without a filter does not need it.
    import pyarrow.compute as pc

    if node.name:
        return pc.field(node.name)
    if not node.call:
        return pc.scalar(_cast(node.constant, kind))
    kind = next((types[each.name] for each in node.inside if each.name), None)
    sides = [_expression(each, types, kind) for each in node.inside]
    if node.call == "is_in" and (node.options or {})["null_matching_behavior"].as_py() == 0:
        return sides[0].isin(_cast((node.options or {})["value_set"].values, kind))
    if node.call not in MADE:
        raise UnknownError
    return MADE[node.call](*sides)


def _cast(value: Any, kind: pa.DataType | None) -> Any:
    if kind is None or pa.types.is_floating(kind):
        # A cast to single precision would round, unlike Arrow's comparison.
        return value
    try:
        return value.cast(kind)
    except pa.ArrowInvalid:
        return value
