"""No score is below that in ``scores.json``, if the suite is available."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from .scores import PARTS, built_in, run_part, standing
from .suite import ABSENT, Suite, find_suite


@pytest.fixture(scope="module")
def suite() -> Iterator[Suite]:
    found = find_suite()
    if found is None:
        pytest.skip(ABSENT)
    yield found
    shutil.rmtree(found.work)


@pytest.mark.xdist_group("conformance")
@pytest.mark.parametrize("part", PARTS)
def test_no_score_drops(suite: Suite, part: str) -> None:
    """Each test passes, except for those that the file lists with a reason."""
    scored = standing()["parts"][part]
    reasons = run_part(part, suite)
    failing = {name: reason for name, reason in reasons.items() if reason and name not in scored["not_passing"]}
    assert failing == {}
    assert len(reasons) >= scored["total"]


def test_the_file_names_the_suite() -> None:
    scores = standing()
    assert scores["suite"]["commit"]
    assert set(scores["parts"]) == set(PARTS)
    for part in scores["parts"].values():
        assert part["passed"] + len(part["not_passing"]) == part["total"]


def test_kaitais_compiler_compiles_the_same_specs() -> None:
    reasons = built_in()
    if reasons is None:
        pytest.skip("Kaitai's compiler is not installed")
    assert [name for name, reason in reasons.items() if reason] == list(standing()["specs"]["not_passing"])


def test_the_documentation_names_the_specs_that_it_does_not_compile() -> None:
    text = Path("docs/kaitai.md").read_text()
    section = text.partition("## Built-in specs and Kaitai's compiler")[2].partition("\n## ")[0]
    assert sorted(re.findall(r"`(\w+)\.ksy`", section)) == list(standing()["specs"]["not_passing"])
