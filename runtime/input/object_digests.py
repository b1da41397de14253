"""Verification of objects by the digest in their metadata.

EdgeMQ writes the SHA-256 of a segment's stored bytes, in hexadecimal digits, to the metadata ``sha256`` of its object.
"""

from __future__ import annotations

import hashlib

from ..base.errors import WireloomError
from ..base.extras import require
from .inputs import Location, Stream
from .stored import StorageError

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

    from .s3_client import client

    bucket, _, key = address.split("://", 1)[1].partition("/")
    try:
        found = client(location).head_object(Bucket=bucket, Key=key).get("Metadata", {})
    except (BotoCoreError, ClientError) as error:
        raise WireloomError(f"the metadata cannot be read: {error}", path=address) from None
    digest = {str(name).lower(): str(value) for name, value in found.items()}.get(KEY)
    return None if digest is None else digest.strip().lower()
