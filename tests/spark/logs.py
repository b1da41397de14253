"""Logs that the pipeline reads, and its results."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pyarrow as pa
import pyarrow.dataset
import wireloom


def log(path: Path, *payloads: str, damaged: bytes = b"") -> None:
    """Append records to a log."""
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = pa.table({"payload": pa.array([each.encode() for each in payloads], pa.binary())})
    with path.open("ab") as file:
        wireloom.write("cobs_log", rows, file)
        file.write(damaged)


def logs(folder: Path, files: int = 6, records: int = 50) -> Counter[str]:
    """Write logs, every other one with a damaged record; return their records."""
    for number in range(files):
        log(
            folder / f"{number}.log",
            *(f"{number}-{each}" for each in range(records)),
            damaged=b"\x05!%d\0" % number if number % 2 else b"",
        )
    held = Counter(f"{number}-{each}" for number in range(files) for each in range(records))
    return held + Counter(f"!{number}" for number in range(1, files, 2))


def records(base: Path) -> Counter[str]:
    """Return the content of table and quarantine, as any reader of Parquet sees it."""
    found: Counter[str] = Counter()
    for name, column in (("table", "payload"), ("quarantine", "_corrupt_record")):
        if (base / name).exists():
            rows = pyarrow.dataset.dataset(base / name, format="parquet", partitioning="hive")
            values = rows.to_table([column])[column].to_pylist() if rows.files else []
            found.update(each.decode().lstrip("\x05\0") for each in values)
    return found
