meta:
  id: s2_messages
  title: S2 message
  application: S2
  license: CC0-1.0
  ks-version: '0.11'
  -wireloom:
    message:
      packing: wireloom.s2.session:SessionPacking
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
doc: |
  The messages of the S2 stream store (package s2.v1), one by itself: the body of a unary request or answer, and what
  the frames of a session hold.

  The server decodes them with Rust's prost, which is stricter than Google's parsers: a known field with another wire
  type and a varint of more than 64 bits are errors. So they are here.

  Whether an optional field is there is part of what it says: a timestamp of 0 is not the same as none, and an empty
  fencing token is one that must match. Timestamps are numbers of 64 bits without a sign, milliseconds only by
  convention: 2^64 - 1 occurs.
doc-ref:
  - https://s2.dev/docs/api S2's API
types:
  stream_position:
    doc: A place in a stream.
    -wireloom:
      message:
        wire-types: refuse
        fields:
          - {id: seq_num, number: 1, type: uint64, doc: Sequence number of a record; the first of a stream is 0.}
          - {id: timestamp, number: 2, type: uint64, doc: The record's timestamp.}
  header:
    doc: A name and a value; order and duplicates are kept.
    -wireloom:
      message:
        wire-types: refuse
        fields:
          - {id: name, number: 1, type: bytes, doc: Empty in command records alone.}
          - {id: value, number: 2, type: bytes, doc: The value; it may be empty.}
  append_record:
    doc: A record to be appended.
    -wireloom:
      message:
        wire-types: refuse
        fields:
          - {id: timestamp, number: 1, type: uint64, label: optional, doc: Of the writer; the server may raise it.}
          - {id: headers, number: 2, type: header, label: repeated, doc: Names and values.}
          - {id: body, number: 3, type: bytes, doc: The content; it may be empty.}
    instances:
      command:
        value: headers[0].value.to_s("UTF-8")
        if: headers.size == 1 and headers[0].name.length == 0
        doc: The operation of a command record (`fence`, `trim`, or one that is not known yet); null for all others.
  append_input:
    doc: A batch of records, appended all or none.
    -wireloom:
      message:
        wire-types: refuse
        fields:
          - {id: records, number: 1, type: append_record, label: repeated, doc: 1 to 1000 records of at most 1 MiB.}
          - {id: match_seq_num, number: 2, type: uint64, label: optional, doc: The number that the first must get.}
          - {id: fencing_token, number: 3, type: string, label: optional, doc: The token that must be the stream's.}
  append_ack:
    doc: What became of a batch.
    -wireloom:
      message:
        wire-types: refuse
        fields:
          - {id: start, number: 1, type: stream_position, label: optional, doc: Of the first record.}
          - {id: end, number: 2, type: stream_position, label: optional, doc: The position after the last record.}
          - {id: tail, number: 3, type: stream_position, label: optional, doc: Where the stream ends; not before `end`.}
  sequenced_record:
    doc: A record of a stream.
    -wireloom:
      message:
        wire-types: refuse
        fields:
          - {id: seq_num, number: 1, type: uint64, doc: Its sequence number.}
          - {id: timestamp, number: 2, type: uint64, doc: Its timestamp.}
          - {id: headers, number: 3, type: header, label: repeated, doc: Names and values.}
          - {id: body, number: 4, type: bytes, doc: The content; it may be empty.}
    instances:
      command:
        value: headers[0].value.to_s("UTF-8")
        if: headers.size == 1 and headers[0].name.length == 0
        doc: The operation of a command record (`fence`, `trim`, or one that is not known yet); null for all others.
  read_batch:
    doc: Records of a stream; without any it is a heartbeat.
    -wireloom:
      message:
        wire-types: refuse
        fields:
          - {id: records, number: 1, type: sequenced_record, label: repeated, doc: In the order of the stream.}
          - {id: tail, number: 2, type: stream_position, label: optional, doc: Where the stream ends; when near it.}
