"""Renders every backend for every spec, formats the output, and writes it or compares it with the existing files."""

from __future__ import annotations

import ast
import difflib
import io
import os
import subprocess
import sys
import tempfile
import tokenize
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from wireloom.base.dataclass import dataclass, replace
from wireloom.base.errors import WireloomError
from wireloom.base.extras import require
from wireloom.base.text import printable

from .backends.base import LINE_LENGTH, OWN_FORMATS, Backend, Target, backends, is_generated, output_files
from .backends.columns.read_only import read_only
from .model.load import load_all
from .passes import with_facts
from .spec.position import Position
from .tree import Spec

DISCOVERED = "pyspark_"
"""The prefix of the names of packages that Spark discovers."""


@dataclass(frozen=True)
class Changes:
    """The changes that ``generate`` made or, with ``check``, would have made. Paths are relative to the output folder.

    ``written``: new or changed files; ``removed``: generated files that belong to no spec; ``foreign``: files that were
    not generated and do not belong there, which are left unchanged; ``unchanged``: the others; ``diff``:
    one unified diff of all changes, empty if there are none.
    """

    written: tuple[str, ...]
    removed: tuple[str, ...]
    unchanged: tuple[str, ...]
    diff: str
    foreign: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    """Limitations of the generated code, each with its position in a spec."""

    @property
    def clean(self) -> bool:
        """Return whether the folder was up to date with the specs."""
        return not self.written and not self.removed and not self.foreign


def generate(
    spec_paths: Iterable[Path],
    output_dir: Path,
    *,
    check: bool = False,
    progress: Callable[[str], None] | None = None,
    target: Target = OWN_FORMATS,
    discovery_dir: Path | None = None,
    allow_modules: Iterable[str] = (),
    import_paths: Iterable[Path] = (),
) -> Changes:
    """Compile specs to the files of all backends.

    The specs are considered complete: generated files in the folder that belong to none of them are removed.

    Args:
        spec_paths: The spec files.
        output_dir: The folder of the generated files.
        check: Whether nothing is written, and the result says what would be.
        progress: Called with the name of each spec before it is compiled.
        target: Where the code will be located.
        discovery_dir: The folder for the packages that Spark discovers, if not beside their formats.
        allow_modules: Modules whose routines the specs may name, besides registered ones.
        import_paths: The folders of absolute imports.

    Raises:
        SpecError: A spec is refused; nothing is written then.
        UnsupportedError: ``ruff``, which formats the modules, is not installed.
        WireloomError: A file that was not generated is in the way.
    """
    specs = tuple(map(with_facts, load_all(spec_paths, allow_modules, import_paths=import_paths)))
    files = formatted(render(specs, progress, target))
    if discovery_dir is not None:
        files = {_relocated(path, output_dir, discovery_dir): text for path, text in files.items()}
    changes = compare(files, output_dir, discovery_dir)
    if not check:
        _write(files, changes, output_dir)
    return replace(changes, notes=tuple(note_line(*each) for spec in specs for each in read_only(spec)))


def note_line(place: Position | None, sentence: str) -> str:
    """Return a remark about a spec as a line that begins with its position."""
    at = "" if place is None else f"{printable(place.file)}:{place.line}:{place.column}: "
    return f"{at}note: {sentence}"


def render(
    specs: Iterable[Spec],
    progress: Callable[[str], None] | None = None,
    target: Target = OWN_FORMATS,
    wanted: Iterable[Backend[Any]] | None = None,
) -> dict[str, str]:
    """Return the texts of generated files by path; modules are not formatted yet.

    Args:
        specs: The specs, with the facts that ``codegen.passes`` derives.
        progress: Called with the name of each spec before it is lowered.
        target: Where the files will be located.
        wanted: The backends; by default all.

    Raises:
        SpecError: A backend does not support what a spec requires.
        WireloomError: Two backends generate the same file.
    """
    files = output_files(specs, backends() if wanted is None else wanted, target, progress)
    return {path: file.text for path, file in files.items()}


def formatted(files: Mapping[str, str]) -> dict[str, str]:
    """Return the modules formatted by ``ruff format``, run once in a temporary folder; other files are unchanged.

    Raises ``UnsupportedError`` if ``ruff`` is not installed. Its version does not matter: see ``is_same_code``.
    """
    modules = [path for path in files if path.endswith(".py")]
    require("ruff", "generate", "formatting generated code")
    with tempfile.TemporaryDirectory() as folder:
        for path in modules:
            place = Path(folder, path)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(files[path], encoding="utf-8", newline="\n")
        options = ("--isolated", "--quiet", "--no-cache", f"--line-length={LINE_LENGTH}", "--target-version=py311")
        command = (sys.executable, "-m", "ruff", "format", *options, folder)
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise WireloomError(
                f"a backend generated code with a syntax error, which is a bug of the backend: {done.stderr.strip()}"
            )
        return {**files, **{path: Path(folder, path).read_text(encoding="utf-8") for path in modules}}


def _relocated(path: str, output_dir: Path, discovery_dir: Path) -> str:
    """Return the path relative to ``output_dir``; paths of packages for Spark's discovery lead out of it."""
    parts = PurePosixPath(path).parts
    if len(parts) < 2 or not parts[-2].startswith(DISCOVERED):
        return path
    return Path(os.path.relpath(discovery_dir.joinpath(*parts[-2:]), output_dir)).as_posix()


def check_folder(output_dir: Path) -> None:
    """Raise ``WireloomError`` if the path exists and is not a folder."""
    if output_dir.exists() and not output_dir.is_dir():
        raise WireloomError("is not a folder: give the folder to write to", path=str(output_dir))


def compare(files: Mapping[str, str], output_dir: Path, discovery_dir: Path | None = None) -> Changes:
    """Return how generated files differ from the existing ones.

    Args:
        files: The texts of the generated files, by path relative to ``output_dir``.
        output_dir: The folder of the generated files, which need not exist.
        discovery_dir: The folder of the packages that Spark discovers, if not in ``output_dir``.

    Raises:
        WireloomError: A file that was not generated is in the way.
    """
    check_folder(output_dir)
    existing = {path.relative_to(output_dir).as_posix(): path for path in _existing_files(output_dir)}
    if discovery_dir is not None:
        for place in discovery_dir.glob(f"{DISCOVERED}*/__init__.py"):
            path = Path(os.path.relpath(place, output_dir)).as_posix()
            # Other projects may have such packages too; only files generated by wireloom are considered.
            if path in files or is_generated(_text(place)):
                existing[path] = place
    written: list[str] = []
    unchanged: list[str] = []
    removed: list[str] = []
    foreign: list[str] = []
    diff: list[str] = []
    for path in sorted({*files, *existing}):
        old = _text(existing[path]) if path in existing else None
        generated = old is not None and is_generated(old)
        if path not in files:
            (removed if generated else foreign).append(path)
            shown = relative_path(output_dir, path)
            diff += (
                difference(shown, old or "", None)
                if generated
                else [f"Not generated, and therefore not removed: {shown}\n"]
            )
        elif old == files[path] or (generated and path.endswith(".py") and is_same_code(old or "", files[path])):
            unchanged.append(path)
        elif old is not None and not generated:
            raise WireloomError(
                "is not overwritten, since it was not generated: move it, or choose another folder",
                path=str(existing[path]),
            )
        else:
            written.append(path)
            diff += difference(relative_path(output_dir, path), old, files[path])
    return Changes(tuple(written), tuple(removed), tuple(unchanged), "".join(diff), tuple(foreign))


def is_same_code(left: str, right: str) -> bool:
    """Return whether two modules have the same syntax tree and the same comments: how they are formatted depends on the
    version of the formatter, and on whether a project formats generated code itself.

    >>> is_same_code("a = [1, 2]  # b", "a = [\\n    1,\\n    2,\\n]  # b"), is_same_code("a = 1  # b", "a = 1  # c")
    (True, False)
    """
    try:
        return ast.dump(ast.parse(left)) == ast.dump(ast.parse(right)) and _comments(left) == _comments(right)
    except SyntaxError:
        return False


def _comments(module: str) -> list[str]:
    tokens = tokenize.generate_tokens(io.StringIO(module).readline)
    return [each.string for each in tokens if each.type == tokenize.COMMENT]


def relative_path(output_dir: Path, path: str) -> str:
    """Return a path below or beside the output folder, relative to the current folder."""
    place = output_dir / path
    found = os.path.relpath(place)
    # Given an absolute path, the result stays absolute.
    return Path(os.path.normpath(place) if place.is_absolute() and found.startswith("..") else found).as_posix()


def _existing_files(output_dir: Path) -> list[Path]:
    def counts(path: Path) -> bool:
        parts = path.relative_to(output_dir).parts
        return path.is_file() and not any(part == "__pycache__" or part.startswith(".") for part in parts)

    return [path for path in output_dir.rglob("*") if counts(path)]


def _text(path: Path) -> str:
    return path.read_bytes().decode("utf-8", "replace")


def difference(path: str, old: str | None, new: str | None) -> list[str]:
    """Return the lines of a unified diff of one file.

    Args:
        path: The path of the file in the diff.
        old: The existing text; ``None`` if the file does not exist.
        new: The generated text; ``None`` if the file is removed.
    """
    lines = difflib.unified_diff(
        (old or "").splitlines(keepends=True),
        (new or "").splitlines(keepends=True),
        "/dev/null" if old is None else f"a/{path.lstrip('/')}",
        "/dev/null" if new is None else f"b/{path.lstrip('/')}",
    )
    return [line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines]


def _write(files: Mapping[str, str], changes: Changes, output_dir: Path) -> None:
    for path in changes.written:
        place = output_dir / path
        place.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(place, files[path])
    for path in changes.removed:
        place = output_dir / path
        place.unlink()
        for folder in list(PurePosixPath(path).parents)[:-1]:
            if folder.name != "..":
                _remove_empty(output_dir / folder)


def write_atomically(place: Path, text: str) -> None:
    """Write a file atomically, so that it is never incomplete, even after an interrupt."""
    unfinished = place.with_name(f".{place.name}.tmp")
    try:
        unfinished.write_text(text, encoding="utf-8", newline="\n")
        unfinished.replace(place)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise


def _remove_empty(folder: Path) -> None:
    """Remove a folder if it contains only Python's cache of files that no longer exist."""
    cache = folder / "__pycache__"
    if not folder.is_dir() or any(each != cache for each in folder.iterdir()):
        return
    if cache.is_dir():
        for each in cache.iterdir():
            each.unlink()
        cache.rmdir()
    folder.rmdir()
