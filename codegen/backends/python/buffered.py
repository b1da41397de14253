"""Types that are read from a buffer: the fields that are unpacked first, and the method that reads the others."""

from __future__ import annotations

from wireloom.base.dataclass import dataclass
from wireloom.base.dataclass import field as declared

from ...expression.fold import constant_integer
from ...expression.nodes import Binary, IntegerLiteral, Name, Node
from ...expression.types import IntegerType, StringType, UserType
from ...tree import Attribute, Piece, Run, Step, StoredChecksum, run_of
from ...tree.leaves import ExpressionSize
from .checksums import comparison_lines, when_verified
from .expressions import SUM
from .marks import Marks
from .names import Api, field_name
from .runs import converted_value, is_converted, packer, raw_name
from .scope import ClassScope, member
from .statements import when
from .validation import check_field
from .view import Lines, MethodView
from .wire_bytes import decoded, trimmed

BASES = {
    Api.WIRELOOM: "BufferedStruct",
    Api.KAITAI: "BufferedReadStruct",
    Api.KAITAI_READ_WRITE: "BufferedReadWriteStruct",
}
"""Base classes of buffered types."""


def is_buffered(scope: ClassScope) -> bool:
    """Return whether a type is read from a buffer: its objects are repeated, or are inside objects that are."""
    return scope.struct.path in scope.module.buffered


def head_of(scope: ClassScope) -> Piece | None:
    """Return the fields at the beginning of a type from which its objects can be constructed, or ``None``. Texts are
    excluded, since unpacking returns bytes for them.
    """
    first = scope.struct.steps[0]
    if not isinstance(first, Run):
        return None
    piece = first.pieces[0]
    number = next(
        (n for n, each in enumerate(piece.attributes) if isinstance(each.type, StringType)), len(piece.attributes)
    )
    return run_of(piece.attributes[:number]).pieces[0] if number else None


def head_constant(scope: ClassScope) -> tuple[str, ...]:
    """Return the assignment that declares how the head is unpacked."""
    head = head_of(scope) if is_buffered(scope) else None
    return () if head is None else (f"_head = {packer(scope, head)}",)


def rest_method(scope: ClassScope) -> MethodView:
    """Return the method ``_rest``, which reads the fields after the head and checks the values."""
    writer = _Rest(scope)
    integer = scope.annotations.builtin("int")
    return MethodView(f"_rest(self, buffer: {scope.use('Buffer')}, begin: {integer}) -> None", writer.method())


@dataclass
class _Rest:
    """The statements that read an object from a buffer.

    The next field begins ``offset`` bytes after the position in ``variable``.
    """

    scope: ClassScope
    variable: str = "begin"
    offset: int = 0
    lines: list[str] = declared(default_factory=list)
    marks: Marks = declared(init=False)

    def __post_init__(self) -> None:
        self.marks = Marks(self.scope.struct)

    def method(self) -> Lines:
        """Return all statements of the method."""
        head = head_of(self.scope)
        for step in self.scope.struct.steps:
            self._step(step, head)
            head = None
        for cover in self.scope.struct.checksums:
            self._verify(cover)
        self.lines.append(f"buffer.position = {self._after(0)}")
        return tuple(self.lines)

    def _after(self, size: int) -> str:
        """Return the text of the position ``size`` bytes further on."""
        offset = self.offset + size
        return f"{self.variable} + {offset}" if offset else self.variable

    def _step(self, step: Step, head: Piece | None) -> None:
        if isinstance(step, Run):
            self._run(step, head)
            return
        self.marks.begins[step.id] = self._after(0)
        self._alone(step)
        self.marks.ends[step.id] = self._after(0)
        self._check(step, self._after(0))

    def _run(self, run: Run, head: Piece | None) -> None:
        number = len(head.attributes) if head is not None else 0
        made, rest = run.attributes[:number], run.attributes[number:]
        for each in made:
            self._converted(each, member(each.id))
        # Text that cannot be decoded is refused at its end.
        while rest:
            number = next((n for n, each in enumerate(rest, 1) if isinstance(each.type, StringType)), len(rest))
            self._part(run_of(rest[:number]))
            rest = rest[number:]

    def _part(self, run: Run) -> None:
        """Add the statements that unpack the fields of a run."""
        begin, end = self._after(0), self._after(run.size)
        self.lines.append(when(f"{end} > buffer.end", [f"buffer.fetch({begin}, {end})"]))
        for piece in run.pieces:
            unpacked = f"{packer(self.scope, piece)}.unpack_from(buffer.data, {self._after(piece.offset)})"
            self.lines.append(f"{self._targets(piece)} = {unpacked}")
        for each in run.attributes:
            if isinstance(each.type, StringType):
                self.lines.append(f"buffer.position = {end}")
            self._converted(each, raw_name(each))

    def _converted(self, each: Attribute, raw: str) -> None:
        """Convert the unpacked value ``raw`` to the value of its field, and check it."""
        self.marks.begins[each.id] = self._after(0)
        self.offset += each.fixed_size or 0
        self.marks.ends[each.id] = self._after(0)
        if is_converted(each):
            self._keep(each, converted_value(self.scope, each, raw))
        elif self._notes and raw != member(each.id):
            self._keep(each, raw)
        self._check(each, self._after(0))

    def _targets(self, piece: Piece) -> str:
        raw = [self._notes or is_converted(each) for each in piece.attributes]
        names = [
            raw_name(each) if is_raw else member(each.id) for each, is_raw in zip(piece.attributes, raw, strict=True)
        ]
        return f"({names[0]},)" if len(names) == 1 else ", ".join(names)

    def _alone(self, each: Attribute) -> None:
        """Read an object, or bytes or text whose size the item itself determines, or up to a terminator."""
        scope = self.scope
        begin, end = f"begin_{field_name(each.id)}", f"end_{field_name(each.id)}"
        if isinstance(each.type, UserType):
            kind = scope.module.class_of(each.type.path)
            self.lines.append(f"buffer.position = {self._after(0)}")
            self._keep(each, f"{kind}._part(buffer, self._io, self, self._root)")
            self.lines.append(f"{end} = buffer.position")
            self.variable, self.offset = end, 0
            return
        if self.offset:
            self.lines.append(f"{begin} = {self._after(0)}")
        else:
            begin = self.variable
        if isinstance(each.size, ExpressionSize):
            size = each.size.expression
            within = f"not {begin} <= {end} <= buffer.end"
            outside = f"{end} > buffer.end" if self._is_positive(size) else within
            self.lines.append(f"{end} = {self._after_bytes(each, size)}")
            self.lines.append(when(outside, [f"buffer.fetch({begin}, {end})"]))
            self.variable, self.offset = end, 0
            self._keep_bytes(each, trimmed(scope, each, f"buffer.data[{begin}:{end}]"))
            return
        terminator = each.terminator
        assert terminator is not None
        self.lines.append(f"{end} = buffer.find({terminator.value!r}, {begin})")
        self.variable, self.offset = end, 1 if terminator.consume else 0
        stop = f"{end} + 1" if terminator.include else end
        self._keep_bytes(each, f"buffer.data[{begin}:{stop}]")

    def _after_bytes(self, each: Attribute, size: Node) -> str:
        """Return the text of the position after bytes of that size; constants are added up."""
        text, offset = self.scope.translator(each.position).text, self.offset
        match size:
            case Binary("+", value, IntegerLiteral(constant)):
                offset += constant
            case Binary("-", value, IntegerLiteral(constant)):
                offset -= constant
            case value:
                pass
        constants = f" {'-' if offset < 0 else '+'} {abs(offset)}" if offset else ""
        return f"{self.variable} + {text(value, SUM)}{constants}"

    def _is_positive(self, size: Node) -> bool:
        """Return whether a size is never negative, given that reading ends at values that are refused."""
        match size:
            case Name(name):
                least, taken = self._least(name), 0
            case Binary("-", Name(name), IntegerLiteral(taken)):
                least = self._least(name)
            case _:
                return False
        return least is not None and least >= taken

    def _least(self, name: str) -> int | None:
        """Return the minimum value of a field; ``None`` if it is not known."""
        field = self.scope.struct.attribute(name)
        if field is None or not isinstance(field.type, IntegerType) or field.type.signed:
            return None
        bounds = [constant_integer(each.operands[0]) for each in field.checks if each.rule == "at least"]
        return max([0, *(each for each in bounds if each is not None and field.determines_layout)])

    def _keep_bytes(self, each: Attribute, data: str) -> None:
        if isinstance(each.type, StringType):
            self.lines.append(f"buffer.position = {self._after(0)}")
            data = decoded(self.scope, each, each.type.encoding, data, each.key_path)
        self._keep(each, data)

    def _keep(self, each: Attribute, value: str) -> None:
        name = field_name(each.id)
        if self._notes:
            self.lines.append(f"{self.scope.module.setter(self.scope.struct.path, name)}(self, {value})")
        else:
            self.lines.append(f"self.{name} = {value}")

    @property
    def _notes(self) -> bool:
        """Return whether objects record assignments to their fields separately from reading."""
        return self.scope.module.api is Api.KAITAI_READ_WRITE

    def _check(self, each: Attribute, end: str) -> None:
        self.lines += check_field(self.scope, each, member(each.id), f"buffer.at({end})")

    def _verify(self, cover: StoredChecksum) -> None:
        scope = self.scope
        data, wire, blanked = "covered", "", None
        if cover.value is not None:
            data = member(cover.value)
        else:
            wire = f"buffer.data[{self.marks.begins[cover.first]}:{self.marks.ends[cover.last]}]"
            blanked = self.marks.blanked(cover)
        lines = comparison_lines(scope, cover, wire, blanked, data, f"buffer.at({self._after(0)})")
        self.lines += when_verified(scope, cover, lines)
