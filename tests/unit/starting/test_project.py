"""The table ``[tool.wireloom]``: where a project keeps its specs and its generated code."""

from pathlib import Path

import pytest
from wireloom.codegen.project import find_project
from wireloom.errors import WireloomError


def test_without_a_table_it_is_laid_out_as_wireloom_itself(tmp_path: Path) -> None:
    for text in (None, "[tool.ruff]\nline-length = 120\n"):
        if text is not None:
            (tmp_path / "pyproject.toml").write_text(text)
        found = find_project(tmp_path)
        assert (found.specs, found.output) == (tmp_path / "specs", tmp_path / "generated")
        assert found.target.package == "wireloom.formats"
        assert found.discovery is None
        assert found.entry_points is None


def test_all_keys(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(
        '[tool.wireloom]\nspecs = "formats/wire/"\noutput = "src/a/made"\npackage = "a.made"\ndiscovery = "src"\n'
        '[project.entry-points."wireloom.formats"]\nb = "a.made.b:FORMAT"\n'
    )
    found = find_project(tmp_path)
    assert (found.specs, found.output) == (tmp_path / "formats/wire", tmp_path / "src/a/made")
    assert (found.target.package, found.target.specs, found.target.discovery) == ("a.made", "formats/wire", True)
    assert found.discovery == tmp_path / "src"
    assert found.entry_points == {"b"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[tool.wireloom\n", "is not TOML"),
        ("[tool]\nwireloom = 1\n", "is a table"),
        ('[tool.wireloom]\nspec = "specs"\n', "did you mean 'specs'"),
        ("[tool.wireloom]\nspecs = 1\n", "give a text"),
        ('[tool.wireloom]\npackage = "a-b"\n', "no name of a package"),
        ('[tool.wireloom]\noutput = "../up"\n', "inside the project"),
        ('[tool.wireloom]\noutput = "/tmp"\n', "inside the project"),
    ],
)
def test_mistakes(text: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(text)
    with pytest.raises(WireloomError, match=said) as error:
        find_project(tmp_path)
    assert "pyproject.toml" in str(error.value)
