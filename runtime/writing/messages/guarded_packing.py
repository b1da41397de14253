"""Third-party packings, called so that their errors are attributed to them; see ``guarded``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, ClassVar

from ...base.errors import RoutineError
from ...format.description import Format
from ...format.routines import called, require
from ...units.framing import units_of
from ...units.guarded import checked_bytes
from ...units.packing import Packed, Packing, Row
from .row_packing import packing_class


def make_packing(format: Format, *, max_record: int, options: Mapping[str, Any]) -> Packing:
    """Return the packing of one output.

    Raises the same errors as ``make_framing``.
    """
    kind, place = packing_class(format), units_of(format).packing
    if not place:
        return kind(format, max_record=max_record, **options)
    require(place, kind, "packing", ("pack(rows)",))
    with called(place):
        return GuardedPacking(place, kind(format, max_record=max_record, **options))


class GuardedPacking:
    """A ``Packing`` that checks the calls of another."""

    OPTIONS: ClassVar[tuple[str, ...]] = ()

    def __init__(self, place: str, packing: Packing) -> None:
        self._place = place
        self._packing = packing

    def pack(self, rows: Iterable[Row]) -> Iterator[Packed]:
        """Return the same as ``Packing.pack``. Errors raised by the rows themselves are passed on unchanged."""
        callers: list[Exception] = []

        def noted() -> Iterator[Row]:
            try:
                yield from rows
            except Exception as error:
                callers.append(error)
                raise

        with called(self._place, "pack"):
            try:
                units = iter(self._packing.pack(noted()))
            except Exception as error:
                if error not in callers:
                    raise
        if callers:
            raise callers[0]
        while True:
            with called(self._place, "pack"):
                try:
                    packed: Any = next(units, None)
                except Exception as error:
                    if error not in callers:
                        raise
            if callers:
                raise callers[0]
            if packed is None:
                return
            if not isinstance(packed, Packed) or not isinstance(packed.rows, int):
                raise RoutineError(f"{self._place}.pack gives {type(packed).__name__} instead of Packed(unit, rows)")
            yield Packed(checked_bytes(self._place, "pack", packed.unit), packed.rows)
