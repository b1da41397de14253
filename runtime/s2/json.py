"""S2's JSON: append inputs, acks and batches as the bodies of requests and responses, in both values of S2-Format.

Documents are checked by tables of their keys. Writing produces the same bytes as the server's serde. Numbers keep all
64 bits.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Callable, Mapping
from typing import Any, Literal, NoReturn

from ..base.arguments import one_of
from ..base.dataclass import dataclass, field
from ..base.errors import WireloomError
from .commands import MAX_TOKEN, ValidationError
from .messages import AppendAck, AppendInput, AppendRecord, Header, ReadBatch, SequencedRecord, StreamPosition

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


S2Format = Literal["raw", "base64"]
"""The representation of bytes in JSON: ``raw`` as UTF-8 text, ``base64`` in the standard alphabet with padding."""

FORMAT_HEADER = "S2-Format"
_ALIASES: dict[str, S2Format] = {"raw": "raw", "json": "raw", "base64": "base64", "json-binsafe": "base64"}


def format_of_header(value: str | None) -> S2Format:
    """Return the representation of bytes for a value of the header ``S2-Format``; ``raw`` without the header.

    >>> format_of_header(" json ")
    'raw'

    Raises ``UnknownNameError``; values are case-sensitive.
    """
    if value is None:
        return "raw"
    return _ALIASES[one_of("S2-Format", value.strip() if isinstance(value, str) else value, _ALIASES)]


def _bytes_of(text: str, format: S2Format) -> bytes:
    """Return the bytes of a text. Raises ``ValidationError`` for text that is not strict base64, including bits after
    the last byte."""
    if format == "raw":
        return text.encode()
    try:
        content = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise ValidationError(f"no base64 ({error})", reason="encoding") from error
    if base64.b64encode(content).decode() != text:
        raise ValidationError("no base64: bits are set after the last byte", reason="encoding")
    return content


def _text_of(content: bytes, format: S2Format) -> str:
    """Return bytes as text. In ``raw``, each maximal truncated prefix of a UTF-8 character becomes U+FFFD."""
    return content.decode("utf-8", "replace") if format == "raw" else base64.b64encode(content).decode()


# Reading --------------------------------------------------------------------------------------------------------------


def append_input_from_json(document: Document, format: str = "raw") -> AppendInput:
    """Return the append input from the body of a request. ``check_append`` checks whether the server accepts the batch.

    Raises ``JsonError``, and ``ValidationError`` with the record's number for invalid base64.
    """
    checked = format_of_header(format)
    found = _APPEND_INPUT(document_of(document))
    return AppendInput(
        records=[_append_record(number, each, checked) for number, each in enumerate(found["records"], 1)],
        match_seq_num=found.get("match_seq_num"),
        fencing_token=found.get("fencing_token"),
    )


def read_batch_from_json(document: Document, format: str = "raw") -> ReadBatch:
    """Return the batch from the body of a response to a read, or the data of an event. Raises as
    ``append_input_from_json``."""
    checked = format_of_header(format)
    found = _READ_BATCH(document_of(document))
    records = [_sequenced_record(number, each, checked) for number, each in enumerate(found["records"], 1)]
    return ReadBatch(records=records, tail=found.get("tail"))


def append_ack_from_json(document: Document) -> AppendAck:
    """Return the ack from the body of a response to an append. Raises ``JsonError``."""
    return AppendAck(**_APPEND_ACK(document_of(document)))


def tail_from_json(document: Document) -> StreamPosition:
    """Return the position from the response to ``check_tail``, ``{"tail": {"seq_num", "timestamp"}}``. Raises
    ``JsonError``."""
    tail: StreamPosition = _TAIL(document_of(document))["tail"]
    return tail


def _append_record(number: int, found: dict[str, Any], format: S2Format) -> AppendRecord:
    headers, body = _content(number, found, format)
    return AppendRecord(timestamp=found.get("timestamp"), headers=headers, body=body)


def _sequenced_record(number: int, found: dict[str, Any], format: S2Format) -> SequencedRecord:
    headers, body = _content(number, found, format)
    return SequencedRecord(seq_num=found["seq_num"], timestamp=found["timestamp"], headers=headers, body=body)


def _content(number: int, found: dict[str, Any], format: S2Format) -> tuple[list[Header], bytes]:
    try:
        headers = [
            Header(name=_bytes_of(name, format), value=_bytes_of(value, format))
            for name, value in found.get("headers", ())
        ]
        return headers, _bytes_of(found.get("body", ""), format)
    except ValidationError as error:
        error.record = number
        raise


def position_from(value: Any, path: str) -> StreamPosition:
    """Return the position ``{"seq_num", "timestamp"}``; a ``Check``."""
    return StreamPosition(**_POSITION(value, path))


def _token(value: Any, path: str) -> str:
    token = text(value, path)
    if len(token.encode()) > MAX_TOKEN:
        raise JsonError(f"a fencing token has at most {MAX_TOKEN} bytes", field=path)
    return token


_POSITION = JsonShape({"seq_num": unsigned, "timestamp": unsigned})
_CONTENT = {"headers": list_of(list_of(text, 2)), "body": text}
_APPEND_RECORD = JsonShape(others={"timestamp": optional(unsigned), **_CONTENT})
_SEQUENCED_RECORD = JsonShape(_POSITION.required, _CONTENT)
_APPEND_INPUT = JsonShape(
    {"records": list_of(_APPEND_RECORD)}, {"match_seq_num": optional(unsigned), "fencing_token": optional(_token)}
)
_READ_BATCH = JsonShape({"records": list_of(_SEQUENCED_RECORD)}, {"tail": optional(position_from)})
_APPEND_ACK = JsonShape(dict.fromkeys(("start", "end", "tail"), position_from))
_TAIL = JsonShape({"tail": position_from})


# Writing --------------------------------------------------------------------------------------------------------------


def append_input_to_json(batch: AppendInput, format: str = "raw") -> str:
    """Return the body of an append request; missing and empty values are left out. In ``raw``, bytes that are not UTF-8
    raise ``ValidationError``, since different bytes would be appended: use ``base64`` for these."""
    checked = format_of_header(format)
    records = []
    for number, record in enumerate(batch.records, 1):
        if checked == "raw":
            _check_text(number, record)
        known = {} if record.timestamp is None else {"timestamp": record.timestamp}
        records.append(known | _content_of(record, checked))
    written: dict[str, Any] = {"records": records}
    if batch.match_seq_num is not None:
        written["match_seq_num"] = batch.match_seq_num
    if batch.fencing_token is not None:
        written["fencing_token"] = batch.fencing_token
    return dumps(written)


def read_batch_to_json(batch: ReadBatch, format: str = "raw") -> str:
    """Return a batch as the server's serde writes it. In ``raw``, bytes that are not UTF-8 are replaced by U+FFFD."""
    checked = format_of_header(format)
    written: dict[str, Any] = {
        "records": [
            {"seq_num": each.seq_num, "timestamp": each.timestamp} | _content_of(each, checked)
            for each in batch.records
        ]
    }
    if batch.tail is not None:
        written["tail"] = position_to(batch.tail)
    return dumps(written)


def append_ack_to_json(ack: AppendAck) -> str:
    """Return an ack as the server's serde writes it; a missing position is written as zeros."""
    return dumps({name: position_to(getattr(ack, name)) for name in _APPEND_ACK.required})


def tail_to_json(tail: StreamPosition) -> str:
    """Return the response to ``check_tail``, which is also the body of status 416."""
    return dumps({"tail": position_to(tail)})


def position_to(position: StreamPosition | None) -> dict[str, int]:
    """Return ``{"seq_num", "timestamp"}``."""
    if position is None:
        return {"seq_num": 0, "timestamp": 0}
    return {"seq_num": position.seq_num, "timestamp": position.timestamp}


def dumps(value: Any) -> str:
    """Return JSON as serde writes it: without spaces, and with necessary escapes only."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _content_of(record: AppendRecord | SequencedRecord, format: S2Format) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if record.headers:
        found["headers"] = [[_text_of(each.name, format), _text_of(each.value, format)] for each in record.headers]
    if record.body:
        found["body"] = _text_of(record.body, format)
    return found


def _check_text(number: int, record: AppendRecord) -> None:
    try:
        for header in record.headers:
            str(header.name, "utf-8")
            str(header.value, "utf-8")
        str(record.body, "utf-8")
    except UnicodeDecodeError as error:
        raise ValidationError(
            "bytes that are no UTF-8 cannot be appended as raw: use the S2-Format base64",
            reason="encoding",
            record=number,
        ) from error
