meta:
  id: s2_messages
  title: Messages of S2
  -wireloom:
    message:
      framing: whole
      option: message
      default: read_batch
      kinds:
        read_batch:
          type: read_batch
          rows: records
          columns: [seq_num, timestamp, headers, body, command]
          unit-columns: [tail]
        append_input:
          type: append_input
          rows: records
          columns: [timestamp, headers, body, command, match_seq_num, fencing_token]
        append_ack:
          type: append_ack
          columns: [start, end, tail]
types:
  stream_position:
    -wireloom:
      message:
        wire-types: refuse
        fields:
          - {id: seq_num, number: 1, type: uint64}
          - {id: timestamp, number: 2, type: uint64}
  header:
    -wireloom:
      message:
        wire-types: refuse
        fields:
          - {id: name, number: 1, type: bytes}
          - {id: value, number: 2, type: bytes}
  append_record:
    -wireloom:
      message:
        wire-types: refuse
        fields:
          - {id: timestamp, number: 1, type: uint64, label: optional}
          - {id: headers, number: 2, type: header, label: repeated}
          - {id: body, number: 3, type: bytes}
    instances:
      command:
        if: headers.size == 1 and headers[0].name.length == 0
        value: headers[0].value.to_s("UTF-8")
  append_input:
    -wireloom:
      message:
        wire-types: refuse
        fields:
          - {id: records, number: 1, type: append_record, label: repeated}
          - {id: match_seq_num, number: 2, type: uint64, label: optional}
          - {id: fencing_token, number: 3, type: string, label: optional}
  append_ack:
    -wireloom:
      message:
        wire-types: refuse
        fields:
          - {id: start, number: 1, type: stream_position}
          - {id: end, number: 2, type: stream_position}
          - {id: tail, number: 3, type: stream_position}
  sequenced_record:
    -wireloom:
      message:
        wire-types: refuse
        fields:
          - {id: seq_num, number: 1, type: uint64}
          - {id: timestamp, number: 2, type: uint64}
          - {id: headers, number: 3, type: header, label: repeated}
          - {id: body, number: 4, type: bytes}
    instances:
      command:
        if: headers.size == 1 and headers[0].name.length == 0
        value: headers[0].value.to_s("UTF-8")
  read_batch:
    -wireloom:
      message:
        wire-types: refuse
        fields:
          - {id: records, number: 1, type: sequenced_record, label: repeated}
          - {id: tail, number: 2, type: stream_position, label: optional}
