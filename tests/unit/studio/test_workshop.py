"""The requests of the page about a spec and a file, in this process and in the one that may be killed."""

import asyncio
import gzip
import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import wireloom
from wireloom.studio.helper import Helper, HelperError
from wireloom.studio.workshop import Workshop

from .samples import SPEC, written


def shop(folder: Path, **sample: int) -> Workshop:
    spec, file = written(folder, **sample)
    made = Workshop(spec, str(file))
    assert made.compile(SPEC)["name"] == "readings"
    return made


def test_records_rows_and_lines_belong_together(tmp_path: Path) -> None:
    made = shop(tmp_path)
    head, *records = made.records(0, 100)["records"]
    assert (head["kind"], head["begin"], head["end"]) == ("head", 0, 2)
    rows = made.rows(0, 3)
    assert [each["name"] for each in rows["columns"]] == ["sensor", "value"]
    assert rows["more"]
    assert [each["at"] for each in rows["rows"]] == [each["begin"] for each in records[:3]] == [2, 8, 14]
    value = records[1]["fields"][1]
    assert (value["name"], value["value"], value["begin"], value["end"]) == ("value", "10", 10, 14)
    assert SPEC.splitlines()[value["line"] - 1].strip() == "- id: value"
    assert SPEC.splitlines()[value["last"] - 1].strip() == "valid: {max: 1000}"
    assert made.rows(9, 100)["rows"][0] == {"at": 14, "error": None, "cells": ["2", "20"]}


def test_damage_has_its_place_and_reason(tmp_path: Path) -> None:
    made = shop(tmp_path, wrong=2)
    found = made.survey()
    assert found["damaged"] == 1
    assert (found["ranges"][0]["begin"], found["ranges"][0]["end"]) == (14, 20)
    assert made.rows(14, 1)["rows"][0]["error"] is not None
    record = made.records(14, 1)["records"][0]
    assert record["reason"] == "value"
    assert "1000" in record["fields"][1]["problem"]


def test_stuffed_records_lead_to_stored_bytes(tmp_path: Path) -> None:
    file = tmp_path / "a.log"
    rows = [{"generation": each, "payload": b"x\xfe\xfdy"} for each in range(3)]
    wireloom.write("word_stuffed_log", rows, file)
    spec = Path(__file__).parents[3] / "specs/word_stuffed_log.ksy"
    made = Workshop(spec, str(file))
    made.compile(spec.read_text())
    payload = made.records(0, 1)["records"][0]["fields"][-1]
    stored = file.read_bytes()[payload["begin"] : payload["end"]]
    # The delimiter inside is taken out by the stuffing; what stands there is the length of what follows.
    assert stored[:1] + stored[-1:] == b"xy"


@pytest.mark.slow
def test_what_is_wrong_with_a_spec(tmp_path: Path) -> None:
    made = shop(tmp_path)
    found = made.compile(SPEC.replace("type: u4", "type: u5"))
    assert found["name"] is None
    assert [(each["line"], each["severity"]) for each in found["diagnostics"]] == [(13, "error")]
    with pytest.raises(wireloom.WireloomError, match="the spec has errors"):
        made.records(0, 1)
    assert "readings: reading" in made.compile(SPEC)["plan"]
    assert "class Readings" in made.code()["files"]["readings/parser.py"]


def test_errors_of_the_generator_are_where_they_are(tmp_path: Path) -> None:
    made = shop(tmp_path)
    (found,) = made.compile(
        SPEC.replace("type: u4\n        valid: {max: 1000}", "size: 4\n        process: os.system(1)")
    )["diagnostics"]
    assert (found["line"], found["severity"], "\n" in found["message"]) == (14, "error", False)
    assert found["message"].startswith("'process: os.system'")


def test_mistakes_in_imported_files_have_their_names(tmp_path: Path) -> None:
    spec, file = written(tmp_path)
    (tmp_path / "below").mkdir()
    # Of the same name, in another folder.
    part = tmp_path / "below" / "readings.ksy"
    part.write_text("meta: {id: readings}\nseq:\n  - {id: a, type: u9}\n")
    (found,) = Workshop(spec, str(file)).compile("meta: {id: other, imports: [below/readings]}\n")["diagnostics"]
    assert (found["file"], found["imported"], found["line"]) == ("below/readings.ksy", str(part.resolve()), 3)
    (found,) = Workshop(spec, str(file)).compile("meta: {id: other}\nseq: [{id: a, type: u9}]\n")["diagnostics"]
    assert (found["file"], found["imported"], found["line"]) == ("readings.ksy", "", 2)


def test_an_attribute_is_the_same_in_all_records(tmp_path: Path) -> None:
    head, *records = shop(tmp_path).records(0, 100)["records"]
    assert [each["attribute"] for each in head["fields"]] == ["Readings.magic"]
    names = {tuple(each["attribute"] for each in record["fields"]) for record in records}
    assert names == {("Readings.Reading.sensor", "Readings.Reading.value")}


def test_items_of_a_list_are_of_its_attribute(tmp_path: Path) -> None:
    spec, file = written(tmp_path)
    made = Workshop(spec, str(file))
    made.compile("meta: {id: readings}\nseq: [{id: all, type: u1, repeat: eos}]\n")
    (record,) = made.records(0, 1)["records"]
    assert {each["attribute"] for each in record["fields"]} == {"Readings.all"}


def test_values_are_copied_as_json(tmp_path: Path) -> None:
    made = shop(tmp_path, wrong=2)
    assert json.loads(made.value(8, -1)["text"]) == {"sensor": 1, "value": 10}
    assert json.loads(made.value(8, 1)["text"]) == 10
    # What is damaged has the values that are there.
    assert json.loads(made.value(14, 0)["text"]) == 2
    assert json.loads(made.value(0, -1)["text"]) == {"magic": "5244"}
    with pytest.raises(wireloom.WireloomError, match="no record at byte 1,000"):
        made.value(1000, -1)


def test_a_whole_input_is_copied_with_all_items(tmp_path: Path) -> None:
    spec, file = written(tmp_path, rows=150)
    made = Workshop(spec, str(file))
    made.compile(SPEC.replace(", -wireloom: {rows: readings}", ""))
    found = json.loads(made.value(0, -1)["text"])
    assert [each["sensor"] for each in found["readings"]] == list(range(150))


def test_compressed_files_are_unpacked_without_a_valid_spec(tmp_path: Path) -> None:
    spec, file = written(tmp_path, rows=100)
    content = file.read_bytes()
    file.write_bytes(gzip.compress(content))
    made = Workshop(spec, str(file))
    made.compile("")
    found = made.unpack(str(tmp_path / "out"), 1 << 20)
    assert (found["size"], found["error"]) == (len(content), None)
    assert (tmp_path / "out").read_bytes() == content
    # They are not unpacked again, and shown as they are stored if the spec is about the stored bytes.
    (tmp_path / "out").unlink()
    made.compile(SPEC)
    assert made.unpack(str(tmp_path / "out"), 1 << 20) == found
    made.compile(SPEC.replace(", -wireloom: {rows: readings}", ""))
    assert made.unpack(str(tmp_path / "out"), 1 << 20)["size"] is None


def test_a_file_that_is_not_what_its_name_says_is_shown(tmp_path: Path) -> None:
    spec, file = written(tmp_path)
    wrong = file.rename(tmp_path / "readings.bin.gz")
    found = Workshop(spec, str(wrong)).unpack(str(tmp_path / "out"), 1 << 20)
    assert found["size"] is None
    assert "not a gzip stream" in found["error"]


def test_compressed_files_are_unpacked_up_to_a_limit(tmp_path: Path) -> None:
    spec, file = written(tmp_path, rows=100)
    content = file.read_bytes()
    file.write_bytes(gzip.compress(content))
    made = Workshop(spec, str(file))
    made.compile(SPEC)
    assert made.unpack(str(tmp_path / "out"), 1 << 20)["size"] == len(content)
    assert (tmp_path / "out").read_bytes() == content
    file.write_bytes(content)
    assert made.unpack(str(tmp_path / "out"), 1 << 20)["size"] is None


def test_specs_without_rows(tmp_path: Path) -> None:
    spec, file = written(tmp_path)
    made = Workshop(spec, str(file))
    assert made.compile(SPEC.replace(", -wireloom: {rows: readings}", ""))["plain"]
    (record,) = made.records(0, 10)["records"]
    assert [each["name"] for each in record["fields"]][:3] == ["magic", "readings", "[0]"]
    assert made.rows(0, 10)["columns"] == []


@pytest.mark.slow
def test_a_process_that_takes_too_long_is_killed(tmp_path: Path) -> None:
    spec, file = written(tmp_path)

    async def run() -> Any:
        helper = Helper(spec, str(file))
        await helper.compile(SPEC, 60)
        assert helper._process is not None
        helper._process.send_signal(signal.SIGSTOP)
        with pytest.raises(HelperError, match="it took longer than"):
            await helper.do("survey", 0.0001)
        # The next job starts another, which has compiled the spec again.
        found = await helper.do("survey", 60)
        with pytest.raises(HelperError, match="readings has one table"):
            await helper.do("records", 60, offset=0, count=1, table="nothing")
        await helper.close()
        return found

    assert asyncio.run(run())["rows"] == 5


@pytest.mark.slow
def test_the_process_says_that_it_has_started_before_it_gets_a_job(tmp_path: Path) -> None:
    spec, file = written(tmp_path)
    begin = {
        "spec": str(spec),
        "file": str(file),
        "options": {},
        "allow_modules": [],
        "import_paths": [],
        "memory": 4 * 1024**3,
    }
    command = [sys.executable, "-m", "wireloom.studio.worker"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(begin) + "\n")
        process.stdin.flush()
        # Jobs have time limits, which importing the compiler on a busy machine must not use up.
        assert process.stdout.readline() == "\n"
        process.stdin.close()


@pytest.mark.slow
def test_a_process_without_memory_leaves_a_message(tmp_path: Path) -> None:
    spec, file = written(tmp_path)

    async def run() -> None:
        helper = Helper(spec, str(file), memory=64 * 1024 * 1024)
        try:
            with pytest.raises(HelperError):
                await helper.compile(SPEC, 60)
        finally:
            await helper.close()

    asyncio.run(run())
