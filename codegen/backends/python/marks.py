"""Where on the wire the attributes begin and end that checksums cover."""

from __future__ import annotations

from dataclasses import dataclass, field

from ...expression.types import BytesType
from ...model.model import Attribute, Checksum, EndOfStreamSize, ExpressionSize, FixedSize, Struct
from .names import field_name
from .view import Line, Lines


def is_plain(attribute: Attribute) -> bool:
    """Whether the value of an attribute is its bytes on the wire."""
    return (
        isinstance(attribute.type, BytesType)
        and isinstance(attribute.size, FixedSize | ExpressionSize | EndOfStreamSize)
        and not (attribute.repeat or attribute.switch or attribute.condition or attribute.process)
        and not (attribute.terminator or attribute.pad_right is not None)
    )


def covers_own(struct: Struct, attribute: Attribute, checksum: Checksum) -> bool:
    """Whether the checksum's own bytes lie in the range that it covers, and count as others."""
    names = [each.id for each in struct.attributes]
    first, last, own = names.index(checksum.first), names.index(checksum.last), names.index(attribute.id)
    return checksum.replace is not None and first <= own <= last


def covered(struct: Struct, checksum: Checksum) -> tuple[Attribute, ...]:
    """The attributes that a checksum covers."""
    names = [each.id for each in struct.attributes]
    return struct.attributes[names.index(checksum.first) : names.index(checksum.last) + 1]


def plain_cover(struct: Struct, checksum: Checksum) -> Attribute | None:
    """The one attribute whose value is what the checksum covers, where it is that simple."""
    found = covered(struct, checksum)
    return found[0] if len(found) == 1 and is_plain(found[0]) else None


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
