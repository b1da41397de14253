meta:
  id: midi
  endian: be
  -wireloom: {rows: tracks, columns: [body], parent-columns: [format, num_tracks, division]}
seq:
  - {id: magic, contents: MThd}
  - {id: len, type: u4, valid: 6}
  - {id: format, type: u2, -wireloom: {default: 1}}
  - {id: num_tracks, type: u2, -wireloom: {default: 1}}
  - {id: division, type: u2, -wireloom: {default: 480}}
  - {id: tracks, type: track, repeat: eos}
types:
  varint: {-wireloom: {varint: be}}
  track:
    seq:
      - {id: magic, contents: MTrk}
      - {id: len, type: u4}
      - {id: body, type: body, size: len}
  body:
    seq:
      - {id: events, type: event, repeat: eos}
    instances:
      status: {value: 0, -wireloom: {variable: true}}
  event:
    seq:
      - {id: delta, type: varint}
      - {id: first, type: u1}
      - {id: second, type: u1, if: status < 0xf0 and first >= 0x80}
      - {id: third, type: u1, if: status < 0xf0 and status & 0xe0 != 0xc0}
      - {id: kind, type: u1, if: first == 0xff}
      - {id: len, type: varint, if: first >= 0xf0}
      - {id: data, size: len.value, if: first >= 0xf0}
    instances:
      status: {value: 'first >= 0x80 ? first : _parent.status'}
      next: {value: status, -wireloom: {sets: _parent.status}}
