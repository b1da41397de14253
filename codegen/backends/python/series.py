"""Items of a simple type, read one after the other out of the bytes at hand.

Most items hold, and all their bytes are there. For these a loop takes the fields from the buffer itself, and asks the
stream only for more. Whatever does not hold, or is not there as a whole, is left to the ordinary reader: it says why,
at the same place and in the same words as ever.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ...expression.types import BytesType, EnumType, StringType, UserType
from ...model.model import Attribute, ExpressionSize
from ...plan.covers import checksums
from ...plan.sizes import fixed_size, runs
from .api import Api
from .buffered_types import part_types, series_types
from .checksums import computed
from .expressions import SUM
from .fused import Piece, is_cooked, names_text, offsets, pieces, raw_name, unpack
from .marks import Marks
from .names import field_name
from .reading import codec, trimmed
from .scope import ClassScope, member
from .validation import check_lines
from .view import Line, Lines, MethodView, block

FAMILY = {"_io": "io", "_parent": "parent", "_root": "root"}
"""What a constructor would keep."""


def series_methods(scope: ClassScope) -> tuple[MethodView, ...]:
    """``_series``, the items of a type one after the other, and ``_part``, one of them inside another simple item; each
    where something asks for it."""
    module, annotations = scope.module, scope.annotations
    if scope.struct.path not in series_types(module) | part_types(module):
        return ()
    any_, boolean = scope.use("Any"), annotations.builtin("bool")
    stream, name = scope.use("KaitaiStream"), module.class_of(scope.struct.path)
    family = f"cls, io: {stream}, parent: {any_}, root: {any_}"
    found = []
    if scope.struct.path in series_types(module):
        arguments, doc = family, "Reads items one after the other: without end, or to the end of the stream."
        if _writes(scope):
            arguments += f", items: {annotations.builtin('list')}[{any_}]"
            doc += "\n\nOne that cannot be read is appended to ``items``, as far as it goes."
        found.append(
            MethodView(
                signature=f"_series({arguments}, *, to_end: {boolean} = False) -> {scope.use('Iterator')}[{name}]",
                lines=_series_lines(scope),
                doc=doc,
                decorators=("classmethod",),
            )
        )
    if scope.struct.path in part_types(module):
        integer, data = annotations.builtin("int"), annotations.builtin("bytes")
        answer = f"{annotations.builtin('tuple')}[{name}, {integer}] | None"
        found.append(
            MethodView(
                signature=f"_part({family}, data: {data}, position: {integer}, end: {integer}) -> {answer}",
                lines=_part_lines(scope),
                doc="An object that stands at a position, and where it ends; nothing where it is refused or not there.",
                decorators=("classmethod",),
            )
        )
    return tuple(found)


def _series_lines(scope: ClassScope) -> Lines:
    groups = runs(scope.struct.attributes)
    first = _size(groups[0])
    made = _first_piece(groups[0])
    place = "(position := window.position)"
    head = f"while {place} + {first} <= window.end:" if first else f"while {place} < window.end:"
    item = _Item(scope, Line("break"), "window.end")
    item.lines.append(Line("data = window.data"))
    item.lines += [Line("self = make(data, position)")] if made else [Line("self = new(cls)"), *_family(scope)]
    item.read(groups, made)
    item.lines += [Line(f"window.position = {item.behind(0)}"), Line("yield self")]
    again = [
        Line(f"window = {scope.use('window_of')}(io)"),
        block(head, item.lines),
        block("if to_end and io.is_eof():", [Line("return")]),
        Line("# What does not hold, or is not here as a whole, is read field by field."),
        *_read_alone(scope),
    ]
    loop = block(f"with {scope.use('Held')}(io):", [block("while True:", again)])
    return (_maker_line(scope, made), loop) if made else (Line("new = cls.__new__"), loop)


def _part_lines(scope: ClassScope) -> Lines:
    groups = runs(scope.struct.attributes)
    item = _Item(scope, Line("return None"), "end")
    if first := _size(groups[0]):
        item.lines.append(block(f"if position + {first} > end:", [item.leave]))
    item.lines += [Line("self = cls.__new__(cls)"), *_family(scope)]
    item.read(groups, None)
    return (*item.lines, Line(f"return self, {item.behind(0)}"))


def _writes(scope: ClassScope) -> bool:
    """Whether objects note what is assigned to them, and are read by who makes them."""
    return scope.module.api is Api.KAITAI_READ_WRITE


def _family(scope: ClassScope) -> Lines:
    if not _writes(scope):
        return tuple(Line(f"self.{name} = {value}") for name, value in FAMILY.items())
    return tuple(Line(f"{scope.use('put')}(self, {name!r}, {value})") for name, value in FAMILY.items())


def _kept(scope: ClassScope, name: str, value: str) -> Line:
    """Keeps a value that has been read."""
    if not _writes(scope):
        return Line(f"self.{name} = {value}")
    return Line(f"{scope.module.setter(scope.struct.path, name)}(self, {value})")


def _read_alone(scope: ClassScope) -> Lines:
    if not _writes(scope):
        return (Line("yield cls(io, parent, root)"),)
    return (
        Line("self = cls(io, parent, root)"),
        block("try:", [Line("self._read()")]),
        block("except BaseException:", [Line("items.append(self)"), Line("raise")]),
        Line("yield self"),
    )


def _size(run: tuple[Attribute, ...]) -> int:
    """The bytes of a run, 0 where it is none."""
    return offsets(run)[-1] if fixed_size(run[0]) is not None else 0


def _maker_line(scope: ClassScope, piece: Piece) -> Line:
    packer = scope.module.packer(scope.struct.path, piece.attributes[0].id, piece.code)
    names = names_text([field_name(each.id) for each in piece.attributes])
    return Line(f"make = {scope.use('maker')}(cls, {packer}, {names}, io, parent, root)")


def _first_piece(run: tuple[Attribute, ...]) -> Piece | None:
    """The attributes at the beginning of an item that an object can be made with, if any.

    Texts are not among them: what is unpacked of them is bytes.
    """
    if fixed_size(run[0]) is None:
        return None
    piece = next(pieces(run))
    return None if any(isinstance(each.type, StringType) for each in piece.attributes) else piece


@dataclass
class _Item:
    """The statements that take an item out of ``data``, which ends at ``end``; ``leave`` is the one that gives up.

    The next field begins ``offset`` bytes behind what ``variable`` holds.
    """

    scope: ClassScope
    leave: Line
    end: str
    variable: str = "position"
    offset: int = 0
    lines: list[Line] = field(default_factory=list)
    marks: Marks = field(init=False)

    def __post_init__(self) -> None:
        self.marks = Marks(self.scope.struct)

    def behind(self, size: int) -> str:
        """The text of the place that is ``size`` bytes on."""
        offset = self.offset + size
        return f"{self.variable} + {offset}" if offset else self.variable

    def unless(self, condition: str) -> Line:
        """Gives up where the condition holds."""
        return block(f"if {condition}:", [self.leave])

    def read(self, groups: tuple[tuple[Attribute, ...], ...], made: Piece | None) -> None:
        """All attributes and what is checked of them. The bytes of a first run are there; ``made`` is unpacked."""
        for number, run in enumerate(groups):
            if number and _size(run):
                self.lines.append(self.unless(f"{self.behind(_size(run))} > {self.end}"))
            if fixed_size(run[0]) is not None:
                self._run(run, made if number == 0 else None)
            else:
                self.marks.begins[run[0].id] = self.behind(0)
                self._alone(run[0])
                self.marks.ends[run[0].id] = self.behind(0)
            for attribute in run:
                source = self.scope.source_of(attribute)
                refusals = check_lines(self.scope, attribute, member(attribute.id), source)
                self.lines += [Line(each.text, (self.leave,)) for each in refusals]
        for attribute, checksum in checksums(self.scope.struct):
            first, value = computed(
                self.scope, self.marks, attribute, checksum, lambda begin, end: f"data[{begin}:{end}]"
            )
            self.lines += [*first, self.unless(f"{value} != {member(attribute.id)}")]
        if _writes(self.scope):
            self.lines.append(Line("self._has_read()"))

    def _run(self, run: tuple[Attribute, ...], made: Piece | None) -> None:
        places = offsets(run)
        for number, attribute in enumerate(run):
            self.marks.begins[attribute.id] = self.behind(places[number])
            self.marks.ends[attribute.id] = self.behind(places[number + 1])
        for piece in pieces(run):
            if piece != made:
                self._unpack(piece)
        self.offset += places[-1]
        for attribute in run:
            if is_cooked(attribute):
                there = made is not None and attribute in made.attributes
                text = member(attribute.id) if there else raw_name(attribute)
                self._keep(attribute, trimmed(self.scope, attribute, text))

    def _unpack(self, piece: Piece) -> None:
        call = f"unpack_from(data, {self.behind(piece.offset)})"
        if not _writes(self.scope):
            self.lines.append(unpack(self.scope, piece, call))
            return
        names = ", ".join(raw_name(each) for each in piece.attributes)
        targets = names if len(piece.attributes) > 1 else f"({names},)"
        packer = self.scope.module.packer(self.scope.struct.path, piece.attributes[0].id, piece.code)
        self.lines.append(Line(f"{targets} = {packer}.{call}"))
        plain = (each for each in piece.attributes if not is_cooked(each))
        self.lines += [_kept(self.scope, field_name(each.id), raw_name(each)) for each in plain]

    def _alone(self, attribute: Attribute) -> None:
        """An object, or bytes or text of a size that the item itself tells, or up to a terminator."""
        begin, end = f"begin_{field_name(attribute.id)}", f"end_{field_name(attribute.id)}"
        if isinstance(attribute.type, UserType):
            self._object(attribute, attribute.type, f"part_{field_name(attribute.id)}", end)
            return
        if self.offset:
            self.lines.append(Line(f"{begin} = {self.behind(0)}"))
        else:
            begin = self.variable
        if isinstance(attribute.size, ExpressionSize):
            size = self.scope.translator(attribute.position).text(attribute.size.expression, SUM)
            self.lines += [Line(f"{end} = {begin} + {size}"), self.unless(f"not {begin} <= {end} <= {self.end}")]
            self._keep(attribute, trimmed(self.scope, attribute, f"data[{begin}:{end}]"))
            self.variable, self.offset = end, 0
            return
        terminator = attribute.terminator
        assert terminator is not None
        stop = f"{end} + 1" if terminator.include else end
        self.lines += [Line(f"{end} = data.find({terminator.value!r}, {begin})"), self.unless(f"{end} < 0")]
        self._keep(attribute, f"data[{begin}:{stop}]")
        self.variable, self.offset = end, 1 if terminator.consume else 0

    def _object(self, attribute: Attribute, kind: UserType, part: str, end: str) -> None:
        name = self.scope.module.class_of(kind.path)
        self.lines += [
            Line(f"{part} = {name}._part(io, self, root, data, {self.behind(0)}, {self.end})"),
            self.unless(f"{part} is None"),
        ]
        if _writes(self.scope):
            found = f"object_{field_name(attribute.id)}"
            self.lines += [Line(f"{found}, {end} = {part}"), _kept(self.scope, field_name(attribute.id), found)]
        else:
            self.lines.append(Line(f"{member(attribute.id)}, {end} = {part}"))
        self.variable, self.offset = end, 0

    def _keep(self, attribute: Attribute, text: str) -> None:
        """Assigns a value of which ``text`` are the bytes, or the number."""
        name = field_name(attribute.id)
        match attribute.type:
            case EnumType(path):
                self.lines.append(_kept(self.scope, name, f"{self.scope.module.table(path)}.get({text}, {text})"))
            case StringType(encoding):
                decoded = f"{text}.decode({codec(self.scope, attribute, encoding)!r})"
                self.lines += [
                    block("try:", [_kept(self.scope, name, decoded)]),
                    block("except UnicodeDecodeError:", [self.leave]),
                ]
            case BytesType():
                self.lines.append(_kept(self.scope, name, text))
