"""The older files of a folder that have been read: an offset with very many files keeps only their number and a digest
of their fingerprints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from operator import xor

from .listing import ListedFile
from .offset import FileProgress, OlderFiles


class OlderFileSets:
    """The files of each summary, all of which have been read; ``most``: the number of files that an offset lists."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._sets: dict[OlderFiles, frozenset[int]] = {}

    def read(
        self, summary: OlderFiles | None, files: Sequence[ListedFile], known: Mapping[int, FileProgress]
    ) -> tuple[frozenset[int], int]:
        """Return the fingerprints of the older files, and the number of those that may not have been read.

        After a restart nothing has changed if number and digest are equal, and a single additional file is identified
        by the digest. If there are fewer files, they are assumed to have been read, since folders are cleaned up.
        Otherwise it is unclear which files are new.
        """
        if summary is None:
            return frozenset(), 0
        place, unclear = summary.place, 0
        found = frozenset(each.fingerprint for each in files if each.place <= place and each.fingerprint not in known)
        read = self._sets.get(summary)
        if read is None:
            read, more = found, len(found) - summary.count
            single = reduce(xor, found, summary.digest)
            if more == 1 and single in found:
                read = found - {single}
            elif more > 0 or (more == 0 and single):
                unclear = max(more, 1)
        if not unclear:
            self._sets = {summary: read}
        return read, unclear

    def compacted(
        self,
        summary: OlderFiles | None,
        files: Sequence[ListedFile],
        tracked: dict[int, FileProgress],
        older: frozenset[int],
        taken: set[int],
    ) -> tuple[dict[int, FileProgress], OlderFiles | None]:
        """Return what is known of files and the summary of older ones that exist, within the limit of an offset."""
        if len(tracked) > self._most:
            # Vanished files are dropped first, but as late as possible, since listings may be incomplete for a while.
            present = {each.fingerprint for each in files}
            tracked = {number: each for number, each in tracked.items() if number in present or each.unread}
        count = sum(not each.path for each in tracked.values())
        under, place = set(older), None if summary is None else summary.place
        for each in files if count > self._most else ():
            number, own = each.fingerprint, tracked.get(each.fingerprint)
            unread = number not in under if own is None else bool(own.path) or not own.is_read(each.size)
            if unread or count <= self._most // 2 or number in taken:
                break
            if own is not None:
                del tracked[number]
                under.add(number)
                count -= 1
            place = each.place if place is None else max(place, each.place)
        if place is None:
            return tracked, None
        found = {each.fingerprint for each in files if each.place <= place and each.fingerprint in under}
        made = OlderFiles(*place, len(found), reduce(xor, found, 0))
        self._sets[made] = frozenset(under)
        return tracked, made
