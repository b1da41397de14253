"""Creates the folder of a new format, with templates, samples and generated code, atomically."""

from __future__ import annotations

import keyword
import re
import shutil
import struct
import tempfile
import zlib
from importlib.metadata import version
from pathlib import Path

from wireloom import codecs
from wireloom.base.dataclass import dataclass
from wireloom.base.errors import WireloomError

from ..backends.base import template_environment
from ..emit import generate
from ..project import find_project
from ..spec.name_conflicts import python_conflict, spark_conflict

TEMPLATES = {
    "spec.ksy.j2": "specs/{name}.ksy",
    "package.py.j2": "src/{package}/__init__.py",
    "test_format.py.j2": "tests/test_{name}.py",
    "pyproject.toml.j2": "pyproject.toml",
    "README.md.j2": "README.md",
    "gitignore": ".gitignore",
    "pre_commit.yaml": ".pre-commit-config.yaml",
    "workflow.yml": ".github/workflows/check.yml",
}
"""Paths in the new folder, by template; the files without the suffix are copied."""

LONGEST = 50
"""Maximum number of characters of a name; it becomes part of the names of files and classes."""


@dataclass(frozen=True)
class Started:
    """The created package: its folder, and the paths of its files relative to it, sorted."""

    folder: Path
    files: tuple[str, ...]


def start(name: str, parent: Path) -> Started:
    """Create the folder ``parent/name`` with a package of the format ``name``, and ``parent`` if it does not exist.

    Raises ``WireloomError`` if the name is invalid, ``parent`` is not a folder or the new folder already exists, and
    ``UnsupportedError`` without ``ruff``, which formats generated code. Nothing remains on disk after an error.
    """
    check_name(name)
    folder = parent / name
    if folder.exists() or folder.is_symlink():
        raise WireloomError("already exists and is not overwritten: choose another name", path=str(folder))
    standing = next(each for each in (folder.absolute().parents) if each.exists() or each.is_symlink())
    if not standing.is_dir():
        raise WireloomError("is not a folder: choose another one", path=str(standing))
    with tempfile.TemporaryDirectory(prefix=f".{name}-", dir=standing) as unfinished:
        made = Path(unfinished) / name
        _fill(made, name)
        files = sorted(path.relative_to(made).as_posix() for path in made.rglob("*") if path.is_file())
        if folder.exists():
            raise WireloomError("was created in the meantime and is not overwritten", path=str(folder))
        parent.mkdir(parents=True, exist_ok=True)
        shutil.move(made, folder)
    return Started(folder, tuple(files))


def check_name(name: str) -> None:
    """Raise ``WireloomError`` if a format cannot have that name, with a suggestion."""
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name) or len(name) > LONGEST or name.endswith("_") or "__" in name:
        sentence = (
            f"a format cannot be called {name!r}: a name has up to {LONGEST} lower-case letters, digits and single"
            " underscores, and begins with a letter"
        )
        would_do = suggestion(name)
        raise WireloomError(f"{sentence}; for example, {would_do!r}" if would_do else sentence)
    if keyword.iskeyword(name):
        sentence = f"a format cannot be called {name!r}: it is a Python keyword"
        raise WireloomError(f"{sentence}; for example, {suggestion(name)!r}")
    reason = spark_conflict(name) or python_conflict(name)
    if reason:
        raise WireloomError(f"a format cannot be called {name!r}: {reason}; for example, {suggestion(name)!r}")
    from wireloom.format.registry import formats

    if name in formats():
        raise WireloomError(f"the format {name!r} already exists, see 'wireloom formats': choose another name")


def suggestion(name: str) -> str:
    """Return a similar name that is valid; empty if there is none.

    >>> suggestion("Door-Log 2"), suggestion("JSON"), suggestion("types")
    ('door_log_2', 'json_log', 'types_log')
    """
    words = re.findall(r"[a-z0-9]+", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower())
    found = "_".join(words).lstrip("0123456789_")[:LONGEST].rstrip("_")
    return f"{found}_log" if keyword.iskeyword(found) or spark_conflict(found) or python_conflict(found) else found


def _fill(folder: Path, name: str) -> None:
    names = {
        "codecs": codecs.listed(),
        "name": name,
        "package": f"wireloom_{name}",
        "distribution": f"wireloom-{name.replace('_', '-')}",
        "title": name.replace("_", " ").capitalize(),
        # Without the part after the sign "+", which a requirement must not contain.
        "version": version("wireloom").partition("+")[0],
    }
    environment = template_environment(Path(__file__).parent)
    for template, path in TEMPLATES.items():
        _write(folder / path.format(**names), environment.get_template(template).render(names).encode())
    _write(folder / "src" / names["package"] / "py.typed", b"")
    _write(folder / "samples" / "clean.bin", clean())
    _write(folder / "samples" / "damaged.bin", damaged())
    project = find_project(folder)
    generate(project.spec_files(), project.output, target=project.target, discovery_dir=project.discovery)


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


OPENED, CLOSED, FORCED = 1, 2, 3
START = 1_790_000_000_000
"""2026-09-21 14:13:20 UTC, in milliseconds since the Unix epoch."""


def record(kind: int, at: int, note: bytes) -> bytes:
    """Return one event as it is stored in a file.

    >>> record(OPENED, START, b"front").hex(" ")
    '0e 00 5e dd d1 78 01 00 6c 50 c4 a0 01 00 00 66 72 6f 6e 74'
    """
    body = struct.pack("<BQ", kind, at) + note
    return struct.pack("<HI", len(body), zlib.crc32(body)) + body


RECORDS = (
    record(OPENED, START, b"front"),
    record(FORCED, START + 1_000, b"back door"),
    record(CLOSED, START + 60_000, b""),
)


def clean() -> bytes:
    """Return three records."""
    return b"".join(RECORDS)


def damaged() -> bytes:
    """Return the three records with one byte of the second one changed, followed by an incomplete fourth one."""
    first, second, third = RECORDS
    return first + second.replace(b"door", b"d0or") + third + first[:11]
