"""Filters that Spark leaves to the reader: whole files are passed over by their paths, other rows before Spark has to
make rows of its own of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa
from pyspark.sql.datasource import Filter

from ..batches import PATH, Layout
from .casting import Caster
from .filters import column_of, is_exact, mask
from .folder_columns import constants_of
from .reader import FormatReader
from .schema import Target

if TYPE_CHECKING:
    from ..format import Format
    from ..storage import Input
    from .options import ReadOptions


@dataclass(frozen=True)
class Selection:
    """Filters and the columns that they look at."""

    filters: tuple[Filter, ...]
    caster: Caster

    @classmethod
    def of(cls, filters: Sequence[Filter], targets: Sequence[Target]) -> Selection:
        """Of all the columns of a read those that matter."""
        names = {column_of(each) for each in filters}
        return cls(tuple(filters), Caster([each for each in targets if each.field.name in names]))

    def rows(self, batch: pa.RecordBatch, constants: Mapping[str, str | None]) -> pa.RecordBatch:
        """The rows of the engine's batch for which all filters hold. ``constants``: as ``Caster.cast``."""
        holds = mask(self.filters, self.caster.cast(batch, constants))
        return batch if holds.true_count == batch.num_rows else batch.filter(holds)


class FilteringReader(FormatReader):
    """A reader that Spark may leave filters to."""

    def pushFilters(self, filters: list[Filter]) -> Iterable[Filter]:  # noqa: N802
        """Takes the filters that ``filters.mask`` decides exactly as Spark would; gives back the others."""
        kinds = {
            each.field.name: kind for each, kind in zip(self.targets, Caster(self.targets).schema.types, strict=True)
        }
        for each in filters:
            name = column_of(each)
            if name in kinds and is_exact(each, kinds[name]):
                self.filters.append(each)
            else:
                yield each


def is_wanted(
    source: Input, format: Format, options: ReadOptions, targets: Sequence[Target], filters: Sequence[Filter]
) -> bool:
    """Whether the filters on what a path says let the file's rows through."""
    of_path = (PATH, *format.path_columns)
    by_path = {each.field.name for each in targets if each.source is None or each.source in of_path}
    chosen = Selection.of([each for each in filters if column_of(each) in by_path], targets)
    if not chosen.filters:
        return True
    names = [each.source for each in chosen.caster.targets if each.source is not None]
    row = Layout(format, tuple(dict.fromkeys(names)) or (PATH,)).builder(source.path).constant_row()
    return bool(chosen.rows(row, constants_of(source.path, options)).num_rows)
