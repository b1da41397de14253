"""The table of mistakes: the output for each. ``python -m tests.unit.errors.table`` writes ``mistakes.txt``."""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import sys
import tempfile
from pathlib import Path

TABLE = Path(__file__).with_name("mistakes.txt")
GOOD = "meta: {id: good, endian: le, -wireloom: {rows: items}}\nseq: [{id: items, type: item, repeat: eos}]\n"
ITEM = "types: {item: {seq: [{id: number, type: u2}]}}\n"
SPECS = {
    "good": GOOD + ITEM,
    "no_id": "seq: [{id: a, type: u1}]\n",
    "unknown_key": "meta: {id: unknown_key}\nseq: [{id: a, tpye: u1}]\n",
    "unknown_type": "meta: {id: unknown_type}\nseq: [{id: a, type: reocrd}]\n"
    "types: {record: {seq: [{id: b, type: u1}]}}\n",
    "no_endian": "meta: {id: no_endian}\nseq: [{id: a, type: u2}]\n",
    "unknown_name": "meta: {id: unknown_name}\nseq: [{id: len, type: u1}, {id: a, size: lenn}]\n",
    "no_size": "meta: {id: no_size}\nseq: [{id: a}]\n",
    "twice": "meta: {id: twice}\nseq: [{id: a, type: u1}, {id: a, type: u1}]\n",
    "bad_name": "meta: {id: bad_name}\nseq: [{id: A-b, type: u1}]\n",
    "expression": "meta: {id: expression}\nseq: [{id: a, size: 1 +}]\n",
    "kinds": "meta: {id: kinds}\nseq: [{id: a, size: \"'x'\"}]\n",
    "no_rows": "meta: {id: no_rows}\nseq: [{id: a, type: u1}]\n",
    "wrong_rows": GOOD.replace("rows: items", "rows: itmes").replace("id: good", "id: wrong_rows") + ITEM,
    "checksum": "meta: {id: checksum, endian: le}\n"
    "seq: [{id: a, size: 4}, {id: c, type: u4, -wireloom: {checksum: {algorithm: crc33, over: a}}}]\n",
    "codec": GOOD.replace("rows: items", "rows: items, codec: zst").replace("id: good", "id: codec") + ITEM,
    "encoding": "meta: {id: encoding}\nseq: [{id: a, type: str, size: 4, encoding: utf-9}]\n",
    "enum": "meta: {id: enum}\nseq: [{id: a, type: u1, enum: colour}]\n",
    "repeat": "meta: {id: repeat}\nseq: [{id: a, type: u1, repeat: exrp, repeat-expr: 2}]\n",
    "import": "meta: {id: import, imports: [elsewhere]}\nseq: [{id: a, type: u1}]\n",
    "yaml": "meta: {id: yaml\nseq: [\n",
    "list": "- 1\n- 2\n",
    "objects": GOOD.replace("id: good", "id: objects")
    + "types: {item: {seq: [{id: part, type: u1}, {id: data, size: part.to_s.length}, {id: more, type: more}]},\n"
    + "  more: {seq: [{id: n, type: u1, if: false}]}}\n",
    "b12": "meta: {id: b12, -wireloom: {rows: a}}\nseq: [{id: a, type: b12, repeat: eos}]\n",
    "glued": "meta:\n  id: glued\n  endian: le\nseq:\n  - id:sensor\n    type: u2\n",
    "absolute_import": "meta: {id: absolute_import, imports: [/elsewhere]}\nseq: [{id: a, type: elsewhere}]\n",
    "styled": "meta: {id: styled, endian: le, -rows: a}\nseq: [{id: a, type: u1}]\n",
    "importing": "meta: {id: importing, imports: [styled]}\nseq: [{id: a, type: styled}]\n",
}
COMMANDS = """\
decode
decode edgemq_segmnet events.wal
decode events.wal
decode pcap events.wal
decode edgemq_segment missing.wal
decode edgemq_segment empty/
decode edgemq_segment *.nothing
decode edgemq_segment text.txt --mode failfast
decode edgemq_segment events.parquet --mode failfast
decode pcap text.txt
decode mcap text.txt
decode bitcoin_blocks text.txt
decode edgemq_segment events.wal --columns tenant,payloda
decode edgemq_segment events.wal --mode strict
decode edgemq_segment events.wal --to xlsx
decode edgemq_segment events.wal --bytes base65
decode edgemq_segment events.wal --limit many
decode edgemq_segment events.wal --region
decode edgemq_segment events.wal --table frames
decode edgemq_segment events.wal --option max_recrod=5
decode edgemq_segment events.wal --option max_record=big
decode edgemq_segment events.wal --option max_record
decode edgemq_segment events.wal --colums tenant
decode edgemq_segment events.wal -o nowhere/out.parquet
decode edgemq_segment events.wal -o out.xlsx
decode edgemq_segment damaged.wal --mode failfast
decode edgemq_segment s3://
decode edgemq_segment carrier://host/events.wal
decode missing.ksy events.wal
decode no_rows.ksy events.wal
head no_rows.ksy events.wal
count no_rows.ksy events.wal
encode edgemq_segment missing.ndjson -o out.wal
encode edgemq_segment text.txt -o out.wal
encode edgemq_segment rows_of_others.ndjson -o out.wal
encode edgemq_segment rows_too_large.ndjson -o out.wal
encode good.ksy rows_of_fractions.ndjson -o out.bin
encode mcap rows_of_others.ndjson -o out.mcap
encode edgemq_segment rows_of_others.ndjson
verify edgemq_segment missing.wal
verify edgemq_segment damaged.wal
inspect edgemq_segment missing.wal
inspect edgemq_segmnet events.wal
inspect events.wal
dump missing.ksy events.wal
studio
studio good.ksy
studio edgemq_segment events.wal
studio missing.ksy events.wal
studio good.ksy missing.bin
studio good.ksy .
studio good.ksy events.wal --option foo=1
studio good.ksy events.wal --option codec=foo
check objects.ksy --writing
check empty/
check text.txt
diff missing.ksy good.ksy
import-proto missing.proto -o made.ksy
import-proto text.txt -o made.ksy
generate good.ksy -o text.txt
generate --kaitai good.ksy -o text.txt
schema edgemq_segmnet
ingest edgemq_segment events.wal
schema --format xlsx
reference atribute.size
new 9lives
generate nothing.ksy
generate --kaitai good.ksy
decod edgemq_segment events.wal
"""


def mistakes() -> list[str]:
    """Return the command line of each."""
    return [*(f"check {name}.ksy" for name in SPECS if name not in ("good", "no_rows")), *COMMANDS.splitlines()]


def prepare(folder: Path) -> None:
    """Create the files that the command lines name."""
    import wireloom
    from wireloom.demo import sample

    for name, text in SPECS.items():
        (folder / f"{name}.ksy").write_text(text)
    sample(folder / "events.wal", 20)
    data = bytearray((folder / "events.wal").read_bytes())
    data[40] ^= 0xFF
    (folder / "damaged.wal").write_bytes(data)
    (folder / "text.txt").write_text("2026-03-02 06:00:00 INFO started\n" * 9)
    (folder / "empty").mkdir()
    (folder / "rows_of_others.ndjson").write_text('{"number": 1}\n')
    (folder / "rows_of_fractions.ndjson").write_text('{"number": 1}\n{"number": 1.5}\n')
    (folder / "rows_too_large.ndjson").write_text('{"fmt": 256, "tenant": 1, "ts": 0, "payload": ""}\n')
    (folder / "events.parquet").write_bytes(b"PAR1" + bytes(60) + b"PAR1")
    assert wireloom.read("edgemq_segment", folder / "events.wal").num_rows == 20


def without_folder(text: str) -> str:
    """Return a text without the name of the folder in which the table is created."""
    return re.sub(r"[^\s'\"]*/mistakes-\w+/", "", text)


def printed(command: str) -> str:
    """Return the output of a command line in the current folder, and its exit code."""
    from wireloom.command import main

    out = io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True)
    code: object = 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        try:
            main(shlex.split(command))
        except SystemExit as end:
            code = end.code
    lines = without_folder(out.buffer.getvalue().decode("utf-8", "replace")).rstrip().splitlines()
    return "".join(f"    {line}".rstrip() + "\n" for line in lines) + f"    exit code {code}\n"


def table() -> str:
    """Return the whole table, as in ``mistakes.txt``."""
    with tempfile.TemporaryDirectory(prefix="mistakes-") as name, contextlib.chdir(name):
        prepare(Path(name))
        return "\n".join(f"$ wireloom {command}\n{printed(command)}" for command in mistakes())


if __name__ == "__main__":
    os.environ.update(COLUMNS="100", TERM="dumb", NO_COLOR="1")
    TABLE.write_text(table(), "utf-8")
    sys.stdout.write(f"{len(mistakes())} mistakes\n")
