"""``wireloom new``: the content of the package, that it works unchanged, and what is refused."""

import json
import re
import shutil
import sys
import tomllib
from pathlib import Path
from types import SimpleNamespace

import pytest
import wireloom
import yaml
from click.testing import CliRunner
from wireloom import WireloomError
from wireloom.codegen.starting import package
from wireloom.codegen.starting.package import start, suggestion
from wireloom.command import main
from wireloom.format.description import MODEL_VERSION

from .installing import WIRELOOM, run

pytestmark = pytest.mark.slow
COMMANDS = """
import json
import sys
from click.testing import CliRunner
from wireloom.command import main
results = [CliRunner().invoke(main, each, catch_exceptions=False) for each in json.loads(sys.argv[1])]
assert not any(each.exit_code for each in results), [each.stderr for each in results]
print(json.dumps([each.stdout for each in results]))
"""
"""Runs commands of wireloom in one process."""
PYTEST = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider")


def test_everything_is_there(made: Path) -> None:
    for path in (
        "specs/door_log.ksy",
        "src/wireloom_door_log/__init__.py",
        "src/wireloom_door_log/py.typed",
        "src/wireloom_door_log/generated/door_log/parser.py",
        "src/pyspark_door_log/__init__.py",
        "samples/clean.bin",
        "samples/damaged.bin",
        "tests/test_door_log.py",
        "README.md",
        ".gitignore",
    ):
        assert (made / path).is_file(), path
    project = tomllib.loads((made / "pyproject.toml").read_text())
    points = project["project"]["entry-points"]["wireloom.formats"]
    assert points == {"door_log": "wireloom_door_log.generated.door_log:FORMAT"}
    [hook] = yaml.safe_load((made / ".pre-commit-config.yaml").read_text())["repos"][0]["hooks"]
    assert hook["entry"] == "wireloom generate --check"
    steps = yaml.safe_load((made / ".github/workflows/check.yml").read_text())["jobs"]["check"]["steps"]
    assert "wireloom generate --check" in [each.get("run") for each in steps]
    assert not [path for path in made.parent.iterdir() if path != made]


def test_the_spec_shows_the_bytes_of_the_sample(made: Path) -> None:
    shown = ""
    for line in (made / "specs/door_log.ksy").read_text().splitlines():
        if line.startswith("#   "):
            shown += line[4:31]
    assert (made / "samples/clean.bin").read_bytes().startswith(bytes.fromhex(shown))


def test_its_own_tests_pass_after_it_is_installed(installed: SimpleNamespace) -> None:
    # The tutorial runs them before. The generated code is compared in the package's folder, wherever it is installed.
    options = ("-o", "pythonpath=", "-k", "not generated_code")
    after = run(*PYTEST, *options, folder=installed.folder, target=installed.target)
    assert "5 passed, 1 deselected" in after.stdout, after.stdout


def test_whoever_installs_it_has_the_format(installed: SimpleNamespace, tmp_path: Path) -> None:
    clean = str(installed.folder / "samples/clean.bin")
    lines = (
        ("formats",),
        ("decode", "door_log", clean),
        ("decode", "door_log", clean, "-o", "rows.ndjson"),
        ("encode", "door_log", "rows.ndjson", "-o", "again.bin"),
        ("verify", "door_log", clean),
    )
    done = run(sys.executable, "-c", COMMANDS, json.dumps(lines), folder=tmp_path, target=installed.target)
    assert done.returncode == 0, done.stderr
    formats, rows, *_, verified = json.loads(done.stdout)
    assert re.search(r"(?m)^door_log +Door log$", formats)
    assert rows.splitlines()[1] == '{"kind":"forced","at":"2026-09-21T14:13:21.000Z","note":"back door"}'
    assert (tmp_path / "rows.ndjson").read_text() == rows
    assert (tmp_path / "again.bin").read_bytes() == Path(clean).read_bytes()
    assert "3 rows" in verified


def test_one_that_was_made_for_another_version_does_not_hide_the_others(
    installed: SimpleNamespace, tmp_path: Path
) -> None:
    target = tmp_path / "target"
    shutil.copytree(installed.target, target)
    package = target / "wireloom_door_log/generated/door_log"
    text = (package / "__init__.py").read_text()
    for old, new, said in (
        (f"model_version={MODEL_VERSION},", "model_version=99,", "generated for version 99 of the model"),
        (f"model_version={MODEL_VERSION},", "model_version=99, of_later=True,", "'door_log' .* cannot be loaded"),
    ):
        assert old in text
        (package / "__init__.py").write_text(text.replace(old, new))
        shown = run(*WIRELOOM, "formats", folder=tmp_path, target=target)
        assert shown.returncode == 0
        assert "cobs_log" in shown.stdout
        assert re.search(f"warning: door_log: .*{said}.* run 'wireloom generate'", shown.stderr), shown.stderr
        used = run(*WIRELOOM, "verify", "door_log", "x.bin", folder=tmp_path, target=target)
        assert used.returncode == 2
        assert re.search(said, used.stderr)
        assert len(used.stderr.splitlines()) == 1


def test_spark_has_its_source_and_can_send_it(installed: SimpleNamespace, tmp_path: Path) -> None:
    pytest.importorskip("pyspark")
    program = (
        "import pickle, wireloom.spark, pyspark_door_log\n"
        "from pyspark import cloudpickle\n"
        "[source] = [each for each in wireloom.spark.sources() if each.name() == 'door_log']\n"
        "assert source is pyspark_door_log.DefaultSource\n"
        "sent = cloudpickle.dumps(source)\n"
        "assert len(sent) < 200 and pickle.loads(sent) is source\n"
    )
    done = run(sys.executable, "-c", program, folder=tmp_path, target=installed.target)
    assert done.returncode == 0, done.stderr


def test_a_change_of_the_spec_is_drift_until_it_is_generated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = start("door_log", tmp_path).folder
    monkeypatch.chdir(folder)
    spec = folder / "specs/door_log.ksy"
    spec.write_text(spec.read_text().replace("columns: [kind, at, note]", "columns: [at, note]"))
    (folder / "src/pyspark_gone").mkdir()
    gone = folder / "src/pyspark_gone/__init__.py"
    gone.write_text((folder / "src/pyspark_door_log/__init__.py").read_text())
    (folder / "src/pyspark_others").mkdir()
    (folder / "src/pyspark_others/__init__.py").write_text("mine = 1\n")
    drift = CliRunner().invoke(main, ["generate", "--check"])
    assert drift.exit_code == 1
    assert "src/pyspark_gone/__init__.py does not belong to any spec" in drift.stderr
    assert "pyspark_others" not in drift.stdout + drift.stderr
    done = CliRunner().invoke(main, ["generate"])
    assert "removed src/pyspark_gone/__init__.py" in done.stdout.splitlines()
    assert not gone.parent.exists()
    assert CliRunner().invoke(main, ["generate", "--check"]).exit_code == 0
    foreign = folder / "src/wireloom_door_log/generated/mine.py"
    foreign.write_text("mine = 1\n")
    drift = CliRunner().invoke(main, ["generate", "--check"])
    # Generating again would leave the file where it is.
    assert drift.exit_code == 1
    assert "run 'wireloom generate'" not in drift.stderr
    assert "generated/mine.py was not generated: move it out of the folder, or delete it" in drift.stderr
    foreign.unlink()
    (folder / "specs/two.ksy").write_text(
        "meta: {id: two, -wireloom: {rows: a}}\nseq: [{id: a, type: b, repeat: eos}]\n"
        "types: {b: {seq: [{id: c, type: u1}]}}\n"
    )
    done = CliRunner().invoke(main, ["generate"])
    assert "wrote src/pyspark_two/__init__.py" in done.stdout.splitlines()
    assert 'two = "wireloom_door_log.generated.two:FORMAT"' in done.stderr


@pytest.mark.parametrize("name", ["event", "events", "record", "kinds", "test", "x"])
def test_names_that_also_mean_something_else(name: str, tmp_path: Path) -> None:
    folder = start(name, tmp_path).folder
    found = wireloom.load_spec(folder / "specs" / f"{name}.ksy")
    assert wireloom.read(found, folder / "samples/clean.bin")["note"].to_pylist() == ["front", "back door", ""]


@pytest.mark.parametrize("name", ["struct", "len", "io", "format"])
def test_a_spec_of_ones_own_may_have_a_name_of_pythons(name: str, tmp_path: Path) -> None:
    folder = start("mine", tmp_path).folder
    spec = folder / "specs" / f"{name}.ksy"
    spec.write_text((folder / "specs" / "mine.ksy").read_text().replace("id: mine\n", f"id: {name}\n"))
    found = wireloom.load_spec(spec)
    assert found.name == name
    assert wireloom.read(found, folder / "samples/clean.bin")["note"].to_pylist() == ["front", "back door", ""]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Door-Log", "for example, 'door_log'"),
        ("2fast", "for example, 'fast'"),
        ("../up", "for example, 'up'"),
        ("_", "begins with a letter"),
        ("a" * 51, "up to 50"),
        ("class", "it is a Python keyword; for example, 'class_log'"),
        ("wireloom", "which its folder would shadow; for example, 'wireloom_log'"),
        ("str", "Python has a built-in of that name, which the format would shadow; for example, 'str_log'"),
        ("types", "Python has a module of that name, which the format would shadow; for example, 'types_log'"),
        ("cobs_log", "the format 'cobs_log' already exists"),
    ],
)
def test_bad_names(name: str, said: str, tmp_path: Path) -> None:
    result = CliRunner().invoke(main, ["new", name, "--in", str(tmp_path)])
    assert result.exit_code == 2
    assert said in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_suggestions_would_do() -> None:
    for name in ("DoorLog", "door--log", "9 Lives!", "é-log", "Class", "wireloom", "IO"):
        package.check_name(suggestion(name))
    assert suggestion("ééé") == ""


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    with pytest.raises(WireloomError, match="is not overwritten"):
        start("mine", tmp_path)
    assert list((tmp_path / "mine").iterdir()) == []
    (tmp_path / "file").write_text("")
    with pytest.raises(WireloomError, match=r"file: is not a folder"):
        start("mine", tmp_path / "file" / "below")


def test_the_folder_around_it_is_made_too(tmp_path: Path) -> None:
    assert start("mine", tmp_path / "a" / "b").folder == tmp_path / "a" / "b" / "mine"
    assert (tmp_path / "a/b/mine/specs/mine.ksy").is_file()
    assert [each.name for each in tmp_path.iterdir()] == ["a"]


@pytest.mark.parametrize("name", ["json", "parquet", "kafka", "text", "iceberg", "protobuf", "binaryfile", "noop"])
def test_a_name_of_one_of_sparks_own_sources_is_refused(name: str, tmp_path: Path) -> None:
    done = CliRunner().invoke(main, ["new", name, "--in", str(tmp_path)])
    assert done.exit_code == 2
    assert f"Spark has another data source called '{name}'" in done.stderr
    assert f"for example, '{name}_log'" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_check_warns_of_such_a_name_where_there_is_a_data_source(tmp_path: Path) -> None:
    spec = "meta: {id: csv, -wireloom: {rows: a}}\nseq: [{id: a, type: row, repeat: eos}]\n"
    spec += "types: {row: {seq: [{id: b, type: u1}]}}\n"
    path = tmp_path / "csv.ksy"
    path.write_text(spec)
    done = CliRunner().invoke(main, ["check", str(path)])
    assert done.exit_code == 0
    assert "csv.ksy:1:12: warning: Spark has another data source called 'csv'" in done.stdout
    path.write_text(spec.replace(", -wireloom: {rows: a}", ""))
    assert "warning" not in CliRunner().invoke(main, ["check", str(path)]).stdout


def test_what_fails_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_arguments: object, **_options: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(package, "generate", fails)
    with pytest.raises(KeyboardInterrupt):
        start("mine", tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_the_command_says_what_it_wrote(tmp_path: Path) -> None:
    result = CliRunner().invoke(main, ["new", "door_log", "--in", str(tmp_path)])
    assert result.exit_code == 0, result.output
    *wrote, next = result.output.splitlines()
    assert f"wrote {tmp_path / 'door_log/specs/door_log.ksy'}" in wrote
    assert next.startswith("next: cd ")
