"""Specs → modules with Kaitai's API, which are written to a folder or compared with the existing ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path, PurePath

from wireloom.base.dataclass import dataclass, field, replace
from wireloom.base.errors import SpecError, WireloomError
from wireloom.format.description import MODEL_VERSION

from ..backends.base import HEADER_START, template_environment
from ..backends.escaping import python_comment
from ..backends.python import BACKEND
from ..backends.python.lower import lower_module
from ..backends.python.names import Api, module_name
from ..emit import Changes, check_folder, difference, formatted, note_line, relative_path, write_atomically
from ..model.load import load, same_id, unreadable
from ..passes import with_facts
from ..passes.unsolved import Unsolved, refuse, unsolved
from ..tree import Spec

REPLACEABLE = (HEADER_START, "# This is a generated file! ")
"""First lines of modules that may be overwritten: our own, and those of Kaitai's own compiler."""


@dataclass(frozen=True)
class Outcome:
    """The files that were (or, with ``check``, would be) written, the errors of refused specs, and the values that
    callers of the writers must provide."""

    changes: Changes
    errors: tuple[WireloomError, ...]
    notes: tuple[str, ...]


def generate(
    specs: Iterable[Path],
    output_dir: Path,
    *,
    api: Api = Api.KAITAI,
    package: str = "",
    import_paths: Iterable[Path] = (),
    check: bool = False,
    strict: bool = False,
) -> Outcome:
    """Compile specs, and the specs that they import, to modules with Kaitai's API. Other files in the folder are not
    changed.

    Args:
        specs: The spec files.
        output_dir: The folder of the modules.
        api: The API of the classes.
        package: The name under which Python imports the folder; ``.`` for a package with any name, empty if the folder
            may be a package or be on Python's path itself.
        import_paths: The folders of absolute imports.
        check: Whether nothing is written, and the outcome says what would be.
        strict: Whether a spec is refused if callers of its writer must provide values that cannot be solved for.

    Returns:
        The outcome, which contains the errors of refused specs; these do not affect the others.
    """
    made = modules(specs, import_paths, api, package, strict=strict)
    files = formatted({f"{name}.py": text for name, text in made.texts.items()})
    check_folder(output_dir)
    changes = _compare(files, output_dir)
    if not check:
        for path in changes.written:
            output_dir.mkdir(parents=True, exist_ok=True)
            write_atomically(output_dir / path, files[path])
    return Outcome(changes, tuple(made.errors), tuple(made.notes))


def _compare(files: Mapping[str, str], output_dir: Path) -> Changes:
    written: list[str] = []
    unchanged: list[str] = []
    diff: list[str] = []
    for path in sorted(files):
        place = output_dir / path
        old = place.read_bytes().decode("utf-8", "replace") if place.is_file() else None
        if old == files[path]:
            unchanged.append(path)
            continue
        if old and not old.startswith(REPLACEABLE):
            raise WireloomError(
                "is not overwritten, since it was not generated: move it, or choose another folder", path=str(place)
            )
        written.append(path)
        diff += difference(relative_path(output_dir, path), old, files[path])
    return Changes(tuple(written), (), tuple(unchanged), "".join(diff))


TEMPLATE = "parser.py.j2"


@dataclass
class Modules:
    """The modules of some specs: ``texts`` by module name, the ``errors`` of refused specs, and ``notes`` about the
    values that callers of the writers must provide, each with its position."""

    texts: dict[str, str] = field(default_factory=dict)
    errors: list[WireloomError] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def modules(
    specs: Iterable[Path], import_paths: Iterable[Path], api: Api, package: str, *, strict: bool = False
) -> Modules:
    """Return the modules of the specs and of all specs that they import, without duplicates; not yet formatted.

    ``package`` is the package from which they import each other, see ``Module``. A spec that is refused, or that cannot
    be read, does not affect the others. ``strict``: a spec is also refused if callers of its writer would have to
    provide values that cannot be solved for; otherwise these are reported as notes.
    """
    made = Modules()
    known: dict[str, Spec] = {}
    folders = tuple(import_paths)
    for path in specs:
        try:
            spec = load(path, import_paths=folders, kaitai=True)
            wanted = _unsolved(spec) if api is Api.KAITAI_READ_WRITE else ()
            if strict:
                refuse(wanted, with_facts(spec))
            _add(made.texts, known, spec, api, package)
            notes = (note_line(each.position, each.message) for each in wanted)
            made.notes += [each for each in notes if each not in made.notes]
        except WireloomError as error:
            made.errors.append(error)
        except OSError as error:
            made.errors.append(unreadable(path, error))
    return made


def _unsolved(whole: Spec) -> tuple[Unsolved, ...]:
    """Return the values that callers of writers have to provide, for a spec and its imports."""
    return tuple(each for spec in _family(whole) for each in unsolved(with_facts(spec), in_place=True))


def _add(texts: dict[str, str], known: dict[str, Spec], whole: Spec, api: Api, package: str) -> None:
    """Add the modules of one spec and its imports; none of them if one is refused."""
    new: dict[str, str] = {}
    for spec in _family(whole):
        other = known.get(spec.name)
        if other is not None and other.sha256 != spec.sha256:
            raise SpecError(same_id(spec, other))
        if other is None:
            new[module_name(spec.name)] = module_text(spec, api, package)
    texts.update(new)
    known.update((each.name, each) for each in (whole, *whole.imports))


def _family(whole: Spec) -> tuple[Spec, ...]:
    """Return a spec and all specs that it imports, directly or indirectly, each with the others."""
    family = (replace(whole, imports=()), *whole.imports)
    return tuple(replace(spec, imports=tuple(each for each in family if each is not spec)) for spec in family)


def module_text(spec: Spec, api: Api, package: str) -> str:
    """Return the module of one spec."""
    names: Mapping[str, object] = {"header": _header(spec), "view": lower_module(with_facts(spec), api, package)}
    return template_environment(BACKEND.folder).get_template(TEMPLATE).render(names)


def _header(spec: Spec) -> str:
    name = python_comment(PurePath(spec.file).name)
    return (
        f"{HEADER_START}from {name} (model version {MODEL_VERSION},\n"
        f"# sha256 {spec.sha256}).\n"
        '# Do not edit: change the spec and run "wireloom generate --kaitai".'
    )
