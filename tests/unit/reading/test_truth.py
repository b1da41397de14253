"""Boolean options with values of other types."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import wireloom
from wireloom import WireloomError

from . import samples

SEGMENT = samples.frames([b"a", b"bb"])
OTHERS = ("no", "false", "True", "", 0, 1, None, b"", [], np.array([True]))
FORMAT = "edgemq_segment"


@pytest.mark.parametrize("value", OTHERS, ids=repr)
@pytest.mark.parametrize("name", ["recover", "verify", "check_format", "anonymous", "verify_sha256"])
def test_reading(name: str, value: Any) -> None:
    for call in (wireloom.read, wireloom.scan, wireloom.read_with_report):
        with pytest.raises(WireloomError, match=f"{name} must be True or False, not "):
            call(FORMAT, SEGMENT, **{name: value})


@pytest.mark.parametrize("value", [each for each in OTHERS if each is not None], ids=repr)
def test_prefetch_may_be_none(value: Any) -> None:
    assert wireloom.read(FORMAT, SEGMENT, prefetch=None).num_rows == 2
    with pytest.raises(WireloomError, match="prefetch must be True or False"):
        wireloom.read(FORMAT, SEGMENT, prefetch=value)


@pytest.mark.parametrize("value", [True, False, np.True_, np.False_], ids=repr)
def test_booleans_are_taken(value: Any) -> None:
    names = ("recover", "verify", "check_format", "prefetch", "anonymous", "verify_sha256")
    assert wireloom.read(FORMAT, SEGMENT, **dict.fromkeys(names, value)).num_rows == 2


@pytest.mark.parametrize("value", OTHERS, ids=repr)
def test_writing(tmp_path: Path, value: Any) -> None:
    rows = wireloom.read(FORMAT, SEGMENT)
    with pytest.raises(WireloomError, match="lossy must be True or False"):
        wireloom.write(FORMAT, rows, tmp_path / "file", lossy=value)
    assert not (tmp_path / "file").exists()


@pytest.mark.parametrize("value", OTHERS, ids=repr)
def test_blobs_and_logs(tmp_path: Path, value: Any) -> None:
    with pytest.raises(WireloomError, match="verify must be True or False"):
        wireloom.from_wire(pa.array([b""]), "kpl_aggregated_record", verify=value)
    (tmp_path / "log").write_bytes(b"")
    with pytest.raises(WireloomError, match="verify must be True or False"):
        wireloom.first_row("word_stuffed_log", tmp_path / "log", verify=value)
