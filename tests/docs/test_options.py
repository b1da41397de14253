"""The page of Spark's options says exactly what the options of the source say."""

from __future__ import annotations

import pytest

pytest.importorskip("pyspark")

from .options import PAGE, ROW, renewed


def test_the_tables_are_those_of_the_source() -> None:
    page = PAGE.read_text()
    assert renewed(page) == page, "python -m tests.docs.options renews it"


def test_every_option_is_compared_with_what_others_have() -> None:
    found = ROW.findall(PAGE.read_text())
    assert len(found) > 50
    assert all(each.strip() for _, _, others in found for each in others.split("|"))
