meta:
  id: s2_session
  title: S2 session
  application: S2
  license: CC0-1.0
  ks-version: '0.11'
  imports:
    - s2_messages
  endian: be
  -wireloom:
    max-record: 2097152
    message:
      at: frames.message
      framing: wireloom.s2.session:SessionFraming
      packing: wireloom.s2.session:SessionPacking
      hooks: wireloom.s2.session:SessionHooks
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
doc: |
  One direction of a session with the S2 stream store (S2S): frames back to back, each with a message, until a terminal
  frame or the end of the stream.

  Which message the frames hold depends on the session and its direction, and is the reader's choice: answers of a read
  session are batches of records, requests of an append session inputs, its answers acks.

  The public text calls bit 4 of the flag reserved; the server sets it when it is about to end the session.
seq:
  - id: frames
    type: frame
    repeat: eos
    doc: The frames.
types:
  frame:
    doc: |
      One frame.

      | bits | meaning                                                      |
      |------|--------------------------------------------------------------|
      | 24   | length of all that follows: flag and body                    |
      | 1    | terminal: the session ends with it                           |
      | 2    | compression of the message                                   |
      | 1    | reconnect advised                                            |
      | 4    | ignored by readers, written as 0                             |
    seq:
      - id: length
        type: b24
        # Larger ones are refused from these three bytes alone; 0 leaves no room for the flag.
        valid:
          min: 1
          max: 2097152
        doc: Number of bytes after this field.
      - id: is_terminal
        type: b1
        doc: The body is a terminal message, and nothing follows.
      - id: compression
        type: b2
        enum: compression
        doc: How a message is compressed; without meaning for a terminal message.
      - id: reconnect_advised
        type: b1
        doc: The server is about to end the session. Without meaning for a terminal message.
      - id: reserved
        type: b4
        doc: Ignored.
      - id: terminal
        type: terminal
        size: length - 1
        if: is_terminal
        doc: How the session ended.
      - id: message
        size: length - 1
        type:
          switch-on: compression
          cases:
            compression::none: s2_messages::read_batch
        if: not is_terminal
        doc: |
          The message. Compressed where it had 1024 bytes or more, also where that made it larger; before and after
          decompression it has at most 2,097,151 bytes.
  terminal:
    doc: The last message of a session.
    seq:
      - id: status
        type: u2
        doc: An HTTP status.
      - id: body
        size-eos: true
        type: str
        encoding: UTF-8
        doc: JSON, as the body of an HTTP answer of that status would be; it may be empty.
enums:
  compression:
    0: none
    1: zstd
    2: gzip
