meta:
  id: mysql_events
  title: Events of MySQL's binary logs
  application: [MySQL, MariaDB, Percona Server]
  license: CC0-1.0
  ks-version: '0.11'
  endian: le
doc: |
  What the events of a binary log contain: each type is the data of an event, without its header and checksum.
doc-ref: https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_replication_binlog_event.html
types:
  query:
    doc: A statement.
    params:
      - &len_fixed {id: len_fixed, type: s4, doc: Bytes of the fixed part of the data; 0 if it is not known.}
      - &is_compressed {id: is_compressed, type: bool, doc: 'Whether what follows is compressed, as by MariaDB.'}
    seq:
      - {id: thread_id, type: u4, doc: Number of the connection.}
      - {id: execution_time, type: u4, doc: Seconds that the statement took.}
      - {id: len_schema, type: u1, doc: Size of `schema`.}
      - {id: error_code, type: u2, doc: The error that the statement ended with; 0 if there was none.}
      - {id: len_status, type: u2, doc: Size of `status`.}
      - {id: more, size: len_more, doc: Fields of other statements and of later versions.}
      - {id: status, type: status, size: len_status, doc: Settings of the connection.}
      - {id: schema, size: len_schema, doc: The default database.}
      - {id: schema_end, contents: [0], doc: The end of its name.}
      - {id: compressed, type: compressed, if: is_compressed, doc: The statement.}
      - {id: plain, size-eos: true, if: not is_compressed, doc: The statement.}
    instances:
      statement: {value: 'is_compressed ? compressed.content : plain', doc: The statement.}
      len_more: {value: 'len_fixed > 13 ? len_fixed - 13 : 0', doc: Size of `more`.}
  status:
    doc: Settings of a connection.
    seq: [{id: variables, type: status_variable, repeat: eos, doc: The settings.}]
  status_variable:
    doc: A setting, or all that follow a code that is not known.
    seq:
      - {id: code, type: u1, valid: {expr: _ < 32 or _ >= 128}, doc: 'Which setting it is: those of MySQL count from 0, those of MariaDB from 128.'}
      - {id: value, size: len, doc: 'The value, if its size depends on the code alone.'}
      - {id: first, type: short_text, if: code == 2 or code == 5 or code == 6 or code == 11,
        doc: 'A catalog, a time zone, or a user.'}
      - {id: first_end, contents: [0], if: code == 2, doc: The end of the text.}
      - {id: second, type: short_text, if: code == 11, doc: The host of the user.}
      - {id: num_databases, type: u1, if: code == 12, doc: 'How many databases the statement changes; 254 for too many.'}
      - {id: databases, terminator: 0, repeat: expr, repeat-expr: num_databases, if: code == 12 and num_databases != 254,
        doc: Their names.}
      - {id: rest, size-eos: true, if: not is_known, doc: 'It, and all that follow.'}
    instances:
      len:
        value: >-
          code == 0 or code == 3 or code == 10 ? 4 : code == 1 or code == 9 or code == 17 or code == 129 ? 8
          : code == 4 ? 6 : code == 7 or code == 8 or code == 18 or code == 130 ? 2 : code == 13 or code == 128 ? 3
          : code == 16 or code == 19 or code == 20 ? 1 : 0
        doc: Size of `value`.
      is_known: {value: code <= 13 or code >= 16 and code <= 20 or code >= 128 and code <= 130, doc: Whether the code is known.}
  short_text:
    doc: Text after its size.
    seq: [{id: len, type: u1, doc: Size of the text.}, {id: text, size: len, doc: The text.}]
  table_map:
    doc: A table, and the types of its columns.
    params: [*len_fixed]
    seq:
      - {id: head, size: 'len_fixed > 8 ? len_fixed : 8', doc: 'The number of the table, and flags.'}
      - {id: schema, type: short_text, doc: The database.}
      - {id: schema_end, contents: [0], doc: The end of its name.}
      - {id: table, type: short_text, doc: The table.}
      - {id: table_end, contents: [0], doc: The end of its name.}
      - {id: num_columns, type: packed, doc: How many columns there are.}
      - {id: types, size: num_columns.value, doc: The type of each column.}
      - {id: len_metadata, type: packed, doc: Size of `metadata`.}
      - {id: metadata, type: metadata, size: len_metadata.value, doc: 'Sizes and others, by the types.'}
      - {id: nullable, size: (num_columns.value + 7) / 8, doc: A bit for each column that may be null.}
      - {id: more, type: table_field, repeat: eos, doc: Names and others.}
  metadata:
    doc: What the types of columns leave open.
    -wireloom: {trailing-bytes: refuse}
    seq:
      - id: columns
        type: column_metadata(_parent.types[_index])
        repeat: until
        repeat-until: _index == _parent.num_columns.value - 1 or not _.is_known
        if: _parent.num_columns.value > 0
        doc: By column, up to the first one of an unknown type.
  column_metadata:
    doc: What the type of a column leaves open.
    params: [{id: type, type: u1, doc: The type.}]
    seq:
      - {id: value, size: len, doc: 'A size, a precision or another type.'}
      - {id: rest, size-eos: true, if: not is_known, doc: 'It, and all that follow.'}
    instances:
      len:
        value: >-
          type == 4 or type == 5 or type == 17 or type == 18 or type == 19 or type == 140 or type == 242 or type == 245
          or type >= 249 and type <= 252 or type == 255 ? 1
          : type == 15 or type == 16 or type == 141 or type == 246 or type == 247 or type == 248 or type == 254 ? 2 : 0
        doc: Its bytes.
      is_known: {value: len > 0 or type > 0 and type < 15, doc: Whether its size is known.}
  table_field:
    doc: What is known of a table besides.
    seq:
      - {id: kind, type: u1, doc: What it is.}
      - {id: len, type: packed, doc: Size of `value`.}
      - {id: value, size: len.value, doc: The value.}
  rows:
    doc: Rows of a table.
    params:
      - {id: version, type: u1, doc: '1, or 2 with fields of variable size.'}
      - {id: is_update, type: bool, doc: Whether it has rows before and after a change.}
      - *len_fixed
      - *is_compressed
    seq:
      - {id: head, size: 8, doc: 'The number of the table, and flags.'}
      - {id: len_extra, type: u2, if: version == 2, valid: {min: 2}, doc: 'Size of `extra`, and of itself.'}
      - {id: extra, size: len_extra - 2, if: version == 2, doc: Such as partitions.}
      - {id: more, size: len_more, doc: Fields of later versions.}
      - {id: num_columns, type: packed, doc: How many columns the table has.}
      - {id: present, size: (num_columns.value + 7) / 8, doc: 'A bit for each column: whether rows have it.'}
      - {id: present_after, size: (num_columns.value + 7) / 8, if: is_update, doc: The same of rows after a change.}
      - {id: compressed, type: compressed, if: is_compressed, doc: The rows.}
      - {id: plain, size-eos: true, if: not is_compressed, doc: The rows.}
    instances:
      images: {value: 'is_compressed ? compressed.content : plain', doc: The rows.}
      len_known: {value: 'version == 2 ? 10 : 8', doc: Size of the known fields before `extra`.}
      len_more: {value: 'len_fixed > len_known ? len_fixed - len_known : 0', doc: Size of `more`.}
  compressed:
    doc: A statement or rows in compressed form.
    seq:
      - {id: head, type: u1, valid: {expr: _ & 0xf8 == 0x80 and _ & 7 >= 1 and _ & 7 <= 4},
        doc: 'How many bytes the size has (bits 0 to 2), the algorithm, which is zlib (4 to 6), and 1 (7).'}
      - {id: len, type: u1, repeat: expr, repeat-expr: head & 7, doc: 'Size of the content, the highest byte first.'}
      - {id: content, size-eos: true, doc: What is compressed.,
        -wireloom: {codec: {name: zlib, size-decompressed: size, max-expanded: 1073741824}}}
    instances:
      size:
        value: >-
          head & 7 == 1 ? len[0] : head & 7 == 2 ? len[0] << 8 | len[1] : head & 7 == 3 ? len[0] << 16 | len[1] << 8 | len[2]
          : len[0] << 24 | len[1] << 16 | len[2] << 8 | len[3]
        doc: Size of the content.
  payload_field:
    doc: A size, or how the events are compressed.
    params:
      - {id: size_before, type: u8, doc: 'Size of the events, by the fields before.'}
      - {id: algorithm_before, type: u8, doc: 'How they are compressed, by the fields before.'}
      - {id: size_content_before, type: u8, doc: 'Size of what is compressed, by the fields before.'}
    seq:
      - {id: kind, type: packed, doc: 'What it is; 0 for the end.'}
      - {id: len, type: packed, if: kind.value != 0, doc: Size of the value.}
      - {id: value, type: payload_value, size: len.value, if: kind.value >= 1 and kind.value <= 3, doc: The value.}
      - {id: unknown, size: len.value, if: kind.value > 3, doc: A value of later versions.}
    instances:
      size: {value: 'kind.value == 1 ? value.number.value : size_before', doc: Size of the events.}
      algorithm: {value: 'kind.value == 2 ? value.number.value : algorithm_before', doc: '0 for zstd, 255 for none.'}
      size_content: {value: 'kind.value == 3 ? value.number.value : size_content_before', doc: 'Size of what is compressed; 0 if it is not known.'}
  payload_value:
    doc: A number that has all bytes.
    -wireloom: {trailing-bytes: refuse}
    seq: [{id: number, type: packed, doc: The number.}]
  packed:
    doc: A number of one, three, four or nine bytes.
    seq:
      - {id: first, type: u1, valid: {expr: _ != 251 and _ != 255}, -wireloom: {given: true},
        doc: 'The number, or how many bytes it has.'}
      - {id: two, type: u2, if: first == 252 or first == 253, -wireloom: {given: true},
        doc: 'A number of two bytes, or the low ones of three.'}
      - {id: high, type: u1, if: first == 253, -wireloom: {given: true}, doc: The high one of three.}
      - {id: eight, type: u8, if: first == 254, -wireloom: {given: true}, doc: A number of eight.}
    instances:
      value: {value: 'first == 252 ? two : first == 253 ? high << 16 | two : first == 254 ? eight : first', doc: The number.}
  xid:
    doc: The end of a transaction.
    seq: [{id: number, type: u8, doc: Number of the transaction in the server.}]
  fixed_fields:
    doc: The fields with which the data of an event begin at least.
    params: [{id: len, type: u1, doc: Their bytes.}]
    seq: [{id: fields, size: len, doc: The fields.}]
  incident:
    doc: Something that replicas must not ignore.
    seq: [{id: number, type: u2, doc: What it is.}, {id: message, type: short_text, doc: What the server says about it.}]
  user_var:
    doc: A variable that the next statement uses.
    seq:
      - {id: len_name, type: u4, doc: Size of `name`.}
      - {id: name, size: len_name, doc: The name.}
      - {id: is_null, type: u1, doc: Whether it has no value.}
      - {id: type, type: u1, if: is_null == 0, doc: Type of the value.}
      - {id: charset, type: u4, if: is_null == 0, doc: Character set of the value.}
      - {id: len_value, type: u4, if: is_null == 0, doc: Size of `value`.}
      - {id: value, size: len_value, if: is_null == 0, doc: The value.}
  binlog_checkpoint:
    doc: The oldest file that a recovery needs.
    seq: [{id: len_name, type: u4, doc: Size of `name`.}, {id: name, size: len_name, doc: The name.}]
