"""The table ``[tool.wireloom]``: where a project keeps its specs and its generated code."""

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner
from wireloom import WireloomError
from wireloom.codegen.project import enclosing_project, find_project
from wireloom.command import main


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
        ("[tool]\nwireloom = 1\n", "must be a table"),
        ('[tool.wireloom]\nspec = "specs"\n', "did you mean 'specs'"),
        ("[tool.wireloom]\nspecs = 1\n", "must be a string"),
        ('[tool.wireloom]\npackage = "a-b"\n', "must be the name of a Python package"),
        ('[tool.wireloom]\noutput = "../up"\n', "inside the project"),
        ('[tool.wireloom]\noutput = "/tmp"\n', "inside the project"),
    ],
)
def test_mistakes(text: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(text)
    with pytest.raises(WireloomError, match=said) as error:
        find_project(tmp_path)
    assert "pyproject.toml" in str(error.value)


def test_the_project_is_found_from_inside_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inside = tmp_path / "src" / "deep"
    inside.mkdir(parents=True)
    monkeypatch.chdir(inside)
    assert enclosing_project(Path()).output == Path("generated")
    (tmp_path / "pyproject.toml").write_text("[tool.wireloom]\nspecs = 'wire'\n")
    assert enclosing_project(Path()).specs == Path("../../wire")
    # An unrelated file on the way, and one with a layout of its own.
    (tmp_path / "src" / "pyproject.toml").write_text("[tool.ruff]\n")
    assert enclosing_project(Path()).specs == Path("../../wire")
    (inside / "specs").mkdir()
    assert enclosing_project(Path()).specs == Path("specs")


def test_a_repository_is_not_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inside = tmp_path / "other" / "src"
    inside.mkdir(parents=True)
    (tmp_path / "pyproject.toml").write_text("[tool.wireloom]\nspecs = 'wire'\n")
    (tmp_path / "other" / ".git").mkdir()
    monkeypatch.chdir(inside)
    assert enclosing_project(Path()).specs == Path("specs")


@pytest.mark.slow
def test_generate_from_inside_of_a_project_names_paths_from_there(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = shutil.copytree(made, tmp_path / "door_log")
    monkeypatch.chdir(project / "src")
    assert CliRunner().invoke(main, ["generate", "--check"]).exit_code == 0
    spec = project / "specs" / "door_log.ksy"
    spec.write_text(spec.read_text().replace("3: forced", "3: broken"))
    differs = CliRunner().invoke(main, ["generate", "--check", "--json"])
    assert differs.exit_code == 1
    report = json.loads(differs.stdout)
    parser = "wireloom_door_log/generated/door_log/parser.py"
    assert parser in report["written"]
    assert "pyspark_door_log/__init__.py" in report["unchanged"] + report["written"]
    assert f"--- a/{parser}\n+++ b/{parser}\n" in report["diff"]
    # A patch that can be applied where one is.
    assert all(Path(each).exists() for each in report["written"] + report["unchanged"])
    monkeypatch.chdir(project / "tests")
    assert f"wrote ../src/{parser}" in CliRunner().invoke(main, ["generate"]).stdout
    spec.write_text(spec.read_text().replace("type: u2", "type: u3"))
    refused = CliRunner().invoke(main, ["generate"])
    assert refused.exit_code == 2
    assert refused.stderr.startswith("../specs/door_log.ksy:")
