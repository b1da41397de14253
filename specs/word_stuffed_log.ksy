meta:
  id: word_stuffed_log
  title: Word-stuffed record log
  application: Backtrace
  file-extension: wsl
  license: CC0-1.0
  ks-version: '0.11'
  endian: le
  -wireloom:
    rows: records
    columns: [generation, payload]
    selectable: [crc]
    # The C library stops at 512 bytes of payload; here it is an option, and this its default.
    max-record: 16777216
doc: |
  A log that finds its records again after any damage.

  The two bytes FE FD stand between records and nowhere inside them: each record is stuffed, that is, encoded so that
  they cannot occur in it, at the price of a few bytes per 64 kilobytes. A reader that starts anywhere in the file, or
  meets bytes that make no sense, looks for the next FE FD and is back in step. Many writers may append to one file.

  What the types below describe is a record after un-stuffing. Kaitai's own compiler knows nothing of delimiters and
  stuffing, which stand under `-wireloom`: for it, `records` is one record that fills the stream.
doc-ref:
  - https://github.com/backtrace-labs/stuffed-record-stream The reference implementation, in C
seq:
  - id: records
    type: record
    repeat: eos
    doc: The records between the delimiters.
    -wireloom:
      framing:
        delimiter: [0xfe, 0xfd]
        # Consistent overhead word stuffing: a header tells how far it is to where FE FD was taken out.
        stuffing: word
types:
  record:
    doc: One record, un-stuffed.
    seq:
      - id: crc
        type: u4
        doc: |
          Checksum of the whole record with these four bytes set to FF.

          The polynomial is that of CRC-32C, but the initial value and the final xor are 0, so it is not the usual
          CRC-32C of those bytes.
        -wireloom:
          checksum:
            algorithm: crc32c
            # From its own bytes to the end of the record …
            over: [crc, payload]
            initial: 0
            final-xor: 0
            # … with its own bytes taken as FF FF FF FF, since they are not known while it is computed.
            replace: 0xff
      - id: generation
        type: u4
        doc: A number of the writer's choice, such as the version of the payload's encoding.
      - id: payload
        size-eos: true
        doc: The content, up to the end of the record; it may be empty.
