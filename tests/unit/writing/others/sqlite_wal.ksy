meta:
  id: sqlite_wal
  endian: be
  -wireloom:
    rows: frames
    parent-columns: [magic, version, page_size, checkpoint, wal_salt1, wal_salt2, wal_sum1, wal_sum2]
    columns: [page, size, salt1, salt2, sum1, sum2, data]
seq:
  - {id: magic, type: u4, valid: {any-of: [0x377f0682, 0x377f0683]}, -wireloom: {default: 0x377f0682}}
  - {id: version, type: u4, -wireloom: {default: 3007000}}
  - {id: page_size, type: u4, -wireloom: {default: 4096}}
  - {id: checkpoint, type: u4, -wireloom: {default: 0}}
  - {id: wal_salt1, type: u4, -wireloom: {default: 1}}
  - {id: wal_salt2, type: u4, -wireloom: {default: 2}}
  - {id: wal_sum1, type: u4, -wireloom: {default: 0}}
  - {id: wal_sum2, type: u4, -wireloom: {default: 0}}
  - {id: frames, type: frame, repeat: eos}
types:
  frame:
    seq:
      - {id: page, type: u4}
      - {id: size, type: u4}
      - {id: salt1, type: u4}
      - {id: salt2, type: u4}
      - {id: sum1, type: u4}
      - {id: sum2, type: u4}
      - {id: data, size: _root.page_size}
