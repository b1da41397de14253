import dataclasses
import pickle
import sys
import types
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
import wireloom
from wireloom import Format
from wireloom.format import registry


def test_the_generated_formats_are_listed() -> None:
    names = wireloom.formats()
    assert names == sorted(names)
    assert {"edgemq_segment", "word_stuffed_log", "cobs_log"} <= set(names)


def test_the_package_of_the_formats_can_be_called_however_it_was_imported() -> None:
    import wireloom.formats.edgemq_segment as module

    assert module.FORMAT.name == "edgemq_segment"
    assert "edgemq_segment" in wireloom.formats()
    assert wireloom.formats.edgemq_segment is module


def test_get_by_name_and_by_format() -> None:
    found = registry.get("edgemq_segment")
    assert found.name == "edgemq_segment"
    assert registry.get(found) is found


@pytest.mark.parametrize("name", ["edgemq_segmnt", "edgemq-segment", "EDGEMQ_SEGMENT"])
def test_an_unknown_name_names_the_nearest(name: str) -> None:
    with pytest.raises(wireloom.UnknownNameError, match="did you mean 'edgemq_segment'"):
        registry.get(name)


def test_a_name_like_no_other_lists_all() -> None:
    with pytest.raises(wireloom.UnknownNameError, match=r"there are .*cobs_log"):
        registry.get("zzzzzz")


def test_another_model_version_is_refused_in_a_sentence() -> None:
    other = dataclasses.replace(registry.get("cobs_log"), model_version=99)
    with pytest.raises(wireloom.WireloomError, match=r"version 99 .* run 'wireloom generate'"):
        registry.get(other)


def test_a_pickle_names_the_package_and_contains_what_a_copy_has_changed() -> None:
    for found in (registry.get("edgemq_segment"), registry.get("prometheus_wal").of_table("series")):
        assert found.program is not None
        assert pickle.loads(pickle.dumps(found)) is found
        changed = pickle.loads(pickle.dumps(dataclasses.replace(found, title="other")))
        assert (changed.title, changed.columns, "program" in vars(changed)) == ("other", found.columns, False)


def test_another_program_version_is_refused_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    found = dataclasses.replace(registry.get("cobs_log"))
    assert found.program is not None
    program = dataclasses.replace(found.program, version=99)
    other = dataclasses.replace(found, title="other")
    monkeypatch.setattr(Format, "_lowered", (found.schema, program))
    with pytest.raises(wireloom.WireloomError, match=r"program .* version 99.* run 'wireloom generate'"):
        _ = other.program


def test_a_package_that_does_not_load_is_refused_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "wireloom.formats.broken", types.ModuleType("broken"))
    monkeypatch.setattr(registry, "_generated", lambda: ("broken",))
    with pytest.raises(wireloom.WireloomError, match="run 'wireloom generate'"):
        registry.get("broken")


def test_formats_of_other_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    points = {
        "theirs": EntryPoint("theirs", "theirs:FORMAT", registry.GENERATED),
        "other": EntryPoint("other", "wireloom.formats.cobs_log:FORMAT", registry.GENERATED),
        "broken": EntryPoint("broken", "there_is_no_such_module:FORMAT", registry.GENERATED),
        "wrong": EntryPoint("wrong", "wireloom.formats.cobs_log:__name__", registry.GENERATED),
    }
    module = types.ModuleType("theirs")
    module.FORMAT = dataclasses.replace(registry.get("cobs_log"), name="theirs")  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "theirs", module)
    monkeypatch.setattr(registry, "_installed", lambda: points)
    assert "theirs" in registry.formats()
    assert isinstance(registry.get("theirs"), Format)
    with pytest.raises(wireloom.WireloomError, match=r"entry point 'wrong'"):
        registry.get("wrong")
    with pytest.raises(wireloom.WireloomError, match=r"entry point 'other' .* names the format 'cobs_log'"):
        registry.get("other")
    with pytest.raises(wireloom.WireloomError, match=r"entry point 'broken' .* run 'wireloom generate'"):
        registry.get("broken")


def test_a_spec_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(wireloom.WireloomError, match="no such spec file"):
        registry.get(str(tmp_path / "my.ksy"))


def test_a_package_with_a_name_that_is_taken_is_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    from click.testing import CliRunner
    from wireloom.command import main

    points = [
        EntryPoint("cobs_log", "mine.cobs:FORMAT", registry.GENERATED),
        EntryPoint("doors", "one.doors:FORMAT", registry.GENERATED),
        EntryPoint("doors", "two.doors:FORMAT", registry.GENERATED),
    ]
    monkeypatch.setattr(registry, "entry_points", lambda group: points)
    monkeypatch.setattr(registry, "_installed", lambda: {each.name: each for each in points})
    assert registry.hidden() == {"cobs_log": ("mine.cobs", "wireloom"), "doors": ("one.doors", "two.doors")}
    assert registry.get("cobs_log").module == "wireloom.formats.cobs_log"
    result = CliRunner().invoke(main, ["formats"])
    assert result.exit_code == 0
    said = "cobs_log: two packages have a format of this name: that of wireloom is used, that of mine.cobs is not"
    assert f"wireloom: warning: {said}" in result.output


def test_a_format_is_shown_on_one_line() -> None:
    shown = repr(registry.get("edgemq_segment"))
    assert shown == "<Format 'edgemq_segment' of edgemq_segment.ksy: fmt, tenant, ts, payload>"
