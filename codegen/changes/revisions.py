"""Specs in files, folders and git revisions.

A side of a comparison is a spec file, a folder of them, ``REVISION:PATH`` as in git (the path is relative to the
repository's root, or to the current folder if it begins with ``./``), or a revision alone, which uses the path of the
other side.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from wireloom.base.dataclass import dataclass
from wireloom.base.errors import UnsupportedError, WireloomError

from ..model.load import load
from ..tree import Spec

SUFFIX = ".ksy"


@dataclass(frozen=True)
class Side:
    """One side of a comparison: the specs by file name, each loaded on demand. ``single``: a single file was named."""

    shown: str
    files: Mapping[str, Path]
    single: bool
    revision: str | None = None
    import_paths: tuple[Path, ...] = ()

    def spec(self, name: str) -> Spec:
        """Return the model of a spec.

        Raises ``SpecError`` if it is invalid.
        """
        path = self.files[name]
        shown = None
        if self.revision is not None:
            shown = self.shown if self.single else f"{self.shown.rstrip('/')}/{name}"
        return load(path, display_name=shown, import_paths=self.import_paths)


@contextmanager
def both_sides(old: str, new: str, import_paths: Iterable[Path] = ()) -> Iterator[tuple[Side, Side]]:
    """Yield both sides. Files from git are in a temporary folder within the context. If ``old`` is a revision alone
    and has the path of ``new``, which no longer exists, ``new`` has no files. ``import_paths``: the folders of absolute
    imports; a revision has its own versions of those inside the repository.

    Raises ``WireloomError`` if there is no such file, folder, revision or path in it.
    """
    with tempfile.TemporaryDirectory(prefix="wireloom-") as folder:
        paths = tuple(import_paths)
        before = _side(old, new, Path(folder) / "old", paths)
        removed = before.revision is not None and ":" not in old and not Path(new).exists()
        yield before, Side(new, {}, before.single) if removed else _side(new, old, Path(folder) / "new", paths)


def _side(text: str, other: str, folder: Path, import_paths: tuple[Path, ...]) -> Side:
    path = Path(text)
    if path.exists():
        return _of(text, path, None, import_paths)
    revision, colon, inside = text.partition(":")
    if not revision or (path.suffix == SUFFIX and not colon):
        raise WireloomError("no such spec file or git revision: check the path, or give REVISION:PATH", path=text)
    if colon:
        base, local = Path(), inside.startswith("./")
    else:
        # A revision alone uses the path of the other side, whose folders may have been removed since.
        whole = Path(other).resolve()
        base, local = next(each for each in (whole, *whole.parents) if each.is_dir()), True
        inside = str(whole.relative_to(base))
    top = Path(_git(base, text, "rev-parse", "--show-toplevel").decode().strip())
    if local:
        inside = Path(os.path.relpath((base / inside).resolve(), top)).as_posix()
    commit = _git(base, text, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    _unpack(top, commit.decode().strip(), folder)
    found = folder / inside
    if not found.exists() and not colon and Path(other).is_dir():
        # The folder, with all its files, was added after the revision.
        return Side(f"{revision}:{inside}", {}, False, revision)
    if not found.exists() and not colon and not Path(other).exists():
        raise WireloomError("no such spec file or folder: check the path, or give REVISION:PATH", path=other)
    if not found.exists():
        raise WireloomError(
            f"{inside} does not exist in {revision}: give the path from the top of the repository",
            path=text,
        )
    own = (Path(os.path.relpath(each.resolve(), top)) for each in import_paths)
    paths = (each if ".." in inner.parts else folder / inner for each, inner in zip(import_paths, own, strict=True))
    return _of(f"{revision}:{inside}", found, revision, tuple(paths))


def _of(shown: str, path: Path, revision: str | None, import_paths: tuple[Path, ...]) -> Side:
    if path.is_dir():
        return Side(shown, {each.name: each for each in sorted(path.glob(f"*{SUFFIX}"))}, False, revision, import_paths)
    return Side(shown, {path.name: path}, True, revision, import_paths)


def _unpack(top: Path, commit: str, folder: Path) -> None:
    """Write all specs of a commit below ``folder``, since they import each other."""
    names = _git(top, commit, "ls-tree", "-r", "-z", "--full-tree", "--name-only", commit).decode("utf-8", "replace")
    paths = [each for each in names.split("\0") if each.endswith(SUFFIX) and "\n" not in each]
    folder.mkdir()
    content = _git(top, commit, "cat-file", "--batch", stdin="".join(f"{commit}:{each}\n" for each in paths).encode())
    at = 0
    for path in paths:
        end = content.index(b"\n", at)
        size = int(content[at:end].rsplit(b" ", 1)[1])
        place = folder / PurePosixPath(path)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content[end + 1 : end + 1 + size])
        at = end + 1 + size + 1


def _git(folder: Path, shown: str, *arguments: str, stdin: bytes = b"") -> bytes:
    try:
        done = subprocess.run(("git", *arguments), cwd=folder, input=stdin, capture_output=True, check=False)
    except FileNotFoundError as error:
        raise UnsupportedError(
            f"{shown} is not a file, and revisions require git, which is not installed: install it or give a file"
        ) from error
    if done.returncode:
        message = done.stderr.decode("utf-8", "replace").strip().removeprefix("fatal: ")
        raise WireloomError(
            f"is neither a file nor a git revision{f' ({message})' if message else ''}: give REVISION:PATH",
            path=shown,
        )
    return done.stdout
