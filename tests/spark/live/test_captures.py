"""Captured packets in Spark: sections of both byte orders, units of time, and a table beside the default one."""

from pyspark.sql import SparkSession

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
