meta:
  id: mcap
  title: MCAP
  application: [Foxglove, ROS 2]
  file-extension: mcap
  license: CC0-1.0
  ks-version: '0.11'
  endian: le
  encoding: UTF-8
  imports: mcap_records
  -wireloom:
    max-record: 1073741824
    ranges: search
    tables:
      messages:
        doc: The messages, in the order of the file.
        rows: [records.body.as<chunk>.records.records.body.as<mcap_records::message>,
          records.body.as<mcap_records::message>]
        columns: [channel_id, topic, sequence, log_time, publish_time, data]
        look-ups:
          topic: &channel {table: channels, key: channel_id, match: id, value: topic}
          message_encoding: &more {<<: *channel, value: message_encoding, default: false}
          schema_id: {<<: *more, value: schema_id}
          schema_name: {<<: *more, value: schema_name}
          schema_encoding: {<<: *more, value: schema_encoding}
          schema_data: {<<: *more, value: schema_data}
          channel_metadata: {<<: *more, value: metadata}
      schemas:
        doc: The schemas of messages, each once, though the summary repeats them; those of the summary alone too.
        rows: [records.body.as<mcap_records::schema>,
          records.body.as<chunk>.records.records.body.as<mcap_records::schema>,
          records.summary.records.body.as<mcap_records::schema>]
        distinct: true
        columns: [id, name, encoding, data]
      channels:
        doc: The channels, each once, though the summary repeats them; those of the summary alone too.
        rows: [records.body.as<mcap_records::channel>,
          records.body.as<chunk>.records.records.body.as<mcap_records::channel>,
          records.summary.records.body.as<mcap_records::channel>]
        distinct: true
        columns: [id, topic, message_encoding, schema_id, schema_name, metadata]
        look-ups:
          schema_name: &schema {table: schemas, key: schema_id, match: id, value: name}
          schema_encoding: {<<: *schema, value: encoding, default: false}
          schema_data: {<<: *schema, value: data, default: false}
      attachments: {doc: The attachments., rows: 'records.body.as<mcap_records::attachment>',
        columns: [log_time, create_time, name, media_type, data]}
      metadata: {doc: The metadata records., rows: 'records.body.as<mcap_records::metadata>', columns: [name, metadata]}
      statistics:
        doc: What the summary says about the file.
        rows: records.summary.records.body.as<mcap_records::statistics>
        columns: [message_count, schema_count, channel_count, attachment_count, metadata_count, chunk_count,
          message_start_time, message_end_time, channel_message_counts]
      records: {doc: 'All records, chunks as one; the last one has the summary in it.', rows: records,
        columns: [opcode, len_body]}
      chunks:
        doc: The chunks.
        rows: records.body.as<chunk>
        columns: [message_start_time, message_end_time, uncompressed_size, uncompressed_crc, compression, len_records]
doc: |
  A log of messages on channels, as robots record them: records with an opcode and a length, between the magic bytes
  with which a file begins and ends. Messages, and the schemas and channels that they need, stand among the records, or
  together in chunks, which may be compressed.

  After the last message `data_end` begins the summary, with the schemas and channels once more, statistics and indexes.
  A file that was not finished has none; its messages are read all the same. Private records and those of
  later versions (opcodes from 16 on) are passed over, unless they are chunks, whose opcode is damaged then. So are
  bytes after the last field of a record, unless a damaged length or opcode explains them. A record that does not belong
  into a chunk, or before or after `data_end`, is damaged.

  Writers make chunks of messages, with the column `compression` (`zstd`, `lz4` or empty; `zstd` by default), after the
  channels and schemas that they refer to, each followed by the indexes of its messages. The summary at the end has a
  checksum, the schemas and channels, statistics, indexes of chunks, attachments and metadata, and offsets. All readers
  find the messages of a time or a topic with it. The checksum of the data, which may be left out, is not written.
  Different channels with the same id are refused, and so are schemas.

  A chunk whose checksum is wrong has no rows. Messages outside of chunks have no checksum of their own: that of
  `data_end` covers all of the file before it, and is not verified, since that would cost all messages. After a damaged
  length, the option `recover` finds the next chunk or attachment by its checksum, or three other known records.
doc-ref: https://mcap.dev/spec
seq:
  - {id: magic, contents: [0x89, MCAP, '0', "\r\n"], doc: The same eight bytes at both ends of a file.}
  - id: records
    type: record
    repeat: eos
    doc: The records, the last of them with the summary.
    -wireloom:
      begins-with:
        # No profile, and the name of a library.
        - {opcode: 'opcodes::header', body: {profile: '""', library: '"wireloom"'}}
      # Indexes of messages after each chunk; numbers of messages, indexes of chunks, offsets and a checksum in the summary.
      indexer: wireloom.mcap.indexing:ChunkIndexer
      ends-with:
        # No checksum of the data; the summary begins after this record, which has 13 bytes.
        - opcode: opcodes::data_end
          body: {data_section_crc: 0}
          summary:
            records:
              - {<<: &schemas {for-each: '_.opcode == opcodes::schema'},
                item: {opcode: 'opcodes::schema', body: _.body.as<mcap_records::schema>}}
              - {<<: &channels {for-each: '_.opcode == opcodes::channel'},
                item: {opcode: 'opcodes::channel', body: _.body.as<mcap_records::channel>}}
              - {opcode: 'opcodes::statistics', body: {message_count: {<<: &chunks {for-each: '_.opcode == opcodes::chunk'},
                  total: _.body.as<chunk>.records.records.size}, chunk_count: {<<: *chunks, total: 1},
                  schema_count: {<<: *schemas, total: 1}, channel_count: {<<: *channels, total: 1},
                  attachment_count: {<<: &attachments {for-each: '_.opcode == opcodes::attachment'}, total: 1},
                  metadata_count: {<<: &metadata {for-each: '_.opcode == opcodes::metadata'}, total: 1},
                  message_start_time: {<<: *chunks, smallest: _.body.as<chunk>.message_start_time, otherwise: 0},
                  message_end_time: {<<: *chunks, largest: _.body.as<chunk>.message_end_time, otherwise: 0},
                  counts: {counts: []}}}
              - {<<: *attachments, item: {opcode: 'opcodes::attachment_index', body: {offset: _offset, length: _size,
                  log_time: _.body.as<mcap_records::attachment>.log_time,
                  create_time: _.body.as<mcap_records::attachment>.create_time,
                  data_size: _.body.as<mcap_records::attachment>.data.length,
                  name: _.body.as<mcap_records::attachment>.name,
                  media_type: _.body.as<mcap_records::attachment>.media_type}}}
              - {<<: *metadata, item: {opcode: 'opcodes::metadata_index', body: {offset: _offset, length: _size,
                  name: _.body.as<mcap_records::metadata>.name}}}
              - {opcode: 'opcodes::footer', body: {summary_start: _offset + 13, summary_offset_start: 0, summary_crc: 0}}
types:
  record:
    doc: A record.
    seq:
      - {id: opcode, type: u1, enum: opcodes, valid: {expr: _ != opcodes::none},
        doc: What it is. 16 to 127 are of later versions; those from 128 on are private., -wireloom: {labels: true}}
      - {id: len_body, type: u8, doc: Bytes of the body.}
      - id: body
        size: len_body
        type:
          switch-on: opcode
          cases:
            opcodes::message: mcap_records::message
            opcodes::channel: mcap_records::channel
            opcodes::schema: mcap_records::schema
            opcodes::chunk: chunk
            opcodes::attachment: mcap_records::attachment
            opcodes::metadata: mcap_records::metadata
            opcodes::header: mcap_records::header
            opcodes::message_index: mcap_records::message_index
            opcodes::data_end: mcap_records::data_end
            _: &other mcap_records::other(opcode.to_i)
        doc: What it says.
      - {id: summary, type: summary, if: opcode == opcodes::data_end, doc: All that follows the last message.}
  chunk:
    doc: Records that are compressed together.
    seq:
      - {id: message_start_time, type: u8, doc: The earliest `log_time` of its messages; 0 without any.,
        -wireloom: {timestamp: ns, default: {smallest: _.body.as<mcap_records::message>.log_time,
          <<: &messages {of: records.records, if: '_.opcode == opcodes::message', otherwise: 0}}}}
      - {id: message_end_time, type: u8, doc: The latest one.,
        -wireloom: {timestamp: ns, default: {largest: _.body.as<mcap_records::message>.log_time, <<: *messages}}}
      - {id: uncompressed_size, type: u8, doc: Bytes of the records before they were compressed.}
      - {id: uncompressed_crc, type: u4, doc: Their CRC-32; 0 where there is none.,
        -wireloom: {checksum: {algorithm: crc32, over: records, content: true, if: uncompressed_crc != 0}}}
      - {id: len_compression, type: u4, doc: Size of `compression`.}
      - {id: compression, type: str, size: len_compression,
        doc: How the records are compressed; empty where they are not., -wireloom: {default: '"zstd"'}}
      - {id: len_records, type: u8, doc: Bytes of the records in the file.}
      - {id: records, type: chunk_records, size: len_records, doc: 'Schemas, channels and messages.',
        -wireloom: {codec: {switch-on: compression, cases: {'""': none, '"lz4"': lz4, '"zstd"': zstd},
          size-decompressed: uncompressed_size, max-expanded: 268435456}}}
      - &unknown_rest
        id: more
        size-eos: true
        # The head of a record: its opcode and the lower half of its length are not zero, the upper half is.
        valid:
          expr: >-
            _.length < 256 or _[0] == 0 or _[0] > 15
            or (_[1] | _[2] | _[3] | _[4]) == 0 or (_[5] | _[6] | _[7] | _[8]) != 0
        doc: Fields of later versions. The length is wrong if they are many and begin as another record does.
        -wireloom: {default: '"".to_b("ASCII")'}
  chunk_records:
    doc: The records of a chunk.
    seq: [{id: records, type: chunk_record, repeat: eos, doc: The records.}]
  chunk_record:
    doc: A record in a chunk.
    seq:
      - {id: opcode, type: u1, enum: opcodes, valid: {expr: _ != opcodes::none}, doc: What it is.}
      - {id: len_body, type: u8, doc: Bytes of the body.}
      - {id: body, size: len_body, doc: What it says., type: {switch-on: opcode, cases: {
          'opcodes::message': 'mcap_records::message', 'opcodes::channel': 'mcap_records::channel',
          'opcodes::schema': 'mcap_records::schema', _: *other}}}
  summary:
    doc: What follows the last message, to the end of the file.
    seq:
      - {id: records, type: summary_record, repeat: until, repeat-until: _.opcode == opcodes::footer, if: is_there,
        doc: 'The records, the footer last.'}
      - {id: magic, contents: [0x89, MCAP, '0', "\r\n"], if: is_there, doc: As at the beginning.}
    instances:
      # An index of messages whose opcode is damaged does not end the messages: it begins with a channel, and its size.
      is_there:
        value: _parent.len_body % 16 != 6 or _parent.body.as<mcap_records::data_end>.len_records != _parent.len_body - 6
        doc: Whether it follows.
  summary_record:
    doc: A record of the summary.
    seq:
      - {id: opcode, type: u1, enum: opcodes, valid: {expr: _ != opcodes::none}, doc: What it is.}
      - {id: len_body, type: u8, doc: Bytes of the body.}
      - {id: body, size: len_body, doc: What it says., type: {switch-on: opcode, cases: {
          'opcodes::channel': 'mcap_records::channel', 'opcodes::schema': 'mcap_records::schema',
          'opcodes::footer': 'mcap_records::footer', 'opcodes::chunk_index': 'mcap_records::chunk_index',
          'opcodes::attachment_index': 'mcap_records::attachment_index',
          'opcodes::statistics': 'mcap_records::statistics',
          'opcodes::metadata_index': 'mcap_records::metadata_index', 'opcodes::summary_offset': summary_offset,
          _: *other}}}
  summary_offset:
    doc: Where the records of one kind are in the summary.
    seq:
      - {id: group_opcode, type: u1, enum: opcodes, doc: What they are.}
      - {id: group_start, type: u8, doc: Where they begin.}
      - {id: group_length, type: u8, doc: Bytes of them all.}
      - *unknown_rest
enums:
  opcodes: {0: none, 1: header, 2: footer, 3: schema, 4: channel, 5: message, 6: chunk, 7: message_index,
    8: chunk_index, 9: attachment, 10: attachment_index, 11: statistics, 12: metadata, 13: metadata_index,
    14: summary_offset, 15: data_end}
