"""Finds new files among the older ones of a folder, of which only the number and a digest were kept."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import xor

from .offset import OlderFiles


@dataclass(frozen=True)
class LateFiles:
    """``late``: fingerprints of files that came since; ``unclear``: how many more there are that cannot be named."""

    late: frozenset[int]
    unclear: int = 0


def summarize(modified: int, path: str, fingerprints: Iterable[int]) -> OlderFiles:
    """Return the number and digest of these files, the last of which has that time and path."""
    found = list(fingerprints)
    return OlderFiles(modified, path, len(found), reduce(xor, found, 0))


def find_late(older: OlderFiles, found: Sequence[int], remembered: frozenset[int] | None) -> LateFiles:
    """Compare the fingerprints of the older files that are there now with the older.

    ``remembered``: those that were there the last time this process looked, all of which are read; ``None`` after a
    restart. Then nothing has changed where number and digest are the same; a single file more is found by the digest;
    fewer files are taken to be the rest of those that were read, since folders are cleaned up. Otherwise it is unclear
    which are new.
    """
    if remembered is not None:
        return LateFiles(frozenset(found) - remembered)
    digest = reduce(xor, found, 0)
    more = len(found) - older.count
    if more < 0 or (more == 0 and digest == older.digest):
        return LateFiles(frozenset())
    single = digest ^ older.digest
    if more == 1 and single in found:
        return LateFiles(frozenset((single,)))
    return LateFiles(frozenset(), max(more, 1))
