"""``python -m tests.kills.s2_process --port PORT --local-root FOLDER``: the stand-in of S2 as a process that can be
killed: a batch is in a file before it is acknowledged."""

from __future__ import annotations

import time
from pathlib import Path

import click
import wireloom.s2 as s2

from .. import s2_server


class KeptStream(s2_server.Stream):
    """A stream whose records are in a file, in frames."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        decoder = s2.FrameDecoder()
        if file.exists():
            for frame in decoder.feed(file.read_bytes()):
                super().append(s2.AppendInput.from_bytes(frame.content()).records)
        # What was being written when the process was killed was not acknowledged.
        size = file.stat().st_size - decoder.pending if file.exists() else 0
        self._file = file.open("ab")
        self._file.truncate(size)

    def append(self, records: list[s2.AppendRecord]) -> None:
        """Append records, including commands."""
        for each in records:
            each.timestamp = int(time.time() * 1000) if each.timestamp is None else each.timestamp
        self._file.write(s2.encode_frame(s2.AppendInput(records=records).to_bytes()))
        self._file.flush()
        super().append(records)


@click.command
@click.option("--port", type=int, required=True)
@click.option("--local-root", type=click.Path(path_type=Path), required=True)
@click.option("--stream", required=True)
def main(port: int, local_root: Path, stream: str) -> None:
    """Serve one stream until killed."""
    with s2_server.running(port, {stream: KeptStream(local_root / "stream")}):
        while True:
            time.sleep(1)


if __name__ == "__main__":
    main()
