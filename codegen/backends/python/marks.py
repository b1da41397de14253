"""Positions in the bytes at which the fields that checksums cover begin and end."""

from __future__ import annotations

from collections.abc import Sequence

from wireloom.base.dataclass import dataclass
from wireloom.base.dataclass import field as declared

from ...tree import Attribute, StoredChecksum, Struct
from .names import field_name
from .view import Lines


@dataclass(frozen=True)
class Blanked:
    """The bytes of a checksum inside the range it covers, and the value with which they are counted."""

    offset: str
    size: int
    value: int


@dataclass
class Marks:
    """The marks that a method must record; ``begins`` and ``ends`` have their texts once they are recorded."""

    spec: Struct
    begins: dict[str, str] = declared(default_factory=dict)
    ends: dict[str, str] = declared(default_factory=dict)
    _wanted_begins: set[str] = declared(default_factory=set)
    _wanted_ends: set[str] = declared(default_factory=set)

    def __post_init__(self) -> None:
        for cover in self.spec.verified:
            if cover.value is None and not cover.content:
                self._wanted_begins.update(cover.marked)
                self._wanted_ends.add(cover.last)

    def want_begin(self, name: str) -> None:
        """Request another mark."""
        self._wanted_begins.add(name)

    def want_computed(self) -> None:
        """Request marks for the ranges of checksums that are computed as instance values."""
        for first, last in (run for each in self.spec.computed_checksums for run in each.runs):
            self._wanted_begins.add(first)
            self._wanted_ends.add(last)

    def want_size(self, field: Attribute) -> str:
        """Request the marks of the fields whose size a field is; return the id of the field."""
        assert field.size_of is not None
        self._wanted_begins.add(field.size_of[0])
        self._wanted_ends.add(field.size_of[1])
        return field.id

    def before(self, run: Sequence[Attribute], offsets: tuple[int, ...]) -> Lines:
        """Return the marks before fields that are at known offsets from each other; the last offset is their end."""
        wanted = any(each.id in self._wanted_begins for each in run)
        wanted = wanted or any(each.id in self._wanted_ends for each in run[:-1])
        if not wanted:
            return ()
        variable = f"begin_{field_name(run[0].id)}"
        for number, each in enumerate(run):
            self.begins[each.id] = _plus(variable, offsets[number])
            if number + 1 < len(offsets):
                self.ends[each.id] = _plus(variable, offsets[number + 1])
        return (f"{variable} = io.pos()",)

    def after(self, run: Sequence[Attribute]) -> Lines:
        """Return the marks after the fields."""
        last = run[-1].id
        if last not in self._wanted_ends or last in self.ends:
            return ()
        self.ends[last] = f"end_{field_name(last)}"
        return (f"{self.ends[last]} = io.pos()",)

    def blanked(self, cover: StoredChecksum) -> Blanked | None:
        """Return the bytes of the checksum itself, relative to the beginning of its range."""
        if not cover.blanks_own or cover.replace is None:
            return None
        own, begin = self.begins[cover.attribute.id], self.begins[cover.first]
        offset = "0" if own == begin else f"{own} - ({begin})" if "+" in begin else f"{own} - {begin}"
        return Blanked(offset, cover.attribute.least, cover.replace)


def _plus(variable: str, offset: int) -> str:
    return f"{variable} + {offset}" if offset else variable
