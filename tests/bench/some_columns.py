"""Some columns of EdgeMQ's frames without their checksums, compared with all of them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from .data import drain, segment, segment_of
from .measure import Comparison, Work


def comparisons(size: int) -> Iterator[Comparison]:
    for title, each in (("about 200", segment(size)), ("1,000", segment_of(1000, size))):
        full = Work("wireloom, all columns, CRC on", len(each), partial(drain, "edgemq_segment", each))
        two = partial(drain, "edgemq_segment", each, columns=["tenant", "ts"], verify=False)
        title = f"EdgeMQ raw, payloads of {title} bytes, tenant and ts alone, no CRC"
        yield Comparison(title, Work("wireloom", len(each), two), full, target=3)
