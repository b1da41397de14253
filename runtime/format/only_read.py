"""The reasons why tables of a format are read-only."""

from __future__ import annotations


def written_as_objects(
    name: str,
    root: str,
    *,
    pieces: bool,
    positions: bool,
    inside: str = "",
    ahead: bool = False,
    within: str = "",
) -> str:
    """Return the sentence about a table that is read-only; empty if none of the reasons applies.

    The reasons: its records are in ``pieces`` of blocks of unknown size, at ``positions`` that a writer does not know,
    or ``inside`` of records of another table; the root has something at positions ``ahead`` of them; or they have an
    attribute ``within`` the bytes of another one.
    """
    if within:
        return f"tables of {name} cannot be written, since {within} is in the bytes of another attribute"
    if inside:
        return (
            f"rows inside of records of {name} cannot be written: make objects of these, and write them as the data "
            f"of the table {inside}"
        )
    if pieces:
        why = "its records are fragmented, and 'fragments' does not give the block size"
    elif positions:
        why = "its rows are reached through instances with positions"
    elif ahead:
        why = "it has instances with positions"
    else:
        return ""
    return f"tables of {name} cannot be written, since {why}: make objects of {root} instead"


def only_read(name: str, root: str, unfilled: tuple[str, ...]) -> str:
    """Return the sentence about a table that is read-only since some attributes of the format are not filled in.
    ``root``: the class of the whole input, whose objects can be written."""
    what = ", ".join(unfilled)
    return (
        f"tables of {name} cannot be written, since no column contains {what}: name columns for it in the spec's "
        f"'columns', 'selectable' or 'parent-columns', or make objects of {root} and write these with to_bytes()"
    )
