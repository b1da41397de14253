"""Files of stores: reading by ranges, and expansion of addresses."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any, Protocol

from ..base.addresses import S3, scheme_of
from ..base.dataclass import dataclass, field, replace
from ..base.errors import NothingThereError, UnsupportedError, WireloomError
from ..base.extras import require
from ..base.shown_addresses import without_secrets
from .inputs import Input, Location, Stream
from .listing import in_order
from .refusals import refusal
from .remote_listing import found_at, key_advice
from .stored import StorageError
from .stores import arrow_errors, not_found, store_of
from .web_files import WebFile, is_web

READ_SIZE = 4 * 1024 * 1024
"""Bytes per request: a smaller request takes as long."""


HEAD_SIZE = 256 * 1024
"""Bytes of a request outside the byte range: for the first bytes, which identify the codec, and for the last row."""


class Ranged(Protocol):
    """A file that is read by ranges."""

    def read_at(self, size: int, position: int) -> bytes:
        """Return at most ``size`` bytes from ``offset`` on; none at the end. Raises ``OSError`` or ``ValueError``."""
        ...

    def close(self) -> None:
        """Close the file."""
        ...


@dataclass(frozen=True)
class RemoteInput(Input):
    """A file of a store. ``byte_range``: the range of its bytes that will be read, in addition to the first ones.
    ``named``: its address, or its path in ``location.filesystem``."""

    is_file: bool = True
    location: Location = field(default_factory=Location)
    byte_range: tuple[int, int] | None = None
    named: str = field(default="", repr=False)

    @property
    def address(self) -> str:
        """Like ``Input.address``."""
        return self.named

    def within(self, begin: int, end: int) -> RemoteInput:
        """Like ``Input.within``."""
        return replace(self, byte_range=(begin, end))

    def open(self) -> Stream:
        """Open the file; requests in the byte range have ``READ_SIZE`` bytes."""
        verified = self.location.verify_sha256
        if verified and (self.location.filesystem is not None or scheme_of(self.address) not in S3):
            raise UnsupportedError("verify_sha256 needs the metadata of s3:// objects: leave it out", path=self.path)
        try:
            stream = _RemoteStream(self._ranged(), self.byte_range)
        except FileNotFoundError:
            raise NothingThereError("cannot be opened: the object no longer exists", path=self.path) from None
        except (OSError, ValueError) as error:
            advice = key_advice(self.address)
            sentence = f"cannot be opened: {refusal(error, self.address)}"
            raise WireloomError(sentence, path=self.path, advice=advice) from None
        if verified:
            return VerifiedStream(stream, sha256_of(self.address, self.location))
        return stream

    def _ranged(self) -> Ranged:
        store = store_of(self.address, self.location)
        if store.spec is None:
            with arrow_errors():
                return _ArrowFile(store.files.open_input_file(store.path))
        if is_web(store.spec):
            return WebFile(store.spec, store.path, self.size, by_range=self.byte_range is not None)
        return _SpecFile(store.spec, store.path)


class _ArrowFile:
    """A file of pyarrow."""

    def __init__(self, file: Any) -> None:
        self._file = file
        self._size = file.size()

    def read_at(self, size: int, position: int) -> bytes:
        """Like ``Ranged.read_at``."""
        if position >= self._size:
            # Google's store refuses such a request.
            return b""
        with arrow_errors():
            found: bytes = self._file.read_at(size, position)
        return found

    def close(self) -> None:
        """Like ``Ranged.close``."""
        self._file.close()


class _SpecFile:
    """A file of fsspec. Any exception of its implementation becomes an ``OSError``."""

    def __init__(self, spec: Any, path: str) -> None:
        # Some implementations close the underlying file on garbage collection.
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
            raise OSError(f"{len(found)} bytes were received, {size} were requested")
        return found

    def close(self) -> None:
        """Like ``Ranged.close``."""
        self._file.close()


def _opened(spec: Any, path: str) -> Any:
    try:
        # Nothing is read beyond what is requested.
        return spec.open(path, "rb", cache_type="none")
    except TypeError:
        return spec.open(path, "rb")


class _RemoteStream:
    """Reads ahead by whole requests, regardless of the size of each read."""

    def __init__(self, file: Ranged, byte_range: tuple[int, int] | None) -> None:
        self._file = file
        self._byte_range = byte_range
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
        """Return the number of bytes to request next: no byte twice, and few outside the byte range."""
        if self._byte_range is None:
            return READ_SIZE
        begin, end = self._byte_range
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
    """Yield the files that an address, prefix or glob names, sorted. Raises ``WireloomError`` if there is none."""
    store = store_of(address, location)
    try:
        found = {each.path: each for each in found_at(store)}
    except OSError as error:
        sentence = f"the object store refused the request: {refusal(error, address)}"
        raise WireloomError(sentence, path=address) from None
    if not found:
        raise NothingThereError(not_found(address), path=address)
    for each in sorted(found.values(), key=lambda each: in_order(each.path, "/")):
        named = store.address(each.path)
        yield RemoteInput(
            without_secrets(named), each.size, each.modified, seekable=True, location=location, named=named
        )


KEY = "sha256"


class VerifiedStream:
    """A stream that verifies the digest ``expected``, if there is one, when its end is reached."""

    def __init__(self, stream: Stream, expected: str | None) -> None:
        self._stream = stream
        self._expected = expected
        self._digest = hashlib.sha256()

    def readinto(self, buffer: memoryview, /) -> int:
        """Like ``Stream.readinto``. Raises ``StorageError`` with reason ``digest`` at the end of other bytes."""
        count = self._stream.readinto(buffer)
        self._digest.update(buffer[:count])
        if count or not len(buffer) or self._expected is None:
            return count
        found = self._digest.hexdigest()
        if found != self._expected:
            raise StorageError(
                f"the SHA-256 of the stored bytes is {found}, and the object's metadata says {self._expected}: "
                "the object was changed or damaged; fetch it again or restore it",
                reason="digest",
            )
        return count

    def seek(self, offset: int, /) -> int:
        """Seek to the first byte, from which the digest is computed again; other offsets are not supported."""
        if offset:
            raise ValueError("an object whose digest is verified is read as a whole")
        self._digest = hashlib.sha256()
        return self._stream.seek(0)

    def close(self) -> None:
        """Close the stream."""
        self._stream.close()


def sha256_of(address: str, location: Location) -> str | None:
    """Return the digest in the metadata of an object, ``None`` if there is none.

    Raises ``UnsupportedError`` without boto3, since Arrow does not return user metadata, and ``WireloomError`` if the
    store refuses the request.
    """
    require("boto3", "s3", "verify_sha256, which reads the metadata of objects,")
    from botocore.exceptions import BotoCoreError, ClientError

    from .s3 import client

    bucket, _, key = address.split("://", 1)[1].partition("/")
    try:
        found = client(location).head_object(Bucket=bucket, Key=key).get("Metadata", {})
    except (BotoCoreError, ClientError) as error:
        raise WireloomError(f"the metadata cannot be read: {error}", path=address) from None
    digest = {str(name).lower(): str(value) for name, value in found.items()}.get(KEY)
    return None if digest is None else digest.strip().lower()
