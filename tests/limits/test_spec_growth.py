"""The work of compiling a spec is proportional to its length, not to its expansion; so is the size of the generated
code."""

from __future__ import annotations

import cProfile
import gc
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TypeVar

import pytest
import wireloom
from wireloom import SpecError, WireloomError
from wireloom.codegen.backends.python.names import Api
from wireloom.codegen.changes.compare import compare
from wireloom.codegen.emit import render
from wireloom.codegen.kaitai.generate import modules
from wireloom.codegen.loading import load_format
from wireloom.codegen.model.load import MAX_MEMBERS, analyse, load, load_all
from wireloom.codegen.model.sizes import MAX_TYPE_DEPTH
from wireloom.codegen.passes import with_facts
from wireloom.codegen.passes.facts import length_fields
from wireloom.codegen.spec import validator

from ..examples import PROFILE
from ..unit.specs import format_of
from .spec_families import FAMILIES, HEAD, SWITCHES, instances

FIRST, FEW, MANY = 2, 7, 12
"""Numbers of levels; what grows as two to the power of them grows by a factor of 32 from ``FEW`` to ``MANY``."""
GROWTH = 12
"""The maximum ratio of the work for half as many levels more: some parts grow with the square or the cube."""
MOST = 3_000_000
"""Maximum number of calls for few levels: with more, those of many levels would not end."""

SIMILAR = (
    "conditionals",
    "the same either way",
    "booleans",
    "a condition",
    "a count",
    "types with conditions",
    "bits",
    "conditionals of messages",
)
"""Families whose expansion others have too."""
CHOSEN = [pytest.param(each, marks=pytest.mark.thorough if each in SIMILAR else ()) for each in FAMILIES]
APIS = (Api.KAITAI, Api.KAITAI_READ_WRITE) if PROFILE == "thorough" else (Api.KAITAI_READ_WRITE,)
"""Kaitai's classes; those that also write contain the others."""

T = TypeVar("T")
Given = TypeVar("Given")


def counted(action: Callable[[], T]) -> tuple[int, T]:
    """Return how many Python functions an action calls, and its result."""
    profile = cProfile.Profile(builtins=False)
    # CPython before 3.11.3 crashes in garbage collections while generators are profiled (gh-101975).
    collecting = gc.isenabled()
    gc.disable()
    try:
        result = profile.runcall(action)
    finally:
        if collecting:
            gc.enable()
    return sum(each.callcount for each in profile.getstats()), result


def calls(action: Callable[[], object]) -> int:
    return counted(action)[0]


def check_growth(action: Callable[[Given], T], first: Given, few: Given, many: Given) -> tuple[T, T]:
    """Check the growth of the calls, and return the results for ``few`` and ``many``."""
    # What is created once, at the first call, is not counted.
    action(first)
    calls_for_few, small = counted(lambda: action(few))
    assert calls_for_few < MOST
    calls_for_many, large = counted(lambda: action(many))
    assert calls_for_many < GROWTH * calls_for_few
    return small, large


def written(folder: Path, name: str, n: int) -> Path:
    path = folder / f"family_{n}.ksy"
    path.write_text(FAMILIES[name](n))
    return path


def rendered(path: Path) -> dict[str, str]:
    """Load a spec, and return what is generated from it."""
    return render(map(with_facts, load_all([path])))


def kaitai(path: Path, api: Api) -> int:
    made = modules([path], (), api, "")
    return sum(map(len, made.texts.values()))


@pytest.mark.usefixtures("low_limits")
@pytest.mark.parametrize("name", CHOSEN)
def test_compiling(name: str, tmp_path: Path) -> None:
    first, few, many = (written(tmp_path, name, each) for each in (FIRST, FEW, MANY))
    initial, (small, large) = load(first), check_growth(load, first, few, many)
    check_growth(lambda model: compare(model, model), initial, small, large)
    texts = check_growth(lambda model: render([with_facts(model)]), initial, small, large)
    sizes = [sum(map(len, each.values())) for each in texts]
    assert sizes[1] < GROWTH * sizes[0]
    for api in APIS:
        check_growth(partial(kaitai, api=api), first, few, many)


@pytest.mark.parametrize("name", SWITCHES)
def test_cases(name: str, tmp_path: Path) -> None:
    """Each case takes the same work, regardless of their number."""
    first, few, many = (tmp_path / f"cases_{each}.ksy" for each in (2, 8, 32))
    for path, cases in ((first, 2), (few, 8), (many, 32)):
        path.write_text(SWITCHES[name](cases))
    actions: list[Callable[[Path], object]] = [rendered, *(partial(kaitai, api=each) for each in APIS)]
    for action in actions:
        action(first)
        assert calls(lambda action=action: action(many)) < 5 * calls(lambda action=action: action(few))  # type: ignore[misc]


def test_a_chain_of_instances(tmp_path: Path) -> None:
    """Each instance takes the same work, although it is computed from all before it."""
    first, few, many = (tmp_path / f"chain_{each}.ksy" for each in (2, 100, 400))
    for path, links in ((first, 2), (few, 100), (many, 400)):
        path.write_text(instances("P + 1")(links))
    for action in (load, rendered):
        action(first)
        # The small one first: the large one contains all of its expressions, whose trees are kept once they are parsed.
        allowed = 5 * calls(partial(action, few))
        assert calls(partial(action, many)) < allowed


def test_a_size_from_a_chain_of_instances(tmp_path: Path) -> None:
    """Each instance that a size depends on is followed once."""
    path, found = tmp_path / "chain.ksy", []
    for links in (25, 100):
        path.write_text(instances("P + 1", more="{id: body, size: P}")(links))
        found.append(calls(partial(length_fields, load(path))))
    assert found[1] < 5 * found[0]


@pytest.mark.usefixtures("low_limits")
@pytest.mark.parametrize("name", CHOSEN)
def test_reading(name: str, tmp_path: Path) -> None:
    """The object parser too caches a value that would otherwise be computed repeatedly."""
    classes = [load_format(written(tmp_path, name, each)).root_class for each in (FIRST, FEW, MANY)]
    data = b"\x0a\x02\x08\x05" if "message" in name else b"\x05a\x07b"
    values(classes[-1], data)
    check_growth(lambda kind: values(kind, data), *classes)


def values(kind: type, data: bytes) -> None:
    try:
        found = kind.from_bytes(data)  # type: ignore[attr-defined]
    except (WireloomError, EOFError):
        return
    for row in getattr(found, "rows", ()):
        for name in [each for each in dir(type(row)) if not each.startswith("_")]:
            getattr(row, name, None)


@pytest.mark.parametrize("name", ["integers", "conditionals", "types", "types with sizes", "instances of messages"])
def test_sixty_levels_are_read(name: str, tmp_path: Path) -> None:
    format = load_format(written(tmp_path, name, 60))
    assert wireloom.read(format, b"", columns=["_offset"]).num_rows == 0


def test_instances_that_stand_on_each_other_are_read_by_the_engine() -> None:
    format = format_of(FAMILIES["integers"](40))
    assert format.program is not None
    assert len(format.program.steps) < 200
    table = wireloom.read(format, bytes(range(1, 9)), columns=["a", "v0", "v1", "v39"])
    assert table.to_pydict() == {"a": list(range(1, 9)), "v0": list(range(1, 9)), "v1": [0] * 8, "v39": [0] * 8}


# Limits --------------------------------------------------------------------------------------------------------------


def said(text: str) -> str:
    result = analyse("x.ksy", text, display_name="x.ksy")
    assert result.spec is None
    return "\n".join(map(str, result.diagnostics))


def test_a_type_of_too_many_members() -> None:
    attributes = "".join(f"      - {{id: a{each}, type: u1}}\n" for each in range(MAX_MEMBERS + 1))
    text = said(f"{HEAD}  row:\n    seq:\n{attributes}")
    assert f"a type has at most {MAX_MEMBERS} attributes, instances and parameters" in text
    assert "this one has 4097" in text


def test_expressions_without_measure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(validator, "MAX_CHARACTERS", 100)
    lines = "".join(f"      v{each}: {{value: a + {'1' * 10}}}\n" for each in range(10))
    text = said(f"{HEAD}  row:\n    seq: [{{id: a, type: u1}}]\n    instances:\n{lines}")
    assert "the expressions of a spec and its imports have at most 100 characters in all" in text


def test_imports_without_measure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from wireloom.codegen.model import imports

    (tmp_path / "part.ksy").write_text("meta: {id: part}\ndoc: " + "x" * 900 + "\nseq: [{id: a, type: u1}]\n")
    (tmp_path / "whole.ksy").write_text("meta: {id: whole, imports: [part]}\nseq: [{id: a, type: part}]\n")
    load(tmp_path / "whole.ksy")
    monkeypatch.setattr(imports, "MAX_CHARACTERS", 1000)
    with pytest.raises(SpecError, match="a spec and its imports have at most 1000 characters"):
        load(tmp_path / "whole.ksy")


def chained(levels: int, last: str = "u1") -> str:
    """Return types that contain the next one."""
    lines = "".join(f"  t{each}: {{seq: [{{id: a, type: t{each + 1}}}]}}\n" for each in range(levels - 2))
    row = "  row: {seq: [{id: k, type: u1}, {id: a, type: t0}]}\n"
    return f"{HEAD}{row}{lines}  t{levels - 2}: {{seq: [{{id: a, type: {last}}}]}}\n"


def test_types_in_each_other(tmp_path: Path) -> None:
    path = tmp_path / "family.ksy"
    # The root contains the rows.
    path.write_text(chained(MAX_TYPE_DEPTH - 1))
    assert wireloom.read(load_format(path), b"abcd").num_rows == 2
    assert kaitai(path, Api.KAITAI_READ_WRITE)
    compare(load(path), load(path))
    for levels in (MAX_TYPE_DEPTH, 2000):
        text = said(chained(levels))
        assert f"types are nested more than {MAX_TYPE_DEPTH} levels deep" in text
    path.write_text(chained(20, last="row, if: false"))
    assert load_format(path).program is not None
