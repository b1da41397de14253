meta:
  id: pcapng_blocks
  title: Blocks of pcapng besides packets
  application: [Wireshark, systemd]
  license: CC0-1.0
  ks-version: '0.11'
doc: |
  What blocks of pcapng hold that are neither packets nor say something about them. `magic` is the byte-order magic of
  the section, as a little-endian number.
doc-ref:
  - https://datatracker.ietf.org/doc/draft-ietf-opsawg-pcapng/
  - https://systemd.io/JOURNAL_EXPORT_FORMATS/
types:
  secrets:
    doc: Secrets for decryption.
    meta: {endian: &order {switch-on: magic, cases: {0x1a2b3c4d: le, _: be}}}
    params: [{id: magic, type: u4, doc: The byte order.}]
    seq:
      - {id: secrets_type, type: u4, enum: secrets_type, doc: Which ones.}
      - {id: len, type: u4, doc: Bytes of the secrets.}
      - {id: data, size: len, doc: 'The secrets: of TLS the lines of a key log.'}
      - {id: padding, size: -len & 3, doc: To four bytes.}
      - {id: options, type: option, repeat: until, repeat-until: _.code == 0 or _io.eof, if: not _io.eof,
          doc: Such as comments.}
    instances:
      name: {value: secrets_type, -wireloom: {labels: true}, doc: The name of `secrets_type`.}
    types:
      option:
        doc: An option of a block.
        -wireloom: {columns: [code, value]}
        seq:
          - {id: code, type: u2, doc: '0 ends the options, 1 is a comment.'}
          - {id: len, type: u2, doc: Bytes of the value.}
          - {id: value, size: len, doc: The value.}
          - {id: padding, size: -len & 3, doc: To four bytes.}
  custom:
    doc: A block of an organization.
    meta: {endian: *order}
    params:
      - {id: magic, type: u4, doc: The byte order.}
      - {id: is_fixed, type: u4, doc: Whether the block belongs to this file alone.}
    seq:
      - {id: pen, type: u4, doc: The number of the organization at the IANA.}
      - {id: data, size-eos: true, doc: 'What the block holds, to its end.'}
    instances:
      may_be_copied: {value: is_fixed == 0, doc: Whether programs that do not know the block may copy it to another file.}
  journal:
    doc: An entry of a journal of systemd.
    seq:
      - {id: entry, type: journal_entry, size-eos: true, pad-right: 0, doc: The entry.}
    instances:
      fields: {value: entry.fields, doc: 'Names and values, in the order of the entry.'}
  journal_entry:
    doc: Fields, and perhaps an empty line.
    seq:
      - {id: fields, type: journal_field, repeat: until, repeat-until: _io.size - _io.pos < 3, if: _io.size > 2,
          doc: Names and values., -wireloom: {map: {key: line.name, value: value}}}
      - {id: end, size-eos: true, doc: An empty line.}
  journal_field:
    doc: A name and a value.
    seq:
      - {id: line, type: journal_line, terminator: 10, eos-error: false, doc: The name and a value of text.}
      - {id: len, type: u8le, if: line.is_binary, doc: Bytes of the value.}
      - {id: content, size: len, if: line.is_binary, doc: 'A value that has line breaks, or is no text.'}
      - {id: end, contents: [10], if: line.is_binary, doc: A line break.}
    instances:
      value: {value: 'line.is_binary ? content : line.text', doc: The value.}
  journal_line:
    doc: A name, with a value of text unless the line ends with it.
    seq:
      - {id: name, type: str, encoding: UTF-8, terminator: 61, consume: false, eos-error: false, doc: The name.}
      - {id: equals, type: u1, repeat: expr, repeat-expr: '_io.eof ? 0 : 1', doc: '`=`, if there is a value.'}
      - {id: text, size-eos: true, doc: The value.}
    instances:
      is_binary: {value: equals.size == 0, doc: Whether the value follows the line.}
enums:
  secrets_type:
    0x544c534b: tls_key_log
    0x5353484b: ssh_key_log
    0x57474b4c: wireguard_key_log
    0x5a4e574b: zigbee_nwk_key
    0x5a415053: zigbee_aps_key
    0x55414b4c: opc_ua_key_log
