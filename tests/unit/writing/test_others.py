"""Formats that are not built in, each by a short spec: a file of its own writer, read into rows, is written again."""

from __future__ import annotations

from pathlib import Path

import pytest
import wireloom

from ...writing import bytes_of

FOLDER = Path(__file__).parent / "others"
FORMATS = {
    "badger": "Badger 4: keys and values with varints before them",
    "blf": "python-can: compressed containers",
    "dnstap": "golang-dnstap: frames, control frames and messages",
    "fit": "fit_tool: a header with the length of what follows, sizes that records define",
    "jetstream": "NATS server 2.12: lengths with flags",
    "journal_export": "journalctl: lines, and fields with a length",
    "mavlink": "pymavlink: payloads without the zeros at their end, a CRC with a byte by message",
    "message_pack": "msgpack: lengths of one or two bytes, or in the tag",
    "midi": "mido: running status, varints",
    "ros_bag": "rosbags: headers of fields",
    "sequence_file": "Hadoop 3.4: markers, names with lengths as Hadoop's own varints",
    "slip": "sliplib: delimiters and escapes",
    "sqlite_wal": "SQLite: frames of a page, a checksum of its own that continues from frame to frame",
    "ubx": "pyubx2: messages by class and number",
    "ulog": "pyulog: types by topic",
    "warc": "warcio: headers of text",
    "wtmp": "utmpdump: text that ends with zeros",
}
"""By spec, what wrote the file, and what is in it."""


@pytest.mark.parametrize("name", FORMATS)
def test_a_file_of_its_own_writer_is_written_again(name: str) -> None:
    format = wireloom.load_spec(FOLDER / f"{name}.ksy")
    data = (FOLDER / f"{name}.bin").read_bytes()
    table = {"table": "containers"} if name == "blf" else {}
    rows, report = wireloom.read_with_report(format, data, **table)
    assert report.clean
    assert rows.num_rows >= (1 if name == "blf" else 2)
    assert bytes_of(format, rows, codec="none", **table) == data


def test_the_checksums_of_frames_are_computed() -> None:
    format = wireloom.load_spec(FOLDER / "sqlite_wal.ksy")
    data = bytearray((FOLDER / "sqlite_wal.bin").read_bytes())
    rows = wireloom.read(format, bytes(data))
    data[60] ^= 1
    _, report = wireloom.read_with_report(format, bytes(data))
    assert [str(each.reason) for each in report.files[0].damaged] == ["checksum"] * 3
    root = format.root_class().from_bytes(bytes_of(format, rows, codec="none"))
    for each in root.frames:
        each.sum1 = each.sum2 = 0
    assert root.to_bytes() == bytes_of(format, rows, codec="none")
