"""Where on the wire the attributes begin and end that checksums cover."""

from __future__ import annotations

from dataclasses import dataclass, field

from ...model.model import Attribute, Struct
from ...plan.covers import covers_own, plain_cover
from .names import field_name
from .view import Line, Lines


@dataclass
class Marks:
    """The marks that a method must take; ``begins`` and ``ends`` give their text once they are taken."""

    struct: Struct
    begins: dict[str, str] = field(default_factory=dict)
    ends: dict[str, str] = field(default_factory=dict)
    _wanted_begins: set[str] = field(default_factory=set)
    _wanted_ends: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        for attribute in self.struct.attributes:
            if attribute.checksum is not None and plain_cover(self.struct, attribute.checksum) is None:
                self._wanted_begins.add(attribute.checksum.first)
                self._wanted_ends.add(attribute.checksum.last)
                if covers_own(self.struct, attribute, attribute.checksum):
                    self._wanted_begins.add(attribute.id)

    def want_begin(self, attribute: Attribute) -> None:
        """Asks for one more mark."""
        self._wanted_begins.add(attribute.id)

    def before(self, run: tuple[Attribute, ...], offsets: tuple[int, ...]) -> Lines:
        """Taken before some attributes that lie at known offsets from each other; the last offset is their end."""
        wanted = any(each.id in self._wanted_begins for each in run)
        wanted = wanted or any(each.id in self._wanted_ends for each in run[:-1])
        if not wanted:
            return ()
        variable = f"begin_{field_name(run[0].id)}"
        for number, attribute in enumerate(run):
            self.begins[attribute.id] = _plus(variable, offsets[number])
            if number + 1 < len(offsets):
                self.ends[attribute.id] = _plus(variable, offsets[number + 1])
        return (Line(f"{variable} = io.pos()"),)

    def behind(self, run: tuple[Attribute, ...]) -> Lines:
        """Taken behind them."""
        last = run[-1].id
        if last not in self._wanted_ends or last in self.ends:
            return ()
        self.ends[last] = f"end_{field_name(last)}"
        return (Line(f"{self.ends[last]} = io.pos()"),)


def _plus(variable: str, offset: int) -> str:
    return f"{variable} + {offset}" if offset else variable
