"""Conversion of a trace to a tree of fields."""

from __future__ import annotations

from typing import Any

from ..objects.errors import FAILURES
from ..objects.messages.errors import MessageError
from ..objects.messages.objects import Message
from ..objects.structs import Struct
from .field import MOST_FIELDS, Field, instance_names, named_by, next_field, sentence_of
from .tracing import KEPT, Assigned, Reading, Trace
from .unfinished import place_of
from .wire_fields import wire_fields_of

MOST_ITEMS = 100
"""Maximum number of items of a list that are shown individually."""
MOST_DEPTH = 50
"""Maximum depth of objects in a tree; deeper ones are omitted."""


def tree(trace: Trace, struct: Struct, failure: Exception | None = None) -> list[Field]:
    """Return the fields of an object as far as it was read; ``failure``: the error that ended the reading."""
    return _Tree(trace, failure).fields(struct)


def items_of(trace: Trace, rows: Field) -> list[Field]:
    """Return all items of the list ``rows``, a field of a tree, including the one at which the reading ended; a single
    object is the only one."""
    if isinstance(rows.value, Struct):
        return [rows]
    values = rows.value if isinstance(rows.value, list) else []
    if not values or not isinstance(values[0], Struct):
        return rows.children
    found = []
    for number, value in enumerate(values):
        made = _Tree(trace, None)
        item = Field(f"[{number}]", value, children=made.fields(value, True))
        made._span(item)
        found.append(item)
    return found + rows.children[min(len(values), MOST_ITEMS) :]


class _Tree:
    def __init__(self, trace: Trace, failure: Exception | None) -> None:
        self._trace = trace
        self._failure = failure
        self._shown: set[int] = set()
        self._count = 0
        self._depth = 0

    def fields(self, struct: Struct, complete: bool | None = None) -> list[Field]:
        reading = self._trace.of(struct)
        if reading is None or id(struct) in self._shown or self._count > MOST_FIELDS or self._depth == MOST_DEPTH:
            return []
        self._shown.add(id(struct))
        self._depth += 1
        try:
            return self._fields(reading, struct, complete)
        finally:
            self._depth -= 1

    def _fields(self, reading: Reading, struct: Struct, complete: bool | None) -> list[Field]:
        complete = self._failure is None if complete is None else complete
        # The value instances are evaluated first, since some of them read more.
        computed = _instances(struct) if complete else {}
        found = self._message(reading, struct) if isinstance(struct, Message) else self._attributes(reading, complete)
        found += self._computed(reading, computed)
        for error, reason in reading.refused:
            name = named_by(struct, error)
            hit = next((each for each in found if _attribute(each) == name), None)
            if hit is None and isinstance(error, MessageError):
                hit = next((each for each in found if self._is_empty(each.value) and each.problem is None), None)
            if hit is None:
                # It has no value: there is nothing from which to create one.
                hit = Field(name or "(refused)", computed=True)
                found.append(hit)
            hit.problem = sentence_of(error, reason)
        for each in found:
            each.owner = type(struct).__qualname__
            if _attribute(each) in struct._checksums and each.value is not None and not each.computed:
                each.checked = False if each.problem is not None else _is_verified(struct, each, complete) or None
        self._count += len(found)
        return found

    def _attributes(self, reading: Reading, complete: bool) -> list[Field]:
        struct = reading.struct
        assigned = {each.name: each for each in reading.assigned}
        sizes = dict(struct._sizes)
        end_bit = max((each.bit for each in reading.assigned if not each.name.startswith(KEPT)), default=0)
        cursor = 8 * reading.begin
        found: list[Field] = []
        for name in struct._fields:
            each = assigned.get(name)
            size = sizes.get(name)
            if each is None:
                # A field of a run whose value could not be converted; the fields after it have values.
                cursor += 8 * size if size is not None and cursor + 8 * size <= end_bit else 0
                continue
            begin = cursor
            if size is not None:
                cursor += 8 * size
            else:
                begin = max(begin, self._aligned(reading, each))
                cursor = max(begin, each.bit)
            made = self._field(reading, name, each, begin, cursor)
            cursor = max(cursor, 8 * made.end) if isinstance(each.value, list) and made.begin >= 0 else cursor
            if made.begin >= 0 and reading.stream.shift is not None:
                made.begin += reading.stream.shift
                made.end += reading.stream.shift
            else:
                made.begin = made.end = -1
            found.append(made)
        if not complete:
            self._add_failed(reading, found, (cursor + 7) // 8)
        return found

    def _message(self, reading: Reading, message: Message) -> list[Field]:
        """Return the fields of a message in the order of its bytes, which extend to the end of its stream."""
        stream = reading.stream
        found = wire_fields_of(message, stream.bytes_at(reading.begin, stream.size()), reading.begin)
        for each in found:
            for _, inner in each.walk():
                inner.begin, inner.end = (
                    (-1, -1) if stream.shift is None else (inner.begin + stream.shift, inner.end + stream.shift)
                )
        return found

    def _is_empty(self, value: object) -> bool:
        """Return whether a value is the empty message that replaces an invalid one."""
        return isinstance(value, Message) and self._trace.of(value) is None

    def _invalid(self, reading: Reading, value: Struct) -> Message | None:
        """Return the message that was read where the value is an empty one; ``None`` if there is none."""
        if not self._is_empty(value):
            return None
        values = [id(each.value) for each in reading.assigned]
        for each in self._trace.readings:
            made = each.struct
            if id(made) in values or id(made) in self._shown:
                continue
            if isinstance(made, Message) and isinstance(made, type(value)) and made._parent is reading.struct:
                return made
        return None

    def _aligned(self, reading: Reading, each: Assigned) -> int:
        """Return the position of whole bytes that were read after a few bits, in bits. The rest of the bits belongs to
        no field.
        """
        inner = self._trace.of(each.value)
        if inner is not None and inner.stream is reading.stream:
            # The last reads may be those of a checksum, of bytes in the middle of the object.
            return 8 * inner.begin
        for read in self._trace.log[each.first : each.last]:
            if read.stream is reading.stream:
                return 8 * read.begin if read.aligned else 0
        return 0

    def _field(self, reading: Reading, name: str, each: Assigned, begin: int, end: int) -> Field:
        """Return a field with its bytes, as positions in its own stream."""
        made = Field(name, each.value, begin // 8, (end + 7) // 8, doc=_doc(type(reading.struct), name))
        if each.value is None:
            made.begin = made.end = -1
        elif isinstance(each.value, Struct):
            invalid = self._invalid(reading, each.value)
            made.children = self.fields(each.value, True) if invalid is None else self.fields(invalid, False)
        elif isinstance(each.value, list):
            self._items(reading, each, made)
        return made

    def _items(self, reading: Reading, each: Assigned, made: Field) -> None:
        """Add the items of a list that was read in a loop, or at once."""
        values: list[Any] = each.value
        if not values:
            return
        if isinstance(values[0], Struct):
            shift = reading.stream.shift or 0
            for number, value in enumerate(values[:MOST_ITEMS]):
                item = Field(f"[{number}]", value, children=self.fields(value, True))
                self._span(item)
                made.children.append(item)
            last = Field("", values[-1], children=self.fields(values[-1], True)) if len(values) > MOST_ITEMS else None
            if last is not None:
                self._span(last)
            ends = [item.end for item in (*made.children, *([last] if last else [])) if item.begin >= 0]
            if ends and reading.stream.shift is not None:
                made.end = max(made.end, max(ends) - shift)
            return
        if made.size:
            width, rest = divmod(made.size, len(values))
            spans = (
                [] if rest else [(made.begin + n * width, made.begin + n * width + width) for n in range(len(values))]
            )
        else:
            reads = [read for read in self._trace.log[each.last :][: len(values)] if read.stream is reading.stream]
            spans = [(read.begin, read.end) for read in reads]
            made.end = max(made.end, *(end for _, end in spans)) if spans else made.end
        if len(spans) == len(values) and reading.stream.shift is not None:
            shift = reading.stream.shift
            for number, (begin, end) in enumerate(spans[:MOST_ITEMS]):
                made.children.append(Field(f"[{number}]", values[number], begin + shift, end + shift))

    def _span(self, item: Field) -> None:
        """Set the bytes of an item: from the beginning of the object to the end of its last field."""
        reading = self._trace.of(item.value)
        if reading is None or reading.stream.shift is None:
            return
        item.begin = item.end = reading.begin + reading.stream.shift
        item.end = max((each.end for each in item.children if not each.computed), default=item.end)

    def _computed(self, reading: Reading, values: dict[str, Any]) -> list[Field]:
        found = []
        kept = {each.name: each for each in reading.assigned}
        for name, value in values.items():
            made = Field(name, value, computed=True, doc=_doc(type(reading.struct), name))
            each = kept.get(KEPT + name)
            reads = self._trace.log[each.first : each.last] if each is not None else []
            if isinstance(value, Exception):
                made.value, made.problem = None, sentence_of(value, "value")
            elif isinstance(value, Struct):
                made.children = self.fields(value, True)
                self._span(made)
            elif reads and reads[0].stream.shift is not None:
                made.begin, made.end = reads[0].begin + reads[0].stream.shift, reads[-1].end + reads[0].stream.shift
            found.append(made)
        return found

    def _add_failed(self, reading: Reading, found: list[Field], cursor: int) -> None:
        """Add the attribute at which the reading ended, with the part of it that was read."""
        struct, error = reading.struct, self._failure
        assert error is not None
        inner = next(
            (
                each.struct
                for each in self._trace.readings
                if each.struct is not struct
                and id(each.struct) not in self._shown
                and getattr(each.struct, "_parent", None) is struct
            ),
            None,
        )
        shift = reading.stream.shift
        if inner is not None:
            children = self.fields(inner, False)
            following, in_list = place_of(inner, struct)
            name = f"[{len(found[-1].value)}]" if in_list else following
            # If the fields of the object are omitted, the object itself has the error that ended the reading.
            item = Field(name, inner, children=children, problem=None if children else sentence_of(error))
            if children:
                self._span(item)
            (found[-1].children if in_list else found).append(item)
            if in_list and item.begin >= 0:
                found[-1].end = max(found[-1].end, item.end)
            return
        named = named_by(struct, error)
        hit = next((each for each in found if each.name == named), None)
        if hit is not None:
            hit.problem = sentence_of(error)
        else:
            end, problem = reading.stream.size(), sentence_of(error)
            if isinstance(error, EOFError) and shift is not None:
                # Fields of fixed sizes are read together, so those that were present have not been assigned
                # individually.
                sizes = dict(struct._sizes)
                while (size := sizes.get(name := next_field(struct, [each.name for each in found]))) is not None:
                    if cursor + size > end:
                        problem = f"{end - cursor} of {size} bytes are present"
                        break
                    found.append(Field(name, None, cursor + shift, cursor + size + shift))
                    cursor += size
            begin = cursor + shift if shift is not None and cursor < end else -1
            rest = end + shift if shift is not None and begin >= 0 else -1
            found.append(Field(next_field(struct, [each.name for each in found]), None, begin, rest, problem=problem))


def _is_verified(struct: Struct, checksum: Field, complete: bool) -> bool:
    """Return whether a checksum without an error has been verified: not where its condition (``if``) is false."""
    needed = getattr(struct, f"_verifies_{_attribute(checksum)}", None)
    return complete and (needed is None or needed())


def _attribute(field: Field) -> str:
    """Return the attribute name of a field; names of message fields are followed by the number and the wire type."""
    return field.name.partition(" ")[0]


def _instances(struct: Struct) -> dict[str, Any]:
    """Return the values of the instances, or the errors of those without one."""
    found: dict[str, Any] = {}
    for name in instance_names(type(struct)):
        try:
            found[name] = getattr(struct, name)
        except FAILURES as error:
            found[name] = error
    return found


def _doc(kind: type[Struct], name: str) -> str:
    """Return the first paragraph of an instance's docstring; attributes have none at run time."""
    found = getattr(kind, name, None)
    text = (found.__doc__ or "") if isinstance(found, property) else ""
    return "" if text.startswith("The instance ``") else " ".join(text.partition("\n\n")[0].split())
