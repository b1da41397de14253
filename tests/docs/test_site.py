"""What the site makes of the pages: where links lead, and which pages the search prefers."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

pytest.importorskip("mkdocs")

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def site() -> ModuleType:
    spec = importlib.util.spec_from_file_location("site_of_the_documentation", ROOT / ".ci" / "site.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("page", "link", "expected"),
    [
        ("formats.md", "../generated/mcap/README.md", "formats/mcap/README.md"),
        ("internals/choices.md", "../../CONTRIBUTING.md#measuring", "../CONTRIBUTING.md#measuring"),
        ("internals/choices.md", "../trust.md", "../trust.md"),
        ("CONTRIBUTING.md", "docs/formats.md", "formats.md"),
        ("formats/mcap/README.md", "layout.svg", "layout.svg"),
        ("cookbook/warc.md", "../dialect.md#maps", "../dialect.md#maps"),
        ("index.md", "https://kaitai.io", "https://kaitai.io"),
    ],
)
def test_links_that_lead_through_other_folders(page: str, link: str, expected: str, site: ModuleType) -> None:
    shown = SimpleNamespace(file=SimpleNamespace(src_uri=page))
    assert site.on_page_markdown(f"See [it]({link}).", page=shown, config=None, files=None) == f"See [it]({expected})."


def test_the_search_prefers_the_page_with_the_word_in_its_title(site: ModuleType, tmp_path: Path) -> None:
    places = ("ingest/", "commands/#ingest", "api/#wireloom.spark.ingest", "CHANGELOG/#ingest")
    path = tmp_path / "search" / "search_index.json"
    path.parent.mkdir()
    path.write_text(json.dumps({"docs": [{"location": each, "title": "ingest"} for each in places]}))
    site.on_post_build(config=SimpleNamespace(site_dir=str(tmp_path)))
    boosts = [each["boost"] for each in json.loads(path.read_text())["docs"]]
    assert boosts == sorted(boosts, reverse=True)
    assert len(set(boosts)) == len(places)
