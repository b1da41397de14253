"""Object stores, through ``pyarrow.fs``."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any
from urllib.parse import urlsplit

import pyarrow.fs

from ..base.errors import NothingThereError, WireloomError
from ..base.redaction import check_bucket, check_endpoint
from .inputs import WILDCARDS, Input, Location, Stream
from .listing import alternatives, hidden
from .profiles import profile

READ_SIZE = 4 * 1024 * 1024
"""Bytes per request: each is a round trip, and a smaller one costs as much."""


HEAD_SIZE = 256 * 1024
"""Bytes of a request outside what is wanted: the first ones, which tell the codec, and those of the last row."""


@cache
def filesystem(location: Location, bucket: str) -> Any:
    """The file system of that bucket; one per process and place, as it holds the connections."""
    options: dict[str, Any] = {"anonymous": location.anonymous}
    endpoint, region = location.endpoint, location.region
    if location.profile is not None:
        own = profile(location.profile)
        endpoint, region = endpoint or own.endpoint, region or own.region
        if own.credentials is not None and not location.anonymous:
            options |= dict(zip(("access_key", "secret_key", "session_token"), own.credentials, strict=True))
    if endpoint is not None:
        check_endpoint(endpoint)
        parts = urlsplit(endpoint if "://" in endpoint else f"https://{endpoint}")
        options |= {"endpoint_override": parts.netloc, "scheme": parts.scheme}
    region = region or os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION")
    elsewhere = endpoint is not None or any(
        os.environ.get(each) for each in ("AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3")
    )
    if region is None and not elsewhere:
        try:
            region = pyarrow.fs.resolve_s3_region(bucket)
        except OSError:
            region = None
    if region is not None:
        options["region"] = region
    return pyarrow.fs.S3FileSystem(**options)


@dataclass(frozen=True)
class RemoteInput(Input):
    """An object of a store. ``wanted``: the range of its bytes that will be read, beside the first ones."""

    location: Location = field(default_factory=Location)
    wanted: tuple[int, int] | None = None

    @property
    def is_file(self) -> bool:
        """Like ``Input.is_file``."""
        return True

    def within(self, begin: int, end: int) -> RemoteInput:
        """Like ``Input.within``."""
        return replace(self, wanted=(begin, end))

    def open(self) -> Stream:
        """The object; requests are of ``READ_SIZE`` bytes where they are wanted."""
        assert self.path is not None
        bucket, key = split(self.path)
        try:
            file = filesystem(self.location, bucket).open_input_file(key)
        except FileNotFoundError:
            raise NothingThereError("cannot be opened: there is no such object any more", path=self.path) from None
        except OSError as error:
            raise WireloomError(f"cannot be opened: {error}", path=self.path) from error
        stream = _RemoteStream(file, self.wanted)
        if self.location.verify_sha256:
            from .object_digests import VerifiedStream, sha256_of

            return VerifiedStream(stream, sha256_of(self.path, self.location))
        return stream


class _RemoteStream:
    """Reads ahead by whole requests, whatever the size that is asked for."""

    def __init__(self, file: Any, wanted: tuple[int, int] | None) -> None:
        self._file = file
        self._wanted = wanted
        self._position = 0
        self._ahead = memoryview(b"")

    def readinto(self, buffer: memoryview, /) -> int:
        if not self._ahead:
            self._ahead = memoryview(self._file.read_at(self._request(), self._position))
            self._position += len(self._ahead)
        piece = self._ahead[: len(buffer)]
        buffer[: len(piece)] = piece
        self._ahead = self._ahead[len(piece) :]
        return len(piece)

    def _request(self) -> int:
        """The number of bytes to request next: none twice, and few that are not wanted."""
        if self._wanted is None:
            return READ_SIZE
        begin, end = self._wanted
        if begin <= self._position < end:
            return min(READ_SIZE, end - self._position)
        return HEAD_SIZE

    def seek(self, offset: int, /) -> int:
        if not self._position - len(self._ahead) <= offset <= self._position:
            self._position = offset
            self._ahead = memoryview(b"")
        self._ahead = self._ahead[len(self._ahead) - (self._position - offset) :]
        return offset

    def close(self) -> None:
        self._file.close()


def split(address: str) -> tuple[str, str]:
    """Bucket, and bucket and key as ``pyarrow.fs`` wants them.

    >>> split("s3a://bucket/some/key")
    ('bucket', 'bucket/some/key')
    """
    rest = address.split("://", 1)[1]
    bucket = rest.split("/", 1)[0]
    if not bucket:
        raise WireloomError("an s3 address needs a bucket: s3://BUCKET/KEY", path=address)
    check_bucket(bucket)
    return bucket, rest.rstrip("/")


def expand_remote(address: str, location: Location) -> Iterator[Input]:
    """The objects that an address, prefix or glob names, sorted. Raises ``WireloomError`` where there is none."""
    scheme = address.split("://", 1)[0]
    bucket, key = split(address)
    try:
        store = filesystem(location, bucket)
        found = list({info.path: info for each in alternatives(key) for info in _objects(store, each)}.values())
    except OSError as error:
        raise WireloomError(f"the object store refuses: {error}", path=address) from error
    if not found:
        raise NothingThereError("no object there: check bucket, key, region and credentials", path=address)
    for info in sorted(found, key=lambda each: str(each.path).split("/")):
        yield RemoteInput(f"{scheme}://{info.path}", info.size, info.mtime, seekable=True, location=location)


def _objects(store: Any, key: str) -> Iterator[Any]:
    kinds = pyarrow.fs.FileType
    info = store.get_file_info(key)
    if info.type == kinds.File:
        yield info
    elif info.type == kinds.Directory:
        yield from _below(store, key, re.compile(""))
    elif not WILDCARDS.isdisjoint(key):
        fixed = re.split(r"[*?\[]", key, maxsplit=1)[0].rsplit("/", 1)[0]
        yield from _below(store, fixed, re.compile(f"{expression(key)}(/|$)"))


def _below(store: Any, folder: str, wanted: re.Pattern[str]) -> Iterator[Any]:
    selector = pyarrow.fs.FileSelector(folder, recursive=True, allow_not_found=True)
    for info in store.get_file_info(selector):
        inside = str(info.path)[len(folder) :].strip("/").split("/")
        if info.type == pyarrow.fs.FileType.File and wanted.match(info.path) and not any(map(hidden, inside)):
            yield info


def expression(pattern: str) -> str:
    """A glob as a regular expression: ``*`` and ``?`` stay inside a part, ``**`` does not.

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
