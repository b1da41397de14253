"""The hashes of Bitcoin's blocks and transactions, which their files do not contain: against what other blocks say."""

import hashlib
from itertools import pairwise
from pathlib import Path

import pytest
import wireloom

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
