meta:
  id: warc
  encoding: UTF-8
  -wireloom:
    rows: records
    columns: [headers, block]
    selectable: [version]
seq:
  - {id: records, type: record, repeat: eos}
types:
  record:
    seq:
      - id: version
        type: str
        size: 8
        valid: {any-of: ['"WARC/1.0"', '"WARC/1.1"']}
        -wireloom: {default: '"WARC/1.0"'}
      - {id: cr, contents: "\r"}
      - id: headers
        type: header
        terminator: 0x0d
        repeat: until
        repeat-until: _.name == ""
        -wireloom: {map: {key: name, value: value}}
      - {id: lf, contents: "\n"}
      - {id: block, size: content_length}
      - {id: end, contents: "\r\n\r\n"}
    instances:
      content_length: {value: -1, -wireloom: {variable: true}}
  header:
    seq:
      - {id: lf, contents: "\n"}
      - {id: name, type: strz, terminator: 0x3a, consume: false, eos-error: false}
      - {id: separator, contents: ": ", if: name != ""}
      - {id: value, type: str, size-eos: true}
    instances:
      found:
        value: 'name == "Content-Length" ? value.to_i : _parent.content_length'
        -wireloom: {sets: _parent.content_length}
