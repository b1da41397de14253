"""Captured packets in Spark: sections of both byte orders, units of time, and a table beside the default one."""

from pathlib import Path

import pytest
from click.testing import CliRunner
from pyspark.sql import SparkSession
from wireloom.command import main

from ...vectors.cases import HERE, rows


def test_packets_of_several_sections(spark: SparkSession) -> None:
    [case] = [each for each in rows("pcapng", "cases.jsonl") if each["file"] == "sections.pcapng"]
    path = str(HERE / "pcapng" / "sections.pcapng")
    reader = spark.read.format("pcapng")
    found = reader.load(path).selectExpr("interface_id", "unix_micros(ts) AS ts", "original_len", "hex(data) AS data")
    assert [row.asDict() for row in found.collect()] == [
        {
            "interface_id": each["interface_id"],
            "ts": None if each["ts"] is None else each["ts"] // 1000,
            "original_len": each["original_len"],
            "data": each["data"].upper(),
        }
        for each in case["rows"]
    ]
    assert reader.option("table", "interfaces").load(path).count() == 12


@pytest.mark.parametrize(("form", "times"), [("micros", 1000), ("long", 1)])
def test_parquet_files_of_decode(spark: SparkSession, form: str, times: int, tmp_path: Path) -> None:
    source, table = HERE / "pcapng" / "sections.pcapng", tmp_path / "packets.parquet"
    done = CliRunner().invoke(main, ["decode", "pcapng", str(source), "-o", str(table), "--nanoseconds", form])
    assert done.exit_code == 0, done.output
    found = spark.read.parquet(str(table))
    rows = found.selectExpr("unix_micros(ts) AS ts" if form == "micros" else "ts").collect()
    exact = spark.read.format("pcapng").option("nanoseconds", "long").load(str(source)).select("ts").collect()
    assert [row.ts for row in rows] == [None if each.ts is None else each.ts // times for each in exact]
