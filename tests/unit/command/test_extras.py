"""What needs a package that is not installed says so in one sentence, with the extra that contains it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import wireloom
from wireloom.base.extras import require

from ...waiting import SECONDS

pytestmark = pytest.mark.slow
"""They start processes."""
THOROUGH = pytest.mark.thorough

COMMAND = """
import sys
for name in {absent!r}:
    sys.modules[name] = None
from wireloom.command.entry import main
sys.argv = ["wireloom", *{arguments!r}]
main()
"""


def run_without(absent: list[str], arguments: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    program = COMMAND.format(absent=absent, arguments=arguments)
    return subprocess.run(
        [sys.executable, "-c", program], cwd=folder, capture_output=True, text=True, check=False, timeout=SECONDS
    )


@pytest.mark.parametrize(
    ("absent", "arguments", "message"),
    [
        (["pyspark"], ["ingest", "cobs_log", "a.log", "--table", "out"], "pyspark: pip install 'wireloom[spark]'"),
        (["deltalake"], ["ingest", "cobs_log", "a.log", "--table", "out", "--to", "delta"], "'wireloom[delta]'"),
        pytest.param(
            ["pyiceberg"],
            ["ingest", "cobs_log", "a.log", "--table", "c.n.t", "--to", "iceberg"],
            "'wireloom[iceberg]'",
            marks=THOROUGH,
        ),
        (["pygls"], ["lsp"], "wireloom lsp needs the package pygls: pip install 'wireloom[lsp]'"),
        (["ruff"], ["new", "door_log"], "needs the package ruff: pip install 'wireloom[generate]'"),
        pytest.param(
            ["ruff"],
            ["generate", "a.ksy", "-o", "out"],
            "needs the package ruff: pip install 'wireloom[generate]'",
            marks=THOROUGH,
        ),
        (["grpc_tools"], ["import-proto", "a.proto"], "needs the package grpc_tools: pip install 'wireloom[proto]'"),
        pytest.param(
            ["botocore"],
            ["decode", "cobs_log", "s3://b/k", "--profile", "sso"],
            "botocore: pip install 'wireloom[s3]'",
            marks=THOROUGH,
        ),
    ],
)
def test_a_command(
    absent: list[str], arguments: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wireloom.write("cobs_log", [{"payload": b"a"}], tmp_path / "a.log")
    (tmp_path / "a.ksy").write_text("meta: {id: a, endian: le}\nseq: [{id: one, type: u1}]\n")
    (tmp_path / "a.proto").write_text('syntax = "proto3";\nmessage A { string b = 1; }\n')
    (tmp_path / "profiles").write_text("[profile sso]\nsso_session = x\n")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "profiles"))
    done = run_without(absent, arguments, tmp_path)
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    assert done.stderr.startswith("wireloom: error: ")
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("module", ["wireloom.spark", "wireloom.spark.functions", "wireloom.spark.session"])
def test_a_module_of_spark_is_an_import_error(module: str, tmp_path: Path) -> None:
    program = (
        "import sys; sys.modules['pyspark'] = None\n"
        f"try: import {module}\n"
        "except ImportError as error: print(error.name, error)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=SECONDS)
    assert done.stdout == "pyspark Spark needs the package pyspark: pip install 'wireloom[spark]'\n"


def test_what_is_installed_is_not_refused() -> None:
    require("pyarrow", "spark", "reading")


def test_an_older_pyspark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "pyspark").mkdir()
    (tmp_path / "pyspark" / "__init__.py").write_text("__version__ = '3.5.8'\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    wireloom.write("cobs_log", [{"payload": b"a"}], tmp_path / "a.log")
    done = run_without([], ["ingest", "cobs_log", "a.log", "--table", "out"], tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert re.fullmatch(r"wireloom: error: .*needs PySpark 4\.0 or newer, and this is 3\.5\.8: .*\n", done.stderr)


def test_times_in_nanoseconds_without_pandas(tmp_path: Path) -> None:
    times = pa.array([2**62], pa.timestamp("ns"))
    pq.write_table(pa.table({"attributes": times}), tmp_path / "a.parquet")
    # Commands do without pandas even where it is installed.
    done = run_without([], ["encode", "otlp_logs", "a.parquet", "-o", "a.bin"], tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert re.fullmatch(r"wireloom: error: column attributes: .*\n", done.stderr)
