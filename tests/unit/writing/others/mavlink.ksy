meta:
  id: mavlink
  endian: le
  -wireloom:
    rows: packets
    columns: [compatible, sequence, system, component, message, payload]
seq:
  - {id: packets, type: packet, repeat: eos}
instances:
  crc_extra: {-wireloom: {table: {0: 50, 2: 137, 30: 39, 253: 83}}}
types:
  packet:
    seq:
      - {id: magic, contents: [0xfd]}
      - {id: len, type: u1}
      - {id: incompatible, type: u1, valid: 0}
      - {id: compatible, type: u1}
      - {id: sequence, type: u1}
      - {id: system, type: u1}
      - {id: component, type: u1}
      - {id: message, type: b24le}
      - {id: payload, size: len}
      - id: crc
        type: u2
        -wireloom:
          checksum:
            {algorithm: crc-16/mcrf4xx, over: [len, payload], extra: '_root.crc_extra[message]', if: _root.crc_extra.has(message)}
