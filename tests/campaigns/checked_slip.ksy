meta:
  id: checked_slip
  title: SLIP log with checksums
  endian: le
  -wireloom:
    rows: records
    columns: [generation, payload]
doc: A log of SLIP whose records have the header of a word-stuffed log.
seq:
  - id: records
    type: record
    repeat: eos
    -wireloom:
      framing:
        delimiter: 0xc0
        stuffing: slip
types:
  record:
    seq:
      - id: crc
        type: u4
        -wireloom:
          checksum:
            algorithm: crc32c
            over: [crc, payload]
            initial: 0
            final-xor: 0
            replace: 0xff
      - id: generation
        type: u4
      - id: payload
        size-eos: true
