"""Registers the data sources of formats with a Spark session."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..base.errors import WireloomError
from ..base.extras import require
from ..format.description import Format

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.datasource import DataSource

    from .source import FormatSource

require("pyspark", "spark", "Spark")
# Whatever of this package is imported, this is first.
importlib.import_module(".versions", __package__).check_version()


def sources() -> list[type[FormatSource]]:
    """Return the data source of every format that has one, by name."""
    from ..format.registry import formats, get

    found: list[type[FormatSource]] = []
    for name in formats():
        try:
            found.append(source_of(get(name)))
        except ModuleNotFoundError:
            continue
        except WireloomError as error:
            # An incompatible installed package must not make the others unavailable.
            warnings.warn(f"{name} is not registered: {error}", stacklevel=3)
    return found


def source_of(format: Format, name: str | None = None) -> type[FormatSource]:
    """Return the data source of a format. A format loaded from a spec file may be given another ``name``."""
    from .read.schema import wire_schema
    from .source import FormatSource

    module = importlib.import_module(f"{format.package}.spark")
    generated: type[FormatSource] = next(
        each
        for each in vars(module).values()
        if isinstance(each, type) and issubclass(each, FormatSource) and each is not FormatSource
    )
    if format is generated.described:
        return generated
    # Of another table, or in memory: Spark pickles a class by reference to its module, which its workers could not
    # import. Classes of the main program are pickled by value, so the format's code is included.
    inside = {
        "__module__": "__main__",
        "described": format,
        "wire_schema": wire_schema(format),
        "name": classmethod(lambda _cls, name=name or format.name: name),
    }
    return type(generated.__name__, (FormatSource,), inside)


_SPECS: dict[str, type[FormatSource]] = {}
"""The sources of specs that were registered in this process, by name."""


def registered_source(name: str) -> type[FormatSource]:
    """Return the data source that is registered under a name. Raises ``UnknownNameError`` if it is not one of
    wireloom's.
    """
    from ..format.registry import get

    return _SPECS[name] if name in _SPECS else source_of(get(name))


def register(spark: SparkSession, *specs: str | Path | Format, allow_modules: Sequence[str] = ()) -> None:
    """Register with a session the data sources of all formats that Spark does not discover by itself, those for streams
    of other services, and the SQL functions of formats of messages (``wireloom.spark.functions.sql``).

    ``specs``: spec files whose formats are registered as well, under their ids. ``allow_modules``: modules whose
    classes these may reference, see ``wireloom.load_spec``; they have to be importable in the workers too.
    """
    from pyspark.errors import AnalysisException

    from ..format.registry import get
    from .functions.sql import register_functions
    from .live.kinesis.source import KinesisStreamSource
    from .live.s2.source import S2StreamSource

    found = [get(each, allow_modules) for each in specs]
    own = sources()
    specs_found = [source_of(each) for each in found]
    discovered: list[type[DataSource]] = [*own, KinesisStreamSource, S2StreamSource]
    for source in discovered:
        try:
            spark.dataSource.register(source)
        except AnalysisException as error:
            # PySpark 4.0 refuses what it has discovered.
            if error.getCondition() != "DATA_SOURCE_ALREADY_EXISTS":
                raise
    for source in specs_found:
        spark.dataSource.register(source)
    _SPECS.update((each.name(), each) for each in specs_found)
    register_functions(spark, [*(each.described for each in own), *found])
