"""A table and a ledger that do not belong together; without Spark."""

from __future__ import annotations

import fcntl
import json
import shutil
from collections import Counter
from pathlib import Path

import pytest
from wireloom import WireloomError
from wireloom.spark.ingest import ledger

from ..examples import strided
from .pipeline import Killed, check, dying, expected, make_inputs, run, visible

KINDS = ("parquet", "delta", "iceberg")
LOGS = ("delta", "iceberg")
WAYS_OUT = (
    "restore its _wireloom, ingest to another table, or replace this one with overwrite, which reads all files again"
)


@pytest.fixture(autouse=True)
def catalog(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Create pyiceberg's default catalog, in a database."""
    import pyiceberg.catalog

    monkeypatch.setenv("PYICEBERG_CATALOG__DEFAULT__TYPE", "sql")
    monkeypatch.setenv("PYICEBERG_CATALOG__DEFAULT__URI", f"sqlite:///{tmp_path / 'catalog'}")
    monkeypatch.setattr("pyiceberg.catalog._ENV_CONFIG", type(pyiceberg.catalog._ENV_CONFIG)())


def rows(base: Path, to: str) -> Counter[str]:
    """Return the records of the table, as readers of tables of that kind find them, and those in quarantine."""
    if to == "parquet":
        return visible(base)
    if to == "delta":
        from deltalake import DeltaTable

        values = DeltaTable(str(base / "table")).to_pyarrow_table().column("record").to_pylist()
    else:
        from pyiceberg.catalog import load_catalog

        values = load_catalog().load_table((base.name, "table")).scan().to_arrow().column("record").to_pylist()
    return visible(base, "quarantine") + Counter(values)


def refused(base: Path, to: str) -> str:
    """Return the error of a run that continues; it changes nothing."""
    before = {each: each.read_bytes() for each in (base / "table").rglob("*") if each.is_file()}
    with pytest.raises(WireloomError) as raised:
        run(base, to=to)
    assert {each: each.read_bytes() for each in (base / "table").rglob("*") if each.is_file()} == before
    said = str(raised.value)
    assert said.startswith(f"{base / 'table'}: ")
    assert said.endswith(f"; {WAYS_OUT}")
    return said


@pytest.mark.parametrize("to", KINDS)
@pytest.mark.parametrize("more", [0, 2], ids=["nothing new", "more to read"])
def test_a_ledger_that_is_gone(to: str, more: int, tmp_path: Path) -> None:
    make_inputs(tmp_path / "in", 4)
    run(tmp_path, to=to)
    make_inputs(tmp_path / "in", 4 + more)
    (tmp_path / "table" / "_wireloom").rename(tmp_path / "kept")
    assert "its ledger (_wireloom) is missing: it is unknown which files were read" in refused(tmp_path, to)
    (tmp_path / "kept").rename(tmp_path / "table" / "_wireloom")
    run(tmp_path, to=to)
    assert rows(tmp_path, to) == expected(tmp_path)


@pytest.mark.parametrize("to", KINDS)
def test_a_ledger_that_is_gone_and_a_table_that_is_replaced(to: str, tmp_path: Path) -> None:
    make_inputs(tmp_path / "in", 4)
    run(tmp_path, to=to)
    shutil.rmtree(tmp_path / "table" / "_wireloom")
    make_inputs(tmp_path / "in", 5)
    run(tmp_path, to=to, existing="overwrite", batch=5)
    assert rows(tmp_path, to) == expected(tmp_path)
    make_inputs(tmp_path / "in", 8)
    run(tmp_path, to=to)
    assert rows(tmp_path, to) == expected(tmp_path)


@pytest.mark.parametrize("to", LOGS)
def test_a_new_ledger_whose_numbers_are_those_of_another(to: str, tmp_path: Path) -> None:
    make_inputs(tmp_path / "in", 4)
    run(tmp_path, to=to)
    home, other = tmp_path / "table" / "_wireloom", tmp_path / "other"
    make_inputs(other / "in", 4)
    run(other, to=to)
    shutil.rmtree(home)
    shutil.copytree(other / "table" / "_wireloom", home)
    assert "has commits of an ingest, but the ledger in _wireloom has none" in refused(tmp_path, to)


@pytest.mark.parametrize("to", LOGS)
def test_a_ledger_of_another_time(to: str, tmp_path: Path) -> None:
    make_inputs(tmp_path / "in", 2)
    run(tmp_path, to=to)
    home = tmp_path / "table" / "_wireloom"
    shutil.copytree(home, tmp_path / "kept")
    make_inputs(tmp_path / "in", 4)
    run(tmp_path, to=to)
    shutil.rmtree(home)
    shutil.copytree(tmp_path / "kept", home)
    said = refused(tmp_path, to)
    assert "ends with commit 1, but the table's log ends with commit 2 of that ledger" in said
    run(tmp_path, to=to, existing="overwrite", batch=4)
    assert rows(tmp_path, to) == expected(tmp_path)


@pytest.mark.parametrize("to", LOGS)
def test_a_log_that_is_gone(to: str, tmp_path: Path) -> None:
    make_inputs(tmp_path / "in", 2)
    run(tmp_path, to=to)
    if to == "delta":
        shutil.rmtree(tmp_path / "table" / "_delta_log")
    else:
        from pyiceberg.catalog import load_catalog

        load_catalog().drop_table((tmp_path.name, "table"))
    make_inputs(tmp_path / "in", 4)
    assert "the ledger in _wireloom has 1 commits, but the table's log has none of them" in refused(tmp_path, to)
    run(tmp_path, to=to, existing="overwrite", batch=4)
    assert rows(tmp_path, to) == expected(tmp_path)


@pytest.mark.parametrize("to", LOGS)
def test_a_log_that_changes_while_a_batch_is_read(to: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What would not get into the log is not committed."""
    make_inputs(tmp_path / "in", 2)
    run(tmp_path, to=to)
    home, kept, mine = tmp_path / "table" / "_wireloom", tmp_path / "kept", tmp_path / "mine"
    shutil.copytree(home, kept)
    make_inputs(tmp_path / "in", 4)
    monkeypatch.setattr(fcntl, "flock", lambda *_: None)

    def another_process() -> None:
        """Begin another process with a separate ledger that has the same beginning."""
        if kept.exists():
            home.rename(mine)
            kept.rename(home)
            run(tmp_path, to=to)
            shutil.rmtree(home)
            mine.rename(home)

    with pytest.raises(WireloomError, match="ends with commit 1, but the table's log ends with commit 2"):
        run(tmp_path, to=to, pause=another_process)
    assert not (home / "pending").exists()
    assert rows(tmp_path, to) == expected(tmp_path)


@pytest.mark.parametrize("to", KINDS)
def test_a_death_at_every_step(to: str, tmp_path: Path) -> None:
    """Recovery meets numbers that the log has, and continues."""
    make_inputs(tmp_path / "whole" / "in", 4)
    with dying(0, "before", lasting=False) as taken:
        run(tmp_path / "whole", to=to)
    for step in strided(range(1, len(taken) + 1, 3), 3, KINDS.index(to)):
        base = tmp_path / f"{to}{step}"
        make_inputs(base / "in", 4)
        with dying(step, "before"), pytest.raises(Killed):
            run(base, to=to)
        run(base, to=to)
        assert rows(base, to) == expected(base)


def test_a_ledger_of_which_a_part_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledger.compact_ledger, "__defaults__", (3,))
    make_inputs(tmp_path / "in", 4)
    run(tmp_path, batch=1)
    home = tmp_path / "table" / "_wireloom"
    (home / "ledger.parquet").rename(tmp_path / "kept")
    with pytest.raises(WireloomError, match=r"commit 1 is neither in ledger\.parquet nor in commits; restore the"):
        run(tmp_path)
    (tmp_path / "kept").rename(home / "ledger.parquet")
    run(tmp_path)
    check(tmp_path)
    record = home / "commits" / "000000004.json"
    kept = json.loads(record.read_bytes())
    del kept["facts"]["ledger"]
    record.write_text(json.dumps(kept))
    with pytest.raises(WireloomError, match=r"commit 000000004 cannot be understood \(KeyError\('ledger'"):
        run(tmp_path)


def test_commits_without_rows(tmp_path: Path) -> None:
    """An Iceberg table is created with the first rows; earlier commits are only in the ledger."""
    (tmp_path / "in").mkdir()
    for number in range(2):
        (tmp_path / "in" / f"{number}.txt").write_text("!damaged")
        run(tmp_path, to="iceberg", batch=1)
    (tmp_path / "in" / "2.txt").write_text("2-0")
    run(tmp_path, to="iceberg")
    run(tmp_path, to="iceberg")
    assert rows(tmp_path, "iceberg") == {"!damaged": 2, "2-0": 1}
