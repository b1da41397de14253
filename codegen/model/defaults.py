"""Defaults of attributes and value instances, which a writer uses for missing values."""

from __future__ import annotations

from wireloom.base.dataclass import replace

from ..expression.fold import constant_integer, fold, misfit
from ..expression.nodes import (
    Aggregate,
    BooleanLiteral,
    FloatLiteral,
    IntegerLiteral,
    Node,
    RandomBytes,
    StringLiteral,
)
from ..expression.typer import type_of
from ..expression.types import (
    BytesType,
    IntegerType,
    ListType,
    UserType,
    VarintType,
    assignable,
    is_boolean,
    is_integer,
    type_name,
)
from ..expression.walk import names_in, updated
from ..spec.diagnostics import Diagnostics
from ..spec.syntax import Expression, Items, Section, Text
from ..tree import Attribute, Instance, Struct
from ..tree.leaves import ExpressionSize
from ..words import no_attribute, shown
from .made_objects import ObjectReader
from .scope import NOTHING, Bindings, Typing
from .symbols import Member, Symbol

CONSTANTS = (IntegerLiteral, BooleanLiteral, FloatLiteral, StringLiteral)


def default_of(
    symbol: Symbol, section: Section, attribute: Attribute, typing: Typing, diagnostics: Diagnostics
) -> Node | None:
    """Return the default of an attribute (``-wireloom: {default: …}``), which a writer uses for a missing value.

    Args:
        symbol: The type of the attribute.
        section: The extensions of the attribute.
        attribute: The attribute, without its default.
        typing: Types expressions in the default.
        diagnostics: Receives the errors.

    Returns:
        The default, typed; ``None`` without the key, and on errors.
    """
    value = section.get("default")
    if not isinstance(value, Expression | Section | Items):
        return None
    position = section.position_of("default")
    plain = attribute.switch is None and attribute.condition is None
    if isinstance(value, Items) and attribute.repeat is not None and plain:
        return ObjectReader(symbol, typing, diagnostics).list(value, attribute.type)
    if attribute.repeat is not None or attribute.switch is not None or attribute.condition is not None:
        message = (
            "'default' requires an attribute without 'if' and 'switch-on'; with 'repeat', it is a list of objects, "
            "not an expression"
        )
        diagnostics.error(position, message)
        return None
    if attribute.contents is not None or (attribute.checksum is not None and attribute.checksum.condition is None):
        message = (
            "'default' cannot be used with 'contents' or 'checksum', which writers fill in, except a checksum with 'if'"
        )
        diagnostics.error(position, message)
        return None
    reader = _Reader(symbol, typing, diagnostics)
    if isinstance(value, Section):
        return reader.computed(value, attribute)
    node = typing.expression(symbol, value) if isinstance(value, Expression) else None
    if not isinstance(value, Expression):
        diagnostics.error(position, "only a repeated attribute can have a list as its default: give an expression")
    return None if node is None or not isinstance(value, Expression) else reader.fitting(node, attribute, value)


class _Reader:
    """Reads the expressions of the defaults of a type."""

    def __init__(self, symbol: Symbol, typing: Typing, diagnostics: Diagnostics) -> None:
        self._symbol = symbol
        self._typing = typing
        self._diagnostics = diagnostics

    def fitting(self, node: Node, attribute: Attribute, expression: Expression) -> Node | None:
        """Return a typed expression, if its value fits the attribute."""
        wanted, found = attribute.type, type_of(node)
        if attribute.id in names_in(node):
            message = f"{shown(attribute.id)} is the attribute itself here; an attribute of the root is '_root.NAME'"
            self._diagnostics.error(expression.position, message)
            return None
        if (reason := misfit(node, wanted)) is not None:
            self._diagnostics.error(expression.place(node.start, node.end), f"the value does not fit: {reason}")
            return None
        # It is not known yet whether a type of the spec is a varint.
        if (isinstance(wanted, UserType) and is_integer(found)) or assignable(found, wanted):
            return node
        place = expression.place(node.start, node.end)
        self._diagnostics.error(place, f"'default' must be {type_name(wanted)}, found {type_name(found)}")
        return None

    def computed(self, section: Section, attribute: Attribute) -> Node | None:
        """Return the default that a mapping describes."""
        kinds = [key for key in ("largest", "smallest", "random") if key in section]
        if section.faulty:
            return None
        if len(kinds) != 1:
            self._diagnostics.error(
                section.position, "'default' requires exactly one of 'largest', 'smallest' and 'random'"
            )
            return None
        if kinds == ["random"]:
            return self._random(section, attribute)
        return self._aggregate(section, kinds[0], attribute)

    def _random(self, section: Section, attribute: Attribute) -> Node | None:
        size = section.integer("random")
        stated = attribute.size
        constant = constant_integer(stated.expression) if isinstance(stated, ExpressionSize) else None
        if not isinstance(attribute.type, BytesType) or size not in (constant, getattr(stated, "size", None)):
            message = (
                f"'random' requires bytes of a constant size, but {shown(attribute.id)} is not an attribute of {size} "
                "bytes"
            )
            self._diagnostics.error(section.position_of("random"), message)
            return None
        return RandomBytes(size or 0, type=BytesType())

    def _aggregate(self, section: Section, function: str, attribute: Attribute) -> Node | None:
        value, of = section.expression(function), section.expression("of")
        if of is None or value is None:
            self._diagnostics.error(section.position, f"'{function}' requires 'of' with the list")
            return None
        items = self._typing.expression(self._symbol, of)
        if items is None:
            return None
        kind = type_of(items)
        if not isinstance(kind, ListType):
            self._diagnostics.error(of.place(items.start, items.end), f"'of' must be a list, found {type_name(kind)}")
            return None
        item = Bindings(item=kind.item)
        node = self._typing.expression(self._symbol, value, item)
        if node is None or self.fitting(node, attribute, value) is None:
            return None
        condition = self._key(section, "if", item)
        if condition is not None and not is_boolean(type_of(condition)):
            self._diagnostics.error(
                section.position_of("if"), f"'if' must be a boolean, found {type_name(type_of(condition))}"
            )
            return None
        otherwise = self._key(section, "otherwise", NOTHING)
        return Aggregate(function, node, items, condition, otherwise, type=type_of(node))

    def _key(self, section: Section, key: str, bindings: Bindings) -> Node | None:
        expression = section.expression(key)
        return None if expression is None else self._typing.expression(self._symbol, expression, bindings)


def instance_default(
    symbol: Symbol, section: Section, instance: Instance, typing: Typing, diagnostics: Diagnostics
) -> Instance:
    """Return a value instance with its key ``default``."""
    expression = section.expression("default")
    node = None if expression is None else typing.expression(symbol, expression)
    if expression is None or node is None:
        return instance
    node = fold(node)
    wanted = type_of(node)
    if not isinstance(node, CONSTANTS) or not (assignable(wanted, instance.type) or is_integer(wanted)):
        message = f"the 'default' of this value instance must be a constant of its type, {type_name(instance.type)}"
        diagnostics.error(expression.position, message)
        return instance
    return replace(instance, default=node)


def with_added_items(
    symbol: Symbol, section: Section, attribute: Attribute, typing: Typing, diagnostics: Diagnostics
) -> Attribute:
    """Return an attribute with its keys ``begins-with``, ``ends-with`` and ``indexer``."""
    found: list[Node | None] = []
    for key in ("begins-with", "ends-with"):
        value, items = section.get(key), None
        if isinstance(value, Items):
            plain = attribute.repeat is not None and attribute.switch is None and isinstance(attribute.type, UserType)
            if symbol.outer is not None or not plain:
                message = f"'{key}' requires a repeated attribute of the outermost type, with a user-defined type"
                diagnostics.error(section.position_of(key), message)
            else:
                bindings = Bindings(stream=False, written=attribute.type if key == "ends-with" else None)
                items = ObjectReader(symbol, typing, diagnostics, bindings).list(value, attribute.type)
        found.append(items)
    indexer = section.word("indexer")
    if indexer and "ends-with" not in section:
        diagnostics.error(section.position_of("indexer"), "'indexer' requires 'ends-with'")
    return updated(attribute, begins_with=found[0], ends_with=found[1], indexer=indexer)


def size_of(
    symbol: Symbol, member: Member, section: Section, attribute: Attribute, diagnostics: Diagnostics
) -> tuple[str, str] | None:
    """Return the first and the last of the attributes that the key ``size-of`` names.

    Args:
        symbol: The type of the attribute.
        member: The attribute as declared.
        section: Its extensions.
        attribute: The attribute, which must be a single integer without another source.
        diagnostics: Receives the errors.

    Returns:
        The two names; ``None`` without the key, and on errors.
    """
    if "size-of" not in section or "size-of" in section.missing:
        return None
    position, value = section.position_of("size-of"), section.get("size-of")
    other = _other_source(attribute)
    if other:
        diagnostics.error(
            position, f"'size-of' requires an integer without 'if' and 'repeat', but this attribute {other}"
        )
        return None
    names = [value] if isinstance(value, Text) else list(section.texts("size-of"))
    known = {each.id: each for each in symbol.of_kind("attribute")}
    for name in names:
        if name.value not in known:
            if not symbol.unknown_members:
                instances = {each.id: each for each in symbol.of_kind("instance")}
                hint = no_attribute(name.value, known, instances.get(name.value))
                diagnostics.error(name.position, f"{symbol.name} has no attribute {shown(name.value)}{hint}")
            return None
    first, last = known[names[0].value], known[names[-1].value]
    if not member.index < first.index <= last.index:
        diagnostics.error(position, f"'size-of' must name attributes after {shown(member.id)}, in their order")
        return None
    return first.id, last.id


def _other_source(attribute: Attribute) -> str:
    """Return another source of the value of an attribute, or a reason why it is not a single integer; for the error."""
    if attribute.repeat is not None or attribute.switch is not None or attribute.condition is not None:
        return "is not one"
    if attribute.default is not None:
        return "has a default"
    return "is filled in already" if attribute.checksum is not None or attribute.contents is not None else ""


def check_defaults(struct: Struct, diagnostics: Diagnostics) -> None:
    """Report defaults and sizes of objects: only varints, which are integers by now, can have them. Also report
    checksums that begin inside the attributes whose size a preceding varint is, since their position is unknown when
    writing."""
    order = {each.id: number for number, each in enumerate(struct.attributes)}
    for each in struct.attributes:
        if each.position is None:
            continue
        if each.default is not None and isinstance(each.type, UserType) and each.repeat is None:
            message = (
                f"'default' requires a single value, but {shown(each.id)} is an object of {shown(each.type.path[-1])}"
            )
            diagnostics.error(each.position, message)
        if each.size_of is None:
            continue
        if not isinstance(each.type, IntegerType | VarintType):
            message = f"'size-of' requires an integer, but {shown(each.id)} is {type_name(each.type)}"
            diagnostics.error(each.position, message)
        inside = range(order[each.size_of[0]], order[each.size_of[1]] + 1)
        sums = (one for one in struct.attributes if one.checksum is not None)
        found = next((one.id for one in sums if _begins_in(one, order, inside)), "")
        if found and isinstance(each.type, VarintType):
            message = f"the checksum {shown(found)} begins inside the attributes whose size is {shown(each.id)}"
            diagnostics.error(each.position, message)


def _begins_in(attribute: Attribute, order: dict[str, int], places: range) -> bool:
    sum = attribute.checksum
    return sum is not None and (order.get(sum.first) in places or order[attribute.id] in places)
