"""From the paths of a read to the files that are read. Runs on the driver."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable
from fnmatch import fnmatchcase

from pyspark.sql.types import StructField

from ... import codecs
from ...base.addresses import local_path
from ...base.errors import NothingThereError, WireloomError
from ...base.nearest import unknown
from ...format.description import Format
from ...input.expansion import STANDARD_INPUT, expand
from ...input.inputs import REMOTE_SCHEMES, Input
from ...input.listing import alternatives
from ...input.stored import Stored
from ...reading.small_file_loading import is_small, stand_back_to_back
from ..options import ReadOptions
from .partition_columns import column_types, constants_of, folder_values
from .split_planning import Candidate


def candidates(format: Format, options: ReadOptions) -> list[Candidate]:
    """The files to be read, each with what planning must know of it.

    Raises ``WireloomError`` where there is none, unless missing ones are to be passed over.
    """
    if STANDARD_INPUT in options.paths:
        raise WireloomError("Spark's tasks cannot read standard input: give a path")
    inputs = [each for path in options.paths for each in _there(path, options)]
    if not inputs and not options.ignore_missing:
        raise WireloomError(
            "none of the files is read: check recursiveFileLookup, pathGlobFilter, modifiedAfter and modifiedBefore",
            path=", ".join(options.paths),
        )
    return [_candidate(format, each, options) for each in _unique(inputs)]


def _there(path: str, options: ReadOptions) -> Iterable[Input]:
    try:
        return below(path, options)
    except NothingThereError:
        if not options.ignore_missing:
            raise
        return ()


def below(path: str, options: ReadOptions) -> Iterable[Input]:
    """The files of one path that the options let through. Raises ``NothingThereError`` where there is none at all."""
    found = expand(path, **options.location)
    if not options.recursive:
        found = [each for each in found if _is_directly_in(each.path or "", path)]
    if options.name_filter is not None:
        patterns = alternatives(options.name_filter)
        found = [each for each in found if any(fnmatchcase(each.name, pattern) for pattern in patterns)]
    after, before = options.modified_after, options.modified_before
    if after is not None:
        found = [each for each in found if each.modified is None or each.modified > after]
    if before is not None:
        found = [each for each in found if each.modified is None or each.modified < before]
    return found


def _is_directly_in(file: str, path: str) -> bool:
    """Whether a file is what a path or pattern names, or in a folder that it names, not below one in it."""
    here, named = (os.path.normpath(local_path(each)).split("/") for each in (file, path))
    if "**" in named:
        return True
    return len(here) - len(named) in (0, 1)


def _unique(inputs: Iterable[Input]) -> list[Input]:
    """A file that several of the paths name, perhaps in different spellings, is read once."""
    found: dict[str, Input] = {}
    for each in inputs:
        found.setdefault(_place(each.path or ""), each)
    return list(found.values())


def _place(path: str) -> str:
    scheme, sign, rest = path.partition("://")
    return f"s3://{rest}" if sign and scheme in REMOTE_SCHEMES else os.path.abspath(path)


def _candidate(format: Format, found: Input, options: ReadOptions) -> Candidate:
    """Only a file that is large enough to be split is opened, to see whether its bytes are those of the format."""
    named = codecs.by_suffix(found.name)
    codec = options.scan.get("codec", "auto")
    if codec != "auto":
        named = None if codec == "none" else str(codec)
    large = found.size is not None and found.size > options.open_cost
    whole = format.has_prologue or options.location.get("verify_sha256", False)
    splittable = format.splittable and not whole and named is None and found.seekable and large
    if splittable and codec == "auto":
        splittable = _is_raw(format, found)
    together = is_small(found) and stand_back_to_back(format)
    return Candidate(found, splittable=splittable, compressed=named is not None, together=together)


def _is_raw(format: Format, found: Input) -> bool:
    try:
        stored = Stored(found.open(), found.size)
    except WireloomError:
        # Whoever reads the file says what is wrong with it.
        return False
    try:
        return codecs.detect(stored.peek(codecs.HEAD), found.name, format.codec) == "none"
    except WireloomError:
        return False
    finally:
        stored.close()


def check_columns(
    format: Format, names: Iterable[str], known: Collection[str], inputs: Iterable[Input], options: ReadOptions
) -> None:
    """Raises ``UnknownNameError`` for one of the ``names``, which are no columns of the format, that the folders of no
    input give. Without any input nobody can tell."""
    folders: dict[str, None] = {}
    several = list(inputs)
    for each in several:
        folders.update(dict.fromkeys(constants_of(each.path, options)))
    for name in names if several else ():
        if name.lower() not in folders:
            raise unknown(f"column of {format.name}", name, [*known, *folders])


def folder_fields(options: ReadOptions, known: Collection[str]) -> list[StructField]:
    """The columns that folders named ``key=value`` give; a column of the format comes before one of the same name."""
    if options.partition_columns == "off":
        return []
    inputs = present(options)
    taken = {name.lower() for name in known}
    values = (folder_values(each.path or "", options.base_path) for each in inputs)
    types = column_types(values, options.partition_columns)
    return [StructField(name, kind) for name, kind in types.items() if name.lower() not in taken]


def present(options: ReadOptions) -> list[Input]:
    """The files that are there now; none where nothing can be read: the reader says so, and a stream may wait."""
    try:
        return [each for path in options.paths if path != STANDARD_INPUT for each in _there(path, options)]
    except WireloomError:
        return []
