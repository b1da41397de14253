"""Errors of the server: the JSON of HTTP responses, of terminal frames and of error events."""

from __future__ import annotations

from ..base.dataclass import dataclass
from .frames import Terminal
from .json import JsonError, JsonShape, document_of, dumps, position_from, tail_to_json, text, unsigned
from .messages import StreamPosition

RANGE_NOT_SATISFIABLE = 416
RETRYABLE = frozenset((408, 429, 500, 502, 503, 504))
"""HTTP statuses of temporary errors."""
CONFLICT = 409
TRANSACTION_CONFLICT = "transaction_conflict"
"""The only code of status 409 that is temporary: two requests have conflicted."""
SERVER_DRAINING = "server_draining"
"""The code of a server that is shutting down and accepts no more requests."""
_RETRYABLE_CODES = frozenset(
    (
        "hot_server",
        "other",
        "rate_limited",
        "request_timeout",
        SERVER_DRAINING,
        "storage",
        TRANSACTION_CONFLICT,
        "unavailable",
        "upstream_timeout",
    )
)
"""Codes of temporary errors according to the server's own list, for errors without a status."""


@dataclass(frozen=True, slots=True)
class ServerError:
    """An error of the server. ``status``: the HTTP status, 0 if none was sent (error events). ``code``, ``message``:
    empty if missing; a response that is not JSON of this shape becomes the message.

    For status 412, one is set: ``expected_fencing_token``, the stream's token, or ``expected_seq_num``, its next
    sequence number. For status 416, ``tail`` is the end of the stream, which the requested position is not before.
    """

    status: int
    code: str = ""
    message: str = ""
    expected_fencing_token: str | None = None
    expected_seq_num: int | None = None
    tail: StreamPosition | None = None

    @property
    def retryable(self) -> bool:
        """Return whether the same request may succeed later."""
        if self.status == CONFLICT:
            return self.code == TRANSACTION_CONFLICT
        return self.status in RETRYABLE if self.status else self.code in _RETRYABLE_CODES

    def terminal(self) -> Terminal:
        """Return the terminal message for the error."""
        return Terminal(self.status, error_to_json(self))


class RefusedError(Exception):
    """The server refuses a request with ``error``."""

    def __init__(self, error: ServerError) -> None:
        super().__init__(error.message)
        self.error = error


def error_of(terminal: Terminal) -> ServerError:
    """Return the error of a terminal message."""
    return error_from_json(terminal.status, terminal.body)


def error_from_json(status: int, body: str | bytes) -> ServerError:
    """Return the error of a response with this status. Never raises, since proxies may respond with
    arbitrary content."""
    content = body if isinstance(body, str) else body.decode("utf-8", "replace")
    for shape in _SHAPES:
        try:
            found = shape(document_of(content))
        except JsonError:
            continue
        if found:
            return ServerError(status, **{_NAMES.get(key, key): value for key, value in found.items()})
    return ServerError(status, message=content)


_SHAPES = (
    JsonShape(others={"fencing_token_mismatch": text, "seq_num_mismatch": unsigned}),
    JsonShape(others={"tail": position_from}),
    JsonShape(others={"code": text, "message": text}),
)
_NAMES = {"fencing_token_mismatch": "expected_fencing_token", "seq_num_mismatch": "expected_seq_num"}


def error_to_json(error: ServerError) -> str:
    """Return the body of a response with the error."""
    if error.expected_fencing_token is not None:
        return dumps({"fencing_token_mismatch": error.expected_fencing_token})
    if error.expected_seq_num is not None:
        return dumps({"seq_num_mismatch": error.expected_seq_num})
    if error.tail is not None:
        return tail_to_json(error.tail)
    return dumps({"code": error.code, "message": error.message})
