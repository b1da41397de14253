"""The page about live streams: the blocks of a section run in order, on a server of this machine."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import wireloom.s2 as s2

from ...docs.blocks import Page
from ...docs.live import section

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from ...s2_server import Server


def test_s2(tmp_path: Path, s2_server: Server, spark: SparkSession) -> None:
    s2_server.basin = "my-basin"
    stream = s2_server.fill("orders", 0)
    stream.append([s2.AppendRecord(timestamp=1790000000000 + n, body=b"order %d" % n) for n in range(10)])
    stream.first = 2
    s2_server.fill("copies", 0)
    text = section("S2")
    for source in ("spark.read", "spark.readStream", "write", "writeStream"):
        text = text.replace(f'{source}.format("s2_stream")', f'{source}.format("s2_stream").options(**endpoint)')
    page = Page(text, tmp_path)
    page.namespace |= {"spark": spark, "endpoint": {"endpoint": s2_server.endpoint}}
    assert page.run() >= 6
