meta: {id: journal_export, encoding: UTF-8, -wireloom: {rows: entries, columns: [fields]}}
seq:
  - {id: entries, type: entry, repeat: eos}
types:
  entry:
    seq:
      - {id: fields, type: field, repeat: until, repeat-until: _.line.name == ""}
  field:
    seq:
      - {id: line, type: line, terminator: 10}
      - {id: len, type: u8le, if: is_binary}
      - {id: data, size: len, if: is_binary}
      - {id: end, contents: "\n", if: is_binary}
    instances:
      is_binary: {value: 'line.name != "" and line.equals != 0x3d'}
  line:
    seq:
      - {id: name, type: strz, terminator: 0x3d, eos-error: false, consume: false}
      - {id: equals, type: u1, valid: 0x3d, if: not _io.eof}
      - {id: value, type: str, size-eos: true, if: equals == 0x3d}
