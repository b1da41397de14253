meta:
  id: kafka_log
  title: Segment of a Kafka log
  application: Apache Kafka
  file-extension: log
  license: CC0-1.0
  ks-version: '0.11'
  endian: be
  encoding: UTF-8
  -wireloom:
    tables:
      records:
        doc: The records. Compacted topics have gaps in their offsets.
        rows: batches.body.records
        columns: [offset, timestamp, key, value, headers]
        selectable:
          - timestamp_type
          - codec
          - is_transactional
          - is_control
          - producer_id
          - producer_epoch
          - base_sequence
          - leader_epoch
          - base_offset
      batches:
        doc: The batches of records, those among them that compaction has emptied.
        rows: batches
        columns:
          - base_offset
          - last_offset
          - leader_epoch
          - codec
          - timestamp_type
          - is_transactional
          - is_control
          - base_timestamp
          - max_timestamp
          - producer_id
          - producer_epoch
          - base_sequence
          - count
        selectable: [len_batch, attributes, last_offset_delta]
doc: |
  Batches of records, as Kafka's brokers store and send them: a segment of a topic's partition, and also what a fetch
  returns. This is version 2 of the format (`magic`), which brokers since 0.11 write.

  Records are compressed together, by batch. The checksum of a batch covers all of it from `attributes` on; offsets and
  times of records are those of the batch and a difference.

  Markers of transactions are records too, in control batches: `where` they are not wanted, `is_control` tells them.
doc-ref: https://kafka.apache.org/documentation/#messageformat
seq:
  - id: batches
    type: batch
    repeat: eos
    doc: The batches, to the end of the segment.
types:
  zigzag:
    doc: A signed integer of 1 to 10 bytes.
    -wireloom: {varint: {order: le, signed: zigzag}}
  batch:
    doc: Records that were written together.
    seq:
      - id: base_offset
        type: s8
        doc: Offset of the first record when the batch was written.
      - id: len_batch
        type: s4
        valid: {min: 49}
        doc: Bytes of the batch that follow this field.
      - id: leader_epoch
        type: s4
        doc: Epoch of the partition's leader that appended the batch; -1 where that is not known.
      - id: magic
        type: s1
        valid: 2
        doc: Version of the format.
      - id: crc
        type: u4
        doc: CRC-32C of all that follows.
        -wireloom: {checksum: {algorithm: crc32c, over: [attributes, body]}}
      - id: attributes
        type: u2
        doc: The codec (bits 0 to 2), the type of timestamps (3), whether it is in a transaction (4) and a control batch (5).
      - id: last_offset_delta
        type: s4
        doc: Offset of the last record when the batch was written, from `base_offset` on.
      - id: base_timestamp
        type: s8
        doc: Milliseconds since the Unix epoch to which the records add.
      - id: max_timestamp
        type: s8
        doc: The largest timestamp; with log_append_time that of all records.
        -wireloom: {timestamp: ms}
      - id: producer_id
        type: s8
        doc: Number of an idempotent producer; -1 of others.
      - id: producer_epoch
        type: s2
        doc: Epoch of this producer; -1 of others.
      - id: base_sequence
        type: s4
        doc: Sequence number of the first record by this producer; -1 of others.
      - id: count
        type: s4
        doc: How many records there are.
      - id: body
        type: body
        size: len_batch - 49
        doc: The records.
        -wireloom:
          codec:
            switch-on: attributes & 7
            cases: {0: none, 1: gzip, 2: snappy-xerial, 3: lz4, 4: zstd}
    instances:
      codec:
        value: attributes & 7
        enum: codecs
        doc: How the records are compressed.
        -wireloom: {labels: true}
      timestamp_type:
        value: attributes >> 3 & 1
        enum: timestamp_types
        doc: Whether the producer or the broker set the timestamps.
        -wireloom: {labels: true}
      is_transactional:
        value: attributes & 0x10 != 0
        doc: Whether the records are part of a transaction.
      is_control:
        value: attributes & 0x20 != 0
        doc: Whether the record is a marker of a transaction, and not a producer's.
      last_offset:
        value: base_offset + last_offset_delta
        doc: Offset of the last record when the batch was written.
  body:
    doc: The records of a batch.
    seq:
      - id: records
        type: record
        repeat: expr
        repeat-expr: _parent.count
        doc: The records.
  record:
    doc: One record.
    seq:
      - id: len_record
        type: zigzag
        doc: Bytes of the record that follow this field.
      - id: attributes
        type: s1
        doc: Not used.
      - id: timestamp_delta
        type: zigzag
        doc: Milliseconds from the batch's `base_timestamp` on.
      - id: offset_delta
        type: zigzag
        doc: Offset from the batch's `base_offset` on.
      - id: len_key
        type: zigzag
        doc: Size of the key; -1 where there is none.
      - id: key
        size: len_key.value
        if: len_key.value >= 0
        doc: The key, by which topics are partitioned and compacted.
      - id: len_value
        type: zigzag
        doc: Size of the value; -1 where there is none.
      - id: value
        size: len_value.value
        if: len_value.value >= 0
        doc: The value; without one the record deletes its key in a compacted topic.
      - id: num_headers
        type: zigzag
        doc: How many headers there are.
      - id: headers
        type: header
        repeat: expr
        repeat-expr: num_headers.value
        doc: Names and values that applications add; names may repeat.
    instances:
      offset:
        value: _parent._parent.base_offset + offset_delta.value
        doc: Position in the partition.
      timestamp:
        value: >-
          _parent._parent.attributes & 8 != 0 ? _parent._parent.max_timestamp
          : _parent._parent.base_timestamp + timestamp_delta.value
        doc: When the record was created, or appended to the log.
        -wireloom: {timestamp: ms}
  header:
    doc: A name and a value.
    -wireloom: {columns: [key, value]}
    seq:
      - id: len_key
        type: zigzag
        doc: Size of the name.
      - id: key
        type: str
        size: len_key.value
        doc: The name.
      - id: len_value
        type: zigzag
        doc: Size of the value; -1 where there is none.
      - id: value
        size: len_value.value
        if: len_value.value >= 0
        doc: The value.
enums:
  codecs: {0: none, 1: gzip, 2: snappy, 3: lz4, 4: zstd}
  timestamp_types: {0: create_time, 1: log_append_time}
