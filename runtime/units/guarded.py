"""Guarded calls of framings, hooks and packings of users, so that their errors are reported as such.

Each class here wraps one that a spec names and forwards every call. Exceptions and invalid results become a
``RoutineError``; if a framing fails to find units, the input is lost from there on, as after a damaged length, and the
units before it are kept.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Protocol

import pyarrow as pa
import pyarrow.compute as pc

from ..base.errors import RoutineError, WireloomError
from ..base.report import REASONS
from ..format.description import Format
from ..format.routines import called, require, said
from ..rows.messages.decoding import Decoded
from ..rows.reader import RowDamage
from .described import Described, Part
from .framing import WORDS, Framing, Prefixed, Units, framing_class, options_of, units_of
from .hooks import Hooks, hooks_class, table_options
from .pieces import unit_array

TAKE = "take(view, base, at_end)"
DECODED = "decoded(units, decoded)"


def make_framing(format: Format, *, max_record: int, options: Mapping[str, Any], writes: bool = False) -> Framing:
    """Return the framing of one input, or with ``writes`` of one output. Raises ``WireloomError`` if it cannot be
    created, or does not accept the value of an option."""
    kind, place = framing_class(format), units_of(format).framing
    if place in WORDS:
        return kind(format, max_record=max_record, **options)
    require(place, kind, "framing", ("framed(unit)", "finish()") if writes else (TAKE, DECODED, "facts()"))
    with called(place):
        return GuardedFraming(place, kind(format, max_record=max_record, **options))


def make_hooks(format: Format, options: Mapping[str, Any]) -> GuardedHooks | None:
    """Return the hooks of one input or column of blobs; ``None`` if the format has none. Raises as
    ``make_framing``."""
    kind, place = hooks_class(format), units_of(format).hooks
    if kind is None:
        return None
    require(place, kind, "hooks", (DECODED,))
    with called(place):
        return GuardedHooks(place, kind(**options))


def framing_for(format: Format, max_record: int, options: Mapping[str, Any]) -> Framing:
    """Return the framing of one input, with those of the reader's ``options`` that it declares. Raises as
    ``make_framing``."""
    return make_framing(format, max_record=max_record, options=_chosen(options, options_of(framing_class(format))))


def hooks_for(format: Format, options: Mapping[str, Any]) -> GuardedHooks | None:
    """Return the hooks of one input, with those of the reader's ``options`` that they declare. Raises as
    ``make_framing``."""
    return make_hooks(format, _chosen(options, (*options_of(hooks_class(format)), *table_options(format))))


def _chosen(options: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    return {name: options[name] for name in names if name in options}


class GuardedFraming:
    """Like ``Framing`` and ``Described``."""

    OPTIONS: ClassVar[tuple[str, ...]] = ()

    def __init__(self, place: str, framing: Framing) -> None:
        self.place = place
        self.inner = framing

    def take(self, view: memoryview, base: int, at_end: bool) -> Units:
        """Like ``Framing.take``. If it raises, nothing of the view is taken and the input has ended. It is not called
        with an empty view before the end of the input."""
        if not len(view) and not at_end:
            return Units(view, needed=1)
        try:
            units: Any = self.inner.take(view, base, at_end)
        except WireloomError:
            raise
        except Exception as error:
            ended = "limit" if isinstance(error, MemoryError | RecursionError) else "invalid_value"
            return Units(view, ended=ended, detail=f"{self.place}.take raised {said(error)}", cause=error)
        with called(self.place, "take", base):
            problem = _problem_of_units(units, view)
        if problem:
            raise RoutineError(f"{self.place}.take {problem}", offset=base)
        taken: Units = units
        return taken

    def decoded(self, units: Units, decoded: Decoded) -> None:
        """Like ``Framing.decoded``."""
        with called(self.place, "decoded", _offset(units)):
            self.inner.decoded(units, decoded)

    def facts(self) -> Mapping[str, Any]:
        """Like ``Framing.facts``."""
        return _facts(self.place, self.inner)

    def described(self, stored: memoryview) -> list[Part]:
        """Like ``Described.described``; empty if the framing does not describe its units."""
        with called(self.place, "described"):
            found: Any = self.inner.described(stored) if isinstance(self.inner, Described) else []
            if not isinstance(found, list) or not all(_is_part(each) for each in found):
                raise RoutineError(f"{self.place}.described gives no list of wireloom.units.described.Part")
        parts: list[Part] = found
        return parts

    def framed(self, unit: bytes) -> bytes:
        """Like ``Framing.framed``."""
        with called(self.place, "framed"):
            return checked_bytes(self.place, "framed", self.inner.framed(unit))

    def finish(self) -> bytes:
        """Like ``Framing.finish``."""
        with called(self.place, "finish"):
            return checked_bytes(self.place, "finish", self.inner.finish())


class Lengths(Protocol):
    """A framing with lengths: ``max_record`` is the maximum size of a unit in bytes."""

    max_record: int

    def length(self, view: memoryview, position: int) -> tuple[int, int]:
        """Like ``Prefixed.length``."""
        ...


class GuardedLengths:
    """Like ``Lengths``."""

    def __init__(self, place: str, framing: Prefixed) -> None:
        self._place = place
        self._framing = framing
        self.max_record = framing.max_record

    def length(self, view: memoryview, position: int) -> tuple[int, int]:
        """Like ``Prefixed.length``."""
        with called(self._place, "length"):
            length, start = self._framing.length(view, position)
            return int(length), int(start)


def lengths_of(framing: Framing) -> Lengths | None:
    """Return the framing if it has lengths, otherwise ``None``."""
    if isinstance(framing, GuardedFraming):
        inner = framing.inner
        return GuardedLengths(framing.place, inner) if isinstance(inner, Prefixed) else None
    return framing if isinstance(framing, Prefixed) else None


def resumable(framing: Framing, hooks: GuardedHooks | None) -> bool:
    """Return whether framing and hooks declare that units do not depend on previous ones."""
    kinds: list[object] = [framing.inner if isinstance(framing, GuardedFraming) else framing]
    kinds += [] if hooks is None else [hooks.inner]
    return all(getattr(each, "RESUMABLE", False) is True for each in kinds)


class GuardedHooks:
    """Like ``Hooks``."""

    OPTIONS: ClassVar[tuple[str, ...]] = ()

    def __init__(self, place: str, hooks: Hooks) -> None:
        self._place = place
        self.inner = hooks
        self.needs = tuple(getattr(hooks, "needs", ()))
        self.beside = dict(getattr(hooks, "beside", {}))
        if not all(isinstance(each, str) for each in (*self.needs, *self.beside, *self.beside.values())):
            raise RoutineError(f"{place} is not hooks: needs are names of columns, and beside names one by option")

    def decoded(self, units: Units, decoded: Decoded) -> Decoded:
        """Like ``Hooks.decoded``."""
        offset = _offset(units)
        with called(self._place, "decoded", offset):
            result: Any = self.inner.decoded(units, decoded)
            problem = _problem_of_decoded(result, decoded)
        if problem:
            raise RoutineError(f"{self._place}.decoded {problem}", offset=offset)
        found: Decoded = result
        return found

    def facts(self) -> Mapping[str, Any]:
        """Like ``Hooks.facts``; empty if the hooks have none."""
        return _facts(self._place, self.inner)


def _facts(place: str, holder: Any) -> Mapping[str, Any]:
    with called(place, "facts"):
        facts: Any = holder.facts() if hasattr(holder, "facts") else {}
        if not isinstance(facts, Mapping):
            raise RoutineError(f"{place}.facts gives {type(facts).__name__} instead of a mapping")
        # Reports are JSON for the command line and for Spark.
        found: dict[str, Any] = json.loads(json.dumps(dict(facts)))
        return found


def checked_bytes(place: str, method: str, content: Any) -> bytes:
    """Return the result of a method as bytes. Raises ``RoutineError`` if it is something else."""
    if not isinstance(content, bytes | bytearray | memoryview):
        raise RoutineError(f"{place}.{method} gives {type(content).__name__} instead of bytes")
    return bytes(content)


def _offset(units: Units) -> int | None:
    """Return the offset of the first unit in the input; ``None`` for units that are blobs of a column."""
    return None if isinstance(units.offsets, pa.Array) or not len(units.offsets) else int(units.offsets[0])


def _is_part(part: Any) -> bool:
    return (
        isinstance(part, Part)
        and isinstance(part.name, str)
        and isinstance(part.begin, int)
        and isinstance(part.end, int)
        and all(_is_part(each) for each in part.parts)
    )


def _problem_of_units(units: Any, view: memoryview) -> str:
    """Return what is wrong with the result of ``take``; empty if nothing."""
    if not isinstance(units, Units):
        return f"gives {type(units).__name__} instead of Units"
    if not 0 <= units.consumed <= len(view):
        return f"has consumed {units.consumed} of {len(view)} bytes"
    if units.needed < 0 or not isinstance(units.ended, str) or not isinstance(units.detail, str):
        return "gives Units of which needed is not a number from 0 on, or ended or detail is not text"
    places = units.begins, units.sizes, units.offsets, units.spans
    if len({len(each) for each in places}) > 1:
        return "gives Units with begins, sizes, offsets and spans of different lengths"
    if any(each.null_count if isinstance(each, pa.Array) else None in each for each in places):
        return "gives Units with None among their numbers"
    columns = [unit_array(each) for each in places]
    end = pc.max(pc.add_checked(columns[0], columns[1])).as_py() or 0
    if end > memoryview(units.source).nbytes:
        return f"gives a unit that ends at byte {end} of {memoryview(units.source).nbytes}"
    for each in units.damages:
        if not isinstance(each, RowDamage) or not 0 <= each.begin <= each.end or each.reason not in REASONS:
            return f"gives {each!r:.80} instead of a RowDamage with one of the reasons of wireloom.base.report"
    if not isinstance(units.details, dict):
        return "returns details that are not a dict"
    return ""


def _problem_of_decoded(found: Any, before: Decoded) -> str:
    """Return what is wrong with the result of ``decoded``; empty if nothing."""
    if not isinstance(found, Decoded):
        return f"gives {type(found).__name__} instead of Decoded"
    if found.units != before.units or len(found.counts) != found.units:
        return f"gives {found.units} units with {len(found.counts)} counts for {before.units} units"
    if (pc.sum(found.counts).as_py() or 0) != found.rows or found.rows < 0:
        return f"gives counts that are not those of its {found.rows} rows"
    for number, array in before.arrays.items():
        given = found.arrays.get(number)
        if not isinstance(given, pa.Array) or given.type != array.type or len(given) != found.rows:
            return f"gives no array of {found.rows} values of {array.type} for column number {number}"
    if not all(0 <= each.unit < found.units and each.reason in REASONS for each in found.problems):
        return "gives problems of units that there are not, or for none of the reasons of wireloom.base.report"
    return ""
