"""Checksums as statements: verified when an object has been read, computed when it is written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from wireloom.checksums import algorithm

from ...expression.types import BytesType, IntegerType, Path, UserType
from ...expression.walk import names_in
from ...plan import Cover, Field
from ...plan.chains import chain_holder, chained_in
from ...wire import OwnSize
from ..base import refuse
from .api import Api
from .marks import Marks
from .module import Module
from .names import field_name
from .processing import defers
from .scope import ClassScope, member
from .struct_codes import byte_order, number_code
from .view import Lines, MethodView
from .wire_bytes import stream_text

ORDERS = {"le": "little", "be": "big"}


def unknown_value(cover: Cover) -> str:
    """Return the text of what the field holds until the checksum is known."""
    return f"bytes({cover.field.least})" if isinstance(cover.field.type, BytesType) else "0"


def _held(cover: Cover) -> str:
    """Return the text of what holds a checksum."""
    return ".".join((member(cover.way[0]), *map(field_name, cover.way[1:])))


def verify_lines(scope: ClassScope, marks: Marks, covers: Iterable[Cover]) -> Lines:
    """Verify checksums of a type."""
    return tuple(_verify(scope, marks, each) for each in covers)


def seen_covers(scope: ClassScope) -> tuple[Cover, ...]:
    """Return the checksums that classes with Kaitai's API verify: they do not see the content of an object."""
    return tuple(each for each in scope.struct.covers if not each.of_object)


def verify_content(scope: ClassScope, field: Field, part: str) -> Lines:
    """Verify the checksums of what a compressed field expands to, which is the stream ``part``."""
    covers = [each for each in scope.struct.covers if each.content and each.last == field.id and scope.own]
    content = scope.code("content", part=part) if covers else ""
    return tuple(_verify(scope, Marks(scope.struct), each, content) for each in covers)


def checked_content(scope: ClassScope, field: Field) -> Lines:
    """Take the stream of a compressed field, and verify the checksums of its content; nothing if there are none."""
    part = f"part_{field_name(field.id)}"
    checked = verify_content(scope, field, part)
    if not checked:
        return ()
    if defers(scope, field):
        checked = (scope.code("when", condition=f"{part} is not None", body=checked, otherwise=()),)
    return (f"{part} = {stream_text(scope, field)}", *checked)


def _verify(scope: ClassScope, marks: Marks, cover: Cover, content: str = "") -> str:
    stored, data, wire, blanked = _held(cover), "covered", "", None
    if content:
        data = content
    elif cover.value is not None:
        data = member(cover.value)
    else:
        wire = scope.code("wire_bytes", begin=marks.begins[cover.first], end=marks.ends[cover.last])
        blanked = marks.blanked(cover)
    values = {"wire": wire, "blanked": blanked, "computed": computed_text(scope, cover, data)}
    chain = _chain(scope, cover)
    line = scope.code("checksum", stored=stored, statement=refused_checksum(scope, cover, "io"), **values)
    if chain is not None:
        line = scope.code("chained", chain=chain, held=stored, body=(line,))
    if cover.needed is not None:
        needed = scope.text(cover.needed, cover.field)
        line = scope.code("when", condition=needed, body=(line,), otherwise=())
    if cover.condition is None:
        return line
    there = f"{stored} is not None" if scope.own else f"hasattr(self, {field_name(cover.field.id)!r})"
    return scope.code("when", condition=there, body=(line,), otherwise=())


def refused_checksum(scope: ClassScope, cover: Cover, io: str) -> str:
    """Return the statement that refuses a checksum; ``io`` is the stream for the error."""
    template = "kaitai_refusal" if scope.module.api is Api.KAITAI else "refusal"
    given = ("expected", _held(cover))
    reason = "digest" if cover.made_by.is_digest else ""
    return scope.code(template, error="ChecksumError", given=given, io=io, place=cover.field.place, reason=reason)


def computed_text(scope: ClassScope, cover: Cover, data: str) -> str:
    """Return the text of the checksum of the bytes ``data``, as its field holds it."""
    function = _function(scope, cover)
    previous = f"before_{field_name(cover.field.id)}"
    more = () if cover.continues is None else (scope.text(cover.continues, cover.field, _=previous),)
    text = scope.code("computed_checksum", function=function, data=data, more=more)
    size = cover.field.least
    if cover.stored is not None:
        return scope.code("computed_checksum", function=f"self.{_stored_method(cover)}", data=text, more=())
    if cover.endian:
        return scope.code("number_in_bytes", value=text, size=size, order=ORDERS[cover.endian])
    if cover.made_by.is_digest and size < cover.made_by.size:
        return scope.code("first_bytes", value=text, size=size)
    return text


def _function(scope: ClassScope, cover: Cover) -> str:
    parameters = (cover.initial, cover.final_xor) if cover.made_by != algorithm(cover.algorithm) else ()
    return scope.module.checksum(cover.algorithm, parameters)


@dataclass(frozen=True)
class Chain:
    """A checksum that continues that of the item before. ``parent``: the text of the object that holds the items;
    ``nothing``: that of the checksum of no bytes."""

    parent: str
    name: str
    nothing: str


def _chain(scope: ClassScope, cover: Cover) -> Chain | None:
    """Return what a checksum continues, if that is of the item before. Raises ``SpecError`` if there is none."""
    if not cover.chained:
        return None
    if not scope.own:
        refuse(cover.field.position, "a checksum that continues that of the item before is for wireloom's own classes")
    holder = chain_holder(scope.plan, scope.struct)
    if holder is None:
        refuse(
            cover.field.position,
            f"'{cover.field.id}' continues the checksum of the item before, but objects of '{scope.struct.path[-1]}' "
            "are not always in items of one list without 'framing'",
        )
    nothing = scope.code("computed_checksum", function=_function(scope, cover), data='b""', more=())
    return Chain("self" + "._parent" * holder.up, field_name(cover.field.id), nothing)


def chain_lines(scope: ClassScope) -> Lines:
    """Return the statement with which a writer begins whose items have checksums that continue each other."""
    return ("self._chain = {}",) if chained_in(scope.plan, scope.struct.path) else ()


def _stored_method(cover: Cover) -> str:
    return f"_stored_{'_'.join(map(field_name, cover.way))}"


def stored_methods(scope: ClassScope) -> list[MethodView]:
    """Return the methods that give what is stored for a checksum."""
    return [
        MethodView(
            f"{_stored_method(each)}(self, checksum: {scope.annotations.builtin('int')}) -> "
            f"{scope.annotations.builtin('int')}",
            (scope.code("value_returned", value=scope.text(each.stored, each.field, _="checksum")),),
        )
        for each in scope.struct.verified
        if each.stored is not None
    ]


# Writing ------------------------------------------------------------------------------------------------------------


def early_lines(scope: ClassScope, contents: Mapping[str, str]) -> Lines:
    """Return the checksums that can be computed before anything is written; the others hold 0 until they are known."""
    lines: list[str] = []
    for cover in scope.struct.covers:
        known = contents[cover.last] if cover.of_object else None if cover.value is None else member(cover.value)
        value = unknown_value(cover) if known is None else computed_text(scope, cover, known)
        line = f"{member(cover.field.id)} = {value}"
        lines.extend(_when_present(scope, cover, (line,) if known is None else _continued(scope, cover, line)))
    return tuple(lines)


def late_lines(scope: ClassScope, marks: Marks) -> Lines:
    """Return the checksums over what has been written, each after those that lie in its range, put into their
    places."""
    late = [each.cover for each in scope.struct.fills if each.how == "checksum after" and each.cover is not None]
    done: set[str] = set()
    for cover in late:
        if covered_late(scope, cover) - done - {cover.field.id}:
            refuse(cover.field.position, "these checksums cover each other")
        done.add(cover.field.id)
    return tuple(line for each in late for line in _when_present(scope, each, _late(scope, marks, each)))


def covered_late(scope: ClassScope, cover: Cover) -> set[str]:
    """Return the checksums over what has been written that lie in the range of one."""
    late = (each for each in scope.struct.covers if each.value is None and not each.of_object)
    return {each.field.id for each in late if each.field.id in cover.covered}


def _late(scope: ClassScope, marks: Marks, cover: Cover) -> Lines:
    stored, field = member(cover.field.id), cover.field
    begin, end, own = marks.begins[cover.first], marks.ends[cover.last], marks.begins[field.id]
    written = stored
    if isinstance(field.type, IntegerType):
        name = scope.module.packer(scope.struct.path, field.id, byte_order(field.type.endian) + number_code(field.type))
        written = f"{name}.pack({stored})"
    line = scope.code(
        "checksum_written",
        begin=begin,
        end=end,
        blanked=marks.blanked(cover),
        stored=stored,
        computed=computed_text(scope, cover, "covered"),
        own=own,
        written=written,
    )
    return _continued(scope, cover, line)


def _continued(scope: ClassScope, cover: Cover, line: str) -> Lines:
    """Return the statements that compute a checksum, with what it continues."""
    chain = _chain(scope, cover)
    if chain is None:
        return (line,)
    # What names the checksum itself, such as that of a record that only repeats the one before, gets that one.
    itself = cover.continues is not None and cover.field.id in names_in(cover.continues)
    return (scope.code("chain_written", chain=chain, held=member(cover.field.id), itself=itself, body=(line,)),)


def _when_present(scope: ClassScope, cover: Cover, lines: Lines) -> Lines:
    """Return the lines where there is a checksum. Where it is not verified it is written all the same, unless the field
    has a default, which is something else then."""
    needed = cover.needed is not None and cover.field.default is not None
    conditions = [each for each in (cover.condition, cover.needed if needed else None) if each is not None]
    for condition in reversed(conditions):
        text = scope.text(condition, cover.field)
        lines = (scope.code("when", condition=text, body=lines, otherwise=()),)
    return lines


# For readers that look for rows -------------------------------------------------------------------------------------


DEEPEST_TERM = 4
"""How deep objects without bytes of their own are looked into, to know whether a checksum covers any byte."""


def covers_method(scope: ClassScope) -> MethodView | None:
    """Return whether the checksums of an object, or of what is inside it, cover any byte; nothing if there are none.

    One over nothing holds everywhere, and so proves nothing.
    """
    checked = _checked_types(scope.module)
    if scope.struct.path not in checked:
        return None
    terms = [_own_term(scope, each) for each in scope.struct.verified]
    for field in scope.struct.fields:
        if not checked.isdisjoint(each.path for each in field.held):
            terms.append(_inner_term(field))
    terms = [each for each in terms if each != "False"]
    if len(terms) > 1:
        terms = [f"({each})" if " and " in each else each for each in terms]
    text = "True" if "True" in terms else f"bool({' or '.join(terms)})" if terms else "False"
    return MethodView(
        signature=f"_covers_bytes(self) -> {scope.annotations.builtin('bool')}",
        lines=(f"return {text}",),
        decorators=("property",),
    )


@lru_cache(maxsize=4)
def _checked_types(module: Module) -> frozenset[Path]:
    """Return the types whose objects have checksums, or hold objects that do, at any depth."""
    everything = list(module.plan.family)
    holders: dict[Path, list[Path]] = {}
    for struct in everything:
        for field in struct.fields:
            for kind in field.held:
                holders.setdefault(kind.path, []).append(struct.path)
    found: set[Path] = set()
    waiting = [each.path for each in everything if each.verified]
    while waiting:
        path = waiting.pop()
        if path not in found:
            found.add(path)
            waiting.extend(holders.get(path, ()))
    return frozenset(found)


def _own_term(scope: ClassScope, cover: Cover) -> str:
    fields = [each for each in scope.struct.fields if each.id in cover.covered]
    sure = not cover.content and any(
        each.repeat is None and each.least > 0 and each.condition is None for each in fields
    )
    terms = [] if cover.condition is None else [f"{member(cover.field.id)} is not None"]
    chain = _chain(scope, cover)
    if chain is not None:
        # Without the item before, it was not verified.
        terms.append(f'{scope.use("before")}({chain.parent}, self, "{chain.name}", 0) is not None')
    if cover.needed is not None:
        needed = scope.text(cover.needed, cover.field)
        terms.append(f"({needed})" if " or " in needed or " if " in needed else needed)
    if not sure:
        text = " or ".join(_bytes_term(scope, each, member(each.id)) for each in fields)
        terms.append(f"({text})" if terms and len(fields) > 1 else text)
    return " and ".join(terms) or "True"


def _bytes_term(scope: ClassScope, field: Field, value: str, depth: int = 0) -> str:
    """Return a condition that is true if a field, whose ``value`` is given, has bytes: an object with a stream of its
    own has those of that, any other one those of its fields."""
    if field.switch is not None and field.repeat is None and any(map(_has_stream, field.forms)):
        return f"({value}._io.size() if isinstance({value}, {scope.use('Struct')}) else {value})"
    if field.repeat is not None or not isinstance(field.type, UserType):
        return value
    if _has_stream(field):
        size = f"{value}._io.size()"
    elif field.least or field.type.opaque or depth == DEEPEST_TERM:
        return value
    else:
        fields = scope.plan.type(field.type.path).fields
        terms = (_bytes_term(scope, each, f"{value}.{field_name(each.id)}", depth + 1) for each in fields)
        size = f"({' or '.join(terms) or 'False'})"
    return size if field.condition is None else f"({value} is not None and {size})"


def _has_stream(field: Field) -> bool:
    return isinstance(field.type, UserType) and not isinstance(field.size, OwnSize)


def _inner_term(field: Field) -> str:
    value = member(field.id)
    if field.repeat is not None:
        values = value if field.condition is None else f"({value} or ())"
        inner = "getattr(each, '_covers_bytes', False)" if field.switch is not None else "each._covers_bytes"
        return f"any({inner} for each in {values})"
    if field.switch is not None:
        return f"getattr({value}, '_covers_bytes', False)"
    text = f"{value}._covers_bytes"
    return text if field.condition is None else f"({value} is not None and {text})"
