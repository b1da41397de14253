"""No command imports pandas, which pyarrow does by itself where it is installed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import wireloom

ROWS = [{"fmt": 0, "tenant": 1, "ts_millis": 5, "payload": b"a"}]
COMMANDS = {
    "decode": [],
    "decode to csv": ["--to", "csv"],
    "decode to a table": ["--to", "table"],
    "decode to parquet": ["-o", "rows.parquet"],
    "decode to arrow": ["-o", "rows.arrow"],
    "verify": [],
    "extract": [],
    "inspect": [],
    "dump": [],
    "encode": ["-o", "again.wal"],
}


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_no_command_imports_pandas(name: str, tmp_path: Path) -> None:
    (tmp_path / "pandas.py").write_text("import os\nos.write(2, b'pandas is imported')\nraise ImportError\n")
    wireloom.write("edgemq_segment", ROWS, tmp_path / "a.wal")
    (tmp_path / "a.ndjson").write_text('{"fmt":0,"tenant":1,"ts_millis":5,"payload":"61"}\n')
    command = [name.split()[0], "edgemq_segment", "a.ndjson" if name == "encode" else "a.wal", *COMMANDS[name]]
    begin = "from wireloom.command.entry import main; main()"
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-c", begin, *command],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, "pandas" in done.stderr) == (0, False), done.stderr
