"""What the site has besides the pages in docs/: the Python API, the pages of the formats, contributing and changes.

A page lies in the site where it lies in docs/, so links between pages that lead through other folders of the repository
are rewritten.
"""

import ast
import json
import posixpath
import re
import sys
import tomllib
from importlib import metadata
from pathlib import Path

import wireloom
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[1]
MODULES = ("append", "duckdb", "kinesis", "kpl", "s2", "spark")
"""Packages whose names are in the API, in addition to those of ``wireloom`` itself."""
ELSEWHERE = {"README.md": "index.md", **{name: name for name in ("CONTRIBUTING.md", "CHANGELOG.md", "LICENSE")}}
"""Files of the repository outside of docs/, and what the site has in their place."""
LINK = re.compile(r"(?<=\]\()(?!https?:|#|mailto:)([^)\s#]+)")
BOOSTS = {"cookbook": 0.5, "formats": 0.5, "api": 0.3, "internals": 0.2, "CONTRIBUTING": 0.2, "CHANGELOG": 0.05}
"""How much the search prefers pages, by the beginning of their address; 1 for all others."""
TITLE = 4.0
"""How much the search prefers a page with the word in its title to a section with it."""


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Add the version, the link to the repository, and the pages of the formats to the menu."""
    urls = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"].get("urls", {})
    config.repo_url = urls.get("Source") or None
    config.copyright = f"wireloom {metadata.version('wireloom')}"
    look_up = next(pages for entry in config.nav for title, pages in entry.items() if title == "Look up")
    look_up[-1]["Formats"] += [{path.parent.name: f"formats/{path.parent.name}/README.md"} for path in _formats()]
    return config


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Add the pages that do not lie in docs/."""
    files.append(File.generated(config, "api.md", content=_api()))
    for name in ELSEWHERE:
        if name != "README.md":
            files.append(File.generated(config, name, abs_src_path=str(ROOT / name)))
    for page in _formats():
        for path in (page, *page.parent.glob("*.svg")):
            place = f"formats/{page.parent.name}/{path.name}"
            files.append(File.generated(config, place, abs_src_path=str(path)))
    return files


def on_page_markdown(markdown: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Rewrite links that lead through folders of the repository."""
    place = page.file.src_uri
    folder = posixpath.dirname(_in_repository(place))

    def rewritten(match: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(folder, match[1]))
        return posixpath.relpath(_in_site(target), posixpath.dirname(place) or ".")

    return LINK.sub(rewritten, markdown)


def on_post_build(*, config: MkDocsConfig) -> None:
    """Say in the index of the search which pages it prefers."""
    path = Path(config.site_dir, "search", "search_index.json")
    index = json.loads(path.read_text())
    for entry in index["docs"]:
        boost = BOOSTS.get(entry["location"].partition("/")[0], 1.0)
        entry["boost"] = boost if "#" in entry["location"] else boost * TITLE
    path.write_text(json.dumps(index))


def _in_repository(place: str) -> str:
    """Return the path in the repository of a page of the site."""
    if place.startswith("formats/"):
        return place.replace("formats/", "generated/", 1)
    return place if place in ELSEWHERE else f"docs/{place}"


def _in_site(path: str) -> str:
    """Return where the site has a file of the repository."""
    if path.startswith("docs/"):
        return path.removeprefix("docs/")
    return ELSEWHERE.get(path, path.replace("generated/", "formats/", 1))


def _formats() -> list[Path]:
    return sorted((ROOT / "generated").glob("*/README.md"))


def _api() -> str:
    """Return the page of the Python API: functions, then classes and errors."""
    names = [*sorted(wireloom.__all__, key=lambda name: (name[0].isupper(), name)), "polars"]
    names += [f"{module}.{name}" for module in MODULES for name in _exported(module)]
    sections = "".join(f"\n## {name}\n\n::: wireloom.{name}\n" for name in names)
    return f"# Python API\n{sections}"


def _exported(module: str) -> list[str]:
    """Return the names that a module exports, without importing what it needs, such as pyspark."""
    tree = ast.parse((ROOT / "runtime" / module / "__init__.py").read_text())
    for each in tree.body:
        if isinstance(each, ast.Assign) and isinstance(each.targets[0], ast.Name) and each.targets[0].id == "__all__":
            return list(ast.literal_eval(each.value))
    sys.exit(f"runtime/{module}/__init__.py exports nothing")
