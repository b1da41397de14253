"""Specs in which each pair of constructs meets, and the results of both readers for them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import combinations
from random import Random

from wireloom import SpecError

from ...unit.columns_backend.specs import format_of
from ..specs import Made
from .checksums import CHECKSUMS
from .comparing import compare
from .enclosing import ENCLOSING
from .fields import FIELDS, MORE_FIELDS
from .layouts import LAYOUTS
from .shape import Construct, Shape, number
from .table_keys import TABLE_KEYS

CONSTRUCTS: tuple[Construct, ...] = (*LAYOUTS, *ENCLOSING, *FIELDS, *CHECKSUMS, *MORE_FIELDS, *TABLE_KEYS)
ORDER = ("enclosing", "field", "table", "end", "layout")
MOST = 8
"""Constructs in a spec. More of them find more at once, but damage in one hides the others."""
ALONE = 6
"""How often as many inputs are made of the spec of a single construct."""
TRIES = 10
"""How often a pair is tried that has no results; later with fewer other constructs."""
USUAL = [each for each in LAYOUTS if each.name in ("rows at the root", "counted rows, read as a whole", "sized units")]
Pair = frozenset[str]


def may_meet(first: Construct, second: Construct) -> bool:
    """Return whether two constructs have different places: a spec has one layout, and a row one end."""
    return first is not second and not (first.place == second.place and first.place in ("layout", "end"))


def all_pairs() -> list[Pair]:
    return [frozenset((a.name, b.name)) for a, b in combinations(CONSTRUCTS, 2) if may_meet(a, b)]


def pairs_of(group: Iterable[Construct]) -> list[Pair]:
    return [frozenset((a.name, b.name)) for a, b in combinations(group, 2)]


def made_of(group: Iterable[Construct], seed: int = 0) -> tuple[Made, bool]:
    """Return the spec of some constructs, at the root if none of them is a layout, and whether its reads have a
    ``max_record``. ``seed``: of the inputs, not of the spec."""
    shape = Shape(Random(0))
    shape.row.append(number("n"))
    for each in sorted(group, key=lambda each: ORDER.index(each.place)):
        each.add(shape)
    if shape.layout is None:
        LAYOUTS[0].add(shape)
    assert shape.layout is not None
    made = shape.layout(shape)
    shape.random.seed(seed)
    return made, shape.limited


Reason = Callable[[Iterable[Construct]], str | None]


def refusal(group: Iterable[Construct]) -> str | None:
    """Return the error of the dialect about such a spec, if it is invalid."""
    try:
        format_of(made_of(group)[0].text)
    except SpecError as error:
        return str(error).splitlines()[0].partition("error: ")[2]
    return None


def objects_reason(group: Iterable[Construct]) -> str | None:
    """Return why objects alone read rows of such a valid spec, or a column."""
    try:
        format = format_of(made_of(group)[0].text)
    except SpecError:
        return None
    return format.engine_refusal or next((each.engine_refusal for each in format.columns if each.engine_refusal), None)


def fewest(group: list[Construct], reason: Reason) -> list[Construct]:
    """Return the fewest of these constructs for which there is such a reason; without the layout if the reason is one
    with every usual layout."""
    for each in list(group):
        fewer = [other for other in group if other is not each]
        if fewer and reason(fewer) is not None:
            group = fewer
    without = [each for each in group if each.place != "layout"]
    if without and len(without) < len(group) and all(reason([*without, each]) is not None for each in USUAL):
        return without
    return group


@dataclass
class Comparisons:
    """The pairs that were compared, and the differences.

    ``refused``, ``by_objects``: constructs that the dialect refuses together, and those that objects alone read, which
    are compared in windows of different sizes; each set as small as possible, with the reason.
    """

    compared: Counter[Pair] = field(default_factory=Counter)
    refused: dict[frozenset[str], str] = field(default_factory=dict)
    by_objects: dict[frozenset[str], str] = field(default_factory=dict)
    differences: list[tuple[list[str], str]] = field(default_factory=list)
    specs: int = 0
    results: int = 0

    def is_refused(self, names: frozenset[str]) -> bool:
        return any(each <= names for each in self.refused)

    def is_by_objects(self, names: frozenset[str]) -> bool:
        return any(each <= names for each in self.by_objects)

    def missing(self) -> list[Pair]:
        """Return the pairs without any comparison, other than those that the dialect refuses."""
        return [each for each in all_pairs() if not self.compared[each] and not self.is_refused(each)]

    def table(self) -> str:
        """Return a line for each construct: with how many others it was compared, and which are missing."""
        missing = set(self.missing())
        rows = []
        for construct in CONSTRUCTS:
            pairs = {each.name: names_of((each, construct)) for each in CONSTRUCTS if may_meet(each, construct)}
            counts = [self.compared[pair] for pair in pairs.values() if self.compared[pair]]
            parts = [f"{len(counts)} compared"]
            if counts:
                parts[0] += f", {min(counts)} to {max(counts)} times"
            for what, is_so in (
                ("by objects alone", self.is_by_objects),
                ("refused", self.is_refused),
                ("NEVER COMPARED", missing.__contains__),
            ):
                others = [name for name, pair in pairs.items() if is_so(pair)]
                if others:
                    parts.append(f"{what}: {'all' if len(others) == len(pairs) else ', '.join(others)}")
            rows.append(f"{construct.name}: {'; '.join(parts)}")
        return "\n".join(rows)

    def summary(self) -> str:
        """Return the totals."""
        return (
            f"{len(CONSTRUCTS)} constructs, {len(all_pairs())} pairs, {self.specs} specs, "
            f"{self.results} results with rows, "
            f"{sum(map(self.is_refused, all_pairs()))} pairs refused by the dialect, "
            f"{sum(map(self.is_by_objects, all_pairs()))} read by objects alone, "
            f"{len(self.differences)} differences, {len(self.missing())} pairs without comparison"
        )


def groups(found: Comparisons, random: Random) -> Iterator[list[Construct]]:
    """Yield constructs that are to meet, with a layout among them, until each pair has met or is refused."""
    tried: Counter[Pair] = Counter()
    while left := {each for each in found.missing() if tried[each] < TRIES}:
        first = min(left, key=lambda each: (tried[each], sorted(each)))
        # Pairs that were tried in vain are tried with fewer others.
        most = max(3, MOST >> tried[first])
        group = [each for each in CONSTRUCTS if each.name in first]
        if not any(each.place == "layout" for each in group):
            group.append(best(LAYOUTS, group, left, found, random) or LAYOUTS[0])
        while len(group) < most and (more := best(CONSTRUCTS, group, left, found, random)) is not None:
            group.append(more)
        before = found.specs
        yield group
        tried.update(pairs_of(group) if found.specs > before else [first])


def best(
    among: Iterable[Construct], group: list[Construct], left: set[Pair], found: Comparisons, random: Random
) -> Construct | None:
    """Return the construct of which most pairs with the group are left. What objects alone read costs the others the
    comparison with the engine."""
    names = frozenset(each.name for each in group)
    by_objects = found.is_by_objects(names)
    fitting = [
        each
        for each in among
        if all(may_meet(each, other) for other in group)
        and not found.is_refused(names | {each.name})
        and found.is_by_objects(names | {each.name}) == by_objects
    ]
    gains = {each: sum(frozenset((each.name, name)) in left for name in names) for each in fitting}
    return max(fitting, key=lambda each: (gains[each], random.random()), default=None)


def compare_all(
    seed: int = 0, *, most: int | None = None, rounds: int = 1, watch: Callable[[Comparisons], None] | None = None
) -> Comparisons:
    """Compare the readers on every pair.

    Args:
        seed: Of the choice of constructs, their content, the inputs and how they are read.
        most: Maximum number of specs. Which constructs a refusal is about is not searched then.
        rounds: How often five inputs of each spec are made.
        watch: Called after each spec.

    Returns:
        What was compared and found.
    """
    found, random = Comparisons(), Random(seed)
    for place, group in enumerate(groups(found, random)):
        if found.specs == most:
            break
        why = refusal(group)
        if why is not None:
            smallest = group if most is not None else fewest(group, refusal)
            found.refused[names_of(smallest)] = refusal(smallest) or why
        else:
            compare_group(found, group, seed * 100_000 + place, rounds, shrinks=most is None)
        if watch is not None:
            watch(found)
    # By itself, no damage in other constructs hides what a construct does, or two of them.
    alone = [names_of((each,)) for each in CONSTRUCTS]
    for place, names in enumerate([*alone, *found.missing()] if most is None else ()):
        group = [each for each in CONSTRUCTS if each.name in names]
        if not any(each.place == "layout" for each in group):
            group.append(LAYOUTS[0])
        if refusal(group) is None:
            compare_group(found, group, seed * 100_000 + 50_000 + place, ALONE * rounds, shrinks=True)
        if watch is not None:
            watch(found)
    return found


def compare_group(found: Comparisons, group: list[Construct], seed: int, rounds: int, *, shrinks: bool) -> None:
    """Compare the readers on the spec of a group, and count its pairs: if objects alone read it, those for which that
    is so."""
    made, limited = made_of(group, seed)
    format = format_of(made.text)
    if not found.is_by_objects(names_of(group)) and (why := objects_reason(group)) is not None:
        smallest = fewest(group, objects_reason) if shrinks else group
        found.by_objects[names_of(smallest)] = objects_reason(smallest) or why
    found.specs += 1
    difference, results = compare(made, seed, limited=limited, rounds=rounds)
    if difference is not None:
        found.differences.append(([each.name for each in group], difference))
        return
    found.results += results
    for pair in pairs_of(group) if results else ():
        if format.engine_refusal is None or found.is_by_objects(pair):
            found.compared[pair] += results


def names_of(group: Iterable[Construct]) -> frozenset[str]:
    return frozenset(each.name for each in group)
