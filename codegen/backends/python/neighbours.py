"""How a generated module imports the modules of the specs that its spec imports."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .api import Api
from .names import module_name


def neighbours(api: Api, package: str, use: Callable[[str], str], names: Sequence[str]) -> tuple[str, ...]:
    """Return the statements that import the modules of the specs ``names``, each under its name with an underscore.

    Each format of wireloom has a package of its own. Modules with Kaitai's API are side by side: in ``package`` (``.``
    is the package that contains them, whatever its name), or, if that is empty, in a folder that is a package or on
    Python's path, which is known only when they are imported.
    """
    if not names:
        return ()
    if api is Api.WIRELOOM:
        return tuple(f"from ..{name} import parser as _{name}" for name in names)
    inside = [f"from {package or '.'} import {module_name(name)} as _{name}" for name in names]
    if package:
        return tuple(inside)
    # A type checker takes the first branch, which requires the folder to be on its path.
    return (
        f"if {use('TYPE_CHECKING')} or not __package__:",
        *(f"    import {module_name(name)} as _{name}" for name in names),
        "else:",
        *(f"    {each}" for each in inside),
    )
