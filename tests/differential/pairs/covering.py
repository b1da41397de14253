"""Specs in which each pair of constructs meets, and what both readers made of them."""

from __future__ import annotations

import traceback
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from random import Random
from typing import Any

from wireloom import Format, SpecError
from wireloom.reading import of_table

from ...unit.columns_backend.specs import format_of
from ..agreement import objects_only, outcome
from ..damage import damaged
from ..specs import Made
from .around import AROUND, TABLE
from .fields import FIELDS, MORE_FIELDS
from .layouts import LAYOUTS
from .shape import Construct, Shape, number

CONSTRUCTS: tuple[Construct, ...] = (*LAYOUTS, *AROUND, *FIELDS, *MORE_FIELDS, *TABLE)
ORDER = ("around", "field", "table", "end", "layout")
MOST = 8
"""Constructs in a spec. More of them find more at once, but damage in one hides the others."""
USUAL = [each for each in LAYOUTS if each.name in ("rows at the root", "counted rows, read as a whole", "sized units")]
WINDOWS = (1, 3, 7, 20, 64, 1000)
READERS: tuple[dict[str, Any], ...] = (
    {},
    {},
    {"recover": True},
    {"mode": "failfast"},
    {"mode": "dropmalformed"},
    {"batch_rows": 1},
    {"batch_rows": 3, "recover": True},
    {"verify": False},
    {"max_record": 20},
    {"max_record": 9, "recover": True},
)
Pair = frozenset[str]


def may_meet(first: Construct, second: Construct) -> bool:
    """Return whether two constructs have different places: a spec has one layout, and a row one end."""
    return first is not second and not (first.place == second.place and first.place in ("layout", "end"))


def all_pairs() -> list[Pair]:
    return [frozenset((a.name, b.name)) for a, b in combinations(CONSTRUCTS, 2) if may_meet(a, b)]


def pairs_of(group: Iterable[Construct]) -> list[Pair]:
    return [frozenset((a.name, b.name)) for a, b in combinations(group, 2)]


def made_of(group: Iterable[Construct], seed: int) -> tuple[Made, dict[str, Any]]:
    """Return the spec of some constructs, at the root if none of them is a layout, and the options of its reads."""
    random = Random(seed)
    shape = Shape(random)
    shape.row.append(number("n"))
    for each in sorted(group, key=lambda each: ORDER.index(each.place)):
        each.add(shape)
    if shape.layout is None:
        LAYOUTS[0].add(shape)
    assert shape.layout is not None
    made = shape.layout(shape)
    return made, shape.options


def refusal(group: Iterable[Construct]) -> str | None:
    """Return why there is no comparison of such a spec: the error of the dialect, or why only objects read it."""
    try:
        format = format_of(made_of(group, 0)[0].text)
    except SpecError as error:
        return "refused: " + str(error).splitlines()[0].partition("error: ")[2]
    own = format.engine_refusal or next((each.engine_refusal for each in format.columns if each.engine_refusal), None)
    return None if own is None else f"read by objects alone: {own}"


@dataclass
class Comparisons:
    """The pairs that were compared, the refused specs, and the differences."""

    compared: Counter[Pair] = field(default_factory=Counter)
    refused: dict[frozenset[str], str] = field(default_factory=dict)
    """Constructs that do not occur together, each set as small as possible, and the diagnostic."""
    differences: list[tuple[list[str], str]] = field(default_factory=list)
    specs: int = 0
    results: int = 0

    def is_refused(self, names: frozenset[str]) -> bool:
        return any(each <= names for each in self.refused)

    def missing(self) -> list[Pair]:
        """Return the pairs without any comparison, other than those that the dialect refuses."""
        return [each for each in all_pairs() if not self.compared[each] and not self.is_refused(each)]


def groups(found: Comparisons, random: Random) -> Iterator[list[Construct]]:
    """Yield constructs that are to meet, with a layout among them, until each pair has met or is refused."""
    tried: Counter[Pair] = Counter()
    while True:
        left = {each for each in all_pairs() if not found.compared[each] and tried[each] < 4}
        left = {each for each in left if not found.is_refused(each)}
        if not left:
            return
        first = min(left, key=lambda each: (tried[each], sorted(each)))
        # Pairs that were tried in vain are tried with fewer others.
        most = max(3, MOST >> tried[first])
        group = [each for each in CONSTRUCTS if each.name in first]
        if not any(each.place == "layout" for each in group):
            group.append(best(LAYOUTS, group, left, found, random) or LAYOUTS[0])
        while len(group) < most and (more := best(CONSTRUCTS, group, left, found, random)) is not None:
            group.append(more)
        tried.update(pairs_of(group))
        yield group


def best(
    among: Iterable[Construct], group: list[Construct], left: set[Pair], found: Comparisons, random: Random
) -> Construct | None:
    """Return the construct of which most pairs with the group are left."""
    names = frozenset(each.name for each in group)
    fitting = [
        each
        for each in among
        if all(may_meet(each, other) for other in group) and not found.is_refused(names | {each.name})
    ]
    gains = {each: sum(frozenset((each.name, name)) in left for name in names) for each in fitting}
    return max(fitting, key=lambda each: (gains[each], random.random()), default=None)


def compare_all(seed: int = 0, *, most: int | None = None, shrinks: bool = True) -> Comparisons:
    """Compare both readers on every pair. ``most``: the number of specs that are compared; ``shrinks``: whether the
    fewest constructs that are refused are searched, so that no pair is missed."""
    found, random = Comparisons(), Random(seed)
    for place, group in enumerate(groups(found, random)):
        if found.specs == most:
            break
        why = refusal(group)
        if why is None:
            found.specs += 1
            compare(group, place, found)
        else:
            if shrinks:
                group = fewest(group)
            found.refused[frozenset(each.name for each in group)] = refusal(group) or why
    return found


def fewest(group: list[Construct]) -> list[Construct]:
    """Return the fewest of these constructs that are refused together; those that every layout refuses have none."""
    for each in list(group):
        fewer = [other for other in group if other is not each]
        if each.place != "layout" and len(fewer) > 1 and refusal(fewer) is not None:
            group = fewer
    without = [each for each in group if each.place != "layout"]
    if all(refusal([*without, each]) is not None for each in USUAL):
        return without
    return group


def compare(group: Sequence[Construct], seed: int, found: Comparisons, rounds: int = 1) -> None:
    """Compare both readers on inputs of such a spec."""
    made, always = made_of(group, 0)
    format = format_of(made.text)
    random = Random(seed)
    results = 0
    for _ in range(rounds):
        good = [made.write(random, {}) for _ in range(2)]
        for data in [*good, good[1][: random.randrange(len(good[1]) + 1)], *(damaged(random, each) for each in good)]:
            options = {**random.choice(READERS), **always}
            if len(format.tables) > 1 and random.random() < 0.3:
                options["table"] = random.choice([*format.tables])
            try:
                difference, rows = compared(format, data, random, options)
            except Exception:
                difference, rows = f"{options}\ninput   {data.hex()}\n{traceback.format_exc()}", 0
            if difference:
                found.differences.append(([each.name for each in group], f"{made.text}\n{difference}"))
                return
            results += rows > 0
    found.results += results
    if results:
        found.compared.update(dict.fromkeys(pairs_of(group), results))


def compared(format: Format, data: bytes, random: Random, options: dict[str, Any]) -> tuple[str | None, int]:
    """Return how the readers differ about an input, if they do, and the number of rows."""
    if random.random() < 0.4:
        of = of_table(format, dict(options))[0]
        names = [each.name for each in of.columns if not each.engine_refusal]
        options = {**options, "columns": [*random.sample(names, min(2, len(names))), "_offset"]}
    window = random.choice(WINDOWS)
    with objects_only():
        expected = outcome(format, data, **options)
    others = {
        "engine": outcome(format, data, **options),
        f"engine, {window=}": outcome(format, data, window=window, **options),
    }
    if random.random() < 0.3:
        with objects_only():
            others[f"objects, {window=}"] = outcome(format, data, window=window, **options)
    for name, each in others.items():
        if each != expected and not ("window" in name and without_bytes(each) == without_bytes(expected)):
            return f"{options}\ninput   {data.hex()}\nobjects {expected}\n{name} {each}", 0
    rows = next(iter(expected[0].values()), ()) if isinstance(expected[0], dict) else ()
    return None, len(rows)


def without_bytes(found: Any) -> Any:
    """Return a result without the bytes of damaged rows, since those of a record in pieces are null if the window no
    longer has its first pieces; and without what the first 64 KiB say about the format, since these windows are
    smaller."""
    if not isinstance(found[0], dict):
        return found
    rows = {name: each for name, each in found[0].items() if name != "_corrupt_record"}
    return rows, [{name: each for name, each in file.items() if name != "foreign"} for file in found[1]]
