"""``repr`` of scanners and datasets: the format and the first inputs, bounded, without secrets."""

import io
from pathlib import Path

import wireloom


class _Download(io.BytesIO):
    name = "https://me:hunter2@host/day/a.wal?sig=abc"


def test_inputs_are_named(tmp_path: Path) -> None:
    paths = [str(tmp_path / f"{number}.wal") for number in range(5)]
    for each in paths:
        wireloom.write("edgemq_segment", [], each)
    listed = f"{', '.join(f'…{each[-79:]}' if len(each) > 80 else each for each in paths[:3])} and 2 more"
    assert repr(wireloom.scan("edgemq_segment", paths)) == f"<Scanner of edgemq_segment: {listed}>"
    dataset = wireloom.dataset("edgemq_segment", paths)
    assert repr(dataset) == f"<LogDataset of edgemq_segment: {listed}>"
    assert dataset.path is None
    fragments = list(dataset.get_fragments())
    assert [each.path for each in fragments] == paths
    assert repr(fragments[4]).endswith("4.wal>")
    assert [len(repr(each)) < 120 for each in fragments] == [True] * 5


def test_long_paths_and_bytes(tmp_path: Path) -> None:
    path = tmp_path / ("x" * 200 + "\n.wal")
    wireloom.write("edgemq_segment", [], path)
    shown = repr(wireloom.scan("edgemq_segment", path))
    assert shown == f"<Scanner of edgemq_segment: …{'x' * 71}\\x0a.wal>"
    assert repr(wireloom.scan("edgemq_segment", b"")) == "<Scanner of edgemq_segment: bytes>"


def test_secrets_are_not_shown() -> None:
    assert repr(wireloom.scan("edgemq_segment", _Download())) == "<Scanner of edgemq_segment: https://…@host/day/a.wal>"
