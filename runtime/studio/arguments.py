"""The JSON of requests and responses, and the arguments in it, which may be anything."""

from __future__ import annotations

import json
from typing import Any

from ..base.errors import WireloomError
from .files import MOST_SPEC

COUNTS = 500
"""Maximum number of records and rows in one request."""


def json_object(data: bytes) -> dict[str, Any]:
    """Return the JSON object in the body of a request; an empty one for an empty body.

    Raises:
        WireloomError: The body is not a JSON object, or is nested too deeply.
    """
    try:
        found = json.loads(data or b"{}")
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise WireloomError("the request is not a JSON object")
    return found


def json_text(content: dict[str, Any]) -> str:
    """Return a JSON object as ASCII: texts of specs and files may contain surrogates, which UTF-8 does not have."""
    return json.dumps(content, allow_nan=False)


def text_of(arguments: dict[str, Any]) -> str:
    """Return the text of a spec. Raises ``WireloomError``."""
    text = arguments.get("text")
    if not isinstance(text, str):
        raise WireloomError("the request has no text")
    if len(text) > MOST_SPEC:
        raise WireloomError(f"a spec has at most {MOST_SPEC} bytes")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise WireloomError(f"the text has a surrogate at {error.start}, which UTF-8 does not have") from error
    return text


def position_of(arguments: dict[str, Any]) -> int:
    """Return a position in a text, not less than 0. Raises ``WireloomError``."""
    position = arguments.get("position")
    if not isinstance(position, int):
        raise WireloomError("position must be a whole number")
    return max(position, 0)


def name_of(arguments: dict[str, Any], name: str) -> str:
    """Return a path, or an empty string if there is none. Raises ``WireloomError``."""
    path = arguments.get(name) or ""
    if not isinstance(path, str) or "\0" in path or not path.isprintable():
        raise WireloomError(f"{name} must be a path")
    return path


def bytes_of(arguments: dict[str, Any], most: int) -> bytes:
    """Return the bytes to search for, given in hex. Raises ``WireloomError``."""
    try:
        found = bytes.fromhex(arguments["hex"])
    except (KeyError, TypeError, ValueError):
        found = b""
    if not 0 < len(found) <= most:
        raise WireloomError(f"a search has 1 to {most} bytes, in hex")
    return found


def window_of(arguments: dict[str, Any]) -> dict[str, Any]:
    """Return the offset, the count and the table of a request for records or rows, within their limits. Raises
    ``WireloomError``."""
    offset, count, table = arguments.get("offset", 0), arguments.get("count", 100), arguments.get("table") or ""
    if not isinstance(offset, int) or not isinstance(count, int) or not isinstance(table, str):
        raise WireloomError("offset and count must be numbers, and table a name")
    return {"offset": min(max(offset, 0), 2**63 - 1), "count": min(max(count, 1), COUNTS), "table": table}
