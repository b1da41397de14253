"""A ``.proto`` file → the text of a spec."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from google.protobuf.descriptor_pb2 import FileDescriptorSet  # TC
from wireloom.base.dataclass import dataclass
from wireloom.base.errors import SpecError, WireloomError
from wireloom.base.extras import require
from wireloom.base.text import printable, unknown

from ..model.load import analyse
from ..spec.diagnostics import InvalidSpecError
from .convert import MESSAGE, REPEATED, Converter
from .names import snake_case
from .yaml_text import Value, yaml_text

if TYPE_CHECKING:
    from google.protobuf.descriptor_pb2 import FileDescriptorProto

    from .declarations import Declaration


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

    Args:
        path: The file.
        name: The name of the spec; by default that of the file.
        message: The message whose table the spec describes, which makes it a format.
        import_paths: The folders in which imports are searched for.

    Raises:
        UnsupportedError: grpcio-tools is not installed, or the file uses editions.
        SpecError: protoc or the dialect refuses the file.
        UnknownNameError: There is no such message.
        WireloomError: The file cannot be read.
    """
    files = file_descriptors(path, import_paths).file
    root_name = snake_case(name if name is not None else path.stem)
    converter = Converter(files, root_name)
    header = f'# Made from {printable(path.name)} by "wireloom import-proto".\n'
    text = header + _text(converter, message, path.name)
    result = analyse(f"{root_name}.ksy", text, display_name=f"{root_name}.ksy")
    if result.spec is None:
        raise InvalidSpecError(result.diagnostics)
    return Imported(root_name, text, tuple(converter.warnings))


def message_spec(descriptors: bytes, message: str) -> Imported:
    """Return the spec of an input that is one message, with a row of its fields.

    Args:
        descriptors: A ``FileDescriptorSet`` with the files of the message and of all imports.
        message: The name of the message, with its package.

    Raises:
        UnknownNameError: There is no such message.
        WireloomError: The descriptors are invalid, or use what a spec cannot express.
    """
    from google.protobuf.message import DecodeError

    name = snake_case(message.rpartition(".")[2])
    try:
        files = FileDescriptorSet.FromString(descriptors).file
        # The file of the message comes last.
        converter = Converter(sorted(files, key=lambda each: _declares(each, message)), name)
        return Imported(name, _text(converter, message, message, is_row=True), tuple(converter.warnings))
    except DecodeError as error:
        raise WireloomError(f"the schema is no set of protobuf's descriptors: {error}") from None


def _declares(file: FileDescriptorProto, message: str) -> bool:
    """Return whether a file has a message, or one around it."""
    package = f"{file.package}." if file.package else ""
    top = message.removeprefix(package).partition(".")[0]
    return message.startswith(package) and any(each.name == top for each in file.message_type)


def _text(converter: Converter, message: str | None, title: str, *, is_row: bool = False) -> str:
    """Return the text of a spec. ``is_row``: whether the message itself is the row."""
    body = converter.body()
    unit = converter.message(message) if message is not None else None
    if message is not None and unit is None:
        raise unknown("message", message, [each.full_name[1:] for each in converter.messages()])
    meta: dict[str, Value] = {"id": converter.root_name, "title": converter.files[-1].package or title}
    layout: dict[str, Value] = {}
    if unit is not None:
        reference = "::".join(unit.spec_path)
        rows = "" if is_row else _rows(converter, unit)
        table: dict[str, Value] = {"at": "message", "type": reference, **({"rows": rows} if rows else {})}
        meta["-wireloom"] = {"message": table}
        layout["seq"] = [{"id": "message", "type": reference, "size-eos": True}]
    return yaml_text({"meta": meta, **layout, **body})


def _rows(converter: Converter, unit: Declaration) -> str:
    """Return the spec's name of the only repeated field of messages; empty if there are several or none."""
    body = unit.message
    assert body is not None
    repeated = (each for each in body.field if each.type == MESSAGE and each.label == REPEATED)
    found = [each.number for each in repeated if converter.map_entry(each) is None]
    return converter.field_names(unit)[found[0]] if len(found) == 1 else ""


LOGGED = re.compile(r"[IWEF]\d{4} |WARNING: All log messages before ")
"""Lines that protoc logs for its developers."""
SECONDS = 120
"""Time limit of protoc, in seconds."""


def file_descriptors(path: Path, import_paths: Sequence[Path] = ()) -> FileDescriptorSet:
    """Return the descriptors of a file and of all files that it imports, with comments; those of the file itself come
    last.

    Imports are searched for in ``import_paths``, or in the folder of the file if it is in none of them; protobuf's own
    types are always found. Raises ``UnsupportedError`` without grpcio-tools, ``SpecError`` with protoc's message for
    each mistake, and ``WireloomError`` if the file cannot be read.
    """
    require("grpc_tools", "proto", "reading .proto files")
    from google.protobuf.descriptor_pb2 import FileDescriptorSet

    if not path.is_file():
        raise WireloomError("is not a file: give a .proto file", path=str(path))
    folders = [each.resolve() for each in import_paths]
    file = path.resolve()
    if not any(file.is_relative_to(each) for each in folders):
        folders.insert(0, file.parent)
    with tempfile.TemporaryDirectory() as scratch:
        output = Path(scratch) / "descriptors"
        options = [f"--proto_path={each}" for each in folders]
        options += ["--include_imports", "--include_source_info", f"--descriptor_set_out={output}"]
        _run([*options, str(file)], path, file)
        return FileDescriptorSet.FromString(output.read_bytes())


def _run(arguments: Sequence[str], path: Path, file: Path) -> None:
    command = [sys.executable, "-m", "grpc_tools.protoc", *arguments]
    try:
        done = subprocess.run(command, capture_output=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired as error:
        raise WireloomError(
            f"protoc was stopped after {SECONDS} seconds: import fewer or smaller files", path=str(path)
        ) from error
    if done.returncode == 0:
        return
    output = [each for each in done.stderr.decode("utf-8", "replace").strip().splitlines() if not LOGGED.match(each)]
    lines = [_line(each, path, file) for each in output] or [f"error: protoc rejected {path}"]
    if path.suffix != ".proto":
        lines.append("    = a .proto file is expected, and the name of this one ends differently")
    raise SpecError("\n".join(lines))


def _line(line: str, path: Path, file: Path) -> str:
    """Return a line of protoc's output in the form of our diagnostics, with the file as named by the caller."""
    line = line.replace(str(file.parent) + os.sep, "")
    parts = line.split(":", 3)
    if len(parts) == 4 and parts[1].isdigit() and parts[2].isdigit():
        name = str(path) if parts[0] == file.name else parts[0]
        text = parts[3].strip()
        severity, text = ("warning", text[9:]) if text.startswith("warning: ") else ("error", text)
        return f"{name}:{parts[1]}:{parts[2]}: {severity}: {text}"
    return f"error: {line}"
