"""From a spec file to its model, in phases: files and syntax, names, types, layout, derivations, the table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path as FilePath

from wireloom.base.dataclass import dataclass, replace
from wireloom.base.errors import SpecError, WireloomError
from wireloom.base.text import printable
from wireloom.format.registry import missing_spec
from wireloom.format.routines import checked_modules

from ..expression.nodes import IntegerLiteral
from ..expression.types import ComputedIntegerType, Path, UserType
from ..expression.walk import updated
from ..spec.diagnostic import Diagnostic
from ..spec.diagnostics import ERROR, Diagnostics, InvalidSpecError, TooManyErrorsError
from ..spec.name_conflicts import spark_conflict
from ..spec.position import Position
from ..spec.syntax import Section
from ..tree import Instance, Spec, Struct
from ..tree.leaves import OwnSize
from .build import Builder
from .checksums import check_sums, refuse_inner_sums
from .containment import check_endless, check_nesting, find_parents
from .declare import Declarer
from .defaults import check_defaults
from .imports import Loader, display_name
from .inner_sums import check_steps, with_inner_sums
from .layout import check_trailing, delimited_types, framing_members, mark
from .pairs import check_pairs, check_shown
from .records import paths_to_rows, record_paths, table_sections, with_record_types
from .row_conditions import with_conditions
from .scope import Typing
from .settings import is_searched
from .sizes import Sizes
from .symbols import SourceFile, World
from .table import TableReader
from .values import check_values
from .variables import check_variables
from .varints import with_varints

MAX_MEMBERS = 4096
"""Maximum number of attributes, instances and parameters of one type; the cost of checks is quadratic in it."""


@dataclass(frozen=True)
class Result:
    """The result of loading a spec: its model, or ``None`` if there are errors, and all diagnostics."""

    spec: Spec | None
    diagnostics: tuple[Diagnostic, ...]


def load(
    path: str | FilePath,
    text: str | None = None,
    *,
    display_name: str | None = None,
    import_paths: Iterable[str | FilePath] = (),
    allow_modules: Iterable[str] = (),
    kaitai: bool = False,
    imported: dict[FilePath, bytes | None] | None = None,
) -> Spec:
    """Return the model of a spec.

    Args:
        path: The spec file.
        text: The text of the spec, if the file is not to be read; ``path`` then only determines where imports are
            looked up.
        display_name: The name of the file in diagnostics and generated code; by default its path relative to the
            current folder.
        import_paths: The folders of absolute imports.
        allow_modules: Modules whose routines the spec may name, besides registered ones.
        kaitai: Whether the model is for classes with Kaitai's API, in which varints are objects too.
        imported: The contents of imports that were read before, see ``Loader.imported``.

    Raises:
        SpecError: The spec has errors; ``diagnostics`` of the error contains all of them with their positions.
        OSError: The file cannot be read.
    """
    result = analyse(
        path,
        text,
        display_name=display_name,
        import_paths=import_paths,
        allow_modules=checked_modules(allow_modules),
        kaitai=kaitai,
        imported=imported,
    )
    if result.spec is None:
        raise InvalidSpecError(result.diagnostics)
    return result.spec


def load_all(
    spec_paths: Iterable[FilePath],
    allow_modules: Iterable[str] = (),
    texts: Mapping[FilePath, str] | None = None,
    import_paths: Iterable[str | FilePath] = (),
    imported: dict[FilePath, bytes | None] | None = None,
) -> tuple[Spec, ...]:
    """Return specs and all specs that they import, each once, sorted by name.

    Args:
        spec_paths: The spec files.
        allow_modules: Modules whose routines the specs may name, besides registered ones.
        texts: The texts of specs whose files are not to be read.
        import_paths: The folders of absolute imports.
        imported: The contents of imports that were read before, see ``Loader.imported``.

    Raises:
        SpecError: A spec has errors, or two have the same name.
        OSError: A file cannot be read.
    """
    found: dict[str, Spec] = {}
    allowed = checked_modules(allow_modules)
    for path in spec_paths:
        text = (texts or {}).get(path)
        whole = load(path, text, allow_modules=allowed, import_paths=import_paths, imported=imported)
        family = (replace(whole, imports=()), *whole.imports)
        for spec in family:
            known = found.get(spec.name)
            if known is not None and known.sha256 != spec.sha256:
                raise SpecError(same_id(spec, known))
            # The imports of a spec include what its imports import in turn.
            others = tuple(each for each in family if each.name != spec.name)
            found[spec.name] = replace(spec, imports=others)
    return tuple(found[name] for name in sorted(found))


def same_id(spec: Spec, other: Spec) -> str:
    """Return the message for two specs with the same id."""
    return f"{printable(spec.file)}: error: the id '{spec.name}' is already used by {printable(other.file)}"


def analyse(
    path: str | FilePath,
    text: str | None = None,
    *,
    display_name: str | None = None,
    import_paths: Iterable[str | FilePath] = (),
    allow_modules: tuple[str, ...] = (),
    kaitai: bool = False,
    unsaved: Mapping[FilePath, str] | None = None,
    imported: dict[FilePath, bytes | None] | None = None,
) -> Result:
    """Return the result of loading a spec: the model, unless there are errors, and all diagnostics.

    Args:
        path: The spec file, as for ``load``.
        text: The text of the spec, if the file is not to be read.
        display_name: The name of the file in diagnostics and generated code.
        import_paths: The folders of absolute imports.
        allow_modules: Modules whose routines the spec may name, besides registered ones.
        kaitai: Whether the model is for classes with Kaitai's API.
        unsaved: The texts of imports whose files are not to be read, by their absolute paths.
        imported: The contents of imports that were read before, see ``Loader.imported``.

    Raises:
        OSError: The file cannot be read.
    """
    diagnostics = Diagnostics()
    file = FilePath(path)
    shown = display_name if display_name is not None else _display(file)
    loader = Loader(diagnostics, tuple(FilePath(each) for each in import_paths), unsaved or {})
    loader.imported = {} if imported is None else imported
    try:
        spec = _compile(loader, file, text, shown, kaitai)
    except TooManyErrorsError:
        spec = None
    except RecursionError:
        # The limits prevent this, unless the caller's own stack is deep already.
        diagnostics.error(Position(shown, 1, 1), "nested too deeply")
        spec = None
    # What should be reviewed in an imported spec is reported where that spec is checked.
    found = tuple(each for each in diagnostics.sorted() if each.severity == ERROR or each.file == shown)
    if spec is None or diagnostics.has_errors:
        return Result(None, found)
    imports = tuple(replace(each, allow_modules=allow_modules) for each in spec.imports)
    return Result(replace(spec, allow_modules=allow_modules, imports=imports), found)


def unreadable(path: FilePath, error: OSError) -> WireloomError:
    """Return the error for a spec file that cannot be read."""
    if isinstance(error, FileNotFoundError):
        return missing_spec(str(path))
    return WireloomError(f"cannot be read: {error.strerror}", path=str(path))


_display = display_name


def declared(loader: Loader, path: FilePath, text: str | None, display: str, kaitai: bool = False) -> World | None:
    """Return the types of a spec and its imports, with their members declared but not typed; ``None`` if the file is
    not a mapping, or exceeds the limits of types.

    Args:
        loader: Reads the files, and reports errors.
        path: The spec file.
        text: The text of the spec, if the file is not to be read.
        display: The name of the file in diagnostics.
        kaitai: Whether the model is for classes with Kaitai's API.

    Raises:
        OSError: The file cannot be read.
    """
    diagnostics = loader.diagnostics
    if not loader.load(path, text, display):
        return None
    if not kaitai:
        for name, file in loader.files.items():
            loader.files[name] = with_record_types(file, _meta(file).extensions, diagnostics)
    world = World()
    declarer = Declarer(world, diagnostics, any_encoding=kaitai)
    for name, file in loader.files.items():
        declarer.types(file, name)
    for symbol in world.all():
        declarer.members(symbol)
    return None if _has_too_many_members(world, diagnostics) or not check_nesting(world, diagnostics) else world


def _compile(loader: Loader, path: FilePath, text: str | None, display: str, kaitai: bool) -> Spec | None:
    diagnostics = loader.diagnostics
    world = declared(loader, path, text, display, kaitai)
    if world is None:
        return None
    if not kaitai:
        check_endless(world, diagnostics)
    typing = Typing(world, diagnostics, Sizes(world))
    find_parents(world, typing)
    builder = Builder(world, typing, diagnostics)
    roots = {name: builder.struct(symbol) for name, symbol in world.roots.items()}
    if diagnostics.has_errors:
        structs = _structs(roots)
        for name, file in loader.files.items():
            _spec(file, roots[name], structs, world, diagnostics)
        return None
    structs = _structs(roots)
    for name, file in loader.files.items():
        roots[name] = with_conditions(roots[name], _meta(file).extensions, structs, world, builder)
    if diagnostics.has_errors:
        return None
    if not kaitai:
        structs = _structs(roots)
        roots = {name: with_positions(root, structs) for name, root in roots.items()}
    rows = _rows_of(next(iter(loader.files.values())), next(iter(roots.values())), _structs(roots))
    if rows and not kaitai:
        roots = with_varints(roots, rows)
    structs = _structs(roots)
    for each in structs.values():
        check_sums(each, diagnostics)
        check_pairs(each, structs, diagnostics)
        check_shown(each, diagnostics)
        check_trailing(each, structs, diagnostics)
        check_defaults(each, diagnostics)
        check_values(each, diagnostics)
        check_variables(each, structs, diagnostics)
    roots = {name: with_inner_sums(root, structs, diagnostics) for name, root in roots.items()}
    if diagnostics.has_errors:
        return None
    framing = framing_members(each for root in roots.values() for each in root.all_structs)
    filling = delimited_types(next(iter(roots.values())), structs.values()) if rows and not kaitai else frozenset()
    roots = {name: mark(root, framing, filling) for name, root in roots.items()}
    structs = _structs(roots)
    specs = [_checked(file, roots[name], structs, world, diagnostics) for name, file in loader.files.items()]
    return replace(specs[0], imports=tuple(specs[1:]))


def _has_too_many_members(world: World, diagnostics: Diagnostics) -> bool:
    found = [each for each in world.all() if len(each.members) > MAX_MEMBERS]
    for each in found:
        count = len(each.members)
        message = f"a type has at most {MAX_MEMBERS} attributes, instances and parameters, this one has {count}"
        diagnostics.error(each.section.position, message)
    return bool(found)


Structs = dict[Path, Struct]


def _meta(file: SourceFile) -> Section:
    return file.section.section("meta") or Section("meta", file.section.position)


def _rows_of(file: SourceFile, root: Struct, structs: Structs) -> tuple[tuple[Path, tuple[str, ...]], ...]:
    """Return the paths to the rows of each table of the file: the type that a path begins with, and its attributes."""
    meta = _meta(file).extensions
    inside = record_paths(meta)
    found = (paths_to_rows(root, name, section, inside, structs) for name, section in table_sections(meta))
    return tuple((begin.path, tuple(each.id for each in steps)) for paths in found for begin, steps in paths)


def _spec(file: SourceFile, root: Struct, structs: Structs, world: World, diagnostics: Diagnostics) -> Spec:
    meta = _meta(file)
    id = meta.text("id")
    reason = spark_conflict(id.value) if id is not None and meta.extensions is not None else None
    if id is not None and reason:
        diagnostics.warning(id.position, reason)
    spec = Spec(
        name=root.path[0],
        title=meta.word("title"),
        root=root,
        file=file.display,
        sha256=file.sha256,
        file_extensions=tuple(each.value for each in meta.texts("file-extension")),
        doc=root.doc,
        doc_ref=root.doc_ref,
        license=meta.word("license"),
        debug=meta.flag("ks-debug"),
    )
    return TableReader(root, structs, world, diagnostics).read(meta.extensions, spec)


def _checked(file: SourceFile, root: Struct, structs: Structs, world: World, diagnostics: Diagnostics) -> Spec:
    """Return a spec whose types are final, after the checks that concern its tables."""
    spec = _spec(file, root, structs, world, diagnostics)
    check_steps(spec.tables, root, structs, diagnostics)
    units = () if spec.units is None else tuple(each.message for each in spec.units.kinds)
    refuse_inner_sums(structs.values(), units, diagnostics)
    searched = is_searched(_meta(file).extensions, root, spec.tables, structs.values(), diagnostics)
    return replace(spec, searched=searched)


def _structs(roots: Mapping[str, Struct]) -> Structs:
    return {each.path: each for root in roots.values() for each in root.all_structs}


def with_positions(struct: Struct, structs: Mapping[Path, Struct]) -> Struct:
    """Return a type, with those inside it, whose instances of such objects are read at the beginning of their
    stream."""
    instances = tuple(_placed(each, structs) for each in struct.instances)
    return updated(struct, instances=instances, structs=tuple(with_positions(each, structs) for each in struct.structs))


def _placed(instance: Instance, structs: Mapping[Path, Struct]) -> Instance:
    read = instance.attribute
    if read is None or instance.pos is not None or read.switch is not None or not isinstance(read.size, OwnSize):
        return instance
    kind = structs.get(read.type.path) if isinstance(read.type, UserType) else None
    if kind is None or kind.attributes or kind.message is not None:
        return instance
    return replace(instance, pos=IntegerLiteral(0, type=ComputedIntegerType()))
