"""The page about .proto files: its output is as shown."""

from pathlib import Path

from .blocks import Page

PAGE = (Path(__file__).parents[2] / "docs" / "protobuf.md").read_text()


def test_the_spec_on_the_page_is_what_the_command_writes(tmp_path: Path) -> None:
    page = Page(PAGE, tmp_path)
    (source,) = (each.text for each in page.all if each.kind == "proto")
    (spec,) = (each.text for each in page.all if each.kind == "yaml")
    (tmp_path / "plant.proto").write_text(source)
    assert page.run(("console",)) == 1
    assert (tmp_path / "plant.ksy").read_text() == spec
