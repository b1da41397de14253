"""Every format on raw bytes, with every mode and option: the engine and the object parser agree."""

from typing import Any

from wireloom import Format
from wireloom.format import registry

from ...differential.agreement import agreed
from .taking import Taker

TABLES: tuple[tuple[str, dict[str, str]], ...] = (
    ("edgemq_segment", {"stride": "layout"}),
    ("edgemq_segment", {"stride": "rules"}),
    ("edgemq_segment", {}),
    ("word_stuffed_log", {}),
    ("cobs_log", {}),
    ("kpl_aggregated_record", {}),
    ("s2_messages", {"message": "read_batch"}),
    ("s2_messages", {"message": "append_input"}),
    ("s2_messages", {"message": "append_ack"}),
    ("leveldb_log", {}),
    ("leveldb_log", {"table": "changes"}),
    ("prometheus_wal", {}),
    ("prometheus_wal", {"table": "histograms"}),
)
DELIMITED = ("word_stuffed_log", "cobs_log")


def options_of(taker: Taker, format: Format, size: int) -> dict[str, Any]:
    """Return a reader's options. Byte ranges are used only if rows can be found from any position."""
    options: dict[str, Any] = {"mode": taker.pick(("permissive", "dropmalformed", "failfast"))}
    flags = taker.byte()
    if not format.message:
        options["recover"] = bool(flags & 1)
    options["verify"] = not flags & 2
    options["batch_rows"] = taker.pick((65536, 1, 2, 7))
    # For inputs that are one unit, the engine returns rows as they end, objects the whole unit.
    if flags & 4 and (format.message or format.input_format.streaming):
        options["max_record"] = 1 + taker.number(2)
    if flags & 8 and format.name in DELIMITED:
        begin, end = sorted((taker.number(2) % (size + 2), taker.number(2) % (size + 2)))
        options["byte_range"] = (begin, end)
    if flags & 16 and len(format.columns) > 1:
        options["columns"] = [taker.pick(format.columns).name]
    return options


def check(data: bytes) -> None:
    taker = Taker(data)
    name, own = taker.pick(TABLES)
    format = registry.get(name)
    if "table" in own:
        format = format.of_table(own["table"])
    options = options_of(taker, format, len(data))
    agreed(format, taker.rest(), **options, **own)
