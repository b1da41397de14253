"""Files of which tasks read parts: those of Avro, whose blocks end with a marker, and those whose units a search
finds."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
import wireloom

from .driver import planned, read


@pytest.fixture(scope="module")
def avro(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a file of some hundred blocks."""
    import fastavro

    path = tmp_path_factory.mktemp("avro") / "events.avro"
    with open(path, "wb") as file:
        fastavro.writer(file, "bytes", (bytes([n % 250]) * (n % 900) for n in range(2000)), sync_interval=3000)
    return path


def test_tasks_read_parts_of_a_file(avro: Path) -> None:
    whole = wireloom.read("avro_blocks", avro)
    assert whole.num_rows > 200
    for largest in (4_000, 50_000, 400_000):
        options = {"path": avro, "maxPartitionBytes": largest, "openCostInBytes": 0}
        _, partitions, _ = planned("avro_blocks", **options)
        assert len(partitions) >= avro.stat().st_size // largest
        assert sorted(read("avro_blocks", **options).to_pylist(), key=str) == sorted(whole.to_pylist(), key=str)


def test_damage_is_in_one_part(avro: Path, tmp_path: Path) -> None:
    content = bytearray(avro.read_bytes())
    for place in range(1000, len(content), 40_000):
        content[place] ^= 255
    path = tmp_path / "events.avro"
    path.write_bytes(content)
    whole, report = wireloom.read_with_report("avro_blocks", path)
    assert report.files[0].damaged
    rows = read("avro_blocks", path=path, maxPartitionBytes=20_000, openCostInBytes=0)
    assert sorted(rows.to_pylist(), key=str) == sorted(whole.to_pylist(), key=str)


@pytest.mark.parametrize("name", ["tfrecord", "kafka_log"])
def test_tasks_begin_where_a_search_finds_a_unit(name: str, tmp_path: Path) -> None:
    """With ``recover``; without it one task reads the file."""
    from ..campaigns import records

    subject = {each.name: each for each in (records.TFRECORD, records.KAFKA)}[name]
    source = random.Random(name)
    units = [subject.make(source, number) for number in range(1, 300)]
    (tmp_path / "one").write_bytes(b"".join(content for content, _ in units))
    options = {"path": tmp_path, "maxPartitionBytes": 4000, "openCostInBytes": 0, "columns": ",".join(subject.columns)}
    assert len(planned(name, **options)[1]) == 1
    assert len(planned(name, **options, recover="true")[1]) > 5
    rows = read(name, **options, recover="true").to_pylist()
    expected = [values for _, found in units for values in found]
    assert sorted((tuple(row[each] for each in subject.columns) for row in rows), key=str) == sorted(expected, key=str)


def test_chunks_of_messages_are_divided(tmp_path: Path) -> None:
    """Topics are looked up in channels, which may be anywhere before them: files are divided only without topics."""
    from mcap.writer import Writer

    path, source = tmp_path / "drive.mcap", random.Random(5)
    messages = [(n, source.randbytes(n % 300)) for n in range(500)]
    writer = Writer(str(path), chunk_size=4000)
    writer.start()
    channel = writer.register_channel("/camera", "json", 0)
    for number, data in messages:
        writer.add_message(channel, log_time=number, data=data, publish_time=number, sequence=number)
    writer.finish()
    options = {"path": path, "maxPartitionBytes": 10_000, "openCostInBytes": 0, "recover": "true"}
    assert len(planned("mcap", **options)[1]) == 1
    options["columns"] = "sequence,data"
    assert len(planned("mcap", **options)[1]) > 3
    assert sorted((row["sequence"], row["data"]) for row in read("mcap", **options).to_pylist()) == messages


def test_what_the_error_about_byte_ranges_says_helps(tmp_path: Path) -> None:
    inner, path = tmp_path / "inner.tfrecord", tmp_path / "outer.tfrecord"
    wireloom.write("tfrecord", [{"data": bytes([n]) * 50} for n in range(9)], inner)
    wireloom.write("tfrecord", [{"data": each} for each in (b"first", inner.read_bytes() * 20, b"last")], path)
    whole = wireloom.read("tfrecord", path, columns=["data"]).to_pylist()
    options = {"path": path, "recover": "true", "columns": "data", "openCostInBytes": 0, "minPartitions": 8}
    with pytest.raises(wireloom.UnsupportedError, match="cannot be read in byte ranges") as error:
        read("tfrecord", **options)
    wanted = re.search(r"minPartitions=(\d+), and maxPartitionBytes its size", str(error.value))
    assert wanted is not None
    options.update(minPartitions=wanted.group(1), maxPartitionBytes=path.stat().st_size)
    assert read("tfrecord", **options).to_pylist() == whole
    # The processors divide it, however large a partition may be.
    options["minPartitions"] = 8
    with pytest.raises(wireloom.UnsupportedError):
        read("tfrecord", **options)
