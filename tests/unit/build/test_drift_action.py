"""The action that checks drift in users' repositories: its script, in a repository created by ``wireloom new``."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from wireloom.command import main

ACTION = Path(__file__).parents[3] / ".github" / "actions" / "drift"


def git(folder: Path, *arguments: str) -> None:
    names = ("-c", "user.name=somebody", "-c", "user.email=somebody@example.invalid")
    subprocess.run(["git", *names, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a repository with the branch ``origin/main``."""
    folder = tmp_path_factory.mktemp("drift") / "door_log"
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder.parent)
        with pytest.raises(SystemExit):
            main(["new", "door_log"])
    git(folder, "init", "--quiet", "--initial-branch", "main")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "begin")
    git(folder, "update-ref", "refs/remotes/origin/main", "HEAD")
    return folder


def run(project: Path, **inputs: str) -> tuple[int, str]:
    """Run the step of the action, with its inputs, without installing anything."""
    action = yaml.safe_load((ACTION / "action.yml").read_text())
    values = {name: str(each["default"]) for name, each in action["inputs"].items()} | {"wireloom": ""} | inputs
    (step,) = action["runs"]["steps"]
    environment = dict(os.environ, GITHUB_ACTION_PATH=str(ACTION))
    environment["PATH"] = os.pathsep.join((str(Path(sys.executable).parent), environment["PATH"]))
    for name, value in step["env"].items():
        source = value.strip("${} ")
        environment[name] = values.get("base", "") if source == "github.base_ref" else values[source.split(".")[1]]
    done = subprocess.run(
        [step["shell"], "-c", step["run"]], cwd=project, env=environment, capture_output=True, text=True
    )
    return done.returncode, done.stdout + done.stderr


def annotations(printed: str) -> list[str]:
    """Return the kinds of the annotations, in order."""
    return re.findall(r"^::(\w+) title=", printed, re.MULTILINE)


def test_code_as_generated(project: Path) -> None:
    code, printed = run(project, base="main")
    assert code == 0
    assert "::" not in printed


def test_code_that_was_edited(project: Path) -> None:
    path = next(project.rglob("parser.py"))
    path.write_text(path.read_text() + "# by hand\n")
    code, printed = run(project)
    git(project, "checkout", ".")
    assert code == 1
    assert "parser.py" in printed
    assert "::error title=wireloom::The generated code differs from the specs. Run 'wireloom generate'" in printed


@pytest.mark.parametrize(("breaking", "expected"), [("error", 1), ("warning", 0)])
def test_a_pull_request_that_breaks_readers(project: Path, breaking: str, expected: int) -> None:
    spec = project / "specs" / "door_log.ksy"
    spec.write_text(spec.read_text().replace("columns: [kind, at, note]", "columns: [kind, at]"))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(project)
        with pytest.raises(SystemExit, match="0"):
            main(["generate"])
    code, printed = run(project, base="main", breaking=breaking)
    git(project, "checkout", ".")
    assert f"::{breaking} title=wireloom::A change of a spec breaks its readers" in printed
    assert code == expected


@pytest.mark.parametrize(
    ("kept", "breaking", "expected"), [((), "error", "error"), (("README",), "warning", "warning error")]
)
def test_a_pull_request_that_removes_the_only_spec(
    project: Path, kept: tuple[str, ...], breaking: str, expected: str
) -> None:
    shutil.rmtree(project / "specs")
    for name in kept:
        (project / "specs").mkdir()
        (project / "specs" / name).touch()
    code, printed = run(project, base="main", breaking=breaking)
    git(project, "clean", "-d", "--force")
    git(project, "checkout", ".")
    assert code == 1
    assert "door_log: breaking\n  breaking    settings  spec: was removed\n" in printed
    assert annotations(printed) == expected.split()
    assert f"::{breaking} title=wireloom::A change of a spec breaks its readers" in printed


@pytest.mark.parametrize("base", ["main", ""])
def test_a_spec_that_is_invalid_has_one_annotation(project: Path, base: str) -> None:
    (project / "specs" / "door_log.ksy").write_text("meta: {id: door_log}\nseq: [{id: a, type: nothing}]\n")
    code, printed = run(project, base=base)
    git(project, "checkout", ".")
    assert code == 1
    assert annotations(printed).count("error") == 1
    assert "the reason is above" in printed


@pytest.mark.parametrize("value", ["warn", "", "Error"])
def test_annotations_that_github_does_not_know_are_refused(project: Path, value: str) -> None:
    code, printed = run(project, base="main", breaking=value)
    assert code == 1
    assert printed == f"::error title=wireloom::The input 'breaking' must be error or warning, not '{value}'.\n"


def test_a_base_that_was_not_fetched(project: Path) -> None:
    code, printed = run(project, base="release")
    assert code == 0
    assert "fetch-depth: 0" in printed
