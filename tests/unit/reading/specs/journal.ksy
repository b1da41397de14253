meta:
  id: journal
  endian: le
  -wireloom:
    rows: entries
    columns: [kind, stamp, text, flag, weight, more]
    selectable: [size, doubled]
    parent-columns: [version]
seq:
  - id: magic
    contents: JRNL
  - id: version
    type: u2
    valid:
      max: 9
  - id: entries
    type: entry
    repeat: eos
types:
  entry:
    seq:
      - id: size
        type: u1
        valid:
          max: 40
      - id: kind
        type: u1
        enum: kinds
        -wireloom:
          labels: true
      - id: stamp
        type: s8
        -wireloom:
          timestamp: s
      - id: flag
        type: u1
        valid:
          any-of: [0, 1]
      - id: weight
        type: f4
      - id: more
        type: u2
        if: flag == 1
      - id: text
        type: str
        encoding: UTF-8
        size: size
    instances:
      doubled:
        value: size * 2
enums:
  kinds:
    1: start
    2: stop
