"""Routines: the classes that a spec names in ``process``, ``framing``, ``packing``, ``hooks`` and
``indexer``.

A spec is data, and a name in it must not suffice to run code. So a name refers to a class only with permission: the
class is one of wireloom's own (``BUILT_IN``), an installed package has registered it under the group of
entry points ``wireloom.routines``, or the caller has allowed its module by name (``allow_modules``).

A *place* is a class as entry points write it: ``package.module:Class``.
"""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any

from ..base.arguments import names
from ..base.errors import RoutineError, WireloomError
from ..base.extras import entry_points

GROUP = "wireloom.routines"
"""The group of entry points. A ``process`` may call a routine by the name of its entry point; all keys may call it by
its place."""

BUILT_IN = frozenset(
    {
        "wireloom.kpl.hash_range:Hooks",
        "wireloom.kpl.packing:Packing",
        "wireloom.mcap.indexing:ChunkIndexer",
        "wireloom.s2.session:SessionFraming",
        "wireloom.s2.session:SessionHooks",
        "wireloom.s2.session:SessionPacking",
    }
)
"""The places of wireloom's own routines."""

_MODULE = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")


def module_of(place: str) -> str:
    """Return the module of a place.

    >>> module_of("package.module:Class")
    'package.module'
    """
    return place.partition(":")[0]


def kaitai_place(name: str) -> str:
    """Return the place of a ``process`` in Kaitai's language: a class in the package, or in a module of the same name.

    >>> kaitai_place("package.my_processor"), kaitai_place("my_processor")
    ('package:MyProcessor', 'my_processor:MyProcessor')
    """
    module, _, last = name.rpartition(".")
    return f"{module or last}:{''.join(part.capitalize() for part in last.split('_'))}"


def process_place(name: str) -> str:
    """Return the place of a ``process``: that of the entry point of this name, else the one of Kaitai's language."""
    return registered().get(name) or kaitai_place(name)


@cache
def registered() -> Mapping[str, str]:
    """Return the places that installed packages have registered, by the names of their entry points. Imports none of
    them."""
    return {each.name: f"{each.module}:{each.attr}" for each in entry_points(GROUP)}


def is_registered(place: str) -> bool:
    """Return whether any spec may name a class."""
    return place in BUILT_IN or place in registered().values()


def is_permitted(place: str, allow_modules: Collection[str]) -> bool:
    """Return whether a spec may name a class if the caller allows these modules and all modules inside them."""
    module = module_of(place)
    return is_registered(place) or any(module == each or module.startswith(f"{each}.") for each in allow_modules)


def checked_modules(allow_modules: Iterable[str]) -> tuple[str, ...]:
    """Return the names of modules that a caller passed. Raises ``WireloomError`` for anything but a list of such
    names."""
    found = names("allow_modules", allow_modules)
    for each in found:
        if not _MODULE.fullmatch(each):
            raise WireloomError(f"allow_modules: {each!r} is not a valid module name")
    return found


def how_to_allow(places: Sequence[str]) -> str:
    """Return the part of a sentence that says how to permit these places."""
    modules = sorted({module_of(each) for each in places})
    options = " ".join(f"--allow-module {each}" for each in modules)
    return f"{options}, in Python allow_modules={modules!r}"


def is_installed(module: str) -> bool:
    """Return whether a module can be imported, without importing it or its parent packages."""
    name, path = "", None
    for part in module.split("."):
        outermost = not name
        name = part if outermost else f"{name}.{part}"
        if name in sys.modules:
            path = getattr(sys.modules[name], "__path__", None)
            continue
        if path is None and not outermost:
            return False
        specs = (finder.find_spec(name, path) for finder in sys.meta_path)
        spec = next((each for each in specs if each is not None), None)
        if spec is None:
            return False
        path = spec.submodule_search_locations
    return True


@cache
def load(place: str) -> type[Any]:
    """Return the class of a place. The caller must have checked that it is permitted: generated code names only such
    classes.

    Raises ``WireloomError`` if it cannot be imported, is not a class, or was imported into its module from another
    package (unless it is registered as such): allowing ``package`` does not allow everything that it imports.
    """
    module, _, name = place.partition(":")
    try:
        found: Any = importlib.import_module(module)
    except ModuleNotFoundError as error:
        raise WireloomError(
            f"the routine {place!r} needs the module {error.name}: install it, or name its folder in PYTHONPATH"
        ) from error
    except (Exception, SystemExit) as error:
        raise WireloomError(f"the routine {place!r} cannot be imported: {said(error)}") from error
    for part in name.split("."):
        found = getattr(found, part, None)
    if not isinstance(found, type):
        raise WireloomError(f"the module {module} has no class {name}: correct the spec, or install another version")
    if not is_registered(place) and found.__module__.partition(".")[0] != module.partition(".")[0]:
        raise WireloomError(f"{place!r} is {found.__module__}.{found.__qualname__}, which {module} only imports")
    return found


@contextmanager
def naming(path: str | None) -> Iterator[None]:
    """Add the path of the input that the block processes to a ``RoutineError`` without one."""
    try:
        yield
    except RoutineError as error:
        error.path = error.path or path
        raise


def said(error: BaseException) -> str:
    """Return the type and the text of an error of a routine, even if its ``__str__`` fails."""
    try:
        text = str(error)
    except Exception:
        text = ""
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
