"""A registered codec is known everywhere without further changes: options, suffixes, paths, specs, commands."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest
import wireloom
from click.testing import CliRunner
from wireloom import UnknownNameError, UnsupportedError, WireloomError, codecs
from wireloom.append import AppendWriter
from wireloom.codecs import CODECS, Codec, CodecError, Decoder
from wireloom.command import main
from wireloom.format import registry

MAGIC = b"toy\x1a"
END = b"\0"
ROWS = [{"fmt": 0, "tenant": 7, "ts_millis": number, "payload": b"%d" % number * 50} for number in range(3000)]
SPEC = """
meta:
  id: toy_log
  endian: be
  -wireloom:
    rows: records
    columns: [number]
    codec: toy
    path: "{host}/{day}.log.toy"
seq:
  - id: records
    type: record
    repeat: eos
types:
  record:
    seq:
      - id: number
        type: u4
"""


class ToyDecoder:
    """Every byte is stored as its complement, and a zero byte follows the last."""

    room = 1

    def __init__(self, source: Decoder, max_window: int) -> None:
        self._source = source
        self._stored: bytes | None = None
        self._given = 0

    def readinto(self, buffer: memoryview, /) -> int:
        if self._stored is None:
            piece, self._stored = memoryview(bytearray(1000)), b""
            while count := self._source.readinto(piece):
                self._stored += piece[:count]
        begin = len(MAGIC) + self._given
        piece = memoryview(self._stored.removesuffix(END)[begin : begin + len(buffer)])
        buffer[: len(piece)] = bytes(255 - each for each in piece)
        self._given += len(piece)
        if not piece and not self._stored.endswith(END):
            raise CodecError("the toy stream ends early")
        return len(piece)


class ToyCompressor:
    def __init__(self, level: int) -> None:
        self._begin = MAGIC

    def compress(self, data: bytes | memoryview, /) -> bytes:
        begin, self._begin = self._begin, b""
        return begin + bytes(255 - each for each in bytes(data))

    def flush(self) -> bytes:
        return self._begin + END


TOY = Codec(
    name="toy",
    suffixes=(".toy", ".ty"),
    magics=(MAGIC,),
    begins_well=lambda head: True,
    decoder=ToyDecoder,
    compressor=ToyCompressor,
    levels=range(3),
    default_level=1,
)


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    # These name all codecs in their help when they are imported, which must not be in here for the first time: tests
    # of the documentation in the same process would find this codec in it.
    for module in ("command.encode", "reading.options", "spark.options", "spark.live.kinesis.options"):
        importlib.import_module(f"wireloom.{module}")
    monkeypatch.setitem(CODECS, "toy", TOY)


def payloads(source: object, **options: object) -> list[bytes]:
    found: list[bytes] = wireloom.read("edgemq_segment", source, **options)["payload"].to_pylist()
    return found


def test_no_two_codecs_share_a_suffix() -> None:
    suffixes = [suffix for codec in CODECS.values() for suffix in codec.suffixes]
    assert len(set(suffixes)) == len(suffixes)
    assert all(name == codec.name for name, codec in CODECS.items())


@pytest.mark.slow
@pytest.mark.parametrize("name", ["a.wal.toy", "a.TY", "a.bin"])
def test_files_are_written_and_read(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    wireloom.write("edgemq_segment", ROWS, path, codec="toy" if name == "a.bin" else None)
    assert path.read_bytes().startswith(MAGIC)
    expected = [row["payload"] for row in ROWS]
    assert payloads(path) == payloads(path.read_bytes()) == payloads(path, codec="toy", prefetch=True) == expected
    # Small files of a list are read together.
    assert payloads([path, path]) == expected * 2


def test_the_path_gives_columns_with_and_without_the_suffix(tmp_path: Path) -> None:
    for suffix in (".zst", ".zst.toy", ".toy", ""):
        path = tmp_path / f"eu/i-1/7/segments/seg-1.wal{suffix}"
        path.parent.mkdir(parents=True, exist_ok=True)
        wireloom.write("edgemq_segment", ROWS[:1], path, codec="toy")
        table = wireloom.read("edgemq_segment", path, columns=["region", "segment"])
        expected = {"region": "eu", "segment": "seg-1"} if suffix != ".zst.toy" else {"region": None, "segment": None}
        assert table.to_pylist() == [expected]


def test_a_spec_names_it(tmp_path: Path) -> None:
    spec = tmp_path / "toy_log.ksy"
    spec.write_text(SPEC)
    path = tmp_path / "h1/monday.log"
    path.parent.mkdir()
    with path.open("wb") as file:
        # An open file with the format's own extension does not identify its codec; the spec does.
        wireloom.write(spec, [{"number": 5}], file, codec=wireloom.load_spec(spec).codec)
    assert path.read_bytes().startswith(MAGIC)
    table = wireloom.read(spec, path, columns=["number", "host", "day"])
    assert table.to_pylist() == [{"number": 5, "host": "h1", "day": "monday"}]


def test_a_damaged_stream_is_told_with_its_rows(tmp_path: Path) -> None:
    path = tmp_path / "a.wal.toy"
    wireloom.write("edgemq_segment", ROWS, path)
    path.write_bytes(path.read_bytes()[:-1])
    table, report = wireloom.read_with_report("edgemq_segment", path)
    assert table.num_rows == len(ROWS)
    assert "the toy stream ends early" in str(report.files[0].error)


def test_a_name_without_its_magic_number_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.wal.toy"
    wireloom.write("edgemq_segment", ROWS[:1], path, codec="none")
    with pytest.raises(WireloomError, match=r"not a toy stream, though its name ends in \.toy"):
        payloads(path)


@pytest.mark.slow
def test_commands_take_it(tmp_path: Path) -> None:
    log, lines, again = (str(tmp_path / name) for name in ("a.wal", "a.ndjson.toy", "b.wal"))
    wireloom.write("edgemq_segment", ROWS, log, codec="none")
    for arguments in (
        ("decode", "edgemq_segment", log, "-o", lines, "--bytes", "utf8"),
        ("encode", "edgemq_segment", lines, "-o", again, "--bytes", "utf8", "--codec", "toy", "--level", "2"),
    ):
        result = CliRunner().invoke(main, arguments)
        assert result.exit_code == 0, result.output
    assert Path(lines).read_bytes().startswith(MAGIC)
    assert Path(again).read_bytes() == MAGIC + bytes(255 - each for each in Path(log).read_bytes()) + END


def test_levels_are_checked() -> None:
    with pytest.raises(WireloomError, match="toy has the levels 0 to 2, not 3"):
        codecs.compressor("toy", 3)
    with pytest.raises(WireloomError, match=r"give codec='zstd' or codec='gzip' or .* or codec='toy'"):
        codecs.compressor("none", 1)


def test_compressed_files_are_not_appended_to(tmp_path: Path) -> None:
    with pytest.raises(UnsupportedError, match="by its suffix it is a toy stream"):
        AppendWriter(tmp_path / "a.cobs.toy", "cobs_log")
    path = tmp_path / "a.cobs"
    path.write_bytes(MAGIC)
    with pytest.raises(UnsupportedError, match="it contains a toy stream"):
        AppendWriter(path, "cobs_log")


def test_spark_takes_it() -> None:
    pytest.importorskip("pyspark")
    from wireloom.spark.options import read_options, write_options
    from wireloom.spark.write.task_files import ending

    format = registry.get("edgemq_segment")
    assert read_options(format, {"path": "a", "codec": "toy"}).scan.codec == "toy"
    assert write_options(format, {"path": "a", "compression": "TOY"}).codec == "toy"
    assert ending(format, "toy") == ".wal.toy"


@pytest.mark.parametrize("make", [codecs.decoder, lambda codec, source: codecs.compressor(codec)])
def test_a_codec_that_is_not_registered_is_refused(make: object) -> None:
    with pytest.raises(UnknownNameError, match="unknown codec 'lzw'"):
        make("lzw", None)  # type: ignore[operator]  # a function with two parameters
