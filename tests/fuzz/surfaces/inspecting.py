"""The output of ``wireloom inspect`` for raw bytes, in every form; it agrees with the result of reading them."""

import io
import json
from typing import Any

import wireloom
from rich.console import Console
from wireloom import Format, codecs
from wireloom.format import registry
from wireloom.input.expansion import expand
from wireloom.inspecting import (
    MessageScan,
    Painter,
    Record,
    Wanted,
    page,
    page_record,
    record_data,
    record_scan,
    records,
)

from . import formats
from .taking import Taker

TABLES: tuple[tuple[str, dict[str, str]], ...] = (*formats.TABLES[:8], ("s2_session", {}))
"""Tables whose records are shown as they are read; of logs in pieces each piece is shown."""
MANY = 1_000_000
LIMITS = (0, 1, 16, 512)
"""Number of bytes of a record that are shown; 0: all."""


def inspected(format: Format, content: bytes, wanted: Wanted, recover: bool, options: dict[str, Any]) -> list[Record]:
    """Return the requested records, as the command finds them."""
    [source] = expand(content)
    if format.message is not None:
        return list(MessageScan(format, source, wanted, options).shown())
    return list(records(record_scan(format, source, wanted, {**options, "recover": recover})))


def shown(format: Format, found: list[Record], report: Any, limit: int, width: int) -> None:
    """Show them in every form that the command supports."""
    painter = Painter(format, Console(file=io.StringIO(), width=width, markup=False, highlight=False), limit)
    for each in found:
        painter.print(each)
    json.dumps([record_data(format, each, limit) for each in found])
    assert page(format, "some name", report, [page_record(format, each, limit) for each in found])


def check(data: bytes) -> None:
    taker = Taker(data)
    name, options = taker.pick(TABLES)
    format = registry.get(name)
    limit, width, flags = taker.pick(LIMITS), taker.pick((40, 80, 160)), taker.byte()
    wanted = Wanted(
        taker.number(2) * (flags & 1), 1 + taker.byte() * (flags >> 1 & 1), 1 + taker.byte(), bool(flags & 4)
    )
    recover, content = bool(flags & 8) and format.message is None, taker.rest()
    if codecs.detect(content[: codecs.HEAD], "", format.codec) != "none":
        # The command would decompress it first.
        return
    how: dict[str, Any] = {} if format.message else {"recover": recover}
    table, report = wireloom.read_with_report(
        name, content, mode="dropmalformed", codec="none", **how, **options, check_format=False
    )
    [file] = report.files
    everything = inspected(format, content, Wanted(count=MANY, all_damage=True), recover, dict(options))
    damaged = [each for each in everything if each.reason is not None and each.kind != "tail"]
    assert [(each.begin, each.reason) for each in damaged] == [(each.offset, each.reason) for each in file.damaged]
    for each, listed in zip(damaged, file.damaged, strict=True):
        assert each.end == listed.offset + listed.length
    tails = [(each.begin, each.end) for each in everything if each.kind == "tail" and each.data]
    ended = file.tail == "clean" or file.tail_offset == len(content)
    assert tails == ([] if ended else [(file.tail_offset, len(content))])
    for each in everything:
        assert 0 <= each.begin <= each.end <= len(content)
        if each.kind == "record":
            assert each.data == content[each.begin : each.end]
    if format.message is None:
        assert sum(each.kind == "record" and each.reason is None for each in everything) == table.num_rows
    shown(format, inspected(format, content, wanted, recover, dict(options)), file, limit, width)
