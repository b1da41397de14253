"""Columns of blobs, some of them damaged."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any
from unittest import mock

import pyarrow as pa
from wireloom import engine, from_wire_with_report

from .case import BOTH, Case, require
from .damaged import Damaged
from .damages import KINDS, Damager, Pieces


class DamagedColumn(Damaged):
    """Blobs, some of them damaged; nulls are ``None``."""

    def __init__(self, blobs: Sequence[bytes | None], kinds: Sequence[str]) -> None:
        super().__init__([(0, each or b"") for each in blobs], kinds)
        self.blobs = list(blobs)


def damage_blobs(blobs: Sequence[bytes | None], tokens: Sequence[bytes], source: random.Random) -> DamagedColumn:
    """Damage some of the blobs individually, or join two of them."""
    pieces: list[Pieces | None] = [None if each is None else [(0, each)] for each in blobs]
    valid = [number for number, each in enumerate(blobs) if each is not None]
    kinds = []
    for _ in range(source.choice((1, 1, 1, 2, 3, 6))):
        number, other = source.choice(valid), source.choice(valid)
        damager = Damager(source, tokens, list(pieces[other] or []))
        kind = source.choice(list(KINDS))
        pieces[number] = KINDS[kind](damager, pieces[number] or [])
        kinds.append(kind)
    return DamagedColumn([None if each is None else b"".join(content for _, content in each) for each in pieces], kinds)


def read_blobs(case: Case, format: str, **options: Any) -> tuple[list[list[dict[str, Any]] | None], dict[str, Any]]:
    """Return a list of rows for each blob, and the report. The column is passed in one piece or in several, and
    occasionally both engines read it."""
    assert isinstance(case.damaged, DamagedColumn)
    blobs = case.damaged.blobs
    column: Any = pa.array(blobs, case.source.choice((pa.binary(), pa.binary(), pa.large_binary())))
    way = case.source.randrange(4)
    if way == 0:
        cut = case.source.randrange(len(blobs) + 1)
        column = pa.chunked_array([column[:cut], column[cut:]])
    elif way == 1:
        column = pa.array([b"before", *blobs, b"after"], column.type)[1:-1]
    case.options = {"format": format, "column": str(type(column)), **options}
    lists, report = from_wire_with_report(column, format, **options)
    found = lists.to_pylist()
    told = report.to_dict()
    if engine.available and not case.source.randrange(BOTH):
        case.counts["both"] += 1
        with mock.patch.object(engine, "available", new=False):
            again, other = from_wire_with_report(column, format, **options)
        require(found == again.to_pylist(), "the engines' rows differ")
        require(_essence(told) == _essence(other.to_dict()), "the engines' reports differ")
    return found, told


def _essence(report: dict[str, Any]) -> dict[str, Any]:
    """Return a report without the sentences, which may describe the same damage in different words."""
    problems = [(each["blob"], each["offset"], each["reason"], each["rows"]) for each in report["problems"]]
    return {**report, "problems": problems, "engine": ""}
