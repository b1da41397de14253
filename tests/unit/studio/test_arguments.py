"""Arguments of requests, which may be any JSON."""

import subprocess
import sys
from typing import Any

import pytest
from wireloom import WireloomError
from wireloom.codegen.spec.completion import completions
from wireloom.studio.arguments import json_object, json_text, position_of, text_of, window_of

from ...waiting import SECONDS

ANYTHING = [None, "7", "x", 1e999, float("nan"), 0.5, [], {}, "\ud800", [[1]]]


@pytest.mark.parametrize("body", [b"[]", b"nul", b"\xff", b"7", b"[" * 100_000, b'{"a":' * 100_000, b"9" * 10_000])
def test_a_body_that_is_no_object_is_refused(body: bytes) -> None:
    with pytest.raises(WireloomError, match="not a JSON object"):
        json_object(body)


def test_an_empty_body_is_an_empty_object() -> None:
    assert json_object(b"") == {}


@pytest.mark.parametrize("value", ANYTHING)
def test_a_position_that_is_no_number_is_refused(value: Any) -> None:
    with pytest.raises(WireloomError, match="position must be a whole number"):
        position_of({"position": value})
    with pytest.raises(WireloomError, match="position must be a whole number"):
        position_of({})


@pytest.mark.parametrize("position", [-1, 0, 5, 10**30])
def test_a_position_outside_the_text_is_its_end(position: int) -> None:
    found = completions("meta:", position_of({"position": position}))
    assert isinstance(found["options"], list)


@pytest.mark.parametrize("value", [None, 7, [], {}, "\ud800", "x" * (4 * 1024 * 1024 + 1)])
def test_a_text_that_is_no_spec_is_refused(value: Any) -> None:
    with pytest.raises(WireloomError):
        text_of({"text": value})


@pytest.mark.parametrize("name", ["offset", "count"])
@pytest.mark.parametrize("value", ANYTHING)
def test_a_window_of_no_numbers_is_refused(name: str, value: Any) -> None:
    with pytest.raises(WireloomError, match="must be numbers"):
        window_of({name: value})


def test_a_window_is_within_the_limits() -> None:
    assert window_of({"offset": -5, "count": 10**30}) == {"offset": 0, "count": 500, "table": ""}
    assert window_of({"offset": 10**30, "count": 0})["offset"] == 2**63 - 1


def test_a_response_may_contain_surrogates() -> None:
    assert json_text({"error": "\ud800"}).isascii()


LINES = ['"', "'", "\"'", "'\"", '"\\', 'x"', "a ", "w", "{a: ", "key ", "- ", ": ", "#", "\t", "id:", "a:b"]


@pytest.mark.slow
def test_the_time_of_completions_is_proportional_to_the_text() -> None:
    """Lines of 64 KB would take a quarter of an hour if it grew with the square."""
    program = f"""
from wireloom.codegen.spec.completion import completions
for each in {LINES!r}:
    for end in ("", " ", ",", "'"):
        line = each * (2**16 // len(each)) + end
        completions(line, len(line))
        completions(line + chr(10) + "a: ", len(line) + 4)
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=SECONDS)
