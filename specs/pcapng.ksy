meta:
  id: pcapng
  title: Packet capture, next generation
  application: [Wireshark, tcpdump]
  file-extension: [pcapng, ntar]
  license: CC0-1.0
  ks-version: '0.11'
  imports: [packet_headers, pcapng_blocks]
  -wireloom:
    nonempty: true
    tables:
      packets:
        doc: The packets, of enhanced, simple and obsolete packet blocks.
        rows: blocks.body.content.as<packet>
        columns: [interface_id, ts, captured_len, original_len, data]
        selectable:
          [kind, linktype, drops, options, eth_dst, eth_src, eth_type, vlan, ip_version, ip_src, ip_dst, ip6_src, ip6_dst,
          ip_protocol, ip_ttl, src_port, dst_port, tcp_seq, tcp_ack, tcp_flags, payload_offset, payload]
      interfaces: {doc: 'The interfaces, each with the resolution of the times of its packets.',
        rows: blocks.body.content.as<interface>, columns: [linktype, snaplen, tsresol, tsoffset, options]}
      sections: {doc: The sections., rows: blocks.body.content.as<section>, columns: [version_major, version_minor, len_section, options]}
      names: {doc: Addresses and their names., rows: blocks.body.content.as<name_resolution>.records.body,
        where: _parent.is_known, columns: [kind, address, names]}
      statistics: {doc: Statistics of interfaces., rows: blocks.body.content.as<interface_statistics>, columns: [interface_id, ts, options]}
      secrets: {doc: Secrets for decryption., rows: 'blocks.body.content.as<pcapng_blocks::secrets>', columns: [secrets_type, name, data, options]}
      custom: {doc: Blocks of organizations., rows: 'blocks.body.content.as<pcapng_blocks::custom>', columns: [pen, may_be_copied, data]}
      journal: {doc: Entries of systemd's journal., rows: 'blocks.body.content.as<pcapng_blocks::journal>', columns: [fields]}
      blocks: {doc: 'All blocks, known or not.', rows: blocks, columns: [kind, len]}
doc: |
  Packets of networks, as Wireshark captures them: blocks, each with its length before and after it. A section begins
  with the byte order of all of its blocks; it declares the interfaces on which packets were captured, and for each of
  them the unit of its times. Sections may follow each other.

  The two lengths of a block must be the same. Where they are not, or a block is damaged in another way, the packets
  after it have the order and the interfaces that were known before it. What has been lost may have declared an
  interface, so those that are declared later in the section have no number. A packet of an interface that is not
  known for that reason, or whose declaration is damaged, has no time; another one of an interface that is not
  declared is damage. For what the blocks before it say, a file has no split points.

  The columns of headers are those of the format `pcap`, by the link type of the packet's interface. Custom blocks have
  no sizes, so that their data may end with options.
doc-ref: https://datatracker.ietf.org/doc/draft-ietf-opsawg-pcapng/
seq:
  - {id: blocks, type: block, repeat: eos, doc: 'The blocks, to the end of the file.'}
instances:
  magic: {value: 0x1a2b3c4d, -wireloom: {variable: true}, doc: Byte-order magic of the section.}
  position: {value: 0, -wireloom: {variable: true}, doc: Where the last block ended.}
  lost: {value: 0, -wireloom: {variable: true}, doc: How many blocks of the section may have been lost.}
  is_begun: {value: 0, -wireloom: {variable: true}, doc: Whether there was a block.}
  len_start: {value: 0, -wireloom: {variable: true}, doc: Length of the block with which the section begins.}
  first: {value: 1, -wireloom: {variable: true}, doc: Number of its first interface among all of the file.}
  multiplier: {value: 1000, -wireloom: {variable: true}, doc: Nanoseconds in a unit of the interface's times.}
  divisor: {value: 1, -wireloom: {variable: true}, doc: Units in so many nanoseconds; 0 where that is beyond counting.}
  offset: {value: 0, -wireloom: {variable: true}, doc: Seconds to add to the interface's times.}
  linktype: {value: 0, -wireloom: {variable: true}, doc: Of the interface.}
  snaplen: {value: 0, -wireloom: {variable: true}, doc: Of the interface.}
  is_read: {value: 0, -wireloom: {variable: true}, doc: Whether the block declares an interface that is not damaged.}
  multipliers: &of_all {value: '[0]', -wireloom: {variable: true}, doc: 'Of all interfaces, from the item 1 on.'}
  divisors: *of_all
  offsets: *of_all
  linktypes: *of_all
  snaplens: *of_all
types:
  block:
    doc: A block.
    meta: {endian: &order {switch-on: _root.magic, cases: {0x1a2b3c4d: le, _: be}}}
    seq:
      - {id: kind, type: u4, doc: '0x0a0d0d0a begins a section, in either byte order.'}
      - {id: len_head, type: u4, doc: Length of the block in the order of the section before it.}
      - {id: start, type: start, if: kind == 0x0a0d0d0a, doc: Byte order of the section.}
      - {id: body, type: body, size: 'kind == 0x0a0d0d0a ? len - 16 : len - 12', doc: What the block holds.}
      - {id: declared, type: declared, if: kind == 1 and _root.lost == 0 and _io.pos - len + 4 == _root.position, doc: The end of an interface's declaration.}
      - {id: end, type: end, doc: The length again.}
      - {id: nothing, size: 0, valid: {expr: kind == 0x0a0d0d0a or _root.is_begun > 0}, doc: 'No bytes: the first block begins a section.'}
    instances:
      len: {value: 'kind == 0x0a0d0d0a ? _root.len_start : len_head', doc: Length of the block.}
      begins: {value: 1, -wireloom: {sets: _root.is_begun}}
  start:
    doc: The byte order of a section. The length before it is in that order too.
    seq:
      - {id: magic, type: u4le, valid: {any-of: [0x1a2b3c4d, 0x4d3c2b1a]}, doc: As a little-endian number.}
    instances:
      turned: {value: _parent.len_head}
      len: {doc: Length of the block., -wireloom: {sets: _root.len_start}, value: 'magic == _root.magic ? turned
          : (turned & 255) << 24 | (turned & 0xff00) << 8 | turned >> 8 & 0xff00 | turned >> 24'}
      order: {value: magic, -wireloom: {sets: _root.magic}, doc: Byte order of what follows.}
  end:
    doc: The end of a block.
    meta: {endian: *order}
    seq:
      - {id: len, type: u4, doc: Length of the block once more.}
      - {id: same, size: 0, valid: {expr: len == _parent.len}, doc: 'No bytes: whether that is the length.'}
    instances:
      # A block that is lost, or blocks that a wrong length covers, may have declared interfaces.
      lost: {value: '(_parent.kind == 0x0a0d0d0a ? 0 : _root.lost + (_io.pos - _parent.len != _root.position ? 1 : 0))
          + (len != _parent.len ? 1 : 0)', -wireloom: {sets: _root.lost}}
      position: {value: _io.pos, -wireloom: {sets: _root.position}}
      next: {value: 0, -wireloom: {sets: _root.is_read}}
  declared:
    doc: What is kept of an interface for its packets.
    instances:
      multiplier: {value: _root.multiplier, -wireloom: {sets: _root.multipliers}}
      divisor: {value: '_root.is_read > 0 ? _root.divisor : 0', -wireloom: {sets: _root.divisors}}
      offset: {value: _root.offset, -wireloom: {sets: _root.offsets}}
      linktype: {value: '_root.is_read > 0 ? _root.linktype : 0x10000', -wireloom: {sets: _root.linktypes}}
      snaplen: {value: _root.snaplen, -wireloom: {sets: _root.snaplens}}
  body:
    doc: What a block holds.
    meta: {endian: *order}
    seq:
      - {id: magic, type: u4le, if: is_other and _io.size > 15, valid: {expr: _ != 0x1a2b3c4d and _ != 0x4d3c2b1a}, doc: 'No byte-order magic: the block would begin a section.'}
      - {id: content, doc: Blocks of other kinds are passed over., type: {switch-on: _parent.kind, cases: {1: interface,
          2: packet(2), 3: packet(3), 4: name_resolution, 5: interface_statistics, 6: packet(6), 9: 'pcapng_blocks::journal',
          10: 'pcapng_blocks::secrets(_root.magic)', 0x0a0d0d0a: section, 0xbad: 'pcapng_blocks::custom(_root.magic, 0)',
          0x40000bad: 'pcapng_blocks::custom(_root.magic, 1)'}}}
    instances:
      is_other: {value: '_parent.kind > 6 and _parent.kind != 9 and _parent.kind != 10 and _parent.kind != 0x0a0d0d0a
          and _parent.kind & 0xbfffffff != 0xbad', doc: Whether nothing is known of the kind.}
    types:
      section:
        doc: The beginning of a section.
        seq:
          - {id: version_major, type: u2, doc: '1.'}
          - {id: version_minor, type: u2, doc: 0 or 2.}
          - {id: len_section, type: s8, doc: Bytes of the other blocks of the section; -1 if it is not known.}
          - {id: options, type: option, repeat: until, repeat-until: _.code == 0 or _io.eof, if: not _io.eof,
              doc: Such as the program that has written it.}
        instances:
          first: {value: _root.linktypes.size, -wireloom: {sets: _root.first}, doc: Number of its first interface.}
      interface:
        doc: An interface on which packets were captured.
        seq:
          - {id: head, type: interface_head}
          - {id: options, type: interface_option, repeat: until, repeat-until: _.code == 0 or _io.eof, if: not _io.eof,
              doc: 'Such as its name, and the unit of its times.'}
        instances:
          linktype: {value: head.linktype, doc: Type of the packets' outermost header (LINKTYPE); 1 is Ethernet.}
          snaplen: {value: head.snaplen, doc: The most bytes of a packet that were captured; 0 for all.}
          tsresol: {value: 6, -wireloom: {variable: true}, doc: 'Unit of times: 10 to the power of -n seconds, or of 2 for 128 + n.'}
          tsoffset: {value: 0, -wireloom: {variable: true}, doc: Seconds to add to times.}
          ends: {value: 1, -wireloom: {sets: _root.is_read}}
      interface_head:
        doc: What every interface says.
        seq: [{id: linktype, type: u2}, {id: reserved, type: u2}, {id: snaplen, type: u4}]
        instances:
          {is_of_type: {value: linktype, -wireloom: {sets: _root.linktype}}, captures: {value: snaplen, -wireloom: {sets: _root.snaplen}},
          in_microseconds: {value: 1000, -wireloom: {sets: _root.multiplier}}, undivided: {value: 1, -wireloom: {sets: _root.divisor}}, without_offset: {value: 0, -wireloom: {sets: _root.offset}}}
      interface_option:
        doc: An option of an interface.
        -wireloom: {columns: [code, value]}
        seq:
          - {id: code, type: u2, doc: '2: its name, 9: the unit of times, 14: seconds to add to them.'}
          - {id: len, type: u2}
          - {id: tsresol, type: tsresol, size: len, if: code == 9}
          - {id: tsoffset, type: tsoffset, size: len, if: code == 14}
          - {id: value, size: len, if: code != 9 and code != 14}
          - {id: padding, size: -len & 3}
      tsresol:
        doc: The unit of times.
        seq: [{id: unit, type: u1}]
        instances:
          power: {value: unit & 127}
          digits: {value: 'power > 9 ? power - 9 : 9 - power'}
          ten: {doc: 10 to the power of the digits., value: '(digits & 1 != 0 ? 10 : 1) * (digits & 2 != 0 ? 100 : 1)
              * (digits & 4 != 0 ? 10000 : 1) * (digits & 8 != 0 ? 100000000 : 1)
              * (digits & 16 != 0 ? 10000000000000000 : 1)'}
          multiplier: {value: 'unit > 127 ? 1000000000 : power > 9 ? 1 : ten', -wireloom: {sets: _root.multiplier}}
          divisor: {value: 'unit > 127 ? (power > 62 ? 0 : 1 << (power & 63)) : power > 27 ? 0 : power > 9 ? ten : 1',
            -wireloom: {sets: _root.divisor}}
          known: {value: unit, -wireloom: {sets: _parent._parent.tsresol}}
      tsoffset:
        doc: Seconds to add to times.
        seq: [{id: seconds, type: s8}]
        instances: {offset: {value: seconds, -wireloom: {sets: _root.offset}}, known: {value: seconds, -wireloom: {sets: _parent._parent.tsoffset}}}
      packet:
        doc: A packet.
        -wireloom: {instances-of: 'packet_headers::packet'}
        params: [{id: kind, type: u4, doc: '6: enhanced; 3: simple, of the first interface, without a time; 2: obsolete.'}]
        seq:
          - {id: interface, type: u4, if: kind == 6}
          - {id: interface_of_old, type: u2, if: kind == 2}
          - {id: is_possible, size: 0, valid: {expr: is_declared or _root.lost > 0},
              doc: 'No bytes: whether the section declares the interface, or what has been lost of it may have.'}
          - {id: drops, type: u2, if: kind == 2, doc: Packets lost between this one and the one before.}
          - {id: ts_high, type: u4, if: kind != 3}
          - {id: ts_low, type: u4, if: kind != 3}
          - {id: len_captured, type: u4, if: kind != 3}
          - {id: original_len, type: u4, doc: Bytes of the packet on the network.}
          - {id: data, size: captured_len, doc: 'The packet, from its outermost header on.'}
          - {id: padding, size: -captured_len & 3}
          - {id: options, type: option, repeat: until, repeat-until: _.code == 0 or _io.eof,
              if: kind != 3 and not _io.eof, doc: Such as comments and flags.}
        instances:
          interface_id: {value: 'kind == 6 ? interface : kind == 2 ? interface_of_old : 0', doc: Number of the interface in its section.}
          limit: {value: '_root.snaplens[_root.first]'}
          cut_len: {value: 'limit > 0 and limit < original_len ? limit : original_len'}
          captured_len: {value: 'kind != 3 ? len_captured : cut_len', doc: Bytes of the packet in the file.}
          index: {value: _root.first + interface_id}
          is_declared: {value: interface_id < _root.linktypes.size - _root.first}
          linktype: {value: link, if: link < 0x10000, doc: Type of the packet's outermost header (LINKTYPE); 1 is Ethernet.}
          link: {value: 'is_declared ? _root.linktypes[index] : 0x10000', doc: The same where it is known.}
          units: {value: ts_high << 32 | ts_low, if: kind != 3}
          ts: {value: &ts '(ts_high << 32 | ts_low) * (_root.multipliers[index] & 0x3fffffff) / _root.divisors[index]
              + _root.offsets[index] * 1000000000',
            if: 'kind != 3 and is_declared and _root.divisors[index] > 0', -wireloom: {timestamp: ns},
            doc: When the packet was captured.}
      name_resolution:
        doc: Addresses and their names.
        seq:
          - {id: records, type: record, repeat: until, repeat-until: _.kind == 0 or _io.eof, if: not _io.eof}
          - {id: options, type: option, repeat: until, repeat-until: _.code == 0 or _io.eof, if: not _io.eof,
              doc: Such as the server that was asked.}
      record:
        doc: An address and its names.
        seq:
          - {id: kind, type: u2, doc: '1: IPv4, 2: IPv6, 3: EUI-48, 4: EUI-64; 0 is no record and ends the list.'}
          - {id: len, type: u2}
          - {id: body, type: record_body, size: len}
          - {id: padding, size: -len & 3}
        instances: {is_known: {value: kind >= 1 and kind <= 4, doc: Whether readers know its kind; they pass over others.}}
      record_body:
        seq:
          - {id: address, doc: 'The address, in network order.',
            size: '_parent.kind == 1 ? 4 : _parent.kind == 2 ? 16 : _parent.kind == 3 ? 6 : _parent.kind == 4 ? 8 : 0'}
          - {id: names, type: strz, encoding: UTF-8, repeat: eos, if: _parent.is_known, doc: Its names.}
      interface_statistics:
        doc: Statistics of an interface.
        seq: [{id: interface_id, type: u4, doc: Number of the interface in its section.}, {id: ts_high, type: u4}, {id: ts_low, type: u4},
          {id: options, type: option, repeat: until, repeat-until: _.code == 0 or _io.eof, if: not _io.eof,
            doc: 'Such as packets received (4) and dropped (5).'}]
        instances:
          index: {value: _root.first + interface_id}
          ts: {value: *ts, if: 'interface_id < _root.linktypes.size - _root.first and _root.divisors[index] > 0',
            -wireloom: {timestamp: ns}, doc: When the statistics were taken.}
      option:
        doc: An option of a block.
        -wireloom: {columns: [code, value]}
        seq: [{id: code, type: u2, doc: '0 ends the options, 1 is a comment; others depend on the block.'},
          {id: len, type: u2}, {id: value, size: len}, {id: padding, size: -len & 3}]
