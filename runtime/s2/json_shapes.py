"""Checks JSON documents by tables of their keys."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NoReturn

from ..base.errors import WireloomError

Verdict = Literal["syntax", "data", "eof"]
Document = str | bytes | bytearray | memoryview
Check = Callable[[Any, str], Any]
"""Returns the checked value of the field whose path is the second argument, such as ``records[0].body``; raises
``JsonError``."""

_LARGEST = 2**64 - 1


class JsonError(WireloomError):
    """Invalid JSON. ``verdict``: ``syntax`` (not JSON) or ``eof`` (truncated), with ``offset`` in bytes of its UTF-8,
    or ``data`` (a value of an unexpected type), with the path of the ``field``."""

    def __init__(
        self, message: str, *, verdict: Verdict = "data", offset: int | None = None, field: str | None = None
    ) -> None:
        super().__init__(message, offset=offset, reason="value", field=field)
        self.verdict = verdict


def document_of(document: Document) -> Any:
    """Return the value of a JSON document.

    Raises:
        JsonError: The document is not JSON, is nested too deeply, or an object in it has a key twice.
    """
    try:
        text = document if isinstance(document, str) else str(document, "utf-8")
    except UnicodeDecodeError as error:
        raise JsonError("the JSON is not UTF-8", offset=error.start, verdict="syntax") from error
    try:
        return json.loads(text, object_pairs_hook=_object, parse_constant=_constant)
    except json.JSONDecodeError as error:
        truncated = error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated")
        before = len(text[: error.pos].encode("utf-8", "surrogatepass"))
        raise JsonError(error.msg, offset=before, verdict="eof" if truncated else "syntax") from error
    except RecursionError as error:
        raise JsonError("the JSON is nested too deeply", verdict="syntax") from error
    except ValueError as error:
        # Python refuses integers of thousands of digits.
        raise JsonError("a number of the JSON is too long", verdict="syntax") from error


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise JsonError("the key occurs twice", field=next(each for each in names if names.count(each) > 1))
    return found


def _constant(word: str) -> NoReturn:
    raise JsonError(f"{word} is not JSON", verdict="syntax")


def unsigned(value: Any, path: str) -> int:
    """Return an unsigned 64-bit integer; a ``Check``."""
    if type(value) is not int or not 0 <= value <= _LARGEST:
        raise JsonError("an integer from 0 to 2^64 - 1 is required", field=path)
    return value


def text(value: Any, path: str) -> str:
    """Return a string; a ``Check``. A surrogate without its other half is refused."""
    if not isinstance(value, str):
        raise JsonError("a string is required", field=path)
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise JsonError("the string has a surrogate without its other half", field=path) from error
    return value


def optional(check: Check) -> Check:
    """Return a check that also accepts null, as ``None``."""
    return lambda value, path: None if value is None else check(value, path)


def list_of(check: Check, size: int | None = None) -> Check:
    """Return a check of a list and each of its items; ``size``: the number of items, if it is fixed."""

    def checked(value: Any, path: str) -> list[Any]:
        if not isinstance(value, list) or size not in (None, len(value)):
            raise JsonError("a list is required" if size is None else f"a list of {size} items is required", field=path)
        return [check(each, f"{path}[{index}]") for index, each in enumerate(value)]

    return checked


@dataclass(frozen=True)
class JsonShape:
    """An object's keys with the checks of their values; a ``Check`` itself. Other keys are ignored."""

    required: Mapping[str, Check] = field(default_factory=dict)
    others: Mapping[str, Check] = field(default_factory=dict)

    def __call__(self, value: Any, path: str = "") -> dict[str, Any]:
        """Return the values of the known keys that the object has.

        Raises:
            JsonError: The value is not an object, a required key is missing, or a check fails.
        """
        if not isinstance(value, dict):
            raise JsonError("an object is required", field=path or None)
        prefix = f"{path}." if path else ""
        for name in self.required:
            if name not in value:
                raise JsonError("the key is missing", field=prefix + name)
        checks = {**self.required, **self.others}
        return {name: check(value[name], prefix + name) for name, check in checks.items() if name in value}
