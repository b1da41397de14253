meta:
  id: dnstap
  endian: be
  encoding: UTF-8
  -wireloom: {rows: frames, columns: [control, data]}
seq:
  - {id: frames, type: frame, repeat: eos}
types:
  frame:
    seq:
      - {id: len, type: u4, -wireloom: {default: 0}}
      - {id: len_control, type: u4, if: len == 0}
      - {id: control, type: control, size: len_control, if: len == 0}
      - {id: data, type: dnstap, size: len, if: len != 0}
  control:
    seq:
      - {id: type, type: u4}
      - {id: fields, type: control_field, repeat: eos}
  control_field:
    seq:
      - {id: type, type: u4}
      - {id: len, type: u4, -wireloom: {default: 0}}
      - {id: content, size: len}
  dnstap:
    -wireloom:
      message:
        syntax: proto2
        fields:
          - {id: identity, type: bytes, number: 1}
          - {id: version, type: bytes, number: 2}
          - {id: message, type: dns_message, number: 14}
          - {id: type, type: uint32, number: 15}
  dns_message:
    -wireloom:
      message:
        syntax: proto2
        fields:
          - {id: type, type: uint32, number: 1}
          - {id: family, type: uint32, number: 2}
          - {id: protocol, type: uint32, number: 3}
          - {id: query_address, type: bytes, number: 4}
          - {id: query_port, type: uint32, number: 6}
          - {id: query_seconds, type: uint64, number: 8}
          - {id: query_nanos, type: fixed32, number: 9}
          - {id: query_message, type: bytes, number: 10}
