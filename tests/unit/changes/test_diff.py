"""``wireloom diff``: files, folders, git revisions, exit codes."""

import json
import subprocess
from functools import partial
from pathlib import Path

import pytest

from ..commands import run as command

SPEC = """
meta: {id: log, endian: le, imports: [part], -wireloom: {rows: events}}
seq: [{id: events, type: event, repeat: eos}]
types: {event: {seq: [{id: a, type: u1}, {id: b, type: part}]}}
"""
PART = "meta: {id: part}\nseq: [{id: x, type: u1}]\n"
WIDE = PART.replace("u1", "u2le")


run = partial(command, "diff")


def git(*arguments: str) -> None:
    names = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false")
    subprocess.run(("git", *names, *arguments), check=True, capture_output=True)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a repository whose first commit has narrow parts, and whose second has wide ones."""
    monkeypatch.chdir(tmp_path)
    specs = tmp_path / "inner" / "specs"
    specs.mkdir(parents=True)
    (specs / "log.ksy").write_text(SPEC)
    (specs / "part.ksy").write_text(PART)
    git("init", "-q")
    git("add", ".")
    git("commit", "-q", "-m", "one")
    (specs / "part.ksy").write_text(WIDE)
    git("commit", "-q", "-a", "-m", "two")
    monkeypatch.chdir(tmp_path / "inner")
    return specs


@pytest.mark.parametrize(
    "old", ["HEAD~1", "HEAD~1:inner/specs/log.ksy", "HEAD~1:./specs/log.ksy"], ids=["alone", "root", "here"]
)
def test_a_revision_has_its_own_imports(old: str, project: Path) -> None:
    lines = run(old, "specs/log.ksy", code=3).stdout.splitlines()
    assert lines == ["log: breaking", "  breaking    wire      part.x: type: u1 → u2le"]


@pytest.mark.slow
def test_two_revisions(project: Path) -> None:
    assert "no changes that affect readers" in run("HEAD", "specs/log.ksy").stdout
    run("HEAD~1:inner/specs/log.ksy", "HEAD:inner/specs/log.ksy", code=3)
    assert "u2le → u1" in run("specs/log.ksy", "HEAD~1", code=3).stdout


def test_folders_of_absolute_imports(project: Path) -> None:
    """Those inside the repository are of the revision, others as they are."""
    shared = project.parent.parent / "shared"
    shared.mkdir()
    (project / "part.ksy").rename(shared / "part.ksy")
    (project / "log.ksy").write_text(SPEC.replace("[part]", "[/part]"))
    git("add", "--all", ":/")
    git("commit", "-q", "-m", "three")
    (shared / "part.ksy").write_text(PART)
    arguments = ("-I", "../shared", "HEAD", "specs/log.ksy")
    assert "u2le → u1" in run(*arguments, code=3).stdout
    assert "cannot find the import '/part.ksy'" in run(*arguments[2:], code=2).stderr
    outside = project.parents[2] / f"{project.parents[1].name}-outside"
    shared.rename(outside)
    assert "no changes" in run("-I", str(outside), "HEAD", "specs/log.ksy").stdout


def test_folders(project: Path) -> None:
    (project / "new.ksy").write_text("meta: {id: new}\nseq: [{id: x, type: u1}]\n")
    assert run("HEAD", "specs", code=1).stdout.splitlines() == [
        "log: no changes that affect readers",
        "new: compatible",
        "  compatible  settings  spec: was added",
        "part: no changes that affect readers",
    ]
    (project / "log.ksy").unlink()
    assert "  breaking    settings  spec: was removed" in run("HEAD", "specs/", code=3).stdout.splitlines()
    (project / "new.ksy").write_text("meta: {id: new}\nseq: [{id: x, type: nothing}]\n")
    assert "new.ksy:2:21: error: unable to find type 'nothing'" in run("HEAD", "specs", code=2).stderr


@pytest.mark.parametrize("new", ["specs", "specs/log.ksy", "../inner/specs"])
def test_all_specs_are_removed(new: str, project: Path) -> None:
    for each in project.iterdir():
        each.unlink()
    emptied = run("HEAD", "specs", code=3).stdout
    project.rmdir()
    removed = run("HEAD", new, code=3).stdout
    assert removed.splitlines()[:2] == ["log: breaking", "  breaking    settings  spec: was removed"]
    assert emptied.startswith(removed)
    found = json.loads(run("HEAD", new, "--json", code=3).stdout)
    assert (found["old"].partition("/")[0], found["new"], found["level"]) == ("HEAD:inner", new, "breaking")


def test_a_folder_that_is_new(project: Path) -> None:
    other = project.parent / "more"
    other.mkdir()
    (other / "part.ksy").write_text(PART)
    assert "part: compatible" in run("HEAD", "more", code=1).stdout


def test_as_json(project: Path) -> None:
    found = json.loads(run("HEAD~1", "specs/log.ksy", "--json", code=3).stdout)
    assert found["old"] == "HEAD~1:inner/specs/log.ksy"
    assert found["level"] == "breaking"
    [spec] = found["specs"]
    assert spec["changes"] == [
        {"level": "breaking", "area": "wire", "place": "part.x", "text": "type: u1 → u2le"},
    ]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("HEAD", "no.ksy", "no.ksy: no such spec file"),
        ("HEAD", "no/specs", "no/specs: no such spec file or folder: check the path"),
        ("no.ksy", "specs/log.ksy", "no.ksy: no such spec file"),
        ("no-branch", "specs/log.ksy", "no-branch: is neither a file nor a git revision"),
        ("--output=x", "specs/log.ksy", "No such option"),
        ("HEAD:no.ksy", "specs/log.ksy", "no.ksy does not exist in HEAD"),
        ("HEAD:inner/specs", "specs/log.ksy", "compare a file with a file"),
        ("specs", ".", "there are no specs in this folder"),
    ],
)
def test_what_cannot_be_compared(old: str, new: str, said: str, project: Path) -> None:
    result = run(old, new, code=2)
    assert said in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_a_spec_with_errors_is_unusable(project: Path) -> None:
    (project / "log.ksy").write_text("meta: {id: log}\nseq: [{id: a, type: nothing}]\n")
    assert "nothing" in run("HEAD", "specs/log.ksy", code=2).stderr


def test_outside_of_a_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    (tmp_path / "part.ksy").write_text(PART)
    (tmp_path / "wide.ksy").write_text(WIDE)
    assert "not a git repository" in run("HEAD", "part.ksy", code=2).stderr
    assert "x: type: u1 → u2le" in run("part.ksy", "wide.ksy", code=3).stdout
