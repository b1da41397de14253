"""A format from a spec without generated code on disk: the same code, in modules in memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from wireloom.base.errors import WireloomError
from wireloom.format.description import MODEL_VERSION, Format
from wireloom.format.in_memory import InMemoryFormat, in_memory_format, package_digest
from wireloom.format.routines import BUILT_IN, load
from wireloom.format.spec_cache import SpecCache

from .backends.base import OutputFile, output_files, own_backends
from .backends.python.names import class_name
from .model.load import load_all
from .model.routines import routines
from .passes import with_facts
from .spec.diagnostic import Diagnostic
from .spec.diagnostics import ERROR, InvalidSpecError
from .tree import Spec


def load_format(
    spec_path: Path,
    allow_modules: Iterable[str] = (),
    import_paths: Iterable[str | Path] = (),
    *,
    needs_rows: bool = True,
    text: str | None = None,
    cache: SpecCache | None = None,
) -> InMemoryFormat:
    """Return the format that a spec describes.

    Args:
        spec_path: The spec file.
        allow_modules: Modules whose routines the spec may name, besides registered ones.
        import_paths: The folders of absolute imports.
        needs_rows: Whether a spec without rows is refused. Otherwise its format has no columns, and its input can be
            read as one object.
        text: The text of the spec, if the file is not to be read.
        cache: Where its tables are kept, with its text and imports; specs that name routines of others are not.

    Raises:
        SpecError: The spec has errors, or declares no rows although it must.
        WireloomError: A routine that the spec names does not exist.
    """
    text = text if cache is None else cache.text
    texts = None if text is None else {spec_path: text}
    specs = load_all([spec_path], allow_modules, texts, import_paths, None if cache is None else cache.imports)
    spec = next(each for each in specs if Path(each.file).name == Path(spec_path).name)
    makers = (each for each in own_backends() if each.makes_modules)
    files = output_files(map(with_facts, specs), makers, loaded=True)
    places = {each.place for spec in specs for each in routines(spec)}
    for each in places:
        # Missing routines are reported before anything is read. All of them are permitted, or they would not be in the
        # code.
        load(each)
    package = package_digest((Path(each.file).name, each.sha256) for each in specs)
    otherwise = None if needs_rows else _without_rows(spec)
    cache = cache if places <= BUILT_IN else None
    found = in_memory_format(spec.name, package, _Texts(files), otherwise, cache=cache)
    if found is None:
        sentence = "no rows are declared ('-wireloom: {rows: …}' in 'meta')"
        instead = f"declare the rows, or read the input as one object: wireloom dump {spec_path} INPUT"
        error = Diagnostic(str(spec_path), 1, 1, ERROR, sentence, help=instead)
        raise InvalidSpecError([error.about(("meta-extensions", "rows"))])
    return found


def message_format(descriptors: bytes, message: str) -> Format:
    """Return the format of one protobuf message, with a row of its fields. Parameters and errors are those of
    ``wireloom.codegen.protobuf.importing.message_spec``, and ``SpecError``."""
    # Imported here: other specs need no classes of protobuf.
    from .protobuf.importing import message_spec

    try:
        made = message_spec(descriptors, message)
        found = load_format(Path(f"{made.name}.ksy"), text=made.text)
        # Compiled here, so that what is wrong with it is known.
        assert found.schema is not None
    except (KeyError, IndexError, TypeError, ValueError, RecursionError) as error:
        # Any file may have descriptors that lack something, or with names that are no text.
        raise WireloomError(f"the descriptors of {message} are not valid: {error!r}") from None
    return found


def descriptors(path: Path) -> bytes:
    """Return the ``FileDescriptorSet`` of a ``.proto`` file and its imports. Errors are those of
    ``wireloom.codegen.protobuf.importing.file_descriptors``."""
    from .protobuf.importing import file_descriptors

    found: bytes = file_descriptors(path).SerializeToString()
    return found


class _Texts(Mapping[str, str]):
    """The texts of the modules by path, rendered when one is imported, or the format pickled."""

    def __init__(self, files: Mapping[str, OutputFile]) -> None:
        self._files = {path: file for path, file in files.items() if path.endswith(".py")}

    def __getitem__(self, path: str) -> str:
        return self._files[path].text

    def __contains__(self, path: object) -> bool:
        # That of "Mapping" would render the text.
        return path in self._files

    def __iter__(self) -> Iterator[str]:
        return iter(self._files)

    def __len__(self) -> int:
        return len(self._files)


def _without_rows(spec: Spec) -> Format:
    root = class_name(spec.root.path[-1])
    return Format(
        name=spec.name,
        title=spec.title,
        module=spec.name,
        root=root,
        row=root,
        rows_attribute="",
        columns=(),
        spec_file=Path(spec.file).name,
        spec_sha256=spec.sha256,
        model_version=MODEL_VERSION,
        streaming=False,
        engine_refusal="the spec declares no rows",
    )
