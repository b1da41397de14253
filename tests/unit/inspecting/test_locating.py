"""Which records are shown, and how much of a file is read for them."""

import random
from pathlib import Path
from typing import Any

import pytest
import wireloom
from wireloom.format import registry
from wireloom.input.expansion import expand
from wireloom.inspecting import Wanted, record_scan, records

from .samples import log, seen, segment


@pytest.mark.slow
@pytest.mark.parametrize("codec", ["none", "zstd"])
def test_every_offset_of_back_to_back_records(tmp_path: Path, codec: str) -> None:
    path = str(segment(tmp_path / "a.wal", codec=codec))
    begins = wireloom.read("edgemq_segment", path, columns=["_offset"])["_offset"].to_pylist()
    for number, begin in enumerate(begins[:-1]):
        for offset in (begin, begins[number + 1] - 1):
            found = seen("edgemq_segment", path, offset=offset)[-1]
            assert (found.number, found.begin, found.end) == (number + 1, begin, begins[number + 1])


@pytest.mark.slow
def test_every_offset_of_delimited_records(tmp_path: Path) -> None:
    path = log(tmp_path / "a.log")
    data = path.read_bytes()
    begins = wireloom.read("word_stuffed_log", data, columns=["_offset"])["_offset"].to_pylist()
    for number, begin in enumerate(begins[:-1]):
        for offset in (begin, begin + 1, begins[number + 1] - 1):
            for source in (str(path), data):
                found = seen("word_stuffed_log", source, offset=offset)[0]
                assert (found.begin, found.end) == (begin, begins[number + 1])


def test_number_counts_damaged_records(tmp_path: Path) -> None:
    data = bytearray(log(tmp_path / "a.log").read_bytes())
    data[30] ^= 1
    first, second = seen("word_stuffed_log", bytes(data), count=2)
    assert (first.number, first.reason) == (1, "checksum")
    assert (second.number, second.reason) == (2, None)
    assert seen("word_stuffed_log", bytes(data), number=2)[0].begin == second.begin


def test_sparse_large_file_is_not_read_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "large.log"
    frame = log(tmp_path / "a.log", 1).read_bytes()
    noise = random.Random(7).randbytes(1 << 20).replace(b"\xfe", b"\0").replace(b"\xfd", b"\0")
    with path.open("wb") as file:
        file.write(b"\xfe\xfd" + noise)
        for _ in range(23):
            file.write(b"\xfe\xfd" + noise)
        begin = file.tell()
        file.write(b"\xfe\xfd" + frame)
        file.write(noise)
    format, source = registry.get("word_stuffed_log"), expand(str(path))[0]
    wanted = Wanted(offset=begin + 9)
    scan = record_scan(format, source, wanted, {"max_record": 2 << 20})
    found: list[Any] = list(records(scan))
    assert [(each.begin, each.reason) for each in found] == [(begin, None)]
    assert scan.report.bytes < 3 << 20


def test_lost_row_and_recovery(tmp_path: Path) -> None:
    data = bytearray(segment(tmp_path / "a.wal").read_bytes())
    data[0] = 0x7F
    lost = seen("edgemq_segment", bytes(data))
    assert [each.kind for each in lost] == ["tail"]
    assert lost[0].fields[0].name == "len"
    format = registry.get("edgemq_segment")
    wanted = Wanted(count=2)
    scan = record_scan(format, expand(bytes(data))[0], wanted, {"recover": True})
    damage, record = records(scan)
    assert (damage.kind, damage.begin, damage.end) == ("damage", 0, record.begin)


def test_all_damage_is_shown_after_the_wanted_records(tmp_path: Path) -> None:
    data = bytearray(log(tmp_path / "a.log").read_bytes())
    data[-20] ^= 1
    found = seen("word_stuffed_log", bytes(data), count=2, all_damage=True)
    assert [each.reason for each in found] == [None, None, "checksum"]
    assert found[-1].number == 40


def test_nothing_there(tmp_path: Path) -> None:
    path = str(log(tmp_path / "a.log"))
    assert seen("word_stuffed_log", path, number=41) == []
    assert seen("word_stuffed_log", path, offset=10**9) == []
    assert seen("word_stuffed_log", b"") == []


def test_record_beyond_the_limit(tmp_path: Path) -> None:
    format = registry.get("edgemq_segment")
    source = expand(str(segment(tmp_path / "a.wal")))[0]
    wanted = Wanted(count=20)
    scan = record_scan(format, source, wanted, {"max_record": 30})
    *good, tail = records(scan)
    assert all(each.reason is None for each in good)
    assert (tail.kind, tail.reason) == ("tail", "limit")
