"""How a generated module imports the modules of the specs that its own imports."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .api import Api
from .names import module_name


def neighbours(api: Api, package: str, use: Callable[[str], str], names: Sequence[str]) -> tuple[str, ...]:
    """Return the statements that import the modules of the specs ``names``, each under its name with an underscore.

    The formats of wireloom have a package each. Modules with Kaitai's API lie side by side: in ``package``
    (``.`` is the one that they are in, whatever its name), or, where that is empty, in a folder that is a package or
    on Python's path, which only shows when they are imported.
    """
    if not names:
        return ()
    if api is Api.WIRELOOM:
        return tuple(f"from ..{name} import parser as _{name}" for name in names)
    inside = [f"from {package or '.'} import {module_name(name)} as _{name}" for name in names]
    if package:
        return tuple(inside)
    # A type checker takes the first branch, for which the folder has to be on its path.
    return (
        f"if {use('TYPE_CHECKING')} or not __package__:",
        *(f"    import {module_name(name)} as _{name}" for name in names),
        "else:",
        *(f"    {each}" for each in inside),
    )
