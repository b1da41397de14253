"""The page about live streams: the blocks of a section run in order, with a server on this machine."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import wireloom.s2 as s2

from ...docs.blocks import Page
from ...docs.live import section
from ...kinesis_server import REGION

if TYPE_CHECKING:
    import pytest
    from pyspark.sql import SparkSession

    from ...kinesis_server import Streams
    from ...s2_server import Server


def test_s2(tmp_path: Path, s2_server: Server, spark: SparkSession) -> None:
    s2_server.basin = "my-basin"
    stream = s2_server.fill("orders", 0)
    stream.append([s2.AppendRecord(timestamp=1790000000000 + n, body=b"order %d" % n) for n in range(10)])
    stream.first = 2
    for each in ("copies", "tills"):
        s2_server.fill(each, 0)
    text = section("S2")
    for source in ("spark.read", "spark.readStream", "write", "writeStream"):
        text = text.replace(f'{source}.format("s2_stream")', f'{source}.format("s2_stream").options(**endpoint)')
    page = Page(text, tmp_path)
    page.namespace |= {"spark": spark, "endpoint": {"endpoint": s2_server.endpoint}}
    assert page.run() >= 6


def test_kinesis(tmp_path: Path, kinesis: Streams, spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_DEFAULT_REGION", REGION)
    monkeypatch.setenv("AWS_ENDPOINT_URL_KINESIS", kinesis.endpoint)
    kinesis.client.create_stream(StreamName="orders", ShardCount=1)
    text = section("Kinesis").replace('format("kinesis_stream")', 'format("kinesis_stream").options(**endpoint)')
    page = Page(text, tmp_path)
    page.namespace |= {"spark": spark, "endpoint": {"endpointUrl": kinesis.endpoint, "region": REGION}}
    assert page.run() == 3


def test_kafka(tmp_path: Path, spark: SparkSession) -> None:
    """With a frame that has the columns of Spark's connector; ``test_kafka`` runs the rest of the section."""
    text = section("Kafka")
    page = Page(text[text.index("without a broker:") :], tmp_path)
    page.namespace["spark"] = spark
    assert page.run() == 1
