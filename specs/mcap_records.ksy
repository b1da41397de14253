meta:
  id: mcap_records
  title: Records of MCAP files
  application: [Foxglove, ROS 2]
  license: CC0-1.0
  ks-version: '0.11'
  endian: le
  encoding: UTF-8
doc: |
  What the records of an MCAP file contain, apart from chunks: each type is the body of a record.
doc-ref: https://mcap.dev/spec
types:
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
        # The head of a record: its opcode and the lower half of its length are not zero, the upper half is.
        valid:
          expr: >-
            _.length < 256 or _[0] == 0 or _[0] > 15
            or (_[1] | _[2] | _[3] | _[4]) == 0 or (_[5] | _[6] | _[7] | _[8]) != 0
        doc: Fields of later versions. The length is wrong if they are many and begin as another record does.
        -wireloom: {default: '"".to_b("ASCII")'}
  other:
    doc: A record that is not known, or that does not belong where it is.
    params: [{id: opcode, type: u1, doc: What it seems to be.}]
    seq:
      - id: data
        size-eos: true
        # In a chunk, the size of its compression's name is at 28, and after the name is the size of all that follows.
        valid:
          expr: >-
            opcode > 15 and (_.length < 45 or _[28] > 4
            or (_[_[28] + 32] | _[_[28] + 33] << 8 | _[_[28] + 34] << 16 | _[_[28] + 35] << 24)
            != _.length - _[28] - 40)
        doc: Anything but a chunk whose opcode is damaged.
  message:
    doc: A message.
    seq:
      - {id: channel_id, type: u2, doc: The channel that it was sent on.}
      - {id: sequence, type: u4, doc: 'Its number among those of the publisher, if that counts; otherwise 0.',
        -wireloom: {default: 0}}
      - {id: log_time, type: u8, doc: When it was recorded., -wireloom: {timestamp: ns}}
      - {id: publish_time, type: u8, doc: When it was published; `log_time` where that is not known.,
        -wireloom: {timestamp: ns, default: log_time}}
      - {id: data, size-eos: true, doc: 'The message, as `message_encoding` and the schema of the channel say.'}
  channel:
    doc: A channel.
    seq:
      - {id: id, type: u2, doc: Its number in the file.}
      - {id: schema_id, type: u2, doc: The schema of its messages; 0 where there is none., -wireloom: {default: 0}}
      - {id: len_topic, type: u4, doc: Size of `topic`.}
      - {id: topic, type: str, size: len_topic, doc: Its topic.}
      - {id: len_message_encoding, type: u4, doc: Size of `message_encoding`.}
      - {id: message_encoding, type: str, size: len_message_encoding,
        doc: 'How messages are encoded, such as `cdr`, `protobuf` or `json`.', -wireloom: {default: '""'}}
      - {id: len_pairs, type: u4, doc: Size of `pairs`.}
      - {id: pairs, type: pairs, size: len_pairs, doc: What else is known of it.}
      - <<: *unknown_rest
        # Nor is all of the body a chunk, which has little text where a channel has its own: see `other`.
        valid:
          expr: >-
            (_.length < 256 or _[0] == 0 or _[0] > 15
            or (_[1] | _[2] | _[3] | _[4]) == 0 or (_[5] | _[6] | _[7] | _[8]) != 0)
            and (len_topic + len_message_encoding + len_pairs > 12 or _.length < 29
            or _[12 - len_topic - len_message_encoding - len_pairs] > 4
            or (_[16 - len_topic - len_message_encoding - len_pairs
            + _[12 - len_topic - len_message_encoding - len_pairs]]
            | _[17 - len_topic - len_message_encoding - len_pairs
            + _[12 - len_topic - len_message_encoding - len_pairs]] << 8)
            != (_.length + len_topic + len_message_encoding + len_pairs - 24
            - _[12 - len_topic - len_message_encoding - len_pairs]) % 65536)
    instances:
      metadata: {value: pairs.pairs, doc: What else is known of it.}
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
      - {id: crc, type: u4, doc: CRC-32 of all fields before it; 0 where there is none.,
        -wireloom: {checksum: {algorithm: crc32, over: [log_time, data], if: crc != 0}}}
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
      metadata: {value: pairs.pairs, doc: The names and values.}
  pairs:
    doc: Names and values.
    seq:
      - {id: pairs, type: pair, repeat: eos, doc: The pairs.,
        -wireloom: {map: {key: key.text, value: value.text}, default: []}}
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
  data_end:
    doc: The end of the data.
    seq:
      - {id: data_section_crc, type: u4, doc: CRC-32 of the file before it; 0 where there is none.}
      - *unknown_rest
    instances:
      len_records:
        value: data_section_crc >> 16 | more[0] << 16 | more[1] << 24
        if: more.length > 1
        doc: What a `message_index` of these bytes has as `len_records`.
  footer:
    doc: The last record of a file.
    seq:
      - {id: summary_start, type: u8, doc: Where the summary begins; 0 where there is none.}
      - {id: summary_offset_start, type: u8, doc: Where the summary offsets begin; 0 where there are none.}
      - {id: summary_crc, type: u4, doc: 'CRC-32 of the summary and of the fields before it; 0 where there is none.'}
      - *unknown_rest
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
      channel_message_counts: {value: counts.counts, doc: How many messages each channel has.}
  message_counts:
    doc: Numbers of messages.
    seq:
      - {id: counts, type: message_count, repeat: eos, doc: By channel.,
        -wireloom: {map: {key: channel_id, value: count}}}
  message_count:
    doc: How many messages a channel has.
    seq:
      - {id: channel_id, type: u2, doc: The channel.}
      - {id: count, type: u8, doc: How many.}
  message_index:
    doc: Where the messages of a channel are in the chunk before.
    seq:
      - {id: channel_id, type: u2, doc: The channel.}
      - {id: len_records, type: u4, valid: {expr: _ % 16 == 0}, doc: Size of `records`.}
      - {id: records, size: len_records, doc: The `log_time` of each message and its offset in the chunk.}
      - {id: more, size-eos: true, doc: Fields of later versions., -wireloom: {default: '"".to_b("ASCII")'}}
      # No entries, or an offset of 4 GiB, are a message or a chunk whose opcode is damaged. See `other` for chunks.
      - size: 0
        if: more.length > 0
        valid:
          expr: >-
            len_records != 0 and (records[12] | records[13] | records[14] | records[15]) == 0
            and (more.length < 256 or more[0] == 0 or more[0] > 15
            or (more[1] | more[2] | more[3] | more[4]) == 0 or (more[5] | more[6] | more[7] | more[8]) != 0)
            and (len_records < 48 or records[22] > 4 or (records[23] | records[24] | records[25]) != 0
            or (records[26 + records[22]] | records[27 + records[22]] << 8)
            != (len_records + more.length - 34 - records[22]) % 65536)
        doc: 'No bytes: whether those are fields, and this is an index.'
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
