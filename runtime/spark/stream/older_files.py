"""Finds new files among the older ones of a folder, of which an offset keeps only the number and a digest."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import xor

from .offset import OlderFiles


@dataclass(frozen=True)
class LateFiles:
    """``late``: fingerprints of files that were added since; ``unclear``: the number of further ones that
    cannot be identified."""

    late: frozenset[int]
    unclear: int = 0


def summarize(modified: int, path: str, fingerprints: Iterable[int]) -> OlderFiles:
    """Return the number and digest of these files, the last of which has the given time and path."""
    found = list(fingerprints)
    return OlderFiles(modified, path, len(found), reduce(xor, found, 0))


def find_late(older: OlderFiles, found: Sequence[int], remembered: frozenset[int] | None) -> LateFiles:
    """Return the files that were added, by comparing the fingerprints of the older files that exist now with the
    summary.

    ``remembered``: those that existed at the last comparison in this process, all of which have been read; ``None``
    after a restart. In that case nothing has changed if number and digest are equal, and a single additional file is
    identified by the digest. If there are fewer files, they are assumed to have been read, since folders are cleaned
    up. Otherwise it is unclear which files are new.
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
