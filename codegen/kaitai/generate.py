"""Writes modules with Kaitai's API to a folder, or compares them with the existing ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from wireloom.base.errors import WireloomError

from ..backends.base import HEADER_START
from ..backends.python.names import Api
from ..dataclass import dataclass
from ..emit import Changes, check_folder, difference, formatted, from_here, put
from .modules import modules

REPLACEABLE = (HEADER_START, "# This is a generated file! ")
"""First lines of modules that may be overwritten: our own, and those of Kaitai's own compiler."""


@dataclass(frozen=True)
class Outcome:
    """The files that were (or, with ``check``, would be) written, the errors of refused specs, and the values that
    callers of the writers must provide."""

    changes: Changes
    errors: tuple[WireloomError, ...]
    notes: tuple[str, ...]


def generate(
    specs: Iterable[Path],
    output_dir: Path,
    *,
    api: Api = Api.KAITAI,
    package: str = "",
    import_paths: Iterable[Path] = (),
    check: bool = False,
    strict: bool = False,
) -> Outcome:
    """Compile the specs, and their imports, to modules in ``output_dir``; with ``check`` nothing is written.

    Other files in the folder are not changed. ``package``: the name under which Python imports the folder; ``.`` for a
    package with any name, empty if the folder may be a package or be on Python's path itself. ``import_paths``: folders
    that are searched for absolute imports. Refused specs do not affect the others; the outcome contains their errors.
    ``strict``: a spec is also refused if callers of its writer would have to provide values that cannot be solved for.
    """
    made = modules(specs, import_paths, api, package, strict=strict)
    files = formatted({f"{name}.py": text for name, text in made.texts.items()})
    check_folder(output_dir)
    changes = _compare(files, output_dir)
    if not check:
        for path in changes.written:
            output_dir.mkdir(parents=True, exist_ok=True)
            put(output_dir / path, files[path])
    return Outcome(changes, tuple(made.errors), tuple(made.notes))


def _compare(files: Mapping[str, str], output_dir: Path) -> Changes:
    written: list[str] = []
    unchanged: list[str] = []
    diff: list[str] = []
    for path in sorted(files):
        place = output_dir / path
        old = place.read_bytes().decode("utf-8", "replace") if place.is_file() else None
        if old == files[path]:
            unchanged.append(path)
            continue
        if old and not old.startswith(REPLACEABLE):
            raise WireloomError(
                "is not overwritten, since it was not generated: move it, or choose another folder", path=str(place)
            )
        written.append(path)
        diff += difference(from_here(output_dir, path), old, files[path])
    return Changes(tuple(written), (), tuple(unchanged), "".join(diff))
