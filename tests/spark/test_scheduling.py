"""Tests that share something expensive run in one process, wherever they are located."""

from __future__ import annotations

from pathlib import Path

import pytest

from ..scheduling import SPARK, TOGETHER, check_groups, group_of

ROOT = Path(__file__).parents[2]


class Item(pytest.Item):
    """A test that requests fixtures, or has a mark, with a given id."""

    fixturenames: tuple[str, ...] = ()

    def runtest(self) -> None:
        """Do nothing."""


def item(request: pytest.FixtureRequest, test: str, *fixtures: str) -> Item:
    path, _, name = test.partition("::")
    parent = pytest.Dir.from_parent(request.session, path=ROOT / path)
    made: Item = Item.from_parent(parent, name=name)
    made.fixturenames = fixtures
    return made


def test_the_groups_hold_tests_that_are_there() -> None:
    for beginning in (each for beginnings in TOGETHER.values() for each in beginnings):
        path, _, name = beginning.partition("::")
        assert (ROOT / path).exists(), beginning
        assert not name or f"def {name}(" in (ROOT / path).read_text(), beginning


def test_unlisted_tests_are_in_no_group() -> None:
    assert group_of("tests/spark/live/test_spark.py::test_sql") == SPARK
    assert group_of("tests/spark/test_source.py::test_every_format_has_a_source") is None


def test_a_session_elsewhere_is_refused(request: pytest.FixtureRequest) -> None:
    check_groups([item(request, "tests/spark/live/test_x.py::test_y", SPARK), item(request, "tests/docs/x.py::test_y")])
    with pytest.raises(pytest.UsageError, match="put it into tests/spark/live"):
        check_groups([item(request, "tests/docs/test_x.py::test_y", SPARK)])


def test_a_mark_that_no_id_says_is_refused(request: pytest.FixtureRequest) -> None:
    marked = item(request, "tests/docs/test_x.py::test_y")
    marked.add_marker(pytest.mark.xdist_group("fuzz"))
    with pytest.raises(pytest.UsageError, match=r"asks for the group .fuzz.,.* name it in TOGETHER"):
        check_groups([marked])
