meta:
  id: kafka_messages
  title: Messages of older Kafka logs
  application: Apache Kafka
  license: CC0-1.0
  ks-version: '0.11'
  endian: be
  encoding: UTF-8
doc: |
  Messages of versions 0 and 1, which brokers before 0.11 write, and topics with an older `message.format.version`.
doc-ref: https://kafka.apache.org/documentation/#messageset
types:
  header:
    doc: A name and a value, as records of version 2 have some.
    -wireloom: {columns: [key, value]}
    seq:
      - {id: len_key, type: u4, doc: Size of the name.}
      - {id: key, type: str, size: len_key, doc: The name.}
      - {id: len_value, type: s4, doc: Size of the value; -1 where there is none.}
      - {id: value, size: len_value, if: len_value >= 0, doc: The value.}
  message:
    doc: A message.
    params:
      - {id: position, type: s8, doc: Its offset.}
      - {id: first, type: s8, doc: That of the first message in the set.}
      - {id: version, type: s1, doc: Version of the format.}
      - {id: flags, type: u1, doc: The attributes of the set that it is in.}
      - {id: appended, type: s8, doc: The timestamp of the set with log_append_time; else -1.}
    seq:
      - {id: timestamp_millis, type: s8, if: version == 1, doc: Milliseconds since the Unix epoch.}
      - {id: len_key, type: s4, doc: Size of the key; -1 where there is none.}
      - {id: key, size: len_key, if: len_key >= 0, doc: 'The key, by which topics are partitioned and compacted.'}
      - {id: len_value, type: s4, doc: Size of the value; -1 where there is none.}
      - id: value
        size: len_value
        if: len_value >= 0
        doc: The value; without one the message deletes its key in a compacted topic.
      - {id: headers, type: header, repeat: expr, repeat-expr: 0, doc: There are none.}
    instances:
      millis: {value: 'version == 1 ? timestamp_millis : -1', doc: The timestamp; -1 in version 0.}
      offset: {value: position, doc: Position in the partition.}
      timestamp:
        value: 'appended == -1 ? millis : appended'
        doc: When the message was created, or appended to the log; null where that is not known, as in version 0.
        -wireloom: {timestamp: {unit: ms, absent: -1}}
      timestamp_type:
        value: flags >> 3 & 1
        enum: timestamp_types
        if: version == 1
        doc: Whether the producer or the broker set the timestamp; version 0 has none.
        -wireloom: {labels: true}
      codec: {value: flags & 7, enum: codecs, doc: How the messages are compressed., -wireloom: {labels: true}}
      is_transactional: {value: 'false', doc: Whether the message is part of a transaction.}
      is_control: {value: 'false', doc: Whether the message is a marker of a transaction.}
      producer_id: {value: -1, doc: 'Number of an idempotent producer, which messages do not have.'}
      producer_epoch: {value: -1, doc: Epoch of this producer.}
      base_sequence: {value: -1, doc: Sequence number of this producer.}
      leader_epoch: {value: -1, doc: 'Epoch of the partition''s leader, which messages do not have.'}
      base_offset: {value: first, doc: Offset of the first message in the set.}
  offsets:
    doc: The offsets of compressed messages.
    seq: [{id: entries, type: entry, repeat: eos, doc: The messages.}]
    types:
      entry:
        doc: The offset of a message.
        seq:
          - {id: offset, type: s8, doc: The offset.}
          - {id: len_rest, type: s4, doc: Bytes of the message that follow this field.}
          - {id: rest, size: len_rest, doc: The message.}
enums:
  codecs: {0: none, 1: gzip, 2: snappy, 3: lz4, 4: zstd}
  timestamp_types: {0: create_time, 1: log_append_time}
