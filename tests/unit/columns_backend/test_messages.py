"""The lowering of tables of messages: programs, schemas, formats, and one sentence if there is none."""

from __future__ import annotations

import importlib
import pickle
from dataclasses import replace

import pyarrow as pa
import pytest
from wireloom import Format, UnknownNameError
from wireloom.codegen.backends.columns import BACKEND
from wireloom.codegen.backends.columns.message_lower import coverage
from wireloom.codegen.backends.columns.message_table import MessageColumn, message_columns
from wireloom.codegen.tree import Spec
from wireloom.format.description import MessageUnits
from wireloom.format.message_program import (
    ComputedSource,
    Envelope,
    FieldSource,
    LookupSource,
    MarkSource,
    MessageProgram,
    RowNumberSource,
)
from wireloom.format.message_rules import FieldKind, FieldRule, Label, MessageRule, MessageSet
from wireloom.rows.messages.computing import ComputedColumn

from .message_specs import AGGREGATE, KINDS, STREAM
from .specs import format_of, planned

POSITION = MessageRule(
    "Stream.Position",
    (
        FieldRule("seq_num", 1, FieldKind.UINT64, Label.IMPLICIT),
        FieldRule("timestamp", 2, FieldKind.UINT64, Label.IMPLICIT),
    ),
)


def columns_of(plan: Spec, kind: int = 0) -> dict[str, MessageColumn]:
    assert plan.units is not None
    return {each.name: each for each in message_columns(plan, plan.units.kinds[kind])}


def sources_of(program: MessageProgram) -> tuple[object, ...]:
    """Return the sources of the columns; of computed ones, the names of the columns that they take values of."""
    return tuple(
        tuple(value.column for value in each.inputs) if isinstance(each, ComputedSource) else each
        for each in program.columns
    )


def test_a_table_with_look_ups_and_an_envelope() -> None:
    program = format_of(AGGREGATE).message_program
    assert program is not None
    assert sources_of(program) == (
        LookupSource(FieldSource((1,), up=1), FieldSource((1,)), mask=0xFFFFFFFF),
        LookupSource(FieldSource((2,), up=1), FieldSource((2,)), integer=True),
        RowNumberSource(),
        FieldSource((3,)),
        FieldSource((4,)),
        MarkSource(),
        FieldSource((1,)),
        ("data", "whole"),
        ("data", "whole"),
    )
    assert replace(program, columns=()) == MessageProgram(
        types=MessageSet(
            (
                MessageRule(
                    "Aggregate.Batch",
                    (
                        FieldRule("keys", 1, FieldKind.STRING, Label.REPEATED),
                        FieldRule("hashes", 2, FieldKind.STRING, Label.REPEATED),
                        FieldRule("records", 3, FieldKind.MESSAGE, Label.REPEATED, message=1),
                    ),
                    check_text=False,
                ),
                MessageRule(
                    "Aggregate.Record",
                    (
                        FieldRule("key_index", 1, FieldKind.UINT64, Label.REQUIRED),
                        FieldRule("hash_index", 2, FieldKind.UINT64, Label.OPTIONAL),
                        FieldRule("data", 3, FieldKind.BYTES, Label.REQUIRED),
                        FieldRule("tags", 4, FieldKind.MESSAGE, Label.REPEATED, message=2),
                    ),
                    check_text=False,
                ),
                MessageRule(
                    "Aggregate.Tag",
                    (
                        FieldRule("key", 1, FieldKind.STRING, Label.REQUIRED),
                        FieldRule("value", 2, FieldKind.STRING, Label.OPTIONAL),
                    ),
                    check_text=False,
                ),
            )
        ),
        columns=(),
        rows=(3,),
        envelope=Envelope(b"\1\2", "md5", 1),
        whole=3,
    )


def test_the_format_of_a_table_of_messages() -> None:
    format = format_of(AGGREGATE)
    assert format.engine_refusal is None
    assert format.program is None
    assert (format.root, format.row, format.rows_attribute) == ("Aggregate", "Aggregate.Record", "")
    assert format.message == MessageUnits(
        "Aggregate.Batch",
        rows=("records",),
        row_number="number",
        mark="whole",
        whole="data",
        prefix=b"\1\2",
        digest="md5",
        least=1,
    )
    columns = {each.name: each for each in format.columns}
    assert {name: each.lookup for name, each in columns.items() if each.lookup} == {"key": "item", "hash": "integer"}
    assert {name for name, each in columns.items() if each.derived} == {"number", "whole", "key_index", "size", "text"}
    assert format.default_columns == ("key", "hash", "number", "data", "tags", "whole")
    assert format.schema == pa.schema(
        {
            "key": pa.utf8(),
            "hash": pa.utf8(),
            "number": pa.int32(),
            "data": pa.binary(),
            "tags": pa.list_(pa.struct({"key": pa.utf8(), "value": pa.utf8()})),
            "whole": pa.bool_(),
            "key_index": pa.uint64(),
            "size": pa.int64(),
            "text": pa.utf8(),
        }
    )
    assert (format.message_class.__qualname__, format.row_class.__qualname__) == ("Aggregate.Batch", "Aggregate.Record")


def test_kinds_have_packages_of_their_own() -> None:
    batch = format_of(STREAM)
    assert batch.message is not None
    assert (batch.option, batch.table, batch.tables) == ("message", "batch", ("batch", "ack"))
    assert (batch.message.framing, batch.message.unit_columns) == ("varint", ("tail", "next"))
    ack = batch.of_table("ack")
    assert ack.module == f"{batch.module}.ack"
    assert ack.parser == f"{batch.module}.parser"
    assert (ack.name, ack.row, ack.spec_sha256) == (batch.name, "Stream.Ack", batch.spec_sha256)
    assert ack.message == MessageUnits("Stream.Ack", framing="varint")
    assert (ack.option, ack.table, ack.tables) == ("message", "ack", ("batch", "ack"))
    assert ack.of_table("ack") is ack
    assert ack.of_table("batch").schema == batch.schema
    assert ack.message_class.__qualname__ == "Stream.Ack"
    assert ack.message_class.__module__ == batch.message_class.__module__
    assert ack.default_columns == ("start", "tail")
    with pytest.raises(UnknownNameError, match="batch"):
        batch.of_table("bach")


def test_programs_of_kinds() -> None:
    batch = format_of(STREAM)
    program = batch.message_program
    assert program is not None
    assert sources_of(program) == (
        FieldSource((1,)),
        FieldSource((2,)),
        FieldSource((3,)),
        ("headers", "headers", "headers"),
        FieldSource((2,)),
    )
    assert program.unit_columns == (FieldSource((2,)), FieldSource((3,)))
    assert program.types.messages[0] == MessageRule(
        "Stream.Batch",
        (
            FieldRule("records", 1, FieldKind.MESSAGE, Label.REPEATED, message=1),
            FieldRule("tail", 2, FieldKind.MESSAGE, Label.OPTIONAL, message=2),
            FieldRule("next", 3, FieldKind.UINT64, Label.OPTIONAL),
        ),
        max_depth=5,
    )
    assert [each.strict for each in program.types.messages] == [False, True, False, False]
    assert program.types.messages[2] == POSITION
    assert batch.of_table("ack").message_program == MessageProgram(
        types=MessageSet(
            (
                MessageRule(
                    "Stream.Ack",
                    (
                        FieldRule("start", 1, FieldKind.MESSAGE, Label.OPTIONAL, message=1),
                        FieldRule("tail", 3, FieldKind.MESSAGE, Label.OPTIONAL, message=1),
                    ),
                ),
                POSITION,
            )
        ),
        columns=(FieldSource((1,)), FieldSource((3,)), FieldSource((1, 1))),
    )


def test_the_view_of_a_kind_is_that_of_its_message() -> None:
    plan = planned(STREAM)
    view = BACKEND.lower(plan)
    assert list(view.parts) == ["ack"]
    assert len(view.tables) == 2
    assert plan.units is not None
    assert coverage(plan, plan.units) is None


def test_computed_columns_and_times() -> None:
    format = format_of(STREAM)
    columns = {each.name: each for each in format.columns}
    assert (columns["at"].type, columns["at"].same_as) == ("timestamp[ms, UTC]", "time")
    assert columns["command"].derived
    assert columns["seq_num"].doc == "Its number."
    program = format.message_program
    assert program is not None
    source = program.columns[[*columns].index("command")]
    assert isinstance(source, ComputedSource)
    command = ComputedColumn(source, pa.utf8())
    kind = format.schema.field("headers").type
    headers = pa.array(
        [
            [],
            None,
            [{"name": b"", "value": b"fence"}],
            [{"name": b"x", "value": b"fence"}],
            [{"name": b"", "value": b"a\xffb"}],
            [{"name": b"", "value": b"trim"}, {"name": b"", "value": b"trim"}],
            [{"name": b"", "value": b""}],
        ],
        kind,
    )
    found = [None, None, "fence", None, "a\ufffdb", None, ""]
    for rows in (slice(7), slice(2), slice(2, 3), slice(0)):
        part = headers[rows]
        assert command.array({"headers": part}, len(part)).to_pylist() == found[rows]


PART = pa.struct({"from": pa.uint32(), "at": pa.timestamp("s", "UTC"), "colors": pa.list_(pa.int32())})


def test_arrow_types_of_all_kinds() -> None:
    assert format_of(KINDS).schema == pa.schema(
        {
            "a_double": pa.float64(),
            "a_float": pa.float32(),
            "a_int64": pa.int64(),
            "a_uint64": pa.uint64(),
            "a_int32": pa.int32(),
            "a_fixed64": pa.uint64(),
            "a_fixed32": pa.uint32(),
            "a_bool": pa.bool_(),
            "a_string": pa.utf8(),
            "a_message": PART,
            "a_bytes": pa.binary(),
            "a_uint32": pa.uint32(),
            "a_enum": pa.int32(),
            "a_label": pa.dictionary(pa.int32(), pa.utf8()),
            "a_sfixed32": pa.int32(),
            "a_sfixed64": pa.int64(),
            "a_sint32": pa.int32(),
            "a_sint64": pa.int64(),
            "numbers": pa.list_(pa.int32()),
            "texts": pa.list_(pa.utf8()),
            "parts": pa.list_(PART),
            "by_name": pa.list_(pa.struct({"key": pa.utf8(), "value": PART})),
            "by_number": pa.list_(pa.struct({"key": pa.int32(), "value": pa.int32()})),
            "one": pa.uint32(),
            "other": PART,
            "time": pa.timestamp("us", "UTC"),
            "class": pa.binary(),
        }
    )
    columns = {each.name: each for each in format_of(KINDS).columns}
    assert columns["a_label"].labels == ((0, "red"), (1, "green"), (7, "blue"))
    assert columns["a_enum"].labels == ()
    assert columns["class"].attribute == "class_"


def test_rules_of_all_kinds() -> None:
    program = format_of(KINDS).message_program
    assert program is not None
    rules = {each.name: each for each in program.types.messages[0].fields}
    assert rules["numbers"] == FieldRule("numbers", 20, FieldKind.INT32, Label.REPEATED, packed=True)
    assert rules["a_uint64"] == FieldRule("a_uint64", 4, FieldKind.UINT64, Label.OPTIONAL, default=7)
    assert rules["a_enum"] == FieldRule("a_enum", 14, FieldKind.ENUM, Label.OPTIONAL, values=(0, 1, 7))
    assert rules["by_name"] == FieldRule(
        "by_name", 23, FieldKind.MESSAGE, Label.REPEATED, message=1, key=FieldKind.STRING
    )
    assert rules["one"] == FieldRule("one", 25, FieldKind.UINT32, Label.OPTIONAL, oneof="choice")
    assert program.types.messages[1].fields[2].packed
    assert program.rows == ()


def test_spark_types_of_all_kinds() -> None:
    types = pytest.importorskip("pyspark.sql.types")
    schema = importlib.import_module(f"{format_of(KINDS).module}.spark").SCHEMA
    part = types.StructType(
        [
            types.StructField("from", types.LongType()),
            types.StructField("at", types.TimestampType()),
            types.StructField("colors", types.ArrayType(types.IntegerType())),
        ]
    )
    entry = types.StructType([types.StructField("key", types.StringType()), types.StructField("value", part)])
    assert schema["by_name"].dataType == types.ArrayType(entry)
    assert schema["a_uint64"].dataType == types.DecimalType(20, 0)
    assert schema["a_label"].dataType == types.StringType()
    assert [each.name for each in schema] == [each.name for each in format_of(KINDS).columns]
    ack = importlib.import_module(f"{format_of(STREAM).module}.spark").TABLES["ack"]
    assert [each.name for each in ack] == ["start", "tail", "start_seq_num"]


def test_formats_of_messages_are_plain_data() -> None:
    format = format_of(STREAM).of_table("ack")
    assert pickle.loads(pickle.dumps(format)) == format
    assert isinstance(format, Format)
