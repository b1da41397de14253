"""The pages whose blocks need nothing else: the specs are read, and the examples print what the pages show."""

from pathlib import Path

import pytest
import wireloom

from .blocks import Page, part

PARTS = {
    ("checksums", "", ""): 17,
    ("damage", "", ""): 3,
    ("dialect", "", ""): 16,
    ("formats", "OpenTelemetry", "TFRecord"): 4,
    ("formats", "TFRecord", "TFRecord in Spark"): 1,
    ("formats", "S2", ""): 8,
    ("messages", "Protobuf messages", "Columns of messages"): 3,
    ("messages", "Columns of messages", "Spark"): 10,
    ("reading", "Finding rows in large logs", "Any storage"): 5,
    ("rows", "", ""): 42,
    ("tables", "", ""): 17,
    ("writing", "", ""): 11,
}
"""Parts of pages, from a heading up to another one, and how many blocks they have at least."""


@pytest.mark.parametrize(("page", "begin", "end"), PARTS)
def test_the_part(page: str, begin: str, end: str, tmp_path: Path) -> None:
    assert Page(part(page, begin, end), tmp_path).run() >= PARTS[page, begin, end]


def test_the_engine_reads_the_specs_about_checksums(tmp_path: Path) -> None:
    assert Page(part("checksums"), tmp_path).run(("yaml",)) > 3
    for name in ("tfrecord", "running", "frame_log"):
        assert wireloom.load_spec(tmp_path / f"{name}.ksy").program is not None


def test_the_spec_from_a_proto_file_is_what_the_command_writes(tmp_path: Path) -> None:
    page = Page(part("messages", "Specs from .proto files", "Protobuf messages"), tmp_path)
    (source,) = (each.text for each in page.all if each.kind == "proto")
    (spec,) = (each.text for each in page.all if each.kind == "yaml")
    (tmp_path / "plant.proto").write_text(source)
    assert page.run(("console",)) == 1
    assert (tmp_path / "plant.ksy").read_text() == spec
