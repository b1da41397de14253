"""Invalid arguments of public functions: reported in one sentence, before anything is opened."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import wireloom
from wireloom import UnknownNameError, WireloomError
from wireloom.append import AppendWriter, publish
from wireloom.base.options import FLAG, defaults_of, options_of
from wireloom.base.options import NUMBER as NUMBER_KIND
from wireloom.reading.options import ScanOptions

KPL = "kpl_aggregated_record"
NOTHING = "no/such/file.log"
"""A path at which there is nothing: an invalid option is reported before that."""


class Odd:
    """A value of a type that nothing accepts."""


NO_TEXT: list[Any] = [True, 0, 1, 1.5, b"failfast", ["a"], {"a": 1}, Odd(), 2**70]
NO_BOOLEAN: list[Any] = ["no", 0, 1, None, [True]]
NO_NUMBER: list[Any] = [0, -1, 1.5, True, "1", [1], float("inf")]
NO_NAMES: list[Any] = [1, True, 1.5, "payload", b"payload", {"payload": 1}, [1], [None], Odd()]
NO_MODULES: list[Any] = [5, Odd(), True, "os", None, [1], ["no name"]]

TEXT, BOOLEAN, NUMBER = " must be a string, ", " must be True or False, not ", " must be a number of at least 1, not "
NAMES = " must be a list of names, "

READING: dict[str, tuple[list[Any], str]] = {
    "columns": (NO_NAMES, "^columns" + NAMES),
    "mode": ([None, b"failfast", [], Odd(), "nosuch"], "^unknown mode .*permissive"),
    "verify": (NO_BOOLEAN, "^verify" + BOOLEAN),
    "allow_modules": (NO_MODULES, "^allow_modules"),
}
BLOBS = READING | {
    "batch_rows": ([*NO_NUMBER, None], "^batch_rows" + NUMBER),
    "max_record": (NO_NUMBER, "^max_record" + NUMBER),
    "nosuch": ([1], "^unknown option of kpl_aggregated_record 'nosuch'"),
    "recover": ([True], "^unknown option of kpl_aggregated_record 'recover'"),
    "in_table": ([True], "^unknown option of kpl_aggregated_record 'in_table'"),
    "caster": ([None], "^unknown option of kpl_aggregated_record 'caster'"),
}
LOCATION: dict[str, tuple[list[Any], str]] = {
    "region": (NO_TEXT, "^region" + TEXT),
    "endpoint": (NO_TEXT, "^endpoint" + TEXT),
    "profile": (NO_TEXT, "^profile" + TEXT),
    "anonymous": (NO_BOOLEAN, "^anonymous" + BOOLEAN),
    "filesystem": ([1, True, "s3", [1], Odd()], "^filesystem must be a file system of pyarrow.fs or fsspec, "),
}
OPTIONS, DEFAULTS = options_of(ScanOptions), defaults_of(ScanOptions)
LIMITS = [name for name, each in OPTIONS.items() if each.kind == NUMBER_KIND]
SWITCHES = [name for name, each in OPTIONS.items() if each.kind == FLAG and DEFAULTS[name] is not None]
SCANNING = (
    READING
    | LOCATION
    | {name: (NO_BOOLEAN, f"^{name}{BOOLEAN}") for name in SWITCHES}
    | {name: ([*NO_NUMBER, *([] if DEFAULTS[name] is None else [None])], f"^{name}{NUMBER}") for name in LIMITS}
    | {
        "decode": (NO_TEXT, "^decode" + TEXT),
        "schemas": (NO_TEXT, "^schemas" + TEXT),
        "filter": ([1, "x > 1", True, Odd()], "^filter must be an expression such as"),
        "limit": ([-1, True, 1.5, "1", Odd()], "^limit must be a number of rows"),
        "prefetch": (["no", 1], "^prefetch" + BOOLEAN),
        "codec": ([None, 0, b"zstd", ["zstd"], "ztsd"], "^unknown codec "),
        "tail": ([None, 1, ["growing"], "growin"], "^unknown value of tail "),
        "byte_range": ([1, "ab", b"ab", {1, 2}, (1,), (5, 1), (0.5, 1)], "^byte_range must be "),
        "progress": ([1, True, "a", [print]], "^progress must be a function "),
        "nosuch": ([1], "^unknown option of cobs_log 'nosuch'"),
    }
)
assert not OPTIONS.keys() - SCANNING.keys(), "each option of readers has values of a wrong kind here"
SEARCHING = {name: wrong for name, wrong in SCANNING.items() if name in (*LOCATION, "columns", "verify", "max_record")}
SEARCHING["allow_modules"] = READING["allow_modules"]
FORMAT: dict[str, tuple[list[Any], str]] = {
    "format": ([[], None, 1, b"cobs_log", Odd(), {}], "^format must be a name, the path of a spec or a Format, not "),
}
ROWS: dict[str, tuple[list[Any], str]] = {
    "rows": (
        [None, 1, "a", b"a", pa.array([1]), pa.chunked_array([[1]]), [None], {"payload": 1}, {1: [1]}, {}],
        "^rows cannot be read from |^an item of the rows is |^column payload is one value|^a column name must be a "
        "string, not "
        "|^the rows are a mapping without columns: ",
    ),
}
WRITING: dict[str, tuple[list[Any], str]] = {
    "codec": ([0, True, b"zstd", ["zstd"], "ztsd"], "^unknown codec "),
    "level": ([True, "5", 1.5, [5]], "^level must be an integer, not "),
    "lossy": (NO_BOOLEAN, "^lossy" + BOOLEAN),
    "max_record": ([0, -1, 1.5, True, None, "many", [1]], "^max_record must be a number of bytes of at least 1, not "),
    "filesystem": LOCATION["filesystem"],
    "allow_modules": READING["allow_modules"],
    "nosuch": ([1], "^unknown option of cobs_log 'nosuch'"),
}
FOREIGN = [name for name in SCANNING if name not in SEARCHING]
"""Options of a scan that a search does not have."""


def unknown_of(function: str) -> dict[str, tuple[list[Any], str]]:
    return {name: ([1], f"^unknown option of {function} '{name}': ") for name in FOREIGN}


def table() -> pa.Table:
    return pa.table({"id": [1], "data": wireloom.to_wire([{"partition_key": "a", "data": b"x"}], KPL)})


SOURCE = {"format": "cobs_log", "source": NOTHING}
CASES: dict[str, tuple[Callable[..., Any], dict[str, Any], dict[str, tuple[list[Any], str]]]] = {
    "read": (wireloom.read, SOURCE, FORMAT | SCANNING),
    "read_with_report": (wireloom.read_with_report, SOURCE, FORMAT | SCANNING),
    "scan": (wireloom.scan, SOURCE, FORMAT | SCANNING),
    "dataset": (wireloom.dataset, SOURCE, FORMAT | SCANNING),
    "schema": (
        wireloom.schema,
        {"format": "cobs_log"},
        FORMAT | {name: SCANNING[name] for name in ("columns", "allow_modules", "nosuch")},
    ),
    "first_row": (
        wireloom.first_row,
        SOURCE,
        FORMAT
        | SEARCHING
        | unknown_of("first_row")
        | {"at": ([None, -1, 1.5, True, "1"], "^at must be a byte offset in the log, not ")},
    ),
    "search": (
        wireloom.search,
        SOURCE | {"value": b"a", "key": "payload"},
        FORMAT
        | SEARCHING
        | unknown_of("search")
        | {
            "value": ([1, "a", None, [b"a"]], r"^value is .*, which cannot be compared with a key such as b''"),
            "key": (
                [None, 1, b"payload", ["payload"]],
                "^key must be the name of a column or a function of a row, not ",
            ),
            "disorder": ([None, -1, 1.5, True], "^disorder must be a number of rows of at least 0, not "),
        },
    ),
    "from_wire": (
        wireloom.from_wire,
        {"array": [b""], "format": KPL},
        FORMAT | BLOBS | {"array": ([None, 1, [1], ["a"], b"a", [[1]]], "^blobs must be ")},
    ),
    "from_wire_with_report": (
        wireloom.from_wire_with_report,
        {"array": [b""], "format": KPL},
        FORMAT | BLOBS | {"array": ([None, 1, [1], ["a"], b"a", [[1]]], "^blobs must be ")},
    ),
    "explode": (
        wireloom.explode,
        {"table": table(), "column": "data", "format": KPL},
        FORMAT
        | BLOBS
        | {
            "table": ([None, 1, "a", [1]], "^expected a table with a column of blobs, "),
            "column": ([None, 1, b"data", ["data"]], "^column must be the name of the column of blobs, not "),
            "keep": ([True, 1, "id", b"id", [1], {"id": 1}], "^keep" + NAMES),
            "partition_key": (
                [True, 1, ["id"], b"id"],
                "^partition_key must be the name of a column of the table, not ",
            ),
            "hash_range": ([True, 1, [1]], "^hash_range is "),
        },
    ),
    "to_wire": (
        wireloom.to_wire,
        {"rows": [], "format": KPL},
        FORMAT
        | ROWS
        | {name: WRITING[name] for name in ("max_record", "allow_modules")}
        | {"nosuch": ([1], f"^unknown option of {KPL} 'nosuch'")},
    ),
    "write": (
        wireloom.write,
        {"format": "cobs_log", "rows": [], "target": "written.log"},
        FORMAT | ROWS | WRITING | LOCATION | {"target": ([None, 1, True, [1]], "^cannot write to ")},
    ),
    "write messages": (
        wireloom.write,
        {"format": KPL, "rows": [], "target": "written.log"},
        {name: wrong for name, wrong in (ROWS | WRITING).items() if name != "nosuch"},
    ),
    "identify": (
        wireloom.identify,
        {"source": NOTHING},
        LOCATION | {"nosuch": ([1], "^unknown argument of identify 'nosuch'")},
    ),
    "load_spec": (
        wireloom.load_spec,
        {"path": "no.ksy"},
        {"path": ([None, 1, True, ["a"], Odd()], "^path must be the path of a spec file, not ")}
        | {"allow_modules": READING["allow_modules"]}
        | {"import_paths": ([None, 1, "shared", [1], Odd()], "^import_paths must be a list of folders, not ")},
    ),
    "AppendWriter": (
        AppendWriter,
        {"target": "written.log", "format": "cobs_log"},
        FORMAT | {"allow_modules": READING["allow_modules"]},
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_values_that_an_option_does_not_take(
    case: str, subtests: pytest.Subtests, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    function, usual, options = CASES[case]
    for name, (values, message) in options.items():
        for value in values:
            with subtests.test(name, value=value):
                with pytest.raises(WireloomError, match=message) as caught:
                    function(**usual | {name: value})
                assert isinstance(caught.value, UnknownNameError) == caught.value.message.startswith("unknown ")
                assert "\n" not in caught.value.message
                assert list(tmp_path.iterdir()) == []


def test_all_parameters_are_in_the_table() -> None:
    functions = {name for name in wireloom.__all__ if inspect.isfunction(getattr(wireloom, name))}
    assert functions <= CASES.keys()
    for function, _, options in CASES.values():
        names = {each.name for each in inspect.signature(function).parameters.values() if each.kind != each.VAR_KEYWORD}
        # Inputs, and the other arguments of an appender, have tables of their own: test_sources, append/test_arguments.
        if function is wireloom.write and "nosuch" not in options:
            continue
        if function is not AppendWriter:
            assert names <= options.keys() | {"source"}


@pytest.mark.parametrize("value", [2**31, 2**63, 2**70])
def test_limits_beyond_every_input(value: int, tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    for name in ("cobs_log", "edgemq_segment"):
        rows = [{"payload": b"a"}]
        if name == "edgemq_segment":
            rows = [{"payload": b"a", "fmt": 0, "tenant": 1, "ts_millis": 1}]  # type: ignore[dict-item]
        assert wireloom.write(name, rows, path, max_record=value).rows == 1
        found = wireloom.read(name, path, **dict.fromkeys(LIMITS, value), recover=True, columns=["payload"])
        assert found["payload"].to_pylist() == [b"a"]
    blobs = wireloom.to_wire([{"partition_key": "a", "data": b"x"}], KPL, max_record=value)
    assert wireloom.from_wire(blobs, KPL, max_record=value, batch_rows=value).to_pylist()[0][0]["data"] == b"x"
    wireloom.write("cobs_log", [{"payload": b"a"}], path)
    found_row = wireloom.first_row("cobs_log", path, max_record=value)
    assert found_row is not None
    assert found_row.values == {"payload": b"a"}
    with AppendWriter(path, "cobs_log", max_record=value) as log:
        log.append(payload=b"b")
    assert wireloom.read("cobs_log", path)["payload"].to_pylist() == [b"a", b"b"]


def test_a_window_smaller_than_any_is_refused_where_it_is_needed(tmp_path: Path) -> None:
    wireloom.write("cobs_log", [{"payload": b"a"}], tmp_path / "a.log.zst")
    _, report = wireloom.read_with_report("cobs_log", tmp_path / "a.log.zst", max_window=1, check_format=False)
    assert "the limit is 1: raise max_window" in str(report.files[0].error)


def test_the_default_limit_of_blobs_has_a_name() -> None:
    blobs = table()["data"]
    assert wireloom.from_wire(blobs, KPL, max_record=None).equals(wireloom.from_wire(blobs, KPL))
    assert wireloom.explode(table(), "data", KPL, max_record=None).num_rows == 1


def test_a_key_that_is_computed_and_cannot_be_compared(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    wireloom.write("cobs_log", [{"payload": b"a"}], path)
    with pytest.raises(WireloomError, match=r"a\.log at byte 0: value is 'x', which cannot be compared with .* b'a'"):
        wireloom.search("cobs_log", path, "x", key=lambda row: row["payload"])


@pytest.mark.parametrize("rows", [pa.array([1]), pa.chunked_array([[1]]), {}, [None]])
def test_what_is_no_rows_is_not_appended(rows: Any, tmp_path: Path) -> None:
    with AppendWriter(tmp_path / "log", "cobs_log") as log, pytest.raises(WireloomError, match="rows "):
        log.append_rows(rows)
    with pytest.raises(WireloomError, match="rows "), publish(tmp_path / "published", "cobs_log") as log:
        log.append_rows(rows)
    assert [each.name for each in tmp_path.iterdir()] == ["log"]
    assert (tmp_path / "log").read_bytes() == b""


@pytest.mark.parametrize("rows", [[], iter([]), pa.table({"payload": pa.array([], pa.binary())})])
def test_no_rows_are_an_empty_file(rows: Any, tmp_path: Path) -> None:
    assert wireloom.write("cobs_log", rows, tmp_path / "a.log").rows == 0
    assert (tmp_path / "a.log").read_bytes() == b""


def test_columns_of_different_lengths(tmp_path: Path) -> None:
    columns = {"partition_key": ["a", "b"], "data": [b"x"]}
    message = "different numbers of values: partition_key has 2, data has 1"
    with pytest.raises(WireloomError, match=message):
        wireloom.to_wire(columns, KPL)
    with pytest.raises(WireloomError, match=message):
        wireloom.write(KPL, columns, tmp_path / "a.log")
