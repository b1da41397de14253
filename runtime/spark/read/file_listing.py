"""Lists the files of a read from its paths. Runs on the driver."""

from __future__ import annotations

import json
import os
import zlib
from base64 import b64decode, b64encode
from collections.abc import Callable, Collection, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from fnmatch import fnmatchcase

from pyspark.sql.types import StructField

from ... import codecs
from ...base.addresses import is_remote, local_path, same_for_all
from ...base.errors import NothingThereError, WireloomError
from ...base.shown_addresses import without_secrets
from ...format.description import Format
from ...input.expansion import STANDARD_INPUT, expand
from ...input.inputs import FileInput, Input, Location, PipeInput
from ...input.listing import alternatives
from ...reading.opening import is_uncompressed
from ...reading.request import is_split
from ...reading.small_file_loading import is_small, stand_back_to_back
from ..options import ReadOptions
from .partition_columns import column_types, folder_values, folders_of
from .split_planning import Candidate, Slice, plan

ATTEMPTS = 5
"""Number of times a folder is listed if files vanish from it meanwhile."""
REQUESTS = 16
"""Number of objects that are opened concurrently."""
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def table_of_files(format: Format, options: ReadOptions) -> Format:
    """Return the table with the columns of the schema in the first of the files that has one, if a column of it is
    decoded, otherwise the same one. Raises ``WireloomError`` if none has a schema."""
    if not format.decode and options.scan.decode is None and options.scan.schemas is None:
        return format
    from ...reading.decoding.resolving import resolved

    return resolved(format, tuple(list_inputs(options, missing_ok=True)), options.scan, options.own)


def list_inputs(
    options: ReadOptions, *, missing_ok: bool = False, expand: Callable[[str, Location], list[Input]] = expand
) -> list[Input]:
    """Return the files that the paths name and the options select, each once. ``expand``: a function that lists one
    path.

    ``missing_ok``: skip paths that match nothing, as with option ``ignoreMissingFiles``. Otherwise they raise
    ``NothingThereError``, which is also raised if no file is left. Raises ``WireloomError`` if a folder or an object
    store cannot be listed.
    """
    if options.listed_files is not None:
        return _decoded(options.listed_files, options.scan.location)
    if STANDARD_INPUT in options.paths:
        raise WireloomError("Spark's tasks cannot read standard input: give a path")
    missing_ok = missing_ok or bool(options.ignore_missing_files)
    found: dict[str, Input] = {}
    for path in options.paths:
        for each in _chosen(_expanded(path, options, missing_ok, expand), path, options):
            # Several paths may name a file, possibly in different spellings.
            found.setdefault(_place(each.address), each)
    if not found and not missing_ok:
        raise NothingThereError(
            "none of the files is read: check recursiveFileLookup, pathGlobFilter, modifiedAfter and modifiedBefore",
            path=", ".join(options.paths),
        )
    return list(found.values())


def encoded(inputs: Iterable[Input]) -> str:
    """Return the listed files as the value of the internal option ``listedFiles``, with which another process does not
    list them again. It is compressed since Spark keeps it in memory, and paths are similar.
    """
    found = [
        (each.address, each.size, microseconds(each.modified), each.sparse, getattr(each, "file_id", 0))
        for each in inputs
    ]
    return b64encode(zlib.compress(json.dumps(found).encode(), 1)).decode()


def _decoded(text: str, location: Location) -> list[Input]:
    return [
        input_of(path, size, modified, location, sparse=sparse, file_id=file_id)
        for path, size, modified, sparse, file_id in json.loads(zlib.decompress(b64decode(text)))
    ]


def input_of(
    path: str, size: int | None, modified: int, location: Location, *, sparse: bool = False, file_id: int = 0
) -> Input:
    """Return the input for a file that was listed before, without accessing it. ``modified``: as from
    ``microseconds``."""
    time = EPOCH + timedelta(microseconds=modified)
    if is_remote(path):
        from ...input.remote_files import RemoteInput

        return RemoteInput(without_secrets(path), size, time, seekable=True, location=location, named=path)
    if size is None:
        return PipeInput(path, None, time)
    return FileInput(path, size, time, seekable=True, sparse=sparse, file_id=file_id)


def microseconds(modified: datetime | None) -> int:
    """Return a time in microseconds since 1970, UTC; 0 if it is not known."""
    return 0 if modified is None else (modified - EPOCH) // timedelta(microseconds=1)


def _expanded(
    path: str, options: ReadOptions, missing_ok: bool, expand: Callable[[str, Location], list[Input]]
) -> list[Input]:
    for attempt in range(ATTEMPTS):
        try:
            return expand(path, options.scan.location)
        except NothingThereError:
            if missing_ok:
                return []
            raise
        except WireloomError as error:
            vanished = error.path is not None and error.path != path and not is_remote(error.path)
            if attempt == ATTEMPTS - 1 or not vanished or os.path.lexists(str(error.path)):
                raise
    raise AssertionError


def _chosen(found: Iterable[Input], path: str, options: ReadOptions) -> Iterable[Input]:
    """Return the files of one path that the options select."""
    if not options.recursive_file_lookup:
        found = [each for each in found if _is_directly_in(each.path or "", path)]
    if options.path_glob_filter is not None:
        patterns = alternatives(options.path_glob_filter)
        found = [each for each in found if any(fnmatchcase(each.name, pattern) for pattern in patterns)]
    after, before = options.modified_after, options.modified_before
    if after is not None:
        found = [each for each in found if each.modified is None or each.modified > after]
    if before is not None:
        found = [each for each in found if each.modified is None or each.modified < before]
    return found


def _is_directly_in(file: str, path: str) -> bool:
    """Return whether a path or pattern names a file itself, or the folder that contains it."""
    here, named = (os.path.normpath(local_path(each)).split("/") for each in (file, path))
    if "**" in named:
        return True
    return len(here) - len(named) in (0, 1)


def _place(path: str) -> str:
    return same_for_all(path) if is_remote(path) else os.path.abspath(path)


def candidate(format: Format, found: Input, options: ReadOptions, columns: Collection[str]) -> Candidate:
    """Return a file with the properties that split planning needs, without opening it. ``columns``: those that are
    read.
    """
    codec = str(options.scan.codec)
    compressed = _has_suffix(found) if codec == "auto" else codec != "none"
    large = found.size is not None and found.size > options.open_cost_in_bytes
    is_readable = not options.scan.verify_sha256 and not compressed and found.seekable and large
    splittable = is_readable and is_split(format, options.scan.recover, columns)
    together = is_small(found) and stand_back_to_back(format)
    return Candidate(found, splittable=splittable, compressed=compressed, together=together)


def planned(format: Format, candidates: Iterable[Candidate], options: ReadOptions) -> list[tuple[Slice, ...]]:
    """Return the partitions. Files that would be split are opened, several at a time, since their content may be
    compressed.
    """

    def is_plain(source: Input) -> bool:
        try:
            return is_uncompressed(format, source, str(options.scan.codec))
        except WireloomError:
            # The task that reads the file reports the error.
            return False

    def confirm(large: Sequence[Input]) -> Iterable[bool]:
        if all(isinstance(each, FileInput) for each in large):
            return map(is_plain, large)
        with ThreadPoolExecutor(REQUESTS) as pool:
            return list(pool.map(is_plain, large))

    return plan(
        candidates,
        max_partition_bytes=options.max_partition_bytes,
        open_cost=options.open_cost_in_bytes,
        min_partitions=options.min_partitions or os.cpu_count() or 1,
        confirm=confirm,
    )


def _has_suffix(source: Input) -> bool:
    return codecs.by_suffix(source.name) is not None


def partition_fields(inputs: Iterable[Input], options: ReadOptions, known: Collection[str]) -> list[StructField]:
    """Return the columns of folders named ``key=value``. A column of the format takes precedence over one of the same
    name.
    """
    taken = {name.lower() for name in known}
    values = (folder_values(each, options.base_path) for each in folders_of(each.path or "" for each in inputs))
    types = column_types(values, options.partition_columns)
    return [StructField(name, kind) for name, kind in types.items() if name.lower() not in taken]
