"""The reference's writer, run with scripted system calls: the same calls of the same sizes, the same bytes."""

import errno
import os
from pathlib import Path
from typing import Any

import pytest
from wireloom import WireloomError
from wireloom.append import AppendError, AppendWriter, SystemCalls

from ...vectors.cases import rows

PLAIN_OVERHEAD = 8 + 3
"""Number of bytes of a record's header and of the stuffing of a record of 520 bytes."""


class Scripted(SystemCalls):
    """Writes as much as the script says, then everything."""

    def __init__(self, script: list[int], readable: bool) -> None:
        self.script = list(script)
        self.readable = readable
        self.sizes: list[int] = []

    def write(self, descriptor: int, data: bytes) -> int:
        self.sizes.append(len(data))
        answer = self.script.pop(0) if self.script else -2
        if answer in (-1, -4):
            number = errno.EIO if answer == -1 else errno.EINTR
            raise OSError(number, os.strerror(number))
        return os.write(descriptor, data if answer == -2 else data[:answer])

    def tail(self, descriptor: int, size: int) -> bytes | None:
        return super().tail(descriptor, size) if self.readable else None


@pytest.mark.parametrize("row", rows("word_stuffing", "writer.jsonl"), ids=lambda row: f"{row['id']}-{row['name']}")
def test_writer(row: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(bytes.fromhex(row["preexisting"]))
    calls = Scripted(row["syscall_script"], row["open"] == "rw")
    # The reference has a limit of 512 bytes of payload.
    with AppendWriter(
        path,
        "word_stuffed_log",
        torn_delimiter="separate",
        begin=False,
        max_record=512 + PLAIN_OVERHEAD,
        calls=calls,
    ) as writer:
        for operation in row["ops"]:
            error: WireloomError | None = None
            try:
                if operation["op"] == "initial":
                    writer.begin()
                else:
                    writer.append(generation=operation["generation"], payload=bytes.fromhex(operation["payload"]))
            except WireloomError as caught:
                error = caught
            assert (error is None) is operation["ok"]
            if error is None:
                continue
            if operation["error"] == "crdb_record_stream data too long":
                assert error.reason == "limit"
            else:
                assert isinstance(error, AppendError)
                cause = error.__cause__
                assert (cause.errno if isinstance(cause, OSError) else 0) == operation["errno"]
    assert calls.sizes == row["syscall_sizes"]
    assert path.read_bytes().hex() == row["file"]
