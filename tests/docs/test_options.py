"""The page of Spark's options says what the tables of the source say, and no more."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

pytest.importorskip("pyspark")

from wireloom.spark.options import READ_OPTIONS, STREAM_OPTIONS, WRITE_OPTIONS

PAGE = Path(__file__).parents[2] / "docs" / "options.md"
SECTIONS = {"Reading": READ_OPTIONS, "Reading a stream": STREAM_OPTIONS, "Writing": WRITE_OPTIONS}


@pytest.mark.parametrize("title", SECTIONS)
def test_the_table_is_that_of_the_source(title: str) -> None:
    section = PAGE.read_text().split(f"## {title}\n")[1].split("\n## ")[0]
    rows = re.findall(r"^\| `(\w+)` \| (.*?) \| ([^|]+) \| ([^|]+) \|$", section, re.MULTILINE)
    found = {name: text.replace("\\|", "|") for name, text, _, _ in rows}
    assert found == SECTIONS[title]
    assert all(spark.strip() and cobrix.strip() for _, _, spark, cobrix in rows)
