"""Run against the installed wheel, in a separate environment without access to the sources."""

import importlib.metadata
import io
import json
import subprocess
import sys
import sysconfig
from pathlib import Path

import pyarrow as pa
import wireloom
import wireloom.engine

VECTORS = Path(__file__).parent.parent / "vectors"
SEGMENT = str(VECTORS / "edgemq" / "plain_200.wal.zst")


def test_it_is_the_installed_package_with_its_engine() -> None:
    assert Path(wireloom.__file__).is_relative_to(sysconfig.get_paths()["platlib"])
    assert wireloom.engine.available
    assert wireloom.__version__ == importlib.metadata.version("wireloom")
    assert {"edgemq_segment", "word_stuffed_log", "cobs_log"} <= set(wireloom.formats())


def test_the_first_minute(tmp_path: Path) -> None:
    """The beginning of the README."""
    from wireloom.demo import sample

    path = sample(tmp_path / "events.wal.zst")
    table = wireloom.read("edgemq_segment", path, limit=3)
    assert [row["tenant"] for row in table.to_pylist()] == [42, 42, 256]
    command = Path(sys.executable).parent / "wireloom"
    shown = subprocess.run([command, "verify", "edgemq_segment", path], capture_output=True, check=True, text=True)
    assert shown.stdout.startswith(f"{path}: clean; 1,000 rows")


def test_reading() -> None:
    table, report = wireloom.read_with_report("edgemq_segment", SEGMENT)
    assert table.num_rows == 200
    assert table.column_names == ["fmt", "tenant", "ts", "payload"]
    assert report.clean
    assert report.engine == "columns"


def test_writing_and_reading_back() -> None:
    for name in ("word_stuffed_log", "cobs_log"):
        columns = {"payload": pa.array([b"", b"\xfe\xfd\0", b"x" * 70000], pa.binary())}
        if name == "word_stuffed_log":
            columns["generation"] = pa.array([1, 2, 3], pa.uint32())
        written = io.BytesIO()
        wireloom.write(name, pa.table(columns), written)
        back = wireloom.read(name, written.getvalue(), mode="failfast")
        assert back["payload"].to_pylist() == columns["payload"].to_pylist()


def test_command_line() -> None:
    command = Path(sys.executable).parent / "wireloom"
    shown = subprocess.run([command, "formats", "--json"], capture_output=True, check=True, text=True).stdout
    assert "edgemq_segment" in shown
    lines = subprocess.run([command, "decode", "edgemq_segment", SEGMENT], capture_output=True, check=True).stdout
    assert len([json.loads(line) for line in lines.splitlines()]) == 200


def test_a_format_from_a_spec_file(tmp_path: Path) -> None:
    spec = tmp_path / "readings.ksy"
    spec.write_text(
        "meta:\n  id: readings\n  endian: le\n  -wireloom:\n    rows: readings\n"
        "seq:\n  - id: readings\n    type: reading\n    repeat: eos\n"
        "types:\n  reading:\n    seq:\n      - id: sensor\n        type: u2\n      - id: value\n        type: f4\n"
    )
    reading = wireloom.load_spec(spec)
    table = wireloom.read(reading, bytes.fromhex("01000000803f 02000000003f"))
    assert table.to_pylist() == [{"sensor": 1, "value": 1.0}, {"sensor": 2, "value": 0.5}]


def test_what_an_error_in_a_spec_names_is_there_too(tmp_path: Path) -> None:
    command = Path(sys.executable).parent / "wireloom"
    (tmp_path / "bad.ksy").write_text("meta: {id: bad}\nseq: [{id: a, size: nothing}]\n")
    checked = subprocess.run([command, "check", "bad.ksy"], capture_output=True, text=True, cwd=tmp_path)
    assert checked.returncode == 1
    see = next(line.partition("see: ")[2] for line in checked.stdout.splitlines() if "see: " in line)
    assert see == "wireloom reference attribute.size"
    shown = subprocess.run([command, *see.split()[1:]], capture_output=True, text=True, cwd=tmp_path, check=True)
    assert shown.stdout.startswith("attribute.size\n  takes an expression")
