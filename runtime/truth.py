"""Options that are true or false."""

from __future__ import annotations

from typing import Any

from .errors import WireloomError


def check_booleans(**options: Any) -> None:
    """Raise ``WireloomError`` for an option that is neither ``True`` nor ``False``: any other value, the text "no"
    among them, would be taken for true. NumPy's booleans are taken as well."""
    for name, value in options.items():
        if not isinstance(value, bool) and not _is_numpy(value):
            raise WireloomError(f"{name} is True or False, not {value!r:.80}")


def _is_numpy(value: Any) -> bool:
    # Without importing NumPy, which is none of the packages that wireloom needs. It has had both names.
    kind = type(value)
    return kind.__module__ == "numpy" and kind.__name__ in ("bool", "bool_")
