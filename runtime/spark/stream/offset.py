"""The offset of a streaming read in Spark's checkpoint: versioned JSON.

An offset contains two things. First, the parts of files that the batch ending here reads, so that a batch that is run
again reads the same, whatever files have been added meanwhile. Second, what is known of each file after the batch: how
far it was read, and data by which it is recognised (``FileProgress``). Files that may continue or wait to be read are
listed with their paths; files that were read as a whole only with a fingerprint of their path, and if there are very
many of them (``maxTrackedFiles``), only the number and a digest of the older ones are kept (``older_files``).
"""

from __future__ import annotations

import base64
import json
import os
import struct
import zlib
from collections.abc import Mapping
from hashlib import blake2b
from typing import Any, Literal, get_args

from ...base.dataclass import dataclass, field
from ...base.errors import WireloomError

VERSION = 3
"""Version 1 had neither file ids nor digests, version 2 no paths of files and no files that wait. Their offsets can
still be read: from the first batch on, the next one is of this version."""

GIVEN_UP = (1 << 64) - 1
"""Version 1: the position of a growing file whose rest cannot be read."""

REST_UNREADABLE = 1 << 63
"""Flag in the packed position of such a file; positions themselves are smaller."""

Kind = Literal["whole", "part", "last", "rest", "skip"]

MOST_TRACKED = 100_000_000
"""Maximum number of files in an offset; one with more is damaged."""


@dataclass(frozen=True, slots=True)
class FileProgress:
    """The position up to which a file was read, and the data by which it is recognised; ``abandoned``: the rest after
    ``position`` can never be read.

    ``file_id``: the number of a local file (its inode), or 64 bits of an object's ETag. ``modified_hash``: see
    ``hash_of_time``; set for a file that was read as a whole. ``path``: its last path, of a file that may continue or
    waits.
    ``digest``: that of the content up to ``checked``, see ``file_identity.digest``. Each is 0 or empty if it is not
    known.

    ``ahead``: the distance of ``checked`` from ``position``: complete rows that wait are covered by the digest.
    ``unread``: the number of bytes after ``position`` that were seen. ``tentative``: what the digest covers is no
    complete row yet, or a file that is read as a whole, so its content may still change.
    """

    position: int
    file_id: int = 0
    digest: int = 0
    modified_hash: int = 0
    abandoned: bool = False
    path: str = ""
    ahead: int = 0
    unread: int = 0
    tentative: bool = False

    @property
    def checked(self) -> int:
        """Return the position up to which the digest covers the content."""
        return self.position + self.ahead

    def is_read(self, size: int) -> bool:
        """Return whether nothing of a file of this size can be read any more."""
        return self.abandoned or self.modified_hash > 0 or self.position == size


@dataclass(frozen=True, slots=True)
class FilePart:
    """The part of a file that a batch reads: bytes ``begin`` … ``end`` (exclusive) of the content as it is read.

    ``kind``: a ``whole`` file; a ``part`` of one that grows; its ``last`` part, because the bytes after it cannot be
    read; the ``rest`` of a file that was compressed since (``begin`` in decompressed bytes, ``end`` in stored bytes);
    or ``skip``: nothing, but the file counts as read. ``size`` in bytes as stored, ``modified`` (microseconds since
    1970, UTC), ``file_id`` and ``digest`` (as in ``FileProgress``, at ``end``) are those of the file when the batch was
    planned.
    """

    path: str
    begin: int
    end: int
    size: int
    modified: int
    kind: Kind
    file_id: int = 0
    digest: int = 0

    @property
    def fingerprint(self) -> int:
        """Return the fingerprint of the path."""
        return fingerprint(self.path)

    @property
    def grows(self) -> bool:
        """Return whether the file may still grow."""
        return self.kind in ("part", "last")

    @property
    def known(self) -> FileProgress:
        """Return what is known of the file after this batch, if nothing else was seen of it."""
        if not self.grows:
            return FileProgress(self.end, self.file_id, self.digest, hash_of_time(self.modified))
        return FileProgress(self.end, self.file_id, self.digest, abandoned=self.kind == "last", path=self.path)


@dataclass(frozen=True, slots=True)
class OlderFiles:
    """All files up to a place in the reading order: their number, and the exclusive or of their fingerprints.

    The place is given by ``modified`` and ``path`` of the last file. Files that are tracked individually are not
    included.
    """

    modified: int
    path: str
    count: int
    digest: int

    @property
    def sort_key(self) -> tuple[int, str]:
        """Return the place in the reading order, see ``ListedFile.sort_key``."""
        return self.modified, self.path


@dataclass(frozen=True)
class StreamOffset:
    """An offset. ``batch`` is the number of batches that had data; ``files``, ``bytes`` and ``lost`` are the totals of
    what they read, and of files that were lost. ``tracked``: what is known after the batch of files by the
    fingerprints of their paths; for files that are not in it, it follows from ``taken``."""

    batch: int = 0
    files: int = 0
    bytes: int = 0
    lost: int = 0
    taken: tuple[FilePart, ...] = ()
    tracked: Mapping[int, FileProgress] = field(default_factory=dict)
    older: OlderFiles | None = None

    def known(self) -> dict[int, FileProgress]:
        """Return what is known of each file after this batch, by its fingerprint."""
        return {**{each.fingerprint: each.known for each in self.taken}, **self.tracked}

    def to_json(self) -> dict[str, Any]:
        """Return the JSON text that Spark stores."""
        root = _root([each.path for each in self.taken])
        followed = {number: each for number, each in self.tracked.items() if each.path}
        read = {number: each for number, each in self.tracked.items() if not each.path}
        found: dict[str, Any] = {
            "version": VERSION,
            "batch": self.batch,
            "files": self.files,
            "bytes": self.bytes,
            "lost": self.lost,
            "root": root,
            "taken": [
                [
                    each.path[len(root) :],
                    *(each.begin, each.end, each.size, each.modified, each.kind),
                    *(f"{each.file_id:x}", f"{each.digest:x}"),
                ]
                for each in self.taken
            ],
            "tracked": [len(read), _packed(read)],
            "followed": _packed_followed(followed),
        }
        if self.older is not None:
            found["seal"] = [self.older.modified, self.older.path, self.older.count, f"{self.older.digest:016x}"]
        return found

    @classmethod
    def from_json(cls, found: Mapping[str, Any]) -> StreamOffset:
        """Parse the JSON text. Raises ``WireloomError`` for an offset that is damaged or of a newer version."""
        version = found.get("version")
        if isinstance(version, int) and version > VERSION:
            raise WireloomError(
                f"the checkpoint was written by a newer wireloom (offset version {version}, this one supports "
                f"{VERSION}): install the newer one, or use a new checkpoint"
            )
        try:
            if version not in (1, 2, VERSION):
                raise ValueError(f"version {version!r}")
            count, packed = found["tracked"]
            modified, path, number, xor = found.get("seal", (0, "", 0, "0"))
            tracked = _unpacked_first(count, packed, found.get("marks")) if version == 1 else _unpacked(count, packed)
            if version == VERSION:
                tracked |= _unpacked_followed(*found["followed"])
            return cls(
                batch=_natural(found["batch"]),
                files=_natural(found["files"]),
                bytes=_natural(found["bytes"]),
                lost=_natural(found["lost"]),
                taken=tuple(_taken(str(found["root"]), each) for each in found["taken"]),
                tracked=tracked,
                older=OlderFiles(int(modified), str(path), _natural(number), int(xor, 16)) if "seal" in found else None,
            )
        except (KeyError, ValueError, TypeError, AttributeError, zlib.error, struct.error) as error:
            raise WireloomError(
                f"the checkpoint's offset is invalid ({error}): it belongs to another source, or is damaged; "
                "use a new checkpoint"
            ) from None


def fingerprint(path: str) -> int:
    """Return a 64-bit hash of a path. The probability that two of a million paths have the same is 1 in 30 million."""
    return int.from_bytes(blake2b(path.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")


def hash_of_time(modified: int) -> int:
    """Return a 16-bit hash of a time, 0 if it is not known. Times of different files almost always have
    different hashes."""
    return zlib.crc32(struct.pack(">q", modified)) % 0xFFFF + 1 if modified else 0


def _root(paths: list[str]) -> str:
    """Return the common prefix of all paths, up to a slash."""
    same = os.path.commonprefix(paths)  # noqa: RUF071  # addresses have two slashes in a row, which the other one joins
    return same[: same.rfind("/") + 1]


def _packed(tracked: Mapping[int, FileProgress]) -> str:
    """Return the progress of files packed column by column: sizes are similar, and so are file numbers, so the columns
    compress well."""
    ordered = sorted(tracked.items())
    count = len(ordered)
    columns = (
        [fingerprint for fingerprint, _ in ordered],
        [each.position | (REST_UNREADABLE if each.abandoned else 0) for _, each in ordered],
        [each.file_id for _, each in ordered],
        [each.digest for _, each in ordered],
    )
    packed = b"".join(struct.pack(f">{count}Q", *column) for column in columns)
    packed += struct.pack(f">{count}H", *(each.modified_hash for _, each in ordered))
    return base64.b64encode(zlib.compress(packed)).decode("ascii")


def _unpacked(count: int, packed: str) -> dict[int, FileProgress]:
    numbers = _numbers(count, packed, f"{4 * count}Q{count}H", 34)
    columns = (numbers[at * count : (at + 1) * count] for at in range(5))
    return {
        fingerprint: FileProgress(
            position % REST_UNREADABLE, file_id, digest, modified, abandoned=position >= REST_UNREADABLE
        )
        for fingerprint, position, file_id, digest, modified in zip(*columns, strict=True)
    }


def _packed_followed(followed: Mapping[int, FileProgress]) -> list[Any]:
    """Return the size of the text that has a row for each file, and the compressed text."""
    rows = [
        [
            *(each.path, each.position, each.ahead, each.unread, f"{each.file_id:x}", f"{each.digest:x}"),
            each.abandoned + 2 * each.tentative,
        ]
        for _, each in sorted(followed.items())
    ]
    text = json.dumps(rows, separators=(",", ":")).encode()
    return [len(text), base64.b64encode(zlib.compress(text)).decode("ascii")]


def _unpacked_followed(size: int, packed: str) -> dict[int, FileProgress]:
    found = {}
    for path, position, ahead, unread, file_id, digest, flags in json.loads(_decompressed(_natural(size), packed)):
        found[fingerprint(path)] = FileProgress(
            *(_natural(position), _identity(file_id), _identity(digest)),
            abandoned=bool(flags & 1),
            path=path,
            ahead=_natural(ahead),
            unread=_natural(unread),
            tentative=bool(flags & 2),
        )
    return found


def _unpacked_first(count: int, packed: str, marks: str | None) -> dict[int, FileProgress]:
    """Unpack the data of version 1: fingerprints and positions and, in later releases, separate marks."""
    numbers = _numbers(count, packed, f"{2 * count}Q", 16)
    times = (0,) * count if marks is None else struct.unpack(f">{count}H", base64.b64decode(marks, validate=True))
    return {
        fingerprint: FileProgress(
            0 if position == GIVEN_UP else position, modified_hash=time, abandoned=position == GIVEN_UP
        )
        for fingerprint, position, time in zip(numbers[:count], numbers[count:], times, strict=True)
    }


def _numbers(count: int, packed: str, layout: str, size: int) -> tuple[int, ...]:
    """Return the unpacked numbers of ``count`` files, of ``size`` bytes each."""
    if _natural(count) > MOST_TRACKED:
        raise ValueError("too many files")
    return struct.unpack(f">{layout}", _decompressed(size * count, packed))


def _decompressed(size: int, packed: str) -> bytes:
    found = zlib.decompressobj().decompress(base64.b64decode(packed, validate=True), size + 1)
    if len(found) != size:
        raise ValueError("the list of files is truncated")
    return found


def _taken(root: str, found: list[Any]) -> FilePart:
    path, begin, end, size, modified, kind, *identity = found
    if kind not in get_args(Kind):
        raise ValueError(f"kind {kind!r}")
    file_id, digest = (_identity(each) for each in (identity or ("0", "0")))
    return FilePart(root + path, _natural(begin), _natural(end), _natural(size), int(modified), kind, file_id, digest)


def _identity(text: Any) -> int:
    if not isinstance(text, str) or not text.isalnum() or len(text) > 16:
        raise ValueError(f"{text!r} is not a 64-bit integer")
    return int(text, 16)


def _natural(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < REST_UNREADABLE:
        raise ValueError(f"{value!r} is not a number of bytes or files")
    return value
