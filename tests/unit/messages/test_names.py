"""Names that have a meaning in Python, the base class or the generated module, from a .proto file to columns."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
import wireloom
from google.protobuf import descriptor_pool, message_factory
from wireloom.codegen.protobuf.importing import file_descriptors, import_proto

from .test_against_protobuf import Both, difference, made

NAMES = (
    "get", "has", "to_bytes", "from_bytes", "from_file", "from_io", "close", "self", "cls", "io", "root",
    "parent", "read",
    "write", "append", "check", "fields", "rule", "descriptor", "types", "assign", "name", "data", "begin",
    "field", "message",
    "class", "def", "None", "True", "not", "lambda", "match", "type", "list", "dict", "int", "str", "bytes",
    "property",
    "classmethod", "len", "Any", "ClassVar", "slots", "dir", "doc", "init", "eq", "repr", "hash", "copy", "mro",
    "value",
    "sub_struct", "has_self", "size", "offset", "unset", "super", "object", "range", "isinstance", "Enum", "IntEnum",
)  # fmt: skip
TYPES = (
    "Message", "Struct", "List", "Dict", "Str", "Int", "Any", "Float", "Bool", "Bytes", "IntEnum", "Mapping",
    "ClassVar",
    "MessageRule", "MessageSet", "FieldRule", "FieldKind", "Label", "None_", "Main", "Names", "Type", "Object",
    "Self",
)  # fmt: skip


@pytest.mark.slow
def test_fields_and_types_of_any_name(tmp_path: Path) -> None:
    fields = [f"string {name} = {number};" for number, name in enumerate(NAMES, 1)]
    held = [f"{name} t_{number} = {number};" for number, name in enumerate(TYPES, len(NAMES) + 1)]
    types = [f"message {name} {{ optional int64 {NAMES[number]} = 1; }}" for number, name in enumerate(TYPES)]
    enum = "enum Names { " + " ".join(f"{name} = {number};" for number, name in enumerate(NAMES)) + " }"
    path = tmp_path / "names.proto"
    body = ["message Odd {", *fields, *held, "Held.Names e = 500;", "}", f"message Held {{ {enum} }}"]
    path.write_text("\n".join(['syntax = "proto3";', *types, *body]))
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file_descriptors(path).file[0])
    (tmp_path / "names.ksy").write_text(import_proto(path, message="Odd").text)
    format = wireloom.load_spec(tmp_path / "names.ksy")
    pair = Both(format, format.message_class, message_factory.GetMessageClass(pool.FindMessageTypeByName("Odd")))
    for peer in made(pair, 0, 20):
        ours = pair.ours.from_bytes(peer.SerializeToString())
        assert difference(ours, peer) == ""
        assert ours.to_bytes() == peer.SerializeToString(deterministic=True)
        assert repr(ours)
        assert ours == pair.ours.from_bytes(ours.to_bytes())
    wires = [each.SerializeToString() for each in made(pair, 1, 20)]
    names = [each.name for each in format.columns]
    rows = wireloom.from_wire(pa.array(wires, pa.binary()), format, columns=names)
    assert wireloom.to_wire(rows, format).to_pylist() == [pair.ours.from_bytes(each).to_bytes() for each in wires]
