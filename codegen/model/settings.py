"""Keys of ``-wireloom`` in ``meta`` that concern the inputs of all tables: patterns of paths, reader options,
preallocated files and byte ranges."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from wireloom.format.choices import Choice

from ..expression.types import is_integer
from ..spec.diagnostics import Diagnostics
from ..spec.kinds import IDENTIFIER
from ..spec.syntax import Integer, Section, Text
from ..spec.tables import text_kind
from ..tree import Rows, Struct
from ..tree.leaves import Preallocated
from ..words import listed, shown


def read_path(section: Section, columns: tuple[str, ...], diagnostics: Diagnostics) -> str | None:
    """Return the pattern of the key ``path``.

    Args:
        section: The extensions of ``meta``.
        columns: The names of the columns of all tables, which parts of a path must not have.
        diagnostics: Receives the errors.

    Returns:
        The pattern; ``None`` without the key, and on errors.
    """
    pattern = section.text("path")
    if pattern is None:
        return None
    names = re.findall(r"\{([^{}]*)\}", pattern.value)
    rest = re.sub(r"\{[^{}]*\}", "", pattern.value)
    problem = None
    if "{" in rest or "}" in rest:
        problem = "an unmatched brace"
    elif re.search(r"\}\{", pattern.value):
        problem = "two names with nothing between them"
    for index, name in enumerate(names):
        if not re.fullmatch(IDENTIFIER, name):
            problem = f"{shown(name)}; expected {text_kind('name').expected}"
        elif name in names[:index]:
            problem = f"{shown(name)} twice"
        elif name in columns:
            problem = f"{shown(name)}, which is already a column"
    if problem:
        diagnostics.error(pattern.position, f"the path pattern has {problem}")
        return None
    return pattern.value


def read_options(section: Section, root: Struct, diagnostics: Diagnostics) -> tuple[Choice, ...]:
    """Return the reader options of the key ``options``, except those with errors. ``root``: the outermost type."""
    found: list[Choice] = []
    for entry in section.entries("options"):
        if not isinstance(entry.key, Text) or not isinstance(entry.value, Section):
            continue
        option = entry.value
        if option.faulty:
            continue
        if "padding" not in option.keys or "variable" in option.keys:
            found += _variable_option(entry.key.value, option, root, diagnostics)
            continue
        padding = tuple(
            (each.key.value, each.value.value)
            for each in option.entries("padding")
            if isinstance(each.key, Text) and isinstance(each.value, Integer)
        )
        names = [name for name, _ in padding]
        if not names:
            diagnostics.error(option.position_of("padding"), "an option requires at least one value")
            continue
        if "auto" in names:
            diagnostics.error(
                option.position_of("padding"),
                "'auto' is not allowed as a value: it means that the reader detects the value",
            )
            continue
        default = option.word("default", "auto")
        if default not in (*names, "auto"):
            message = f"the default must be {listed([*names, 'auto'])}, found {shown(default)}"
            diagnostics.error(option.position_of("default"), message)
            continue
        found.append(Choice(entry.key.value, padding, default, option.word("doc").strip()))
    if sum(bool(each.padding) for each in found) > 1:
        diagnostics.error(
            section.position_of("options"), "a format can have at most one option with padding: remove the others"
        )
    return tuple(found)


def _variable_option(name: str, option: Section, root: Struct, diagnostics: Diagnostics) -> Iterator[Choice]:
    """Yield an option that sets a variable of the root, unless it has errors."""
    variable = root.instance(option.word("variable"))
    for key in ("padding", "default"):
        if key in option.keys and "variable" in option.keys:
            diagnostics.error(
                option.position_of(key), f"'{key}' is not for an option with 'variable': remove one of them"
            )
            return
    if variable is None or not variable.variable or not is_integer(variable.type):
        what = "an option requires 'padding', or a 'variable' of the outermost type that is an integer"
        diagnostics.error(option.position_of("variable"), what)
        return
    values = tuple(
        (each.key.value, each.value.value)
        for each in option.entries("values")
        if isinstance(each.key, Text) and isinstance(each.value, Integer)
    )
    if "auto" in dict(values):
        diagnostics.error(option.position_of("values"), "'auto' is not allowed as a value: it means that of the spec")
        return
    yield Choice(name, (), "auto", option.word("doc").strip(), variable.id, tuple(sorted(values)))


def read_xor_key_file(section: Section, diagnostics: Diagnostics) -> str:
    """Return the name of the file with the key of inputs; empty without one. A name with a folder in it is an error:
    a spec must not name files elsewhere."""
    name = section.word("xor-key-file")
    if name in (".", "..") or not re.fullmatch(r"[^/\\\0]*", name):
        diagnostics.error(section.position_of("xor-key-file"), "expected the name of a file, without a folder")
        return ""
    return name


def read_preallocated(section: Section, tables: Sequence[Rows], diagnostics: Diagnostics) -> Preallocated | None:
    """Return the description of zeros at the end of files; ``None`` if there is none, or on errors."""
    keys = section.section("preallocated")
    if keys is None and not section.flag("preallocated"):
        return None
    if any(not each.streaming and not each.block for each in tables) or (not tables and not section.faulty):
        message = (
            "'preallocated' requires records, or blocks of them, that are read one by one up to the end of the input"
        )
        diagnostics.error(section.position_of("preallocated"), message)
        return None
    if keys is not None and any(not each.streaming for each in tables):
        diagnostics.error(section.position_of("preallocated"), "'sector' requires records outside of blocks")
        return None
    if keys is None:
        return Preallocated()
    return None if keys.faulty else Preallocated(keys.integer("sector") or 0, keys.integer("header") or 0)


def is_searched(
    section: Section | None, root: Struct, tables: Sequence[Rows], structs: Iterable[Struct], diagnostics: Diagnostics
) -> bool:
    """Return whether byte ranges begin where a search finds a unit (``ranges: search``).

    Args:
        section: The extensions of ``meta``.
        root: The root of the spec.
        tables: The rows of all tables; those that do not support the search are errors.
        structs: The types of the spec.
        diagnostics: Receives the errors.
    """
    if section is None or "ranges" not in section or section.faulty:
        return False
    problem = ""
    if not tables or any(not each.streaming or each.fragments is not None or each.inside for each in tables):
        problem = "requires units that are read one by one up to the end of the input"
    elif any(each.framing is not None for each in root.attributes):
        problem = "requires units without delimiters"
    elif any(each.variable for each in root.instances) or "options" in section:
        problem = "cannot be used with variables or 'options'"
    sums = [each.checksum for struct in structs for each in struct.attributes if each.checksum is not None]
    if not problem and (not sums or any(each.continues is not None for each in sums)):
        problem = "requires a checksum in each unit that does not continue another checksum"
    if problem:
        diagnostics.error(section.position_of("ranges"), f"'ranges' {problem}")
    return not problem
