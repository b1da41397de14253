"""Functions that run in the tasks, in addition to the engine."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
import wireloom
from pyspark.errors import PySparkException
from wireloom import UnsupportedError, WireloomError
from wireloom.spark import map_batches

from ..conftest import ROWS, Sample

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def sizes(batches: Any) -> Any:
    for batch in batches:
        yield pa.table({"columns": [",".join(batch.schema.names)], "rows": [batch.num_rows]})


def test_only_selected_columns_are_built(spark: SparkSession, samples: dict[str, Sample]) -> None:
    sample = samples["edgemq_segment"]
    frame = spark.read.format("edgemq_segment").load(str(sample.folder))
    rows = map_batches(frame.select("tenant", "fmt"), sizes).collect()
    assert {each[0] for each in rows} == {"tenant,fmt"}
    assert sum(each[1] for each in rows) == 3 * ROWS
    assert map_batches(frame.select("ts"), sizes, "columns string, rows long").columns == ["columns", "rows"]


def test_counts_and_samples(spark: SparkSession, samples: dict[str, Sample], tmp_path: Path) -> None:
    """A count builds only the columns of the frame, and a sample is drawn from all rows."""
    log = tmp_path / "large.s2"
    wireloom.write("s2_session", [{"seq_num": 2**63 + each, "timestamp": 0, "body": b"x"} for each in range(3)], log)
    reader = spark.read.format("s2_session").option("unsigned64", "long")
    with pytest.raises(PySparkException, match="seq_num"):
        reader.load(str(log)).select("seq_num").collect()
    assert reader.schema("_offset long").load(str(log)).count() == 3
    counted = map_batches(reader.schema("_offset long").load(str(log)), sizes).collect()
    assert [tuple(each) for each in counted] == [("_offset", 3)]
    places = spark.read.format("edgemq_segment").schema("_path string, _offset long")
    frame = places.load(str(samples["edgemq_segment"].folder))
    drawn = frame.sample(0.3, seed=7).collect()
    assert 0 < len(drawn) < 3 * ROWS
    assert len(set(drawn)) == len(drawn)
    assert set(drawn) <= set(frame.collect())


def test_what_is_no_frame_of_a_format(spark: SparkSession, samples: dict[str, Sample]) -> None:
    frame = spark.read.format("cobs_log").load(str(samples["cobs_log"].file))
    for each in (frame.where("length(payload) > 1"), frame.selectExpr("length(payload)"), spark.range(3)):
        with pytest.raises(
            UnsupportedError, match=r"map_batches requires a DataFrame as returned by spark.read.format"
        ):
            map_batches(each, sizes)
    with pytest.raises(WireloomError, match="pass the schema"):
        map_batches(frame, lambda batches: ())
    with pytest.raises(Exception, match="returns columns columns, rows, not other"):
        map_batches(frame, sizes, "other long").collect()
    with pytest.raises(WireloomError, match="function must be a function of an iterator"):
        map_batches(frame, 5)
