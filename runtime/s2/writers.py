"""Writers that share a stream, each of whose records is appended once.

Each record has a header that names its writer. If a writer does not know whether records were appended, because a
connection broke, it sets a new fencing token of the stream: the server then refuses everything that was sent with an
older one. What the writer reads up to that point is all that was appended, and the rest is appended with the new token.
The other writers of the stream, which are refused as well, go on with that token.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from ..base.errors import WireloomError
from .client import Client
from .commands import Fence, ValidationError, command_record, operation_of
from .errors import RefusedError, ServerError, error_from_json
from .messages import AppendAck, AppendInput, AppendRecord, Header
from .requests import append_unary

WRITER_HEADER = b"wireloom-writer"
MAX_NAME = 256
"""Maximum length of a writer's name in bytes of UTF-8."""
_TOKEN = "wireloom-"


class Writer:
    """One of the writers of a stream. ``token``: the fencing token of the next batch.

    ``is_in_doubt``: records may have been appended, or may still be, that were not acknowledged; ``is_fenced``: since
    then a new token was set; ``is_read``: the records of this writer up to now are known.
    """

    def __init__(self, name: str, begin: int, is_new: bool) -> None:
        size = len(name.encode("utf-8", "replace"))
        if not 0 < size <= MAX_NAME or not name.isprintable():
            raise WireloomError(f"the name of a writer has 1 to {MAX_NAME} printable bytes of UTF-8, not {size}")
        self.name, self.token = name, ""
        self.is_in_doubt, self.is_fenced, self.is_read = not is_new, False, is_new
        self._header = Header(name=WRITER_HEADER, value=name.encode())
        self._same_name = f"{_TOKEN}{sha256(name.encode()).hexdigest()[:8]}"
        self._own = f"{self._same_name}{secrets.token_hex(4)}"
        self._since = begin if is_new else None

    def named(self, record: AppendRecord) -> AppendRecord:
        """Return the record with the header. Raises ``ValidationError`` for a command, which has no other header."""
        if operation_of(record) is not None:
            raise ValidationError(
                "a command record has no room for the header that names the writer",
                reason="value",
                advice="append it without the option writer",
            )
        return AppendRecord(timestamp=record.timestamp, headers=[*record.headers, self._header], body=record.body)

    def owns(self, number: int, row: Mapping[str, Any]) -> bool:
        """Return whether a row is a record of this writer. Raises ``WireloomError`` if it is the fence of another
        program with the same name, which began later."""
        headers = row["headers"]
        if headers and headers[-1]["name"] == WRITER_HEADER:
            return bool(headers[-1]["value"] == self._header.value)
        token = row["body"] if row["command"] == "fence" and self._since is not None and number > self._since else b""
        if token.startswith(self._same_name.encode()) and not token.startswith(self._own.encode()):
            raise WireloomError(
                f"another program appends as writer {self.name!r}, since record {number}: the later one goes on",
                advice="give each program that runs at the same time a writer of its own",
            )
        return False

    def adopts(self, error: ServerError) -> bool:
        """Return whether the error is that another writer has set a new token, which is then used."""
        token = error.expected_fencing_token
        if token is None or token == self.token or not (token == "" or token.startswith(_TOKEN)):
            return False
        self.token, self.is_read = token, False
        return True

    def fence(self, client: Client, stream: str, timestamp: int | None, **more: Any) -> None:
        """Set a new token, after which nothing can be appended that was sent before. Raises ``RefusedError`` and
        ``TemporaryError``."""
        token = f"{self._own}{secrets.token_hex(5)}"
        command = command_record(Fence(token))
        command.timestamp = timestamp
        batch = AppendInput(records=[command], fencing_token=self.token)
        status, body = client.ask(append_unary(stream, batch, basin=client.endpoint.basin, **more))
        if not 200 <= status < 300:
            raise RefusedError(error_from_json(status, body))
        ack = AppendAck.from_bytes(body)
        if self._since is None and ack.start is not None:
            self._since = ack.start.seq_num
        self.token, self.is_fenced = token, True

    def doubt(self) -> None:
        """Record that batches are on their way without an acknowledgement."""
        self.is_in_doubt, self.is_fenced, self.is_read = True, False, False

    def trust(self) -> None:
        """Record that everything up to the last token was read."""
        self.is_in_doubt, self.is_fenced, self.is_read = False, False, True
