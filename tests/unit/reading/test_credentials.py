"""Credentials of an object store are not in any error, log or representation, wherever they were given."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import wireloom
from click.testing import CliRunner
from wireloom.command import main
from wireloom.format import registry
from wireloom.input.expansion import expand
from wireloom.input.inputs import Location
from wireloom.input.s3 import profile

SECRET = "wJalrXUtnFEMIKFAKEbPxRfiCYEXAMPLEKEY"
KEY = "AKIAFAKEEXAMPLE"
UNREACHABLE = "http://127.0.0.1:9"
"""An address at which nothing listens."""
THOROUGH = pytest.mark.thorough
ADDRESS = f"s3://{KEY}:{SECRET}@bucket/folder/a.wal"
ROWS = [{"fmt": 0, "tenant": 1, "ts_millis": 0, "payload": b""}]


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, single_attempts: None) -> Path:
    """Return the files of Amazon's tools, with keys, and keys in the environment."""
    credentials = tmp_path / "credentials"
    credentials.write_text(f"[logs]\naws_access_key_id = {KEY}\naws_secret_access_key = {SECRET}\n")
    config = tmp_path / "config"
    config.write_text(f"[profile logs]\nregion = us-east-1\n[profile bad]\nendpoint_url = http://{KEY}:{SECRET}@host\n")
    for name, value in {
        "AWS_SHARED_CREDENTIALS_FILE": credentials,
        "AWS_CONFIG_FILE": config,
        "AWS_ACCESS_KEY_ID": KEY,
        "AWS_SECRET_ACCESS_KEY": SECRET,
        "AWS_SESSION_TOKEN": SECRET,
        "AWS_EC2_METADATA_DISABLED": "true",
    }.items():
        monkeypatch.setenv(name, str(value))
    return tmp_path


def read(source: str = "s3://bucket/a.wal", **options: Any) -> Any:
    return wireloom.read("edgemq_segment", source, **{"region": "us-east-1", "endpoint": UNREACHABLE, **options})


CALLS: dict[str, Callable[[], Any]] = {
    "a store that is not there": read,
    "a profile, and a store that is not there": lambda: read(profile="logs"),
    "keys in the address": lambda: read(ADDRESS),
    "keys in a glob": lambda: read(ADDRESS + "*"),
    "keys in the endpoint": lambda: read(endpoint=f"http://{KEY}:{SECRET}@127.0.0.1:9"),
    "keys in a profile's endpoint": lambda: read(profile="bad", endpoint=None),
    "keys in the address of what is written": lambda: wireloom.write("edgemq_segment", ROWS, ADDRESS),
    "keys in the address of a log's rows": lambda: wireloom.scan("edgemq_segment", [ADDRESS]),
}


def clean(text: str) -> bool:
    return SECRET not in text and SECRET[:12] not in text


@pytest.mark.slow
@pytest.mark.parametrize("name", CALLS)
def test_errors(name: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with pytest.raises(wireloom.WireloomError) as caught:
        CALLS[name]()
    assert clean(str(caught.value) + repr(caught.value) + repr(vars(caught.value)))
    # As shown to a user who does not catch it, without the lines of this file.
    shown = traceback.format_exception(caught.value)
    assert clean("".join(each for each in shown if __file__ not in each))
    assert clean(caplog.text)


@pytest.mark.parametrize("line", [f"aws_secret_access_key {SECRET}", f"{SECRET}", f"[logs\n{SECRET}"])
def test_a_damaged_file_of_credentials(line: str, files: Path) -> None:
    (files / "credentials").write_text(f"[logs]\n{line}\n")
    with pytest.raises(wireloom.WireloomError, match=r"profile .logs. cannot be used: Unable to parse") as caught:
        # For a bucket that was accessed before, the keys are known.
        read("s3://another/a.wal", profile="logs")
    assert clean("".join(traceback.format_exception(caught.value)))


def test_representations() -> None:
    made = profile("logs")
    assert made.credentials == (KEY, SECRET, None)
    location = Location("us-east-1", UNREACHABLE, profile="logs")
    inputs = expand(b"", location)
    assert clean(repr([made, location, inputs]) + str(made))


@pytest.mark.parametrize("name", ["fs.s3a.secret.key", "secretKey", "endpoint", "path", "maxRecord"])
def test_options_of_spark(name: str) -> None:
    options = pytest.importorskip("wireloom.spark.options", reason="Spark is not there")
    value = {"endpoint": f"http://{KEY}:{SECRET}@host", "path": ADDRESS, "maxRecord": "many"}.get(name, SECRET)

    def read() -> None:
        made = options.read_options(registry.get("edgemq_segment"), {name: value})
        expand(list(made.paths), made.scan.location)

    with pytest.raises(wireloom.WireloomError) as caught:
        read()
    assert clean("".join(traceback.format_exception(caught.value)))


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments",
    [
        ["decode", "edgemq_segment", ADDRESS],
        ["verify", "edgemq_segment", "s3://bucket/a.wal", "--profile", "logs", "--endpoint", UNREACHABLE],
        pytest.param(
            ["verify", "edgemq_segment", "s3://bucket/a.wal", "--endpoint", f"http://{KEY}:{SECRET}@127.0.0.1:9"],
            marks=THOROUGH,
        ),
        ["encode", "edgemq_segment", "rows.ndjson", "-o", ADDRESS],
        pytest.param(["inspect", "edgemq_segment", ADDRESS], marks=THOROUGH),
    ],
)
def test_commands(
    arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "rows.ndjson").write_text('{"fmt":0,"tenant":1,"ts_millis":0,"payload":""}\n')
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == 2
    # What libraries print themselves, too.
    assert clean(done.stdout + done.stderr + "".join(capfd.readouterr()))
    assert done.stderr.startswith("wireloom: error: ")
