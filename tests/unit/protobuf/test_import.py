"""Specs from .proto files, compared with the descriptors of the same files."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.text_encoding import CUnescape
from wireloom import SpecError, UnknownNameError, UnsupportedError, WireloomError
from wireloom.base.errors import MissingExtraError
from wireloom.codegen.expression.types import EnumType, UserType
from wireloom.codegen.model.load import analyse
from wireloom.codegen.protobuf.convert import ENUM, GROUP, KINDS, MESSAGE, REPEATED, REQUIRED
from wireloom.codegen.protobuf.importing import Imported, file_descriptors, import_proto
from wireloom.codegen.tree import Attribute, Spec, Struct
from wireloom.codegen.tree.leaves import Enum

FOLDER = Path(__file__).parent / "protos"
RICH = ("rich2", "rich3")


def loaded(imported: Imported) -> Spec:
    result = analyse(f"{imported.name}.ksy", imported.text)
    assert result.diagnostics == ()
    assert result.spec is not None
    return result.spec


def imported(tmp_path: Path, text: str, **options: Any) -> Imported:
    path = tmp_path / "demo.proto"
    path.write_text(text)
    return import_proto(path, **options)


def spec_of(tmp_path: Path, text: str, **options: Any) -> Spec:
    return loaded(imported(tmp_path, text, **options))


# Every field of rich files -------------------------------------------------------------------------------------------


class Everything:
    """protoc's description of a file, and the spec that was made from it: the structs and enums by protobuf's names."""

    def __init__(self, name: str) -> None:
        self.files = file_descriptors(FOLDER / f"{name}.proto").file
        self.spec = loaded(import_proto(FOLDER / f"{name}.proto"))
        self.messages: dict[str, tuple[Any, Any]] = {}
        self.entries: dict[str, Any] = {}
        self.enums: dict[str, Any] = {}
        for file in self.files:
            for message in file.message_type:
                self._add(file, message, f".{file.package}")
            for enum in file.enum_type:
                self.enums[f".{file.package}.{enum.name}"] = enum

    def _add(self, file: Any, message: Any, prefix: str) -> None:
        name = f"{prefix}.{message.name}"
        if message.options.map_entry:
            self.entries[name] = message
            return
        self.messages[name] = (file, message)
        for enum in message.enum_type:
            self.enums[f"{name}.{enum.name}"] = enum
        for each in message.nested_type:
            self._add(file, each, name)


def check_message(rich: Everything, name: str, struct: Struct, seen: set[str]) -> None:
    """Compare a message and everything that its fields lead to."""
    if name in seen:
        return
    seen.add(name)
    file, message = rich.messages[name]
    proto3 = file.syntax == "proto3"
    assert struct.message is not None
    assert struct.message.syntax == (file.syntax or "proto2")
    fields = [each for each in message.field if each.type != GROUP]
    assert [each.message.number for each in struct.attributes if each.message] == [each.number for each in fields]
    for descriptor, attribute in zip(fields, struct.attributes, strict=True):
        check_field(rich, message, descriptor, attribute, proto3, seen)


def check_field(
    rich: Everything, message: Any, descriptor: Any, attribute: Attribute, proto3: bool, seen: set[str]
) -> None:
    rule = attribute.message
    assert rule is not None
    entry = rich.entries.get(descriptor.type_name)
    if entry is not None:
        assert rule.key == KINDS[entry.field[0].type]
        assert (rule.label, rule.packed) == ("repeated", False)
        check_type(rich, entry.field[1], attribute, seen)
        return
    check_type(rich, descriptor, attribute, seen)
    in_oneof = descriptor.HasField("oneof_index") and not descriptor.proto3_optional
    if descriptor.label == REPEATED:
        assert rule.label == "repeated"
        packable = descriptor.type not in (MESSAGE, 9, 12)
        packed = descriptor.options.packed if descriptor.options.HasField("packed") else proto3
        assert rule.packed == (packable and packed)
    elif descriptor.label == REQUIRED:
        assert rule.label == "required"
    else:
        present = not proto3 or in_oneof or descriptor.proto3_optional or descriptor.type == MESSAGE
        assert rule.label == ("optional" if present else "implicit")
    assert bool(rule.oneof) == in_oneof
    check_default(rich, descriptor, rule.default)


def check_type(rich: Everything, descriptor: Any, attribute: Attribute, seen: set[str]) -> None:
    assert attribute.message is not None
    kind = attribute.message.kind
    if descriptor.type == MESSAGE:
        assert kind == "message"
        assert isinstance(attribute.type, UserType)
        check_message(rich, descriptor.type_name, rich.spec.struct(attribute.type.path), seen)
    elif descriptor.type == ENUM:
        assert kind == "enum"
        assert isinstance(attribute.type, EnumType)
        check_enum(rich.enums[descriptor.type_name], rich.spec.enum(attribute.type.path))
    else:
        assert kind == KINDS[descriptor.type]


def check_enum(descriptor: Any, enum: Enum) -> None:
    assert [each.value for each in enum.labels] == list(dict.fromkeys(each.number for each in descriptor.value))


def check_default(rich: Everything, descriptor: Any, default: Any) -> None:
    if not descriptor.HasField("default_value"):
        assert default is None
        return
    text = descriptor.default_value
    if descriptor.type == ENUM:
        numbers = {each.name: each.number for each in rich.enums[descriptor.type_name].value}
        assert default == numbers[text]
    elif descriptor.type in (1, 2):
        assert default == pytest.approx(float(text), rel=1e-6, nan_ok=True)
    elif descriptor.type == 8:
        assert default is (text == "true")
    elif descriptor.type == 9:
        assert default == text
    elif descriptor.type == 12:
        assert default == CUnescape(text)
    else:
        assert default == int(text)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "top"), [("rich2", ".rich.two.Everything"), ("rich3", ".rich.three.Log")])
def test_the_model_says_what_the_descriptors_say(name: str, top: str) -> None:
    rich = Everything(name)
    seen: set[str] = set()
    start = next(each for each in rich.spec.root.structs if each.path[-1] == top.rpartition(".")[2].lower())
    check_message(rich, top, start, seen)
    assert len(seen) == {"rich2": 6, "rich3": 7}[name]


@pytest.mark.slow
def test_names() -> None:
    spec = loaded(import_proto(FOLDER / "rich2.proto"))
    assert [each.path[-1] for each in spec.root.structs] == [
        "everything",
        "inner",
        "bool_type",
        "part",
        "parts_inner",
    ]
    assert [each.path[-1] for each in spec.root.enums] == ["mood", "unit"]
    everything = spec.root.structs[0]
    names = [each.id for each in everything.attributes]
    assert names[:2] == ["a_double", "a_float"]
    assert names[-5:] == ["foo_bar", "foo_bar_2", "not_field", "class", "last"]
    assert everything.doc == "Everything that proto2 has."
    assert [each.label for each in spec.root.enums[0].labels] == ["bad_mood", "good_mood", "none"]
    assert spec.root.enums[0].labels[1].doc == "The best one."
    status = loaded(import_proto(FOLDER / "rich3.proto")).root.structs[1].structs[0]
    assert status.path == ("rich3", "entry", "http_status2_xx")


@pytest.mark.slow
def test_names_find_what_they_mean() -> None:
    """The same name refers to different types in different places."""
    spec = loaded(import_proto(FOLDER / "rich2.proto"))
    inner = spec.struct(("rich2", "everything", "inner"))
    mood, outer_mood, _ = (each.type for each in inner.attributes)
    assert isinstance(mood, EnumType)
    assert isinstance(outer_mood, EnumType)
    assert (mood.path, outer_mood.path) == (("rich2", "everything", "inner", "mood"), ("rich2", "mood"))
    up, other = (each.type for each in inner.structs[0].attributes)
    assert (up, other) == (UserType(inner.path), UserType(("rich2", "inner")))


@pytest.mark.slow
def test_what_is_left_out_is_said() -> None:
    assert import_proto(FOLDER / "rich2.proto").warnings == (
        "rich.two.Mood.FINE_MOOD: an alias of good_mood, not imported",
        "rich.two.Everything: extensions are treated as unknown fields",
        "rich.two.Everything.old: groups are not imported, and are skipped when reading",
    )
    assert import_proto(FOLDER / "rich3.proto").warnings == ()


@pytest.mark.slow
def test_defaults_are_exact() -> None:
    everything = loaded(import_proto(FOLDER / "rich2.proto")).root.structs[0]
    defaults = {each.id: each.message.default for each in everything.attributes if each.message}
    assert defaults["a_string"] == 'it\'s "so": # öß \n\t\x01 end '
    assert defaults["some_bytes"] == b"\x00\xff\n"
    assert (defaults["number_text"], defaults["truth_text"], defaults["empty_text"]) == ("12", "true", "")
    assert (defaults["large"], defaults["endless"]) == (1e300, -math.inf)
    assert defaults["small"] == 0.10000000149011612
    assert isinstance(defaults["no_number"], float)
    assert math.isnan(defaults["no_number"])


# The table -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["Log", "rich.three.Log", ".rich.three.Log"])
def test_a_message_makes_it_a_format(name: str) -> None:
    units = loaded(import_proto(FOLDER / "rich3.proto", message=name)).units
    assert units is not None
    (kind,) = units.kinds
    assert (units.at, units.framing, units.prefix, units.digest) == (("message",), "whole", b"", "")
    assert (kind.message, kind.rows, kind.row) == (("rich3", "log"), ("entries",), ("rich3", "entry"))


@pytest.mark.slow
def test_a_message_without_rows_is_one() -> None:
    units = loaded(import_proto(FOLDER / "rich2.proto", message="Everything.Inner")).units
    assert units is not None
    assert (units.kinds[0].rows, units.kinds[0].row) == ((), ("rich2", "everything", "inner"))
    assert loaded(import_proto(FOLDER / "rich2.proto")).units is None


def test_a_message_that_is_not_there() -> None:
    with pytest.raises(UnknownNameError, match=r"did you mean 'rich\.three\.Log'"):
        import_proto(FOLDER / "rich3.proto", message="rich.three.Logg")


# Files ---------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_imports_are_looked_for(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    (tmp_path / "a" / "main.proto").write_text('syntax = "proto3"; import "b/other.proto"; message M { b.O o = 1; }')
    (tmp_path / "b" / "other.proto").write_text('syntax = "proto3"; package b; message O {}')
    with pytest.raises(SpecError, match=r"main.proto:1:20: error: Import \"b/other.proto\" was not found"):
        import_proto(tmp_path / "a" / "main.proto")
    found = loaded(import_proto(tmp_path / "a" / "main.proto", import_paths=[tmp_path]))
    assert [each.path[-1] for each in found.root.structs] == ["m", "o"]


def test_mistakes_are_protocs_own(tmp_path: Path) -> None:
    with pytest.raises(SpecError) as raised:
        imported(tmp_path, 'syntax = "proto3";\nmessage M {\n  int32 a = 1;\n  int33 b = 1;\n}\n')
    lines = str(raised.value).splitlines()
    assert lines[0].startswith(f"{tmp_path / 'demo.proto'}:4:3: error: ")
    assert "int33" in lines[0]


def test_editions_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UnsupportedError, match="only proto2 and proto3 can be imported"):
        imported(tmp_path, 'edition = "2023"; message M { int32 a = 1; }')


def test_files_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(WireloomError, match=r"no_such\.proto: is not a file: give a \.proto file"):
        import_proto(tmp_path / "no_such.proto")


def test_without_protoc(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "grpc_tools", None)
    with pytest.raises(MissingExtraError, match=r"needs the package grpc_tools: pip install 'wireloom\[proto\]'"):
        import_proto(FOLDER / "rich3.proto")


def test_names_that_mean_something_else(tmp_path: Path) -> None:
    """Types named like scalars, like the spec itself, like each other; fields and enums of any name."""
    text = """
    syntax = "proto3";
    message Demo { Demo demo = 1; Bytes bytes = 2; Any any = 3; U4 u4 = 4; Strz strz = 5; }
    message Bytes { enum Bool { FALSE = 0; TRUE = 1; NULL = 2; } Bool bool = 1; }
    message Any { string _a = 1; string _1 = 2; string XMLHttp = 3; A_B a_b = 4; AB ab = 5; }
    message U4 {}
    message Strz {}
    message A_B {}
    message AB {}
    """
    spec = spec_of(tmp_path, text)
    names = [each.path[-1] for each in spec.root.structs]
    assert names == ["demo", "bytes_type", "any_type", "u4_type", "strz_type", "a_b", "ab"]
    assert [each.type for each in spec.root.structs[0].attributes] == [
        UserType(("demo", each)) for each in ("demo", "bytes_type", "any_type", "u4_type", "strz_type")
    ]
    assert [each.id for each in spec.root.structs[2].attributes] == ["a", "n1", "xml_http", "a_b", "ab"]
    assert [each.label for each in spec.root.structs[1].enums[0].labels] == ["false", "true", "null"]


def test_a_oneof_called_like_a_field(tmp_path: Path) -> None:
    text = 'syntax = "proto3"; message M { int32 Kind = 1; oneof kind { int32 a = 2; int32 b = 3; } }'
    (struct,) = spec_of(tmp_path, text).root.structs
    assert [(each.id, each.message.oneof) for each in struct.attributes if each.message] == [
        ("kind", ""),
        ("a", "kind_oneof"),
        ("b", "kind_oneof"),
    ]


def test_comments_of_any_kind(tmp_path: Path) -> None:
    text = """syntax = "proto3";
    /* A block
     * of "two": lines # with \\ everything

     *   and more 🙂 */
    message M {
      int32 a = 1;  // trailing: yes
      //
      //   - a list
      //
      int32 b = 2;
      // \tTab and \x7f
      int32 c = 3;
    }
    """
    (struct,) = spec_of(tmp_path, text).root.structs
    assert "two" in struct.doc
    assert "🙂" in struct.doc
    assert [each.doc for each in struct.attributes] == ["trailing: yes", "- a list", "Tab and \x7f"]
