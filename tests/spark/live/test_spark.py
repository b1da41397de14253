"""In Spark itself: discovery, pruning, modes, SQL, writing."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
import wireloom
import wireloom.spark
from pyspark.errors import AnalysisException, IllegalArgumentException, PySparkException

from ..conftest import NAMES, ROWS, Sample

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

DAMAGED = str(Path(__file__).parents[2] / "vectors" / "edgemq" / "crc_payload_flip.wal.zst")


def rows(frame: DataFrame, *names: str) -> Counter[tuple[object, ...]]:
    # PySpark 4.0 returns binary values as `bytearray`.
    found = (row.asDict().values() for row in frame.select(*names).collect())
    return Counter(tuple(bytes(each) if isinstance(each, bytearray) else each for each in row) for row in found)


@pytest.mark.parametrize("name", NAMES)
def test_formats_are_found_without_registration(name: str, spark: SparkSession, samples: dict[str, Sample]) -> None:
    sample = samples[name]
    frame = spark.read.format(name.upper()).load(str(sample.file))
    names = sample.table.drop_columns(["ts"] if "ts" in sample.table.column_names else []).column_names
    assert frame.columns == sample.table.column_names
    assert rows(frame, *names) == Counter(zip(*(sample.table[each].to_pylist() for each in names), strict=True))


def test_times_are_instants(spark: SparkSession, samples: dict[str, Sample]) -> None:
    frame = spark.read.format("edgemq_segment").load(str(samples["edgemq_segment"].file))
    assert frame.selectExpr("min(unix_millis(ts))").first() == (1_790_000_000_000,)


def test_registered_formats(spark: SparkSession, samples: dict[str, Sample]) -> None:
    wireloom.spark.register(spark)
    for name in NAMES:
        assert spark.read.format(name).load(str(samples[name].folder)).count() == 3 * ROWS


def test_several_paths_and_parts_of_the_path(spark: SparkSession, samples: dict[str, Sample]) -> None:
    sample = samples["edgemq_segment"]
    paths = [str(sample.file), str(sample.file).replace("0.wal", "1.wal")]
    frame = spark.read.format("edgemq_segment").option("columns", "tenant,region,segment,_path").load(paths)
    assert rows(frame.groupBy("region", "segment", "_path").count(), "region", "segment", "count") == Counter(
        {("eu-west-1", f"seg-0000000{number}", ROWS): 1 for number in range(2)}
    )


def test_a_schema_of_the_user(spark: SparkSession, samples: dict[str, Sample]) -> None:
    schema = "payload BINARY, generation INT, _offset LONG"
    frame = spark.read.format("word_stuffed_log").schema(schema).load(str(samples["word_stuffed_log"].file))
    first = frame.orderBy("_offset").first()
    assert first is not None
    assert first.asDict() == {"payload": b"", "generation": 0, "_offset": 0}
    wrong = spark.read.format("word_stuffed_log").schema("payload BINARY, generatoin INT")
    with pytest.raises(Exception, match="unknown column of word_stuffed_log 'generatoin': did you mean 'generation'"):
        wrong.load(str(samples["word_stuffed_log"].file)).count()


@pytest.mark.parametrize("name", ["word_stuffed_log", "cobs_log"])
def test_splits(name: str, spark: SparkSession, samples: dict[str, Sample]) -> None:
    sample = samples[name]
    frame = (
        spark.read.format(name).option("maxPartitionBytes", "12k").option("openCostInBytes", "0").load(str(sample.file))
    )
    assert frame.rdd.getNumPartitions() > 2
    assert rows(frame, "payload") == Counter((each,) for each in sample.table["payload"].to_pylist())


def test_modes(spark: SparkSession) -> None:
    reader = spark.read.format("edgemq_segment")
    assert reader.load(DAMAGED).count() == 19
    frame = reader.option("columns", "tenant,_offset,_error,_corrupt_record").load(DAMAGED)
    [bad] = frame.where("_error is not null").collect()
    assert (bad["tenant"], bad["_offset"], len(bad["_corrupt_record"])) == (None, 1002, 89)


def test_failfast_says_where_in_one_line(spark: SparkSession) -> None:
    frame = spark.read.format("edgemq_segment").option("mode", "FAILFAST").load(DAMAGED)
    with pytest.raises(PySparkException) as raised:
        frame.collect()
    told = str(raised.value).splitlines()
    place = f"{DAMAGED} at byte 1002, record 11, field crc32c"
    sentence = "the checksum does not match (checksum); mode=permissive leaves it out, verify=false keeps it"
    assert f"wireloom.base.errors.DamagedInputError: {place}: {sentence}" in told
    assert len([line for line in told if line.strip().startswith("File ")]) <= 2


def test_wrong_names_are_told_when_the_frame_is_made(spark: SparkSession, samples: dict[str, Sample]) -> None:
    with pytest.raises(AnalysisException, match="unknown option 'recovr': did you mean 'recover'"):
        spark.read.format("cobs_log").option("recovr", "true").load(str(samples["cobs_log"].file))


def test_sql(spark: SparkSession, samples: dict[str, Sample]) -> None:
    path = samples["edgemq_segment"].folder
    spark.sql(
        f"CREATE OR REPLACE TEMPORARY VIEW frames USING edgemq_segment OPTIONS (path '{path}', columns 'fmt,payload')"
    )
    told = spark.sql("SELECT fmt, count(*), sum(octet_length(payload)) FROM frames GROUP BY fmt ORDER BY fmt").collect()
    assert [row[1] for row in told] == [ROWS] * 3
    assert sum(row[2] for row in told) == 3 * sum(range(ROWS))


@pytest.mark.parametrize("name", NAMES)
def test_write_and_read_back(name: str, spark: SparkSession, samples: dict[str, Sample], tmp_path: Path) -> None:
    sample = samples[name]
    target = str(tmp_path / "out")
    frame = spark.read.format(name).load(str(sample.file))
    frame.repartition(3).write.format(name).mode("append").save(target)
    frame.limit(10).write.format(name).mode("append").save(target)
    back = wireloom.read(name, target, mode="failfast")
    assert back.num_rows == ROWS + 10
    assert len(list((tmp_path / "out").iterdir())) == 4
    frame.write.format(name).mode("overwrite").save(target)
    back = wireloom.read(name, target, mode="failfast")
    assert back.sort_by("payload").to_pylist() == sample.table.sort_by("payload").to_pylist()


@pytest.mark.parametrize("mode", ["overwrite", "append"])
def test_a_frame_without_rows(mode: str, spark: SparkSession, samples: dict[str, Sample], tmp_path: Path) -> None:
    folder = str(tmp_path / "out")
    frame = spark.read.format("cobs_log").load(str(samples["cobs_log"].file))
    if mode == "overwrite":
        frame.write.format("cobs_log").mode("append").save(folder)
    frame.where("payload is null").write.format("cobs_log").mode(mode).save(folder)
    assert spark.read.format("cobs_log").load(folder).count() == 0
    assert len([each for each in (tmp_path / "out").iterdir() if each.name.endswith(".cobs")]) == 1


def test_a_file_that_is_named_twice(spark: SparkSession, samples: dict[str, Sample], tmp_path: Path) -> None:
    """What docs/options.md says about the option ``paths``."""
    (tmp_path / "day=1").mkdir()
    for text in (tmp_path / "lines.txt", tmp_path / "day=1" / "lines.txt"):
        text.write_text("one\n")
    paths, partition = [str(tmp_path / "lines.txt")] * 2, [str(tmp_path / "day=1")] * 2
    assert spark.read.text(paths).count() == 2
    assert spark.read.option("recursiveFileLookup", "true").text(paths).count() == 1
    assert spark.read.option("basePath", str(tmp_path)).text(partition).count() == 1
    file = [str(samples["cobs_log"].file)] * 2
    assert spark.read.format("cobs_log").load(file).count() == ROWS
    assert spark.read.format("cobs_log").option("recursiveFileLookup", "false").load(file).count() == ROWS


def test_a_write_that_fails_leaves_nothing(spark: SparkSession, tmp_path: Path) -> None:
    frame = spark.createDataFrame([(1, b"a"), (-1, b"b")], "generation LONG, payload BINARY")
    with pytest.raises(PySparkException, match="column generation: -1 does not fit uint32"):
        frame.write.format("word_stuffed_log").mode("append").save(str(tmp_path / "out"))
    assert not any((tmp_path / "out").glob("*"))


def test_rows_of_other_sources_can_be_written(spark: SparkSession, tmp_path: Path) -> None:
    spark.sql("select cast(id as string) as payload from range(100)").selectExpr(
        "cast(payload as binary) as payload"
    ).write.format("cobs_log").mode("overwrite").save(str(tmp_path))
    assert sorted(wireloom.read("cobs_log", tmp_path)["payload"].to_pylist()) == sorted(
        str(number).encode() for number in range(100)
    )
    assert isinstance(wireloom.read("cobs_log", tmp_path), pa.Table)


def test_streams_of_other_sources_can_be_written(spark: SparkSession, tmp_path: Path) -> None:
    rows = spark.range(100).selectExpr("cast(cast(id AS string) AS binary) AS payload")

    def run() -> list[int]:
        rows.write.mode("append").parquet(str(tmp_path / "in"))
        stream = spark.readStream.schema(rows.schema).parquet(str(tmp_path / "in"))
        writer = stream.writeStream.format("cobs_log").option("checkpointLocation", str(tmp_path / "checkpoint"))
        writer.trigger(availableNow=True).start(str(tmp_path / "out")).awaitTermination()
        return sorted(map(int, wireloom.read("cobs_log", tmp_path / "out")["payload"].to_pylist()))

    assert run() == list(range(100))
    assert run() == sorted([*range(100), *range(100)])


@pytest.mark.parametrize("pushing", ["true", "false"])
def test_one_view_and_several_filters(pushing: str, spark: SparkSession, samples: dict[str, Sample]) -> None:
    """Spark may leave filters to a source; the filters of one query then apply to all other queries of the same
    view."""
    spark.conf.set("spark.sql.python.filterPushdown.enabled", pushing)
    try:
        view = spark.read.format("edgemq_segment").load(str(samples["edgemq_segment"].file))
        zero, one = view.where("fmt = 0"), view.where("fmt = 1")
        assert [zero.count(), one.count(), view.count()] == [ROWS // 3, ROWS // 3, ROWS]
        assert zero.union(one).union(view).count() == ROWS + 2 * ROWS // 3
    finally:
        spark.conf.unset("spark.sql.python.filterPushdown.enabled")


def test_files_in_folders_by_values(spark: SparkSession, tmp_path: Path) -> None:
    frame = spark.createDataFrame([(b"x", "a"), (b"y", "b/c"), (b"z", "a")], "payload binary, host string")
    out = str(tmp_path / "out")
    frame.write.format("cobs_log").mode("append").option("partitionBy", "host").save(out)
    rows = spark.read.format("cobs_log").load(out).collect()
    assert sorted((row.payload, row.host) for row in rows) == [(b"x", "a"), (b"y", "b/c"), (b"z", "a")]
    with pytest.raises(IllegalArgumentException, match="partitioning"):
        frame.write.format("cobs_log").mode("append").partitionBy("host").save(out)
