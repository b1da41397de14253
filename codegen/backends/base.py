"""The interface of backends, and how the generator finds them.

A backend is a folder in this package with

- ``lower.py``: ``lower(spec) -> View``: frozen dataclasses of final strings and ordered steps, with all decisions made;
- ``*.j2``: templates that only insert the view's strings: loops, presence checks, macros. Every text of a spec passes
  through one of the filters below (see ``escaping``). A function may take the place of a template: Jinja takes longer
  to compile a template than everything else that loading a small spec needs;
- ``__init__.py``: ``BACKEND = Backend(name=…, folder=…, lower=lower, outputs=(Output(template=…, path=…), …))``.

``backends()`` finds every such folder, so that adding one changes nothing else, and the backends of installed packages:
entry points of the group ``wireloom.backends``, each of which is a ``Backend``. A backend raises ``SpecError`` with one
plain sentence for what it cannot express (``refuse`` adds the position in the spec).
"""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, Generic, NoReturn, TypeVar

from wireloom.base.cached import cached_property
from wireloom.base.errors import SpecError, UnsupportedError, WireloomError
from wireloom.base.extras import entry_points
from wireloom.base.text import markup, printable
from wireloom.format.description import MODEL_VERSION

from ..spec.diagnostic import Diagnostic
from ..spec.diagnostics import ERROR, InvalidSpecError
from ..spec.position import Position
from ..tree import Spec
from .escaping import python_comment, python_docstring, python_text, xml_comment

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from jinja2 import Environment

View = TypeVar("View")

LINE_LENGTH = 120
"""Maximum width of emitted lines in characters; the same as in the project's own code."""


@dataclass(frozen=True)
class OutputFile:
    """A file to be written, not yet formatted. ``path``: relative to the output folder (``generated/``), with forward
    slashes; ``render``: returns its text."""

    path: str
    render: Callable[[], str]

    @cached_property
    def text(self) -> str:
        """Return the text, which is rendered when it is first asked for."""
        return self.render()


@dataclass(frozen=True)
class Target:
    """Where generated code will be located, as far as the code depends on it.

    ``package``: the import package of the output folder. ``specs``: the folder of the specs, as named in headers.
    ``discovery``: whether the packages that Spark looks up (``pyspark_NAME``) are written to a folder on Python's path.
    Otherwise each is written into the package of its format, from where the build has to move it.
    """

    package: str = "wireloom.formats"
    specs: str = "specs"
    discovery: bool = False


OWN_FORMATS = Target()
"""The formats included in wireloom."""


@dataclass(frozen=True)
class Output:
    """One file that a backend generates per spec: its template and its path, in which ``{name}`` is the name of the
    spec.

    ``template``: the name of a file in the backend's folder, or a function with the parameters ``view``, ``part`` and
    ``header``. ``parts``: whether it is also generated for the parts of a spec; ``{name}`` is then the folder of the
    part.
    """

    template: str | Callable[[Any, str, str], str]
    path: str
    parts: bool = True


def no_parts(view: object) -> Iterable[str]:
    """Return no parts: most backends generate each file once per spec."""
    return ()


@dataclass(frozen=True)
class Backend(Generic[View]):
    """A backend. ``lower`` returns ``None`` if the backend generates nothing for a spec.

    Templates receive ``view`` (the result of ``lower``), ``part`` (the name of a part, empty for the spec itself),
    ``header`` (the comment at the start of every generated file), ``name`` (of the spec) and ``package`` (the import
    package of the output folder).
    """

    name: str
    folder: Path
    lower: Callable[[Spec], View | None]
    outputs: tuple[Output, ...]
    accepts: Callable[[Spec], bool] | None = None
    """Returns whether the backend generates anything for a spec, without lowering it. It raises every ``SpecError``
    that ``lower`` would raise. If it is set, ``lower`` runs only when a file is rendered, and no spec has parts."""
    messages: bool = False
    """Whether it supports types that are protobuf messages; otherwise it refuses specs with such types."""
    outputs_in_memory: tuple[Output, ...] = ()
    """The outputs for a spec that is loaded (``wireloom.load_spec``), if not ``outputs``: its modules are in memory."""
    parts: Callable[[View], Iterable[str]] = no_parts
    """Returns the names of the parts of the spec, each of which has a subpackage."""

    @property
    def makes_modules(self) -> bool:
        """Return whether it generates any Python module."""
        return any(each.path.endswith(".py") for each in self.outputs)

    def files(self, spec: Spec, target: Target = OWN_FORMATS, *, loaded: bool = False) -> tuple[OutputFile, ...]:
        """Return the files of one spec.

        Args:
            spec: The spec, with the facts that ``codegen.passes`` derives.
            target: Where the files will be located.
            loaded: Whether the spec is loaded, and its modules are in memory.

        Returns:
            The files of the spec and of its parts; none if ``lower`` returns ``None``, or ``accepts`` is false.

        Raises:
            SpecError: The spec requires something that the backend does not support.
        """
        if spec.refused:
            raise InvalidSpecError(spec.refused)
        lowered = cache(partial(self.lower, spec))
        parts: tuple[str, ...] = ("",)
        if self.accepts is not None:
            if not self.accepts(spec):
                return ()
        elif (view := lowered()) is None:
            return ()
        else:
            parts = ("", *self.parts(view))
        message = next((each for each in spec.structs if each.message is not None), None)
        if message is not None and not self.messages:
            sentence = f"'{message.path[-1]}' is a protobuf message, which the backend {self.name} does not support"
            refuse(message.position, sentence)
        return tuple(
            OutputFile(
                output.path.format(name=f"{spec.name}/{part}" if part else spec.name),
                partial(self._render, output, lowered, part, spec, target),
            )
            for part in parts
            for output in (loaded and self.outputs_in_memory) or self.outputs
            if output.parts or not part
        )

    def _render(self, output: Output, lowered: Callable[[], View | None], part: str, spec: Spec, target: Target) -> str:
        comment, view = header(spec, target), lowered()
        if not isinstance(output.template, str):
            return output.template(view, part, comment)
        template = template_environment(self.folder).get_template(output.template)
        return template.render(view=view, part=part, header=comment, name=spec.name, package=target.package)


def lazy_lower(package: str) -> Callable[[Spec], Any]:
    """Return a function that imports the module ``lower`` of a backend's package, and calls its ``lower``. The modules
    take time to import, and most are not needed when a spec is loaded.

    Args:
        package: The full name of the backend's package.
    """
    return lambda spec: importlib.import_module(f"{package}.lower").lower(spec)


GROUP = "wireloom.backends"
"""The group of entry points for backends of other packages."""


@cache
def own_backends() -> tuple[Backend[Any], ...]:
    """Return wireloom's own backends, sorted by name."""
    package = importlib.import_module(__name__.rpartition(".")[0])
    names = sorted(module.name for module in pkgutil.iter_modules(package.__path__) if module.ispkg)
    return tuple(importlib.import_module(f"{package.__name__}.{name}").BACKEND for name in names)


def backends() -> tuple[Backend[Any], ...]:
    """Return all backends, sorted by name: wireloom's own and those that installed packages have registered.

    Raises ``UnsupportedError`` if an entry point cannot be loaded, is not a backend, or has a name that is in use.
    """
    found = {each.name: each for each in own_backends()}
    for entry in entry_points(GROUP):
        backend = _load(entry)
        if backend.name in found:
            raise UnsupportedError(
                f"two backends are called {backend.name!r}, one of them {entry.value}: uninstall one of them"
            )
        found[backend.name] = backend
    return tuple(found[name] for name in sorted(found))


def _load(entry: EntryPoint) -> Backend[Any]:
    try:
        backend = entry.load()
    except Exception as error:
        reason = f"{type(error).__name__}: {error}"
        raise UnsupportedError(
            f"the backend {entry.value} cannot be loaded: {printable(reason)}; fix or uninstall its package"
        ) from error
    if not isinstance(backend, Backend):
        raise UnsupportedError(
            f"the entry point {entry.value} of the group {GROUP} must be a Backend, found"
            f" {type(backend).__name__}: fix or uninstall its package"
        )
    return backend


PACKAGE = '''from SPECS/. Do not edit: change the specs and run "wireloom generate".
"""The formats that the specs describe, a package each."""
'''

SUBPACKAGE = '''from SPECS/. Do not edit: change the specs and run "wireloom generate".
"""What a spec without rows describes: see the module ``parser``."""
'''


def output_files(
    specs: Iterable[Spec],
    wanted: Iterable[Backend[Any]],
    target: Target = OWN_FORMATS,
    progress: Callable[[str], None] | None = None,
    *,
    loaded: bool = False,
) -> dict[str, OutputFile]:
    """Return the files of several backends for several specs.

    Args:
        specs: The specs, with the facts that ``codegen.passes`` derives.
        wanted: The backends.
        target: Where the files will be located.
        progress: Called with the name of each spec before it is lowered.
        loaded: Whether the specs are loaded, and their modules are in memory.

    Returns:
        The files by path, with an ``__init__.py`` for each folder that is a package.

    Raises:
        SpecError: A backend does not support what a spec requires.
        WireloomError: Two backends generate the same file.
    """
    chosen = tuple(wanted)
    folder = python_comment(target.specs)
    files: dict[str, OutputFile] = {}

    def add_package(path: str, text: str) -> None:
        files.setdefault(path, OutputFile(path, lambda: HEADER_START + text.replace("SPECS", folder)))

    add_package("__init__.py", PACKAGE)
    for spec in specs:
        if progress is not None:
            progress(spec.name)
        for backend in chosen:
            for file in backend.files(spec, target, loaded=loaded):
                if file.path in files:
                    raise WireloomError(
                        f"two backends generate the file {file.path}, one of them {backend.name!r}: uninstall one of "
                        "them"
                    )
                files[file.path] = file
        add_package(f"{spec.name}/__init__.py", SUBPACKAGE)
    return files


def header(spec: Spec, target: Target = OWN_FORMATS) -> str:
    """Return the comment at the start of every file generated from a spec. It contains no time, no absolute path and no
    version of a tool, so that output is reproducible.

    Args:
        spec: The spec, whose file and hash are named.
        target: Where the generated file will be located; its folder of specs is named.

    Returns:
        Lines of a Python comment; ``line_comment`` and ``markup_comment`` convert them for other languages.
    """
    source = python_comment(f"{target.specs}/{PurePath(spec.file).name}")
    return (
        f"# Generated by wireloom from {source} (model version {MODEL_VERSION},\n"
        f"# sha256 {spec.sha256}).\n"
        '# Do not edit: change the spec and run "wireloom generate".'
    )


HEADER_START = "# Generated by wireloom "
"""The first words of every generated module."""


def is_generated(text: str) -> bool:
    """Return whether a file begins with the header, as a comment of any language. The generator never overwrites or
    removes other files.

    >>> is_generated("<!-- Generated by wireloom from a.ksy -->"), is_generated("x = 1  # Generated by wireloom ")
    (True, False)
    """
    return re.match(r"[^\w\n]*Generated by wireloom ", text) is not None


def refusal(position: Position | None, sentence: str) -> SpecError:
    """Return the error of a spec that a backend does not support.

    Args:
        position: The position in the spec; ``None`` if it is not known.
        sentence: What is not supported, without the position.
    """
    if position is None:
        return SpecError(f"error: {sentence}")
    return InvalidSpecError([Diagnostic.at(position, ERROR, sentence)])


def refuse(position: Position | None, sentence: str) -> NoReturn:
    """Raise the error that ``refusal`` returns."""
    raise refusal(position, sentence)


@cache
def template_environment(folder: Path) -> Environment:
    """Return the Jinja environment of a backend's templates: undefined names are errors, block lines leave no blank
    lines."""
    # Specs are loaded without it.
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

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


# Filters: they only escape and indent ---------------------------------------------------------------------------------


def indented(text: str, width: int = 4) -> str:
    """Return ``text`` with all lines except the first indented; empty lines stay empty, and trailing ones are removed.

    >>> indented("a\\n\\nb\\n", 2)
    'a\\n\\n  b'
    """
    first, *rest = text.rstrip("\n").split("\n")
    return "\n".join([first, *(" " * width + line if line else "" for line in rest)])


def markup_comment(comment: str) -> str:
    """Return a Python comment as a comment of Markdown or SVG.

    >>> markup_comment("# Generated from a.ksy.\\n# Do not edit.")
    '<!-- Generated from a.ksy.\\nDo not edit. -->'
    """
    return xml_comment("\n".join(line.removeprefix("# ") for line in comment.split("\n")))


def line_comment(comment: str, mark: str) -> str:
    """Return a Python comment as lines that begin with ``mark``, as comments of other languages do.

    >>> line_comment("# Generated from a.ksy.\\n# Do not edit.", "//")
    '// Generated from a.ksy.\\n// Do not edit.'
    """
    return "\n".join(mark + line.removeprefix("#") for line in comment.split("\n"))


FILTERS: dict[str, Callable[..., str]] = {
    "quote": python_text,
    "comment": python_comment,
    "docstring": python_docstring,
    "xml": markup,
    "indented": indented,
    "markup_comment": markup_comment,
    "line_comment": line_comment,
}
