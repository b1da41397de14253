"""What is deployed from a clone: an image, a conda package, a dashboard. Each agrees with what it is about."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from wireloom.spark.ingest.prometheus import COUNTERS, GAUGES, PREFIX

from ...waiting import SECONDS

ROOT = Path(__file__).parents[3]
HERE = ROOT / "docs" / "deploying"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
DOCKERFILE = (HERE / "Dockerfile").read_text()


def has_docker() -> bool:
    """Return whether a daemon answers."""
    if shutil.which("docker") is None:
        return False
    return subprocess.run(["docker", "info"], capture_output=True, check=False, timeout=SECONDS).returncode == 0


@pytest.mark.slow
def test_the_image(tmp_path: Path) -> None:
    if not has_docker():
        pytest.skip("no daemon of Docker answers")
    build = ["docker", "build", "--quiet", "--file", str(HERE / "Dockerfile"), str(ROOT)]
    image = subprocess.run(build, capture_output=True, text=True, check=True, timeout=1800).stdout.strip()

    def run(*arguments: str) -> str:
        command = ["docker", "run", "--rm", "--volume", f"{tmp_path}:/data", *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=SECONDS).stdout

    run("--entrypoint", "python", image, "-c", "from wireloom.demo import sample; sample('capture.pcap')")
    assert run(image, "count", "capture.pcap") == "1000\n"
    assert '"n":1000' in run(image, "sql", "select count(*) n from 'capture.pcap'", "--to", "ndjson")
    assert "Usage: wireloom" in run(image)


def test_the_image_is_made_of_what_there_is() -> None:
    [extras] = re.findall(r"^ARG EXTRAS=(.*)$", DOCKERFILE, re.MULTILINE)
    documented = re.findall(r"--build-arg EXTRAS=(\S+)", DOCKERFILE)
    known = set(PROJECT["project"]["optional-dependencies"])
    assert {each for group in (extras, *documented) for each in group.split(",")} <= known


def test_the_image_is_made_without_what_git_ignores() -> None:
    ignored = (ROOT / ".gitignore").read_text().split()
    expected = [each[1:] if each.startswith("/") else f"**/{each}" for each in ignored]
    found = (HERE / "Dockerfile.dockerignore").read_text().splitlines()
    assert found[1:] == [each.rstrip("/") for each in expected]


def requirements(given: list[str]) -> set[str]:
    """Return requirements as conda writes them."""
    return {re.sub(r"(?=[<>=])", " ", each, count=1) for each in given}


def test_the_conda_package_is_that_of_the_project() -> None:
    recipe: Any = yaml.safe_load((HERE / "recipe.yaml").read_text())
    project = PROJECT["project"]
    assert recipe["context"]["version"] == PROJECT["tool"]["setuptools_scm"]["fallback_version"]
    assert recipe["package"]["name"] == project["name"]
    python = f"python {project['requires-python']}"
    assert set(recipe["requirements"]["run"]) == {python, *requirements(project["dependencies"])}
    assert set(recipe["requirements"]["host"]) == {"python", "pip", *requirements(PROJECT["build-system"]["requires"])}
    about = recipe["about"]
    assert (about["summary"], about["license"]) == (project["description"], project["license"])
    assert [about["license_file"]] == project["license-files"]
    assert (HERE / recipe["source"]["path"] / "pyproject.toml").resolve() == ROOT / "pyproject.toml"


def test_the_dashboard_shows_all_metrics() -> None:
    dashboard = json.loads((HERE / "dashboard.json").read_text())
    panels = dashboard["panels"]
    shown = {
        name for panel in panels for target in panel["targets"] for name in re.findall(rf"{PREFIX}\w+", target["expr"])
    }
    counters = {re.sub("[A-Z]", lambda match: f"_{match[0].lower()}", each) for each in (*COUNTERS, "damaged")}
    assert shown == {f"{PREFIX}{each}_total" for each in counters} | {f"{PREFIX}{each}" for each in GAUGES}
    assert len({panel["id"] for panel in panels}) == len(panels)
    cells = [
        (x, y)
        for place in (panel["gridPos"] for panel in panels)
        for x in range(place["x"], place["x"] + place["w"])
        for y in range(place["y"], place["y"] + place["h"])
    ]
    assert len(set(cells)) == len(cells), "two panels overlap"
    assert max(x for x, _ in cells) == 23
