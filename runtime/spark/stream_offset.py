"""How far a streaming read has come, as Spark's checkpoint keeps it: versioned JSON.

An offset says two things. Which parts of which files the batch that ends here reads: so a batch that is run again reads
the same, whatever has come to the folder meanwhile. And which files were read before it: a fingerprint of the path and
a position for each, and for very many files (``maxTrackedFiles``) only a seal over the older ones (``stream_seal``).
"""

from __future__ import annotations

import base64
import struct
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, Literal

from ..errors import WireloomError

VERSION = 1

GIVEN_UP = (1 << 64) - 1
"""Position of a growing file whose rest cannot be read."""

Kind = Literal["whole", "part", "last", "skip"]

MOST_TRACKED = 100_000_000
"""More files than this no offset can hold: it is damaged."""


@dataclass(frozen=True, slots=True)
class Taken:
    """What a batch takes of a file: bytes ``begin`` … ``end`` (not included) of those that it is read as.

    ``kind``: ``whole`` file, ``part`` of one that grows, its ``last`` part because what follows cannot be read, or
    ``skip``: nothing, but it counts as read. ``size`` in bytes as stored and ``modified`` (microseconds since 1970,
    UTC) are those of the file when the batch was planned.
    """

    path: str
    begin: int
    end: int
    size: int
    modified: int
    kind: Kind

    @property
    def fingerprint(self) -> int:
        """As the function ``fingerprint``."""
        return fingerprint(self.path)

    @property
    def mark(self) -> int:
        """As the function ``mark``, of a file that is read as a whole."""
        return mark(self.modified) if self.kind in ("whole", "skip") else 0

    @property
    def position(self) -> int:
        """How far the file has been read behind this batch."""
        return GIVEN_UP if self.kind == "last" else self.end


@dataclass(frozen=True, slots=True)
class Seal:
    """All files up to a place in the order of reading: their number, and what their fingerprints give by exclusive or.

    ``modified`` and ``path`` of the last of them are the place. Files that are tracked one by one are not among them.
    """

    modified: int
    path: str
    count: int
    digest: int


@dataclass(frozen=True)
class StreamOffset:
    """One offset. ``batch`` counts the batches that had data; ``files``, ``bytes`` and ``lost`` count what they took,
    and the files that were changed behind the reader's back. ``tracked``: positions by fingerprint, before ``taken``.
    """

    batch: int = 0
    files: int = 0
    bytes: int = 0
    lost: int = 0
    taken: tuple[Taken, ...] = ()
    tracked: Mapping[int, int] = field(default_factory=dict)
    seal: Seal | None = None
    marks: Mapping[int, int] = field(default_factory=dict)
    """Of the tracked files that are read as a whole, what ``mark`` makes of their times; by fingerprint."""

    def positions(self) -> dict[int, int]:
        """How far each file has been read behind this batch, by its fingerprint."""
        return {**self.tracked, **{each.fingerprint: each.position for each in self.taken}}

    def times(self) -> dict[int, int]:
        """The marks of all files behind this batch."""
        return {**self.marks, **{each.fingerprint: each.mark for each in self.taken if each.mark}}

    def to_json(self) -> dict[str, Any]:
        """What Spark keeps."""
        root = _root([each.path for each in self.taken])
        found: dict[str, Any] = {
            "version": VERSION,
            "batch": self.batch,
            "files": self.files,
            "bytes": self.bytes,
            "lost": self.lost,
            "root": root,
            "taken": [
                [each.path[len(root) :], each.begin, each.end, each.size, each.modified, each.kind]
                for each in self.taken
            ],
            "tracked": [len(self.tracked), _packed(self.tracked)],
        }
        if self.marks:
            # What came later than the first version: those that do not know it leave it out.
            found["marks"] = _packed_marks([self.marks.get(each, 0) for each in sorted(self.tracked)])
        if self.seal is not None:
            found["seal"] = [self.seal.modified, self.seal.path, self.seal.count, f"{self.seal.digest:016x}"]
        return found

    @classmethod
    def from_json(cls, found: Mapping[str, Any]) -> StreamOffset:
        """The inverse. Raises ``WireloomError`` for an offset of a newer version, or one that is damaged."""
        version = found.get("version")
        if isinstance(version, int) and version > VERSION:
            raise WireloomError(
                f"the checkpoint was written by a newer wireloom (offset version {version}, this one knows {VERSION}): "
                "install that one again, or begin with a new checkpoint"
            )
        try:
            if version != VERSION:
                raise ValueError(f"version {version!r}")
            tracked = _unpacked(*found["tracked"])
            return cls(
                batch=_natural(found["batch"]),
                files=_natural(found["files"]),
                bytes=_natural(found["bytes"]),
                lost=_natural(found["lost"]),
                taken=tuple(_taken(str(found["root"]), each) for each in found["taken"]),
                tracked=tracked,
                seal=_seal(*found["seal"]) if "seal" in found else None,
                marks=_unpacked_marks(tracked, found["marks"]) if "marks" in found else {},
            )
        except (KeyError, ValueError, TypeError, zlib.error, struct.error) as error:
            raise WireloomError(
                f"the checkpoint's offset cannot be understood ({error}): it belongs to another source, or is damaged; "
                "begin with a new checkpoint"
            ) from None


def fingerprint(path: str) -> int:
    """64 bits that stand for a path. Of a million paths, two have the same with a probability of 1 in 30 million."""
    return int.from_bytes(blake2b(path.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")


def mark(modified: int) -> int:
    """16 bits that stand for a time, 0 for one that is not known: another file has another one, nearly always."""
    return zlib.crc32(struct.pack(">q", modified)) % 0xFFFF + 1 if modified else 0


def _root(paths: list[str]) -> str:
    """What all paths begin with, up to a slash."""
    if not paths:
        return ""
    first, last = min(paths), max(paths)
    same = next((at for at, (one, other) in enumerate(zip(first, last, strict=False)) if one != other), len(first))
    return first[: first.rfind("/", 0, same) + 1]


def _packed(positions: Mapping[int, int]) -> str:
    """Fingerprints, then positions: sizes are alike, so these shrink to about half."""
    ordered = sorted(positions.items())
    columns = struct.pack(f">{len(ordered)}Q", *(each for each, _ in ordered)) + struct.pack(
        f">{len(ordered)}Q", *(position for _, position in ordered)
    )
    return base64.b64encode(zlib.compress(columns)).decode("ascii")


def _unpacked(count: int, packed: str) -> dict[int, int]:
    if _natural(count) > MOST_TRACKED:
        raise ValueError("too many files")
    columns = zlib.decompressobj().decompress(base64.b64decode(packed, validate=True), 16 * count + 1)
    if len(columns) != 16 * count:
        raise ValueError("the tracked files are cut off")
    numbers = struct.unpack(f">{2 * count}Q", columns)
    return dict(zip(numbers[:count], numbers[count:], strict=True))


def _packed_marks(marks: list[int]) -> str:
    return base64.b64encode(struct.pack(f">{len(marks)}H", *marks)).decode("ascii")


def _unpacked_marks(tracked: Mapping[int, int], packed: str) -> dict[int, int]:
    marks = struct.unpack(f">{len(tracked)}H", base64.b64decode(packed, validate=True))
    return {number: found for number, found in zip(sorted(tracked), marks, strict=True) if found}


def _taken(root: str, found: list[Any]) -> Taken:
    path, begin, end, size, modified, kind = found
    if kind not in ("whole", "part", "last", "skip"):
        raise ValueError(f"kind {kind!r}")
    return Taken(root + path, _natural(begin), _natural(end), _natural(size), int(modified), kind)


def _seal(modified: int, path: str, count: int, digest: str) -> Seal:
    return Seal(int(modified), str(path), _natural(count), int(digest, 16))


def _natural(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise ValueError(f"{value!r} is no number of anything")
    return value
