"""The gallery's score does not drop, if the gallery is available."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.conformance.gallery import reference, score
from tests.conformance.gallery.checkout import FORMATS, Checkout, checkout

GALLERY = checkout()

needs_gallery = pytest.mark.skipif(
    GALLERY is None, reason=f"{FORMATS} does not name a checkout of kaitai-io/kaitai_struct_formats"
)


@pytest.fixture(scope="module")
def gallery() -> Checkout:
    assert GALLERY is not None
    return GALLERY


@needs_gallery
@pytest.mark.xdist_group("conformance")
def test_the_modules_are_as_good(gallery: Checkout, tmp_path: Path) -> None:
    """All modules compile and can be imported, and ruff and mypy have no more findings than before."""
    before, now = score.standing()["modules"], score.modules_score(gallery, tmp_path)
    for api, stages in now.items():
        for stage in score.STAGES:
            assert stages[stage] >= before[api][stage], stages["failing"]


@needs_gallery
@pytest.mark.xdist_group("conformance")
def test_the_values_are_as_equal(gallery: Checkout, tmp_path: Path) -> None:
    """Every file that can be made here is read as by Kaitai's own classes."""
    absent = reference.missing(gallery)
    if absent:
        pytest.skip(absent)
    found = score.compared(gallery, tmp_path)
    assert {name: each.differences for name, each in found.items() if each.differences} == {}
    lost = {name for name in score.standing()["comparison"]["formats"] if not found[name].equal}
    assert {name for name in lost if not found[name].unavailable} == set()


@needs_gallery
def test_as_many_types_can_be_rows() -> None:
    before, now = score.standing()["rows"], score.row_score()
    assert all(now[name][count] >= before[name][count] for name in now for count in ("declared", "engine"))


def test_the_score_says_what_it_is_of() -> None:
    standing = score.standing()
    assert re.fullmatch(r"[0-9a-f]{7,40}", standing["gallery"]["commit"])
    for stages in standing["modules"].values():
        assert stages["specs"] == stages["compiled"] == 186
    assert len(standing["comparison"]["formats"]) == standing["comparison"]["equal"] >= 25
