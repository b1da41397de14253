"""The demonstration's samples: what was written can be read, except what was damaged."""

from pathlib import Path

import pytest
import wireloom
from wireloom.demo import Sample, make_samples


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> list[Sample]:
    heard: list[Sample] = []
    made = make_samples(tmp_path_factory.mktemp("samples"), 0.02, heard.append)
    assert made == heard
    return made


def format_of(sample: Sample) -> str:
    return "edgemq_segment" if sample.path.name.endswith(".wal.zst") else "word_stuffed_log"


@pytest.mark.slow
def test_one_file_of_each_format_is_damaged(samples: list[Sample]) -> None:
    damaged = [format_of(sample) for sample in samples if sample.damaged]
    assert damaged == ["edgemq_segment", "word_stuffed_log"]


def test_the_reader_finds_exactly_the_damaged_ones(samples: list[Sample]) -> None:
    for sample in samples:
        table, report = wireloom.read_with_report(format_of(sample), sample.path, recover=True)
        assert report.clean is (sample.damaged is None)
        if sample.damaged is None:
            assert table.num_rows == sample.rows
            assert report.bytes == sample.raw_bytes
        else:
            assert sample.rows - 60 < table.num_rows < sample.rows


def test_recovery_is_needed_after_the_broken_length(samples: list[Sample]) -> None:
    [segment] = [sample for sample in samples if sample.damaged and format_of(sample) == "edgemq_segment"]
    without = wireloom.read("edgemq_segment", segment.path).num_rows
    assert without < segment.rows / 2


def test_the_path_gives_columns(samples: list[Sample]) -> None:
    table = wireloom.read("edgemq_segment", samples[0].path, columns=["region", "instance_id", "epoch", "segment"])
    assert table.slice(0, 1).to_pylist() == [
        {"region": "eu-west-1", "instance_id": "i-0f3a9c21", "epoch": "1", "segment": "seg-00000001"}
    ]


@pytest.mark.slow
def test_the_same_seed_gives_the_same_bytes(samples: list[Sample], tmp_path: Path) -> None:
    again = make_samples(tmp_path, 0.02, lambda sample: None)
    assert [sample.path.read_bytes() for sample in again] == [sample.path.read_bytes() for sample in samples]
