"""Invalid arguments of an append writer: options, descriptors, values."""

from __future__ import annotations

import math
import os
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import wireloom
from wireloom import WireloomError
from wireloom.append import AppendWriter, publish

OPTIONS = [
    *[("sync", each) for each in (math.inf, -math.inf, math.nan, 1e300, 0, -1, True, None, b"never", [1], "sometimes")],
    *[("buffer", each) for each in (-1, 1.5, True, None, "5", math.inf)],
    *[("max_record", each) for each in (0, -5, 1.5, True, "many", math.inf, math.nan)],
    *[("begin", each) for each in ("no", 0, None)],
    *[("reopen", each) for each in ("no", 1, None)],
]


@pytest.mark.parametrize(("name", "value"), OPTIONS)
def test_an_option_without_sense(name: str, value: Any, tmp_path: Path) -> None:
    with pytest.raises(WireloomError, match=rf"^{name} must be .*, not "):
        AppendWriter(tmp_path / "log", **{name: value})
    with pytest.raises(WireloomError, match=rf"^{name} must be .*, not "), publish(tmp_path / "log", **{name: value}):
        pass
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    ("target", "message"),
    [
        (-1, "-1 is not the descriptor of an open file"),
        (2**70, f"{2**70} is not the descriptor of an open file"),
        (True, "cannot append to bool: give a path, or a descriptor"),
        (None, "cannot append to NoneType: give a path, or a descriptor"),
        (1.5, "cannot append to float: give a path, or a descriptor"),
        ("a\0b", r"a\0b: cannot be appended to: the path contains a NUL character"),
    ],
)
def test_what_is_no_target(target: Any, message: str) -> None:
    with pytest.raises(WireloomError) as caught:
        AppendWriter(target, "cobs_log")
    assert str(caught.value).startswith(message)


def test_descriptors_that_do_not_append(tmp_path: Path) -> None:
    path = tmp_path / "log"
    for flags, message in (
        (os.O_RDWR | os.O_CREAT, "was opened without O_APPEND"),
        (os.O_WRONLY, "was opened without O_APPEND"),
        (os.O_RDONLY, "is open for reading only"),
        (os.O_RDONLY | os.O_APPEND, "is open for reading only"),
    ):
        descriptor = os.open(path, flags)
        try:
            with pytest.raises(WireloomError, match=message):
                AppendWriter(descriptor, "cobs_log")
        finally:
            os.close(descriptor)
    with pytest.raises(WireloomError, match="not the descriptor of an open file"):
        AppendWriter(descriptor, "cobs_log")
    assert path.read_bytes() == b""


INTEGER = r"column generation takes an integer of uint32 \(0 to 4294967295\), not "


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"payload": "xé", "generation": 1}, "column payload takes bytes, not str 'xé': encode it"),
        ({"payload": 5, "generation": 1}, "column payload takes bytes, not int 5"),
        ({"payload": [1, 2], "generation": 1}, r"column payload takes bytes, not list \[1, 2\]"),
        ({"payload": True, "generation": 1}, "column payload takes bytes, not bool True"),
        ({"payload": b"", "generation": True}, INTEGER + "bool True"),
        ({"payload": b"", "generation": 1.0}, INTEGER + "float 1.0"),
        ({"payload": b"", "generation": "5"}, INTEGER + "str '5'"),
        ({"payload": b"", "generation": Decimal(3)}, INTEGER + "Decimal"),
        ({"payload": b"", "generation": -1}, INTEGER + "int -1"),
        ({"payload": b"", "generation": 2**32}, INTEGER + "int 4294967296"),
    ],
)
def test_a_value_that_its_column_does_not_take(values: dict[str, Any], message: str, tmp_path: Path) -> None:
    with (
        AppendWriter(tmp_path / "log") as log,
        pytest.raises(WireloomError, match=f"^the record cannot be written: {message}"),
    ):
        log.append(**values)
    assert (tmp_path / "log").read_bytes() == b""


@pytest.mark.parametrize("value", [b"3", bytearray(b"3"), memoryview(b"3"), "3", 3, None, {"a": 1}])
def test_one_value_where_those_of_a_column_belong(value: Any, tmp_path: Path) -> None:
    kind = type(value).__name__
    with AppendWriter(tmp_path / "log", "cobs_log") as log:
        with pytest.raises(WireloomError, match=rf"^column payload is one value \({kind}\), where a list of values"):
            log.append_rows({"payload": value})
        assert log.append_rows({"payload": [b"3"]}) == 1
        assert log.append_rows({"payload": iter([b"4", b"5"])}) == 2
    assert wireloom.read("cobs_log", tmp_path / "log")["payload"].to_pylist() == [b"3", b"4", b"5"]


@pytest.mark.parametrize("value", [1.5, True, Decimal("1.5"), math.nan, math.inf])
def test_numbers_that_would_be_cut(value: Any, tmp_path: Path) -> None:
    rows = [{"generation": 1, "payload": b""}, {"generation": value, "payload": b""}]
    with pytest.raises(WireloomError, match=r"generation|bool"):
        wireloom.write("word_stuffed_log", rows, tmp_path / "log")
    assert os.listdir(tmp_path) == []
    wireloom.write("word_stuffed_log", [{"generation": 2.0, "payload": b""}], tmp_path / "log")
    assert wireloom.read("word_stuffed_log", tmp_path / "log")["generation"].to_pylist() == [2]
