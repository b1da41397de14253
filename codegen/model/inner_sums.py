"""Checksums of attributes of an enclosing object, such as one in the header of a block over its body."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from wireloom.base.dataclass import replace

from ..expression.types import BitsType, Path, UserType
from ..spec.diagnostics import Diagnostics
from ..tree import Attribute, Checksum, InnerSum, Rows, Struct, is_single_value
from ..words import shown, suggestion

MOST = 64
"""Maximum number of ways to objects with one checksum from enclosing types."""


class _InvalidError(Exception):
    """An invalid checksum; the argument describes the error."""


def with_inner_sums(root: Struct, structs: Mapping[Path, Struct], diagnostics: Diagnostics) -> Struct:
    """Return the type, including nested ones, with the checksums of their attributes that are stored in objects inside
    them. In these objects, the checksums become plain attributes."""
    found: dict[Path, list[InnerSum]] = {}
    for struct in structs.values():
        for each in struct.attributes:
            if each.checksum is not None and each.checksum.up and each.position is not None:
                try:
                    for path, way in _places(struct, each.checksum, structs):
                        found.setdefault(path, []).append(InnerSum(way, each, each.checksum))
                except _InvalidError as error:
                    diagnostics.error(each.position, f"the checksum {shown(each.id)}: {error}")

    def moved(struct: Struct) -> Struct:
        kept = tuple(
            replace(each, checksum=None) if each.checksum is not None and each.checksum.up else each
            for each in struct.attributes
        )
        sums = tuple(found.get(struct.path, ()))
        return replace(struct, attributes=kept, inner_sums=sums, structs=tuple(map(moved, struct.structs)))

    return moved(root) if found else root


def check_steps(tables: Iterable[Rows], root: Struct, structs: Mapping[Path, Struct], diagnostics: Diagnostics) -> None:
    """Report checksums in objects on the path to rows, since damage may end the reading of such an object early."""
    for rows in tables:
        ways = ((rows.types, rows.path), *((each.types, each.path) for each in rows.others))
        pairs = (
            pair
            for types, path in ways
            for pair in zip((root, *(structs[each] for each in types)), (rows.attribute, *path), strict=False)
        )
        # A type is known by its path: to hash it takes longer than all else here.
        for (_, step), holder in {(holder.path, step): holder for holder, step in pairs}.items():
            for each in holder.inner_sums:
                if each.path[0] == step and each.attribute.position is not None:
                    message = (
                        f"the checksum {shown(each.attribute.id)} cannot be inside {shown(step)}, which leads to the "
                        "rows"
                    )
                    diagnostics.error(each.attribute.position, message)


Place = tuple[Path, tuple[str, ...]]
"""A type, and the path of attributes from an object of it to one inside it."""


def _places(struct: Struct, checksum: Checksum, structs: Mapping[Path, Struct]) -> list[Place]:
    """Return the types with the attributes that a checksum covers, and the paths from them to the object with it.
    Raises ``_InvalidError``."""
    if checksum.up < 0:
        raise _InvalidError("the first and the last attribute that it covers must belong to the same object")
    places: list[Place] = [(struct.path, ())]
    for _ in range(checksum.up):
        places = [above for path, way in places for above in _above(structs[path], way, structs)]
        if len(places) > MOST:
            raise _InvalidError(f"it is in more than {MOST} places")
    for path, way in places:
        _check_covered(structs[path], checksum, way[0])
    return places


def _above(struct: Struct, way: tuple[str, ...], structs: Mapping[Path, Struct]) -> Iterator[Place]:
    name = "::".join(struct.path)
    if not struct.parents:
        raise _InvalidError(f"no attribute contains objects of {name}, so there is no '_parent'")
    for path in struct.parents:
        holders = [each for each in structs[path].attributes if _holds(each, struct.path)]
        if len(holders) != 1 or not is_single_value(holders[0]) or holders[0].parent is not None:
            raise _InvalidError(
                f"{'::'.join(path)} must have exactly one {name}, in an attribute without 'repeat', 'if' and "
                "'switch-on'"
            )
        yield path, (holders[0].id, *way)


def _holds(attribute: Attribute, path: Path) -> bool:
    cases = attribute.switch.cases if attribute.switch is not None else ()
    return any(isinstance(kind, UserType) and kind.path == path for kind in (attribute.type, *(c.type for c in cases)))


def _check_covered(parent: Struct, checksum: Checksum, holder: str) -> None:
    known = {each.id: number for number, each in enumerate(parent.attributes)}
    for name in (checksum.first, checksum.last):
        if name not in known:
            hint = suggestion(name, known)
            raise _InvalidError(f"{'::'.join(parent.path)} has no attribute {shown(name)}{hint}")
        if isinstance(parent.attributes[known[name]].type, BitsType):
            raise _InvalidError(f"it covers whole bytes, but {shown(name)} is a bit field")
    first, last = known[checksum.first], known[checksum.last]
    if first > last:
        raise _InvalidError(
            f"{shown(checksum.first)} comes after {shown(checksum.last)}: name the first attribute, then the last"
        )
    if first <= known[holder] <= last:
        raise _InvalidError(f"it covers {shown(holder)}, which contains it")
