"""Names in expressions, and the typing of expressions and value instances."""

from __future__ import annotations

import re

from wireloom.base.dataclass import dataclass, field, replace

from ..expression.lexer import ExpressionError
from ..expression.nodes import SLICE, Call, IntegerLiteral, ListLiteral, MemberAccess, Name, Node
from ..expression.typer import UnknownNameError, type_of, typed
from ..expression.types import (
    AnyStructType,
    BytesType,
    ComputedIntegerType,
    EnumType,
    ListType,
    Path,
    StreamType,
    Type,
    UserType,
    is_integer,
    is_text,
    type_name,
)
from ..spec.diagnostics import Diagnostics
from ..spec.kinds import IDENTIFIER
from ..spec.syntax import Expression, keep_source
from ..tree.leaves import Enum
from ..words import shown, suggestion
from .declare import BUILT_IN_PARAMETERS, plain_type
from .resolve import find_enum, find_type, may_be_enum, may_be_type, unknown_enum, unknown_type
from .sizes import Sizes
from .symbols import AlreadyReportedError, Member, Symbol, World

ALWAYS = ("_root", "_parent", "_io", "_sizeof")


class _NotTypedYetError(Exception):
    """A value instance that is needed has not been typed: it is typed first, and then the expression is retried."""

    def __init__(self, symbol: Symbol, member: Member) -> None:
        super().__init__(member.id)
        self.symbol = symbol
        self.member = member


@dataclass(frozen=True)
class Bindings:
    """The names that an expression can use besides members: ``_`` (``item``), ``_on`` and whether there is an
    ``_index`` and a stream ``_io``. ``unknown``: these are unknown, since the expression of the switch has an error.
    ``written``: the type of the items that have been written of a file: there are ``_offset`` and ``_count``, and with
    ``_`` also ``_size``."""

    item: Type | None = None
    switch_on: Type | None = None
    index: bool = False
    unknown: bool = False
    stream: bool = True
    written: Type | None = None


def _is_variable(member: Member) -> bool:
    return member.section.extensions is not None and member.section.extensions.flag("variable")


NOTHING = Bindings()
UNKNOWN = Bindings(unknown=True)


@dataclass
class Typing:
    """Types the expressions of one compilation."""

    world: World
    diagnostics: Diagnostics
    sizes: Sizes
    _busy: bool = field(default=False)
    _labels: dict[Path, frozenset[str]] = field(default_factory=dict)

    def expression(self, symbol: Symbol, expression: Expression, bindings: Bindings = NOTHING) -> Node | None:
        """Return the typed tree of an expression inside ``symbol``; ``None`` if it has an error, which is reported."""
        try:
            node = typed(expression.node, StructScope(self, symbol, bindings))
            keep_source(node, expression)
            return node
        except ExpressionError as error:
            # A name that is unknown twice in one expression is reported once.
            for each in reversed({one.message: one for one in reversed((error, *error.others))}.values()):
                hint = self._about_text(symbol, expression, bindings)
                self.diagnostics.error(expression.place(each.start, each.end), each.message, hint=hint)
        except AlreadyReportedError:
            # Something that it depends on has an error of its own.
            pass
        return None

    def _about_text(self, symbol: Symbol, expression: Expression, bindings: Bindings) -> str:
        """Return help for an expression that is a word which may be meant as text: its quotes are those of YAML, or it
        is a value of text."""
        word = expression.node
        is_meant = bool(expression.scalar.style) or (bindings.item is not None and is_text(bindings.item))
        if not isinstance(word, Name) or word.id in symbol.members or not is_meant:
            return ""
        return f"""text in an expression has quotes of its own, within those of YAML: '"{word.id}"'"""

    def labels_of(self, enum: Enum) -> frozenset[str]:
        """Return the names of an enum's members. Cached, since an enum may be long and used often."""
        found = self._labels.get(enum.path)
        if found is None:
            found = self._labels[enum.path] = frozenset(each.label for each in enum.labels)
        return found

    def quiet(self) -> Typing:
        """Return a copy that reports no errors, for use before everything is known."""
        return Typing(self.world, Diagnostics(silent=True), self.sizes)

    def member_type(self, symbol: Symbol, member: Member) -> Type:
        """Return the type of a member. Raises ``AlreadyReportedError`` if it has an error."""
        if member.type is None and not member.failed:
            if self._busy:
                raise _NotTypedYetError(symbol, member)
            self.instance(symbol, member)
        if member.failed or member.type is None:
            raise AlreadyReportedError
        return member.type

    def instance(self, symbol: Symbol, member: Member) -> None:
        """Type a value instance and those that it depends on. Uses a stack instead of recursion, since chains can be
        long."""
        waiting = [(symbol, member)]
        known = {id(member)}
        while waiting:
            current, one = waiting[-1]
            expression = one.section.expression("value")
            if one.value is not None or expression is None:
                one.failed = one.failed or expression is None
                waiting.pop()
                continue
            self._busy = True
            try:
                node = self._initial(one, expression) or self.expression(current, expression)
                if node is not None:
                    node = self._sliced(current, one, node)
            except _NotTypedYetError as needed:
                # A known one is still on the stack: those that have left it are typed or have failed, and are not
                # requested again.
                if id(needed.member) in known:
                    self._cycle(waiting, needed.member)
                else:
                    known.add(id(needed.member))
                    waiting.append((needed.symbol, needed.member))
                continue
            finally:
                self._busy = False
            waiting.pop()
            self._finish(one, node)

    def _sliced(self, symbol: Symbol, member: Member, value: Node) -> Node | None:
        """Return the part of a value that the key ``slice`` selects, as an internal call."""
        extensions = member.section.extensions
        section = extensions.section("slice") if extensions is not None and "slice" in extensions else None
        if section is None:
            return value
        if not isinstance(type_of(value), BytesType):
            message = f"'slice' requires bytes, found {type_name(type_of(value))}"
            self.diagnostics.error(section.position, message)
            return None
        size = MemberAccess(value, "size", type=ComputedIntegerType())
        ends: dict[str, Node | None] = {"from": IntegerLiteral(0, type=ComputedIntegerType()), "to": size}
        for key in ends:
            expression = section.expression(key)
            if expression is None:
                continue
            node = ends[key] = self.expression(symbol, expression)
            if node is not None and not is_integer(type_of(node)):
                message = f"'{key}' must be an integer, found {type_name(type_of(node))}"
                self.diagnostics.error(expression.place(node.start, node.end), message)
                return None
        begin, end = ends.values()
        if begin is None or end is None:
            return None
        return Call(value, SLICE, (begin, end), start=value.start, end=value.end, type=BytesType())

    def _initial(self, member: Member, expression: Expression) -> Node | None:
        """Return the empty list that is the initial value of a variable, all of which have the same type of items."""
        node = expression.node
        if not isinstance(node, ListLiteral) or node.items or not _is_variable(member):
            return None
        node = replace(node, type=BytesType())
        keep_source(node, expression)
        return node

    def _finish(self, member: Member, node: Node | None) -> None:
        if node is None:
            member.failed = True
            return
        member.value = node
        if isinstance(member.type, EnumType):
            base = type_of(node)
            if isinstance(base, EnumType):
                # The same number by another name.
                member.value = MemberAccess(node, "to_i", start=node.start, end=node.end, type=ComputedIntegerType())
            elif not is_integer(base):
                self.diagnostics.error(
                    member.section.position_of("enum"), f"'enum' requires an integer, found {type_name(base)}"
                )
                member.failed = True
        else:
            member.type = type_of(node)
            if isinstance(member.type, BytesType) and _is_variable(member):
                # A list of small numbers may also be a byte array.
                member.type = ListType(ComputedIntegerType())
                member.value = replace(node, type=member.type)

    def _cycle(self, waiting: list[tuple[Symbol, Member]], member: Member) -> None:
        start = next(index for index, (_, each) in enumerate(waiting) if each is member)
        names = [each.id for _, each in waiting[start:]]
        shown_names = names if len(names) <= 8 else [*names[:7], "…"]
        chain = " → ".join([*shown_names, member.id])
        expression = member.section.expression("value")
        place = (
            expression.place(expression.node.start, expression.node.end) if expression is not None else member.position
        )
        self.diagnostics.error(place, f"{shown(member.id)} depends on itself: {chain}")
        for _, each in waiting[start:]:
            each.failed = True
        del waiting[start:]


@dataclass(frozen=True)
class StructScope:
    """The scope of expressions inside one type of the spec (see ``expression.typer.Scope``)."""

    typing: Typing
    symbol: Symbol
    bindings: Bindings

    def name(self, name: str) -> Type:
        """Return the type of a bare name."""
        if name == "_" and self.bindings.item is not None:
            return self.bindings.item
        if name == "_on" and self.bindings.switch_on is not None:
            return self.bindings.switch_on
        if name == "_index" and self.bindings.index:
            return ComputedIntegerType()
        if self.bindings.written is not None and name in (
            "_offset",
            "_count" if self.bindings.item is None else "_size",
        ):
            return ComputedIntegerType()
        reasons = {
            "_": "'_' is only available in 'valid' and 'repeat-until', and as an item or checksum in 'for-each', "
            "'largest', 'smallest', 'stored' and 'continues'",
            "_on": "'_on' is only available in the cases of a switch",
            "_index": "'_index' is only available in repeated attributes",
            "_offset": "'_offset' is only available in 'ends-with'",
            "_count": "'_count' is only available in 'ends-with', outside of 'for-each'",
            "_size": "'_size' is only available in 'for-each'",
            **({} if self.bindings.stream else {"_io": "'_io' is not available in 'begins-with' and 'ends-with'"}),
        }
        if name in reasons and self.bindings.unknown:
            raise AlreadyReportedError
        if name in reasons:
            raise UnknownNameError(reasons[name])
        return self._in(self.symbol, name)

    def member(self, path: Path, name: str) -> Type:
        """Return the type of ``name`` in a value of the user type ``path``."""
        symbol = self.typing.world.at(path)
        if symbol is None:
            raise UnknownNameError(f"the fields of the opaque type '{'::'.join(path)}' are not known")
        return self._in(symbol, name)

    def _in(self, symbol: Symbol, name: str) -> Type:
        if name == "_root":
            return UserType(symbol.root.path)
        if name == "_io":
            return StreamType()
        if name == "_parent":
            return self._parent(symbol)
        member = symbol.members.get(name)
        if member is None:
            if symbol.unknown_members:
                raise AlreadyReportedError
            known = [*symbol.members, *(ALWAYS if name.startswith("_") else ())]
            hint = self._elsewhere(symbol, name) or suggestion(name, known)
            if not re.fullmatch(IDENTIFIER, name.lstrip("_")):
                raise UnknownNameError(f"invalid ID: {shown(name)}, expected /^{IDENTIFIER}$/{hint}")
            raise UnknownNameError(f"unable to access {shown(name)} in {symbol.name} context{hint}")
        if member.field is not None and member.field.message is not None and member.field.message.key is not None:
            raise UnknownNameError(f"{shown(name)} is a map, which expressions cannot use")
        return self.typing.member_type(symbol, member)

    def _parent(self, symbol: Symbol) -> Type:
        if not symbol.parents and symbol.file.unknown_holders:
            raise AlreadyReportedError
        # An object that nothing in this file contains may be contained in one of another spec: a cast gives its type.
        return UserType(symbol.parents[0].path) if len(symbol.parents) == 1 else AnyStructType()

    def _elsewhere(self, symbol: Symbol, name: str) -> str:
        item = self.bindings.item if symbol is self.symbol else None
        inner = self.typing.world.at(item.path) if isinstance(item, UserType) else None
        outer = [("_root", symbol.root), *(("_parent", each) for each in symbol.parents)]
        for word, other in (("_", inner), *outer):
            if other is not None and other is not symbol and name in other.members:
                return f"; did you mean '{word}.{name}'?"
        for holder in symbol.outwards() if symbol is self.symbol else ():
            for id, enum in holder.enums.items():
                if name in self.typing.labels_of(enum):
                    return f"; did you mean '{id}::{name}'?"
        return ""

    def enum(self, path: tuple[str, ...], label: str) -> EnumType:
        """Return the enum that ``path`` refers to, which must have the label."""
        name = "::".join(path)
        found = find_enum(self.typing.world, self.symbol, name)
        if found is None:
            if may_be_enum(self.typing.world, self.symbol, name):
                raise AlreadyReportedError
            raise UnknownNameError(unknown_enum(self.symbol, name))
        labels = self.typing.labels_of(found)
        holder = self.typing.world.at(found.path[:-1])
        if label not in labels and holder is not None and found.path[-1] in holder.unknown_labels:
            raise AlreadyReportedError
        if label not in labels:
            place = "".join(f"/types/{each}" for each in found.path[1:-1]) + f"/enums/{found.path[-1]}"
            sentence = f"unable to find enum member '{name}::{label}' (enum '{name}' defined at {place})"
            raise UnknownNameError(f"{sentence}{suggestion(label, labels)}")
        return EnumType(found.path, ComputedIntegerType())

    def cast(self, target: str) -> Type:
        """Return the type that the name in ``.as<…>`` or ``sizeof<…>`` refers to."""
        name, is_list = (target[:-2], True) if target.endswith("[]") else (target, False)
        type = plain_type(name)
        if type is None:
            found = find_type(self.typing.world, self.symbol, name)
            if found is None and not self.symbol.opaque_types:
                if may_be_type(self.typing.world, self.symbol, name):
                    raise AlreadyReportedError
                raise UnknownNameError(unknown_type(self.typing.world, self.symbol, name, BUILT_IN_PARAMETERS))
            type = UserType(found.path) if found else UserType(tuple(filter(None, name.split("::"))), opaque=True)
        return ListType(type) if is_list else type

    def size_in_bits(self, type: Type) -> int:
        """Return the size in bits on the wire of all values of the type."""
        return self.typing.sizes.of_type(type)

    def own_size_in_bits(self) -> int:
        """Return the size in bits of the type that the expression belongs to."""
        return self.typing.sizes.of_symbol(self.symbol)

    def member_size_in_bits(self, path: Path, name: str) -> int:
        """Return the size in bits of an attribute."""
        symbol = self.typing.world.at(path)
        if symbol is None or name not in symbol.members:
            return self.size_in_bits(self.member(path, name))
        return self.typing.sizes.of_member(symbol, name)

    def own_path(self) -> Path:
        """Return the path of the type that the expression belongs to."""
        return self.symbol.path
