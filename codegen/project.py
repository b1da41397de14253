"""The folders of a project's specs and generated code: the table ``[tool.wireloom]`` of its ``pyproject.toml``.

```toml
[tool.wireloom]
specs = "specs"                                  # folder of the .ksy files
output = "src/wireloom_readings/generated"       # folder of the generated code, and of nothing else
package = "wireloom_readings.generated"          # what Python imports that folder as
discovery = "src"                                # folder on Python's path for the packages that Spark looks for
allow-modules = ["wireloom_readings.routines"]   # modules out of which the specs may name classes
```

All paths are relative to the file. Without the table a project has the layout of wireloom itself: ``specs/`` and
``generated/``, which is imported as ``wireloom.formats``. Without ``discovery`` the packages that Spark discovers are
beside their formats, and the build has to put them on the path.
"""

from __future__ import annotations

import tomllib
from pathlib import Path, PurePosixPath
from typing import Any

from wireloom.base.dataclass import dataclass
from wireloom.base.errors import WireloomError
from wireloom.base.text import unknown
from wireloom.format.routines import checked_modules

from .backends.base import Target

FILE = "pyproject.toml"
MODULES = "allow-modules"
KEYS = ("specs", "output", "package", "discovery", MODULES)
GROUP = "wireloom.formats"
"""The group of entry points by which installed packages register formats."""


@dataclass(frozen=True)
class Project:
    """The layout of a project; its paths include the project's folder."""

    specs: Path
    output: Path
    target: Target
    discovery: Path | None = None
    allow_modules: tuple[str, ...] = ()
    entry_points: frozenset[str] | None = None
    """Names of the formats that the project registers as entry points; ``None`` if it has no such table."""

    def spec_files(self) -> list[Path]:
        """Return the paths of the specs, sorted."""
        return sorted(self.specs.glob("*.ksy"))


def enclosing_project(folder: Path) -> Project:
    """Return the layout of the nearest project that contains ``folder``, as ``find_project`` returns it.

    That is ``folder`` itself if it contains ``specs/``, else the nearest parent folder whose ``pyproject.toml`` has the
    table, or that has ``specs/`` beside the file. The search stops at the root of a repository (``.git``). If nothing
    is found, ``folder`` is taken as the project.
    """
    if (folder / "specs").is_dir():
        return find_project(folder)
    for each in (folder, *(folder / up for up in _upwards(folder))):
        if (each / FILE).is_file():
            found = find_project(each)
            if found.entry_points is not None or found.specs.is_dir():
                return found
        if (each / ".git").exists():
            break
    return find_project(folder)


def _upwards(folder: Path) -> list[str]:
    """Return ``..``, ``../..`` …, up to the root: relative paths from the current folder."""
    return ["/".join([".."] * count) for count in range(1, len(folder.resolve().parts))]


def find_project(folder: Path) -> Project:
    """Return the layout of the project in ``folder``. Raises ``WireloomError`` if its table is invalid."""
    file = folder / FILE
    data = _read(file) if file.is_file() else {}
    tool = data.get("tool", {})
    table = tool.get("wireloom") if isinstance(tool, dict) else None
    if table is None:
        return Project(folder / "specs", folder / "generated", Target())
    if not isinstance(table, dict):
        raise WireloomError(f"[tool.wireloom] must be a table, not {table!r}", path=str(file))
    settings = {name: _text(file, name, value) for name, value in table.items() if name != MODULES}
    specs, output = settings.get("specs", "specs"), settings.get("output", "generated")
    package = settings.get("package", Target().package)
    if not all(part.isidentifier() for part in package.split(".")):
        raise WireloomError(
            f"[tool.wireloom] package must be the name of a Python package such as company.formats, not {package!r}",
            path=str(file),
        )
    discovery = settings.get("discovery")
    return Project(
        folder / specs,
        folder / output,
        Target(package, PurePosixPath(specs).as_posix(), discovery is not None),
        None if discovery is None else folder / discovery,
        _modules(file, table.get(MODULES, [])),
        _entry_points(data),
    )


def _read(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise WireloomError(f"is not TOML: {error}", path=str(file)) from error


def _text(file: Path, name: str, value: object) -> str:
    if name not in KEYS:
        raise WireloomError(unknown("key of [tool.wireloom]", name, KEYS).message, path=str(file))
    if not isinstance(value, str) or not value:
        raise WireloomError(f"[tool.wireloom] {name} must be a string, not {value!r}", path=str(file))
    if name != "package" and (PurePosixPath(value).is_absolute() or ".." in PurePosixPath(value).parts):
        raise WireloomError(
            f"[tool.wireloom] {name} must be a folder inside the project, not {value!r}", path=str(file)
        )
    return value


def _modules(file: Path, value: object) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise WireloomError(f"[tool.wireloom] {MODULES} must be a list of names, not {value!r}", path=str(file))
    return checked_modules(value)


def _entry_points(data: dict[str, Any]) -> frozenset[str]:
    points = data.get("project", {}).get("entry-points", {}).get(GROUP, {})
    return frozenset(points)
