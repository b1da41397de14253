"""What the data sources of live streams have in common; no server is contacted."""

from __future__ import annotations

import pickle
from typing import Any

import pytest
from pyspark.sql.datasource import CaseInsensitiveDict
from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadMaxRows
from pyspark.sql.types import StringType, StructField, StructType
from wireloom import UnknownNameError, WireloomError
from wireloom.spark.live.kinesis import KinesisStreamSource
from wireloom.spark.live.s2 import S2StreamSource

NOWHERE = "http://127.0.0.1:9"
SOURCES: dict[type[Any], dict[str, str]] = {
    S2StreamSource: {"basin": "my-basin", "stream": "orders", "endpoint": NOWHERE},
    KinesisStreamSource: {"stream": "orders", "region": "us-east-1", "endpointUrl": NOWHERE},
}
each_source = pytest.mark.parametrize("kind", SOURCES)


def source(kind: type[Any], **options: str) -> Any:
    return kind(CaseInsensitiveDict({**SOURCES[kind], **options}))


@each_source
def test_limits_of_batches(kind: type[Any]) -> None:
    for options, wanted in (({}, ReadAllAvailable), ({"maxRecordsPerTrigger": "2k"}, ReadMaxRows)):
        each = source(kind, **options)
        reader = pickle.loads(pickle.dumps(each.streamReader(each.schema())))
        limit = reader.getDefaultReadLimit()
        assert type(limit) is wanted
        assert getattr(limit, "max_rows", 2048) == 2048


@each_source
def test_what_is_refused(kind: type[Any]) -> None:
    name = kind.name()
    with pytest.raises(UnknownNameError, match=f"unknown option of {name} 'maxrecordpertrigger': did you mean"):
        source(kind, maxRecordPerTrigger="1").schema()
    with pytest.raises(UnknownNameError, match=r"unknown column .*'nonsense'"):
        source(kind, columns="nonsense").schema()
    with pytest.raises(UnknownNameError, match=f"unknown column of {name} 'nonsense'"):
        source(kind).reader(StructType([StructField("nonsense", StringType())]))
    with pytest.raises(WireloomError, match="option maxRecordsPerTrigger is '0'"):
        source(kind, maxRecordsPerTrigger="0").schema()
    ends = source(kind, end="2026-03-01T00:00:00Z")
    with pytest.raises(WireloomError, match="option end applies only to batch reads: leave it out"):
        ends.streamReader(ends.schema())
