"""Lists the input of a streaming read, in reading order."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Generic, TypeVar

from ...base.addresses import S3, is_remote, local_path, scheme_of
from ...base.cached import cached_property
from ...base.dataclass import dataclass, replace
from ...base.errors import NothingThereError, WireloomError
from ...input.expansion import STANDARD_INPUT, expand
from ...input.inputs import WILDCARDS, FileInput, Input, Location
from ...input.listing import alternatives
from ..options import ReadOptions
from ..read.file_listing import input_of, list_inputs, microseconds
from .offset import FilePart, fingerprint

Key = TypeVar("Key")
Found = TypeVar("Found")

REQUESTS = 16
"""Number of objects that are requested concurrently."""


@dataclass(frozen=True)
class ListedFile:
    """A listed file; ``size`` in bytes as stored, ``modified`` in microseconds since 1970, UTC."""

    input: Input
    path: str
    size: int
    modified: int
    file_id: int = 0
    """The number of a local file (its inode); 0 if it is not known."""

    @cached_property
    def fingerprint(self) -> int:
        """Return the fingerprint of the path, see ``offset.fingerprint``."""
        return fingerprint(self.path)

    @property
    def is_local(self) -> bool:
        """Return whether the file is on this machine, where it may be renamed, copied or compressed."""
        return isinstance(self.input, FileInput)

    @property
    def sort_key(self) -> tuple[int, str]:
        """Return the sort key of the reading order: time, then path."""
        return self.modified, self.path


class FileCache(Generic[Key, Found]):
    """Cache of the contents of files, valid while their sizes, modification times and numbers stay the same."""

    def __init__(self) -> None:
        self._files: dict[str, tuple[tuple[int, int, int], dict[Key, Found]]] = {}
        self._unused: dict[str, tuple[tuple[int, int, int], dict[Key, Found]]] = {}

    def get(self, file: ListedFile, key: Key, find: Callable[[], Found]) -> Found:
        """Return what was found in a file, or find it."""
        cached = self._files.get(file.path) or self._unused.get(file.path)
        if cached is None or cached[0] != (file.size, file.modified, file.file_id):
            cached = (file.size, file.modified, file.file_id), {}
        if key not in cached[1]:
            cached[1][key] = find()
        self._files[file.path] = cached
        return cached[1][key]

    def forget(self, path: str) -> None:
        """Remove what was found in a file."""
        self._files.pop(path, None)
        self._unused.pop(path, None)

    def turn(self) -> None:
        """Remove what was found in files that were not asked for since the last call."""
        self._files, self._unused = {}, self._files


def listing(options: ReadOptions, expand: Callable[[str, Location], list[Input]] = expand) -> list[ListedFile]:
    """Return the files that exist now, in reading order. Paths that do not exist yet are not an error. ``expand``: a
    function that lists one path.

    Raises ``WireloomError`` if a folder or store cannot be listed.
    """
    found = [
        ListedFile(each, each.address, each.size, microseconds(each.modified), getattr(each, "file_id", 0))
        for each in list_inputs(options, missing_ok=True, expand=expand)
        if each.path is not None and each.size is not None
    ]
    return sorted(found, key=lambda each: each.sort_key)


def file_now(path: str, location: Location) -> ListedFile | None:
    """Return the current state of a file or object; ``None`` if it has vanished. The ``file_id`` of an object is 64
    bits of its ETag. Raises ``WireloomError``."""
    if is_remote(path):
        return _object_now(path, location)
    try:
        status = os.stat(path)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise WireloomError(f"cannot be accessed: {error.strerror}", path=path) from None
    modified = microseconds(datetime.fromtimestamp(status.st_mtime, UTC))
    return _at(path, status.st_size, modified, status.st_ino, location)


def _at(path: str, size: int, modified: int, file_id: int, location: Location) -> ListedFile:
    return ListedFile(input_of(path, size, modified, location, file_id=file_id), path, size, modified, file_id)


def local_folder(path: str) -> str:
    """Return the folder of a local path or pattern: the path itself, or the folder that contains the matched files."""
    local = local_path(path)
    return local if os.path.isdir(local) else os.path.dirname(local)


def check_paths(options: ReadOptions) -> None:
    """Raise ``WireloomError`` for a path for which a query cannot wait: standard input, and a bucket or a local path
    without wildcards that does not exist, since it is more likely misspelt than not created yet."""
    for path in options.paths:
        if path == STANDARD_INPUT:
            raise WireloomError("Spark cannot read standard input as a stream: give a folder, glob or s3:// address")
        if scheme_of(path) in S3:
            _check_bucket(path, options.scan.location)
        elif (
            not is_remote(path)
            and WILDCARDS.isdisjoint(path)
            and len(alternatives(path)) == 1
            and not os.path.exists(local_path(path))
        ):
            raise NothingThereError("no such file or folder: create the folder before the query starts", path=path)


def with_tags(parts: Iterable[FilePart], location: Location) -> list[FilePart]:
    """Return the parts, where those of objects have 64 bits of the objects' ETags. Raises ``WireloomError``, as
    ``file_now``."""
    found = list(parts)
    remote = [each.path for each in found if is_remote(each.path)]
    with ThreadPoolExecutor(REQUESTS) as pool:
        states = dict(zip(remote, pool.map(lambda path: file_now(path, location), remote), strict=True))
    tags = {path: state.file_id for path, state in states.items() if state is not None}
    return [replace(each, file_id=tags.get(each.path, each.file_id)) for each in found]


def _check_bucket(path: str, location: Location) -> None:
    import pyarrow.fs

    from ...input.s3 import filesystem, split

    bucket, _ = split(path)
    try:
        info = filesystem(location, bucket).get_file_info(bucket)
    except OSError:
        # Permission to list a prefix does not imply access to the bucket; errors are reported when the prefix is
        # listed.
        return
    if info.type == pyarrow.fs.FileType.NotFound:
        raise NothingThereError("no such bucket: check its name, the region and the endpoint", path=path)


def _object_now(path: str, location: Location) -> ListedFile | None:
    from ...input.remote_listing import found_now, key_advice
    from ...input.stores import store_of

    try:
        found = found_now(store_of(path, location))
    except NothingThereError:
        return None
    except (OSError, ValueError) as error:
        raise WireloomError(
            f"the object store refused the request: {error}", path=path, advice=key_advice(path)
        ) from None
    if found is None or found.size is None:
        return None
    return _at(path, found.size, microseconds(found.modified), fingerprint(found.tag) if found.tag else 0, location)
