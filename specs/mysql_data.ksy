meta:
  id: mysql_data
  title: Data of the events of MySQL's binary logs
  application: [MySQL, MariaDB, Percona Server]
  license: CC0-1.0
  ks-version: '0.11'
  endian: le
  imports: [mysql_events, mysql_gtids]
doc: |
  What the data of an event of a binary log are, by its type. Descriptions of the format and events with others in them
  are in the spec of the file.
doc-ref: https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_replication_binlog_event.html
types:
  content:
    doc: What an event says.
    params:
      - {id: kind, type: u1, enum: types, doc: What kind of event it is.}
      - {id: len_fixed, type: s4, doc: Bytes of the fixed part of the data; 0 if it is not known.}
    seq:
      - id: data
        type:
          switch-on: kind
          cases:
            types::query: &query mysql_events::query(len_fixed, is_compressed)
            types::execute_load_query: *query
            types::query_compressed: *query
            types::table_map: mysql_events::table_map(len_fixed)
            types::pre_ga_write_rows: &rows mysql_events::rows(rows_version, is_update, len_fixed, is_compressed)
            types::pre_ga_update_rows: *rows
            types::pre_ga_delete_rows: *rows
            types::write_rows_v1: *rows
            types::update_rows_v1: *rows
            types::delete_rows_v1: *rows
            types::write_rows: *rows
            types::update_rows: *rows
            types::delete_rows: *rows
            types::partial_update_rows: *rows
            types::write_rows_compressed_v1: *rows
            types::update_rows_compressed_v1: *rows
            types::delete_rows_compressed_v1: *rows
            types::write_rows_compressed: *rows
            types::update_rows_compressed: *rows
            types::delete_rows_compressed: *rows
            types::xid: mysql_events::xid
            types::gtid_log: &gtid_log mysql_events::fixed_fields(25)
            types::anonymous_gtid: *gtid_log
            types::previous_gtids: mysql_gtids::previous_gtids
            types::gtid_list: mysql_gtids::gtid_list
            types::rotate: mysql_events::fixed_fields(8)
            types::intvar: mysql_events::fixed_fields(9)
            types::rand: mysql_events::fixed_fields(16)
            types::begin_load_query: &file mysql_events::fixed_fields(4)
            types::append_block: *file
            types::delete_file: *file
            types::exec_load: *file
            types::start_encryption: mysql_events::fixed_fields(17)
            types::incident: mysql_events::incident
            types::user_var: mysql_events::user_var
            types::binlog_checkpoint: mysql_events::binlog_checkpoint
        doc: The data.
    instances:
      query: {value: data.as<mysql_events::query>, doc: A statement.}
      rows: {value: data.as<mysql_events::rows>, doc: Rows.}
      xid: {value: data.as<mysql_events::xid>, doc: The end of a transaction.}
      has_rows:
        value: >-
          kind.to_i >= 20 and kind.to_i <= 25 or kind.to_i >= 30 and kind.to_i <= 32 or kind == types::partial_update_rows
          or kind.to_i >= 166 and kind.to_i <= 171
        doc: Whether it has rows.
      rows_version:
        value: 'kind.to_i >= 30 and kind.to_i <= 39 or kind.to_i >= 169 ? 2 : 1'
        doc: Version of an event with rows.
      is_update:
        value: >-
          kind == types::pre_ga_update_rows or kind == types::update_rows_v1 or kind == types::update_rows
          or kind == types::partial_update_rows or kind == types::update_rows_compressed_v1
          or kind == types::update_rows_compressed
        doc: Whether it has rows before and after a change.
      is_compressed: {value: kind.to_i >= 165, doc: Whether a statement or rows in it are compressed.}
enums:
  types:
    {
      1: start_v3, 2: query, 3: stop, 4: rotate, 5: intvar, 6: load, 7: slave, 8: create_file, 9: append_block,
      10: exec_load, 11: delete_file, 12: new_load, 13: rand, 14: user_var, 15: format_description, 16: xid,
      17: begin_load_query, 18: execute_load_query, 19: table_map, 20: pre_ga_write_rows, 21: pre_ga_update_rows,
      22: pre_ga_delete_rows, 23: write_rows_v1, 24: update_rows_v1, 25: delete_rows_v1, 26: incident,
      27: heartbeat, 28: ignorable, 29: rows_query, 30: write_rows, 31: update_rows, 32: delete_rows,
      33: gtid_log, 34: anonymous_gtid, 35: previous_gtids, 36: transaction_context, 37: view_change,
      38: xa_prepare, 39: partial_update_rows, 40: transaction_payload, 41: heartbeat_v2, 42: gtid_tagged_log,
      160: annotate_rows, 161: binlog_checkpoint, 162: gtid, 163: gtid_list, 164: start_encryption,
      165: query_compressed, 166: write_rows_compressed_v1, 167: update_rows_compressed_v1,
      168: delete_rows_compressed_v1, 169: write_rows_compressed, 170: update_rows_compressed,
      171: delete_rows_compressed,
    }
