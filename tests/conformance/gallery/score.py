"""The score of the gallery, and its file."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from wireloom.codegen.backends.python.names import Api

from tests.conformance.gallery import modules, reference
from tests.conformance.gallery.checkout import Checkout
from tests.conformance.gallery.coverage import counts, coverage, known_specs
from tests.conformance.gallery.parsing import Parsed, Parser
from tests.conformance.gallery.samples import makers

FILE = Path(__file__).parents[1] / "gallery.json"
REPOSITORY = "https://github.com/kaitai-io/kaitai_struct_formats"

APIS = {"read": Api.KAITAI, "read_write": Api.KAITAI_READ_WRITE}

STAGES = ("compiled", "imported", "ruff", "mypy")
"""The checks that each module must pass."""


def standing() -> dict[str, Any]:
    """Return the current content of the file."""
    found: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return found


def write(score: Mapping[str, Any]) -> None:
    """Write the file."""
    FILE.write_text(json.dumps(score, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def modules_score(gallery: Checkout, folder: Path) -> dict[str, Any]:
    """Return the score of the modules, for classes that read and for those that also write."""
    return {name: _stages(gallery, folder / name, api) for name, api in APIS.items()}


def _stages(gallery: Checkout, folder: Path, api: Api) -> dict[str, Any]:
    """Return how many modules pass each stage, and what is wrong with the others."""
    findings = modules.inspect(gallery, folder, api)
    total = len(gallery.specs)
    failing: dict[str, dict[str, str]] = {stage: getattr(findings, stage) for stage in STAGES}
    return {
        "specs": total,
        **{
            stage: total - len(failing["compiled"]) - len({*failing[stage]} - {*failing["compiled"]})
            for stage in STAGES
        },
        "failing": {stage: wrong for stage, wrong in failing.items() if wrong},
    }


def compared(gallery: Checkout, folder: Path, formats: Iterable[str] = (), mutations: int = 0) -> dict[str, Parsed]:
    """Parse the samples of all formats, or of the given ones, with the classes of both compilers."""
    known = makers()
    wanted = tuple(formats) or tuple(known)
    specs = [each for each in gallery.specs if each.stem in wanted]
    modules.compile_all(gallery, folder, specs)
    failed = reference.compile_reference(gallery, folder / "kaitai", specs)
    parser = Parser(folder, folder / "kaitai")
    found: dict[str, Parsed] = {}
    for name in wanted:
        if name in failed:
            found[name] = Parsed(unavailable=[f"Kaitai's compiler: {failed[name]}"])
        else:
            found[name] = parser.parse(name, known[name], mutations)
    return found


def comparison_score(found: Mapping[str, Parsed]) -> dict[str, Any]:
    """Return the score of the comparison."""
    equal = [name for name, parsed in found.items() if parsed.equal]
    return {
        "equal": len(equal),
        "files": sum(each.files for each in found.values()),
        "values": sum(each.values for each in found.values()),
        "formats": equal,
        "differing": {name: each.differences[0] for name, each in found.items() if each.differences},
        "not_compared": {
            name: "; ".join(each.unavailable) or "Kaitai's classes read none of the files"
            for name, each in found.items()
            if not each.whole
        },
    }


def row_score() -> dict[str, Any]:
    """Return how many repeated types can be rows, of the gallery and of Kaitai's suite."""
    return {each.name: counts(coverage(each)) for each in known_specs()}
