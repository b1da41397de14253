"""A format directly from a spec file: its code is sent to Spark's workers with the tasks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import wireloom.spark
from wireloom import SpecError
from wireloom.spark.functions import explode_wire, from_wire, to_wire
from wireloom.spark.ingest import ingest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SPEC = """
meta: {id: readings, endian: le, -wireloom: {rows: readings}}
seq: [{id: readings, type: reading, repeat: eos}]
types: {reading: {seq: [{id: sensor, type: u2}, {id: value, type: f4}]}}
"""
DATA = bytes.fromhex("0100 0000803f 0200 0000003f 0300")


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    path = tmp_path / "readings.ksy"
    path.write_text(SPEC)
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "readings.bin").write_bytes(DATA)
    return path


def test_reading_and_writing(spark: SparkSession, spec: Path) -> None:
    wireloom.spark.register(spark, spec)
    found = spark.read.format("readings").load(str(spec.parent / "in"))
    assert sorted(tuple(row) for row in found.collect()) == [(1, 1.0), (2, 0.5)]
    found.write.format("readings").mode("append").save(str(spec.parent / "out"))
    again = wireloom.read(spec, str(spec.parent / "out"))
    assert sorted(again["sensor"].to_pylist()) == [1, 2]


def test_ingest(spark: SparkSession, spec: Path) -> None:
    summary = ingest(spark, str(spec), str(spec.parent / "in"), str(spec.parent / "table"))
    assert summary.rows == 2
    assert summary.report.files[0].tail == "truncated"


def test_an_installed_format_of_the_same_id_is_not_meant(spark: SparkSession, spec: Path) -> None:
    other = spec.with_name("other.ksy")
    other.write_text(SPEC.replace("id: readings, endian", "id: cobs_log, endian"))
    summary = ingest(spark, str(other), str(spec.parent / "in"), str(spec.parent / "table"))
    assert summary.rows == 2
    assert spark.read.parquet(str(spec.parent / "table")).columns == ["sensor", "value"]


ROUTINES = """
class Mirror:
    def decode(self, data):
        return data[::-1]

    encode = decode


class Hooks:
    OPTIONS = ()

    def decoded(self, units, decoded):
        return decoded
"""
MIRRORED = """
meta: {id: mirrored, endian: le, -wireloom: {rows: readings}}
seq: [{id: readings, type: reading, repeat: eos}]
types: {reading: {seq: [{id: word, size: 3, process: routines_of_a_test.mirror}]}}
"""
HOOKED = """
meta: {id: hooked, -wireloom: {message: {type: note, hooks: 'routines_of_a_test:Hooks'}}}
types: {note: {-wireloom: {message: {fields: [{id: text, number: 1, type: string}]}}}}
"""
ALLOWED = ["routines_of_a_test"]


def test_routines_of_a_spec_are_allowed_by_name(spark: SparkSession, tmp_path: Path) -> None:
    module, mirrored, hooked = (tmp_path / each for each in ("routines_of_a_test.py", "mirrored.ksy", "hooked.ksy"))
    module.write_text(ROUTINES)
    mirrored.write_text(MIRRORED)
    hooked.write_text(HOOKED)
    (tmp_path / "words.bin").write_bytes(b"abcdef")
    blobs = spark.createDataFrame([(bytearray(b"\n\1a"),)], "blob binary")
    refused = (
        lambda: wireloom.spark.register(spark, mirrored),
        lambda: ingest(spark, str(mirrored), str(tmp_path / "words.bin"), str(tmp_path / "table")),
        lambda: from_wire("blob", hooked),
        lambda: to_wire("blob", hooked),
        lambda: explode_wire(blobs, "blob", hooked),
    )
    for call in refused:
        with pytest.raises(SpecError, match="--allow-module routines_of_a_test"):
            call()
    spark.sparkContext.addPyFile(str(module))
    wireloom.spark.register(spark, mirrored, allow_modules=ALLOWED)
    found = spark.read.format("mirrored").load(str(tmp_path / "words.bin")).collect()
    assert sorted(bytes(each.word) for each in found) == [b"cba", b"fed"]
    table = str(tmp_path / "table")
    assert ingest(spark, str(mirrored), str(tmp_path / "words.bin"), table, allow_modules=ALLOWED).rows == 2
    lists = blobs.select(from_wire("blob", hooked, allow_modules=ALLOWED).alias("rows"))
    assert lists.collect()[0].rows[0].text == "a"
    assert bytes(lists.select(to_wire("rows", hooked, allow_modules=ALLOWED)).first()[0]) == b"\n\1a"
    assert explode_wire(blobs, "blob", hooked, allow_modules=ALLOWED).first().text == "a"
    blobs.createOrReplaceTempView("blobs_with_routines")
    query = f"SELECT text FROM explode_wire(TABLE(blobs_with_routines), 'blob', '{hooked}', allow_modules => '{{}}')"
    assert spark.sql(query.format(ALLOWED[0])).first().text == "a"
