"""The key ``checksum`` of instances: checksums that are values, computed from the bytes of attributes."""

from __future__ import annotations

from ..expression.nodes import CoveredChecksum
from ..expression.types import BytesType, ComputedIntegerType
from ..spec.diagnostics import Diagnostics
from ..spec.syntax import Items, Section, Value
from ..words import shown
from .algorithms import AlgorithmReader
from .symbols import AlreadyReportedError, Member, Symbol

KEYS = ("if", "doc", "doc-ref", "-wireloom")
"""The keys that an instance with a checksum may have."""


def has_checksum(section: Section) -> bool:
    """Return whether an instance is a checksum, even one with errors."""
    extensions = section.extensions
    return extensions is not None and ("checksum" in extensions.keys or "checksum" in extensions.missing)


def declare_checksum(symbol: Symbol, member: Member, diagnostics: Diagnostics) -> None:
    """Set the value and the type of an instance with a checksum; the attributes of the type are already declared."""
    try:
        member.value = _Reader(symbol, diagnostics).read(member)
        member.type = member.value.type
    except AlreadyReportedError:
        member.failed = True


class _Reader(AlgorithmReader):
    """Reads the key of one instance."""

    def read(self, member: Member) -> CoveredChecksum:
        """Return the checksum as an expression."""
        extensions = member.section.extensions
        section = extensions.section("checksum") if extensions is not None else None
        if extensions is None or section is None or section.faulty or member.section.faulty:
            raise AlreadyReportedError
        for key, position in member.section.keys.items():
            if key not in KEYS:
                self.error(position, f"an instance with 'checksum' is computed from attributes: remove {shown(key)}")
        for key, position in extensions.keys.items():
            if key != "checksum":
                self.error(position, f"'checksum' and {shown(key)} cannot be used together")
        if self.symbol.is_message:
            message = (
                "'checksum' in an instance requires a type with 'seq': the fields of a message may come in any order"
            )
            self.error(section.position, message)
        found = self.algorithm(section)
        kind = BytesType() if found.is_digest else ComputedIntegerType()
        return CoveredChecksum(member.id, found.name, found.initial, found.final_xor, self._runs(section), type=kind)

    def _runs(self, section: Section) -> tuple[tuple[str, str], ...]:
        """Return the first and the last attribute of each run."""
        over = section.get("over")
        several = over.items if isinstance(over, Items) else ()
        nested = [isinstance(each, Items) for each in several]
        if any(nested) and not all(nested):
            message = "in a list of runs each run must be a list: [attribute], or [first, last]"
            self.error(section.position_of("over"), message)
        if isinstance(over, Items) and not any(nested) and len(several) != 2:
            message = "a list of names must be the first and the last attribute; several runs are lists in a list"
            self.error(section.position_of("over"), message)
        runs = [self._run(each) for each in (several if any(nested) else (over,))]
        for number, (after, _) in enumerate(runs[1:], 1):
            before = runs[number - 1][1]
            if after.index <= before.index:
                message = (
                    f"runs must be in the order of the attributes: {shown(after.id)} must come after {shown(before.id)}"
                )
                self.error(several[number].position, message)
        return tuple((first.id, last.id) for first, last in runs)

    def _run(self, names: Value | None) -> tuple[Member, Member]:
        found = [self.covered_attribute(each) for each in (names.items if isinstance(names, Items) else (names,))]
        first, last = found[0], found[-1]
        if isinstance(names, Items) and first.index > last.index:
            message = f"{shown(first.id)} comes after {shown(last.id)}: name the first attribute, then the last"
            self.error(names.position, message)
        return first, last
