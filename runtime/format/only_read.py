"""The reasons why tables of a format, or objects of its types, are read-only."""

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


def objects_only_read(
    type: str,
    *unsolved: str,
    instance: str = "",
    checksum: str = "",
    inner_checksum: str = "",
    within: str = "",
    computed: str = "",
) -> str:
    """Return the sentence about a type whose objects are read-only; the type is named as in the spec.

    The reason is one of these: an ``instance`` at its own position; a ``checksum`` of bits that covers more than one
    value; an ``inner_checksum``, in an object that it covers; an attribute ``within`` the bytes of another one; an
    attribute that depends on a ``computed`` checksum of bytes that were read; or ``unsolved`` integers, given as
    clauses that say why they cannot be derived.
    """
    if instance:
        why = f"{instance} has an explicit position"
        hint = "the classes of 'wireloom generate --kaitai --read-write' write such objects"
    elif checksum:
        why = f"the checksum {checksum} is a bit field or a varint, and covers more than one attribute of bytes"
        hint = "give it a byte-aligned type if the format allows that"
    elif inner_checksum:
        why = f"the checksum {inner_checksum} is in an object inside these bytes"
        hint = "if the format is yours, declare the checksum in the type whose attributes it covers"
    elif within:
        why = f"{within} is in the bytes of another attribute"
        hint = "write the attribute with the bytes separately, in a type without this one"
    elif computed:
        why = f"{computed} depends on a checksum that is computed from bytes that were read"
        hint = "declare the checksum with '-wireloom: {checksum: …}' at the attribute that contains it"
    else:
        why = ", ".join(unsolved)
        hint = "'-wireloom: {given: true}' on an integer makes it a value that the caller provides"
    return f"objects of '{type}' cannot be written: {why}; {hint}"
