meta:
  id: mcap
  title: MCAP
  application: [Foxglove, ROS 2]
  file-extension: mcap
  license: CC0-1.0
  ks-version: '0.11'
  endian: le
  encoding: UTF-8
  -wireloom:
    max-record: 1073741824
    ranges: search
    tables:
      messages:
        doc: The messages, in the order of the file.
        rows:
          - records.body.as<chunk>.records.records.body.as<message>
          - records.body.as<message>
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
        doc: The schemas of messages, as they stand before the messages.
        rows:
          - records.body.as<schema>
          - records.body.as<chunk>.records.records.body.as<schema>
        columns: [id, name, encoding, data]
      channels:
        doc: The channels, as they stand before the messages.
        rows:
          - records.body.as<channel>
          - records.body.as<chunk>.records.records.body.as<channel>
        columns: [id, topic, message_encoding, schema_id, schema_name, metadata]
        look-ups:
          schema_name: &schema {table: schemas, key: schema_id, match: id, value: name}
          schema_encoding: {<<: *schema, value: encoding, default: false}
          schema_data: {<<: *schema, value: data, default: false}
      attachments:
        doc: The attachments.
        rows: records.body.as<attachment>
        columns: [log_time, create_time, name, media_type, data]
      metadata:
        doc: The metadata records.
        rows: records.body.as<metadata>
        columns: [name, metadata]
      statistics:
        doc: What the summary says about the file.
        rows: records.summary.records.body.as<statistics>
        columns:
          - message_count
          - schema_count
          - channel_count
          - attachment_count
          - metadata_count
          - chunk_count
          - message_start_time
          - message_end_time
          - channel_message_counts
      records:
        doc: All records, chunks as one; the last one has the summary in it.
        rows: records
        columns: [opcode, len_body]
      chunks:
        doc: The chunks.
        rows: records.body.as<chunk>
        columns: [message_start_time, message_end_time, uncompressed_size, uncompressed_crc, compression, len_records]
doc: |
  A log of messages on channels, as robots record them: records with an opcode and a length, between the magic bytes
  with which a file begins and ends. Messages, and the schemas and channels that they need, stand among the records, or
  together in chunks, which may be compressed.

  After the last message `data_end` begins the summary, with the schemas and channels once more, statistics and indexes.
  A file that was not finished has none; its messages are read all the same. Private records are passed over, and so are
  up to 255 bytes after the last field of a record; reserved opcodes and more bytes are damage.

  Writers make chunks of messages, with the column `compression` (`zstd`, `lz4` or empty; `zstd` by default), after the
  channels and schemas that they refer to. They write no summary, since what it says of all chunks, such as where they
  are, is no value of a row: readers go through the file, and `mcap recover` adds a summary.

  A chunk whose checksum is wrong has no rows. Messages outside of chunks have no checksum of their own: that of
  `data_end` covers all of the file before it, and is not verified, since that would cost all messages. After a damaged
  length, the option `recover` finds the next chunk or attachment by its checksum, or three other records in a row.
doc-ref: https://mcap.dev/spec
seq:
  - id: magic
    contents: [0x89, MCAP, '0', "\r\n"]
    doc: The same eight bytes at both ends of a file.
  - id: records
    type: record
    repeat: eos
    doc: The records, the last of them with the summary.
    -wireloom:
      begins-with:
        # No profile, and the name of a library.
        - {opcode: 'opcodes::header', body: {profile: '""', library: '"wireloom"'}}
      ends-with:
        # No checksum of all before; and a footer that says that nothing else is there.
        - opcode: opcodes::data_end
          body: {data_section_crc: 0}
          summary:
            records: [{opcode: 'opcodes::footer', body: {summary_start: 0, summary_offset_start: 0, summary_crc: 0}}]
types:
  record:
    doc: A record.
    seq:
      - id: opcode
        type: u1
        enum: opcodes
        valid: {expr: _ != opcodes::none}
        doc: What it is. 16 to 127 are reserved; those from 128 on are private.
        -wireloom: {labels: true}
      - {id: len_body, type: u8, doc: Bytes of the body.}
      - id: body
        size: len_body
        type:
          switch-on: opcode
          cases:
            opcodes::message: message
            opcodes::channel: channel
            opcodes::schema: schema
            opcodes::chunk: chunk
            opcodes::attachment: attachment
            opcodes::metadata: metadata
            <<: &more_bodies
              opcodes::header: header
              opcodes::footer: footer
              opcodes::message_index: message_index
              opcodes::chunk_index: chunk_index
              opcodes::attachment_index: attachment_index
              opcodes::statistics: statistics
              opcodes::metadata_index: metadata_index
              opcodes::summary_offset: summary_offset
              opcodes::data_end: data_end
            _: private
        doc: What it says.
      - {id: summary, type: summary, if: opcode == opcodes::data_end, doc: All that follows the last message.}
  header:
    doc: The first record of a file.
    seq:
      - {id: len_profile, type: u4, doc: Size of `profile`.}
      - {id: profile, type: str, size: len_profile, doc: 'What the file keeps to, such as `ros2`; empty where that is nothing.'}
      - {id: len_library, type: u4, doc: Size of `library`.}
      - {id: library, type: str, size: len_library, doc: What wrote the file.}
      - &unknown_rest
        id: more
        size-eos: true
        valid: {expr: _.length < 256}
        doc: Fields of later versions. More than these few bytes are a wrong length.
        -wireloom: {default: '"".to_b("ASCII")'}
  footer:
    doc: The last record of a file.
    seq:
      - {id: summary_start, type: u8, doc: Where the summary begins; 0 where there is none.}
      - {id: summary_offset_start, type: u8, doc: Where the summary offsets begin; 0 where there are none.}
      - {id: summary_crc, type: u4, doc: 'CRC-32 of the summary and of the fields before it; 0 where there is none.'}
      - *unknown_rest
  message_index:
    doc: Where the messages of a channel are in the chunk before.
    seq:
      - {id: channel_id, type: u2, doc: The channel.}
      - {id: len_records, type: u4, valid: {expr: _ % 16 == 0}, doc: Size of `records`.}
      - {id: records, size: len_records, doc: The `log_time` of each message and its offset in the chunk.}
      - *unknown_rest
  chunk_index:
    doc: Where a chunk is.
    seq:
      - {id: message_start_time, type: u8, doc: The earliest `log_time` of its messages., -wireloom: {timestamp: ns}}
      - {id: message_end_time, type: u8, doc: The latest one., -wireloom: {timestamp: ns}}
      - {id: chunk_start_offset, type: u8, doc: Where it begins.}
      - {id: chunk_length, type: u8, doc: Bytes of the record.}
      - {id: len_message_index_offsets, type: u4, valid: {expr: _ % 10 == 0}, doc: Size of `message_index_offsets`.}
      - {id: message_index_offsets, size: len_message_index_offsets, doc: Each channel and where its index begins.}
      - {id: message_index_length, type: u8, doc: Bytes of the indexes of its messages.}
      - {id: len_compression, type: u4, doc: Size of `compression`.}
      - {id: compression, type: str, size: len_compression, doc: How its records are compressed.}
      - {id: compressed_size, type: u8, doc: Bytes of its records in the file.}
      - {id: uncompressed_size, type: u8, doc: Bytes of its records before they were compressed.}
      - *unknown_rest
  attachment_index:
    doc: Where an attachment is.
    seq:
      - {id: offset, type: u8, doc: Where it begins.}
      - {id: length, type: u8, doc: Bytes of the record.}
      - {id: log_time, type: u8, doc: When it was recorded., -wireloom: {timestamp: ns}}
      - {id: create_time, type: u8, doc: When it was made; 0 where that is not known., -wireloom: {timestamp: ns}}
      - {id: data_size, type: u8, doc: Bytes of its data.}
      - {id: len_name, type: u4, doc: Size of `name`.}
      - {id: name, type: str, size: len_name, doc: Its name.}
      - {id: len_media_type, type: u4, doc: Size of `media_type`.}
      - {id: media_type, type: str, size: len_media_type, doc: Its media type.}
      - *unknown_rest
  metadata_index:
    doc: Where a metadata record is.
    seq:
      - {id: offset, type: u8, doc: Where it begins.}
      - {id: length, type: u8, doc: Bytes of the record.}
      - {id: len_name, type: u4, doc: Size of `name`.}
      - {id: name, type: str, size: len_name, doc: What it is about.}
      - *unknown_rest
  summary_offset:
    doc: Where the records of one kind are in the summary.
    seq:
      - {id: group_opcode, type: u1, enum: opcodes, doc: What they are.}
      - {id: group_start, type: u8, doc: Where they begin.}
      - {id: group_length, type: u8, doc: Bytes of them all.}
      - *unknown_rest
  data_end:
    doc: The end of the data.
    seq:
      - {id: data_section_crc, type: u4, doc: CRC-32 of the file before it; 0 where there is none.}
      - *unknown_rest
  private:
    doc: What an application keeps in the file.
    seq:
      - {id: data, size-eos: true, valid: {expr: _parent.opcode.to_i >= 128}, doc: Known to the application.}
  chunk:
    doc: Records that are compressed together.
    seq:
      - id: message_start_time
        type: u8
        doc: The earliest `log_time` of its messages; 0 without any.
        -wireloom: {timestamp: ns, default: {smallest: _.body.as<message>.log_time, <<: &messages {of: records.records, if: '_.opcode == opcodes::message', otherwise: 0}}}
      - id: message_end_time
        type: u8
        doc: The latest one.
        -wireloom: {timestamp: ns, default: {largest: _.body.as<message>.log_time, <<: *messages}}
      - {id: uncompressed_size, type: u8, doc: Bytes of the records before they were compressed.}
      - id: uncompressed_crc
        type: u4
        doc: Their CRC-32; 0 where there is none.
        -wireloom: {checksum: {algorithm: crc32, over: records, content: true, if: uncompressed_crc != 0}}
      - {id: len_compression, type: u4, doc: Size of `compression`.}
      - id: compression
        type: str
        size: len_compression
        doc: How the records are compressed; empty where they are not.
        -wireloom: {default: '"zstd"'}
      - {id: len_records, type: u8, doc: Bytes of the records in the file.}
      - id: records
        type: chunk_records
        size: len_records
        doc: Schemas, channels and messages.
        -wireloom:
          codec:
            switch-on: compression
            cases: {'""': none, '"lz4"': lz4, '"zstd"': zstd}
            size-decompressed: uncompressed_size
            max-expanded: 268435456
      - *unknown_rest
  chunk_records:
    doc: The records of a chunk.
    seq:
      - {id: records, type: chunk_record, repeat: eos, doc: The records.}
  chunk_record:
    doc: A record in a chunk.
    seq:
      - {id: opcode, type: u1, enum: opcodes, valid: {expr: _ != opcodes::none}, doc: What it is.}
      - {id: len_body, type: u8, doc: Bytes of the body.}
      - id: body
        size: len_body
        type:
          switch-on: opcode
          cases:
            opcodes::message: message
            opcodes::channel: channel
            opcodes::schema: schema
        doc: What it says.
  message:
    doc: A message.
    seq:
      - {id: channel_id, type: u2, doc: The channel that it was sent on.}
      - id: sequence
        type: u4
        doc: Its number among those of the publisher, if that counts; otherwise 0.
        -wireloom: {default: 0}
      - {id: log_time, type: u8, doc: When it was recorded., -wireloom: {timestamp: ns}}
      - id: publish_time
        type: u8
        doc: When it was published; `log_time` where that is not known.
        -wireloom: {timestamp: ns, default: log_time}
      - {id: data, size-eos: true, doc: 'The message, as `message_encoding` and the schema of the channel say.'}
  channel:
    doc: A channel.
    seq:
      - {id: id, type: u2, doc: Its number in the file.}
      - id: schema_id
        type: u2
        doc: The schema of its messages; 0 where there is none.
        -wireloom: {default: 0}
      - {id: len_topic, type: u4, doc: Size of `topic`.}
      - {id: topic, type: str, size: len_topic, doc: Its topic.}
      - {id: len_message_encoding, type: u4, doc: Size of `message_encoding`.}
      - id: message_encoding
        type: str
        size: len_message_encoding
        doc: How messages are encoded, such as `cdr`, `protobuf` or `json`.
        -wireloom: {default: '""'}
      - {id: len_pairs, type: u4, doc: Size of `pairs`.}
      - {id: pairs, type: pairs, size: len_pairs, doc: What else is known of it.}
      - *unknown_rest
    instances:
      metadata:
        value: pairs.pairs
        doc: What else is known of it.
  schema:
    doc: A schema of messages.
    seq:
      - {id: id, type: u2, valid: {min: 1}, doc: Its number in the file.}
      - {id: len_name, type: u4, doc: Size of `name`.}
      - {id: name, type: str, size: len_name, doc: Its name.}
      - {id: len_encoding, type: u4, doc: Size of `encoding`.}
      - id: encoding
        type: str
        size: len_encoding
        doc: How it is written, such as `ros2msg`, `protobuf` or `jsonschema`; empty where there is none.
        -wireloom: {default: '""'}
      - {id: len_data, type: u4, doc: Size of `data`.}
      - {id: data, size: len_data, doc: The schema., -wireloom: {default: '"".to_b("ASCII")'}}
      - *unknown_rest
  attachment:
    doc: A file that belongs to the log.
    seq:
      - {id: log_time, type: u8, doc: When it was recorded., -wireloom: {timestamp: ns}}
      - {id: create_time, type: u8, doc: When it was made; 0 where that is not known., -wireloom: {timestamp: ns}}
      - {id: len_name, type: u4, doc: Size of `name`.}
      - {id: name, type: str, size: len_name, doc: Its name.}
      - {id: len_media_type, type: u4, doc: Size of `media_type`.}
      - {id: media_type, type: str, size: len_media_type, doc: 'Its media type, such as `text/plain`.'}
      - {id: len_data, type: u8, doc: Size of `data`.}
      - {id: data, size: len_data, doc: What the file contains.}
      - id: crc
        type: u4
        doc: CRC-32 of all fields before it; 0 where there is none.
        -wireloom: {checksum: {algorithm: crc32, over: [log_time, data], if: crc != 0}}
      - *unknown_rest
  metadata:
    doc: Names and values about the log.
    seq:
      - {id: len_name, type: u4, doc: Size of `name`.}
      - {id: name, type: str, size: len_name, doc: What they are about.}
      - {id: len_pairs, type: u4, doc: Size of `pairs`.}
      - {id: pairs, type: pairs, size: len_pairs, doc: The names and values.}
      - *unknown_rest
    instances:
      metadata:
        value: pairs.pairs
        doc: The names and values.
  pairs:
    doc: Names and values.
    seq:
      - id: pairs
        type: pair
        repeat: eos
        doc: The pairs.
        -wireloom: {map: {key: key.text, value: value.text}, default: []}
  pair:
    doc: A name and a value.
    seq:
      - {id: key, type: text, doc: The name.}
      - {id: value, type: text, doc: The value.}
  text:
    doc: Text after its size.
    seq:
      - {id: len, type: u4, doc: Bytes of the text.}
      - {id: text, type: str, size: len, doc: The text.}
  summary:
    doc: What follows the last message, to the end of the file.
    seq:
      - id: records
        type: summary_record
        repeat: until
        repeat-until: _.opcode == opcodes::footer
        if: is_there
        doc: The records, the footer last.
      - {id: magic, contents: [0x89, MCAP, '0', "\r\n"], if: is_there, doc: As at the beginning.}
    instances:
      is_there:
        # An index of messages has 6 bytes and 16 for each: one whose opcode is damaged does not end the messages.
        value: _parent.len_body % 16 != 6
        doc: Whether it follows.
  summary_record:
    doc: A record of the summary.
    seq:
      - {id: opcode, type: u1, enum: opcodes, valid: {expr: _ != opcodes::none}, doc: What it is.}
      - {id: len_body, type: u8, doc: Bytes of the body.}
      - id: body
        size: len_body
        type:
          switch-on: opcode
          cases:
            opcodes::channel: channel
            opcodes::schema: schema
            <<: *more_bodies
        doc: What it says.
  statistics:
    doc: How many records of each kind there are.
    seq:
      - {id: message_count, type: u8, doc: How many messages.}
      - {id: schema_count, type: u2, doc: How many schemas.}
      - {id: channel_count, type: u4, doc: How many channels.}
      - {id: attachment_count, type: u4, doc: How many attachments.}
      - {id: metadata_count, type: u4, doc: How many metadata records.}
      - {id: chunk_count, type: u4, doc: How many chunks.}
      - {id: message_start_time, type: u8, doc: The earliest `log_time` of a message., -wireloom: {timestamp: ns}}
      - {id: message_end_time, type: u8, doc: The latest one., -wireloom: {timestamp: ns}}
      - {id: len_counts, type: u4, doc: Size of `counts`.}
      - {id: counts, type: message_counts, size: len_counts, doc: How many messages each channel has.}
      - *unknown_rest
    instances:
      channel_message_counts:
        value: counts.counts
        doc: How many messages each channel has.
  message_counts:
    doc: Numbers of messages.
    seq:
      - id: counts
        type: message_count
        repeat: eos
        doc: By channel.
        -wireloom: {map: {key: channel_id, value: count}}
  message_count:
    doc: How many messages a channel has.
    seq:
      - {id: channel_id, type: u2, doc: The channel.}
      - {id: count, type: u8, doc: How many.}
enums:
  opcodes:
    0: none
    1: header
    2: footer
    3: schema
    4: channel
    5: message
    6: chunk
    7: message_index
    8: chunk_index
    9: attachment
    10: attachment_index
    11: statistics
    12: metadata
    13: metadata_index
    14: summary_offset
    15: data_end
