"""What generated classes declare: slots, names in order, and constructors."""

from pathlib import Path

import pytest
from wireloom.formats.edgemq_segment.parser import EdgemqSegment
from wireloom.objects import UNSET, Struct, kept

from .compiling import made

WRONG = """
from wireloom.formats.edgemq_segment.parser import EdgemqSegment

EdgemqSegment.Frame(tenant=1, payload=b"x")
EdgemqSegment.Frame(tenant="one")
EdgemqSegment.Frame(tenat=1)
"""


class Pair(Struct):
    left: int = UNSET
    right: int = UNSET
    _m_sum: int = kept(init=False)


def test_fields_have_slots_and_an_order():
    assert Pair._fields == ("left", "right")
    assert Pair.__slots__ == ("left", "right", "_m_sum")
    pair = Pair(left=1)
    assert vars(pair) == {}
    assert not hasattr(pair, "right")


def test_constructors_take_fields_by_name_and_in_order():
    assert Pair(left=1, right=2) == Pair(None, None, None, 1, 2)
    assert not hasattr(Pair(left=1), "right")
    for wrong in ({"middle": 1}, {"_m_sum": 1}):
        with pytest.raises(TypeError, match="has no field"):
            Pair(**wrong)


def test_one_with_parameters_takes_them_first():
    kind = made("types: {a: {params: [{id: n, type: u1}], seq: [{id: data, size: n}]}}").A
    value = kind(2, data=b"ab")
    assert (value.n, value.data) == (2, b"ab")


@pytest.mark.slow
@pytest.mark.xdist_group("type checker")
def test_a_type_checker_knows_constructors(tmp_path: Path, mypy):
    (tmp_path / "wrong.py").write_text(WRONG)
    lines = mypy(tmp_path, "wrong.py").splitlines()
    found = [line.split(":")[1] for line in lines if line.startswith("wrong.py") and "error" in line]
    assert found == ["5", "6"], lines
    assert EdgemqSegment.Frame(tenant=1, payload=b"x").tenant == 1
