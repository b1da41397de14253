"""Records that are written in fragments."""

from __future__ import annotations

from ..base.dataclass import dataclass


@dataclass(frozen=True)
class Fragments:
    """Records that are written in fragments: each row on the wire is a fragment.

    ``kind``: the column with the kind of a fragment; ``full``: the kinds of complete records; ``first``, ``middle``,
    ``last``: those of fragments; ``skip``: those of records without rows. ``data``: the column whose bytes are
    concatenated. ``block``: the size of blocks in bytes, for writers; 0 if unknown. ``codec``: the column of a record's
    codec; ``codecs``: the codecs by its values; ``most``: the maximum size of a record in bytes; ``log``: the column of
    its log; ``log_field``: its offset in a fragment, its size in bytes and its byte order (``big`` or ``little``), if
    they are the same in all fragments that have one.
    """

    kind: str
    data: str
    full: tuple[int, ...] = ()
    first: tuple[int, ...] = ()
    middle: tuple[int, ...] = ()
    last: tuple[int, ...] = ()
    skip: tuple[int, ...] = ()
    block: int = 0
    codec: str = ""
    codecs: tuple[tuple[int, str], ...] = ()
    most: int = 0
    log: str = ""
    log_field: tuple[int, int, str] | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        """Return the names of the columns that readers need."""
        return tuple(each for each in (self.kind, self.data, self.codec, self.log) if each)
