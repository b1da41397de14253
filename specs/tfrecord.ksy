meta:
  id: tfrecord
  title: TFRecord file
  application: TensorFlow
  file-extension: [tfrecord, tfrecords]
  license: CC0-1.0
  ks-version: '0.11'
  endian: le
  -wireloom:
    rows: records
    ranges: search
    columns: [data]
    selectable: [len_data]
doc: |
  Records of TensorFlow and of the tools around it, back to back: each has its length before it, and both a checksum.

  What the records are is not in the file. Mostly they are protobuf messages of the type `tensorflow.Example`, which the
  format `tf_example` decodes. A file may be compressed as a whole, with gzip. TensorBoard's event files have the same
  layout.

  The length has a checksum of its own. Where it does not match, nothing says where the next record begins; the option
  `recover` searches for it.
doc-ref: https://www.tensorflow.org/tutorials/load_data/tfrecord
seq:
  - id: records
    type: record
    repeat: eos
    doc: The records, to the end of the file.
types:
  record:
    doc: One record.
    seq:
      - id: len_data
        type: u8
        doc: Size of `data` in bytes.
      - id: len_crc
        type: u4
        doc: Masked CRC-32C of `len_data`.
        -wireloom:
          checksum:
            algorithm: crc32c
            over: len_data
            # Rotated and added to, since the CRC of bytes that contain their CRC says little.
            stored: &mask (_ >> 15 | _ << 17) + 0xa282ead8
      - id: data
        size: len_data
        doc: The record.
      - id: data_crc
        type: u4
        doc: Masked CRC-32C of `data`.
        -wireloom: {checksum: {algorithm: crc32c, over: data, stored: *mask}}
