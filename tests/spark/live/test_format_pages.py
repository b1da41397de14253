"""The examples for Spark in the pages of the formats run unchanged."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import wireloom
from wireloom.codegen.backends.docs.examples import sample_name

from ...docs.test_formats import NAMES, page_of, spec_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


KINDS = ("kafka_log", "kpl_aggregated_record", "mcap", "mysql_binlog", "tf_example")
"""Formats with each kind of examples, which differ from those of the others in names alone."""
CHOSEN = [pytest.param(each, marks=() if each in KINDS else pytest.mark.thorough) for each in NAMES]


@pytest.mark.parametrize("name", CHOSEN)
def test_the_examples(name: str, tmp_path: Path, spark: SparkSession) -> None:
    page = page_of(name, tmp_path)
    found = [each for each in page.all if "spark" in each.text]
    # Paths without a folder are relative to that of Spark's own process, which is not the page's.
    page.all = [replace(each, text=re.sub(r'(load|save)\("', rf'\1("{tmp_path}/', each.text)) for each in found]
    page.namespace["spark"] = spark
    assert page.run() == len(found) >= 1
    sample = tmp_path / sample_name(spec_of(name))
    rows = wireloom.read(name, sample).num_rows
    assert rows >= 2
    assert page.namespace["frame"].count() == rows
    if "flat" in page.namespace:
        assert page.namespace["flat"].count() == rows
