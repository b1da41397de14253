"""The interface of backends, and how the generator finds them.

A backend is a folder beside this file with

- ``lower.py``: ``lower(plan) -> View``: frozen dataclasses of final strings and ordered steps, everything decided;
- ``*.j2``: templates that only put the view's strings in place (loops, presence checks, includes, the filters below,
  by which every text of a spec passes: see ``escaping``);
- ``__init__.py``: ``BACKEND = Backend(name=…, folder=…, lower=lower, outputs=(Output(template=…, path=…), …))``.

``backends()`` finds every such folder, so that nothing else changes when one is added, and the backends of installed
packages: entry points of the group ``wireloom.backends``, each of which is a ``Backend``. A backend refuses what it
cannot express with ``SpecError`` and one plain sentence (``refuse`` makes one with the place in the spec).
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint
from pathlib import Path, PurePath
from typing import Any, Generic, NoReturn, TypeVar

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from wireloom.base.entry_points import entry_points
from wireloom.base.errors import SpecError, UnsupportedError
from wireloom.base.printable import markup, printable

from ..plan import Plan
from ..spec.diagnostic import Diagnostic
from ..spec.diagnostics import ERROR, InvalidSpecError
from ..spec.position import Position
from ..wire import MODEL_VERSION
from .escaping import python_comment, python_docstring, python_text, xml_comment

View = TypeVar("View")

LINE_LENGTH = 120
"""Width of emitted lines, in characters; that of the project."""


@dataclass(frozen=True)
class OutputFile:
    """A file to be written: ``path`` is relative to the output folder (``generated/``), with forward slashes."""

    path: str
    text: str


@dataclass(frozen=True)
class Target:
    """Where generated code will live: what it needs to know of that is only its own name.

    ``package``: the import package that the output folder is. ``specs``: the folder of the specs as headers name it.
    ``discovery``: whether the packages that Spark looks for (``pyspark_NAME``) leave the output folder for one that is
    on Python's path as it is; otherwise they lie beside their format and the build has to move them.
    """

    package: str = "wireloom.formats"
    specs: str = "specs"
    discovery: bool = False


BOX = Target()
"""The formats that come with wireloom."""


@dataclass(frozen=True)
class Output:
    """One file that a backend makes per spec: its template, and its path, in which ``{name}`` is the spec's name.

    ``parts``: whether it is made for the parts of a spec as well; ``{name}`` is then the folder of the part."""

    template: str
    path: str
    parts: bool = True


def no_parts(plan: Plan) -> Mapping[str, Any]:
    """Return no parts: most backends have one view of a spec."""
    return {}


@dataclass(frozen=True)
class Backend(Generic[View]):
    """A backend. ``lower`` gives ``None`` if the backend has nothing to say about a spec.

    Templates see ``view`` (what ``lower`` gave), ``header`` (the comment that opens every generated file), ``name``
    (the spec's) and ``package`` (the import package that the output folder is).
    """

    name: str
    folder: Path
    lower: Callable[[Plan], View | None]
    outputs: tuple[Output, ...]
    messages: bool = False
    """Whether it knows types that are protobuf messages; specs that have some are refused for it otherwise."""
    parts: Callable[[Plan], Mapping[str, View]] = no_parts
    """More views of a spec, by the name of the subpackage that each of them is for."""

    @property
    def makes_modules(self) -> bool:
        """Return whether it makes any Python."""
        return any(each.path.endswith(".py") for each in self.outputs)

    def files(self, plan: Plan, target: Target = BOX) -> tuple[OutputFile, ...]:
        """Return the files of one spec, not formatted yet. Raises ``SpecError`` if the spec needs what is not
        supported."""
        if plan.refused:
            raise InvalidSpecError(plan.refused)
        view = self.lower(plan)
        if view is None:
            return ()
        message = next((each for each in plan.types if each.message is not None), None)
        if message is not None and not self.messages:
            sentence = f"'{message.path[-1]}' is a protobuf message, which the backend {self.name} does not know"
            refuse(message.position, sentence)
        environment = template_environment(self.folder)
        names = {"header": header(plan, target), "name": plan.name, "package": target.package}
        views = {"": view, **self.parts(plan)}
        return tuple(
            OutputFile(
                output.path.format(name=f"{plan.name}/{part}" if part else plan.name),
                environment.get_template(output.template).render(view=each, **names),
            )
            for part, each in views.items()
            for output in self.outputs
            if output.parts or not part
        )


GROUP = "wireloom.backends"
"""The group of entry points of backends that other packages have."""


@cache
def own_backends() -> tuple[Backend[Any], ...]:
    """Wireloom's own backends, by name."""
    package = importlib.import_module(__name__.rpartition(".")[0])
    names = sorted(module.name for module in pkgutil.iter_modules(package.__path__) if module.ispkg)
    return tuple(importlib.import_module(f"{package.__name__}.{name}").BACKEND for name in names)


def backends() -> tuple[Backend[Any], ...]:
    """Return every backend, by name: wireloom's own and those that installed packages have registered.

    Raises ``UnsupportedError`` if an entry point cannot be loaded, is no backend, or has a name that is taken.
    """
    found = {each.name: each for each in own_backends()}
    for entry in entry_points(GROUP):
        backend = _loaded(entry)
        if backend.name in found:
            raise UnsupportedError(
                f"two backends are called {backend.name!r}, one of them {entry.value}: uninstall one of them"
            )
        found[backend.name] = backend
    return tuple(found[name] for name in sorted(found))


def _loaded(entry: EntryPoint) -> Backend[Any]:
    try:
        backend = entry.load()
    except Exception as error:
        reason = f"{type(error).__name__}: {error}"
        raise UnsupportedError(
            f"the backend {entry.value} cannot be loaded: {printable(reason)}; mend or uninstall its package"
        ) from error
    if not isinstance(backend, Backend):
        raise UnsupportedError(
            f"the entry point {entry.value} of the group {GROUP} must be a Backend, found"
            f" {type(backend).__name__}: mend or uninstall its package"
        )
    return backend


def header(plan: Plan, target: Target = BOX) -> str:
    """Return the comment that opens every file generated from a spec: no time, no machine's path, no tool's version."""
    source = python_comment(f"{target.specs}/{PurePath(plan.file).name}")
    return (
        f"# Generated by wireloom from {source} (model version {MODEL_VERSION},\n"
        f"# sha256 {plan.sha256}).\n"
        '# Do not edit: change the spec and run "wireloom generate".'
    )


HEADER_START = "# Generated by wireloom "
"""How every generated module begins."""

HEADER_STARTS = (HEADER_START, "<!-- Generated by wireloom ")
"""How every generated file begins, pages and pictures included; the generator overwrites and removes no other."""


def refusal(position: Position | None, sentence: str) -> SpecError:
    """Return the error that says ``sentence`` with the place in the spec, if known."""
    if position is None:
        return SpecError(f"error: {sentence}")
    return InvalidSpecError([Diagnostic.at(position, ERROR, sentence)])


def refuse(position: Position | None, sentence: str) -> NoReturn:
    """Raise the ``refusal``."""
    raise refusal(position, sentence)


@cache
def template_environment(folder: Path) -> Environment:
    """Return the Jinja environment of a backend's templates: undefined names are errors, block lines leave no trace."""
    environment = Environment(
        loader=FileSystemLoader(folder),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )
    environment.filters.update(FILTERS)
    return environment


# Filters: they escape and indent, nothing else -----------------------------------------------------------------------


def indented(text: str, width: int = 4) -> str:
    """``text`` with all lines but the first indented; empty lines stay empty, and those at the end are left out.

    >>> indented("a\\n\\nb\\n", 2)
    'a\\n\\n  b'
    """
    first, *rest = text.rstrip("\n").split("\n")
    return "\n".join([first, *(" " * width + line if line else "" for line in rest)])


def markup_comment(comment: str) -> str:
    """Return a comment of Python's as one of Markdown or SVG.

    >>> markup_comment("# Generated from a.ksy.\\n# Do not edit.")
    '<!-- Generated from a.ksy.\\nDo not edit. -->'
    """
    return xml_comment("\n".join(line.removeprefix("# ") for line in comment.split("\n")))


FILTERS: dict[str, Callable[..., str]] = {
    "quote": python_text,
    "comment": python_comment,
    "docstring": python_docstring,
    "xml": markup,
    "indented": indented,
    "markup_comment": markup_comment,
}
