"""The problem that is reported for a damaged message, by the engine and by the objects."""

import pytest
import wireloom

from .executions import execution  # noqa: F401


@pytest.mark.usefixtures("execution")
def test_the_record_is_named_whose_tag_is_wrong() -> None:
    record = b"\x0a\x02\x08\x05"
    # The third record has the wire type of a number.
    _, report = wireloom.read_with_report("s2_messages", record + record + b"\x08\x05" + record, check_format=False)
    assert report.files[0].error == (
        "message 1: records[2]: the field has the wire type 0, which does not match its type"
    )
