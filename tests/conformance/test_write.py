"""Kaitai's files after reading and writing: the bytes are unchanged if they are canonical."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest

from . import roundtrips
from .scores import standing
from .suite import ABSENT, Suite, find_suite


@pytest.fixture(scope="module")
def suite() -> Iterator[Suite]:
    found = find_suite()
    if found is None:
        pytest.skip(ABSENT)
    found.package_of_writers()
    yield found
    shutil.rmtree(found.work)


@pytest.mark.xdist_group("conformance")
def test_no_file_becomes_another(suite: Suite) -> None:
    """Bytes are written as they were read, except, in the files that are named, those that nothing describes."""
    scored = standing()["parts"]["write"]["bytes_as_before"]
    outcomes = roundtrips.outcomes(suite)
    changed = {name: outcome for name, outcome in outcomes.items() if outcome and name not in scored["others"]}
    assert changed == {}
    assert len(outcomes) >= scored["total"]


def test_the_file_says_which_round_trips_pass() -> None:
    part = standing()["parts"]["write"]
    trips = [name for name in part["not_passing"] if name.endswith(roundtrips.METHOD)]
    assert part["round_trips"]["passed"] + len(trips) == part["round_trips"]["total"]
