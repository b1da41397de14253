"""Local files are read and written without a network: no name is resolved, and no connection is attempted."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from ..waiting import SECONDS

# These are the calls of users. The hook sees every socket that Python opens; anything that Arrow does itself would
# fail, if the system allows the network to be removed.
PROGRAM = """
import sys

def watch(event, arguments):
    if event.startswith(("socket.", "http.client.", "urllib.Request", "ftplib.", "smtplib.")):
        raise SystemExit(f"network: {event} {arguments}")

sys.addaudithook(watch)
import click.testing
import wireloom
from wireloom.command import main

for name in wireloom.formats():
    wireloom.schema(name)
rows = [{"fmt": 0, "tenant": 1, "ts_millis": 5, "payload": b"abc"}] * 100
wireloom.write("edgemq_segment", rows, "a.wal.zst")
assert wireloom.read("edgemq_segment", "a.wal.zst").num_rows == 100
assert wireloom.read("edgemq_segment", "*.zst", prefetch=True, recover=True).num_rows == 100
for name in ("word_stuffed_log", "cobs_log", "s2_session", "s2_messages", "kpl_aggregated_record"):
    wireloom.read(name, b"")
wireloom.from_wire([b"plain", None], "kpl_aggregated_record")
with open("tiny.ksy", "w") as file:
    file.write("meta: {id: tiny, -wireloom: {rows: rows}}\\n"
               "seq: [{id: rows, type: row, repeat: eos}]\\ntypes: {row: {seq: [{id: value, type: u1}]}}\\n")
assert wireloom.read(wireloom.load_spec("tiny.ksy"), b"abc").num_rows == 3
for arguments in (
    ["formats"],
    ["decode", "edgemq_segment", "a.wal.zst", "-o", "a.parquet"],
    ["encode", "edgemq_segment", "a.parquet", "-o", "b.wal.zst"],
    ["verify", "edgemq_segment", "b.wal.zst"],
    ["inspect", "edgemq_segment", "b.wal.zst"],
    ["check", "tiny.ksy"],
):
    done = click.testing.CliRunner().invoke(main, arguments, standalone_mode=False)
    assert done.exception is None, (arguments, done.exception)
print("done")
"""


WITHOUT_NETWORK = ["unshare", "--map-root-user", "--net"]


def test_local_work_needs_no_network(tmp_path: Path) -> None:
    can = shutil.which("unshare") and subprocess.run([*WITHOUT_NETWORK, "true"], capture_output=True).returncode == 0
    command = [*(WITHOUT_NETWORK if can else []), sys.executable, "-c", PROGRAM]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=SECONDS, check=False)
    assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr[-2000:]
