"""The registries of codecs: the compressions of whole files, and those of blocks inside files.

A codec is a module of this package that creates a ``Codec``, and its entry in ``CODECS``. Options, suffixes, path
patterns and specs are derived from that.
"""

from __future__ import annotations

from os.path import splitext

from ..base.arguments import one_of, shown
from ..base.errors import WireloomError
from .block_codecs import BLOCK_CODECS, MAX_EXPANDED, BlockCodec, expand_block, unsupported
from .bzip2 import BZIP2
from .codec import MAX_WINDOW, NONE, Codec, CodecError, Compressor, Decoder, OtherCodecError, Resumable
from .gzip import GZIP
from .lz4_frames import LZ4
from .snappy_frames import S2, SNAPPY_FRAMED
from .xor import LARGEST_KEY, XOR, XorDecoder, xor
from .xz import XZ
from .zip_archives import ZIP
from .zlib_streams import ZLIB
from .zstd import ZSTD
from .zstd_frames import MAGIC as ZSTD_MAGIC
from .zstd_frames import frame_sizes as zstd_frame_sizes

CODECS: dict[str, Codec] = {
    each.name: each for each in (ZSTD, GZIP, XZ, BZIP2, LZ4, SNAPPY_FRAMED, S2, ZIP, ZLIB, NONE)
}
"""All codecs by name. Streams are recognised in this order."""

AUTO = "auto"
"""The value of the option ``codec`` that recognises the codec by content."""
MAGIC_SIZE = 4
"""Number of bytes of a magic number."""
HEAD = 160 * 1024
"""Number of bytes that ``detect`` examines: more than the largest block of zstd."""


def listed(*more: str) -> str:
    """Return the names of all codecs, after ``more``, as text for messages and help.

    >>> listed()
    'zstd, gzip, xz, bzip2, lz4, snappy-framed, s2, zip, zlib, xor:KEY or none'
    """
    *most, last = (*more, *(name for name in CODECS if name != NONE.name), f"{XOR}KEY", NONE.name)
    return f"{', '.join(most)} or {last}"


def checked(codec: str) -> str:
    """Return ``codec`` if a reader accepts it as an option. Raises ``UnknownNameError``, and ``WireloomError`` for a
    key that is none."""
    return codec if codec == AUTO else find(codec, AUTO).name


def by_suffix(name: str) -> str | None:
    """Return the codec with the suffix of a file's name; ``None`` if no codec has it.

    >>> by_suffix("a.log.GZ"), by_suffix("a.log"), by_suffix("gz")
    ('gzip', None, None)
    """
    suffix = splitext(name)[1].lower()
    for each in CODECS.values():
        if suffix in each.suffixes:
            return each.name
    return None


def without_suffix(name: str) -> str:
    """Return a path or a name without the suffix of a codec.

    >>> without_suffix("a/b.log.gz"), without_suffix("b.log"), without_suffix(".zst")
    ('a/b.log', 'b.log', '.zst')
    """
    return splitext(name)[0] if by_suffix(name) else name


def suffix_of(codec: str) -> str:
    """Return the suffix that files of a codec are written with; empty for files that are not compressed.

    >>> suffix_of("zstd"), suffix_of("none")
    ('.zst', '')
    """
    return next(iter(find(codec).suffixes), "")


def has_magic(head: bytes) -> bool:
    """Return whether a stream with these first bytes has the magic number of a codec."""
    return any(head.startswith(each.magics) for each in CODECS.values())


def is_plain(head: bytes, own: bytes) -> bool:
    """Return whether a stream with these first bytes is not compressed, whatever follows. ``own``: as for
    ``detect``."""
    if own and head.startswith(own):
        return True
    magics = [magic for each in CODECS.values() for magic in each.magics]
    return len(head) >= MAGIC_SIZE and not any(magic.startswith(head) or head.startswith(magic) for magic in magics)


def detect(head: bytes, name: str, usual: str, own: bytes = b"") -> str:
    """Return the codec of a stream, recognised by ``head``, its first ``HEAD`` bytes.

    ``name`` is the file's name: a magic number in a file that is named accordingly needs no further proof, and neither
    does that of the ``usual`` codec of the format. For all others the bytes must also decompress, since the first bytes
    of a log that is not compressed may be anything. ``own``: the magic number of the format itself, if there is one; a
    stream with it is not compressed. Raises ``OtherCodecError`` for a file that is named as compressed
    and is not.
    """
    if own and head.startswith(own):
        return NONE.name
    expected = by_suffix(name)
    for each in sorted(CODECS.values(), key=lambda codec: codec.name != expected):
        if head.startswith(each.magics) and (each.name in (expected, usual) or each.begins_well(head)):
            return each.name
    begins = expected is not None and any(magic.startswith(head) for magic in CODECS[expected].magics)
    if expected is not None and len(head) >= MAGIC_SIZE and not begins:
        raise OtherCodecError(f"not a {expected} stream, though its name ends in {splitext(name)[1]}")
    # Fewer bytes may be the beginning of a file that is still being copied.
    return expected if expected is not None and head else NONE.name


def decoder(codec: str, source: Decoder, *, max_window: int = MAX_WINDOW) -> Decoder:
    """Return a decoder of the stored bytes of ``source``; ``source`` itself if they are not compressed.

    ``max_window``: the largest window that is accepted, in bytes. Raises ``UnknownNameError``.
    """
    return find(codec).decoder(source, max_window)


def compressor(codec: str, level: int | None = None) -> Compressor:
    """Return a compressor. Raises ``UnknownNameError``, and ``WireloomError`` for a level that the codec does not
    have."""
    if level is not None and (isinstance(level, bool) or not isinstance(level, int)):
        raise WireloomError(f"level must be an integer, not {shown(level)}")
    found = find(codec)
    if level is None:
        return found.compressor(found.default_level)
    if not found.levels:
        others = " or ".join(f"codec={each.name!r}" for each in CODECS.values() if each.levels)
        what = "without a codec" if found is NONE else f"for {codec}, which has no compression levels"
        raise WireloomError(f"level {level} {what}: give {others}")
    if level not in found.levels:
        raise WireloomError(f"{codec} has the levels {found.levels[0]} to {found.levels[-1]}, not {level}")
    return found.compressor(level)


def find(codec: str, *others: str) -> Codec:
    """Return the codec of a name. ``others``: what else the message about an unknown name offers. Raises
    ``UnknownNameError``, and ``WireloomError`` for a key of ``xor:KEY`` that is none."""
    if isinstance(codec, str) and codec.startswith(XOR):
        return xor(codec)
    return CODECS[one_of("codec", codec, (*CODECS, *others))]


__all__ = [
    "AUTO",
    "BLOCK_CODECS",
    "CODECS",
    "HEAD",
    "LARGEST_KEY",
    "MAX_EXPANDED",
    "MAX_WINDOW",
    "NONE",
    "XOR",
    "ZSTD_MAGIC",
    "BlockCodec",
    "Codec",
    "CodecError",
    "Compressor",
    "Decoder",
    "OtherCodecError",
    "Resumable",
    "XorDecoder",
    "by_suffix",
    "checked",
    "compressor",
    "decoder",
    "detect",
    "expand_block",
    "find",
    "has_magic",
    "listed",
    "suffix_of",
    "unsupported",
    "without_suffix",
    "zstd_frame_sizes",
]
