meta:
  id: mavlink
  endian: le
  -wireloom:
    rows: packets
    columns: [compatible, sequence, system, component, message, heartbeat, system_time, attitude, other]
seq:
  - {id: packets, type: packet, repeat: eos}
instances:
  crc_extra: {-wireloom: {table: {0: 50, 2: 137, 30: 39}}}
types:
  packet:
    seq:
      - {id: magic, contents: [0xfd]}
      - {id: len, type: u1}
      - {id: incompatible, type: u1, valid: 0}
      - {id: compatible, type: u1}
      - {id: sequence, type: u1}
      - {id: system, type: u1}
      - {id: component, type: u1}
      - {id: message, type: b24le}
      - {id: heartbeat, type: heartbeat, size: len, if: message == 0, -wireloom: {codec: zero-trimmed}}
      - {id: system_time, type: system_time, size: len, if: message == 2, -wireloom: {codec: zero-trimmed}}
      - {id: attitude, type: attitude, size: len, if: message == 30, -wireloom: {codec: zero-trimmed}}
      - {id: other, size: len, if: message != 0 and message != 2 and message != 30}
      - id: crc
        type: u2
        -wireloom:
          checksum:
            {algorithm: crc-16/mcrf4xx, over: [len, other], extra: '_root.crc_extra[message]', if: _root.crc_extra.has(message)}
  heartbeat:
    seq:
      - {id: custom_mode, type: u4}
      - {id: type, type: u1}
      - {id: autopilot, type: u1}
      - {id: base_mode, type: u1}
      - {id: system_status, type: u1}
      - {id: version, type: u1}
  system_time:
    seq:
      - {id: unix_us, type: u8}
      - {id: boot_ms, type: u4}
  attitude:
    seq:
      - {id: boot_ms, type: u4}
      - {id: values, type: f4, repeat: expr, repeat-expr: 6}
