"""Names of the spec as names of Python: those of Kaitai's compiler, except where Python or the base class reserves
them.
"""

from __future__ import annotations

import keyword
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from enum import Enum, IntEnum

from ...expression.types import Path
from ...tree import Attribute, Instance, Struct
from ...tree.leaves import Parameter

KAITAI = frozenset({"self", "cls", "close", "from_bytes", "from_file", "from_io"})
"""Names that the base classes with Kaitai's API, or all methods, use."""

RESERVED = KAITAI | {"to_bytes", "get", "has", "property", "classmethod"}
"""Names that the base classes of formats, all methods or the decorators use."""

DEFAULT_CASE = "_is_default"
"""The attribute of an object that is true if it has a value of the default case of a switch."""

_reserved = ContextVar("reserved", default=RESERVED)


@contextmanager
def naming(api: Api) -> Iterator[None]:
    """Make ``field_name`` return the names of classes of an API within the context."""
    token = _reserved.set(RESERVED if api is Api.WIRELOOM else KAITAI)
    try:
        yield
    finally:
        _reserved.reset(token)


def class_name(name: str) -> str:
    """Return the name of the class of a type or enum.

    >>> class_name("edgemq_segment"), class_name("none")
    ('EdgemqSegment', 'None_')
    """
    joined = "".join(part[:1].upper() + part[1:] for part in name.split("_"))
    return f"{joined}_" if keyword.iskeyword(joined) else joined


def module_name(name: str) -> str:
    """Return the name of the module of a spec with Kaitai's API.

    >>> module_name("png"), module_name("import")
    ('png', 'import_')
    """
    return f"{name}_" if keyword.iskeyword(name) else name


def enum_classes(holder: Struct) -> dict[str, str]:
    """Return the class name of each enum of a type: ``KeyFlagsEnum`` if a sibling type is named ``KeyFlags``."""
    taken = {class_name(each.path[-1]) for each in holder.structs}
    classes = {}
    for enum in holder.enums:
        joined = class_name(enum.path[-1])
        while joined in taken:
            joined += "Enum"
        classes[enum.path[-1]] = joined
    return classes


def qualified(path: Path) -> str:
    """Return the class name of an absolute path, qualified within its module.

    >>> qualified(("edgemq_segment", "frame"))
    'EdgemqSegment.Frame'
    """
    return ".".join(class_name(name) for name in path)


def field_name(name: str) -> str:
    """Return the name of a field, instance or parameter.

    >>> field_name("len"), field_name("class")
    ('len', 'class_')
    """
    return f"{name}_" if keyword.iskeyword(name) or name in _reserved.get() else name


def member_names(struct: Struct) -> tuple[str, ...]:
    """Return the names of the parameters, fields and instances of a class."""
    members: tuple[Parameter | Attribute | Instance, ...] = (*struct.parameters, *struct.attributes, *struct.instances)
    return tuple(field_name(each.id) for each in members)


def condition_name(key: str, table: str) -> str:
    """Return the name of the property that says whether an object meets a condition of a table.

    >>> condition_name("where", "errors"), condition_name("unsupported", "")
    ('_where_errors', '_unsupported')
    """
    return f"_{key}_{table}" if table else f"_{key}"


def covered_slot(instance: str) -> str:
    """Return the name of the attribute that stores the positions of the bytes covered by the checksum of an instance.

    >>> covered_slot("hash")
    '_covered_hash'
    """
    return f"_covered_{instance}"


def label_name(name: str) -> str:
    """Return the name of a label of an enum.

    >>> label_name("fence"), label_name("from"), label_name("real")
    ('fence', 'from_', 'real_')
    """
    reserved = keyword.iskeyword(name) or hasattr(IntEnum, name) or name in ("mro", "name", "value")
    return f"{name}_" if reserved else name


def constant_name(path: Path, *more: str) -> str:
    """Return the name of a constant of the module.

    >>> constant_name(("edgemq_segment", "frame"), "len")
    '_EDGEMQ_SEGMENT_FRAME_LEN'
    """
    return "_" + "_".join((*path, *more)).upper().lstrip("_")


class Api(Enum):
    """The API of generated classes.

    ``WIRELOOM``: classes that read and write, with the additions that formats of wireloom need (rows, messages).
    ``KAITAI``: the classes of Kaitai's own compiler, whose constructor reads and which cannot write.
    ``KAITAI_READ_WRITE``: the classes of its read-write mode, on which the user calls ``_read``, ``_check`` and
    ``_write``.
    """

    WIRELOOM = "wireloom"
    KAITAI = "kaitai"
    KAITAI_READ_WRITE = "kaitai-read-write"
