"""Compiled specs in the user's cache folder: the description, the schema and the program of a table, as data.

An entry is found by the digest of the spec and of what compiled it. It has the digests of the spec's imports, and the
places where one was looked for in vain. It contains no code, and no name of it is looked up in a module before the spec
was compiled and has the same description: classes are always made from the spec. The engine checks its program like any
other. An entry that is not valid is passed over.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from ..base.cached import cached_property
from ..base.dataclass import dataclass, field, fields, replace
from ..base.errors import WireloomError
from .description import MODEL_VERSION, Format
from .in_memory import InMemoryFormat, package_digest, package_of
from .message_program import MessageProgram
from .message_rules import FRAMINGS
from .plain_data import form_of
from .program import ColumnProgram
from .routines import BUILT_IN

if TYPE_CHECKING:
    import pyarrow

VARIABLE = "WIRELOOM_CACHE"
"""The environment variable with the folder of the cache, or ``off``."""
MOST_ENTRIES = 256
"""Number of entries, one for each table that was read. The least recently used ones are removed."""
LARGEST = 1 << 24
"""Maximum size of an entry, of a spec and of an import in bytes."""

_PROGRAM = form_of(ColumnProgram | MessageProgram | None)
_IMPORTS = form_of(tuple[tuple[str, str], ...])
_DIGEST = 64


@dataclass(frozen=True, eq=False)
class SpecCache:
    """The entries of one spec.

    ``path``: the spec file; ``text``: its text; ``imports``: the contents of the files in which imports are looked up,
    ``None`` for those that are not there; ``key``: the digest of all else that an entry depends on; ``compile``:
    compiles the spec from its text and its imports, or adds these.
    """

    folder: Path
    path: Path
    text: str
    key: str
    compile: Callable[[SpecCache], InMemoryFormat]
    imports: dict[Path, bytes | None] = field(default_factory=dict)

    @classmethod
    def of(
        cls, path: Path, options: Sequence[Sequence[str]], compile: Callable[..., InMemoryFormat]
    ) -> SpecCache | None:
        """Return the entries of a spec; ``None`` if there is no cache. ``options``: what else determines its format."""
        folder = _folder()
        data = None if folder is None else _content(path)
        try:
            text = "" if data is None else data.decode()
        except UnicodeDecodeError:
            return None
        key = json.dumps([_generator(), path.name, text, *map(list, options)])
        return cls(folder, path, text, sha256(key.encode()).hexdigest(), compile) if folder and text else None

    def read(self, table: str = "") -> InMemoryFormat | None:
        """Return the format of a table, by default the first one, if there is an entry of it."""
        place = self._place(table)
        data = _content(place, private=True) if _is_private(self.folder) else None
        if data is None or _sha256(data[_DIGEST:]).encode() != data[:_DIGEST]:
            return None
        try:
            key, imports, *parts = json.loads(data[_DIGEST:])
            digests = {self._import(name): digest for name, digest in _IMPORTS.read(imports)}
            found = {path: _content(path) for path in digests}
            if key != [self.key, table] or digests != {path: _sha256(each) for path, each in found.items()}:
                return None
            if data[:_DIGEST] not in _read:
                _read[data[:_DIGEST]] = CachedTable(replace(self, imports=found), table, *parts).format()
        except (ValueError, TypeError, RecursionError) as error:
            _log("is not used", place, error)
            return None
        with suppress(OSError):
            os.utime(place)
        return _read[data[:_DIGEST]]

    def write(self, format: InMemoryFormat, schema: pyarrow.Schema, program: Any) -> None:
        """Write the entry of a table."""
        table = format.table if format.parser else ""
        place, base = self._place(table), os.path.abspath(self.path.parent)
        unfinished = place.with_suffix(f".{os.getpid()}.{id(format)}")
        try:
            imports = [(os.path.relpath(each, base), _sha256(data)) for each, data in self.imports.items()]
            lowered = schema.serialize().to_pybytes().decode("latin-1"), _PROGRAM.write(program)
            parts = [[self.key, table], _IMPORTS.write(imports), _described(format), *lowered]
            data = json.dumps(parts, separators=(",", ":")).encode()
            self.folder.mkdir(0o700, parents=True, exist_ok=True)
            if not _is_private(self.folder) or len(data) > LARGEST - _DIGEST:
                return
            # Only entries are removed: it may be any folder that the user has named.
            places = sorted(self.folder.glob("[0-9a-f]" * _DIGEST + "*"), key=lambda each: each.lstat().st_mtime)
            for each in places[: max(0, len(places) - MOST_ENTRIES + 1)]:
                each.unlink(missing_ok=True)
            try:
                with open(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                    file.write(_sha256(data).encode() + data)
                unfinished.replace(place)
            finally:
                unfinished.unlink(missing_ok=True)
        except (OSError, ValueError, TypeError) as error:
            _log("cannot be written", place, error)

    def remove(self, table: str) -> None:
        """Remove the entry of a table."""
        with suppress(OSError):
            self._place(table).unlink()

    def _place(self, table: str) -> Path:
        return self.folder / sha256(f"{self.key} {table}".encode()).hexdigest()

    def _import(self, name: str) -> Path:
        return Path(os.path.abspath(self.path.parent / name))


_read: dict[bytes, InMemoryFormat] = {}
"""The formats of valid entries by the digests of these, so that a spec has one program, however often it is loaded."""


@dataclass(frozen=True, eq=False)
class CachedTable:
    """The content of an entry. It has the types of a description, but may be anyone's."""

    cache: SpecCache
    table: str
    description: list[Any]
    schema: str
    program: list[Any] | None

    def format(self) -> InMemoryFormat:
        """Return the format. Raises ``ValueError`` if it is not valid."""
        found = form_of(Format).read(self.description)
        places = {each.indexer for each in found.levels}
        if found.message is not None:
            places |= {found.message.framing, *found.message.framings, found.message.packing, found.message.hooks}
        names = (found.name, *found.tables, *(each.name for each in found.columns))
        if (
            not places <= {"", *FRAMINGS, *BUILT_IN}
            or not all(map(str.isidentifier, names))
            or os.path.basename(found.xor_key_file) != found.xor_key_file
            or found.base is not None
            or found.is_plain
        ):
            raise ValueError("it describes what no spec does")
        files = [(self.cache.path.name, self.cache.text.encode())]
        files += [(path.name, data) for path, data in self.cache.imports.items() if data is not None]
        module = package_of(package_digest((name, _sha256(data)) for name, data in files), found.name)
        own: dict[str, Any] = {"module": module, "cache": self.cache, "entry": self}
        if self.table:
            own |= {"module": f"{module}.{self.table}", "parser": f"{module}.parser"}
        return InMemoryFormat(**_values(found) | own)

    def lowered(self, names: list[str]) -> tuple[pyarrow.Schema, Any] | None:
        """Return the schema and the program; ``None`` if they are not valid. ``names``: the described columns."""
        import pyarrow

        try:
            data = self.schema.encode("latin-1")
            if b"ARROW:extension" in data:
                raise ValueError("columns have no types of extensions")
            schema = pyarrow.ipc.read_schema(pyarrow.py_buffer(data))
            if schema.names != names:
                raise ValueError("the schema has other columns than the description")
            return schema, _PROGRAM.read(self.program)
        except (ValueError, TypeError, AttributeError, pyarrow.ArrowException, OSError) as error:
            _log("is not used", self.cache.path, error)
            return None

    @cached_property
    def compiled(self) -> InMemoryFormat:
        """Return the format as the spec describes it, with its classes. Raises ``WireloomError`` if the entry describes
        another one."""
        found: Any = self.cache.compile(self.cache)
        found = found.of_table(self.table) if self.table in found.tables else found
        if _described(found, refusals=False) != _described(self.format(), refusals=False):
            self.cache.remove(self.table)
            sentence = "the cache of compiled specs described another format, and was corrected: load the spec again"
            raise WireloomError(sentence, path=str(self.cache.path))
        return cast(InMemoryFormat, found)


def _values(format: Format) -> dict[str, Any]:
    return {each.name: format.__dict__[each.name] for each in fields(Format)}


def _described(format: Format, *, refusals: bool = True) -> Any:
    """Return the description of a format as data, without the name of its package. ``refusals``: with what the engine
    refuses, which is only known when the program is."""
    values = _values(format) | {"module": "", "parser": ""}
    if not refusals:
        columns = tuple(replace(each, engine_refusal="") for each in format.columns)
        values |= {"engine_refusal": None, "columns": columns}
    return form_of(Format).write(Format(**values))


def _folder() -> Path | None:
    chosen = os.environ.get(VARIABLE, "")
    caches = os.environ.get("XDG_CACHE_HOME", "")
    if not os.path.isabs(caches):
        caches = os.path.join(os.environ.get("HOME", ""), ".cache")
    chosen = chosen or (os.path.join(caches, "wireloom") if os.path.isabs(caches) else "off")
    return Path(chosen) if chosen != "off" and os.name == "posix" else None


def _is_private(folder: Path) -> bool:
    """Return whether a folder is there to which only its owner, who runs this process, can write."""
    try:
        found = folder.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and not found.st_mode & 0o022


def _content(path: Path, *, private: bool = False) -> bytes | None:
    """Return the content of a regular file; ``None`` if there is none, it is too large, or cannot be read. ``private``:
    only this user can write to it."""
    try:
        flags = os.O_RDONLY | os.O_NONBLOCK | (os.O_NOFOLLOW if private else 0)
        with open(os.open(path, flags), "rb") as file:
            found = os.fstat(file.fileno())
            is_own = found.st_uid == os.geteuid() and not found.st_mode & 0o022
            if not stat.S_ISREG(found.st_mode) or found.st_size > LARGEST or (private and not is_own):
                return None
            return file.read(LARGEST)
    except OSError:
        return None


def _sha256(data: bytes | None) -> str:
    return "" if data is None else sha256(data).hexdigest()


@cache
def _generator() -> str:
    """Return what tells the generator from any other: the SHA-256 of its files. Their times are no evidence, since some
    installers give all files the same one; the package's version takes longer to find."""
    found = sha256(str(MODEL_VERSION).encode())
    for name in ("wireloom.codegen", "wireloom.format"):
        spec = find_spec(name)
        for folder in (spec and spec.submodule_search_locations) or ():
            for place, inner, files in os.walk(folder):
                inner[:] = sorted(each for each in inner if each != "__pycache__")
                for each in sorted(each for each in files if not each.endswith(".pyc")):
                    with open(os.path.join(place, each), "rb", buffering=0) as file:
                        found.update(f"{each} {_sha256(file.read())} ".encode())
    return found.hexdigest()


def _log(what: str, place: Path, error: Exception) -> None:
    # Imported here: what is usual needs no log.
    import logging

    logging.getLogger(__name__).debug("the entry %s of the cache of compiled specs %s: %r", place, what, error)
