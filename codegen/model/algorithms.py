"""The algorithm of a key ``checksum``, and the attributes that it covers."""

from __future__ import annotations

from typing import NoReturn

from wireloom.base.dataclass import dataclass
from wireloom.checksums import CHECKSUMS, Algorithm, crc_name
from wireloom.checksums import algorithm as checksum_algorithm
from wireloom.checksums.catalogue import Family

from ..expression.types import BitsType
from ..spec.diagnostics import Diagnostics
from ..spec.position import Position
from ..spec.syntax import Section, Text, Value
from ..words import listed, nearest, shown, suggestion
from .symbols import AlreadyReportedError, Member, Symbol

PARAMETERS = ("initial", "final-xor")
OF_NUMBERS = (*PARAMETERS, "stored", "continues")


@dataclass(frozen=True)
class AlgorithmReader:
    """Reads what all keys ``checksum`` in a type have in common. Its methods raise ``AlreadyReportedError`` after they
    have reported an error."""

    symbol: Symbol
    diagnostics: Diagnostics

    def error(self, position: Position, message: str) -> NoReturn:
        """Report an error."""
        self.diagnostics.error(position, message)
        raise AlreadyReportedError

    def algorithm(self, section: Section) -> Algorithm:
        """Return the algorithm, with its parameters."""
        named, parameters = section.text("algorithm"), section.section("algorithm")
        if named is not None:
            found = CHECKSUMS.get(named.value.lower())
            if found is None:
                word = named.value.lower()
                # crc32d is similar to crc32c, and to crc-32d, which is an alias of it.
                alike = (each for each in CHECKSUMS if len(each) == len(word) and each.isalnum() == word.isalnum())
                found_names = dict.fromkeys(filter(None, (nearest(word, alike), nearest(word, CHECKSUMS))))
                hint = f"; did you mean {listed(map(shown, found_names))}?" if found_names else ""
                for each in (CHECKSUMS[name] for name in found_names):
                    if each.family is Family.FLETCHER:
                        hint += f" The sums of {each.name} are modulo {2 ** (each.width // 2) - 1}."
                self.error(named.position, f"unknown checksum {shown(named.value)}{hint}")
        elif parameters is not None:
            found = self._of_parameters(parameters)
        else:
            raise AlreadyReportedError
        for key in OF_NUMBERS:
            if key in section and found.is_digest:
                self.error(
                    section.keys[key],
                    f"'{key}' requires an integer checksum, but {found.name} is a digest: remove '{key}'",
                )
        numbers = [section.integer(key) for key in PARAMETERS]
        for key, number in zip(PARAMETERS, numbers, strict=True):
            if number is not None and number >> found.width:
                message = f"'{key}' does not fit in the {found.width} bits of {found.name}"
                self.error(section.position_of(key), message)
        return checksum_algorithm(found.name, *numbers)

    def _of_parameters(self, section: Section) -> Algorithm:
        width = section.integer("width") or 0
        numbers = {key: section.integer(key) or 0 for key in ("poly", "init", "xorout")}
        for key, number in numbers.items():
            if number >> width:
                self.error(section.position_of(key), f"'{key}' does not fit in the {width} bits of the CRC")
        reflected = (section.flag("refin"), section.flag("refout"))
        return checksum_algorithm(crc_name(width, numbers["poly"], numbers["init"], *reflected, numbers["xorout"]))

    def covered_attribute(self, name: Value | None) -> Member:
        """Return the attribute of the type that ``over`` names."""
        attributes = {each.id: each for each in self.symbol.of_kind("attribute")}
        if not isinstance(name, Text):
            raise AlreadyReportedError
        member = attributes.get(name.value)
        if member is None and self.symbol.unknown_members:
            raise AlreadyReportedError
        if member is None:
            hint = suggestion(name.value, attributes)
            message = f"a checksum covers attributes of its own type, which {shown(name.value)} is not{hint}"
            self.error(name.position, message)
        if member.field is not None and isinstance(member.field.type, BitsType):
            self.error(name.position, "a checksum covers whole bytes, but this attribute is a bit field")
        return member
