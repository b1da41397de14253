"""The stride of a segment, and the options of a reader."""

from typing import Any

import pytest
import wireloom

from . import samples
from .running import ROW_READERS, read
from .segments import PAYLOADS, SEGMENT, flipped

RULES = samples.frames(PAYLOADS, padding=b"\xaa" * 13)


def test_the_stride_is_decided_by_evidence_and_reported() -> None:
    for data, stride in ((SEGMENT, "layout"), (RULES, "rules"), (RULES[:-13], "rules"), (b"", "layout")):
        table, report = wireloom.read_with_report("edgemq_segment", data)
        assert table["payload"].to_pylist() == (PAYLOADS if data else [])
        assert report.files[0].options == {"stride": stride}
        assert report.to_dict()["files"][0]["stride"] == stride
        assert report.clean


def test_the_stride_of_a_segment_whose_first_frame_is_damaged() -> None:
    table, report = wireloom.read_with_report("edgemq_segment", flipped(RULES, 25 + 13 - 10) if PAYLOADS[0] else RULES)
    assert report.files[0].options == {"stride": "rules"}
    assert table.num_rows >= 299


ONE = samples.frame(b"only one")


@pytest.mark.parametrize("row_reader", ROW_READERS)
@pytest.mark.parametrize(
    ("content", "stride", "tail"),
    [
        pytest.param(ONE, "layout", "clean", id="nothing after it"),
        pytest.param(ONE + bytes(13), "rules", "clean", id="as many zeros as the rules say"),
        pytest.param(ONE + b"\xaa" * 13, "layout", "truncated", id="as many bytes with which a frame may begin"),
        pytest.param(flipped(ONE, len(ONE) - 1) + bytes(13), "rules", "clean", id="a damaged frame"),
        pytest.param(ONE + ONE[:13], "layout", "truncated", id="the beginning of a second frame"),
        pytest.param(ONE + bytes(12), "layout", "invalid_length", id="one byte less"),
        pytest.param(ONE + bytes(14), "layout", "invalid_length", id="one byte more"),
        pytest.param(ONE + bytes(13) + ONE, "rules", "clean", id="two frames, the last without them"),
        pytest.param(ONE + bytes(13) + ONE + bytes(13), "rules", "clean", id="two frames"),
        pytest.param(bytes(13), "layout", "invalid_length", id="no frame"),
    ],
)
def test_the_stride_of_one_frame_is_the_one_that_explains_every_byte(
    row_reader: str, content: bytes, stride: str, tail: str
) -> None:
    for how in ({}, *({"streamed": True, "chunk": chunk} for chunk in (1, 20, len(ONE)))):
        _, file = read(row_reader, "edgemq_segment", content, **how)
        assert (file["stride"], file["tail"]) == (stride, tail)


def test_the_stride_can_be_forced() -> None:
    assert wireloom.read("edgemq_segment", RULES, stride="layout").num_rows == 1
    assert wireloom.read("edgemq_segment", RULES, stride="rules").num_rows == 300


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"columns": ["tenent"]}, "unknown column of edgemq_segment 'tenent': did you mean 'tenant'"),
        ({"columns": ["_ofset"]}, "did you mean '_offset'"),
        ({"columns": ["regio"]}, "did you mean 'region'"),
        ({"columns": ["fmt", "fmt"]}, "'fmt' is requested twice"),
        ({"columns": []}, "columns is empty"),
        ({"columns": "fmt"}, "columns must be a list of names"),
        ({"mode": "permisive"}, "unknown mode 'permisive': did you mean 'permissive'"),
        ({"codec": "zst"}, "unknown codec 'zst': did you mean 'zstd'"),
        ({"stride": "rule"}, "unknown value of stride 'rule': did you mean 'rules'"),
        ({"strid": "rules"}, "unknown option of edgemq_segment 'strid': did you mean 'stride'"),
        ({"colums": ["fmt"]}, "unknown option of edgemq_segment 'colums': did you mean 'columns'"),
        ({"batch_rows": 0}, "batch_rows must be a number of at least 1"),
        ({"max_record": -1}, "max_record must be a number of at least 1"),
        ({"max_window": "1"}, "max_window must be a number of at least 1"),
        ({"byte_range": (5, 4)}, "byte_range must be"),
        ({"byte_range": 7}, "byte_range must be a pair"),
    ],
)
def test_what_a_reader_is_told_is_checked(options: dict[str, Any], message: str) -> None:
    with pytest.raises(wireloom.WireloomError, match=message):
        wireloom.scan("edgemq_segment", b"", **options)


def test_an_option_of_another_format() -> None:
    with pytest.raises(wireloom.UnknownNameError, match="unknown option of cobs_log 'stride'"):
        wireloom.scan("cobs_log", b"", stride="rules")
