"""One case, in every way in which its input can be read."""

from __future__ import annotations

import difflib
import io
import itertools
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import wireloom
import yaml
from wireloom import Format, UnsupportedError, WireloomError, engine
from wireloom.input.expansion import expand
from wireloom.inspecting import Wanted, record_scan, records
from wireloom.reading.request import of_table

from ..differential.agreement import ROW_COLUMNS, objects_only, outcome, timeless
from ..differential.damage import damaged
from ..examples import PROFILE
from ..unit.inspecting import agreement
from ..unit.reading.running import read
from .case import EXPECTED, Case
from .notation import bytes_of, fitting, meant, shown, written

Result = dict[str, Any]
TRIVIAL = {"damaged": [], "tail": "clean", "tail_size": 0}
MODES: tuple[dict[str, Any], ...] = (
    {"recover": True},
    {"mode": "failfast"},
    {"mode": "dropmalformed"},
    {"verify": False},
    {"batch_rows": 3, "recover": True},
    {"check_format": True},
)
LARGE = 20_000
"""The size in bytes from which on an input is read by the engine and by the classes, and in no other way."""
MANY = 10_000
"""The number of rows from which on ``inspect`` does not show a damaged input, which takes a second."""
WINDOWS = (1, 2, 3, 5, 7, 20, 64, 1000)


class DifferenceError(AssertionError):
    """A way does not return what is expected."""


def check(case: Case) -> None:
    """Raise ``DifferenceError`` with the first way that does not return what the case says."""
    found = observed(case)
    # Without the engine nothing says what it cannot read.
    keys = EXPECTED if engine.available else EXPECTED - {"engine"}
    expected = {key: getattr(case, key) for key in keys if getattr(case, key) is not None}
    _compare("the engine", as_expected(case, found), expected)
    if case.input is not None and "refused" not in found:
        read = {key: value for key, value in found.items() if key in ("rows", "report", "fails")}
        for way, one, other in ways(case, read):
            _compare(way, one, other)


def observed(case: Case) -> Result:
    """Return what a case says, as it is. A key that the case need not say is there if the case has it, or if it is not
    what it is by default."""
    try:
        format = case.format
    except WireloomError as error:
        return {"refused": re.sub(r"^\S*/", "", str(error))}
    table = of_table(format, _of_format(case, format))[0] if format.tables else format
    found: Result = {"engine": table.engine_refusal} if table.engine_refusal is not None and engine.available else {}
    if case.write is not None:
        rows = [fitting(row, pa.struct(table.schema)) for row in meant(case.write)]
        return found | _written(format, rows, _of_format(case, format), "bytes")
    if case.types is not None:
        found["types"] = {name: str(table.schema.field(name).type) for name in case.types}
    if case.input is None:
        return found
    found |= result(case)
    if case.written is not None:
        rows = read(None, format, case.data, **_options(case))[0]
        found |= _written(format, rows, _of_format(case, format), "written", case.data)
    if case.grows is not None:
        beginnings = (case.data[:size] for size in range(len(case.data) + 1))
        counts = [read(None, format, each, **_options(case))[0].num_rows for each in beginnings]
        grown = [size for size in range(1, len(counts)) for _ in range(counts[size] - counts[size - 1])]
        found["grows"] = " ".join(map(str, grown))
    return found


def as_expected(case: Case, found: Result) -> Result:
    """Return what was observed, with the parts of errors that the case says, if they are parts of them."""
    parts = {key: getattr(case, key) for key in ("refused", "fails", "engine")}
    return found | {key: part for key, part in parts.items() if part is not None and part in found.get(key, "")}


def result(case: Case) -> Result:
    """Return the rows and the report of one read, as they are written in cases."""
    try:
        table, report = read(None, case.format, case.data, **_options(case))
    except WireloomError as error:
        return {"fails": f"{type(error).__name__}: {error}"}
    differing = {key: value for key, value in report.items() if key not in ("path", "rows", "bytes")}
    differing = {key: value for key, value in differing.items() if TRIVIAL.get(key, ...) != value}
    if differing["tail_offset"] == report["bytes"]:
        del differing["tail_offset"]
    return {"rows": rows_of(table)} | ({"report": differing} if differing else {})


def rows_of(table: pa.Table) -> list[Any]:
    """Return the rows as they are written in cases, each once if it is repeated often."""
    columns = [shown(column.cast(timeless(column.type)).to_pylist()) for column in table.columns]
    return repeated(columns[0] if len(columns) == 1 else [list(each) for each in zip(*columns, strict=True)])


def repeated(rows: list[Any]) -> list[Any]:
    """Return the rows, with ``xN`` after one that is there more than three times in a row.

    >>> repeated([1, 2, 2, 2, 2, 2])
    [1, 2, 'x5']
    """
    made: list[Any] = []
    for _, same in itertools.groupby(rows, repr):
        items = list(same)
        made += items if len(items) < 4 else [items[0], f"x{len(items)}"]
    return made


def _options(case: Case) -> dict[str, Any]:
    options = dict(case.options or {})
    if "filter" in options:
        options["filter"] = eval(options["filter"], {"field": pc.field})
    return options


def _of_format(case: Case, format: Format) -> dict[str, Any]:
    return {key: value for key, value in (case.options or {}).items() if key in (format.option, "table", "framing")}


def _written(format: Format, rows: Any, options: Mapping[str, Any], key: str, same: bytes | None = None) -> Result:
    file = io.BytesIO()
    try:
        wireloom.write(format, rows, file, **options)
    except WireloomError as error:
        return {"fails" if key == "bytes" else key: f"{type(error).__name__}: {error}"}
    return {key: "same" if file.getvalue() == same else written(file.getvalue())}


def ways(case: Case, whole: Result) -> Iterator[tuple[str, Any, Any]]:
    """Yield other ways to read the input, and damaged ones like it: their names, what they return, and what they must
    return. ``whole``: what the engine returned."""
    chance, data, options = Random(case.name), case.data, _options(case)
    with objects_only():
        by_objects = result(case)
    yield "the classes", _alike(case.format, by_objects), _alike(case.format, whole)
    if len(data) > LARGE or any(re.fullmatch(r"x\d{4,}", str(each)) for each in whole.get("rows", ())):
        return
    table = of_table(case.format, dict(options))[0]
    columns = options.pop("columns", None)
    windows = chance.sample(WINDOWS, 3)
    how: list[Way] = [({}, False), *(({"window": each}, False) for each in windows), ({"window": windows[0]}, True)]
    yield from _agreeing(case, data, columns, [*how, ({"batch_rows": 1}, False), ({"batch_rows": 2}, True)], options)
    for number in range(case.damage * (10 if PROFILE == "thorough" else 1)):
        other = data[: chance.randrange(len(data) + 1)] if number % 2 else damaged(chance, data)
        way = chance.choice(({}, {}, {"window": chance.choice(WINDOWS)}))
        [agreeing] = _agreeing(case, other, columns, [(way, False)], options | chance.choice(({}, *MODES)))
        yield agreeing
        if table.message is None and _count(agreeing[1]) < MANY:
            limit = {key: value for key, value in options.items() if key == "max_computed"}
            agreement.check(table, other, recover=bool(number % 3), **limit)
    if "fails" not in whole and "report" not in whole:
        rows = read(None, case.format, data, **options, columns=columns)[0]
        yield from _in_parts(case, rows, chance, options)
        if not options:
            yield from _by_spark(case, rows)
            if columns is None and data:
                yield from _again(case, table, rows)
                yield from _shown(case)


Way = tuple[dict[str, Any], bool]
"""Options of a read besides those of the case, and whether the classes read."""


def _alike(format: Format, found: Result) -> Result:
    """Return a result with only what both readers have in common: inside a message one names the invalid value, the
    other its field, and errors have the same types, places and reasons."""
    if "fails" in found:
        return {"fails": found["fails"].partition(":")[0]}
    if format.message is None or "error" not in found.get("report", {}):
        return found
    return found | {"report": {**found["report"], "error": ""}}


def _agreeing(
    case: Case, data: bytes, columns: list[str] | None, ways: Sequence[Way], options: dict[str, Any]
) -> Iterator[tuple[str, Any, Any]]:
    """Yield what is returned for an input in each of these ways, and what the classes return for all of it at once."""
    names = columns and list(dict.fromkeys([*columns, *ROW_COLUMNS]))
    with objects_only():
        expected = outcome(case.format, data, columns=names, **options)
    for way, by_classes in ways:
        shown = f"{'the classes' if by_classes else 'the engine'}, {options | way} of {data.hex()}"
        with objects_only() if by_classes else nullcontext():
            yield shown, outcome(case.format, data, columns=names, **options | way), expected


def _count(found: Any) -> int:
    """Return the number of rows of an outcome, 0 if it is an error."""
    rows, *rest = found
    return rest[0][0]["rows"] if isinstance(rows, dict) else 0


def _in_parts(case: Case, rows: pa.Table, chance: Random, options: dict[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    """Yield some of the columns, and the rows of parts of an input without damage."""
    for count in {1, min(3, rows.num_columns)} if rows.num_columns else ():
        names = chance.sample(rows.column_names, count)
        found = read(None, case.format, case.data, **options, columns=names)[0]
        yield f"the columns {names}", rows_of(found), rows_of(rows.select(names))
    for place in chance.sample(range(len(case.data) + 1), min(2, len(case.data))):
        ranges = ((0, place), (place, len(case.data)))
        try:
            parts = [
                read(None, case.format, case.data, **options, columns=rows.column_names, byte_range=each)[0]
                for each in ranges
            ]
        except UnsupportedError:
            break
        yield f"byte ranges up to and from {place} on", rows_of(pa.concat_tables(parts)), rows_of(rows)


def _again(case: Case, format: Format, rows: pa.Table) -> Iterator[tuple[str, Any, Any]]:
    """Yield what is read of the rows after they were written, if they can be and the case says nothing about it."""
    if case.written is None and not format.read_only:
        again = _written(case.format, rows, {}, "written", case.data)["written"]
        if again != "same" and "Error: " not in again:
            yield f"what is written, {again}", rows_of(read(None, case.format, bytes_of(again))[0]), rows_of(rows)


def _shown(case: Case) -> Iterator[tuple[str, Any, Any]]:
    """Yield what ``inspect`` shows of an input without damage: parts without errors, in order, in which all rows are.
    Rows inside of units are not shown with them if the units have no sizes."""
    format = of_table(case.format, {})[0]
    if format.streaming and len(format.levels) > 1:
        return
    wanted = Wanted(count=1000)
    found = list(records(record_scan(case.format, expand(case.data)[0], wanted)))
    ends = [0, *(each.end for each in found)]
    yield "inspect, the errors", [each.verdict for each in found if each.reason is not None and each.single is None], []
    yield "inspect, what overlaps", [each.title for each, end in zip(found, ends, strict=False) if each.begin < end], []
    offsets = read(None, case.format, case.data, columns=["_offset"])[0]["_offset"].to_pylist()
    shown = [each for each in offsets if any(part.begin <= each <= part.end for part in found)]
    yield "inspect, the rows in what is shown", shown if len(found) < 1000 else offsets, offsets


def _by_spark(case: Case, rows: pa.Table) -> Iterator[tuple[str, Any, Any]]:
    """Yield the rows of Spark's reader, in this process. Unions are structs there, and times have other units."""
    rows = rows.select([each.name for each in rows.schema if not re.search("union<|timestamp", str(each.type))])
    if not rows.column_names:
        return
    from wireloom.spark.read.schema import wire_schema
    from wireloom.spark.source import FormatSource

    described = {"described": case.format, "wire_schema": wire_schema(case.format)}
    with tempfile.NamedTemporaryFile(suffix=".bin") as file:
        file.write(case.data)
        file.flush()
        made = type("Source", (FormatSource,), described)(
            {"path": file.name, "partitioncolumns": "off", "columns": ",".join(rows.column_names)}
        )
        schema = made.schema()
        reader = made.reader(schema)
        batches = [batch for part in reader.partitions() for batch in reader.read(part)]
    found = pa.Table.from_batches(batches) if batches else rows.slice(0, 0)
    yield "Spark's reader", rows_of(found), rows_of(rows)


def _compare(way: str, found: Any, expected: Any) -> None:
    if found != expected:
        one, other = (yaml.dump(each, width=110, allow_unicode=True).splitlines() for each in (expected, found))
        difference = difflib.unified_diff(one, other, "expected", "found", n=2, lineterm="")
        raise DifferenceError("\n".join([way, *difference]))
