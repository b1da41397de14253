meta:
  id: sqlite_wal
  endian: be
  -wireloom:
    rows: frames
    parent-columns: [version, page_size, checkpoint, salt1, salt2, first_sum, second_sum]
    columns: [head, frame_salt1, frame_salt2, words]
seq:
  - {id: magic, contents: [0x37, 0x7f, 0x06, 0x82]}
  - {id: version, type: u4}
  - {id: page_size, type: u4, -wireloom: {given: true}}
  - {id: checkpoint, type: u4}
  - {id: salt1, type: u4}
  - {id: salt2, type: u4}
  - {id: sums, type: sums}
  - {id: frames, type: frame, repeat: eos}
instances:
  first_sum: {value: sums.sum1}
  second_sum: {value: sums.sum2}
  low: {value: 0, -wireloom: {variable: true}}
  high: {value: 0, -wireloom: {variable: true}}
types:
  sums:
    seq:
      - {id: sum1, type: u4, -wireloom: {default: 0}}
      - {id: sum2, type: u4, -wireloom: {default: 0}}
    instances:
      begin: {value: sum1, -wireloom: {sets: _root.low}}
      begin_too: {value: sum2, -wireloom: {sets: _root.high}}
  frame:
    seq:
      - {id: head, type: pair}
      - {id: frame_salt1, type: u4}
      - {id: frame_salt2, type: u4}
      - {id: sum1, type: u4, -wireloom: {checksum: {value: _root.low, over: words}}}
      - {id: sum2, type: u4, -wireloom: {checksum: {value: _root.high, over: words}}}
      - {id: words, type: pair, repeat: expr, repeat-expr: _root.page_size / 8}
  pair:
    seq: [{id: one, type: u4le}, {id: two, type: u4le}]
    instances:
      low: {value: (_root.low + one + _root.high) & 0xffffffff, -wireloom: {sets: _root.low}}
      high: {value: (_root.high + two + _root.low) & 0xffffffff, -wireloom: {sets: _root.high}}
