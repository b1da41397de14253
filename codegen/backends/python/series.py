"""Items of a simple type, read one after the other out of the bytes at hand.

Most items hold, and all their bytes are there. For these a loop takes the fields from the buffer itself, and asks the
stream only for more. Whatever does not hold, or is not there as a whole, is left to the ordinary reader: it says why,
at the same place and in the same words as ever.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ...model.model import Attribute, ExpressionSize
from ...model.types import BytesType, EnumType, StringType
from .checksums import checksums, computed
from .expressions import SUM
from .fused import Piece, is_cooked, names_text, offsets, pieces, raw_name, unpack
from .layout import fixed_size, runs
from .marks import Marks
from .names import field_name
from .reading import codec, trimmed
from .scope import ClassScope, member
from .simple import uses_series
from .validation import check_lines
from .view import Line, Lines, MethodView, block

BREAK = Line("break")


@dataclass
class _Cursor:
    """Where in ``data`` the next field begins: ``offset`` bytes behind what ``variable`` holds."""

    variable: str = "position"
    offset: int = 0
    marks: dict[str, tuple[str, str]] = field(default_factory=dict)

    @property
    def text(self) -> str:
        return f"{self.variable} + {self.offset}" if self.offset else self.variable


def series_methods(scope: ClassScope) -> tuple[MethodView, ...]:
    """``_series``: a type's items one after the other; nothing where no repetition asks for it."""
    module = scope.module
    if not uses_series(module, scope.struct.path):
        return ()
    any_, boolean = scope.use("Any"), scope.annotations.builtin("bool")
    stream, name = scope.use("KaitaiStream"), module.class_of(scope.struct.path)
    method = MethodView(
        signature=f"_series(cls, io: {stream}, parent: {any_}, root: {any_}, *, to_end: {boolean} = False)"
        f" -> {scope.use('Iterator')}[{name}]",
        lines=_lines(scope),
        doc="Reads items one after the other: without end, or to the end of the stream.",
        decorators=("classmethod",),
    )
    return (method,)


def _lines(scope: ClassScope) -> Lines:
    groups = runs(scope.struct.attributes)
    first = offsets(groups[0])[-1] if fixed_size(groups[0][0]) is not None else 0
    place = "(position := window.position)"
    head = f"while {place} + {first} <= window.end:" if first else f"while {place} < window.end:"
    again = [
        Line(f"window = {scope.use('window_of')}(io)"),
        block(head, _item_lines(scope, groups)),
        block("if to_end and io.is_eof():", [Line("return")]),
        Line("# What does not hold, or is not here as a whole, is read field by field."),
        Line("yield cls(io, parent, root)"),
    ]
    return (_maker_line(scope, groups[0]), block(f"with {scope.use('Held')}(io):", [block("while True:", again)]))


def _maker_line(scope: ClassScope, run: tuple[Attribute, ...]) -> Line:
    head = _made(run)
    if not head:
        return Line("new = cls.__new__")
    code = head[0].code
    packer = scope.module.packer(scope.struct.path, run[0].id, code)
    names = names_text([field_name(each.id) for each in head[0].attributes])
    return Line(f"make = {scope.use('maker')}(cls, {packer}, {names}, io, parent, root)")


def _made(run: tuple[Attribute, ...]) -> list[Piece]:
    """The piece at the beginning of an item that is there as soon as the object is, if any.

    Texts are not: what is unpacked of them is bytes.
    """
    if fixed_size(run[0]) is None:
        return []
    piece = next(pieces(run))
    return [] if any(isinstance(each.type, StringType) for each in piece.attributes) else [piece]


def _item_lines(scope: ClassScope, groups: tuple[tuple[Attribute, ...], ...]) -> Lines:
    lines = [Line("data = window.data")]
    made = _made(groups[0])
    if made:
        lines.append(Line("self = make(data, position)"))
    else:
        lines += [
            Line("self = new(cls)"),
            Line("self._io = io"),
            Line("self._parent = parent"),
            Line("self._root = root"),
        ]
    cursor, marks = _Cursor(), Marks(scope.struct)
    for number, run in enumerate(groups):
        if fixed_size(run[0]) is not None:
            lines += _run_lines(scope, run, cursor, marks, made if number == 0 else None)
        else:
            marks.begins[run[0].id] = cursor.text
            lines += _bytes_lines(scope, run[0], cursor)
            marks.ends[run[0].id] = cursor.text
        for attribute in run:
            lines += _checks(scope, attribute)
    for attribute, checksum in checksums(scope.struct):
        first, value = computed(scope, marks, attribute, checksum, lambda begin, end: f"data[{begin}:{end}]")
        lines += [*first, block(f"if {value} != {member(attribute.id)}:", [BREAK])]
    return (*lines, Line(f"window.position = {cursor.text}"), Line("yield self"))


def _run_lines(
    scope: ClassScope, run: tuple[Attribute, ...], cursor: _Cursor, marks: Marks, made: list[Piece] | None
) -> list[Line]:
    """A run of fields of fixed sizes. Of the first run the bytes are known to be there, and the pieces ``made`` are
    unpacked."""
    places = offsets(run)
    begin = cursor.offset
    for number, attribute in enumerate(run):
        cursor.offset = begin + places[number]
        marks.begins[attribute.id] = cursor.text
        cursor.offset = begin + places[number + 1]
        marks.ends[attribute.id] = cursor.text
    lines = [] if made is not None else [block(f"if {cursor.text} > window.end:", [BREAK])]
    for piece in pieces(run):
        if piece in (made or []):
            continue
        cursor.offset = begin + piece.offset
        lines.append(unpack(scope, piece, f"unpack_from(data, {cursor.text})"))
    cursor.offset = begin + places[-1]
    for attribute in run:
        if is_cooked(attribute):
            there = any(attribute in each.attributes for each in made or [])
            lines += _value_lines(scope, attribute, member(attribute.id) if there else raw_name(attribute))
    return lines


def _bytes_lines(scope: ClassScope, attribute: Attribute, cursor: _Cursor) -> list[Line]:
    """Bytes or text of a size that an item itself tells, or up to a terminator."""
    begin, end = f"begin_{field_name(attribute.id)}", f"end_{field_name(attribute.id)}"
    lines: list[Line] = []
    if cursor.offset:
        lines.append(Line(f"{begin} = {cursor.text}"))
    else:
        begin = cursor.variable
    if isinstance(attribute.size, ExpressionSize):
        size = scope.translator(attribute.position).text(attribute.size.expression, SUM)
        lines += [
            Line(f"{end} = {begin} + {size}"),
            block(f"if not {begin} <= {end} <= window.end:", [BREAK]),
            *_value_lines(scope, attribute, trimmed(scope, attribute, f"data[{begin}:{end}]")),
        ]
        cursor.variable, cursor.offset = end, 0
        return lines
    terminator = attribute.terminator
    assert terminator is not None
    stop = f"{end} + 1" if terminator.include else end
    lines += [
        Line(f"{end} = data.find({terminator.value!r}, {begin})"),
        block(f"if {end} < 0:", [BREAK]),
        *_value_lines(scope, attribute, f"data[{begin}:{stop}]"),
    ]
    cursor.variable, cursor.offset = end, 1 if terminator.consume else 0
    return lines


def _value_lines(scope: ClassScope, attribute: Attribute, text: str) -> list[Line]:
    target = member(attribute.id)
    match attribute.type:
        case EnumType(path):
            return [Line(f"{target} = {scope.module.table(path)}.get({text}, {text})")]
        case StringType(encoding):
            if fixed_size(attribute) is not None:
                text = trimmed(scope, attribute, text)
            name = codec(scope, attribute, encoding)
            return [
                block("try:", [Line(f"{target} = {text}.decode({name!r})")]),
                block("except UnicodeDecodeError:", [BREAK]),
            ]
        case BytesType() if fixed_size(attribute) is not None:
            text = trimmed(scope, attribute, text)
    return [Line(f"{target} = {text}")]


def _checks(scope: ClassScope, attribute: Attribute) -> Lines:
    """The conditions under which the ordinary reader refuses a value."""
    refusals = check_lines(scope, attribute, member(attribute.id), scope.source_of(attribute))
    return tuple(Line(each.text, (BREAK,)) for each in refusals)
