"""The registry of formats: generated ones, those of installed packages, and spec files."""

from __future__ import annotations

import gc
import importlib
import os
import pkgutil
import re
from collections.abc import Sequence
from functools import cache, lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from ..base.arguments import checks_keywords, shown
from ..base.errors import NO_SPEC_FILE, UnknownNameError, WireloomError
from ..base.extras import entry_points, require
from ..base.text import unknown
from .description import MODEL_VERSION, Format
from .routines import checked_modules

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from .in_memory import InMemoryFormat
    from .spec_cache import SpecCache

GENERATED = "wireloom.formats"
"""The package of the generated formats, and the group of entry points by which other packages add formats: an entry
point has the name of the format and refers to a ``wireloom.format.description.Format``."""


@cache
def _generated() -> tuple[str, ...]:
    """Return the formats whose specs have rows; other specs only contain types to import."""
    package = importlib.import_module(GENERATED)
    return tuple(
        each.name
        for folder in package.__path__
        for each in pkgutil.iter_modules([folder])
        if each.ispkg and any(inner.name == "columns" for inner in pkgutil.iter_modules([f"{folder}/{each.name}"]))
    )


@cache
def _installed() -> dict[str, EntryPoint]:
    return {each.name: each for each in entry_points(group=GENERATED)}


def formats() -> list[str]:
    """Return the names of all formats, sorted, without importing them."""
    return sorted({*_generated(), *_installed()})


def hidden() -> dict[str, tuple[str, str]]:
    """Return the entry points that are ignored because another format has the same name: by name, the package of the
    ignored one and that of the other. None is imported."""
    found: dict[str, tuple[str, str]] = {}
    for each in entry_points(group=GENERATED):
        if each.name in _generated():
            found[each.name] = _package(each), "wireloom"
        elif each != _installed()[each.name]:
            found[each.name] = _package(each), _package(_installed()[each.name])
    return found


def _package(point: EntryPoint) -> str:
    return point.dist.name if point.dist is not None else point.value.partition(":")[0]


def get(
    name: str | Path | Format,
    allow_modules: Sequence[str] = (),
    *,
    needs_rows: bool = True,
    import_paths: Sequence[str | Path] = (),
) -> Format:
    """Return the format with that name, or that of the spec file ``name`` if it ends in ``.ksy``; ``allow_modules`` and
    ``import_paths``: as for ``load_spec``. Without ``needs_rows`` a spec file need not declare rows, see
    ``wireloom.codegen.loading``.

    Raises ``UnknownNameError`` with the nearest name, ``WireloomError`` for a generated package of another version, and
    ``SpecError`` for a spec that cannot be compiled.
    """
    modules = () if isinstance(allow_modules, tuple) and not allow_modules else checked_modules(allow_modules)
    if isinstance(name, Format):
        return _checked(name)
    if not isinstance(name, str | Path):
        raise WireloomError(f"format must be a name, the path of a spec or a Format, not {shown(name)}")
    text = str(name)
    if text.endswith(".ksy"):
        return _load_spec(text, modules, import_paths, needs_rows)
    if text in _generated():
        return _load(f"{GENERATED}.{text}")
    if text in _installed():
        return _checked(_load_installed(_installed()[text]))
    if _is_file(Path(text)):
        message = "it is a file; the format comes before the input, and names of specs end in .ksy"
        raise UnknownNameError(f"unknown format {text!r}: {message}")
    raise unknown("format", text, formats())


@lru_cache(maxsize=64)
def of_message(descriptors: bytes, message: str) -> Format:
    """Return the format of one protobuf message, with a row of its fields. ``descriptors``: a ``FileDescriptorSet``.

    Raises ``MissingExtraError``, ``UnknownNameError`` for a message that it does not have, and ``WireloomError`` for
    invalid descriptors, or what a spec cannot express.
    """
    require("google.protobuf", "proto", "decoding of messages by protobuf's descriptors")
    found: Format = importlib.import_module("wireloom.codegen.loading").message_format(descriptors, message)
    return found


def descriptors(path: Path) -> bytes:
    """Return the ``FileDescriptorSet`` of a ``.proto`` file and its imports. Raises ``WireloomError``."""
    found: bytes = importlib.import_module("wireloom.codegen.loading").descriptors(path)
    return found


def missing_spec(path: str) -> WireloomError:
    """Return the error for the path of a spec file that does not exist; it may be something else than a path."""
    if re.search("^meta:", path, re.MULTILINE):
        return WireloomError("this is the text of a spec: write it into a file, and give its path")
    if path in formats():
        return WireloomError(f"no such spec file: {path!r} is the name of a format, which needs no file", path=path)
    return WireloomError(NO_SPEC_FILE, path=path)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:
        # The name is too long.
        return False


@checks_keywords()
def load_spec(
    path: str | Path, *, allow_modules: Sequence[str] = (), import_paths: Sequence[str | Path] = ()
) -> Format:
    """Compile a spec file in memory and return its format.

    ``allow_modules``: modules whose classes the spec may name (``process``, ``framing``, ``packing``, ``hooks``,
    ``indexer``), in addition to those that are registered; a name includes the modules inside it. ``import_paths``:
    folders in which absolute imports are looked up, before those of the environment variable ``KSPATH``.

    Raises ``SpecError`` with all errors of the spec, including a class that is not allowed, and ``WireloomError`` for a
    file or class that does not exist.
    """
    return _load_spec(path, checked_modules(allow_modules), import_paths, needs_rows=True)


def _load_spec(
    path: str | Path, modules: Sequence[str], import_paths: Sequence[str | Path], needs_rows: bool
) -> Format:
    if not isinstance(path, str | os.PathLike):
        raise WireloomError(f"path must be the path of a spec file, not {shown(path)}")
    is_list = isinstance(import_paths, Sequence) and not isinstance(import_paths, str | bytes)
    if not is_list or not all(isinstance(each, str | Path) for each in import_paths):
        raise WireloomError(f"import_paths must be a list of folders, not {shown(import_paths)}")
    path = Path(os.fsdecode(path))
    if not _is_file(path):
        raise missing_spec(str(path))
    # Imported here: formats in packages do not need it.
    from .spec_cache import SpecCache

    compile = partial(_compiled, path, modules, import_paths, needs_rows)
    folders = (*map(str, import_paths), *os.environ.get("KSPATH", "").split(os.pathsep))
    cache = SpecCache.of(path, (modules, [os.path.abspath(each) for each in folders if each]), compile)
    # Nearly all that is allocated here stays until the end: the collector would look through it again and again.
    collects = gc.isenabled()
    gc.disable()
    try:
        return (cache and cache.read()) or compile(cache)
    finally:
        if collects:
            gc.enable()


def _compiled(
    path: Path, modules: Sequence[str], import_paths: Sequence[str | Path], needs_rows: bool, cache: SpecCache | None
) -> InMemoryFormat:
    # The generator is only needed here; a format in a package works without it.
    loading = importlib.import_module("wireloom.codegen.loading")
    found: InMemoryFormat = loading.load_format(path, modules, import_paths, needs_rows=needs_rows, cache=cache)
    return found


@cache
def _load(module: str) -> Format:
    try:
        found: Format = importlib.import_module(module).FORMAT
    except Exception as error:
        raise WireloomError(
            f"the generated package {module} cannot be loaded ({error}): run 'wireloom generate' with this wireloom"
        ) from error
    return _checked(found)


def _load_installed(point: EntryPoint) -> Format:
    said = f"the entry point {point.name!r} of group {GENERATED!r}"
    try:
        found = point.load()
    except Exception as error:
        raise WireloomError(
            f"{said} cannot be loaded ({error}): run 'wireloom generate' in its project with this wireloom, and install"
            " it again"
        ) from error
    if not isinstance(found, Format):
        raise WireloomError(f"{said} is not a wireloom.format.description.Format")
    if found.name != point.name:
        raise WireloomError(f"{said} names the format {found.name!r}: call it by that name")
    return found


def _checked(format: Format) -> Format:
    if format.model_version != MODEL_VERSION:
        raise WireloomError(
            f"format {format.name!r} was generated for version {format.model_version} of the model, and this wireloom"
            f" supports version {MODEL_VERSION}: run 'wireloom generate' with this wireloom"
        )
    return format
