"""Which repeated types of specs can be declared as rows, which of them the engine runs, and why the others are
refused."""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from wireloom import SpecError
from wireloom.codegen.backends.columns.lower import compile_program
from wireloom.codegen.backends.columns.table import table_columns
from wireloom.codegen.expression.types import UserType
from wireloom.codegen.model.load import analyse
from wireloom.codegen.passes import with_facts
from wireloom.codegen.tree import Attribute, Spec, Struct

from tests.conformance.gallery.checkout import FORMATS, TESTS, checkout, suite

MOST_WAYS = 6
"""Maximum number of places where a type is repeated that are tried."""

Names = tuple[str, ...]


@dataclass(frozen=True)
class RowType:
    """A repeated type of a spec: the ``rows`` that lead to it, whether that can be declared, and the sentence that
    refuses it, or its rows in the engine."""

    spec: str
    type: str
    rows: str
    declared: bool
    refusal: str

    @property
    def in_engine(self) -> bool:
        """Return whether the engine runs such rows."""
        return self.declared and not self.refusal


class Specs(NamedTuple):
    """Specs that are counted together, with the folders of their absolute imports."""

    name: str
    files: list[Path]
    import_paths: tuple[Path, ...]


def row_types(path: Path, import_paths: tuple[Path, ...]) -> list[RowType]:
    """Return all repeated types of a spec, in its order; none if it has errors."""
    spec = analyse(path, import_paths=import_paths).spec
    if spec is None:
        return []
    plan, text = with_facts(spec), path.read_text(encoding="utf-8")
    found = []
    for kind, ways in _repeated(plan).items():
        best = RowType(path.stem, "::".join(kind), "", False, "no attribute of the root leads to it")
        for way in ways[:MOST_WAYS]:
            rows = ".".join(way)
            declared, refusal = _tried(path, with_rows(text, rows), import_paths)
            if not best.rows or declared > best.declared or not refusal:
                best = replace(best, rows=rows, declared=declared, refusal=refusal)
            if best.in_engine:
                break
        found.append(best)
    return found


def with_rows(text: str, rows: str) -> str:
    """Return the text of a spec that declares rows.

    >>> with_rows("meta:\\n  id: a\\nseq: []", "items")
    'meta:\\n  -wireloom: {rows: items}\\n  id: a\\nseq: []'
    """
    return re.sub(
        r"^meta:[ \t]*\n([ \t]+)",
        lambda found: f"meta:\n{found[1]}-wireloom: {{rows: {rows}}}\n{found[1]}",
        text.replace("\r\n", "\n"),
        count=1,
        flags=re.MULTILINE,
    )


def _tried(path: Path, text: str, import_paths: tuple[Path, ...]) -> tuple[bool, str]:
    """Return whether the rows of a spec can be declared, and why the engine, or else the spec, is refused."""
    result = analyse(path, text, import_paths=import_paths)
    if result.spec is None:
        return False, next(each.message for each in result.diagnostics if each.severity == "error")
    plan = with_facts(result.spec)
    assert plan.rows is not None
    try:
        refusal = compile_program(plan, plan.rows, table_columns(plan, plan.rows)).refusal
    except SpecError as error:
        return False, error.diagnostics[0].message if error.diagnostics else error.message
    return True, refusal or ""


# The ways from the root to what is repeated ---------------------------------------------------------------------------


def _repeated(plan: Spec) -> dict[Names, list[Names]]:
    """Return the repeated types of a spec itself, each with the ways from the root to it, those through plain
    attributes first."""
    ways = [_ways(plan, plain=True), _ways(plan, plain=False)]
    found: dict[Names, list[Names]] = {}
    for holder in plan.structs:
        for field in holder.all_attributes:
            for kind in _kinds(field) if field.repeat is not None and field.switch is None else ():
                if kind.path[0] == plan.root.path[0]:
                    to_holder = (each[holder.path] for each in ways if holder.path in each)
                    found.setdefault(kind.path, []).extend(dict.fromkeys((*way, field.id) for way in to_holder))
    plain = ways[0]
    return {
        kind: sorted(dict.fromkeys(each), key=lambda way: (way[:-1] not in plain.values(), len(way)))
        for kind, each in found.items()
    }


def _ways(plan: Spec, *, plain: bool) -> dict[Names, Names]:
    """Return the shortest way from the root to each type, through attributes of one type each if ``plain``, otherwise
    also through switches and instances."""
    found: dict[Names, Names] = {plan.root.path: ()}
    waiting = deque([plan.root])
    while waiting:
        holder = waiting.popleft()
        for field, kind in _leading(holder, plain):
            if kind.path not in found:
                found[kind.path] = (*found[holder.path], _step(field, kind))
                waiting.append(plan.struct(kind.path))
    return found


def _step(field: Attribute, kind: UserType) -> str:
    """Return the step of a path that leads through a field to an object of a type."""
    several = field.switch is not None and len({each.path for each in _kinds(field)}) > 1
    return f"{field.id}.as<{'::'.join(kind.path)}>" if several else field.id


def _leading(holder: Struct, plain: bool) -> Iterator[tuple[Attribute, UserType]]:
    for field in holder.attributes if plain else holder.all_attributes:
        if not (plain and field.switch is not None):
            yield from ((field, kind) for kind in _kinds(field))


def _kinds(field: Attribute) -> Iterator[UserType]:
    return (each for each in field.object_types if not each.opaque)


# Counts ---------------------------------------------------------------------------------------------------------------


def coverage(specs: Specs) -> list[RowType]:
    """Return the repeated types of all specs."""
    return [each for path in specs.files for each in row_types(path, specs.import_paths)]


def known_specs() -> list[Specs]:
    """Return the gallery and Kaitai's suite, as far as the environment names them."""
    gallery, tests, found = checkout(), suite(), []
    if gallery is not None:
        found.append(Specs("gallery", gallery.specs, (gallery.root,)))
    if tests is not None:
        folder = tests / "formats"
        common = (gallery.root,) if gallery is not None else ()
        found.append(Specs("suite", sorted(folder.glob("*.ksy")), (folder / "ks_path", *common)))
    return found


def counts(types: Iterable[RowType]) -> dict[str, Any]:
    """Return how many types there are, can be declared, and run in the engine; the others by the reason of refusal,
    most frequent first."""
    types = list(types)
    return {
        "types": len(types),
        "declared": sum(each.declared for each in types),
        "engine": sum(each.in_engine for each in types),
        "refused": reasons(each.refusal for each in types),
    }


def reasons(refusals: Iterable[str]) -> dict[str, int]:
    """Return how often each construct is refused, most frequent first."""
    return dict(Counter(construct(each) for each in refusals if each).most_common())


def construct(refusal: str) -> str:
    """Return a refusal without the names of the spec.

    >>> construct('the type of "body" is chosen by a switch')
    'the type of … is chosen by a switch'
    """
    return re.sub(r"\"[^\"]*\"|'[^']*'|\S+::\S+", "…", refusal.partition("; did you mean")[0])


def printed(name: str, types: Iterable[RowType], *, each_type: bool = False) -> str:
    """Return the counts as text, and by reason the refused types, with their names if ``each_type`` is set."""
    types = list(types)
    found, total = counts(types), len(types)

    def share(number: int) -> str:
        return f"{number:4} {round(100 * number / total) if total else 0:3} %"

    lines = [
        f"{name}: {total} repeated types",
        f"    {share(found['declared'])}  can be declared as rows",
        f"    {share(found['engine'])}  run in the engine",
        "  refused:",
    ]
    for reason, number in found["refused"].items():
        lines.append(f"    {share(number)}  {reason}")
        for each in types if each_type else ():
            if construct(each.refusal) == reason:
                way = f" ({each.rows})" if each.rows else ""
                lines.append(f"                 {each.spec}: {each.type}{way}: {each.refusal}")
    return "\n".join(lines)


def main() -> int:
    """Return 0, or 2 if there are no specs."""
    parser = argparse.ArgumentParser(prog="python -m tests.conformance.gallery.coverage", description=__doc__)
    parser.add_argument("folders", nargs="*", type=Path, help=f"By default those that {FORMATS} and {TESTS} name.")
    parser.add_argument("--types", action="store_true", help="Lists each type that is refused.")
    given = parser.parse_args()
    named = [Specs(str(each), sorted(each.rglob("*.ksy")), (each,)) for each in given.folders] or known_specs()
    for each in named:
        print(printed(each.name, coverage(each), each_type=given.types))
    return 0 if named else 2


if __name__ == "__main__":
    sys.exit(main())
