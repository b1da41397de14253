"""The bytes of each field, for the objects of the generated classes."""

import json
import re
from pathlib import Path

import pytest
import wireloom
from wireloom.format.stuffings import Stuffing, StuffingKind
from wireloom.inspecting import Trace
from wireloom.inspecting import places_of as places
from wireloom.objects import Struct, stuff, unstuff

from ...stuffings import CODES
from .samples import ZOO, animal, run, seen, segment, spans

VECTORS = Path(__file__).parents[2] / "vectors"


def test_run_of_fixed_fields(tmp_path: Path) -> None:
    record = seen("edgemq_segment", str(segment(tmp_path / "a.wal")), number=8)[0]
    assert spans(record) == {
        "len": (0, 4),
        "crc32c": (4, 8),
        "fmt": (8, 9),
        "tenant": (9, 13),
        "ts_millis": (13, 21),
        "payload": (21, 28),
    }
    checks = {each.name: each.checked for each in record.fields}
    assert checks["crc32c"] is True
    assert checks["tenant"] is None


@pytest.mark.parametrize(
    ("kept", "whole", "torn"), [(6, {}, ("crc32c", 4, 6)), (11, {"crc32c": (4, 8)}, ("tenant", 9, 11))]
)
def test_the_field_in_which_the_input_ends(tmp_path: Path, kept: int, whole: dict[str, object], torn: object) -> None:
    path = segment(tmp_path / "a.wal")
    path.write_bytes(path.read_bytes()[:kept])
    (tail,) = seen("edgemq_segment", str(path))
    found = spans(tail)
    assert whole.items() <= found.items()
    last = tail.fields[-1]
    assert (last.name, last.begin, last.end) == torn
    assert last.problem == "2 of 4 bytes are present"


def test_bits_lists_switched_and_enclosed_fields() -> None:
    head, tom, rex = seen(ZOO, b"ZOO\x01" + animal(1, b"tom", 2, b"\0\0\0\x09") + animal(2, b"rex", 0), count=2)
    assert spans(head) == {"magic": (0, 3), "version": (3, 4)}
    found = spans(tom)
    assert found["body/high"] == found["body/low"] == found["body/first_byte"] == (2, 3)
    assert found["body/kind"] == (3, 4)
    assert found["body/name"] == (6, 10)
    assert found["body/points/[1]/y"] == (17, 19)
    assert found["body/words"] == (19, 27)
    assert found["body/words/[1]"] == (23, 27)
    assert found["body/numbers/[1]"] == (29, 31)
    assert found["body/extra"] == (31, 35)
    assert found["body/packed"] == (35, 41)
    assert "body/extra" not in spans(rex)
    assert (rex.begin, rex.end) == (tom.end, tom.end + 29)


def test_where_a_record_breaks_off() -> None:
    whole = animal(1, b"tom", 200, b"\0\0\0\x09")
    short = bytearray(animal(1, b"tom", 2, b"\0\0\0\x09"))
    short[10] = 200  # more points than fit into the body
    broken = seen(ZOO, b"ZOO\x01" + bytes(short))[-1]
    tail = seen(ZOO, b"ZOO\x01" + whole[:30])[-1]
    assert broken.reason == "length"
    assert spans(broken)["body/points/[1]/y"] == (17, 19)
    assert broken.message is not None
    assert tail.kind == "tail"
    assert tail.reason == "truncated"
    assert tail.fields[-1].name == "body"
    assert "only 28 bytes" in (tail.fields[-1].problem or "")


def test_checksum_that_does_not_hold(tmp_path: Path) -> None:
    path = segment(tmp_path / "a.wal")
    data = bytearray(path.read_bytes())
    data[42] ^= 1
    record = seen("edgemq_segment", bytes(data), number=2)[0]
    crc = record.fields[1]
    assert record.reason == "checksum"
    assert crc.checked is False
    assert "is stored" in (crc.problem or "")


def test_tracing_is_undone_at_its_end() -> None:
    before = Struct._refuse
    seen(ZOO, b"ZOO\x01" + animal(1, b"tom", 1, b"\0\0\0\x09"))
    assert Struct._refuse is before
    assert "__setattr__" not in vars(Struct)


def test_other_objects_are_not_traced_meanwhile() -> None:
    data = b"ZOO\x01" + animal(1, b"tom", 1, b"\0\0\0\x09")
    classes = wireloom.load_spec(ZOO).root_class
    found: list[str] = []

    class Watched(Trace):
        def assigned(self, struct: Struct, name: str, value: object) -> None:
            found.append(name)
            assert type(classes.from_bytes(data)) is classes
            super().assigned(struct, name, value)

    root = classes()
    Watched().read(root, data, 0, "_read")
    assert found
    assert type(root) is not classes
    assert isinstance(root, classes)


@pytest.mark.parametrize("stuffing", CODES, ids=repr)
@pytest.mark.parametrize("content", [b"", b"a", b"a\xfe\xfdb\0c", b"\0" * 5, b"\xfe\xfd" * 3, bytes(range(256)) * 700])
def test_places_of_stuffed_bytes(content: bytes, stuffing: Stuffing) -> None:
    if not content and not stuffing.holds_empty:
        return
    stuffed = stuff(content, stuffing)
    found = places(stuffed, stuffing)
    assert len(found) == len(stuffed)
    if stuffing.kind is StuffingKind.ESCAPE:
        befores = zip(stuffed, [0, *found], strict=False)
        meant = [stuffing.meanings[each] if before < 0 else each for each, before in befores]
    else:
        meant = [each ^ stuffing.value for each in stuffed]
    assert all(meant[index] == content[place] for index, place in enumerate(found) if place >= 0)
    literal = {place for place in found if place >= 0}
    left_out = [content[each] for each in range(len(content)) if each not in literal]
    if stuffing.kind is StuffingKind.ESCAPE:
        assert not left_out
    else:
        assert set(left_out) <= ({0xFE, 0xFD} if stuffing == Stuffing.WORD else {0})
    assert unstuff(stuffed, stuffing) == content


def test_format_that_is_read_as_a_whole(tmp_path: Path) -> None:
    spec = tmp_path / "counted.ksy"
    spec.write_text(
        "meta: {id: counted, endian: le, -wireloom: {rows: items}}\n"
        "seq:\n- {id: count, type: u1}\n"
        "- {id: items, type: item(_index), repeat: eos}\n"
        "types:\n  item:\n    params:\n    - {id: number, type: u4}\n    seq:\n    - {id: size, type: u1}\n"
        "    - {id: text, type: str, size: size, encoding: ASCII}\n"
    )
    data = b"\x03\x01a\x02bb\x03ccc"
    assert wireloom.read(str(spec), data).num_rows == 3
    head, first, second = seen(spec, data, count=2)
    assert (spans(head), head.begin, head.end, head.content) == ({"count": (0, 1)}, 0, 1, b"\x03")
    assert (first.begin, first.end) == (1, 3)
    assert spans(second) == {"size": (0, 1), "text": (1, 3)}
    assert [each.number for each in seen(spec, data, offset=6)] == [3]


FRAMED = """
meta: {id: framed, -wireloom: {rows: items}}
seq:
- {id: magic, contents: F}
- {id: items, type: item, repeat: until, repeat-until: _.size == 0}
- {id: crc, type: u1, valid: 7}
types:
  item: {seq: [{id: size, type: u1}, {id: text, size: size}]}
"""


@pytest.mark.slow
def test_records_of_an_input_read_as_a_whole_are_counted_and_what_is_around_them_is_apart(tmp_path: Path) -> None:
    spec, path = tmp_path / "framed.ksy", tmp_path / "data"
    spec.write_text(FRAMED)
    data = b"F" + b"\x01a" * 150 + b"\0" + b"\x07"
    path.write_bytes(data)
    *_, last, foot = seen(spec, data, count=1000)
    assert (last.number, last.begin, last.end) == (151, 301, 302)
    assert (foot.kind, foot.begin, foot.end, spans(foot), foot.reason) == ("foot", 302, 303, {"crc": (0, 1)}, None)
    assert [each.number for each in seen(spec, data, number=140, count=1)] == [140]
    assert [each.number for each in seen(spec, data, offset=290, count=1)] == [145]
    said = run("inspect", spec, path, "--record", 152, code=2)
    assert "there is no record 152: there are 151, damaged ones counted" in said
    head, first, foot = seen(spec, b"F\0\x08", count=9)
    assert [each.reason for each in (head, first, foot)] == [None, None, "value"]
    *_, foot, tail = seen(spec, data + b"more", count=1000)
    assert (foot.begin, foot.end, tail.kind, tail.begin, tail.end) == (302, 303, "tail", 303, 307)
    head, first, cut = seen(spec, b"F\x01a\x05b", count=9)
    assert [each.reason for each in (head, first, cut)] == [None, None, "truncated"]
    assert (cut.kind, cut.begin, cut.end) == ("record", 3, 5)


def test_head_that_breaks_off() -> None:
    (tail,) = seen(ZOO, b"ZO")
    assert [each.name for each in tail.fields] == ["magic"]
    assert tail.reason == "truncated"


@pytest.mark.parametrize(("file", "checked", "pattern"), [("none", None, "-1"), ("v1", True, "0x[0-9a-f]{8}")])
def test_a_checksum_with_a_condition(file: str, checked: bool | None, pattern: str) -> None:
    path = VECTORS / "kafka_log" / f"{file}.log"
    fields = [each for record in json.loads(run("inspect", "kafka_log", path, "--json")) for each in record["fields"]]
    found = [each for each in fields if each["field"] == "epoch_or_crc"]
    assert len(found) > 2
    assert {each["checked"] for each in found} == {checked}
    assert [each["value"] for each in found if not re.fullmatch(pattern, each["value"])] == []


RUNNING = """\
meta: {id: running, endian: le, -wireloom: {rows: entries, columns: [kind, data]}}
seq: [{id: entries, type: entry, repeat: eos}]
types:
  entry:
    seq:
      - {id: kind, type: u1}
      - {id: len, type: u1}
      - {id: crc, type: u4, -wireloom: {checksum: {algorithm: crc32c, over: data, continues: 'START'}}}
      - {id: data, size: len}
"""


def test_running_checksums_that_could_not_be_verified(tmp_path: Path) -> None:
    spec, log = tmp_path / "running.ksy", tmp_path / "running.log"

    def checks(content: bytes, start: str) -> list[bool | None]:
        spec.write_text(RUNNING.replace("START", start))
        log.write_bytes(content)
        records = json.loads(run("inspect", spec, log, "--recover", "-n", "9", "--json"))
        return [each["checked"] for record in records for each in record["fields"] if each["field"] == "crc"]

    spec.write_text(RUNNING.replace("START", "_"))
    wireloom.write(spec, [{"kind": 4 * (data == b""), "data": data} for data in (b"one", b"", b"six", b"ten")], log)
    content = log.read_bytes()
    assert checks(content, "_") == [True] * 4
    # The record before the third one is lost, and with it the checksum that the third one continues.
    assert checks(content[:10] + b"\xff" + content[11:], "_") == [True, None, True]
    # The first record only says what the log goes on from.
    start = "kind == 4 and _ == 0 ? crc : _"
    assert checks(content[9:], start) == [None, True, True]
    assert checks(content, start) == [True] * 4


def test_running_checksums_of_messages() -> None:
    records = json.loads(run("inspect", "etcd_wal", VECTORS / "etcd_wal" / "segment2.wal", "-n", "4", "--json"))
    fields = [each for record in records for each in record["fields"]]
    assert [each["checked"] for each in fields if each["field"].startswith("record.crc")] == [None, True, True, True]
