"""Specs at the limits of what the engine loads, and beyond: both have the rows of the object parser."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from wireloom.format.program_words import (
    MOST_CARRIED_VALUES,
    MOST_CHECKSUMS,
    MOST_LOOPS,
    MOST_STORES,
)

from ..unit.reading.running import read
from ..unit.specs import format_of
from .children import needs_engine

HEAD = """meta: {id: many, endian: le, -wireloom: {rows: rows}}
seq: [{id: rows, type: row, repeat: eos}]
"""
ROW = "types:\n  row:\n    seq: [{id: a, type: u1}]\n    instances:\n"


def variables(n: int, first: str = "0", value: str = "P") -> str:
    """Return a spec with ``n`` variables that each row sets, and a column of each: ``value``, in which ``P`` is it."""
    kept = "".join(f"  v{each}: {{value: '{first}', -wireloom: {{variable: true}}}}\n" for each in range(n))
    sets = "".join(f"      s{each}: {{value: a, -wireloom: {{sets: _root.v{each}}}}}\n" for each in range(n))
    columns = "".join(f"      c{each}: {{value: '{value.replace('P', f'_root.v{each}')}'}}\n" for each in range(n))
    return f"{HEAD}instances:\n{kept}{ROW}{sets}{columns}"


def lists(n: int) -> str:
    return variables(n, "[0]", "P[P.size - 1] + 1")


def loops(n: int) -> str:
    one = "{id: nI, type: u1}, {id: aI, type: u1, repeat: expr, repeat-expr: nI % 3}"
    return f"{HEAD}types: {{row: {{seq: [{', '.join(one.replace('I', str(each)) for each in range(n))}]}}}}\n"


def checksums(n: int) -> str:
    one = "{id: aI, type: u1}, {id: cI, type: u1, -wireloom: {checksum: {algorithm: sum8, over: aI}}}"
    return f"{HEAD}types: {{row: {{seq: [{', '.join(one.replace('I', str(each)) for each in range(n))}]}}}}\n"


def cases(n: int) -> str:
    choice = ", ".join(f"{each}: t{each % 3}" for each in range(n))
    kinds = "".join(f"  t{each}: {{seq: [{{id: x{each}, type: u1}}]}}\n" for each in range(3))
    fields = f"{{id: k, type: u2}}, {{id: b, type: {{switch-on: k, cases: {{{choice}, _: t0}}}}}}"
    return f"{HEAD}types:\n  row: {{seq: [{fields}]}}\n{kinds}"


@needs_engine
@pytest.mark.parametrize("more", [0, 1])
@pytest.mark.parametrize(
    ("family", "most"),
    [
        (variables, MOST_CARRIED_VALUES),
        (lists, MOST_STORES),
        (loops, MOST_LOOPS),
        (checksums, MOST_CHECKSUMS),
        (cases, 5_000),
    ],
)
def test_rows(family: Callable[[int], str], most: int, more: int) -> None:
    format, data = format_of(family(most + more), "many"), bytes([2, 2] * 800)
    found, report = read(None, format, data)
    assert found.num_rows
    assert (found, report) == read("objects", format, data)
