"""Loading of spec files and their imports: lookup, reading and syntax check."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path

from wireloom.base.dataclass import dataclass, field

from ..spec.diagnostics import Diagnostics
from ..spec.position import Position
from ..spec.reader import MAX_CHARACTERS, lines_of, read_yaml
from ..spec.syntax import Section, Text
from ..spec.validator import Validator
from ..words import shown
from .symbols import SourceFile

MAX_FILES = 500
"""Maximum number of specs that a spec imports, directly or indirectly."""


@dataclass
class Loader:
    """Reads a spec and all specs that it imports.

    Relative imports are looked up relative to the importing file, absolute ones (``/a/b``) in ``import_paths`` and then
    in the folders of the environment variable ``KSPATH``, as Kaitai's compiler does.
    """

    diagnostics: Diagnostics
    import_paths: tuple[Path, ...] = ()
    unsaved: Mapping[Path, str] = field(default_factory=dict)
    """The texts of imports whose files are not to be read, by their absolute paths."""
    imported: dict[Path, bytes | None] = field(default_factory=dict)
    """The contents of other imports by their absolute paths, ``None`` for a file that is not there. Those that it lacks
    are looked up, and added."""
    files: dict[str, SourceFile] = field(default_factory=dict)
    """Files by the name (``meta/id``) of the spec; the first one is the requested one."""
    seen: set[Path] = field(default_factory=set)
    incomplete: bool = False
    """Whether an import could not be read, or has no valid name."""
    characters: int = 0
    """Number of characters of all files so far."""

    def __post_init__(self) -> None:
        self.validator = Validator(self.diagnostics)

    def load(self, path: Path, text: str | None, display: str) -> bool:
        """Read the file and its imports. Return ``False`` if the first file is not a mapping. Raises ``OSError`` if the
        first file cannot be opened."""
        data = text.encode("utf-8", "surrogatepass") if text is not None else _read(path)
        waiting = [(path, data, display)]
        self.seen.add(_key(path))
        while waiting:
            current, content, name = waiting.pop(0)
            file = self._parse(content, name)
            if file is None:
                self.incomplete = True
                continue
            self._declare(file)
            waiting.extend(self._imports(file.section, current))
        for file in self.files.values():
            file.unknown_types = file.unknown_enums = self.incomplete
        return bool(self.files)

    def _parse(self, data: bytes, display: str) -> SourceFile | None:
        start = Position(display, 1, 1)
        if len(data) > 4 * MAX_CHARACTERS:
            self.diagnostics.error(start, f"a spec has at most {MAX_CHARACTERS} characters")
            return None
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            before = data[: error.start]
            *lines, last = lines_of(before.decode("utf-8-sig", "replace"))
            line, column = len(lines) + 1, len(last) + 1
            source = lines_of(data.decode("utf-8-sig", "replace"))[line - 1]
            self.diagnostics.error(
                Position(display, line, column, 1, source),
                "this byte is not valid UTF-8: save the file as UTF-8",
            )
            return None
        self.characters += len(text)
        if self.characters > MAX_CHARACTERS >= len(text):
            self.diagnostics.error(start, f"a spec and its imports have at most {MAX_CHARACTERS} characters")
            return None
        node = read_yaml(text, display, self.diagnostics)
        section = self.validator.spec(node) if node is not None else None
        if section is None:
            return None
        return SourceFile(display, hashlib.sha256(data).hexdigest(), section)

    def _declare(self, file: SourceFile) -> None:
        meta = file.section.section("meta")
        id = meta.text("id") if meta is not None else None
        if id is None:
            # The validator has reported that it is missing. Its types can still be checked.
            self.incomplete |= bool(self.files)
            self.files.setdefault(Path(file.display).stem, file)
            return
        if id.value in self.files:
            first = self.files[id.value].display
            self.diagnostics.error(
                id.position,
                f"the id {shown(id.value)} is already used by {first}: change the id of one of the two specs",
            )
            return
        self.files[id.value] = file

    def _imports(self, section: Section, importer: Path) -> list[tuple[Path, bytes, str]]:
        found: list[tuple[Path, bytes, str]] = []
        for text in _import_texts(section):
            path = self.find(text.value, importer)
            if path is None:
                self._missing(text)
                self.incomplete = True
                continue
            if _key(path) in self.seen:
                continue
            if len(self.seen) >= MAX_FILES:
                self.diagnostics.error(text.position, f"more than {MAX_FILES} specs are imported")
                self.incomplete = True
                return found
            self.seen.add(_key(path))
            try:
                found.append((path, self._content(path), display_name(path)))
            except OSError as error:
                self.diagnostics.error(text.position, f"cannot read the import: {error.strerror or error}")
                self.incomplete = True
        return found

    def _missing(self, text: Text) -> None:
        """Report an import that no file has the name of, with where it was looked for."""
        where = "beside this file"
        hint = f"with a slash before it ('/{text.value}'), it is looked for in the folders of "
        if text.value.startswith("/"):
            folders = [*map(str, self.import_paths), *_environment()]
            where = f"in the import paths ({', '.join(folders) or 'there are none'})"
            hint = "the import paths are the folders of "
        hint += "the option -I (in Python 'import_paths') and of the environment variable KSPATH"
        message = f"cannot find the import {shown(text.value + '.ksy')} {where}"
        self.diagnostics.error(text.position, message, hint=hint)

    def _content(self, path: Path) -> bytes:
        key = _key(path)
        text = self.unsaved.get(key)
        if text is not None:
            return text.encode("utf-8", "surrogatepass")
        content = self.imported.get(key)
        if content is None:
            content = self.imported[key] = _read(path)
        return content

    def find(self, name: str, importer: Path) -> Path | None:
        """Return the file of an import in the file ``importer``; ``None`` if there is none."""
        if "\0" in name or len(name) > 1000:
            return None
        if name.startswith("/"):
            folders = (*self.import_paths, *map(Path, _environment()))
            candidates = [folder / f"{name.lstrip('/')}.ksy" for folder in folders]
        else:
            candidates = [importer.parent / f"{name}.ksy"]
        return next((each for each in candidates if self._is_there(each)), None)

    def _is_there(self, path: Path) -> bool:
        key = _key(path)
        if key not in self.imported:
            try:
                found = path.is_file()
            except OSError:
                found = False
            if found:
                return True
            self.imported[key] = None
        return self.imported[key] is not None


def _environment() -> list[str]:
    """Return the folders of absolute imports that the environment names."""
    return [each for each in os.environ.get("KSPATH", "").split(os.pathsep) if each]


def display_name(path: Path) -> str:
    """Return the name of a file in diagnostics: relative to the current folder if it is inside it, otherwise as given,
    so that an editor can open it. Generated code contains only the file's name."""
    try:
        return path.resolve().relative_to(Path.cwd().resolve()).as_posix()
    except ValueError:
        return path.as_posix()


def _import_texts(section: Section) -> list[Text]:
    """Return the imports in the ``meta`` of a type and of the types inside it."""
    meta = section.section("meta")
    texts = list(meta.texts("imports")) if meta is not None else []
    for entry in section.entries("types"):
        if isinstance(entry.value, Section):
            texts.extend(_import_texts(entry.value))
    return texts


def _key(path: Path) -> Path:
    return Path(os.path.abspath(path))


def _read(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(4 * MAX_CHARACTERS + 1)
