"""The built-in specs."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest
import yaml
from wireloom.codegen.model.load import analyse
from wireloom.codegen.tree import Spec

from tests.unit.frontend.specs import solved

FOLDER = Path(__file__).parents[3] / "specs"
TYPES_ONLY = (
    "kafka_messages",
    "mcap_records",
    "mysql_data",
    "mysql_events",
    "mysql_gtids",
    "otlp_common",
    "packet_headers",
    "pcapng_blocks",
)


@cache
def spec(name: str) -> Spec:
    result = analyse(FOLDER / f"{name}.ksy")
    assert result.diagnostics == ()
    assert result.spec is not None
    return result.spec


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.ksy")), ids=lambda path: path.stem)
def test_every_spec_is_in_order(path: Path) -> None:
    found = spec(path.stem)
    assert found.name == path.stem
    assert found.title
    assert found.license
    assert found.doc
    assert len(path.read_text().splitlines()) < 240, "move types that make sense alone into a spec that is imported"
    # Specs that others import have no table of their own.
    assert (bool(found.tables) != (found.units is not None)) == (found.name not in TYPES_ONLY)
    assert all(
        each.doc for struct in (found.root, *found.root.structs) for each in struct.attributes if each.id != "groups"
    )


COMPUTED = r"^ {6}\w+:\n(?: {8}\w.*\n)* {8}-wireloom: \{checksum:"
OTHER_KEYS = re.compile(rf"\{{varint:|within:|^ {{4,}}message: *$|{COMPUTED}", re.MULTILINE)
"""Keys that are used in place of attributes and of the values of instances, and those of messages."""
OF_KAITAIS_LANGUAGE = [path for path in sorted(FOLDER.glob("*.ksy")) if not OTHER_KEYS.search(path.read_text())]


@pytest.mark.parametrize("path", OF_KAITAIS_LANGUAGE)
def test_extensions_stand_under_their_key_only(path: Path) -> None:
    """Without the keys that other compilers ignore, a spec is a valid one of Kaitai's language."""

    def plain(node: object) -> object:
        if isinstance(node, dict):
            return {key: plain(value) for key, value in node.items() if not str(key).startswith("-")}
        return [plain(each) for each in node] if isinstance(node, list) else node

    text = yaml.safe_dump(plain(yaml.safe_load(path.read_text())), sort_keys=False)
    result = analyse(path, text)
    # Names are the format's own, also that of a size that is not a column here.
    assert [each for each in result.diagnostics if each.severity != "warning"] == []
    assert result.spec is not None
    assert result.spec.tables == ()
    assert solved(result.spec).items() <= solved(spec(path.stem)).items()
