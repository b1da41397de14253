"""Streaming reads without Spark: logs that are truncated while they are followed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from wireloom import WireloomError

from .rotating import Format, append, following, lost, numbered
from .stream_driver import LOG, Query, together, write


@pytest.mark.parametrize("restarted", [False, True])
def test_a_log_that_is_cut_to_nothing_stops_the_query(tailed: Format, restarted: bool, tmp_path: Path) -> None:
    log = tmp_path / "app.log"
    append(tailed, log, *numbered("old"))
    query = following(tailed, tmp_path)
    assert together(query) == numbered("old")
    os.truncate(log, 0)
    with pytest.raises(WireloomError, match=r"app\.log: the file had \d+ bytes when it was read, and became shorter s"):
        query.plan()
    query.restart(failOnDataLoss="false")
    for text in numbered("new", 8):
        append(tailed, log, text)
        if restarted:
            query.restart()
        assert together(query) == [text]
    assert lost(query) == 1


def test_a_log_that_is_cut_and_outgrows_its_old_size(tailed: Format, tmp_path: Path) -> None:
    log = tmp_path / "app.log"
    append(tailed, log, *numbered("old"))
    query = following(tailed, tmp_path)
    assert together(query) == numbered("old")
    os.truncate(log, 0)
    append(tailed, log, *numbered("new", 6))
    with pytest.raises(WireloomError, match=r"app\.log: the file was read up to byte \d+, and was then replaced"):
        query.plan()
    query.restart(failOnDataLoss="false")
    assert together(query) == numbered("new", 6)
    assert lost(query) == 1
    query.restart(failOnDataLoss="true")
    append(tailed, log, "next")
    assert together(query) == ["next"]


def test_a_delimiter_has_to_stand_where_reading_goes_on(tmp_path: Path) -> None:
    """The bytes that were read exist, and what follows belongs to a row that begins among them."""
    log = tmp_path / "app.log"
    content = write(LOG, log, "one", "two")
    query = Query(LOG, path=tmp_path)
    assert together(query) == ["one", "two"]
    log.write_bytes(content[:-1] + b"x" + content)
    with pytest.raises(
        WireloomError, match=r"app\.log: the file was read up to byte \d+, and no longer has a delimiter"
    ):
        query.plan()


def test_a_whole_file_without_its_last_delimiter_cannot_be_tailed_on(tmp_path: Path) -> None:
    content = write(LOG, tmp_path / "log", "one", "two")
    (tmp_path / "log").write_bytes(content[:-1])
    query = Query(LOG, path=tmp_path, tail="false")
    assert together(query) == ["one", "two"]
    (tmp_path / "log").write_bytes(content[:-1] + b"\1" + content)
    query.restart(tail="true")
    with pytest.raises(WireloomError, match="no longer has a delimiter there"):
        query.plan()
