"""The lock contains every package that pyproject.toml requires, in an allowed version, and names no host."""

import re
import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[3]
LOCK = (ROOT / ".ci" / "requirements.lock").read_text()
LOCKED = {canonicalize_name(name): version for name, version in re.findall(r"^([\w.\-]+)==(\S+)", LOCK, re.MULTILINE)}


def wanted() -> list[Requirement]:
    with (ROOT / "pyproject.toml").open("rb") as file:
        project = tomllib.load(file)
    known = project["project"]["optional-dependencies"] | project["dependency-groups"]
    named = [*project["build-system"]["requires"], *project["project"]["dependencies"]]
    for each in ("spark", "test", "develop", "docs"):
        named += known[each]
    return [Requirement(each) for each in named]


def test_what_is_asked_for_is_locked() -> None:
    for each in wanted():
        version = LOCKED.get(canonicalize_name(each.name))
        assert version is not None, f"{each.name} is not in the lock: run 'make lock'"
        assert each.specifier.contains(version, prereleases=True), f"{each} is locked to {version}: run 'make lock'"


def test_everything_has_hashes() -> None:
    entries = [each for each in re.split(r"^(?=\S)", LOCK, flags=re.MULTILINE) if "==" in each]
    assert len(entries) == len(LOCKED) > 50
    assert all("--hash=sha256:" in each for each in entries)


def test_no_host_is_named() -> None:
    assert "://" not in LOCK
    assert "--index" not in LOCK
