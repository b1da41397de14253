"""Any sequence of files that appear and grow, divided into any batches, with restarts and replays: every record exactly
once."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import wireloom
from hypothesis import given, settings
from hypothesis import strategies as st
from wireloom import WireloomError

from ..differential.strategies import bounded
from ..examples import examples
from ..writing import bytes_of
from .stream_driver import Query, age

FILES = 4

steps = st.lists(
    st.one_of(
        st.tuples(st.just("write"), st.integers(0, FILES - 1), st.integers(1, 60), st.integers(0, 5)),
        st.tuples(st.just("batch")),
        st.tuples(st.just("crash")),
        st.tuples(st.just("restart"), st.integers(1, 3), st.integers(1, 80)),
        st.tuples(st.just("replay"), st.integers(0, 9)),
    ),
    max_size=30,
)
"""``write``: more bytes of a file, and its new time; ``crash``: a batch is planned, and a new process reads it."""


def content(name: str, number: int) -> bytes:
    """Return a file of some records of all sizes; the numbers in them show where they belong."""
    texts = [bytes([number, row]) + b"\0\xfe\xfd"[: row % 4] * (row % 5) for row in range(9)]
    columns: dict[str, pa.Array] = {"payload": pa.array(texts, pa.binary())}
    if name == "word_stuffed_log":
        columns["generation"] = pa.array([0] * 9, pa.uint32())
    if name == "edgemq_segment":
        columns |= {each: pa.array([1] * 9, kind) for each, kind in (("fmt", pa.uint8()), ("tenant", pa.uint32()))}
        columns["ts"] = pa.array([number] * 9, pa.timestamp("ms", "UTC"))
    return bytes_of(name, pa.table(columns), codec="none")


@dataclass
class Run:
    """A query over a folder, and its results, batch by batch."""

    name: str
    folder: Path
    options: dict[str, Any]
    query: Query = field(init=False)
    seen: list[list[dict[str, Any]]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.query = Query(self.name, "payload BINARY, _path STRING, _offset LONG", path=self.folder, **self.options)

    def read(self, number: int) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = self.query.read(number).sort_by([("_path", "ascending"), ("_offset", "ascending")])
        return rows.to_pylist()  # type: ignore[attr-defined, no-any-return]

    def batch(self, *, crash: bool = False) -> bool:
        if not self.query.plan():
            return False
        if crash:
            self.query.restart()
        self.seen.append(self.read(-1))
        return True

    def drain(self) -> None:
        """Read until there is nothing new."""
        for _ in range(1000):
            if not self.batch():
                return
        raise AssertionError("there is no end")

    def check(self, expected: dict[str, list[bytes]]) -> None:
        """Check that each record exists exactly once, and those of a file in their order."""
        found: dict[str, list[bytes]] = {}
        for rows in self.seen:
            for row in rows:
                found.setdefault(Path(row["_path"]).name, []).append(row["payload"])
        assert found == {name: rows for name, rows in expected.items() if rows}


CONTENT = {
    name: [content(name, number) for number in range(FILES)]
    for name in ("cobs_log", "word_stuffed_log", "edgemq_segment")
}
NAMES = [pytest.param(name, marks=() if name == "edgemq_segment" else pytest.mark.thorough) for name in CONTENT]
"""One format in each run of the suite, since streams are the same for all formats that grow."""
RECORDS = {
    name: [wireloom.read(name, each, columns=["payload"])["payload"].to_pylist() for each in files]
    for name, files in CONTENT.items()
}


@pytest.mark.parametrize("name", NAMES)
@bounded(10)
@given(todo=steps, files=st.integers(1, 3), size=st.integers(1, 200), split=st.integers(1, 60))
def test_files_that_grow(name: str, todo: list[tuple[Any, ...]], files: int, size: int, split: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        limits = {"maxFilesPerTrigger": files, "maxBytesPerTrigger": size}
        packing = {"maxPartitionBytes": split, "openCostInBytes": 0}
        run = Run(name, Path(folder), {"tail": "true", **limits, **packing})
        written = [0] * FILES
        for step in todo:
            if step[0] == "write":
                _, number, count, time = step
                begin, written[number] = written[number], min(written[number] + count, len(CONTENT[name][number]))
                path = Path(folder) / f"{number}.log"
                with path.open("ab") as file:
                    file.write(CONTENT[name][number][begin : written[number]])
                age(path, time)
            elif step[0] == "restart":
                run.query.restart(maxFilesPerTrigger=step[1], maxBytesPerTrigger=step[2])
            elif step[0] == "replay":
                if run.seen:
                    number = step[1] % len(run.seen)
                    assert run.read(number) == run.seen[number]
            else:
                run.batch(crash=step[0] == "crash")
        for number, count in enumerate(written):
            with (Path(folder) / f"{number}.log").open("ab") as file:
                file.write(CONTENT[name][number][count:])
        run.drain()
        run.check({f"{number}.log": rows for number, rows in enumerate(RECORDS[name][:FILES])})


@settings(max_examples=examples(100))
@given(
    todo=st.lists(st.integers(0, 8) | st.sampled_from(["batches", "crash", "restart"]), min_size=8, max_size=24),
    most=st.integers(1, 3),
    files=st.integers(1, 3),
    latest=st.booleans(),
)
def test_whole_files_with_a_short_memory(todo: list[int | str], most: int, files: int, latest: bool) -> None:
    """If it cannot be known which files are new, that is an error: none is silently lost or read twice."""
    with tempfile.TemporaryDirectory() as folder:
        options = {"maxTrackedFiles": most, "maxFilesPerTrigger": files, "latestFirst": str(latest).lower()}
        run = Run("edgemq_segment", Path(folder), options)
        expected = {}
        try:
            for number, step in enumerate([*todo, "batches"]):
                if isinstance(step, int):
                    path = Path(folder) / f"{number:02d}.wal"
                    path.write_bytes(CONTENT["edgemq_segment"][number % FILES])
                    age(path, step)
                    expected[path.name] = RECORDS["edgemq_segment"][number % FILES]
                elif step == "restart":
                    run.query.restart()
                elif step == "crash":
                    run.batch(crash=True)
                else:
                    run.drain()
        except WireloomError as error:
            if "appeared while the query was stopped" not in str(error):
                raise
            return
        run.check(expected)
        run.query.restart()
        assert not run.query.plan()
