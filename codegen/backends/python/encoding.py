"""Values as the text that encodes them, the inverse of ``wire_bytes.bytes_text``, and the content of compressed fields
that is created before anything is written, because its size or checksum is filled in."""

from __future__ import annotations

from collections.abc import Mapping

from wireloom.format.routines import process_place

from ...expression.nodes import Binary, IntegerLiteral, MemberAccess, Name, Node
from ...expression.types import BytesType, FloatType, IntegerType, StringType, UserType, VarintType
from ...expression.walk import walk
from ...passes.filling import depends_on_end
from ...tree import Attribute
from ...tree.leaves import SIZE_PRESERVING, EndOfStreamSize, ExpressionSize, FixedSize, OwnSize, TerminatedSize
from .constructing import parent_text
from .names import field_name
from .scope import ClassScope, member
from .struct_codes import byte_order, number_codes
from .view import Lines
from .wire_bytes import codec

FUNCTIONS = {"zlib": "compress", "xor": "xor", "rol": "rotate_right", "ror": "rotate_left"}
"""Functions that encode the bytes that a process of Kaitai's language decodes."""


def has_bytes(field: Attribute) -> bool:
    """Return whether the value is written as bytes of its own: bytes, text, or an object with a stream of its own."""
    return field.has_stream or isinstance(field.type, BytesType | StringType)


def with_parent(scope: ClassScope, field: Attribute, value: str) -> str:
    """Return the text of an object with its parent and root set."""
    arguments = [value]
    if field.parent is not None:
        arguments.append(f"parent={parent_text(scope, field)}")
    if isinstance(field.type, UserType) and not scope.spec.owns(field.type):
        arguments.append("root=None")
    return f"self._adopt({', '.join(arguments)})"


def content_text(scope: ClassScope, field: Attribute, value: str, *, size_known: bool = True) -> str:
    """Return the text of the bytes of a value before they are fitted into a field of a given size.

    Args:
        scope: The scope of the class.
        field: The attribute of the value.
        value: The text of the value.
        size_known: Whether the size may be used; otherwise it is derived from these bytes.
    """
    match field.type:
        case StringType(encoding):
            text = scope.call("encode", value, repr(codec(encoding)))
        case UserType():
            size = _room(scope, field) if size_known else None
            text = scope.call("enclosed", with_parent(scope, field, value), *([size] if size else []))
        case _:
            text = value
    text = processed_text(scope, field, text)
    if isinstance(field.size, TerminatedSize) and field.terminator is not None:
        end = field.terminator
        keys = [f"include={end.include}", f"consume={end.consume}", *([] if end.eos_error else ["room=io.room()"])]
        text = scope.call("terminated", text, repr(end.value), repr(field.id), *keys)
    return text


def _room(scope: ClassScope, field: Attribute) -> str | None:
    """Return the size of an object's own stream if it equals the size of its field."""
    cut = field.terminator is not None or field.pad_right is not None
    if cut or (field.process is not None and field.process.name not in SIZE_PRESERVING):
        return None
    return _size(scope, field)


def _size(scope: ClassScope, field: Attribute) -> str | None:
    match field.size:
        case ExpressionSize(expression):
            return None if depends_on_end(expression) else scope.text(expression, field)
        case FixedSize(number):
            return str(number)
        case EndOfStreamSize():
            return "io.room()"
    return None


def fitted_text(scope: ClassScope, field: Attribute, content: str) -> str:
    """Return the bytes ``content`` as stored in their field: padded, and of the size that the spec requires."""
    if isinstance(field.size, TerminatedSize | OwnSize) or _is_measured(scope, field):
        return content
    size = _size(scope, field) or "None"
    keys = []
    if field.pad_right is not None:
        keys.append(f"pad={field.pad_right}")
    if field.terminator is not None:
        keys.append(f"terminator={field.terminator.value!r}, include={field.terminator.include}")
    if keys:
        function = "padded"
    elif size == "None":
        return content
    elif isinstance(field.type, UserType) and not _is_message(scope, field.type):
        # The part of its field that an object does not fill is zeros; in a message zeros would have a meaning.
        function = "filled"
    else:
        function = "to_end" if isinstance(field.size, EndOfStreamSize) else "sized"
    return scope.call(function, content, size, repr(field.id), *keys)


def _is_measured(scope: ClassScope, field: Attribute) -> bool:
    """Return whether the size of bytes has been filled in from the bytes themselves, so that no check is needed."""
    if field.repeat is not None or not isinstance(field.size, ExpressionSize):
        return False
    if not isinstance(field.type, BytesType | StringType):
        return False
    match field.size.expression:
        case Name(name):
            added = 0
        case Binary("-", Name(name), IntegerLiteral(added)):
            pass
        case _:
            return False
    size = MemberAccess(Name(field.id), "size")
    return scope.struct.solved(name) == (Binary("+", size, IntegerLiteral(added)) if added else size)


def _is_message(scope: ClassScope, kind: UserType) -> bool:
    return not kind.opaque and scope.spec.struct(kind.path).message is not None


def processed_text(scope: ClassScope, field: Attribute, text: str) -> str:
    """Return the bytes of a field whose content is ``text``: compressed, or encoded by the inverse of its process."""
    process = field.process
    if process is None:
        return text
    arguments = [scope.text(each, field) for each in process.arguments]
    if process.codecs:
        chosen, *size = arguments
        return scope.call("compressed", text, repr(process.codecs), chosen, process.most, *size)
    function = FUNCTIONS.get(process.name, "done")
    if function == "done":
        arguments.insert(0, repr(process_place(process.name)))
    return scope.call(function, text, *arguments)


def packer_text(scope: ClassScope, field: Attribute, kind: IntegerType | FloatType) -> str:
    """Return the constant that packs a number; for a computed byte order, the choice between two."""
    code = number_codes(kind)
    if kind.endian != "computed":
        return scope.module.packer(scope.struct.path, field.id, byte_order(kind.endian) + code)
    little, big = (scope.module.packer(scope.struct.path, field.id, order + code) for order in "<>")
    return f"{little} if self._is_le else {big}"


def varint_text(scope: ClassScope, field: Attribute, kind: VarintType, value: str) -> str:
    """Return the text that encodes a varint."""
    order = f"big_endian={kind.big_endian}", f"zigzag={kind.zigzag}"
    return scope.call("varint", value, kind.groups, repr(field.id), *order)


def write_number(scope: ClassScope, packer: str, names: str, value: str) -> str:
    """Return the statement that packs and writes a number; ``names``: the field that is named if it does not fit."""
    return f"io.write_bytes({scope.call('packed', packer, names, value)})"


def is_array(field: Attribute) -> bool:
    """Return whether the items of a repeated field are plain numbers, which are written in one step."""
    kind = field.type
    plain = not field.checks and field.switch is None
    return plain and isinstance(kind, IntegerType | FloatType) and kind.endian != "computed"


def array_arguments(field: Attribute, values: str) -> tuple[str, ...]:
    """Return the arguments of the functions that pack the items of a field of which ``is_array`` is true."""
    assert isinstance(field.type, IntegerType | FloatType)
    return repr(byte_order(field.type.endian)), repr(number_codes(field.type)), repr(field.id), values


Contents = Mapping[str, str]
"""By field, the text of its content before compression: a local variable, or the value itself."""


def contents_of(scope: ClassScope) -> Contents:
    """Return the fields whose content is required for values that are filled in."""
    used = {each.last for each in scope.struct.checksums if each.of_object}
    for fill in scope.struct.fills:
        if fill.how == "solved" and fill.value is not None:
            used |= contents_in(fill.value)
    return {each.id: _text(each) for each in scope.struct.attributes if each.id in used}


def contents_in(expression: Node) -> set[str]:
    """Return the ids of the fields from whose content a solved value is computed."""
    members = (each for each in walk(expression) if isinstance(each, MemberAccess) and each.name == "content")
    return {each.value.id for each in members if isinstance(each.value, Name)}


def content_lines(scope: ClassScope, contents: Contents) -> Lines:
    """Return the statements that create the content of objects."""
    return tuple(
        f"{contents[each.id]} = {scope.call('enclosed', with_parent(scope, each, member(each.id)))}"
        for each in scope.struct.attributes
        if each.id in contents and isinstance(each.type, UserType)
    )


def _text(field: Attribute) -> str:
    return f"content_{field_name(field.id)}" if isinstance(field.type, UserType) else member(field.id)
