"""Column programs as source code; what the programs of several tables share stands once."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from types import ModuleType

from wireloom.base.dataclass import dataclass, replace
from wireloom.checksums import algorithm
from wireloom.format.program import LEADING, ChecksumRule, ColumnProgram, Place

from ..source import arguments
from .instructions import ListedStep, Listing


@dataclass(frozen=True)
class SharedView:
    """The steps of the programs of several tables. ``sets``: sets of tables and their names; ``steps``: each with the
    name of the set of the tables that have it."""

    sets: tuple[tuple[str, tuple[str, ...]], ...]
    steps: tuple[tuple[str, ListedStep], ...]


@dataclass(frozen=True)
class ProgramView:
    """The column program: its steps, and the further arguments of ``ColumnProgram``, as source code."""

    steps: tuple[ListedStep, ...]
    arguments: tuple[str, ...]


def program_view(listing: Listing) -> ProgramView:
    """Return a column program as source code."""
    program = listing.program
    texts = [
        f"version={program.version}",
        f"columns=({''.join(f'Storage.{each.name}, ' for each in program.columns)})",
    ]
    names = ("registers", "spans", "marks", "levels", "loops", "whole", "running_checksums", "series", "variables")
    texts += arguments(ColumnProgram, {name: getattr(program, name) for name in names})
    if program.constants:
        texts.append(f"constants=bytes.fromhex({program.constants.hex()!r})")
    if program.checksums:
        texts.append(f"checksums=({''.join(f'{_checksum(each)}, ' for each in program.checksums)})")
    last = ("expansions", "messages", "input_registers", "known", "delimiter", "stuffing")
    texts += arguments(ColumnProgram, {name: getattr(program, name) for name in last})
    return ProgramView(listing.steps, tuple(texts))


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
    if rule.extra >= 0:
        text += f", extra={rule.extra}"
    if rule.stored_size:
        text += f", sum={rule.sum}, stored={rule.stored}, stored_size={rule.stored_size}"
    return text + ")"


def used_names(module: ModuleType, texts: Iterable[str]) -> tuple[str, ...]:
    """Return the names of classes and functions that ``texts``, which are source code, use of a module of the runtime,
    in the order that the linter requires."""
    used = set(re.findall(r"\b(\w+)[(.]", " ".join(texts)))
    return tuple(sorted(name for name in used & vars(module).keys() if callable(getattr(module, name))))


def program_texts(*programs: ProgramView | None) -> Iterator[str]:
    """Yield the source code of programs."""
    for each in filter(None, programs):
        yield from ("ColumnProgram(", *(step.source for step in each.steps), *each.arguments)


@dataclass(eq=False)
class _Entry:
    """A step of the list. ``steps``: by table, the number of the step in the table's own program."""

    listed: ListedStep
    steps: dict[str, int]


def shared_steps(listings: Mapping[str, Sequence[ListedStep]]) -> SharedView:
    """Return the steps of several programs, each with the tables whose programs contain it.

    A step that leads to another one has the number of that one in the whole list: ``steps_of`` in
    ``wireloom.format.program`` numbers the steps of one table again.
    """
    entries: list[_Entry] = []
    for table, listing in listings.items():
        entries = _merged(entries, table, listing)
    entries = _split(entries, listings)
    numbers = _numbers(entries, listings)
    names = _names([tuple(each.steps) for each in entries], tuple(listings))
    steps = tuple((names[tuple(each.steps)], _step(each, _entry_target(each, numbers, listings))) for each in entries)
    return SharedView(tuple((name, tables) for tables, name in names.items()), steps)


def _names(sets: Sequence[tuple[str, ...]], all: tuple[str, ...]) -> dict[tuple[str, ...], str]:
    """Return the name of each set of tables in the module."""
    names: dict[tuple[str, ...], str] = {}
    for each in dict.fromkeys(sets):
        others = [table for table in all if table not in each]
        if len(each) == 1 and others:
            names[each] = f"IN_{each[0].upper()}"
        elif len(others) < 2:
            names[each] = "_".join(["IN_ALL", *(f"BUT_{table.upper()}" for table in others)])
        else:
            names[each] = f"IN_TABLES_{len(names)}"
    return names


def _target(listed: ListedStep) -> int | None:
    """Return the number of the step that a step leads to; ``None`` if there is none."""
    return listed.step.c if listed.step.op in LEADING else None


def _key(listed: ListedStep) -> tuple[object, ...]:
    step, jumps = listed.step, _target(listed) is not None
    return step.op, step.a, step.b, 0 if jumps else step.c, step.d, listed.comment


def _merged(entries: list[_Entry], table: str, listing: Sequence[ListedStep]) -> list[_Entry]:
    """Return the entries with the steps of another table in their order."""
    # A format with one table, and one that is only loaded, need none of it.
    from difflib import SequenceMatcher

    matcher = SequenceMatcher(None, [_key(each.listed) for each in entries], [*map(_key, listing)], autojunk=False)
    merged: list[_Entry] = []
    for tag, first, last, begin, end in matcher.get_opcodes():
        merged += entries[first:last]
        if tag == "equal":
            for entry, number in zip(entries[first:last], range(begin, end), strict=True):
                entry.steps[table] = number
        else:
            merged += (_Entry(listing[number], {table: number}) for number in range(begin, end))
    return merged


def _numbers(entries: list[_Entry], listings: Mapping[str, Sequence[ListedStep]]) -> dict[str, list[int]]:
    """Return, for each table, the number of its steps before each entry."""
    return {table: [*accumulate((table in each.steps for each in entries), initial=0)] for table in listings}


def _entry_target(
    entry: _Entry, numbers: Mapping[str, list[int]], listings: Mapping[str, Sequence[ListedStep]]
) -> int | None:
    """Return the number of the entry that the step leads to in the programs of all its tables; ``None`` if it leads to
    none, -1 if there is no such entry."""
    targets = {table: _target(listings[table][number]) for table, number in entry.steps.items()}
    first = next(iter(targets))
    if targets[first] is None:
        return None
    # The entries between two steps of a table all have the same number of its steps before them.
    last = numbers[first].index((targets[first] or 0) + 1) - 1
    for number in range(last, -1, -1):
        if numbers[first][number] != targets[first]:
            return -1
        if all(numbers[table][number] == target for table, target in targets.items()):
            return number
    return -1


def _split(entries: list[_Entry], listings: Mapping[str, Sequence[ListedStep]]) -> list[_Entry]:
    """Return the entries with those divided into one per table whose programs lead to different ones."""
    while True:
        numbers = _numbers(entries, listings)
        found = [each for each in entries if _entry_target(each, numbers, listings) == -1]
        if not found:
            return entries
        divided: list[_Entry] = []
        for each in entries:
            if each in found:
                divided += (_Entry(listings[table][number], {table: number}) for table, number in each.steps.items())
            else:
                divided.append(each)
        entries = divided


def _step(entry: _Entry, target: int | None) -> ListedStep:
    if target is None:
        return entry.listed
    parts = entry.listed.source.removesuffix(")").split(", ")
    return replace(entry.listed, source=", ".join([*parts[:3], str(target), *parts[4:]]) + ")")
