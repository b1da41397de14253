"""Checksums as statements: verified after an object has been read, computed when it is written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from wireloom.base.dataclass import dataclass
from wireloom.format.routines import process_place

from ...expression.types import BytesType, IntegerType
from ...expression.walk import names_in
from ...passes.running_checksums import running_checksum_holder, running_checksums_in
from ...tree import Attribute, StoredChecksum
from .marks import Blanked, Marks
from .names import covered_slot, field_name
from .scope import ClassScope, member
from .statements import when
from .struct_codes import byte_order, number_codes
from .view import Lines, MethodView
from .wire_bytes import contains_process_errors, stream_text

ORDERS = {"le": "little", "be": "big"}


def unknown_value(cover: StoredChecksum) -> str:
    """Return the text of the value that the field has until the checksum is known."""
    return f"bytes({cover.attribute.least})" if isinstance(cover.attribute.type, BytesType) else "0"


def _field_text(cover: StoredChecksum) -> str:
    """Return the text of the field that contains a checksum."""
    return ".".join((member(cover.path[0]), *map(field_name, cover.path[1:])))


def verify_lines(scope: ClassScope, marks: Marks, covers: Iterable[StoredChecksum]) -> Lines:
    """Return the statements that verify checksums of a type."""
    return tuple(line for each in covers for line in _verify(scope, marks, each))


def kaitai_checksums(scope: ClassScope) -> tuple[StoredChecksum, ...]:
    """Return the checksums that classes with Kaitai's API verify; they have no access to the content of an object."""
    return tuple(each for each in scope.struct.checksums if not each.of_object)


def verify_content(scope: ClassScope, field: Attribute, part: str) -> Lines:
    """Return the statements that verify the checksums of the decompressed content of a field, which is the stream
    ``part``.
    """
    covers = [each for each in scope.struct.checksums if each.content and each.last == field.id and scope.own]
    content = scope.call("content_of", part) if covers else ""
    return tuple(line for each in covers for line in _verify(scope, Marks(scope.struct), each, content))


def checked_content(scope: ClassScope, field: Attribute) -> Lines:
    """Return the statements that open the stream of a compressed field and verify the checksums of its content; none if
    there are no such checksums.
    """
    part = f"part_{field_name(field.id)}"
    checked = verify_content(scope, field, part)
    if not checked:
        return ()
    if contains_process_errors(scope, field):
        checked = (when(f"{part} is not None", checked),)
    return (f"{part} = {stream_text(scope, field)}", *checked)


def _verify(scope: ClassScope, marks: Marks, cover: StoredChecksum, content: str = "") -> Lines:
    stored, data, wire, blanked = _field_text(cover), "covered", "", None
    if content:
        data = content
    elif cover.value is not None:
        data = member(cover.value)
    else:
        wire = scope.call("wire_bytes", "io", marks.begins[cover.first], marks.ends[cover.last])
        blanked = marks.blanked(cover)
    lines = comparison_lines(scope, cover, wire, blanked, data, "io")
    running = running_checksum_of(scope, cover)
    if running is not None:
        before = f"before_{running.name}"
        lines = (
            f"{before} = {scope.call('before', *running.arguments, running.nothing)}",
            scope.call("note", *running.arguments, before, stored),
            when(f"{before} is not None", lines),
        )
    lines = when_verified(scope, cover, lines)
    if cover.attribute.condition is None:
        return lines
    there = f"{stored} is not None" if scope.own else f"hasattr(self, {field_name(cover.attribute.id)!r})"
    return (when(there, lines),)


def when_verified(scope: ClassScope, cover: StoredChecksum, lines: Lines) -> Lines:
    """Return the statements that verify a checksum, under the condition with which readers verify it."""
    return lines if cover.condition is None else (when(scope.text(cover.condition, cover.attribute), lines),)


def comparison_lines(
    scope: ClassScope, cover: StoredChecksum, wire: str, blanked: Blanked | None, data: str, io: str
) -> Lines:
    """Return the statements that compute a checksum and refuse the stored one if it differs.

    Args:
        scope: The scope of the class.
        cover: The checksum.
        wire: The text of the covered bytes, which are put into the variable ``covered``; may be empty.
        blanked: The bytes of these that count as another value.
        data: The text of the covered bytes after that.
        io: The text of the stream for the position in the error.
    """
    stored = _field_text(cover)
    arguments = "expected", stored, io, repr(cover.attribute.key_path)
    reason = "digest" if cover.made_by.is_digest else ""
    return (
        *([f"covered = {wire}"] if wire else []),
        *_blanked_lines(scope, blanked),
        f"expected = {computed_text(scope, cover, data)}",
        when(f"expected != {stored}", [scope.refusal("ChecksumError", arguments, reason, loses=False)]),
    )


def _blanked_lines(scope: ClassScope, blanked: Blanked | None) -> Lines:
    """Return the statement that replaces the bytes of a checksum in ``covered``; none if it does not cover itself."""
    if blanked is None:
        return ()
    return (f"covered = {scope.call('replaced', 'covered', blanked.offset, blanked.size, blanked.value)}",)


def computed_text(scope: ClassScope, cover: StoredChecksum, data: str) -> str:
    """Return the text that computes the checksum of the bytes ``data``, in the form that its field contains."""
    previous = f"before_{field_name(cover.attribute.id)}"
    more = "" if cover.continues is None else f", {scope.text(cover.continues, cover.attribute, _=previous)}"
    if cover.extra is not None:
        data = scope.call("with_byte", data, scope.text(cover.extra, cover.attribute))
    text = f"{_function(scope, cover)}({data}{more})" if cover.algorithm else "0"
    if cover.routine is not None:
        arguments = [scope.text(each, cover.attribute) for each in cover.routine.arguments]
        text = scope.call("summed", data, repr(process_place(cover.routine.name)), *arguments)
    size = cover.attribute.least
    if cover.stored is not None:
        return f"self.{_stored_method(cover)}({text})"
    if cover.endian:
        return f"{text}.to_bytes({size}, {ORDERS[cover.endian]!r})"
    if cover.made_by.is_digest and size < cover.made_by.size:
        return f"{text}[:{size}]"
    return text


def _function(scope: ClassScope, cover: StoredChecksum) -> str:
    return scope.module.checksum(cover.algorithm, cover.initial, cover.final_xor)


def covered_lines(scope: ClassScope, marks: Marks, fields: Sequence[Attribute]) -> Lines:
    """Return the statements that record the positions of the bytes covered by checksums in value instances, after the
    last covered field."""
    names = {each.id for each in fields}
    lines = []
    for each in scope.struct.computed_checksums:
        if each.runs[-1][1] in names:
            runs = "".join(f"({marks.begins[first]}, {marks.ends[last]}), " for first, last in each.runs)
            lines.append(f"self.{covered_slot(each.id)} = ({runs})")
    return tuple(lines)


@dataclass(frozen=True)
class RunningChecksum:
    """A checksum that continues the checksum of the previous item.

    ``parent``: the text of the object that has the items. ``nothing``: the text of the checksum of empty bytes.
    """

    parent: str
    name: str
    nothing: str

    @property
    def arguments(self) -> tuple[str, ...]:
        """Return the first arguments of the functions that know the checksum of the previous item."""
        return self.parent, "self", repr(self.name)


def running_checksum_of(scope: ClassScope, cover: StoredChecksum) -> RunningChecksum | None:
    """Return how a checksum continues that of the previous item; ``None`` if it does not."""
    holder = running_checksum_holder(scope.spec, scope.struct) if cover.is_running else None
    if holder is None:
        return None
    nothing = f'{_function(scope, cover)}(b"")'
    return RunningChecksum("self" + "._parent" * holder.up, field_name(cover.attribute.id), nothing)


def running_checksum_lines(scope: ClassScope) -> Lines:
    """Return the statement that begins a writer of items with running checksums; empty for other types."""
    return ("self._running_checksums = {}",) if running_checksums_in(scope.spec, scope.struct.path) else ()


def _stored_method(cover: StoredChecksum) -> str:
    return f"_stored_{'_'.join(map(field_name, cover.path))}"


def stored_methods(scope: ClassScope) -> list[MethodView]:
    """Return the methods that convert a computed checksum to the value that is stored."""
    return [
        MethodView(
            f"{_stored_method(each)}(self, checksum: {scope.annotations.builtin('int')}) -> "
            f"{scope.annotations.builtin('int')}",
            (f"return {scope.text(each.stored, each.attribute, _='checksum')}",),
        )
        for each in scope.struct.verified
        if each.stored is not None
    ]


# Writing ------------------------------------------------------------------------------------------------------------


def precomputed_lines(scope: ClassScope, contents: Mapping[str, str]) -> Lines:
    """Return the statements that compute the checksums that are known before anything is written. The others are set to
    0 until they are known.
    """
    lines: list[str] = []
    for cover in scope.struct.checksums:
        known = contents[cover.last] if cover.of_object else None if cover.value is None else member(cover.value)
        value = unknown_value(cover) if known is None else computed_text(scope, cover, known)
        line = (f"{member(cover.attribute.id)} = {value}",)
        lines.extend(_when_present(scope, cover, line if known is None else _continued(scope, cover, line)))
    return tuple(lines)


def backpatch_lines(scope: ClassScope, marks: Marks) -> Lines:
    """Return the statements that compute the checksums of bytes already written and store them in place. Each comes
    after those inside its range.
    """
    backpatched = [
        each.checksum for each in scope.struct.fills if each.how == "checksum after" and each.checksum is not None
    ]
    return tuple(line for each in backpatched for line in _when_present(scope, each, _backpatch(scope, marks, each)))


def _backpatch(scope: ClassScope, marks: Marks, cover: StoredChecksum) -> Lines:
    stored, field = member(cover.attribute.id), cover.attribute
    begin, end, own = marks.begins[cover.first], marks.ends[cover.last], marks.begins[field.id]
    written = stored
    if isinstance(field.type, IntegerType):
        name = scope.module.packer(
            scope.struct.path, field.id, byte_order(field.type.endian) + number_codes(field.type)
        )
        written = f"{name}.pack({stored})"
    lines = (
        f"covered = io.written({begin}, {end})",
        *_blanked_lines(scope, marks.blanked(cover)),
        f"{stored} = {computed_text(scope, cover, 'covered')}",
        f"io.overwrite({own}, {written})",
    )
    return _continued(scope, cover, lines)


def _continued(scope: ClassScope, cover: StoredChecksum, lines: Lines) -> Lines:
    """Return the statements that compute a checksum, including the checksum that it continues."""
    running = running_checksum_of(scope, cover)
    if running is None:
        return lines
    before, stored = f"before_{running.name}", member(cover.attribute.id)
    # An expression that names the checksum itself, such as that of a record that only repeats the one before, refers to
    # the previous item's.
    return (
        f"{before} = {scope.call('written_before', *running.arguments, running.nothing)}",
        *([f"{stored} = {before}"] if may_continue_itself(cover) else []),
        *lines,
        scope.call("note", *running.arguments, before, stored),
    )


def may_continue_itself(cover: StoredChecksum) -> bool:
    """Return whether the checksum that is continued may be the one that is stored, such as that of a record that only
    says what the log goes on from."""
    return cover.is_running and cover.continues is not None and cover.attribute.id in names_in(cover.continues)


def _when_present(scope: ClassScope, cover: StoredChecksum, lines: Lines) -> Lines:
    """Return the lines under the condition that the checksum exists. A checksum that readers do not verify is written
    anyway, unless its field has a default, which gives the field another meaning."""
    needed = cover.condition is not None and cover.attribute.default is not None
    conditions = [each for each in (cover.attribute.condition, cover.condition if needed else None) if each is not None]
    for condition in reversed(conditions):
        lines = (when(scope.text(condition, cover.attribute), lines),)
    return lines
