"""The nodes of a plan: frozen dataclasses that contain numbers, names and expressions, and no references to the model.

Expressions are typed trees (``codegen/expression/nodes.py``), types are those of ``codegen/expression/types.py``.
"""

from __future__ import annotations

from dataclasses import dataclass

from wireloom.checksums import Algorithm, algorithm

from ..expression.nodes import Node
from ..expression.walk import names_in
from ..tree import Attribute

# What is read --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Piece:
    """Consecutive fields of a run that share a byte order (``le``, ``be``, or ``None`` if it makes no difference).
    ``offset``: of the first field, from the start of the run."""

    fields: tuple[Attribute, ...]
    endian: str | None
    offset: int
    size: int


@dataclass(frozen=True)
class Run:
    """Consecutive fields of fixed sizes; ``offsets``: the start of each, followed by the end of the run."""

    fields: tuple[Attribute, ...]
    offsets: tuple[int, ...]
    pieces: tuple[Piece, ...]

    @property
    def size(self) -> int:
        """Return the total size in bytes."""
        return self.offsets[-1]

    @property
    def parts(self) -> tuple[tuple[Attribute, ...], ...]:
        """Return the run split after each field whose refusal loses the layout, since such a field is checked first."""
        parts: list[tuple[Attribute, ...]] = [()]
        for each in self.fields:
            parts[-1] += (each,)
            if each.frames_layout and each.checks:
                parts.append(())
        return tuple(each for each in parts if each)


Step = Run | Attribute


@dataclass(frozen=True)
class Cover:
    """A checksum: ``field`` must equal the checksum of the bytes of the consecutive fields ``covered``.

    - ``value``: the single field whose value is these bytes, if there is one.
    - ``blanks_own``: the bytes of the checksum are part of the range, and count as bytes of the value ``replace``.
    - ``endian``: the byte order of a number in a field of bytes.
    - ``stored``: the expression on the wire for the checksum ``_``.
    - ``continues``: the checksum of what comes before.
    - ``condition``: the condition of the field; ``needed``: if it is false, the checksum is not verified.
    """

    field: Attribute
    algorithm: str
    covered: tuple[str, ...]
    initial: int
    final_xor: int
    replace: int | None
    value: str | None
    blanks_own: bool
    endian: str = ""
    stored: Node | None = None
    continues: Node | None = None
    condition: Node | None = None
    inside: tuple[str, ...] = ()
    """The fields that lead to the object that contains the checksum; empty if it is the object with the covered
    fields."""
    before_expansion: bool = False
    """Whether it is verified before the bytes of the last field, which are compressed, are decompressed."""
    content: bool = False
    """Whether it covers the decompressed content of the single field; it is verified before the content is read."""
    needed: Node | None = None

    @property
    def of_object(self) -> bool:
        """Return whether it covers the content of an object."""
        return self.content and self.value is None

    @property
    def chained(self) -> bool:
        """Return whether the checksum continues that of the previous item in a list."""
        return self.continues is not None and "_" in names_in(self.continues)

    @property
    def made_by(self) -> Algorithm:
        """Return the algorithm with its parameters."""
        return algorithm(self.algorithm, self.initial, self.final_xor)

    @property
    def way(self) -> tuple[str, ...]:
        """Return the fields that lead to the checksum, including the checksum itself."""
        return (*self.inside, self.field.id)

    @property
    def first(self) -> str:
        """Return the first field that is covered, by name."""
        return self.covered[0]

    @property
    def last(self) -> str:
        """Return the last field that is covered, by name."""
        return self.covered[-1]


# What is written -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Fill:
    """A field that a writer fills in.

    ``how``: ``constant`` (the bytes ``contents``), ``measured`` (the size of the fields in ``Field.size_of``), ``unless
    given`` (the only ``value`` that is allowed, or the default), ``made`` (an object in which everything is filled in),
    ``solved`` (the ``value`` that is derived from a size or count; in it ``NAME.size`` is the size of a field on the
    wire), ``checksum before`` anything is written or ``checksum after`` all fields it covers are.
    """

    id: str
    how: str
    value: Node | None = None
    contents: bytes = b""
    cover: Cover | None = None
