import pytest
from wireloom.rows.selected_columns import PathPattern

PATTERN = PathPattern("{region}/{instance_id}/{epoch}/segments/{segment}.wal.zst")


@pytest.mark.parametrize("prefix", ["", "s3://bucket/", "s3://bucket/some/prefix/", "/data/", "C:\\data\\"])
def test_parts_after_any_prefix(prefix: str) -> None:
    assert PATTERN.match(f"{prefix}eu-1/i-07/12/segments/seg-00000001.wal.zst") == {
        "region": "eu-1",
        "instance_id": "i-07",
        "epoch": "12",
        "segment": "seg-00000001",
    }


@pytest.mark.parametrize("ending", [".wal", ".wal.zst", ".wal.gz"])
def test_compression_taken_off_or_changed(ending: str) -> None:
    found = PATTERN.match(f"eu/i/1/segments/seg{ending}")
    assert found["segment"] == "seg"


@pytest.mark.parametrize("path", [None, "", "seg.wal.zst", "eu/i/1/other/seg.wal.zst", "eu/i/1/segments/seg.wal.zst/x"])
def test_a_path_of_another_shape_gives_nulls(path: str | None) -> None:
    assert PATTERN.match(path) == dict.fromkeys(("region", "instance_id", "epoch", "segment"))


def test_parts_between_other_text_and_named_twice() -> None:
    pattern = PathPattern("{day}/log-{number}-{day}.bin")
    assert pattern.match("x/2026-01-02/log-5-2026-01-02.bin") == {"day": "2026-01-02", "number": "5"}
    assert pattern.match("x/2026-01-02/log-5-2026-01-03.bin") == {"day": None, "number": None}
