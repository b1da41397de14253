"""The options of readers: each is defined once, from which functions, the command line and Spark's options are
derived."""

from __future__ import annotations

import inspect
import struct
import types
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any

import click
import pytest
import wireloom
from click.testing import CliRunner
from wireloom.base.dataclass import dataclass
from wireloom.base.options import FLAG, NUMBER, camel_case, check_options, documented, option, options_of
from wireloom.command import main, reader_options
from wireloom.reading.binary_search import OPTIONS as SEARCH_OPTIONS
from wireloom.reading.options import LIMITS, ScanOptions
from wireloom.rows import select

OPTIONS = options_of(ScanOptions)
BATCH = struct.pack("<QI", 7, 3) + b"\1\1k\1v" * 3
"""A record of LevelDB with three changes."""
FUNCTIONS = [wireloom.read, wireloom.read_with_report, wireloom.scan]


def test_every_field_is_an_option() -> None:
    assert set(OPTIONS) == {each.name for each in fields(ScanOptions)}


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_functions_have_the_signature_and_the_documentation_of_the_options(function: Callable[..., Any]) -> None:
    parameters = inspect.signature(function).parameters
    for each in fields(ScanOptions):
        assert parameters[each.name].default == each.default
        assert f"- ``{each.name}``: {OPTIONS[each.name].text}" in (function.__doc__ or "")


@pytest.mark.parametrize("function", [wireloom.search, wireloom.first_row], ids=lambda function: function.__name__)
def test_searches_have_some_of_them(function: Callable[..., Any]) -> None:
    parameters = inspect.signature(function).parameters
    assert [name for name in parameters if name in OPTIONS] == list(SEARCH_OPTIONS)
    assert all(f"- ``{name}``: {OPTIONS[name].text}" in (function.__doc__ or "") for name in SEARCH_OPTIONS)


def test_commands_have_them() -> None:
    """Each is an option of ``decode``, or a limit that ``--option`` accepts."""
    command = main.get_command(click.Context(main), "decode")
    assert command is not None
    own = {each.name for each in command.params}
    without = {name for name, each in OPTIONS.items() if name not in own and name not in LIMITS and not each.python}
    # Commands refuse what is not of the format after everything else has been written.
    assert without == {"check_format"}


def test_spark_has_them() -> None:
    options = pytest.importorskip("wireloom.spark.options", reason="Spark is not there")
    assert {camel_case(name) for name, each in OPTIONS.items() if not each.python} <= set(options.READ_OPTIONS)


@dataclass(frozen=True, kw_only=True)
class Wider(ScanOptions):
    """The options and two more."""

    largest: int = option(7, "Largest thing. There are larger ones.", NUMBER, most=100)
    careful: bool = option(True, "Take care.", FLAG, off="Take no care.")

    def __post_init__(self) -> None:
        check_options(self)


def test_a_new_option_is_checked_and_documented() -> None:
    def function(source: Any, **options: Any) -> None:
        """Does something.

        {options}
        """

    # The same without indentation, as Python 3.13 compiles it.
    flat = types.FunctionType(function.__code__, {})
    flat.__doc__ = inspect.getdoc(function)
    documented(function, Wider)
    documented(flat, Wider)
    assert flat.__doc__ == function.__doc__
    assert inspect.signature(function).parameters["largest"].default == 7
    assert "- ``largest``: Largest thing. There are larger ones." in (function.__doc__ or "")
    assert Wider(largest=1000).largest == 100
    with pytest.raises(wireloom.WireloomError, match=r"^largest must be a number of at least 1, not 'a'"):
        Wider(largest="a")  # type: ignore[arg-type]  # what is tested


def test_options_of_a_command_arrive_together() -> None:
    found: list[dict[str, Any]] = []

    @click.command()
    @reader_options("columns", "mode", "recover", "verify")
    def command(options: dict[str, Any]) -> None:
        found.append(options)

    given = ["--columns", "a,b", "--mode", "FAILFAST", "--no-verify", "--region", "eu-1", "--option", "max_record=5"]
    for arguments in ([], given):
        assert CliRunner().invoke(command, arguments).exit_code == 0
    assert found == [
        {},
        {"columns": ["a", "b"], "mode": "failfast", "verify": False, "region": "eu-1", "max_record": 5},
    ]


@pytest.mark.parametrize("name", ["edgemq_segment", "cobs_log", "kpl_aggregated_record", "leveldb_log"])
def test_row_readers_and_decoders_are_made_once_for_all_files(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows: dict[str, list[dict[str, Any]]] = {
        "edgemq_segment": [{"fmt": 0, "tenant": 1, "ts_millis": 1, "payload": b"a"}] * 3,
        "cobs_log": [{"payload": b"a"}] * 3,
        "kpl_aggregated_record": [{"partition_key": "a", "data": b"a"}] * 3,
        "leveldb_log": [{"data": BATCH}],
    }
    # Rows inside of records have a reader of their own.
    options = {"table": "changes"} if name == "leveldb_log" else {}
    made: list[str] = []

    def counted(module: Any, place: str) -> None:
        make = getattr(module, place)

        def noting(*arguments: Any, **named: Any) -> Any:
            made.append(name)
            return make(*arguments, **named)

        monkeypatch.setattr(module, place, noting)

    counted(select, "make")
    counted(select, "decoder_of")
    numbers = []
    for files in (2, 20):
        folder = tmp_path / str(files)
        folder.mkdir()
        for number in range(files):
            wireloom.write(name, rows[name], folder / f"{number}.bin")
        made.clear()
        # With prefetch, small files are not read together.
        assert wireloom.read(name, folder, prefetch=True, **options).num_rows == 3 * files
        numbers.append(len(made))
    assert numbers[0] == numbers[1] > 0
