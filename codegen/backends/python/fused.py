"""Runs of attributes of fixed sizes: their bytes are read and written in one step."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate

from ...expression.types import BytesType, EnumType, FloatType, IntegerType, StringType
from ...model.model import Attribute
from ...plan.checks import has_checks
from ...plan.sizes import fixed_size
from .api import Api
from .names import field_name
from .reading import attribute_lines, decoded, trimmed
from .scope import ClassScope, member
from .struct_codes import byte_order, number_code
from .validation import check_lines
from .view import Line, Lines, block


@dataclass(frozen=True)
class Piece:
    """Attributes of one byte order within a run; ``code`` is that of Python's ``struct`` module."""

    attributes: tuple[Attribute, ...]
    code: str
    offset: int


def offsets(run: tuple[Attribute, ...]) -> tuple[int, ...]:
    """Where each attribute of a run begins, and at last where the run ends."""
    return tuple(accumulate((fixed_size(each) or 0 for each in run), initial=0))


def pieces(run: tuple[Attribute, ...]) -> Iterator[Piece]:
    """A run in parts of one byte order each; single bytes fit either."""
    begins = offsets(run)
    held: list[Attribute] = []
    endian: str | None = None
    for attribute in run:
        base = _base(attribute)
        wanted = base.endian if isinstance(base, IntegerType | FloatType) and base.size > 1 else None
        if wanted and endian and wanted != endian:
            yield _piece(held, endian, begins[run.index(held[0])])
            held, endian = [], None
        endian = wanted or endian
        held.append(attribute)
    yield _piece(held, endian, begins[run.index(held[0])])


def _piece(attributes: list[Attribute], endian: str | None, offset: int) -> Piece:
    codes = "".join(attribute_code(each) for each in attributes)
    return Piece(tuple(attributes), byte_order(endian) + codes, offset)


def attribute_code(attribute: Attribute) -> str:
    """The code of one attribute of a run, without byte order."""
    base = _base(attribute)
    return number_code(base) if isinstance(base, IntegerType | FloatType) else f"{fixed_size(attribute)}s"


def _base(attribute: Attribute) -> object:
    return attribute.type.base if isinstance(attribute.type, EnumType) else attribute.type


def read_run(scope: ClassScope, run: tuple[Attribute, ...]) -> Lines:
    """Reads a run of at least two attributes, then checks them in order.

    Where the input ends inside the run, the attributes that are there are read one by one as far as one of them decides
    about the layout: a wrong length is a wrong length, whether the rest follows or not.
    """
    if scope.module.api is not Api.WIRELOOM:
        return _read_fields(scope, run)
    size = offsets(run)[-1]
    parts = list(pieces(run))
    unpacked: Lines
    if len(parts) == 1:
        unpacked = (unpack(scope, parts[0], f"unpack(io.read_bytes({size}))"),)
    else:
        unpacked = (
            Line(f"run = io.read_bytes({size})"),
            *(unpack(scope, each, f"unpack_from(run, {each.offset})") for each in parts),
        )
    # Where the last attribute is not there, it decides nothing.
    deciding = [number for number, each in enumerate(run[:-1]) if each.frames_layout and has_checks(each)]
    lines = _with_retreat(scope, unpacked, run[: deciding[-1] + 1]) if deciding else unpacked
    for attribute in run:
        lines += _finish(scope, attribute)
        lines += check_lines(scope, attribute, member(attribute.id), scope.source_of(attribute))
    return lines


def unfailing(attributes: tuple[Attribute, ...]) -> Iterator[tuple[Attribute, ...]]:
    """A run in parts of which only the last attribute may be refused: before what follows it is read."""
    held: list[Attribute] = []
    for attribute in attributes:
        held.append(attribute)
        if has_checks(attribute) or isinstance(attribute.type, StringType):
            yield tuple(held)
            held = []
    if held:
        yield tuple(held)


def _read_fields(scope: ClassScope, run: tuple[Attribute, ...]) -> Lines:
    """The same with the errors of Kaitai's own classes: a run that ends early is one of its fields that does."""
    lines: list[Line] = []
    for piece in pieces(run):
        packer = scope.module.packer(scope.struct.path, piece.attributes[0].id, piece.code)
        lines.append(Line(f"{_targets(piece)} = {scope.use('read_fields')}(io, {packer})"))
    for attribute in run:
        lines += _finish(scope, attribute)
        lines += check_lines(scope, attribute, member(attribute.id), scope.source_of(attribute))
    return tuple(lines)


def unpack(scope: ClassScope, piece: Piece, call: str) -> Line:
    """The statement that unpacks a piece; ``call`` is what is asked of its ``struct.Struct``."""
    packer = scope.module.packer(scope.struct.path, piece.attributes[0].id, piece.code)
    return Line(f"{_targets(piece)} = {packer}.{call}")


def _targets(piece: Piece) -> str:
    names = [raw_name(each) if is_cooked(each) else member(each.id) for each in piece.attributes]
    return f"({names[0]},)" if len(names) == 1 else ", ".join(names)


def _with_retreat(scope: ClassScope, lines: Lines, head: tuple[Attribute, ...]) -> Lines:
    again: list[Line] = [Line(f"{scope.use('retreat')}(io, error)")]
    for attribute in head:
        single = attribute_lines(scope, attribute, member(attribute.id), scope.source_of(attribute))
        again.extend(_raising_from(single, "error"))
    return (
        block("try:", lines),
        block(f"except {scope.use('EndOfStreamError')} as error:", [*again, Line("raise")]),
    )


def _raising_from(lines: Lines, cause: str) -> Lines:
    """The same lines where they stand in an ``except`` block."""
    return tuple(
        Line(
            f"{line.text} from {cause}" if line.text.startswith("raise ") else line.text,
            _raising_from(line.body, cause),
        )
        for line in lines
    )


def names_text(names: list[str]) -> str:
    """A literal of names with spaces between them; the formatter lays the parts of a long one out in lines."""
    parts = textwrap.wrap(" ".join(names), 80)
    return " ".join(repr(part + " ") for part in parts[:-1]) + f" {parts[-1]!r}"


def is_cooked(attribute: Attribute) -> bool:
    """Whether the value needs a step after unpacking."""
    if isinstance(attribute.type, EnumType | StringType):
        return True
    trim = attribute.terminator is not None or attribute.pad_right is not None
    return isinstance(attribute.type, BytesType) and trim


def raw_name(attribute: Attribute) -> str:
    """The local variable that holds what was unpacked of an attribute that needs a step more."""
    return f"raw_{field_name(attribute.id)}"


def _finish(scope: ClassScope, attribute: Attribute) -> Lines:
    if not is_cooked(attribute):
        return ()
    raw = raw_name(attribute)
    if isinstance(attribute.type, EnumType):
        text = f"{scope.module.table(attribute.type.path)}.get({raw}, {raw})"
    else:
        text = trimmed(scope, attribute, raw)
        if isinstance(attribute.type, StringType):
            text = decoded(scope, attribute, attribute.type.encoding, text, scope.source_of(attribute))
    return (Line(f"{member(attribute.id)} = {text}"),)
