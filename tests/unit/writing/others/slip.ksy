meta: {id: slip, -wireloom: {rows: packets, columns: [payload]}}
seq:
  - id: packets
    type: packet
    repeat: eos
    -wireloom: {framing: {delimiter: 0xC0, stuffing: slip}}
types:
  packet:
    seq: [{id: payload, size-eos: true}]
