meta:
  id: kafka_log
  title: Segment of a Kafka log
  application: Apache Kafka
  file-extension: log
  license: CC0-1.0
  ks-version: '0.11'
  endian: be
  encoding: UTF-8
  imports: kafka_messages
  -wireloom:
    ranges: search
    preallocated: true
    tables:
      records:
        doc: The records. Compacted topics have gaps in their offsets.
        rows: [batches.current.body.records, batches.message, batches.set.messages.messages.message]
        unit: batches
        columns: [offset, timestamp, key, value, headers]
        selectable: [timestamp_type, codec, is_transactional, is_control, producer_id, producer_epoch, base_sequence,
          leader_epoch, base_offset]
      batches:
        doc: The batches of records, those among them that compaction has emptied, and the messages of older versions.
        rows: batches
        columns: [base_offset, last_offset, leader_epoch, codec, timestamp_type, is_transactional, is_control,
          base_timestamp, max_timestamp, producer_id, producer_epoch, base_sequence, count]
        selectable: [magic, len_batch, last_offset_delta, delete_horizon]
doc: |
  Batches of records, as Kafka's brokers store and send them: a segment of a topic's partition, and also what a fetch
  returns. Version 2 of the format (`magic`) is what brokers since 0.11 write. Segments that are older, or of topics with
  an older `message.format.version`, have messages of version 0 or 1, also beside batches.

  Records are compressed together: by batch, or as a set of messages in the value of one. The checksum of a batch covers
  all of it from `attributes` on; offsets and times of records are those of the batch and a difference.

  Writers make batches of version 2 of the table `records`, each of records with the same codec, producer and kind.

  With `log.preallocate` segments are allocated before they are written: zeros after the last batch are no damage.

  Markers of transactions are records too, in control batches: `where` they are not wanted, `is_control` tells them.
doc-ref: https://kafka.apache.org/documentation/#messageformat
seq:
  - {id: batches, type: batch, repeat: eos, doc: 'The batches, to the end of the segment.'}
types:
  zigzag: {-wireloom: {varint: {order: le, signed: zigzag}}, doc: A signed integer of 1 to 10 bytes.}
  batch:
    doc: Records that were written together; or a message of version 0 or 1.
    seq:
      - {id: offset, type: s8,
        doc: 'Offset of the first record when the batch was written; of a compressed set of messages, of the last one.',
        -wireloom: {default: current.body.records.first.offset}}
      - {id: len_batch, type: s4, valid: {min: 14}, doc: Bytes of the batch that follow this field.}
      - {id: epoch_or_crc, type: s4,
        doc: 'Epoch of the partition''s leader that appended the batch, -1 where that is not known; CRC-32 of a message.',
        -wireloom: {checksum: {algorithm: crc32, over: [magic, set], if: magic != 2}, default: -1}}
      - {id: magic, type: s1, valid: {min: 0, max: 2}, doc: Version of the format., -wireloom: {default: 2}}
      - {id: current, type: current, size: len_batch - 5, if: magic == 2, doc: All else in version 2.}
      - {id: attributes, type: u1, if: magic != 2,
        doc: 'The codec of a message (bits 0 to 2), and the type of its timestamp (3).'}
      - {id: message, type: 'kafka_messages::message(offset, offset, magic, attributes, -1)', size: len_batch - 6,
        if: magic != 2 and attributes & 7 == 0, doc: A message that is not compressed.}
      - {id: set, type: 'message_set(offset, magic, attributes)', size: len_batch - 6,
        if: magic != 2 and attributes & 7 != 0, doc: A message with compressed ones.}
    instances:
      flags: {value: 'magic == 2 ? current.attributes : attributes', doc: The attributes in any version.}
      base_offset: {doc: Offset of the first record.,
        value: 'magic == 2 ? offset : attributes & 7 == 0 ? offset : set.base + set.index.entries.first.offset'}
      last_offset: {value: 'magic == 2 ? offset + current.last_offset_delta : offset',
        doc: Offset of the last record when the batch was written.}
      last_offset_delta: {value: current.last_offset_delta, if: magic == 2,
        doc: 'Offset of the last record when the batch was written, from `base_offset` on.'}
      leader_epoch: {value: 'magic == 2 ? epoch_or_crc : -1',
        doc: Epoch of the partition's leader that appended the batch; -1 where that is not known.}
      codec: {value: flags & 7, enum: kafka_messages::codecs, doc: How the records are compressed.,
        -wireloom: {labels: true}}
      timestamp_type: {value: flags >> 3 & 1, enum: kafka_messages::timestamp_types, if: magic > 0,
        doc: Whether the producer or the broker set the timestamps; version 0 has none., -wireloom: {labels: true}}
      is_transactional: {value: flags & 0x10 != 0 and magic == 2, doc: Whether the records are part of a transaction.}
      is_control: {value: flags & 0x20 != 0 and magic == 2,
        doc: 'Whether the record is a marker of a transaction, and not a producer''s.'}
      base_timestamp: {value: current.base_timestamp, if: magic == 2,
        doc: Milliseconds since the Unix epoch to which the records of version 2 add.}
      delete_horizon: {value: current.base_timestamp, if: magic == 2 and flags & 0x40 != 0,
        doc: 'When compaction may remove tombstones and markers of transactions, where it has set that.',
        -wireloom: {timestamp: ms}}
      max_timestamp: {value: 'magic == 2 ? current.max_timestamp : attributes & 7 == 0 ? message.millis : set.millis',
        doc: 'The largest timestamp, with log_append_time that of all records; null where no record has one.',
        -wireloom: {timestamp: {unit: ms, absent: -1}}}
      producer_id: {value: 'magic == 2 ? current.producer_id : -1',
        doc: Number of an idempotent producer; -1 of others.}
      producer_epoch: {value: 'magic == 2 ? current.producer_epoch : -1', doc: Epoch of this producer; -1 of others.}
      base_sequence: {value: 'magic == 2 ? current.base_sequence : -1',
        doc: Sequence number of the first record by this producer; -1 of others.}
      count: {value: current.count, if: magic == 2, doc: How many records there are; not known of messages.}
  current:
    doc: A batch of version 2.
    seq:
      - {id: crc, type: u4, doc: CRC-32C of all that follows.,
        -wireloom: {checksum: {algorithm: crc32c, over: [attributes, body]}}}
      - {id: attributes, type: u2,
        doc: 'Codec (bits 0 to 2), type of timestamps (3), whether it is in a transaction (4) and a control batch (5).',
        -wireloom: {default: 'body.records.first.codec.to_i | body.records.first.timestamp_type.to_i << 3
          | body.records.first.is_transactional.to_i << 4 | body.records.first.is_control.to_i << 5'}}
      - {id: last_offset_delta, type: s4,
        doc: 'Offset of the last record when the batch was written, from the first one on.',
        -wireloom: {default: body.records.last.offset - _parent.offset}}
      - {id: base_timestamp, type: s8, doc: Milliseconds since the Unix epoch to which the records add.,
        -wireloom: {default: body.records.first.timestamp}}
      - {id: max_timestamp, type: s8,
        doc: 'The largest timestamp, with log_append_time that of all records; -1 where no record has one.',
        -wireloom: {timestamp: {unit: ms, absent: -1}, default: {largest: _.timestamp, of: body.records}}}
      - {id: producer_id, type: s8, doc: Number of an idempotent producer; -1 of others., -wireloom: {default: -1}}
      - {id: producer_epoch, type: s2, doc: Epoch of this producer; -1 of others., -wireloom: {default: -1}}
      - {id: base_sequence, type: s4, doc: Sequence number of the first record by this producer; -1 of others.,
        -wireloom: {default: -1}}
      - {id: count, type: s4, valid: {min: 0}, doc: How many records there are., -wireloom: {default: body.records.size}}
      - {id: body, type: body, size-eos: true, doc: The records.,
        -wireloom: {codec: {switch-on: attributes & 7, cases: {0: none, 1: gzip, 2: snappy-xerial, 3: lz4, 4: zstd}}}}
  body:
    doc: The records of a batch.
    -wireloom: {trailing-bytes: refuse}
    seq: [{id: records, type: record, repeat: expr, repeat-expr: _parent.count, doc: The records.}]
  record:
    doc: One record.
    seq:
      - {id: len_record, type: zigzag, doc: Bytes of the record that follow this field.,
        -wireloom: {size-of: [attributes, headers]}}
      - {id: attributes, type: s1, doc: Not used., -wireloom: {default: 0}}
      - {id: timestamp_delta, type: zigzag, doc: Milliseconds from the batch's `base_timestamp` on.,
        -wireloom: {default: timestamp - _parent._parent.base_timestamp}}
      - {id: offset_delta, type: zigzag, doc: Offset from the batch's `base_offset` on.,
        -wireloom: {default: offset - _parent._parent._parent.offset}}
      - {id: len_key, type: zigzag, doc: Size of the key; -1 where there is none., -wireloom: {default: -1}}
      - {id: key, size: len_key.value, if: len_key.value >= 0,
        doc: 'The key, by which topics are partitioned and compacted.'}
      - {id: len_value, type: zigzag, doc: Size of the value; -1 where there is none., -wireloom: {default: -1}}
      - {id: value, size: len_value.value, if: len_value.value >= 0,
        doc: The value; without one the record deletes its key in a compacted topic.}
      - {id: num_headers, type: zigzag, valid: {expr: _.value >= 0}, doc: How many headers there are.}
      - {id: headers, type: header, repeat: expr, repeat-expr: num_headers.value,
        doc: Names and values that applications add; names may repeat., -wireloom: {default: []}}
    instances:
      offset: {value: _parent._parent._parent.offset + offset_delta.value, doc: Position in the partition.}
      timestamp: {doc: 'When the record was created, or appended to the log; null where that is not known.',
        -wireloom: {timestamp: {unit: ms, absent: -1}},
        value: '_parent._parent.attributes & 8 != 0 ? _parent._parent.max_timestamp
          : _parent._parent.base_timestamp + timestamp_delta.value'}
      timestamp_type: {value: _parent._parent.attributes >> 3 & 1, enum: kafka_messages::timestamp_types,
        doc: Whether the producer or the broker set the timestamp; version 0 has none.,
        -wireloom: {labels: true, default: 0}}
      codec: {value: _parent._parent.attributes & 7, enum: kafka_messages::codecs, doc: How the records are compressed.,
        -wireloom: {labels: true, default: 0}}
      is_transactional: {value: _parent._parent.attributes & 0x10 != 0,
        doc: Whether the records are part of a transaction., -wireloom: {default: false}}
      is_control: {value: _parent._parent.attributes & 0x20 != 0,
        doc: 'Whether the record is a marker of a transaction, and not a producer''s.', -wireloom: {default: false}}
      producer_id: {value: _parent._parent.producer_id, doc: Number of an idempotent producer; -1 of others.}
      producer_epoch: {value: _parent._parent.producer_epoch, doc: Epoch of this producer; -1 of others.}
      base_sequence: {value: _parent._parent.base_sequence,
        doc: Sequence number of the batch's first record by this producer; -1 of others.}
      leader_epoch: {value: _parent._parent._parent.epoch_or_crc,
        doc: Epoch of the partition's leader that appended the batch; -1 where that is not known.}
      base_offset: {value: _parent._parent._parent.offset, doc: Offset of the batch's first record when it was written.}
  header:
    doc: A name and a value.
    -wireloom: {columns: [key, value]}
    seq:
      - {id: len_key, type: zigzag, doc: Size of the name.}
      - {id: key, type: str, size: len_key.value, doc: The name.}
      - {id: len_value, type: zigzag, doc: Size of the value; -1 where there is none., -wireloom: {default: -1}}
      - {id: value, size: len_value.value, if: len_value.value >= 0, doc: The value.}
  message_set:
    doc: The rest of a message whose value is compressed messages.
    params:
      - {id: position, type: s8, doc: Its offset.}
      - {id: version, type: s1, doc: Version of the format.}
      - {id: flags, type: u1, doc: Its attributes.}
    seq:
      - {id: timestamp, type: s8, if: version == 1,
        doc: The largest timestamp; with log_append_time that of all messages.}
      - {id: len_key, type: s4, doc: Size of the key; -1 where there is none.}
      - {id: key, size: len_key, if: len_key >= 0, doc: Not used.}
      - {id: len_value, type: s4, doc: Size of the value.}
      - {id: value, size: len_value, valid: {expr: _.length != 0}, doc: 'The messages, one at least.',
        -wireloom: {codec: {switch-on: flags & 7, cases: {1: gzip, 2: snappy-xerial, 3: lz4-kafka}}}}
      - {id: index, type: kafka_messages::offsets, -wireloom: {within: value}, doc: 'The same, for the offset of the last one.'}
      - {id: messages, type: messages, -wireloom: {within: value}, doc: The messages.}
    instances:
      millis: {value: 'version == 1 ? timestamp : -1', doc: The timestamp; -1 in version 0.}
      outer_timestamp: {value: 'flags & 8 != 0 ? millis : -1',
        doc: The timestamp of all messages with log_append_time; else -1.}
      base: {value: 'version == 1 and position >= index.entries.last.offset ? position - index.entries.last.offset : 0',
        doc: What offsets of messages add to; in version 0 they are the partition's.}
  messages:
    doc: Compressed messages.
    seq: [{id: messages, type: inner_message, repeat: eos, doc: The messages.}]
  inner_message:
    doc: One of several messages that are compressed together.
    seq:
      - {id: offset, type: s8, doc: 'Offset in the partition, or in version 1 from `base` on.'}
      - {id: len, type: s4, doc: Bytes of the message that follow this field.}
      - {id: crc, type: u4, doc: CRC-32 of all that follows.,
        -wireloom: {checksum: {algorithm: crc32, over: [magic, message]}}}
      - {id: magic, type: s1, valid: _parent._parent.version, doc: Version of the format.}
      - {id: attributes, type: u1, valid: {expr: _ & 7 == 0},
        doc: 'The type of its timestamp (bit 3); it is not compressed again.'}
      - {id: message, size: len - 6, doc: The message itself.,
        type: 'kafka_messages::message(_parent._parent.base + offset,
          _parent._parent.base + _parent._parent.index.entries.first.offset, magic, _parent._parent.flags,
          _parent._parent.outer_timestamp)'}
