"""``python make.py``: writes the files beside it with ``python-bitcoinlib``: the first block of the main network, which
the library has, and blocks of a network for tests that it serialises."""

import json
import random
import struct
from pathlib import Path

from bitcoin import SelectParams, params
from bitcoin.core import (
    CBlock,
    CMutableTransaction,
    COutPoint,
    CTransaction,
    CTxIn,
    CTxInWitness,
    CTxOut,
    CTxWitness,
)
from bitcoin.core.script import CScript, CScriptWitness

HERE = Path(__file__).parent
SOURCE = random.Random(8)


def transaction(inputs: int, outputs: int, *, witnesses: bool) -> CTransaction:
    spent = [
        CTxIn(
            COutPoint(SOURCE.randbytes(32), number), CScript(SOURCE.randbytes(SOURCE.choice((0, 30, 260)))), 0xFFFFFFFE
        )
        for number in range(inputs)
    ]
    paid = [CTxOut(SOURCE.randrange(1 << 40), CScript(SOURCE.randbytes(25))) for _ in range(outputs)]
    made = CMutableTransaction(spent, paid, SOURCE.randrange(500), 2)
    if witnesses:
        items = [
            CScriptWitness([SOURCE.randbytes(size) for size in (0, 72, 33)[: 1 + number % 3]])
            for number in range(inputs)
        ]
        made.wit = CTxWitness([CTxInWitness(each) for each in items])
    return CTransaction.from_tx(made)


def blocks() -> list[CBlock]:
    found = []
    for number, count in enumerate((1, 3, 9)):
        transactions = [transaction(1 + each % 3, 1 + each % 4, witnesses=each % 2 == 1) for each in range(count)]
        previous = found[-1].GetHash() if found else params.GENESIS_BLOCK.GetHash()
        root = CBlock.build_merkle_tree_from_txs(transactions)[-1]
        found.append(CBlock(0x20000000, previous, root, 1_600_000_000 + number, 0x207FFFFF, number, transactions))
    return found


def stored(found: list[CBlock]) -> bytes:
    return b"".join(
        params.MESSAGE_START + struct.pack("<I", len(each.serialize())) + each.serialize() for each in found
    )


def rows(content: bytes) -> dict[str, list[dict[str, object]]]:
    """Return the rows of each table, as the library reads the blocks."""
    tables: dict[str, list[dict[str, object]]] = {"": [], "transactions": [], "outputs": []}
    begin = 0
    while content[begin : begin + 4] == params.MESSAGE_START:
        end = begin + 8 + int.from_bytes(content[begin + 4 : begin + 8], "little")
        block = CBlock.deserialize(content[begin + 8 : end])
        begin = end
        head = {
            "hash": block.GetHash().hex(),
            "version": block.nVersion,
            "prev_hash": block.hashPrevBlock.hex(),
            "merkle_root": block.hashMerkleRoot.hex(),
        }
        head |= {"time": block.nTime, "bits": block.nBits, "nonce": block.nNonce, "num_transactions": len(block.vtx)}
        tables[""].append(head)
        for each in block.vtx:
            ins = [
                {"tx_hash": of.prevout.hash.hex(), "output": of.prevout.n, "script": bytes(of.scriptSig).hex()}
                | {"sequence": of.nSequence}
                for of in each.vin
            ]
            outs = [{"value": to.nValue, "script": bytes(to.scriptPubKey).hex()} for to in each.vout]
            items = [
                {"items": [{"data": bytes(item).hex()} for item in of.scriptWitness.stack]} for of in each.wit.vtxinwit
            ]
            row = {"txid": each.GetTxid().hex(), "version": each.nVersion, "inputs": ins, "outputs": outs}
            row |= {"witnesses": items if each.has_witness() else None, "lock_time": each.nLockTime}
            tables["transactions"].append(row)
            tables["outputs"] += outs
    return tables


def show(name: str, content: bytes, **more: object) -> None:
    (HERE / name).write_bytes(content)
    for table, found in rows(content).items():
        print(json.dumps({"file": name, "rows": found} | ({"table": table} if table else {}) | more), file=cases)


with open(HERE / "cases.jsonl", "w") as cases:
    SelectParams("regtest")
    content = stored(blocks())
    show("regtest.dat", content)
    show("preallocated.dat", content + bytes(1000))
    SelectParams("mainnet")
    show("first.dat", stored([params.GENESIS_BLOCK]))
