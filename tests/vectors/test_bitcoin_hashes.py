"""The hashes of Bitcoin's blocks and transactions, which their files do not contain: against what other blocks say."""

import hashlib
from itertools import pairwise
from pathlib import Path

import pytest
import wireloom
from bitcoin.core import CBlock
from bitcoin.core.serialize import SerializationError
from wireloom.format import registry

from ..examples import strided

HERE = Path(__file__).parent / "bitcoin_blocks"
BLOCK = "000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f"
COINBASE = "4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b"


def twice(data: bytes) -> bytes:
    return hashlib.sha256(hashlib.sha256(data).digest()).digest()


def merkle_root(hashes: list[bytes]) -> bytes:
    while len(hashes) > 1:
        hashes += hashes[-1:] * (len(hashes) % 2)
        hashes = [twice(left + right) for left, right in zip(hashes[::2], hashes[1::2], strict=True)]
    return hashes[0]


def test_the_first_block() -> None:
    (block,) = wireloom.read("bitcoin_blocks", HERE / "first.dat").to_pylist()
    assert block["hash"][::-1].hex() == BLOCK
    columns = ["txid", "wtxid", "hash", "is_segwit"]
    (coinbase,) = wireloom.read("bitcoin_blocks", HERE / "first.dat", table="transactions", columns=columns).to_pylist()
    assert coinbase == {"txid": bytes.fromhex(COINBASE)[::-1], "wtxid": coinbase["txid"], "hash": block["hash"]} | {
        "is_segwit": False
    }


@pytest.mark.parametrize("file", ["first.dat", "regtest.dat"])
def test_chain_and_merkle_roots(file: str) -> None:
    """Each block contains the hash of the one before it, and a hash of the hashes of its transactions, which do not
    cover witnesses."""
    blocks = wireloom.read("bitcoin_blocks", HERE / file).to_pylist()
    assert all(before["hash"] == after["prev_hash"] for before, after in pairwise(blocks))
    columns = ["hash", "txid", "wtxid", "is_segwit"]
    rows = wireloom.read("bitcoin_blocks", HERE / file, table="transactions", columns=columns).to_pylist()
    assert {row["is_segwit"] for row in rows} == ({False} if file == "first.dat" else {False, True})
    assert all((row["txid"] != row["wtxid"]) == row["is_segwit"] for row in rows)
    for block in blocks:
        found = [row["txid"] for row in rows if row["hash"] == block["hash"]]
        assert len(found) == block["num_transactions"]
        assert merkle_root(found) == block["merkle_root"]


@pytest.mark.parametrize("table", ["inputs", "outputs"])
def test_inputs_and_outputs_have_their_transaction(table: str) -> None:
    columns = ["hash", "txid", table]
    rows = wireloom.read("bitcoin_blocks", HERE / "regtest.dat", table="transactions", columns=columns).to_pylist()
    want = [(row["hash"], row["txid"], *each.values()) for row in rows for each in row[table]]
    inner = wireloom.read("bitcoin_blocks", HERE / "regtest.dat", table=table)
    names = ["hash", "txid", *inner.column_names]
    found = wireloom.read("bitcoin_blocks", HERE / "regtest.dat", table=table, columns=names).to_pylist()
    assert [tuple(row.values()) for row in found] == want


@pytest.mark.parametrize("reader", ["", "objects"])
def test_outputs_of_a_cut_transaction_have_no_hash(reader: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """`txid` covers bytes after the outputs: whoever selects it loses the row, and its bytes are in the report."""
    monkeypatch.setenv("WIRELOOM_ENGINE", reader)
    data = bytearray((HERE / "first.dat").read_bytes())
    data[4:8] = (int.from_bytes(data[4:8], "little") - 2).to_bytes(4, "little")  # The block ends in its `lock_time`.
    plain, report = wireloom.read_with_report("bitcoin_blocks", bytes(data[:-2]), table="outputs")
    assert plain.num_rows == 1
    assert [damage.reason for file in report.files for damage in file.damaged] == ["length"]
    hashed, report = wireloom.read_with_report(
        "bitcoin_blocks", bytes(data[:-2]), table="outputs", columns=["value", "txid"]
    )
    assert hashed.num_rows == 0
    assert [damage.reason for file in report.files for damage in file.damaged] == ["value", "length"]


VERIFIED = {"merkle_roots": "verify"}


@pytest.fixture(params=["", "objects"])
def reader(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("WIRELOOM_ENGINE", request.param)
    return str(request.param)


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize("table", ["blocks", "transactions", "inputs", "outputs"])
@pytest.mark.parametrize("file", ["first.dat", "regtest.dat", "preallocated.dat"])
def test_merkle_roots_of_good_blocks(file: str, table: str) -> None:
    plain = wireloom.read("bitcoin_blocks", HERE / file, table=table)
    found, report = wireloom.read_with_report("bitcoin_blocks", HERE / file, table=table, **VERIFIED)
    assert found.equals(plain)
    assert report.clean


def is_valid(block: bytes) -> bool:
    """Return whether python-bitcoinlib reads a block, and its transactions have the merkle root."""
    try:
        found = CBlock.deserialize(block)
        return bool(found.serialize() == block and found.calc_merkle_root() == found.hashMerkleRoot)
    except (SerializationError, ValueError):
        return False


def test_every_bit_of_transactions(reader: str) -> None:
    """A bit is found unless it is in a witness, which the root does not cover (BIP 141)."""
    data, hidden = (HERE / "regtest.dat").read_bytes(), 0
    begins = [each["_offset"] for each in wireloom.read("bitcoin_blocks", data, columns=["_offset"]).to_pylist()]
    step = 61 if reader == "" else 997
    for begin, end in pairwise([*begins, len(data)]):
        # Of the head, the root alone.
        for bit in (
            *strided(range((begin + 44) * 8, (begin + 76) * 8), step),
            *strided(range((begin + 88) * 8, end * 8), step),
        ):
            changed = bytearray(data[begin:end])
            changed[bit // 8 - begin] ^= 1 << bit % 8
            rows, report = wireloom.read_with_report(
                "bitcoin_blocks", bytes(changed), columns=["nonce"], check_format=False, **VERIFIED
            )
            valid = is_valid(bytes(changed[8:]))
            hidden += valid
            assert (rows.num_rows, report.clean) == (valid, valid), bit
    assert hidden


@pytest.mark.usefixtures("reader")
def test_a_transaction_of_another_block() -> None:
    data = bytearray((HERE / "regtest.dat").read_bytes())
    begins = [each["_offset"] for each in wireloom.read("bitcoin_blocks", bytes(data), columns=["_offset"]).to_pylist()]
    data[-1] ^= 1  # The last `lock_time`.
    damage = [(begins[-1], len(data) - begins[-1], "digest")]
    for table in ("blocks", "outputs"):
        everything = wireloom.read("bitcoin_blocks", bytes(data), table=table)
        rows, report = wireloom.read_with_report("bitcoin_blocks", bytes(data), table=table, **VERIFIED)
        assert [(each.offset, each.length, each.reason) for each in report.files[0].damaged] == damage
        assert rows.equals(everything.slice(0, rows.num_rows))
        assert 0 < rows.num_rows < everything.num_rows
        unverified = wireloom.read("bitcoin_blocks", bytes(data), table=table, verify=False, **VERIFIED)
        assert unverified.equals(everything)
    with pytest.raises(wireloom.DamagedInputError, match="digest"):
        wireloom.read("bitcoin_blocks", bytes(data), mode="failfast", **VERIFIED)


@pytest.mark.usefixtures("reader")
def test_repeated_transactions() -> None:
    """As in Bitcoin Core, a block is refused whose root is also that of fewer transactions (CVE-2012-2459)."""
    data = (HERE / "regtest.dat").read_bytes()
    begins = wireloom.read("bitcoin_blocks", data, columns=["_offset"])["_offset"].to_pylist()
    block = CBlock.deserialize(data[begins[1] + 8 : begins[2]])
    longer = CBlock(vtx=[*block.vtx, block.vtx[-1]], nVersion=1, hashMerkleRoot=block.hashMerkleRoot)
    assert longer.calc_merkle_root() == block.hashMerkleRoot
    for each, count in ((block, 1), (longer, 0)):
        content = each.serialize()
        stored = data[:4] + len(content).to_bytes(4, "little") + content
        assert wireloom.read("bitcoin_blocks", stored, check_format=False).num_rows == 1
        assert wireloom.read("bitcoin_blocks", stored, check_format=False, **VERIFIED).num_rows == count


def test_objects_are_written_with_their_merkle_roots() -> None:
    data = (HERE / "regtest.dat").read_bytes()
    blocks = registry.get("bitcoin_blocks").root_class.from_bytes(data)
    for each in blocks.blocks:
        each.merkle_root = bytes(32)
    assert blocks.to_bytes() == data
