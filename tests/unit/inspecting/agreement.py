"""The records, damage and tail that ``inspect`` shows, compared with those that are read."""

from __future__ import annotations

from typing import Any

from wireloom import Format
from wireloom.input.expansion import expand
from wireloom.inspecting import Field, Record, Wanted, shown_records

from ..reading.running import read

EVERYTHING = Wanted(count=1 << 40)


def shown(format: Format, data: bytes, **options: Any) -> list[Record]:
    return list(shown_records(format, expand(data)[0], EVERYTHING, {"codec": "none", **options})[2])


def problems(fields: list[Field]) -> list[str]:
    """Return the problems of the fields that were read; values that are computed may be errors."""
    read = [each for each in fields if not each.computed]
    found = [each.problem for each in read if each.problem is not None]
    return found + [problem for each in read for problem in problems(each.children)]


def check(format: Format, data: bytes, **options: Any) -> bool:
    """Check that both show and read the same records, damaged ranges and tail; return whether nothing is damaged. The
    fields of an input without damage have no errors."""
    input_format = format.input_format
    table, report = read(None, input_format, data, columns=["_offset", "_error"], codec="none", **options)
    found = shown(format, data, **options)
    said = f"{format.name} {format.table} {options} {data.hex() if len(data) < 2000 else len(data)}"
    damaged = {(each.begin, each.end - each.begin, each.reason) for part in found for each in part.damages}
    assert damaged == {tuple(each) for each in report["damaged"] if each[1]}, said
    for each in found:
        assert not each.damages or each.reason == each.damages[0].reason, said
        assert all(damage.begin < max(each.end, each.begin + 1) and each.begin < damage.end for damage in each.damages)
    cut = [each.begin for each in found if each.reason is not None and not each.damages]
    tail = report["tail_offset"] if report["tail"] != "clean" else None
    if tail is None or input_format.positions or report["tail_offset"] == len(data):
        assert all(tail is not None and begin >= tail for begin in cut), said
    else:
        assert cut[:1] == [tail], said
    rows = [row["_offset"] for row in table.to_pylist() if row["_error"] is None]
    kinds = ("record", "head", "foot", *(("tail",) if input_format.positions else ()))
    good = [(each.begin, each.end) for each in found if each.kind in kinds]
    if (
        input_format.streaming
        and not input_format.rows_path
        and input_format.fragments is None
        and not input_format.where
        and not input_format.distinct
    ):
        assert [each.begin for each in found if each.kind == "record" and each.reason is None] == rows, said
    else:
        assert all(any(begin <= row <= end for begin, end in good) for row in set(rows)), said
    is_clean = not report["damaged"] and tail is None
    if is_clean:
        assert [problem for each in found for problem in problems(each.fields)] == [], said
    return is_clean
