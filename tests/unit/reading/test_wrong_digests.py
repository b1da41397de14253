"""An object whose digest is not that of its metadata: that is said, and nothing else about content that is valid."""

from __future__ import annotations

import gzip
import hashlib
from pathlib import Path

import pytest
import zstandard
from wireloom import ReadReport, Scanner
from wireloom.input.expansion import expand
from wireloom.input.inputs import ObjectInput
from wireloom.input.remote_files import VerifiedStream
from wireloom.reading.request import scan_request

from . import samples

VECTORS = Path(__file__).parents[2] / "vectors"
SEGMENT = samples.frames([b"a", b"b", b"c"])
CONTENTS = {
    "edgemq_segment": SEGMENT,
    "edgemq_segment with zstd": zstandard.compress(SEGMENT),
    "edgemq_segment with gzip": gzip.compress(SEGMENT),
    "word_stuffed_log": samples.word_log([b"a", b"b"]),
    "cobs_log": samples.cobs_log([b"a", b"b"]),
    "pcap": (VECTORS / "pcap/little.pcap").read_bytes(),
    "avro_blocks": (VECTORS / "avro_blocks/null.avro").read_bytes(),
    "leveldb_log": (VECTORS / "leveldb_log/level.log").read_bytes(),
}


def report_of(name: str, content: bytes, digest: str) -> ReadReport:
    [each] = expand(content)
    source = ObjectInput(None, each.size, file=VerifiedStream(each.open(), digest))
    with Scanner(scan_request(name.partition(" ")[0]), [source]) as scanner:
        scanner.read_all()
    return scanner.report


@pytest.mark.parametrize("name", CONTENTS)
def test_a_wrong_digest_is_all_that_is_said(name: str) -> None:
    content = CONTENTS[name]
    right = report_of(name, content, hashlib.sha256(content).hexdigest())
    assert right.clean
    wrong = report_of(name, content, "0" * 64)
    [file] = wrong.files
    assert not file.clean
    assert wrong.rows == right.rows
    assert [(each.offset, each.length, each.reason) for each in file.damaged] == [(file.bytes, 0, "digest")]
    assert (file.tail, file.tail_offset, file.tail_size) == ("clean", right.files[0].tail_offset, 0)
    assert file.error is not None
    assert file.error.startswith("the SHA-256 of the stored bytes is ")
