meta:
  id: ubx
  endian: le
  -wireloom: {rows: frames, columns: [class, id, body]}
seq:
  - {id: frames, type: frame, repeat: eos}
types:
  frame:
    seq:
      - {id: sync, contents: [0xb5, 0x62]}
      - {id: class, type: u1}
      - {id: id, type: u1}
      - {id: len, type: u2}
      - id: body
        size: len
        type:
          switch-on: class << 8 | id
          cases: {0x103: nav_status, 0x501: ack, 0x601: cfg_msg}
      - {id: sum, type: u2, -wireloom: {checksum: {algorithm: fletcher16-256, over: [class, body]}}}
  nav_status:
    seq:
      - {id: i_tow, type: u4}
      - {id: gps_fix, type: u1}
      - {id: flags, type: u1}
      - {id: fix_stat, type: u1}
      - {id: flags2, type: u1}
      - {id: ttff, type: u4}
      - {id: msss, type: u4}
  ack:
    seq:
      - {id: class, type: u1}
      - {id: id, type: u1}
  cfg_msg:
    seq:
      - {id: class, type: u1}
      - {id: id, type: u1}
      - {id: rates, type: u1, repeat: expr, repeat-expr: 6}
