meta:
  id: hex_lines
  title: Lines of hexadecimal digits
  -wireloom:
    rows: lines
doc: Content without stuffing and checksum, between delimiters of two bytes.
seq:
  - id: lines
    type: line
    repeat: eos
    -wireloom:
      framing:
        delimiter: [0x0d, 0x0a]
        stuffing: none
types:
  line:
    seq:
      - id: payload
        size-eos: true
