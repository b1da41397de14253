"""Column programs as source code."""

from __future__ import annotations

from wireloom.checksums import algorithm
from wireloom.format.program import ChecksumRule, ColumnProgram, Place

from ..source import arguments
from .lines import Listing
from .view import ProgramView

_PROGRAM_NAMES = (
    "ChecksumRule",
    "ColumnProgram",
    "Expansion",
    "FieldKind",
    "Kind",
    "KnownBytes",
    "Loop",
    "MessageField",
    "MessageTable",
    "Op",
    "Outcome",
    "Place",
    "Reason",
    "Step",
    "Storage",
    "Stuffing",
)


def program_view(listing: Listing) -> ProgramView:
    """Return a column program as source code."""
    program = listing.program
    texts = [
        f"version={program.version}",
        f"columns=({''.join(f'Storage.{each.name}, ' for each in program.columns)})",
    ]
    names = ("registers", "spans", "marks", "levels", "loops", "whole", "chains", "series", "variables")
    texts += arguments(ColumnProgram, {name: getattr(program, name) for name in names})
    if program.constants:
        texts.append(f"constants=bytes.fromhex({program.constants.hex()!r})")
    if program.checksums:
        texts.append(f"checksums=({''.join(f'{_checksum(each)}, ' for each in program.checksums)})")
    last = ("expansions", "messages", "preset", "known", "delimiter", "stuffing")
    texts += arguments(ColumnProgram, {name: getattr(program, name) for name in last})
    return ProgramView(listing.lines, tuple(texts))


def _checksum(rule: ChecksumRule) -> str:
    of = algorithm(rule.algorithm, rule.initial, rule.final_xor)
    text = f"ChecksumRule({rule.algorithm!r}"
    if not of.is_digest:
        digits = 2 + -(-of.width // 4)
        text += f", initial={rule.initial:#0{digits}x}, final_xor={rule.final_xor:#0{digits}x}"
    if rule.replace >= 0:
        text += f", replace=0x{rule.replace:02x}, own={rule.own}, own_size={rule.own_size}"
    if rule.place is not Place.REGISTER:
        text += f", place=Place.{rule.place.name}"
    if rule.continues >= 0:
        text += f", continues={rule.continues}"
    if rule.stored_size:
        text += f", sum={rule.sum}, stored={rule.stored}, stored_size={rule.stored_size}"
    return text + ")"


def program_imports(*programs: ProgramView | None) -> tuple[str, ...]:
    """Return the names of ``wireloom.format.program`` that the source code of programs uses."""
    found = [each for each in programs if each is not None]
    if not found:
        return ()
    text = " ".join(text for each in found for text in (*(step.source for step in each.steps), *each.arguments))
    always = ("ColumnProgram", "Step")
    return tuple(name for name in _PROGRAM_NAMES if name in always or f"{name}." in text or f"{name}(" in text)
