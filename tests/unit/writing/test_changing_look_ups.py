"""Rows that look up different values with one key: a writer puts them into different objects."""

import io
from itertools import product
from pathlib import Path

import pytest
import wireloom

SPEC = """
meta:
  id: shelved
  endian: le
  -wireloom:
    tables:
      books:
        rows: records.body.as<shelf>.books
        columns: [author, n]
        look-ups: {name: {table: authors, key: author, match: id, value: name}}
      authors: {rows: records.body.as<author>, columns: [id, name]}
seq: [{id: records, type: record, repeat: eos}]
types:
  record:
    seq:
      - {id: kind, type: u1}
      - {id: len, type: u1}
      - {id: body, size: len, type: {switch-on: kind, cases: {2: shelf, 3: author}}}
  author: {seq: [{id: id, type: u1}, {id: name, type: str, encoding: ASCII, size-eos: true}]}
  shelf: {seq: [{id: books, type: book, repeat: eos}]}
  book: {seq: [{id: author, type: u1}, {id: n, type: u1}]}
"""


def rows_of(names: str) -> list[dict[str, object]]:
    """Return rows of author 1 for uppercase letters and of author 2 for others, each with the letter as name."""
    return [{"author": 1 if name.isupper() else 2, "n": number, "name": name} for number, name in enumerate(names)]


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ("AAA", "3A 2AAA"),
        ("AB", "3A 2A 3B 2B"),
        ("AaABb", "3A 3a 2AaA 3B 3b 2Bb"),
        ("AABBA", "3A 2AA 3B 2BB 3A 2A"),
        ("AaBbA", "3A 3a 2Aa 3B 3b 2Bb 3A 2A"),
        ("AaBaA", "3A 3a 2Aa 3B 2Ba 3A 2A"),
    ],
)
def test_an_object_ends_before_a_row_that_needs_another_one(names: str, expected: str, tmp_path: Path) -> None:
    spec, path = tmp_path / "shelved.ksy", tmp_path / "some.shelved"
    spec.write_text(SPEC)
    format = wireloom.load_spec(spec)
    rows = rows_of(names)
    wireloom.write(format, rows, path)
    assert wireloom.read(format, path, columns=["author", "n", "name"]).to_pylist() == rows
    content, found = path.read_bytes(), []
    while content:
        kind, body, content = content[0], content[2 : 2 + content[1]], content[2 + content[1] :]
        found.append(f"3{body[1:].decode()}" if kind == 3 else f"2{''.join(names[each] for each in body[1::2])}")
    assert " ".join(found) == expected


def test_a_channel_of_mcap_may_not_change(tmp_path: Path) -> None:
    # Readers that begin with the summary would find one topic for all of its messages.
    rows = [{"channel_id": 1, "topic": name, "log_time": number, "data": b""} for number, name in enumerate("aabba")]
    with pytest.raises(wireloom.WireloomError, match="channel 1 is another one than before"):
        wireloom.write("mcap", rows, tmp_path / "some.mcap")


def test_rows_of_one_object_that_cannot_be_separated(tmp_path: Path) -> None:
    spec, path = tmp_path / "shelved.ksy", tmp_path / "some.shelved"
    spec.write_text(SPEC.replace("type: book, repeat: eos", "type: book, repeat: until, repeat-until: _.n == 9"))
    format = wireloom.load_spec(spec)
    rows = [{"author": 1, "n": 8, "name": "A"}, {"author": 1, "n": 9, "name": "B"}]
    with pytest.raises(
        wireloom.WireloomError, match="row 1 cannot be written: it looks up other values than an earlier"
    ):
        wireloom.write(format, rows, path)
    assert not path.exists()
    rows[0]["n"] = 9
    wireloom.write(format, rows, path)
    assert wireloom.read(format, path, columns=["author", "n", "name"]).to_pylist() == rows


@pytest.mark.slow
def test_each_row_is_read_as_it_was_written_or_refused(tmp_path: Path) -> None:
    """Of all tables of up to four rows: also rows without an author's name before and after rows with one."""
    spec = tmp_path / "shelved.ksy"
    spec.write_text(SPEC)
    format = wireloom.load_spec(spec)
    written = 0
    for size in range(1, 5):
        for names in product([(1, "A"), (1, "B"), (1, None), (2, "a"), (2, None)], repeat=size):
            rows = [{"author": author, "n": number, "name": name} for number, (author, name) in enumerate(names)]
            is_lost = any(
                name is None and any(key == author and before for key, before in names[:number])
                for number, (author, name) in enumerate(names)
            )
            file = io.BytesIO()
            if is_lost:
                with pytest.raises(wireloom.WireloomError, match="null cannot be written"):
                    wireloom.write(format, rows, file)
                continue
            wireloom.write(format, rows, file)
            assert wireloom.read(format, file.getvalue(), columns=["author", "n", "name"]).to_pylist() == rows
            written += 1
    assert written > 400


def test_mcap_messages_without_a_topic() -> None:
    """A reader finds the topic of an earlier message on the channel, also where a file without it was read before."""
    rows = [{"channel_id": 1, "topic": topic, "log_time": 1, "data": b""} for topic in (None, "/pose", None)]
    wireloom.write("mcap", rows[:2], file := io.BytesIO())
    assert wireloom.read("mcap", file.getvalue())["topic"].to_pylist() == [None, "/pose"]
    with pytest.raises(wireloom.WireloomError, match=r"row 2, column topic: null cannot be written, .* from row 1"):
        wireloom.write("mcap", rows, io.BytesIO())
