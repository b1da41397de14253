"""Files taken apart: units such as batches or blocks, each of pieces such as records, which are changed and put
together again with sizes and checksums that hold."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from hypothesis import strategies as st

BYTES = ("set", "add", "insert", "remove", "cut", "extend", "clear")
PIECES = ("drop", "double", "swap", "move")
UNITS = ("drop unit", "double unit", "swap units", "split unit")


@dataclass(frozen=True)
class Unit:
    """A part of an input with a size and a checksum. ``head``: its own fields; ``pieces``: what it is a list of.
    ``codec``: what its content is compressed with; ``members``: of how many members or frames that is."""

    head: bytes
    pieces: tuple[bytes, ...] = ()
    codec: Any = None
    members: int = 1


def packed(pieces: Iterable[bytes], compress: Callable[[bytes], bytes], members: int) -> bytes:
    """Return the pieces, compressed as so many members or frames."""
    data = b"".join(pieces)
    middle = len(data) // 2
    return compress(data) if members == 1 else compress(data[:middle]) + compress(data[middle:])


@dataclass(frozen=True)
class Peer:
    """``units``: what the implementation wrote; ``seal``: the bytes of a unit with its number in the file; ``rows``:
    what the implementation reads, until it raises. ``whole``: it reads files, and not units. ``view``: what of our rows
    is compared."""

    format: str
    columns: tuple[str, ...]
    units: st.SearchStrategy[list[Unit]]
    seal: Callable[[int, Unit], bytes]
    rows: Callable[[bytes], Iterator[Any]]
    whole: bool = False
    examples: int = 500
    options: Mapping[str, Any] = field(default_factory=dict)
    consecutive: int = 1
    """How many valid units in a row a search after damage needs: fewer between damaged ones may be part of the
    damage."""
    view: Callable[[list[dict[str, Any]]], list[Any]] = list


CHANGES = st.lists(
    st.tuples(
        st.sampled_from((*BYTES, *BYTES, *PIECES, *UNITS)),
        st.integers(0, 5),
        st.integers(0, 5),
        st.integers(0, 60),
        st.sampled_from((0, 1, 2, 3, 4, 126, 127, 128, 129, 252, 253, 254, 255)) | st.integers(0, 255),
    ),
    max_size=4,
)
"""What is changed: how, in which unit, in which of its pieces (of which the first is its head), where, and to what."""


def edited(piece: bytes, kind: str, place: int, value: int) -> bytes:
    """Return a piece with other bytes."""
    place %= max(len(piece), 1)
    before, byte, after = piece[:place], piece[place : place + 1], piece[place + 1 :]
    match kind:
        case "set":
            byte = bytes((value,)) if byte else b""
        case "add":
            byte = bytes((each + value) % 256 for each in byte)
        case "insert":
            byte = bytes((value,)) + byte
        case "remove":
            byte = b""
        case "cut":
            byte = after = b""
        case "extend":
            after += bytes((value,)) * (1 + place % 3)
        case _:
            return b""
    return before + byte + after


def changed(units: list[Unit], changes: list[tuple[str, int, int, int, int]]) -> list[Unit]:
    """Return the units with the changes, one after the other."""
    made = list(units)
    for kind, unit, piece, place, value in changes:
        if not made:
            break
        unit %= len(made)
        following = (unit + 1) % len(made)
        chosen, pieces = made[unit], list(made[unit].pieces)
        index = piece % (1 + len(pieces)) - 1
        if kind in BYTES and index < 0:
            made[unit] = replace(chosen, head=edited(chosen.head, kind, place, value))
        elif kind in BYTES:
            pieces[index] = edited(pieces[index], kind, place, value)
            made[unit] = replace(chosen, pieces=tuple(pieces))
        elif kind in PIECES and pieces:
            moved = [pieces.pop(index)]
            at = {"drop": [], "double": [index, index], "swap": [place % (1 + len(pieces))], "move": []}[kind]
            for each in at:
                pieces.insert(each, moved[0])
            made[unit] = replace(chosen, pieces=tuple(pieces))
            if kind == "move":
                made[following] = replace(made[following], pieces=(*made[following].pieces, *moved))
        elif kind == "drop unit":
            del made[unit]
        elif kind == "double unit":
            made.insert(unit, chosen)
        elif kind == "swap units":
            made[unit], made[following] = made[following], made[unit]
        elif kind == "split unit":
            made[unit] = replace(chosen, members=2)
    return made


def merged(refused: list[tuple[int, int]], intact: list[tuple[int, int]], consecutive: int) -> list[tuple[int, int]]:
    """Return the ranges that may be damaged: refused ones, and fewer than ``consecutive`` intact units between two.

    >>> merged([(0, 5), (8, 9)], [(5, 8)], 1), merged([(0, 5), (8, 9)], [(5, 8)], 2)
    ([(0, 5), (8, 9)], [(0, 9)])
    """
    found: list[tuple[int, int]] = []
    for begin, end in refused:
        between = [each for each in intact if found and found[-1][1] <= each[0] and each[1] <= begin]
        if found and len(between) < consecutive:
            found[-1] = found[-1][0], end
        else:
            found.append((begin, end))
    return found
