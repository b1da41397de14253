"""Generated tables: what a writer made is read unchanged, and both readers agree on it and on damaged inputs."""

from __future__ import annotations

import hashlib
import io
from pathlib import Path
from random import Random
from typing import Any

import pytest
import wireloom
from hypothesis import given
from hypothesis import strategies as st
from wireloom import Format, WireloomError, engine
from wireloom.codegen.checking import check
from wireloom.codegen.loading import load_format
from wireloom.objects import ConsistencyError, KaitaiStructError

from .agreement import agreed, objects_only, outcome
from .damage import damaged
from .specs import Made, table_spec
from .strategies import bounded, randoms, records, some, tables, units

READERS: tuple[dict[str, Any], ...] = (
    {},
    {"recover": True},
    {"mode": "failfast"},
    {"batch_rows": 1},
    {"verify": False},
    {"max_record": 20},
    {"max_record": 9, "recover": True},
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("specs")


def path_of(made: Made, folder: Path) -> Path:
    return folder / hashlib.sha256(made.text.encode()).hexdigest()[:16] / "sample.ksy"


def format_of(made: Made, folder: Path) -> Format:
    path = path_of(made, folder)
    path.parent.mkdir(exist_ok=True)
    path.write_text(made.text)
    return load_format(path)


@bounded(15, thorough=160)
@given(made=tables(), random=randoms)
def test_both_readers_agree(folder: Path, made: Made, random: Random) -> None:
    format = format_of(made, folder)
    good = made.write(random, {})
    for data in (good, damaged(random, good), damaged(random, good)):
        for options in some(random, READERS):
            agreed(format, data, **options)


@bounded(15, thorough=160)
@given(made=units(), random=randoms)
def test_both_readers_agree_on_rows_inside_of_units(folder: Path, made: Made, random: Random) -> None:
    format = format_of(made, folder)
    good = made.write(random, {})
    for data in (good, damaged(random, good), damaged(random, good)):
        for options in some(random, READERS):
            agreed(format, data, **options)


@bounded(10, thorough=80)
@given(made=records(), random=randoms)
def test_both_readers_agree_on_rows_inside_of_records(folder: Path, made: Made, random: Random) -> None:
    format = format_of(made, folder)
    good = made.write(random, {})
    for data in (good, damaged(random, good), damaged(random, good)):
        for options in some(random, READERS):
            for table in ("inner", "records"):
                agreed(format, data, table=table, **options)


@bounded(10, thorough=100)
@given(made=tables(), random=randoms)
def test_what_was_read_is_written_and_read_again(folder: Path, made: Made, random: Random) -> None:
    format = format_of(made, folder)
    data = made.write(random, {})
    with objects_only():
        before = outcome(format, data)
    if not is_clean(before):
        return
    value = format.root_class.from_bytes(data)
    try:
        again = value.to_bytes()
    except (ConsistencyError, KaitaiStructError, WireloomError):
        # Text that was cut inside a character, padding that belongs to the value, bytes that belong to no field, and a
        # length that counts these cannot be written.
        return
    assert repr(format.root_class.from_bytes(again)) == repr(value)
    written = written_as_table(format, data)
    if written is not None:
        assert outcome(format, written)[0] == outcome(format, again)[0]


@bounded(15, thorough=160)
@given(made=units(), random=randoms)
def test_units_that_were_read_are_written_and_read_again(folder: Path, made: Made, random: Random) -> None:
    format = format_of(made, folder)
    data = made.write(random, {})
    with objects_only():
        before = outcome(format, data)
    written = written_as_table(format, data) if is_clean(before) else None
    if written is None:
        return
    names = [each.name for each in format.columns if not each.derived]
    first = wireloom.read(format, data, columns=names, check_format=False)
    second = wireloom.read(format, written, columns=names, check_format=False)
    assert without_sums(second.to_pylist()) == without_sums(first.to_pylist())
    # The result of the writer is in its canonical form.
    assert written_as_table(format, written) == written


@bounded(15, thorough=160)
@given(made=st.one_of(tables(), units()), random=randoms)
def test_what_check_calls_writable_is_written(folder: Path, made: Made, random: Random) -> None:
    format = format_of(made, folder)
    notes = [each["message"] for each in check(path_of(made, folder)).notes]
    if any("cannot be written" in each for each in notes):
        return
    names = [each.name for each in format.columns]
    table = wireloom.read(format, made.write(random, {}), columns=names, check_format=False)
    target = io.BytesIO()
    try:
        wireloom.write(format, table, target)
    except WireloomError as error:
        # A table does not contain units without rows, such as one that ends a list.
        if table.num_rows and "does not end" not in str(error):
            raise
    else:
        assert wireloom.read(format, target.getvalue(), columns=names, check_format=False).num_rows == table.num_rows


def without_sums(rows: Any) -> str:
    """Return rows as text without the checksums inside structs: those of values in another form differ."""
    if isinstance(rows, dict):
        return str({name: without_sums(each) for name, each in rows.items() if name != "sum"})
    return str([without_sums(each) for each in rows]) if isinstance(rows, list) else repr(rows)


def is_clean(found: Any) -> bool:
    if not isinstance(found[1], list):
        return False
    [report] = found[1]
    return bool(report["tail"] == "clean" and not report["damaged"])


def written_as_table(format: Format, data: bytes) -> bytes | None:
    """Return the rows, read as a table with all columns and written; ``None`` if that is refused."""
    target = io.BytesIO()
    try:
        table = wireloom.read(format, data, columns=[each.name for each in format.columns], check_format=False)
        wireloom.write(format, table, target)
    except WireloomError:
        return None
    return target.getvalue()


def test_what_is_made_up_is_worth_it(folder: Path) -> None:
    """Most specs are supported by the engine, and most inputs have valid rows."""
    formats, rows, clean = 0, 0, 0
    for seed in range(30):
        made = table_spec(Random(seed))
        format = format_of(made, folder)
        formats += format.engine_refusal is None
        found = outcome(format, made.write(Random(seed), {}))
        rows += len(next(iter(found[0].values())))
        clean += is_clean(found)
    assert formats > 15 or not engine.available
    assert rows > 30
    assert clean > 15
