"""Files that are not on a local disk: what an address names, and how it is read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from ..base.addresses import S3, scheme_of
from ..base.errors import NothingThereError, UnsupportedError, WireloomError
from ..base.shown_addresses import without_secrets
from .inputs import Input, Location, Stream
from .listing import in_order
from .remote_listing import found_at
from .stores import store_of
from .web_files import WebFile, is_web

READ_SIZE = 4 * 1024 * 1024
"""Bytes per request: each is a round trip, and a smaller one costs as much."""


HEAD_SIZE = 256 * 1024
"""Bytes of a request outside what is wanted: the first ones, which tell the codec, and those of the last row."""


class Ranged(Protocol):
    """A file of which ranges are read."""

    def read_at(self, size: int, position: int) -> bytes:
        """At most so many bytes from there; none at the end. Raises ``OSError`` or ``ValueError``."""
        ...

    def close(self) -> None:
        """Close the file."""
        ...


@dataclass(frozen=True)
class RemoteInput(Input):
    """A file of a store. ``wanted``: the range of its bytes that will be read, beside the first ones. ``named``: its
    address, or its path in ``location.filesystem``."""

    location: Location = field(default_factory=Location)
    wanted: tuple[int, int] | None = None
    named: str = field(default="", repr=False)

    @property
    def address(self) -> str:
        """Like ``Input.address``."""
        return self.named

    @property
    def is_file(self) -> bool:
        """Like ``Input.is_file``."""
        return True

    def within(self, begin: int, end: int) -> RemoteInput:
        """Like ``Input.within``."""
        return replace(self, wanted=(begin, end))

    def open(self) -> Stream:
        """The file; requests are of ``READ_SIZE`` bytes where they are wanted."""
        verified = self.location.verify_sha256
        if verified and (self.location.filesystem is not None or scheme_of(self.address) not in S3):
            raise UnsupportedError(
                "verify_sha256 compares with the metadata of objects of s3://: leave it out", path=self.path
            )
        try:
            stream = _RemoteStream(self._ranged(), self.wanted)
        except FileNotFoundError:
            raise NothingThereError("cannot be opened: there is no such object any more", path=self.path) from None
        except (OSError, ValueError) as error:
            raise WireloomError(f"cannot be opened: {error}", path=self.path) from None
        if verified:
            from .object_digests import VerifiedStream, sha256_of

            return VerifiedStream(stream, sha256_of(self.address, self.location))
        return stream

    def _ranged(self) -> Ranged:
        store = store_of(self.address, self.location)
        if store.spec is None:
            file: Ranged = store.files.open_input_file(store.path)
            return file
        if is_web(store.spec):
            return WebFile(store.spec, store.path, self.size, by_range=self.wanted is not None)
        return _SpecFile(store.spec, store.path)


class _SpecFile:
    """A file of fsspec. What its implementation raises, whatever that is, becomes an ``OSError``."""

    def __init__(self, spec: Any, path: str) -> None:
        # Some close what is below their files when they go.
        self._spec = spec
        try:
            self._file = _opened(spec, path)
        except (FileNotFoundError, WireloomError):
            raise
        except Exception as error:
            raise OSError(without_secrets(str(error) or repr(error))) from None

    def read_at(self, size: int, position: int) -> bytes:
        """Like ``Ranged.read_at``."""
        try:
            self._file.seek(position)
            found: bytes = self._file.read(size)
        except Exception as error:
            raise OSError(without_secrets(str(error) or repr(error))) from None
        if len(found) > size:
            raise OSError(f"{len(found)} bytes came where {size} were asked for")
        return found

    def close(self) -> None:
        """Like ``Ranged.close``."""
        self._file.close()


def _opened(spec: Any, path: str) -> Any:
    try:
        # Nothing is read beyond what is asked for.
        return spec.open(path, "rb", cache_type="none")
    except TypeError:
        return spec.open(path, "rb")


class _RemoteStream:
    """Reads ahead by whole requests, whatever the size that is asked for."""

    def __init__(self, file: Ranged, wanted: tuple[int, int] | None) -> None:
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


def expand_remote(address: str, location: Location) -> Iterator[Input]:
    """The files that an address, prefix or glob names, sorted. Raises ``WireloomError`` where there is none."""
    store = store_of(address, location)
    try:
        found = {each.path: each for each in found_at(store)}
    except OSError as error:
        raise WireloomError(f"the object store refuses: {error}", path=address) from None
    if not found:
        raise NothingThereError(
            "no object there: check bucket, key, region and credentials"
            if scheme_of(address) in S3
            else "nothing is there: check the address and the credentials",
            path=address,
        )
    for each in sorted(found.values(), key=lambda each: in_order(each.path, "/")):
        named = store.address(each.path)
        yield RemoteInput(
            without_secrets(named), each.size, each.modified, seekable=True, location=location, named=named
        )
