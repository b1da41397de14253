"""Rows inside units, read and written by Spark."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import TYPE_CHECKING

import wireloom
import wireloom.spark

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

UNITS = """
meta: {id: blocks, endian: le, file-extension: blk, -wireloom: {rows: blocks.rows, columns: [day, at, points]}}
seq: [{id: magic, contents: [7]}, {id: blocks, type: block, repeat: eos}]
types:
  block: {seq: [{id: day, type: u8}, {id: n, type: u1}, {id: rows, type: row, repeat: expr, repeat-expr: n}]}
  row:
    seq:
      - {id: at, type: u8, -wireloom: {timestamp: ms}}
      - {id: m, type: u1}
      - {id: points, type: point, repeat: expr, repeat-expr: m}
  point: {seq: [{id: x, type: u8}, {id: seen, type: u4, -wireloom: {timestamp: s}}]}
"""


def test_rows_inside_of_units(spark: SparkSession, tmp_path: Path) -> None:
    """Nested columns, unsigned integers in Spark's types, and the number of rows of a unit."""
    spec = tmp_path / "blocks.ksy"
    spec.write_text(UNITS)
    point = struct.pack("<QI", 2**63, 5)
    first = struct.pack("<QB", 2**64 - 1, 2) + struct.pack("<QB", 1, 2) + point * 2 + struct.pack("<QB", 2, 0)
    data = b"\x07" + first + struct.pack("<QBQB", 3, 1, 4, 0)
    (tmp_path / "in.blk").write_bytes(data)
    wireloom.spark.register(spark, spec)
    frame = spark.read.format("blocks").load(str(tmp_path / "in.blk"))
    out = tmp_path / "out"
    frame.coalesce(1).write.format("blocks").mode("overwrite").save(str(out))
    [file] = out.glob("*.blk")
    assert file.read_bytes() == data
    writer = frame.coalesce(1).write.format("blocks").option("unit_rows", "1")
    writer.mode("overwrite").save(str(out))
    [file] = out.glob("*.blk")
    assert wireloom.read(spec, file, columns=["n"])["n"].to_pylist() == [1, 1, 1]
