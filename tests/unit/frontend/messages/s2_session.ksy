meta:
  id: s2_session
  title: Session of S2
  endian: be
  imports: [s2_messages]
  -wireloom:
    message:
      at: frames.body
      framing: wireloom.s2.session:SessionFraming
      option: message
      default: read_batch
      kinds:
        read_batch:
          type: s2_messages::read_batch
          rows: records
          columns: [seq_num, timestamp, headers, body, command]
          unit-columns: [tail]
        append_input:
          type: s2_messages::append_input
          rows: records
          columns: [timestamp, headers, body, command, match_seq_num, fencing_token]
        append_ack:
          type: s2_messages::append_ack
          columns: [start, end, tail]
seq:
  - {id: frames, type: frame, repeat: eos}
types:
  frame:
    seq:
      - {id: len, type: b24}
      - {id: is_terminal, type: b1}
      - {id: compression, type: b2, enum: compressions}
      - {id: is_reconnect_advised, type: b1}
      - {id: reserved, type: b4}
      - {id: body, size: len - 1}
enums:
  compressions: {0: none, 1: zstd, 2: gzip}
