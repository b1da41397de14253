"""Descriptors → the keys and values of a spec."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from wireloom.base.dataclass import dataclass, field
from wireloom.base.errors import UnsupportedError

from .declarations import FIELDS, MEMBERS, Declaration, Declarations
from .names import Names, member_names
from .yaml_text import Value

if TYPE_CHECKING:
    from google.protobuf.descriptor_pb2 import FieldDescriptorProto, FileDescriptorProto
from typing import TYPE_CHECKING

KINDS = {
    1: "double",
    2: "float",
    3: "int64",
    4: "uint64",
    5: "int32",
    6: "fixed64",
    7: "fixed32",
    8: "bool",
    9: "string",
    12: "bytes",
    13: "uint32",
    15: "sfixed32",
    16: "sfixed64",
    17: "sint32",
    18: "sint64",
}
"""The scalar types, by ``FieldDescriptorProto.Type``."""
GROUP, MESSAGE, ENUM = 10, 11, 14
REQUIRED, REPEATED = 2, 3
"""Values of ``FieldDescriptorProto.Label``."""

Keys = dict[str, Value]


@dataclass
class Converter:
    """Converter of descriptors to the types and enums of a spec. ``warnings``: sentences about what a spec cannot
    express, with its name.
    """

    files: Sequence[FileDescriptorProto]
    root_name: str
    warnings: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.declarations = Declarations(self.files, self.root_name)
        self.comments = Comments()
        self.labels: dict[str, dict[str, str]] = {}
        """By enum and protobuf name of a member: its name in the spec, including aliases of the same value."""
        for top in self.declarations.tops:
            _refuse_editions(top.file)
            for each in top.all():
                if each.enum is not None:
                    self._name_members(each)

    def body(self) -> Keys:
        """Return the keys ``types`` and ``enums`` of the spec."""
        return self._inside(self.declarations.tops)

    def message(self, name: str) -> Declaration | None:
        """Return the message with the protobuf name ``name``: with its package, or without if that is unambiguous."""
        full = self.declarations.by_name.get(f".{name.lstrip('.')}")
        if full is not None:
            return full if full.message is not None else None
        found = [each for each in self.messages() if each.full_name.endswith(f".{name}")]
        return found[0] if len(found) == 1 else None

    def messages(self) -> list[Declaration]:
        """Return all messages of the main file."""
        tops = [each for each in self.declarations.tops if each.file is self.files[-1]]
        return [each for top in tops for each in top.all() if _is_type(each)]

    # Types and enums -------------------------------------------------------------------------------------------------

    def _inside(self, declared: Sequence[Declaration]) -> Keys:
        groups = {each.full_name for each in declared if _is_group(each)}
        types = {each.name: self._type(each) for each in declared if _is_type(each) and each.full_name not in groups}
        enums = {each.name: self._enum(each) for each in declared if each.enum is not None}
        return {**({"types": types} if types else {}), **({"enums": enums} if enums else {})}

    def _type(self, declared: Declaration) -> Keys:
        message = declared.message
        assert message is not None
        name = declared.full_name[1:]
        if message.options.message_set_wire_format:
            self.warnings.append(f"{name}: a message set, whose items are not imported")
        if message.extension_range:
            self.warnings.append(f"{name}: extensions are treated as unknown fields")
        names = self.field_names(declared)
        oneofs = self._oneofs(declared, names)
        fields: list[Value] = []
        for index, each in enumerate(message.field):
            if each.type == GROUP:
                self.warnings.append(f"{name}.{each.name}: groups are not imported, and are skipped when reading")
                continue
            keys = self._field(each, declared, oneofs)
            if each.type == MESSAGE and declared.full_name in self.declarations.reached(each.type_name):
                # The message contains itself through this field, so a column can contain it only as text.
                keys["json"] = True
            fields.append(
                {"id": names[each.number], **keys, **self.comments.doc(declared.file, (*declared.path, FIELDS, index))}
            )
        syntax = "proto3" if declared.file.syntax == "proto3" else "proto2"
        return {
            **self.comments.doc(declared.file, declared.path),
            "-wireloom": {"message": {"syntax": syntax, "fields": fields}},
            **self._inside(declared.inner),
        }

    def _enum(self, declared: Declaration) -> Keys:
        enum = declared.enum
        assert enum is not None
        members: Keys = {}
        for index, each in enumerate(enum.value):
            if str(each.number) in members:
                continue
            label = self.labels[declared.full_name][each.name]
            doc = self.comments.doc(declared.file, (*declared.path, MEMBERS, index))
            members[str(each.number)] = {"id": label, **doc} if doc else label
        return members

    def _name_members(self, declared: Declaration) -> None:
        enum = declared.enum
        assert enum is not None
        names, by_number = Names(frozenset(), ""), dict[int, str]()
        labels = self.labels.setdefault(declared.full_name, {})
        for each in enum.value:
            if each.number in by_number:
                first = by_number[each.number]
                self.warnings.append(f"{declared.full_name[1:]}.{each.name}: an alias of {first}, not imported")
            else:
                by_number[each.number] = names.add(each.name)
            labels[each.name] = by_number[each.number]

    # Fields ----------------------------------------------------------------------------------------------------------

    def field_names(self, declared: Declaration) -> dict[int, str]:
        """Return the spec's names of a message's fields, by number."""
        message = declared.message
        assert message is not None
        names = member_names()
        return {each.number: names.add(each.name) for each in message.field if each.type != GROUP}

    def _oneofs(self, declared: Declaration, fields: dict[int, str]) -> list[str]:
        """Return the names of the message's oneofs, distinct from those of fields. Optional fields of proto3 are oneofs
        of their own, and are excluded.
        """
        message = declared.message
        assert message is not None
        names = Names(frozenset(fields.values()), "oneof")
        names.taken.update(fields.values())
        return [names.add(each.name) for each in message.oneof_decl]

    def _field(self, field: FieldDescriptorProto, place: Declaration, oneofs: list[str]) -> Keys:
        found: Keys = {"number": field.number}
        entry = self.map_entry(field)
        if entry is not None:
            key, value = entry
            return {**found, "map-key": KINDS[key.type], "type": self._word(value, place)}
        found["type"] = self._word(field, place)
        proto3 = place.file.syntax == "proto3"
        if field.label == REPEATED:
            found["label"] = "repeated"
            if field.options.HasField("packed") and field.options.packed != proto3:
                found["packed"] = field.options.packed
        elif field.label == REQUIRED:
            found["label"] = "required"
        elif field.proto3_optional:
            found["label"] = "optional"
        elif field.HasField("oneof_index"):
            found["oneof"] = oneofs[field.oneof_index]
        if field.HasField("default_value"):
            found["default"] = self._default(field)
        return found

    def map_entry(self, field: FieldDescriptorProto) -> tuple[FieldDescriptorProto, FieldDescriptorProto] | None:
        """Return the key and the value field of a map field; ``None`` for other fields."""
        declared = self.declarations.by_name.get(field.type_name) if field.type == MESSAGE else None
        if declared is None or declared.message is None or not declared.message.options.map_entry:
            return None
        key, value = declared.message.field
        return key, value

    def _word(self, field: FieldDescriptorProto, place: Declaration) -> str:
        if field.type not in (MESSAGE, ENUM):
            return KINDS[field.type]
        target = self.declarations.by_name[field.type_name]
        if target.enum is not None and target.file.syntax == "proto3" and place.file.syntax != "proto3":
            self.warnings.append(
                f"{place.full_name[1:]}.{field.name}: undefined values of the enum are treated as unknown fields"
            )
        return self.declarations.reference(target, place)

    def _default(self, field: FieldDescriptorProto) -> Value:
        if field.type == ENUM:
            return self.labels[field.type_name][field.default_value]
        return default_of(KINDS[field.type], field.default_value)


def _refuse_editions(file: FileDescriptorProto) -> None:
    if file.syntax not in ("", "proto2", "proto3"):
        sentence = "uses a protobuf edition: only proto2 and proto3 can be imported"
        raise UnsupportedError(sentence, path=file.name)


def _is_type(declared: Declaration) -> bool:
    message = declared.message
    return message is not None and not message.options.map_entry and not _is_group(declared)


def _is_group(declared: Declaration) -> bool:
    """Return whether the message is that of a group, which is declared next to the field in the same message."""
    outer = declared.outer.message if declared.outer is not None else None
    fields = outer.field if outer is not None else ()
    return any(each.type == GROUP and each.type_name == declared.full_name for each in fields)


class Comments:
    """The comments of a file, by the path of their declarations."""

    def __init__(self) -> None:
        self._of: dict[str, dict[tuple[int, ...], str]] = {}

    def doc(self, file: FileDescriptorProto, path: tuple[int, ...]) -> dict[str, Value]:
        """Return the key ``doc`` with the comment before a declaration, or else the one after it; empty if there is
        none.
        """
        if file.name not in self._of:
            self._of[file.name] = {
                tuple(each.path): _tidy(each.leading_comments or each.trailing_comments)
                for each in file.source_code_info.location
            }
        text = self._of[file.name].get(path, "")
        return {"doc": text} if text else {}


def _tidy(comment: str) -> str:
    """Return a comment without the space after ``//`` and without empty lines at both ends.

    >>> _tidy(" One.\\n   Two.\\n\\n")
    'One.\\n  Two.'
    """
    lines = [line.rstrip() for line in comment.replace("\r\n", "\n").expandtabs().split("\n")]
    margin = min((len(line) - len(line.lstrip()) for line in lines if line), default=0)
    return "\n".join(line[margin:] for line in lines).strip("\n").lstrip()


def default_of(kind: str, text: str) -> Value:
    """Return the value of the key ``default`` for a field of a scalar type.

    >>> default_of("bool", "true"), default_of("int32", "-5"), default_of("float", "1e+20"), default_of("double", "inf")
    (True, -5, 1e+20, 'inf')
    >>> default_of("bytes", r"a\\001"), default_of("bytes", r"\\377")
    ('a\\x01', [255])
    """
    if kind == "bool":
        return text == "true"
    if kind == "string":
        return text
    if kind == "bytes":
        return _bytes(text)
    if kind in ("float", "double"):
        return text if text in ("inf", "-inf", "nan") else float(text)
    return int(text)


def _bytes(text: str) -> Value:
    from google.protobuf.text_encoding import CUnescape

    data: bytes = CUnescape(text)
    try:
        return data.decode()
    except UnicodeDecodeError:
        return list(data)
