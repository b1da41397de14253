"""Comparison of two versions of a spec, and of the content of ``meta``."""

from __future__ import annotations

import re
from collections.abc import Iterator

from wireloom.base.dataclass import fields, is_dataclass
from wireloom.format.choices import Choice

from ..expression.nodes import Node
from ..expression.unparsing import spec_text
from ..passes import with_facts
from ..tree import Attribute, Instance, Spec
from .change import AREAS, SETTINGS, WIRE, WORDS, Change, Severity, severity_of
from .columns import column_changes
from .describe import path_text
from .messages import unit_changes
from .renames import Renames, find_renames, translated
from .types import Types

OUTSIDE = frozenset(
    (
        *("doc", "doc_ref", "position", "title", "license", "file", "sha256", "parents", "logical"),
        *("imports", "valid"),
    )
)
"""Parts of the model whose changes alone have no effect: documentation and positions, parts derived from others, parts
reported for columns, and parts compared by their meaning.
"""


def compare(old: Spec, new: Spec) -> tuple[Change, ...]:
    """Return all differences, the most severe first.

    Raises ``SpecError`` if a column has no Arrow type.
    """
    renames = find_renames(old, new)
    before, after = translated(new, old, renames), translated(new, new, Renames())
    specs = with_facts(old), with_facts(new)
    tables = [*column_changes(*specs), *unit_changes(*specs)]
    found = list(dict.fromkeys([*tables, *Types(before, after, renames).changes()]))
    found += [*setting_changes(old, new), *documentation_changes(old, new)]
    if severity_of(found) == Severity.HARMLESS and _bare(before) != _bare(after):
        # A difference that is not recognised must not be reported as harmless.
        found.append(Change(Severity.BREAKING, WIRE, new.name, "the specs differ in a way that is not described here"))
    return tuple(sorted(found, key=lambda each: (-each.severity, AREAS.index(each.area))))


def _bare(value: object) -> object:
    """Return the model without documentation and positions, as plain tuples."""
    if isinstance(value, Node):
        return spec_text(value)
    if is_dataclass(value) and not isinstance(value, type):
        names = [each.name for each in fields(value) if each.name not in OUTSIDE]
        return (type(value).__name__, *((name, _bare(getattr(value, name))) for name in names))
    if isinstance(value, tuple):
        return tuple(_bare(each) for each in value)
    return value


def setting_changes(old: Spec, new: Spec) -> Iterator[Change]:
    """Yield the changes of the format's name, its codec, its paths, its limits and its options."""
    if old.name != new.name:
        yield Change(Severity.BREAKING, SETTINGS, "id", f"the format was renamed: {old.name} → {new.name}")
    if old.codec != new.codec:
        text = f"{old.codec} → {new.codec}: writers compress differently; readers detect the codec"
        yield Change(Severity.COMPATIBLE, SETTINGS, "codec", text)
    if old.file_extensions != new.file_extensions:
        text = f"{', '.join(old.file_extensions) or 'none'} → {', '.join(new.file_extensions) or 'none'}"
        yield Change(Severity.COMPATIBLE, SETTINGS, "file-extension", text)
    if old.max_record != new.max_record:
        if new.max_record > old.max_record:
            text = f"{old.max_record} → {new.max_record}: larger rows are accepted"
            yield Change(Severity.COMPATIBLE, SETTINGS, "max-record", text)
        else:
            text = f"{old.max_record} → {new.max_record}: previously valid rows may be rejected"
            yield Change(Severity.BREAKING, SETTINGS, "max-record", text)
    if old.preallocated != new.preallocated:
        text = "zeros at the end of an input are treated differently"
        yield Change(Severity.COMPATIBLE, SETTINGS, "preallocated", text)
    if old.nonempty != new.nonempty:
        text = f"an input without bytes is {'now truncated' if new.nonempty else 'no longer truncated, but clean'}"
        yield Change(Severity.BREAKING if new.nonempty else Severity.COMPATIBLE, SETTINGS, "nonempty", text)
    if old.searched != new.searched:
        text = f"with recover, large files are {'now' if new.searched else 'no longer'} read in byte ranges"
        yield Change(Severity.COMPATIBLE, SETTINGS, "ranges", text)
    yield from _path(old.path_pattern, new.path_pattern)
    yield from _options(old, new)


def _path(old: str | None, new: str | None) -> Iterator[Change]:
    if old == new:
        return
    before, after = (re.findall(r"\{(\w+)\}", each or "") for each in (old, new))
    for name in before:
        if name not in after:
            yield Change(Severity.BREAKING, SETTINGS, "path", f"the column {name} was removed")
    for name in after:
        if name not in before:
            yield Change(Severity.COMPATIBLE, SETTINGS, "path", f"the column {name} was added")
    if old is not None and new is not None:
        text = f"{old} → {new}: matching paths may give other values or none"
        yield Change(Severity.BREAKING, SETTINGS, "path", text)


def _options(old: Spec, new: Spec) -> Iterator[Change]:
    before, after = ({each.name: each for each in spec.choices} for spec in (old, new))
    for name, option in before.items():
        if name not in after:
            yield Change(Severity.BREAKING, SETTINGS, f"option {name}", "was removed")
        else:
            yield from _option(option, after[name])
    for name, option in after.items():
        if name not in before:
            padded = option.padding and option.default != "auto" and dict(option.padding).get(option.default) != 0
            severity = Severity.BREAKING if padded else Severity.COMPATIBLE
            yield Change(severity, SETTINGS, f"option {name}", f"was added; its default is {option.default}")


def _option(old: Choice, new: Choice) -> Iterator[Change]:
    place = f"option {old.name}"
    if old.variable != new.variable:
        yield Change(Severity.BREAKING, SETTINGS, place, "what it sets changed")
        return
    what = "number" if old.variable else "unused bytes"
    before, after = dict(old.values or old.padding), dict(new.values or new.padding)
    for value, padding in before.items():
        if value not in after:
            yield Change(Severity.BREAKING, SETTINGS, place, f"the value {value} was removed")
        elif after[value] != padding:
            text = f"the {what} of {value} changed: {padding} → {after[value]}"
            yield Change(Severity.BREAKING, SETTINGS, place, text)
    for value in after:
        if value not in before:
            yield Change(Severity.COMPATIBLE, SETTINGS, place, f"the value {value} was added")
    if old.default != new.default:
        yield Change(Severity.BREAKING, SETTINGS, place, f"its default: {old.default} → {new.default}")
    if old.padding and [each for each in before if each in after] != [each for each in after if each in before]:
        text = "the order changed in which auto tries its values"
        yield Change(Severity.COMPATIBLE, SETTINGS, place, text)


def documentation_changes(old: Spec, new: Spec) -> Iterator[Change]:
    """Yield the places at which the documentation differs."""
    before, after = _words(old), _words(new)
    for place, text in after.items():
        if place in before and before[place] != text:
            yield Change(Severity.HARMLESS, WORDS, place, "its documentation changed")


def _words(spec: Spec) -> dict[str, tuple[object, ...]]:
    found: dict[str, tuple[object, ...]] = {"meta": (spec.title, spec.license, spec.advice)}
    for struct in spec.root.all_structs:
        name = path_text(struct.path, spec.name)
        found[name] = (struct.doc, struct.doc_ref)
        fields: list[Attribute | Instance] = [*struct.attributes, *struct.instances]
        for field in fields:
            found[f"{name}.{field.id}" if struct.path[1:] else field.id] = (field.doc, field.doc_ref)
        for parameter in struct.parameters:
            found[f"{name}.{parameter.id}"] = (parameter.doc,)
        for enum in struct.enums:
            found[path_text(enum.path, spec.name)] = (enum.doc,)
            found |= {f"{path_text(enum.path, spec.name)}::{each.label}": (each.doc,) for each in enum.labels}
    for option in spec.choices:
        found[f"option {option.name}"] = (option.doc,)
    return found
