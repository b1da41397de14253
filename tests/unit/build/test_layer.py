"""Environments on top of that of the tests: other versions in them do not change it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[3]
LIST = """
from importlib.metadata import distributions
print(*sorted({f"{each.name}=={each.version} {each.locate_file('')}" for each in distributions()}), sep="\\n")
"""


def wheel(folder: Path, name: str, version: str, content: str) -> None:
    information = f"{name}-{version}.dist-info"
    with zipfile.ZipFile(folder / f"{name}-{version}-py3-none-any.whl", "w") as file:
        file.writestr(f"{name}/__init__.py", content)
        file.writestr(f"{information}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        file.writestr(f"{information}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        file.writestr(f"{information}/RECORD", "")


def printed(python: str | Path, program: str) -> str:
    return subprocess.run([python, "-c", program], capture_output=True, text=True, check=True, cwd="/").stdout


def layer(folder: Path, *wanted: str) -> Path:
    """Create the layer of an extra that requires these packages; return its Python."""
    quoted = ", ".join(f'"{each}"' for each in wanted)
    (folder / "pyproject.toml").write_text(f"[project.optional-dependencies]\npeers = [{quoted}]\n")
    environment = {
        **os.environ,
        "VENV": sys.prefix,
        "LAYER": "layer",
        "EXTRA": "peers",
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": str(folder),
        # The user's settings, and a cache in a home that cannot be written, would be reported.
        "PIP_CONFIG_FILE": os.devnull,
        "PIP_NO_CACHE_DIR": "1",
    }
    done = subprocess.run(
        ["sh", ROOT / ".ci" / "layer"], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    return folder / "layer" / "bin" / "python"


def test_other_versions_are_in_the_layer_alone(tmp_path: Path) -> None:
    before = printed(sys.executable, LIST)
    assert "pytest==" in before
    # One that exists in another version, on which others depend, and one that does not exist.
    wheel(tmp_path, "pluggy", "0.0.1", "version = 'older'")
    wheel(tmp_path, "wireloom_test_peer", "1.0", "version = 'new'")
    for wanted in (["pluggy<1"], ["pluggy<1", "wireloom_test_peer"]):
        python = layer(tmp_path, *wanted)
        assert printed(python, "import pluggy; print(pluggy.version)") == "older\n"
        assert printed(sys.executable, LIST) == before
    assert printed(python, "import wireloom_test_peer as peer; print(peer.version)") == "new\n"
    # Everything else comes from below.
    where = "import pyarrow, wireloom; print(pyarrow.__file__, wireloom.__file__)"
    assert printed(python, where) == printed(sys.executable, where)


def test_make_installs_into_the_environment_of_the_tests_by_setup_alone() -> None:
    assert not re.search(r"pip\b.*\binstall\b", (ROOT / "Makefile").read_text())
