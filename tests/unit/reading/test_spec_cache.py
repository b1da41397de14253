"""Compiled specs in the user's cache folder: formats from it are those of the compiler, and entries may be anything."""

from __future__ import annotations

import json
import os
import pickle
import shutil
import sys
from collections.abc import Iterator
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import wireloom
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from wireloom import Format, SpecError, WireloomError, engine
from wireloom.format import registry, spec_cache
from wireloom.format.message_program import MessageProgram
from wireloom.format.plain_data import form_of
from wireloom.format.program import ColumnProgram

from tests.examples import examples

ROOT = Path(__file__).parents[3]
READINGS = """
meta:
  id: readings
  endian: le
  -wireloom:
    tables:
      readings: {rows: readings, columns: [sensor, value, unit], selectable: [twice]}
      notes: {rows: readings.notes}
seq:
  - {id: readings, type: reading, repeat: eos}
types:
  reading:
    seq:
      - {id: sensor, type: u2}
      - {id: value, type: f4}
      - {id: unit, type: u1, enum: units, -wireloom: {labels: true}}
      - {id: num_notes, type: u1}
      - {id: notes, type: note, repeat: expr, repeat-expr: num_notes}
    instances:
      twice: {value: sensor * 2}
  note:
    seq: [{id: len, type: u1}, {id: text, size: len, type: str, encoding: UTF-8}]
enums:
  units: {0: celsius, 1: kelvin}
"""
DATA = bytes.fromhex("0100 0000803f 01 00  0200 0000003f 00 01 02 6162")


needs_engine = pytest.mark.skipif(not engine.available, reason="the object parser compiles the spec for its classes")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("WIRELOOM_CACHE", str(tmp_path / "cache"))
    # As in a process that has read no entry.
    monkeypatch.setattr(spec_cache, "_read", {})
    return tmp_path / "cache"


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    return written(tmp_path / "readings.ksy", READINGS)


def written(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


class Compiled:
    """Counts how often specs are compiled."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.times = 0
        compile = registry._compiled

        def counted(*arguments: Any) -> Any:
            self.times += 1
            return compile(*arguments)

        monkeypatch.setattr(registry, "_compiled", counted)


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> Compiled:
    return Compiled(monkeypatch)


def rows(format: Format, data: bytes = DATA) -> list[Any]:
    return wireloom.read(format, data).to_pylist()


def copied(tmp_path: Path, name: str) -> Path:
    for path in (ROOT / "specs").glob("*.ksy"):
        shutil.copy(path, tmp_path)
    return tmp_path / f"{name}.ksy"


@pytest.mark.parametrize("name", ["kafka_log", "otlp_logs", "word_stuffed_log", "etcd_wal", "kpl_aggregated_record"])
def test_a_format_from_the_cache_is_the_compiled_one(
    tmp_path: Path, folder: Path, compiled: Compiled, name: str
) -> None:
    path = copied(tmp_path, name)
    first = wireloom.load_spec(path)
    tables = first.tables or ("",)
    expected = [first.of_table(each) if each else first for each in tables]
    lowered = [each._lowered for each in expected]
    compiled.times = 0
    found = wireloom.load_spec(path)
    for each, one, (schema, program) in zip(tables, expected, lowered, strict=True):
        table = found.of_table(each) if each else found
        assert table == one
        assert [column.engine_refusal for column in table.columns] == [column.engine_refusal for column in one.columns]
        assert table.schema.equals(schema, check_metadata=True)
        assert table._lowered[1] == program
    assert not compiled.times
    assert found.root_class is first.root_class
    assert compiled.times == 1


def test_descriptions_and_programs_are_the_same_after_they_were_data() -> None:
    program = form_of(ColumnProgram | MessageProgram | None)
    for each in map(registry.get, wireloom.formats()):
        assert form_of(Format).read(json.loads(json.dumps(form_of(Format).write(each)))) == each
        lowered = each._lowered[1]
        assert program.read(json.loads(json.dumps(program.write(lowered)))) == lowered


@needs_engine
def test_a_spec_is_compiled_once(spec: Path, folder: Path, compiled: Compiled) -> None:
    expected = rows(wireloom.load_spec(spec))
    assert expected == [
        {"sensor": 1, "value": 1.0, "unit": "kelvin"},
        {"sensor": 2, "value": 0.5, "unit": "celsius"},
    ]
    assert rows(wireloom.load_spec(spec)) == expected
    assert wireloom.read(wireloom.load_spec(spec), DATA, columns=["twice"])["twice"].to_pylist() == [2, 4]
    assert compiled.times == 1
    assert folder.stat().st_mode & 0o777 == 0o700
    assert {each.stat().st_mode & 0o777 for each in folder.iterdir()} == {0o600}


@needs_engine
def test_each_table_is_kept_when_it_is_read(spec: Path, folder: Path, compiled: Compiled) -> None:
    for expected in (1, 2, 2):
        # The first table alone is known before the second reading.
        found = wireloom.load_spec(spec)
        rows(found)
        if expected == 2:
            assert rows(found.of_table("notes")) == [{"len": 2, "text": "ab"}]
            assert rows(found.of_table("notes").of_table("readings")) == rows(found)
        assert compiled.times == expected
    with pytest.raises(WireloomError, match="unknown table 'nots' of readings: did you mean 'notes'"):
        wireloom.load_spec(spec).of_table("nots")


def test_what_needs_classes_compiles_the_spec(spec: Path, folder: Path, tmp_path: Path, compiled: Compiled) -> None:
    table = wireloom.read(wireloom.load_spec(spec), DATA)
    found = wireloom.load_spec(spec)
    spec.unlink()
    assert compiled.times == 1
    assert found.root_class.from_bytes(DATA).readings[1].notes[0].text == "ab"
    assert compiled.times == 2
    assert rows(pickle.loads(pickle.dumps(found))) == table.to_pylist()
    assert wireloom.schema(found) == table.schema


def test_a_damaged_file_has_the_same_report(spec: Path, folder: Path, compiled: Compiled) -> None:
    reports = [wireloom.read_with_report(wireloom.load_spec(spec), DATA[:-1])[1] for _ in range(2)]
    assert reports[0] == reports[1]
    assert reports[0].files[0].tail == "truncated"


def test_a_changed_spec_is_compiled_anew(spec: Path, folder: Path) -> None:
    rows(wireloom.load_spec(spec))
    written(spec, READINGS.replace("1: kelvin", "1: kelvins"))
    assert rows(wireloom.load_spec(spec))[0]["unit"] == "kelvins"
    written(spec, READINGS)
    assert rows(wireloom.load_spec(spec))[0]["unit"] == "kelvin"


IMPORTING = """
meta: {id: importing, endian: le, imports: /types/row, -wireloom: {rows: rows}}
seq: [{id: rows, type: row, repeat: eos}]
"""


@needs_engine
def test_a_changed_import_is_compiled_anew(tmp_path: Path, folder: Path, compiled: Compiled) -> None:
    spec = written(tmp_path / "importing.ksy", IMPORTING)
    for name in "ab":
        (tmp_path / name / "types").mkdir(parents=True)
    row = "meta: {id: row, endian: le}\nseq: [{id: a, type: u1}, {id: b, type: u1}]"
    changed = row.replace("u1", "s1")

    def load() -> list[Any]:
        found = wireloom.load_spec(spec, import_paths=[tmp_path / "a", tmp_path / "b"])
        return wireloom.read(found, b"\xff\xff").to_pylist()

    later = written(tmp_path / "b" / "types" / "row.ksy", row)
    assert load() == load() == [{"a": 255, "b": 255}]
    assert compiled.times == 1
    written(later, changed)
    assert load() == load() == [{"a": -1, "b": -1}]
    assert compiled.times == 2
    # It is found before the other one.
    earlier = written(tmp_path / "a" / "types" / "row.ksy", row)
    assert load() == load() == [{"a": 255, "b": 255}]
    assert compiled.times == 3
    earlier.unlink()
    later.unlink()
    with pytest.raises(SpecError, match="cannot find the import"):
        load()


def test_another_version_of_the_generator_compiles_anew(
    spec: Path, folder: Path, compiled: Compiled, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows(wireloom.load_spec(spec))
    monkeypatch.setattr(spec_cache, "_generator", lambda: ["another"])
    rows(wireloom.load_spec(spec))
    assert compiled.times == 2


def test_a_spec_with_errors_has_the_same_ones(spec: Path, folder: Path) -> None:
    rows(wireloom.load_spec(spec))
    written(spec, READINGS.replace("type: f4", "type: f5"))
    messages = []
    for _ in range(2):
        with pytest.raises(SpecError) as caught:
            wireloom.load_spec(spec)
        messages.append(str(caught.value))
    assert messages[0] == messages[1]
    assert len(list(folder.iterdir())) == 1


@pytest.fixture
def routine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    written(tmp_path / "cached_routine.py", "class Plain:\n    def decode(self, data):\n        return data\n")
    monkeypatch.syspath_prepend(tmp_path)
    yield "cached_routine.plain"
    sys.modules.pop("cached_routine", None)


def test_a_spec_that_names_a_routine_is_not_kept(tmp_path: Path, folder: Path, routine: str) -> None:
    text = f"""
meta: {{id: processed, endian: le, -wireloom: {{rows: rows}}}}
seq: [{{id: rows, type: row, repeat: eos}}]
types:
  row: {{seq: [{{id: a, size: 2, process: {routine}}}]}}
"""
    spec = written(tmp_path / "processed.ksy", text)
    found = wireloom.load_spec(spec, allow_modules=["cached_routine"])
    assert wireloom.read(found, b"ab").to_pylist() == [{"a": b"ab"}]
    assert not folder.exists()
    with pytest.raises(SpecError, match="neither registered nor allowed"):
        wireloom.load_spec(spec)


# The folder -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["WIRELOOM_CACHE", "XDG_CACHE_HOME", "HOME"])
def test_the_environment_says_where_the_cache_is(
    spec: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    for each in ("WIRELOOM_CACHE", "XDG_CACHE_HOME", "HOME"):
        monkeypatch.delenv(each, raising=False)
    rows(wireloom.load_spec(spec))
    monkeypatch.setenv(name, str(tmp_path / "there"))
    rows(wireloom.load_spec(spec))
    inner = {"WIRELOOM_CACHE": "", "XDG_CACHE_HOME": "wireloom", "HOME": ".cache/wireloom"}[name]
    assert len(list((tmp_path / "there" / inner).iterdir())) == 1


@pytest.mark.parametrize("settings", [{"WIRELOOM_CACHE": "off"}, {"WIRELOOM_CACHE": "", "XDG_CACHE_HOME": "relative"}])
def test_there_may_be_no_cache(
    spec: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, compiled: Compiled, settings: dict[str, str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("HOME", raising=False)
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    for _ in range(2):
        rows(wireloom.load_spec(spec))
    assert compiled.times == 2
    assert [each.name for each in tmp_path.iterdir()] == ["readings.ksy"]


def test_a_folder_that_cannot_be_written_is_no_cache(spec: Path, folder: Path, compiled: Compiled) -> None:
    written(folder, "a file")
    for _ in range(2):
        assert len(rows(wireloom.load_spec(spec))) == 2
    assert compiled.times == 2


@pytest.mark.parametrize("what", ["folder", "entry", "link", "link to folder"])
def test_what_others_may_write_is_not_read(
    spec: Path, folder: Path, tmp_path: Path, compiled: Compiled, what: str
) -> None:
    rows(wireloom.load_spec(spec))
    [entry] = folder.iterdir()
    if what == "folder":
        folder.chmod(0o770)
    elif what == "entry":
        entry.chmod(0o622)
    elif what == "link":
        entry.rename(tmp_path / "elsewhere")
        entry.symlink_to(tmp_path / "elsewhere")
    else:
        folder.rename(tmp_path / "elsewhere")
        folder.symlink_to(tmp_path / "elsewhere")
    rows(wireloom.load_spec(spec))
    assert compiled.times == 2


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files to others")
def test_the_folder_of_another_user_is_not_used(spec: Path, folder: Path, compiled: Compiled) -> None:
    rows(wireloom.load_spec(spec))
    os.chown(folder, 12345, 12345)
    rows(wireloom.load_spec(spec))
    assert compiled.times == 2


def test_other_files_are_left_alone(spec: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spec_cache, "MOST_ENTRIES", 1)
    folder.mkdir(0o700)
    for name in ("mine", "a" * 63):
        written(folder / name, "")
    rows(wireloom.load_spec(spec))
    rows(wireloom.load_spec(written(spec, READINGS + "#")))
    assert len(list(folder.iterdir())) == 3


def test_a_spec_has_one_program_however_often_it_is_loaded(spec: Path, folder: Path) -> None:
    rows(wireloom.load_spec(spec))
    assert wireloom.load_spec(spec).program is wireloom.load_spec(spec).program


@needs_engine
def test_the_oldest_entries_are_removed(
    spec: Path, folder: Path, compiled: Compiled, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spec_cache, "MOST_ENTRIES", 3)
    for number in range(5):
        rows(wireloom.load_spec(written(spec, f"{READINGS}# {number}")))
        for place in folder.iterdir():
            os.utime(place, ns=(0, place.stat().st_mtime_ns - 10**9))
        rows(wireloom.load_spec(written(spec, f"{READINGS}# 0")))
    assert len(list(folder.iterdir())) == 3
    assert compiled.times == 5


# Hostile entries ------------------------------------------------------------------------------------------------------

QUIET = settings(max_examples=examples(200), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def entry_of(spec: Path, folder: Path, data: bytes = DATA) -> tuple[Path, bytes]:
    """Return the place of the entry of a spec and its content, as it was first."""
    kept = folder.with_name("kept")
    if not kept.exists():
        wireloom.read(wireloom.load_spec(spec), data)
        shutil.copytree(folder, kept)
    [place] = kept.iterdir()
    return folder / place.name, place.read_bytes()


def signed(parts: Any) -> bytes:
    data = json.dumps(parts).encode()
    return sha256(data).hexdigest().encode() + data


@QUIET
@given(st.data())
def test_a_changed_entry_is_not_used(spec: Path, folder: Path, data: st.DataObject) -> None:
    place, content = entry_of(spec, folder)
    number = data.draw(st.integers(0, len(content) - 1))
    how = data.draw(st.sampled_from(["flip", "cut", "replace"]))
    if how == "flip":
        changed = bytearray(content)
        changed[number] ^= data.draw(st.integers(1, 255))
        place.write_bytes(changed)
    else:
        place.write_bytes(content[:number] if how == "cut" else data.draw(st.binary(max_size=200)))
    assert len(rows(wireloom.load_spec(spec))) == 2
    assert place.read_bytes() == content


def test_the_entry_of_another_spec_is_not_used(spec: Path, folder: Path) -> None:
    place, content = entry_of(spec, folder)
    written(spec, READINGS.replace("1: kelvin", "1: kelvins"))
    rows(wireloom.load_spec(spec))
    [other] = set(folder.iterdir()) - {place}
    other.write_bytes(content)
    assert rows(wireloom.load_spec(spec))[0]["unit"] == "kelvins"


@needs_engine
def test_an_entry_that_describes_another_format_makes_no_class(spec: Path, folder: Path) -> None:
    place, content = entry_of(spec, folder)
    place.write_bytes(content[:64] + content[64:].replace(b'"Readings"', b'"os:system"'))
    place.write_bytes(signed(json.loads(place.read_bytes()[64:])))
    found = wireloom.load_spec(spec)
    assert found.root == "os:system"
    assert len(rows(found)) == 2
    with pytest.raises(WireloomError, match=r"described another format.*: load the spec again"):
        _ = found.root_class
    assert wireloom.load_spec(spec).root == "Readings"


@pytest.mark.parametrize(
    "names", [["sensor"], ["sensor", "value", "units", "twice"], ["sensor", "value", "\xff", "twice"]]
)
def test_a_schema_with_other_columns_is_not_used(spec: Path, folder: Path, names: list[str]) -> None:
    place, content = entry_of(spec, folder)
    parts = json.loads(content[64:])
    assert wireloom.load_spec(spec).schema.names == ["sensor", "value", "unit", "twice"]
    text = pa.schema([pa.field(each, pa.int8()) for each in names]).serialize().to_pybytes().decode("latin-1")
    # A name that is not UTF-8.
    parts[3] = text.replace("\xc3\xbf", "\xff\0")
    place.write_bytes(signed(parts))
    assert rows(wireloom.load_spec(spec))[1] == {"sensor": 2, "value": 0.5, "unit": "celsius"}


def places_in(data: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    for number, each in enumerate(data if isinstance(data, list) else ()):
        yield (*path, number)
        yield from places_in(each, (*path, number))


ODD = st.one_of(
    st.sampled_from(["os:system", "..parser:Readings", "__class__", "a" * 300, "", "\0", "no.module:Class", "{a}{b}"]),
    st.sampled_from([0, 1, -1, 255, 2**16, 2**31, 2**32 - 1, 2**63, 2**64, -(2**63), 2**200, 0.5, None, True, [], {}]),
    st.integers(0, 40),
    st.lists(st.one_of(st.integers(0, 40), st.text(max_size=3), st.none()), max_size=4),
)


@pytest.mark.parametrize("name", ["readings", "otlp_logs"])
@QUIET
@given(data=st.data())
def test_no_entry_runs_code_or_ends_the_process(
    spec: Path, folder: Path, tmp_path: Path, name: str, data: st.DataObject
) -> None:
    content = DATA if name == "readings" else bytes.fromhex("0a0a0a080a060a0161120161")
    path = spec if name == "readings" else copied(tmp_path, name)
    place, entry = entry_of(path, folder, content)
    # Imports what compiles classes.
    place.write_bytes(entry)
    assert wireloom.load_spec(path).root_class
    parts = json.loads(entry[64:])
    for _ in range(data.draw(st.integers(1, 3))):
        # Not the key, nor the imports.
        where = data.draw(st.sampled_from([each for each in places_in(parts) if each[0] > 1]))
        inner = parts
        for number in where[:-1]:
            inner = inner[number]
        how = data.draw(st.sampled_from(["replace", "remove", "repeat"]))
        if how == "replace":
            inner[where[-1]] = data.draw(ODD)
        elif how == "remove":
            del inner[where[-1]]
        else:
            inner.insert(where[-1], inner[where[-1]])
    place.write_bytes(signed(parts))
    loaded = set(sys.modules)
    with suppress(Exception):
        wireloom.read_with_report(wireloom.load_spec(path), content)
    with suppress(WireloomError):
        # Classes are never those of an entry.
        assert wireloom.load_spec(path).root_class.__module__.startswith("wireloom._in_memory_")
    assert {each.partition(".")[0] for each in set(sys.modules) - loaded} <= {"wireloom", "pyarrow", "numpy", "yaml"}
