meta:
  id: jetstream
  endian: le
  -wireloom: {rows: records, columns: [has_headers, sequence, at, subject, headers, data, hash]}
seq:
  - {id: records, type: record, repeat: eos}
types:
  record:
    seq:
      - {id: len, type: b31le}
      - {id: has_headers, type: b1le}
      - {id: sequence, type: u8}
      - {id: at, type: s8, -wireloom: {timestamp: ns}}
      - {id: len_subject, type: u2}
      - {id: subject, size: len_subject, type: str, encoding: UTF-8}
      - {id: len_headers, type: u4, if: has_headers}
      - {id: headers, size: len_headers, if: has_headers}
      - {id: data, size: 'len - 30 - len_subject - (has_headers ? 4 + len_headers : 0)'}
      - {id: hash, size: 8}
