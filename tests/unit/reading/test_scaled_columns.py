"""Formats whose numbers are scaled: MAVLink's messages of positions, and records as a FIT file has them."""

from __future__ import annotations

import struct
from typing import Any

import wireloom
from wireloom import Format

from ...differential.agreement import agreed
from ..columns_backend.specs import format_of

MAVLINK = """
meta:
  id: sample
  endian: le
  -wireloom:
    rows: frames
    where: msgid == 33 or msgid == 30
    columns: [sysid, kind, time, lat, lon, alt, hdg, climbs, roll, chosen]
seq: [{id: frames, type: frame, repeat: eos}]
types:
  frame:
    seq:
      - {id: magic, contents: [0xfe]}
      - {id: len, type: u1}
      - {id: seq, type: u1}
      - {id: sysid, type: u1}
      - {id: compid, type: u1}
      - {id: msgid, type: u1}
      - {id: position, type: position, size: len, if: msgid == 33}
      - {id: attitude, type: attitude, size: len, if: msgid == 30}
      - {id: other, size: len, if: msgid != 33 and msgid != 30}
      - {id: crc, type: u2}
    instances:
      kind: {value: 'msgid == 33 ? "position" : msgid == 30 ? "attitude" : "other"'}
      time: {value: '(msgid == 33 ? position.time_boot_ms : attitude.time_boot_ms) / 1e3'}
      lat: {value: position.lat_raw * 1e-7}
      lon: {value: position.lon_raw * 1e-7}
      alt: {value: position.alt_mm / 1000.0, if: msgid == 33}
      hdg: {value: position.hdg_raw * 0.01, if: msgid == 33 and position.hdg_raw != 65535}
      climbs: {value: position.vz * -0.01 > 0.5, if: msgid == 33}
      roll: {value: attitude.roll * 57.29577951308232, if: msgid == 30}
      chosen: {value: 'msgid == 33 ? position.lat_raw * 1e-7 : attitude.pitch'}
  position:
    seq:
      - {id: time_boot_ms, type: u4}
      - {id: lat_raw, type: s4}
      - {id: lon_raw, type: s4}
      - {id: alt_mm, type: s4}
      - {id: relative, type: s4}
      - {id: vx, type: s2}
      - {id: vy, type: s2}
      - {id: vz, type: s2}
      - {id: hdg_raw, type: u2}
  attitude:
    seq:
      - {id: time_boot_ms, type: u4}
      - {id: roll, type: f4}
      - {id: pitch, type: f4}
      - {id: yaw, type: f4}
"""

FIT = """
meta:
  id: sample
  endian: le
  -wireloom:
    rows: records
    where: kind == 0
    parent-columns: [version, data_type]
    columns: [time, lat, lon, altitude, heart_rate, power]
seq:
  - {id: len_header, type: u1}
  - {id: protocol, type: u1}
  - {id: profile, type: u2}
  - {id: len_data, type: u4}
  - {id: data_type, type: str, size: 4, encoding: ASCII}
  - {id: records, type: record, repeat: eos}
instances:
  version: {value: profile / 100.0}
types:
  record:
    seq:
      - {id: kind, type: u1}
      - {id: definition, size: 20, if: kind == 0x40}
      - {id: data, type: data, if: kind == 0}
    instances:
      time: {value: data.seconds + 631065600, if: kind == 0, -wireloom: {timestamp: {unit: s, zone: UTC}}}
      lat: {value: data.lat_raw * (180 / 2147483648.0), if: kind == 0 and data.lat_raw != 0x7fffffff}
      lon: {value: data.lon_raw * (180 / 2147483648.0), if: kind == 0 and data.lon_raw != 0x7fffffff}
      altitude: {value: data.altitude_raw / 5.0 - 500, if: kind == 0 and data.altitude_raw != 0xffff}
      heart_rate: {value: data.rate, if: kind == 0 and data.rate != 255}
      power: {value: (data.rate * 1.5).to_i, if: kind == 0}
  data:
    seq:
      - {id: seconds, type: u4}
      - {id: lat_raw, type: s4}
      - {id: lon_raw, type: s4}
      - {id: altitude_raw, type: u2}
      - {id: rate, type: u1}
"""


def _frame(number: int, msgid: int, payload: bytes) -> bytes:
    return bytes([0xFE, len(payload), number & 255, 1, 1, msgid]) + payload + bytes(2)


def _read_by_both(format: Format, data: bytes) -> list[dict[str, Any]]:
    assert format.engine_refusal is None
    assert not any(each.engine_refusal for each in format.columns)
    agreed(format, data)
    agreed(format, data, window=50)
    rows: list[dict[str, Any]] = wireloom.read(format, data).to_pylist()
    return rows


def test_positions_and_attitudes_of_mavlink() -> None:
    data = b""
    for number in range(300):
        lat, heading = 473977418 - number * 1001, 65535 if number % 7 == 0 else number * 100
        position = struct.pack("<IiiiihhhH", number * 20, lat, -85455939, 488200 + number, 12, 1, 2, -number, heading)
        data += _frame(number, 33, position) + _frame(number, 0, bytes(9))
        data += _frame(number, 30, struct.pack("<Ifff", number * 20 + 1, 0.1 * number, -0.25, 3.0))
    rows = _read_by_both(format_of(MAVLINK), data)
    assert len(rows) == 600
    assert rows[2] == {
        "sysid": 1, "kind": "position", "time": 0.02, "lat": 473976417 * 1e-7, "lon": -85455939 * 1e-7, "alt": 488.201,
        "hdg": 1.0, "climbs": False, "roll": None, "chosen": 473976417 * 1e-7,
    }  # fmt: skip
    roll = struct.unpack("<f", struct.pack("<f", 0.1))[0] * 57.29577951308232
    assert rows[3] == {
        "sysid": 1, "kind": "attitude", "time": 0.021, "lat": None, "lon": None, "alt": None,
        "hdg": None, "climbs": None, "roll": roll, "chosen": -0.25,
    }  # fmt: skip


def test_records_of_fit() -> None:
    data = struct.pack("<BBHI4s", 12, 16, 2132, 0, b".FIT") + b"\x40" + bytes(20)
    for number in range(200):
        lat = 0x7FFFFFFF if number % 5 == 0 else 500_000_000 + number
        data += b"\0" + struct.pack("<IiiHB", 1_000_000_000 + number, lat, -(1 << 30), 2600 + number, number)
    rows = _read_by_both(format_of(FIT), data)
    first, second = rows[:2]
    assert len(rows) == 200
    assert (first["version"], first["data_type"], first["lat"]) == (21.32, ".FIT", None)
    assert second["lat"] == 500_000_001 * (180 / 2147483648.0)
    assert (second["lon"], second["altitude"], second["heart_rate"], second["power"]) == (-90.0, 2601 / 5.0 - 500, 1, 1)
    assert second["time"].isoformat() == "2021-09-08T01:46:41+00:00"
