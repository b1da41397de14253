"""The common parts of the tests of the read-write API."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Any

from kaitaistruct import KaitaiStream
from wireloom.codegen.backends.python.names import Api

from .compiling import Compiled

META = "meta: {id: made, endian: le, bit-endian: be, encoding: UTF-8}\n"


def writable(folder: Path, *texts: str) -> Any:
    """Return the root class ``Made`` of a spec without ``meta``, with the API that reads and writes."""
    compiled = Compiled(folder, META + texts[0], *texts[1:], api=Api.KAITAI_READ_WRITE)
    assert compiled.errors == []
    return compiled.made


def made(kind: Any, **values: Any) -> Any:
    """Return a new object with these attributes."""
    value = kind()
    for name, each in values.items():
        setattr(value, name, each)
    return value


def read(kind: Any, data: bytes) -> Any:
    """Return an object read from bytes."""
    value = kind.from_bytes(data)
    value._read()
    return value


def written(value: Any, size: int | None = None) -> bytes:
    """Return what is written into a file that grows or, with ``size``, into a stream of that many bytes."""
    if size is None:
        file = BytesIO()
        value._write(file)
        return file.getvalue()
    stream = KaitaiStream(BytesIO(bytes(size)))
    value._write(stream)
    result: bytes = stream.to_byte_array()
    return result


def there_and_back(kind: Any, value: Any) -> bytes:
    """Return the bytes of a value, which are read as the same value and written as the same bytes."""
    data = written(value)
    again = read(kind, data)
    assert again == value
    assert written(again) == data
    assert written(again, len(data)) == data
    return data
