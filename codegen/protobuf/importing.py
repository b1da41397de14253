"""A ``.proto`` file → the text of a spec."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from wireloom.base.nearest import unknown
from wireloom.base.printable import printable

from ..dataclass import dataclass
from ..model.load import analyse
from ..spec.diagnostics import InvalidSpecError
from .convert import MESSAGE, REPEATED, Converter
from .names import snake_case
from .protoc import described
from .yaml_text import Value, yaml_text

if TYPE_CHECKING:
    from .declarations import Declared


@dataclass(frozen=True)
class Imported:
    """A spec: its name, its text, and sentences about the parts of the file that it cannot express."""

    name: str
    text: str
    warnings: tuple[str, ...]


def import_proto(
    path: Path, *, name: str | None = None, message: str | None = None, import_paths: Sequence[Path] = ()
) -> Imported:
    """Return the spec of a ``.proto`` file.

    ``name`` is the name of the spec, by default the name of the file. ``message`` is the message whose table the spec
    describes, which makes it a format.

    Raises ``UnsupportedError`` without grpcio-tools and for editions, ``SpecError`` if protoc or the dialect refuses
    the file, ``UnknownNameError`` if there is no such message.
    """
    files = described(path, import_paths).file
    root_name = snake_case(name if name is not None else path.stem)
    converter = Converter(files, root_name)
    body = converter.body()
    unit = converter.message(message) if message is not None else None
    if message is not None and unit is None:
        raise unknown("message", message, [each.full_name[1:] for each in converter.messages()])
    meta: dict[str, Value] = {"id": root_name, "title": files[-1].package or path.name}
    layout: dict[str, Value] = {}
    if unit is not None:
        reference = "::".join(unit.spec_path)
        rows = _rows(converter, unit)
        table: dict[str, Value] = {"at": "message", "type": reference, **({"rows": rows} if rows else {})}
        meta["-wireloom"] = {"message": table}
        layout["seq"] = [{"id": "message", "type": reference, "size-eos": True}]
    header = f'# Made from {printable(path.name)} by "wireloom import-proto".\n'
    text = header + yaml_text({"meta": meta, **layout, **body})
    result = analyse(f"{root_name}.ksy", text, display_name=f"{root_name}.ksy")
    if result.spec is None:
        raise InvalidSpecError(result.diagnostics)
    return Imported(root_name, text, tuple(converter.warnings))


def _rows(converter: Converter, unit: Declared) -> str:
    """Return the spec's name of the only repeated field of messages; empty if there are several or none."""
    body = unit.message
    assert body is not None
    repeated = (each for each in body.field if each.type == MESSAGE and each.label == REPEATED)
    found = [each.number for each in repeated if converter.map_entry(each) is None]
    return converter.field_names(unit)[found[0]] if len(found) == 1 else ""
