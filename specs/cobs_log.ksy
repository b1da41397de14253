meta:
  id: cobs_log
  title: COBS record log
  file-extension: cobs
  license: CC0-1.0
  ks-version: '0.11'
  -wireloom:
    rows: records
    columns: [payload]
    max-record: 16777216
doc: |
  Records with a zero byte between them, kept free of zeros by Consistent Overhead Byte Stuffing.

  Each zero of a record is replaced by the distance to the next one, which costs one byte per 254. As in every
  self-synchronising log a reader may start anywhere, and damage costs the records that it hit.

  What the types below describe is a record after un-stuffing. Kaitai's own compiler knows nothing of delimiters and
  stuffing, which stand under `-wireloom`: for it, `records` is one record that fills the stream.
doc-ref:
  - https://doi.org/10.1109/90.769765 Cheshire and Baker, Consistent Overhead Byte Stuffing
seq:
  - id: records
    type: record
    repeat: eos
    doc: The records between the delimiters.
    -wireloom:
      framing:
        delimiter: [0]
        stuffing: cobs
types:
  record:
    doc: One record, un-stuffed.
    seq:
      - id: payload
        size-eos: true
        doc: The content; it may be empty.
