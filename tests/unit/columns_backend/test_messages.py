"""The lowering of tables of messages: programs, schemas, formats, and one sentence if there is none."""

from __future__ import annotations

import importlib
import pickle

import pyarrow as pa
import pytest
from wireloom import Format, UnknownNameError
from wireloom.codegen.backends.columns.message_table import MessageColumn, message_columns
from wireloom.codegen.tree import Spec
from wireloom.format.description import MessageUnits

from .message_specs import KINDS, STREAM
from .specs import format_of


def columns_of(plan: Spec, kind: int = 0) -> dict[str, MessageColumn]:
    assert plan.units is not None
    return {each.name: each for each in message_columns(plan, plan.units.kinds[kind])}


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
