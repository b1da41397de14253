"""Lists the input of a streaming read, in reading order."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from ...base.addresses import S3, is_remote, local_path, scheme_of
from ...base.cached import cached_property
from ...base.errors import NothingThereError, WireloomError
from ...input.expansion import STANDARD_INPUT, expand
from ...input.inputs import WILDCARDS, FileInput, Input, Location
from ...input.listing import alternatives
from ..options import ReadOptions
from ..read.file_listing import list_inputs, microseconds
from .offset import FilePart, fingerprint

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
    def place(self) -> tuple[int, str]:
        """Return the sort key of the reading order: time, then path."""
        return self.modified, self.path


def listing(options: ReadOptions, expand: Callable[[str, Location], list[Input]] = expand) -> list[ListedFile]:
    """Return the files that exist now, in reading order. Paths that do not exist yet are not an error. ``expand``: a
    function that lists one path.

    Raises ``WireloomError`` if a folder or store cannot be listed.
    """
    inputs = list_inputs(options, missing_ok=True, expand=expand)
    found = [
        _listed(each, each.address, each.size) for each in inputs if each.path is not None and each.size is not None
    ]
    return sorted(found, key=lambda each: each.place)


def _listed(source: Input, path: str, size: int) -> ListedFile:
    number = source.file_id if isinstance(source, FileInput) else 0
    return ListedFile(source, path, size, microseconds(source.modified), number)


def listed_file(path: str) -> ListedFile | None:
    """Return a local file by its path; ``None`` if it has vanished. Raises ``WireloomError``."""
    try:
        [found] = expand(path)
    except NothingThereError:
        return None
    return _listed(found, path, found.size) if found.size is not None else None


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


@dataclass(frozen=True)
class State:
    """The current state of a file; ``file_id``: its number, or 64 bits of an object's ETag."""

    size: int
    modified: int
    file_id: int


def state_now(path: str, location: Location) -> State | None:
    """Return the current state of a file; ``None`` if it has vanished. Raises ``WireloomError``."""
    if is_remote(path):
        return _remote_state(path, location)
    try:
        status = os.stat(path)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise WireloomError(f"cannot be accessed: {error.strerror}", path=path) from None
    return State(status.st_size, microseconds(datetime.fromtimestamp(status.st_mtime, UTC)), status.st_ino)


def with_tags(parts: Iterable[FilePart], location: Location) -> list[FilePart]:
    """Return the parts, where those of objects have 64 bits of the objects' ETags. Raises ``WireloomError``, as
    ``state_now``."""
    found = list(parts)
    remote = [each.path for each in found if is_remote(each.path)]
    if not remote:
        return found
    with ThreadPoolExecutor(REQUESTS) as pool:
        states = dict(zip(remote, pool.map(lambda path: state_now(path, location), remote), strict=True))
    tags = {path: state.file_id for path, state in states.items() if state is not None}
    return [replace(each, file_id=tags.get(each.path, each.file_id)) for each in found]


def _check_bucket(path: str, location: Location) -> None:
    import pyarrow.fs

    from ...input.object_stores import filesystem, split

    bucket, _ = split(path)
    try:
        info = filesystem(location, bucket).get_file_info(bucket)
    except OSError:
        # Permission to list a prefix does not imply access to the bucket; errors are reported when the prefix is
        # listed.
        return
    if info.type == pyarrow.fs.FileType.NotFound:
        raise NothingThereError("no such bucket: check its name, the region and the endpoint", path=path)


def _remote_state(path: str, location: Location) -> State | None:
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
    return State(found.size, microseconds(found.modified), fingerprint(found.tag) if found.tag else 0)
