"""What a streaming read finds in its folders, in the order in which it is read."""

from __future__ import annotations

import os
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import unquote, urlsplit

from ..cached import cached_property
from ..errors import NothingThereError, WireloomError
from ..listing import alternatives
from ..storage import REMOTE_SCHEMES, STANDARD_INPUT, WILDCARDS, FileInput, Input, Location
from .files import below
from .options import ReadOptions
from .stream_offset import fingerprint

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

ATTEMPTS = 5
"""How often a folder is looked at again because a file in it vanished while that was done."""


@dataclass(frozen=True)
class Listed:
    """A file that is there; ``size`` in bytes as stored, ``modified`` in microseconds since 1970, UTC."""

    input: Input
    path: str
    size: int
    modified: int

    @cached_property
    def fingerprint(self) -> int:
        """As ``stream_offset.fingerprint``."""
        return fingerprint(self.path)

    @property
    def place(self) -> tuple[int, str]:
        """Where it stands in the order of reading: by time, then by path."""
        return self.modified, self.path


def listing(options: ReadOptions) -> list[Listed]:
    """The files that are there now and hold something, in the order of reading. Nothing there yet is no error.

    Raises ``WireloomError`` where a folder or store cannot be looked at.
    """
    found: dict[str, Listed] = {}
    for path in options.paths:
        for each in _present(path, options):
            # A file is made first and filled later: while it is empty it may become anything.
            if each.path is not None and each.size:
                found[each.path] = Listed(each, each.path, each.size, microseconds(each.modified))
    return sorted(found.values(), key=lambda each: each.place)


def check_paths(options: ReadOptions) -> None:
    """Raises ``WireloomError`` for a path that nobody can wait for: standard input, and a bucket, or a local path
    without wildcards, that does not exist, since that is more likely misspelt than not there yet."""
    for path in options.paths:
        if path == STANDARD_INPUT:
            raise WireloomError("Spark cannot read standard input as a stream: give a folder, glob or s3:// address")
        if is_remote(path):
            _check_bucket(path, Location(**options.location))
        elif WILDCARDS.isdisjoint(path) and len(alternatives(path)) == 1 and not os.path.exists(_local(path)):
            raise NothingThereError("no such file or folder: make the folder before the query starts", path=path)


def _present(path: str, options: ReadOptions) -> list[Input]:
    for attempt in range(ATTEMPTS):
        try:
            return list(below(path, options))
        except NothingThereError:
            return []
        except WireloomError as error:
            vanished = error.path is not None and error.path != path and not is_remote(error.path)
            if attempt == ATTEMPTS - 1 or not vanished or os.path.lexists(str(error.path)):
                raise
    raise AssertionError


def _local(path: str) -> str:
    return unquote(urlsplit(path).path) if path.startswith("file://") else path


def is_remote(path: str) -> bool:
    """Whether it is in an object store, where files never grow."""
    return "://" in path and urlsplit(path).scheme in REMOTE_SCHEMES


def microseconds(modified: datetime | None) -> int:
    """A time as a number; 0 where it is not known."""
    return 0 if modified is None else (modified - EPOCH) // timedelta(microseconds=1)


def input_of(path: str, size: int, modified: int, location: dict[str, Any]) -> Input:
    """A file that was listed once, without looking at it again."""
    time = EPOCH + timedelta(microseconds=modified)
    if is_remote(path):
        from ..remote import RemoteInput

        return RemoteInput(path, size, time, seekable=True, location=Location(**location))
    return FileInput(path, size, time, seekable=True)


def state_now(source: Input) -> tuple[int, int] | None:
    """How large a file is now, in bytes, and when it was last written; ``None`` where it has vanished.

    Raises ``WireloomError``."""
    path = source.path or ""
    if is_remote(path):
        return _remote_state(path, source)
    try:
        status = os.stat(path)
        return status.st_size, microseconds(datetime.fromtimestamp(status.st_mtime, UTC))
    except FileNotFoundError:
        return None
    except OSError as error:
        raise WireloomError(f"cannot be looked at: {error.strerror}", path=path) from None


def _check_bucket(path: str, location: Location) -> None:
    import pyarrow.fs

    from ..remote import filesystem, split

    bucket, _ = split(path)
    try:
        info = filesystem(location, bucket).get_file_info(bucket)
    except OSError:
        # Who may list a prefix may not always look at the bucket; what is wrong is said when the prefix is listed.
        return
    if info.type == pyarrow.fs.FileType.NotFound:
        raise NothingThereError("no such bucket: check its name, the region and the endpoint", path=path)


def _remote_state(path: str, source: Any) -> tuple[int, int] | None:
    import pyarrow.fs

    from ..remote import filesystem, split

    bucket, key = split(path)
    try:
        info = filesystem(source.location, bucket).get_file_info(key)
    except OSError as error:
        raise WireloomError(f"the object store refuses: {error}", path=path) from None
    return (int(info.size), microseconds(info.mtime)) if info.type == pyarrow.fs.FileType.File else None
