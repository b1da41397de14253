"""The README and the page that it leads to first, executed from top to bottom."""

import os
import re
from pathlib import Path

import duckdb
import pytest
import wireloom.duckdb
import wireloom.polars
import wireloom.spark
from pyspark.sql import SparkSession
from wireloom.demo import sample

from .blocks import Page, blocks, part

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()


def test_everything_in_it_runs_and_prints_what_it_says(tmp_path: Path) -> None:
    assert Page(README, tmp_path).run() == 3


@pytest.mark.usefixtures("spark")
def test_everything_on_the_first_page_runs(tmp_path: Path) -> None:
    # Paths without a folder are relative to that of Spark's own process, which is not the page's.
    page = re.sub(r'(format\("\w+"\)\.load\()"', rf'\1"{tmp_path}/', part("start"))
    assert Page(page, tmp_path).run() >= 8


def test_its_lines_for_other_tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spark: SparkSession) -> None:
    monkeypatch.chdir(tmp_path)
    Path("captures").mkdir()
    sample("captures/a.pcap")
    [lines] = [block.text for block in blocks(README) if block.kind == "py"]
    polars, duckdb_line, spark_line = lines.strip().splitlines()
    assert eval(polars, {"wireloom": wireloom}).collect().height == 1000
    connection = duckdb.connect()
    exec(duckdb_line, {"wireloom": wireloom, "connection": connection})
    assert connection.sql("select count(*) from packets").fetchall() == [(1000,)]
    wireloom.spark.register(spark)
    here = spark_line.replace("s3a://bucket/captures/", f"{tmp_path}/captures/")
    assert eval(here, {"spark": spark}).count() == 1000


def test_its_commands_are_targets_of_the_makefile() -> None:
    makefile = (ROOT / "Makefile").read_text()
    named = {
        name for block in blocks(README) if block.kind == "sh" for name in re.findall(r"(?m)^make (\w+)", block.text)
    }
    named |= set(re.findall(r"`make (\w+)`", README))
    assert {"demo", "test", "quick", "setup", "bench", "generate", "check", "docs"} >= named >= {"demo", "test"}
    for name in named:
        assert re.search(rf"^{name}:", makefile, re.MULTILINE), name


def test_its_links_lead_somewhere() -> None:
    links = [link for link in re.findall(r"\]\(([^)]+)\)", README) if not link.startswith("http")]
    assert links
    for link in links:
        assert os.path.exists(ROOT / link.partition("#")[0]), link
