"""Invalid arguments of an ingest: they are reported before Spark is used."""

from __future__ import annotations

from typing import Any, cast

import pytest
from pyspark.sql import SparkSession
from wireloom import UnknownNameError, WireloomError
from wireloom.spark.ingest import ingest
from wireloom.spark.ingest_stream import ingest_stream

NO_SESSION = cast(SparkSession, None)
WRONG: list[tuple[str, Any, str]] = [
    ("format", [], "^format must be a name"),
    ("inputs", 5, "^inputs must be a list of names, not 5"),
    ("inputs", [5], "^inputs must be a list of names, and 5 is not a name"),
    ("table", None, "^table must be the address of a folder, or the name of a table, not None"),
    ("quarantine", 5, "^quarantine must be a string, "),
    ("metrics", ["m"], "^metrics must be a string, "),
    ("mode", None, "^unknown mode None: there are permissive"),
    ("recover", "no", "^recover must be True or False, "),
    ("partition_by", "day", "^partition_by must be a list of names, not the text 'day'"),
    ("columns", 1, "^columns must be a list of names, not 1"),
    ("options", ["maxRecord"], "^options must be a dictionary of strings, not "),
    ("options", {"maxRecord": 5}, "^options must be a dictionary of strings, and maxRecord is 5"),
    ("options", {"mode": "failfast"}, "^'mode' is not an option of ingest: pass mode as a separate argument"),
    ("options", {"Recover": "true"}, "^'Recover' is not an option of ingest: pass recover as a separate argument"),
    ("partition_by", ["a", "b", "a"], "^partition_by names 'a' twice: name it once"),
    ("existing", 1, "^unknown value of existing 1: there are "),
    ("to", "parket", "^unknown kind of table 'parket': did you mean 'parquet'"),
    ("to", None, "^unknown kind of table None: there are parquet"),
    ("allow_modules", 5, "^allow_modules must be a list of names, not 5"),
]


@pytest.mark.parametrize(("name", "value", "message"), WRONG)
def test_a_value_that_an_option_does_not_take(name: str, value: Any, message: str) -> None:
    usual: dict[str, Any] = {"format": "cobs_log", "inputs": "in", "table": "out"}
    with pytest.raises(WireloomError, match=message):
        ingest(NO_SESSION, **usual | {name: value})
    with pytest.raises(WireloomError, match=message):
        ingest_stream(NO_SESSION, **usual | {"checkpoint": "c", name: value})


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("batch_files", "4", "^batch_files must be a number of at least 1, not '4'"),
        ("batch_files", 0, "^batch_files must be a number of at least 1, not 0"),
        ("progress", 1, "^progress must be a function that takes the run's progress, not 1"),
    ],
)
def test_what_only_runs_of_batches_take(name: str, value: Any, message: str) -> None:
    more: dict[str, Any] = {name: value}
    with pytest.raises(WireloomError, match=message):
        ingest(NO_SESSION, "cobs_log", "in", "out", **more)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("quarantin", "ingest 'quarantin': did you mean 'quarantine'?"),
        ("batch_file", "ingest 'batch_file': did you mean 'batch_files'?"),
        ("xyz", "ingest 'xyz': there are batch_files, progress, quarantine, metrics, mode, "),
    ],
)
def test_an_option_that_ingest_does_not_have(name: str, said: str) -> None:
    more: dict[str, Any] = {name: "x"}
    with pytest.raises(UnknownNameError) as caught:
        ingest(NO_SESSION, "cobs_log", "in", "out", **more)
    assert str(caught.value).startswith(f"unknown option of {said}")


def test_an_option_that_ingest_stream_does_not_have() -> None:
    more: dict[str, Any] = {"evry": "1 minute"}
    with pytest.raises(UnknownNameError, match=r"^unknown option of ingest_stream 'evry': did you mean 'every'"):
        ingest_stream(NO_SESSION, "cobs_log", "in", "out", checkpoint="c", **more)
