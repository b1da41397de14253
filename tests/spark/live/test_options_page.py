"""The example in the page of options."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ...docs.blocks import Page

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PAGE = Path(__file__).parents[3] / "docs" / "options.md"


def test_the_examples(tmp_path: Path, spark: SparkSession) -> None:
    page = Page(PAGE.read_text(), tmp_path)
    page.namespace |= {"spark": spark, "path": str(tmp_path / "sample.log")}
    assert page.run() == 3
