"""``python make.py``: lets a server of MariaDB write the files beside it, with what ``mariadb-binlog`` and
``mysql-replication`` find in them. The server's programs have to be in the path."""

import hashlib
import json
import re
import shutil
import struct
import subprocess
import tempfile
import time
from getpass import getuser
from io import BytesIO
from pathlib import Path
from types import SimpleNamespace

from pymysqlreplication.constants import BINLOG
from pymysqlreplication.event import MariadbGtidEvent, QueryEvent, XidEvent
from pymysqlreplication.packet import BinLogPacketWrapper

HERE = Path(__file__).parent
FILES = ("row.bin", "unchecked.bin", "compressed.bin", "in_use.bin")
STATEMENTS = (
    """
    create table item (id int primary key auto_increment, name varchar(40), price decimal(8,2), note blob);
    set session binlog_format=ROW;
    insert into item (name, price, note) values ('apple', 1.25, 'red'), ('pear', 2.5, null);
    insert into item (name, note) values ('plum', repeat('x', 300));
    begin; update item set price = price + 1 where id < 3; delete from item where id = 2; commit;
    set session binlog_format=STATEMENT;
    insert into item (name, price) values ('statement', 7);
    set @u = 'user variable'; insert into item (name) values (@u), (rand(3));
    flush binary logs;
    """,
    """
    set session binlog_format=ROW; insert into item (name, price) values ('unchecked', 1);
    set session binlog_format=STATEMENT; insert into item (name, price) values ('statement', 2);
    flush binary logs;
    """,
    """
    set session binlog_format=ROW;
    insert into item (name, note) values ('squeezed', repeat('abc', 400));
    update item set note = repeat('def', 300) where name = 'squeezed';
    delete from item where name = 'squeezed';
    set session binlog_format=STATEMENT;
    create table other (a int, b varchar(200)) comment = 'long enough: compressed, compressed, compressed';
    flush binary logs;
    """,
    "set session binlog_format=ROW; insert into item (name) values ('last');",
)
SETTINGS = (
    "create database shop",
    "set global binlog_checksum=NONE",
    "set global binlog_checksum=CRC32; set global log_bin_compress=ON; set global log_bin_compress_min_len=10",
    "set global log_bin_compress=OFF",
)
"""What is set before the statements of each file; a change of the checksum begins a file of its own."""


def shown(data: bytes) -> str:
    return data.hex() if len(data) <= 1000 else f"sha256:{hashlib.sha256(data).hexdigest()}"


def serve(folder: Path) -> list[Path]:
    """The logs of a server in a new folder, the last of them while the server has it open."""
    own = ["--no-defaults", f"--datadir={folder}/data", f"--user={getuser()}"]
    subprocess.run(["mariadb-install-db", *own, "--auth-root-authentication-method=normal"], check=True, stdout=-3)
    arguments = [f"--socket={folder}/socket", "--skip-networking", f"--log-bin={folder}/log", "--server-id=7"]
    server = subprocess.Popen(["mariadbd", *own, *arguments, "--binlog-checksum=CRC32"], stderr=-3)
    client = ["mariadb", "--no-defaults", f"--socket={folder}/socket", "--user=root"]
    try:
        while subprocess.run([*client, "-e", "select 1"], stdout=-3, stderr=-3).returncode:
            assert server.poll() is None
            time.sleep(0.2)
        logs = []
        for number, (settings, statements) in enumerate(zip(SETTINGS, STATEMENTS, strict=True)):
            subprocess.run([*client, "-e", settings], check=True)
            logs.append(max(folder.glob("log.0*")))
            subprocess.run([*client, "shop", "-e", statements], check=True)
            if number == len(STATEMENTS) - 1:
                shutil.copy(logs[-1], folder / "in_use")
                logs[-1] = folder / "in_use"
        return logs
    finally:
        server.terminate()
        server.wait()


TYPES = {each: name for name, each in vars(BINLOG).items() if "_EVENT" in name and not name.startswith("INTVAR_")}
OTHERS = {
    5: "intvar",
    19: "table_map",
    30: "write_rows",
    31: "update_rows",
    32: "delete_rows",
    162: "gtid",
    163: "gtid_list",
    165: "query_compressed",
    166: "write_rows_compressed_v1",
    167: "update_rows_compressed_v1",
    168: "delete_rows_compressed_v1",
}
"""Types that ``mysql-replication`` does not know, or calls otherwise."""


def name_of(number: int) -> str:
    return OTHERS.get(number) or TYPES[number].removeprefix("MARIADB_").replace("_EVENT", "").lower()


def head_of(event: bytes, kinds: tuple[type, ...] = (), checked: bool = False) -> BinLogPacketWrapper:
    connection = SimpleNamespace(charset="utf8mb4", _get_dbms=lambda: "mariadb")
    packet = SimpleNamespace(read=BytesIO(b"\0" + event).read)
    packet.advance = packet.read
    none = [None] * 4
    return BinLogPacketWrapper(
        packet, {}, connection, (10, 11), checked, kinds, *none, False, False, False, None, False
    )


def events(path: Path) -> list[dict[str, object]]:
    """Return the events: positions and checksums as ``mariadb-binlog`` prints them, heads as ``mysql-replication``
    reads them."""
    content = path.read_bytes()
    text = subprocess.run(["mariadb-binlog", "--no-defaults", path], check=True, capture_output=True, text=True).stdout
    begins = [int(each) for each in re.findall(r"^# at (\d+)$", text, re.M)]
    found = re.findall(r"server id (\d+) +end_log_pos (\d+) (?:CRC32 0x(\w+))?", text)
    told = {int(end): (int(server), crc) for server, end, crc in found}
    has_checksums = any(crc for _, crc in list(told.values())[1:])
    rows = []
    for begin, end in zip(begins, [*begins[1:], len(content)], strict=True):
        event = content[begin:end]
        head = head_of(event)
        server, crc = told.get(end, (7, ""))
        assert (head.server_id, head.event_size) == (server, len(event))
        assert not crc or int.from_bytes(event[-4:], "little") == int(crc, 16)
        checked = has_checksums or begin == 4
        rows.append(
            {
                "timestamp": head.timestamp,
                "type": name_of(head.event_type),
                "server_id": head.server_id,
                "event_size": head.event_size,
                "log_pos": head.log_pos,
                "flags": head.flags,
                "data": shown(event[19:-4] if checked else event[19:]),
            }
        )
    return rows


PARTS = {
    "queries": (
        QueryEvent,
        lambda each: {
            "thread_id": each.slave_proxy_id,
            "execution_time": each.execution_time,
            "error_code": each.error_code,
            "ofs_schema": 13 + each.status_vars_length,
            "len_schema": each.schema_length,
        },
    ),
    "gtids": (
        MariadbGtidEvent,
        lambda each: {"domain_id": int(each.gtid.split("-")[0]), "seq_no": int(each.gtid.split("-")[2])},
    ),
    "xids": (XidEvent, lambda each: {"xid": each.xid}),
}


def parts(path: Path) -> dict[str, list[dict[str, object]]]:
    """Return the content of events of some kinds as ``mysql-replication`` reads it, and the tables of rows as
    ``mariadb-binlog`` prints them."""
    content, found = path.read_bytes(), {name: [] for name in PARTS}
    begin, checked = 4, path.name != "unchecked.bin"
    while begin < len(content):
        end = begin + int.from_bytes(content[begin + 9 : begin + 13], "little")
        for name, (kind, shows) in PARTS.items():
            event = head_of(content[begin:end], (kind,), checked).event
            if event is not None:
                found[name].append(shows(event))
        begin = end
    text = subprocess.run(["mariadb-binlog", "--no-defaults", path], check=True, capture_output=True, text=True).stdout
    found["table_maps"] = [
        {"table_id": int(each)} for each in re.findall(r"Table_map: .* mapped to number (\d+)", text)
    ]
    rows = re.findall(r"\t(Write|Update|Delete)_rows: table id (\d+)", text)
    found["rows"] = [{"type": f"{kind.lower()}_rows_v1", "table_id": int(table)} for kind, table in rows]
    return found


def old(name: str) -> list[dict[str, object]]:
    """As servers before 5.6 write it, without any checksum: a description of 27 types, a statement, the next file."""
    statement = struct.pack("<IIBHH", 0, 0, 4, 0, 0) + b"shop\0" + b"insert into item values (1)"
    bodies = {
        15: struct.pack("<H50sIB", 4, b"5.5.62-log", 1_500_000_000, 19) + bytes([56, 13, 0, 8, 0, 18, 0] + [4] * 20),
        2: statement,
        4: (4).to_bytes(8, "little") + b"log.000002",
    }
    content, rows = b"\xfebin", []
    for number, body in bodies.items():
        size = 19 + len(body)
        head = (1_500_000_000, number, 3, size, len(content) + size, 0)
        content += struct.pack("<IBIIIH", *head) + body
        names = ("timestamp", "type", "server_id", "event_size", "log_pos", "flags")
        rows.append(dict(zip(names, head, strict=True)) | {"type": name_of(number), "data": shown(body)})
    (HERE / name).write_bytes(content)
    return rows


with tempfile.TemporaryDirectory() as folder, open(HERE / "cases.jsonl", "w") as cases:
    for name, log in zip(FILES, serve(Path(folder)), strict=True):
        shutil.copy(log, HERE / name)
        case = {"file": name, "rows": events(HERE / name)}
        print(json.dumps(case | ({"unchecked": True} if name in ("unchecked.bin", "in_use.bin") else {})), file=cases)
    for name in ("row.bin", "unchecked.bin"):
        for table, rows in parts(HERE / name).items():
            case = {"file": name, "table": table, "rows": rows}
            print(json.dumps(case | ({"unchecked": True} if name == "unchecked.bin" else {})), file=cases)
    rows = events(HERE / "row.bin")
    (HERE / "cut.bin").write_bytes((HERE / "row.bin").read_bytes()[:-20])
    print(json.dumps({"file": "cut.bin", "rows": rows[:-1], "tail": "truncated"}), file=cases)
    print(json.dumps({"file": "old.bin", "rows": old("old.bin"), "unchecked": True}), file=cases)
