"""Which of the older files of a folder are new, where only their number and a digest were kept."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import xor

from .offset import Seal


@dataclass(frozen=True)
class Older:
    """``late``: fingerprints of files that came since; ``unclear``: how many more there are that nobody can name."""

    late: frozenset[int]
    unclear: int = 0


def sealed(modified: int, path: str, fingerprints: Iterable[int]) -> Seal:
    """The seal over these files, the last of which has that time and path."""
    found = list(fingerprints)
    return Seal(modified, path, len(found), reduce(xor, found, 0))


def opened(seal: Seal, found: Sequence[int], remembered: frozenset[int] | None) -> Older:
    """Compares the fingerprints of the older files that are there now with the seal.

    ``remembered``: those that were there the last time this process looked, all of which are read; ``None`` after a
    restart. Then nothing has changed where the seal holds; a single file more is found by the digest; fewer files are
    taken to be the rest of those that were read, since folders are cleaned up. Otherwise it is unclear which are new.
    """
    if remembered is not None:
        return Older(frozenset(found) - remembered)
    digest = reduce(xor, found, 0)
    more = len(found) - seal.count
    if more < 0 or (more == 0 and digest == seal.digest):
        return Older(frozenset())
    single = digest ^ seal.digest
    if more == 1 and single in found:
        return Older(frozenset((single,)))
    return Older(frozenset(), max(more, 1))
