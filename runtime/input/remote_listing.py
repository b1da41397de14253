"""Listing of the files at an address: a file, a folder, a prefix or a glob."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import pyarrow.fs

from ..base.dataclass import dataclass
from ..base.errors import NothingThereError, WireloomError
from ..base.shown_addresses import without_secrets
from .inputs import WILDCARDS
from .listing import alternatives, hidden
from .stores import Store, arrow_errors
from .web_files import is_web

MOST_PAGES = 10_000
"""Maximum number of listings of a web server that are read for one address: links may form endless trees."""
TIMES = ("mtime", "LastModified", "last_modified", "updated", "modified", "Last-Modified", "created")
"""Names that implementations of fsspec give the modification time."""


@dataclass(frozen=True, slots=True)
class Found:
    """A file. ``tag``: its ETag, which changes with its content; empty if the store has none."""

    path: str
    size: int | None
    modified: datetime | None = None
    tag: str = ""


@dataclass(frozen=True)
class Below:
    """The files that a folder or a glob names: those below ``folder`` whose paths match ``pattern``."""

    folder: str
    pattern: re.Pattern[str]

    @classmethod
    def of(cls, path: str, *, is_folder: bool) -> Below:
        """Return the files that ``path`` names; if it is not a folder, it is a glob."""
        if is_folder:
            return cls(path, re.compile(""))
        return cls(_fixed(path), re.compile(f"{expression(path)}(/|$)"))

    def holds(self, path: str) -> bool:
        """Return whether a file below the folder is one of them. Hidden ones are not."""
        return bool(self.pattern.match(path)) and _is_shown(path, self.folder)


def found_at(store: Store) -> Iterator[Found]:
    """Yield the files at a path of a store. Raises ``OSError`` and ``WireloomError``."""
    if store.spec is None:
        for pattern in alternatives(store.path):
            with arrow_errors():
                yield from _of_arrow(store.files, pattern)
        return
    try:
        # Implementations cache listings for the life of the process.
        store.spec.invalidate_cache()
        for pattern in [store.path] if is_web(store.spec) else alternatives(store.path):
            yield from _of_web(store.spec, pattern) if is_web(store.spec) else _of_spec(store.spec, pattern)
    except (OSError, WireloomError):
        raise
    except Exception as error:
        raise OSError(without_secrets(str(error) or repr(error))) from None


def _of_arrow(files: Any, path: str) -> Iterator[Found]:
    kinds = pyarrow.fs.FileType
    info = files.get_file_info(path)
    if info.type == kinds.File:
        yield Found(info.path, info.size, info.mtime)
        return
    if info.type != kinds.Directory and WILDCARDS.isdisjoint(path):
        return
    below = Below.of(path, is_folder=info.type == kinds.Directory)
    selector = pyarrow.fs.FileSelector(below.folder, recursive=True, allow_not_found=True)
    for info in files.get_file_info(selector):
        if info.type == kinds.File and below.holds(info.path):
            yield Found(info.path, info.size, info.mtime)


def _of_spec(spec: Any, path: str) -> Iterator[Found]:
    info = _info(spec, path)
    if info is not None and info["type"] != "directory":
        yield _found(info)
        return
    if info is None and WILDCARDS.isdisjoint(path):
        return
    below = Below.of(path, is_folder=info is not None)
    try:
        found = spec.find(below.folder, detail=True)
    except FileNotFoundError:
        return
    for info in found.values():
        if info["type"] == "file" and below.holds(info["name"]):
            yield _found(info)


def _of_web(spec: Any, address: str) -> Iterator[Found]:
    plain, mark, _ = address.partition("?")
    if mark or (WILDCARDS.isdisjoint(plain) and not plain.endswith("/")):
        yield _found(_web_info(spec, address))
        return
    folder = plain if plain.endswith("/") else f"{_fixed(plain)}/"
    pattern = re.compile("" if plain.endswith("/") else f"{expression(plain)}(/|$)")
    for name in _below(spec, folder):
        if pattern.match(name):
            yield _found(_web_info(spec, name))


def _below(spec: Any, folder: str) -> Iterator[str]:
    """Yield the files that the listings of a folder and its subfolders name, without links to elsewhere, queries and
    hidden names."""
    waiting, seen, pages = [folder], {folder}, 0
    while waiting:
        pages += 1
        if pages > MOST_PAGES:
            raise WireloomError(f"more than {MOST_PAGES} folders: name the files or a folder below", path=folder)
        here = waiting.pop()
        for info in spec.ls(here, detail=True):
            name = str(info["name"])
            inside = name.removeprefix(here).rstrip("/")
            proper = name.startswith(here) and inside not in ("", ".", "..") and not set(inside) & set("/?#\\")
            if not proper or name in seen or hidden(inside):
                continue
            seen.add(name)
            if name.endswith("/"):
                waiting.append(name)
            else:
                yield name


def _web_info(spec: Any, address: str) -> dict[str, Any]:
    try:
        found: dict[str, Any] = spec.info(address)
    except FileNotFoundError as error:
        cause = error.__cause__
        status = getattr(cause, "status", None)
        if status is None:
            raise WireloomError(
                f"the server cannot be reached: {without_secrets(str(cause or 'no answer'))}", path=address
            ) from None
        kind = NothingThereError if status in (404, 410) else WireloomError
        raise kind(f"the server answers {status} {getattr(cause, 'message', '')}".rstrip(), path=address) from None
    return {**found, "name": address}


def _info(spec: Any, path: str) -> dict[str, Any] | None:
    try:
        found: dict[str, Any] = spec.info(path)
    except FileNotFoundError:
        return None
    return found


def _found(info: dict[str, Any]) -> Found:
    size = info.get("size")
    time = next((info[name] for name in TIMES if info.get(name) is not None), None)
    tag = next((str(info[name]) for name in ("ETag", "etag", "md5Hash") if info.get(name)), "")
    return Found(str(info["name"]), None if size is None else int(size), _time(time), tag)


def _time(value: Any) -> datetime | None:
    """Return the modification time from the details of a file of fsspec; ``None`` if there is none."""
    try:
        if isinstance(value, int | float):
            return datetime.fromtimestamp(value, UTC)
        if isinstance(value, str):
            value = parsedate_to_datetime(value) if "," in value else datetime.fromisoformat(value)
    except (ValueError, OverflowError, OSError):
        return None
    if not isinstance(value, datetime):
        return None
    return value if value.tzinfo else value.replace(tzinfo=UTC)


def key_advice(address: str) -> str | None:
    """Return what to do about an object that cannot be opened, if its key is the reason: Arrow refuses empty parts."""
    return "copy the object to a key without //" if "//" in address.partition("://")[2] else None


def found_now(store: Store) -> Found | None:
    """Return the file that is at a path of a store now; ``None`` if there is none. Raises ``OSError`` and
    ``ValueError``."""
    if store.spec is not None:
        return next(found_at(store), None)
    try:
        # Arrow has the ETag in a file's metadata, but not in listings.
        with store.files.open_input_file(store.path) as file:
            size, own = file.size(), file.metadata() or {}
        time = own.get("Last-Modified")
        modified = store.files.get_file_info(store.path).mtime if time is None else _time(time.decode())
    except FileNotFoundError:
        return None
    return Found(store.path, int(size), modified, own.get("ETag", b"").decode().strip('"'))


def _fixed(pattern: str) -> str:
    """Return the folder above all matches of a glob."""
    parent, slash, _ = re.split(r"[*?\[]", pattern, maxsplit=1)[0].rpartition("/")
    return parent or slash


def _is_shown(path: str, folder: str) -> bool:
    return not any(map(hidden, path[len(folder) :].strip("/").split("/")))


def expression(pattern: str) -> str:
    """Return a glob as a regular expression: ``*`` and ``?`` match within one part of the path, ``**`` matches any
    number of parts.

    >>> expression("a/**/b?.zst")
    'a/(?:.*/)?b[^/]\\\\.zst'
    """
    built = ""
    rest = pattern
    while rest:
        if rest.startswith("**/"):
            built, rest = built + "(?:.*/)?", rest[3:]
        elif rest.startswith("**"):
            built, rest = built + ".*", rest[2:]
        elif rest[0] == "*":
            built, rest = built + "[^/]*", rest[1:]
        elif rest[0] == "?":
            built, rest = built + "[^/]", rest[1:]
        elif rest[0] == "[" and (end := rest.find("]", 2)) > 0:
            inside = rest[1:end].replace("\\", "\\\\")
            inside = f"^{inside[1:]}" if inside.startswith("!") else inside
            built, rest = f"{built}[{inside}]", rest[end + 1 :]
        else:
            built, rest = built + re.escape(rest[0]), rest[1:]
    return built
