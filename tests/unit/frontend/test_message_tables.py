"""Tables of messages in the model."""

from __future__ import annotations

from pathlib import Path

import pytest
from wireloom.codegen.expression.types import StringType
from wireloom.codegen.model.load import analyse
from wireloom.codegen.spec.tables import TABLES
from wireloom.codegen.tree import Checksum, Spec
from wireloom.codegen.wire import IntegerText, Message, MessageField, UnitColumn, UnitKind, Units

from tests.unit.frontend.specs import compiled, said

FOLDER = Path(__file__).parent / "messages"


def draft(name: str) -> Spec:
    """Return a spec of this folder."""
    result = analyse(FOLDER / f"{name}.ksy")
    assert result.diagnostics == ()
    assert result.spec is not None
    return result.spec


def test_an_aggregated_record() -> None:
    spec = draft("kpl")
    units, row = ("kpl", "aggregated_record"), ("kpl", "record")
    kind = UnitKind(
        name="",
        message=units,
        rows=("records",),
        row=row,
        columns=(
            UnitColumn("partition_key", row),
            UnitColumn("explicit_hash_key", row),
            "sub_sequence_number",
            UnitColumn("data", row),
            UnitColumn("tags", row),
            "aggregated",
        ),
        selectable=(
            UnitColumn("partition_key_index", row),
            UnitColumn("explicit_hash_key_index", row),
            UnitColumn("partition_key_table", units, 1),
        ),
        row_number="sub_sequence_number",
        mark="aggregated",
        whole="data",
    )
    assert spec.tables == ()
    assert spec.units == Units(
        kinds=(kind,),
        at=("message",),
        packing="wireloom.kpl:Packing",
        hooks="wireloom.kpl:Hooks",
        prefix=bytes.fromhex("f3899ac2"),
        digest="md5",
        least=1,
    )
    hash_key = spec.struct(row).instance("explicit_hash_key")
    assert hash_key is not None
    assert (hash_key.type, hash_key.logical) == (StringType("UTF-8"), IntegerText())
    assert spec.root.attributes[2].checksum == Checksum("md5", "message", "message", 0, 0)


def test_messages_of_several_kinds() -> None:
    spec = draft("s2_messages")
    units = spec.units
    assert units is not None
    assert (units.option, units.default, units.framing) == ("message", "read_batch", "whole")
    batch, append, ack = units.kinds
    assert [each.name for each in units.kinds] == ["read_batch", "append_input", "append_ack"]
    assert (batch.rows, batch.unit_columns, batch.selectable) == (("records",), ("tail",), ())
    assert append.columns[-2:] == (
        UnitColumn("match_seq_num", ("s2_messages", "append_input"), 1),
        UnitColumn("fencing_token", ("s2_messages", "append_input"), 1),
    )
    assert (ack.rows, ack.row) == ((), ack.message)
    header = spec.struct(("s2_messages", "sequenced_record")).attribute("headers")
    assert header is not None
    assert header.message == MessageField(3, "message", "repeated")
    assert spec.struct(("s2_messages", "header")).message == Message("proto3", strict=True)


def test_messages_of_another_spec() -> None:
    units = draft("s2_session").units
    assert units is not None
    assert (units.at, units.framing) == (("frames", "body"), "wireloom.s2.session:SessionFraming")
    assert [each.message[0] for each in units.kinds] == ["s2_messages"] * 3


def table(meta: str, rest: str = "") -> Units:
    body = f"""
  -wireloom:
    message: {{{meta}}}
types:
  batch:
    -wireloom:
      message:
        fields:
          - {{id: groups, number: 1, type: group, label: repeated}}
          - {{id: rows, number: 2, type: row, label: repeated}}
          - {{id: room, number: 3, type: string}}
  group:
    -wireloom:
      message:
        fields:
          - {{id: rows, number: 1, type: row, label: repeated}}
          - {{id: room, number: 3, type: string}}
  row:
    -wireloom:
      message:
        fields:
          - {{id: at, number: 1, type: uint64}}
          - {{id: tree, number: 2, type: tree}}
  tree: {{-wireloom: {{message: {{fields: [{{id: tree, number: 1, type: tree}}]}}}}}}
{rest}"""
    found = compiled(body, "meta:\n  id: demo\n").units
    assert found is not None
    return found


def test_a_table_of_few_words() -> None:
    (kind,) = table("type: batch, rows: groups.rows, row-number: n").kinds
    assert (kind.rows, kind.row) == (("groups", "rows"), ("demo", "row"))
    assert kind.columns == (UnitColumn("at", ("demo", "row")),)
    assert kind.selectable == ("n",)


def test_names_are_those_of_the_nearest_message() -> None:
    columns = "columns: [at, room, n], selectable: []"
    (kind,) = table(f"type: batch, rows: groups.rows, row-number: n, {columns}").kinds
    assert kind.columns == (UnitColumn("at", ("demo", "row")), UnitColumn("room", ("demo", "group"), 1), "n")
    assert kind.selectable == ()


@pytest.mark.parametrize("word", ["whole", "varint", "u1", "u2le", "u2be", "u4le", "u4be", "u8le", "u8be", "a.b:C"])
def test_framings(word: str) -> None:
    assert table(f"type: row, framing: '{word}'").framing == word


def test_other_keys_of_the_table() -> None:
    body = """\
      codec: zstd
      max-record: 5
      path: "{day}/x"
      columns: [a]
      rows: a
      message: {type: m}
types:
  m: {-wireloom: {message: {fields: [{id: day, number: 1, type: bool}]}}}
"""
    assert said(body, "meta:\n  id: demo\n  -wireloom:\n") == [
        "3:13: error: the path pattern has 'day', which is already a column",
        "4:7: error: 'columns' and 'message' cannot be used together: 'message' defines the table",
        "5:7: error: 'rows' and 'message' cannot be used together: 'message' defines the table",
    ]
    body = body.replace("{day}", "{place}").replace("columns: [a]", "").replace("rows: a", "")
    found = compiled(body, "meta:\n  id: demo\n  -wireloom:\n")
    assert (found.codec, found.max_record, found.path_pattern, found.tables) == ("zstd", 5, "{place}/x", ())


IN_A_TABLE = [word for word in TABLES["table"].keys if word in TABLES["meta-extensions"].keys]
VALUES = {"fragments": "{kind: a, data: b, first: 1, last: 2}", "unit": "a", "rows": "a"}


@pytest.mark.parametrize("word", IN_A_TABLE)
@pytest.mark.parametrize(
    ("other", "message"),
    [
        ("message: {type: m}", "'{}' and 'message' cannot be used together: 'message' defines the table"),
        ("tables: {t: {rows: a}}", "'{}' is a key of each table: move it into 'tables'"),
    ],
)
def test_keys_of_a_single_table(word: str, other: str, message: str) -> None:
    names = ("columns", "selectable", "parent-columns")
    value = "[a]" if word in names else VALUES.get(word, "true")
    body = f"      {word}: {value}\n      {other}\n"
    fields = "[{id: b, number: 1, type: bool}]"
    types = f"types:\n  m: {{-wireloom: {{message: {{fields: {fields}}}}}}}\n  r: {{seq: [{{id: b, size: 1}}]}}\n"
    layout = "" if "message" in other else "seq: [{id: a, type: r, repeat: eos}]\n"
    assert said(body + layout + types, "meta:\n  id: demo\n  -wireloom:\n") == [f"1:7: error: {message.format(word)}"]
