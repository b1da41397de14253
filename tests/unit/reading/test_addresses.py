"""How inputs are named: addresses, names that are not text, offsets that no input has."""

import os
from pathlib import Path

import pytest
import wireloom
from wireloom import WireloomError, read

from .samples import frames


def test_addresses_of_local_files(tmp_path: Path) -> None:
    path = tmp_path / "day 1.wal"
    path.write_bytes(frames([b"a"]))
    address = path.as_uri()
    for each in (address, address.replace("file://", "file://localhost"), address.replace("file://", "file:")):
        assert read("edgemq_segment", each).num_rows == 1
    with pytest.raises(WireloomError, match="elsewhere is a remote host: mount its files"):
        read("edgemq_segment", address.replace("file://", "file://elsewhere"))


def test_paths_that_are_no_utf8_have_names_of_their_own(tmp_path: Path) -> None:
    for name in (b"\xff.wal", b"\xfe.wal", b"\\xfe.wal"):
        with open(os.fsencode(tmp_path) + b"/" + name, "wb") as file:
            file.write(frames([name]))
    table = read("edgemq_segment", tmp_path, columns=["payload", "_path"])
    by_path = {row["_path"]: row["payload"] for row in table.to_pylist()}
    assert len(by_path) == 3
    for address, payload in by_path.items():
        assert read("edgemq_segment", address)["payload"].to_pylist() == [payload]
    _, report = wireloom.read_with_report("edgemq_segment", tmp_path)
    assert sorted(each["path"] for each in report.to_dict()["files"]) == sorted(by_path)


def test_a_byte_range_beyond_every_offset(tmp_path: Path) -> None:
    content = frames([b"a", b"b"])
    assert read("edgemq_segment", content, byte_range=(0, 2**70)).num_rows == 2
    assert read("edgemq_segment", content, byte_range=(2**70, 2**71)).num_rows == 0
