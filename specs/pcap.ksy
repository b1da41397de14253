meta:
  id: pcap
  title: Packet capture
  application: [libpcap, tcpdump, Wireshark]
  file-extension: [pcap, cap, dmp]
  license: CC0-1.0
  ks-version: '0.11'
  imports: packet_headers
  -wireloom:
    rows: packets
    columns: [ts, incl_len, orig_len, data]
    evidence: incl_len == orig_len or incl_len == snaplen
    selectable:
      - ts_sec
      - ts_frac
      - network
      - snaplen
      - modified
      - eth_dst
      - eth_src
      - eth_type
      - vlan
      - ip_version
      - ip_src
      - ip_dst
      - ip6_src
      - ip6_dst
      - ip_protocol
      - ip_ttl
      - src_port
      - dst_port
      - tcp_seq
      - tcp_ack
      - tcp_flags
      - payload_offset
      - payload
doc: |
  Packets of a network, as tcpdump and everything that is made of libpcap captures them: a header, then the packets one
  after the other. The byte order is that of the machine that captured, and the magic number says which one it is. It
  also says whether times are in microseconds or nanoseconds, or that the headers of packets are those of A. Kuznetsov's
  modified tcpdump.

  Files of versions before 2.3, and of DG/UX (543.0), have the two lengths of a packet in the other order, and some of
  version 2.3. There, a packet of which more was captured than there was is taken for one, as libpcap does.

  There are no checksums. A packet whose length is damaged is not told from a long one, so that the packets after it are
  lost up to where the option `recover` finds three in a row that make sense. For the same reason a file has no split
  points: no packet can be told from bytes inside of another one.

  Columns of Ethernet (also with tags of VLANs), IPv4, IPv6, TCP and UDP, and their payload, can be selected. The link
  types are Ethernet, Linux's cooked captures (SLL and SLL2), loopback interfaces of BSD, PPP, Cisco's HDLC and raw IP.
  The columns are null where the packet has no such header, or it is not captured as a whole. Up to five extension
  headers of IPv6 are passed over.
doc-ref: https://datatracker.ietf.org/doc/draft-ietf-opsawg-pcap/
seq:
  - id: magic
    type: u4le
    valid: {any-of: [0xa1b2c3d4, 0xd4c3b2a1, 0xa1b23c4d, 0x4d3cb2a1, 0xa1b2cd34, 0x34cdb2a1]}
    doc: |
      0xa1b2c3d4 with times in microseconds, 0xa1b23c4d in nanoseconds, 0xa1b2cd34 with longer headers of packets; in the
      byte order of the file.
    -wireloom: {default: 0xa1b23c4d}
  - id: header
    type: header
    doc: The rest of the header.
  - id: packets
    type: packet
    repeat: eos
    doc: The packets, to the end of the file.
instances:
  ns_per_unit:
    value: 'magic == 0xa1b23c4d or magic == 0x4d3cb2a1 ? 1 : 1000'
    doc: Nanoseconds in a unit of `ts_frac`.
  is_modified: {value: magic == 0xa1b2cd34 or magic == 0x34cdb2a1, doc: Whether headers of packets are 8 bytes longer.}
types:
  header:
    doc: What is known of all packets.
    meta: {endian: {switch-on: _root.magic, cases: {0xa1b2c3d4: le, 0xa1b23c4d: le, 0xa1b2cd34: le, _: be}}}
    seq:
      - id: version_major
        type: u2
        doc: 2 since 1998.
        -wireloom: {default: 2}
      - id: version_minor
        type: u2
        doc: 4 since 1998.
        -wireloom: {default: 4}
      - id: thiszone
        type: s4
        doc: Not used; 0.
        -wireloom: {default: 0}
      - id: sigfigs
        type: u4
        doc: Not used; 0.
        -wireloom: {default: 0}
      - id: snaplen
        type: u4
        doc: The most bytes of a packet that were captured.
        -wireloom: {default: 262144}
      - id: network
        type: u4
        doc: The type of the packets' outermost header (LINKTYPE); 1 is Ethernet.
        -wireloom: {default: 1}
    instances:
      swaps:
        value: >-
          version_major == 543 or version_major == 2 and version_minor < 3 ? 2
          : version_major == 2 and version_minor == 3 ? 1 : 0
        doc: 2 where the lengths of packets are swapped, 1 where they are if the first one is larger.
  packet:
    doc: One packet.
    -wireloom: {instances-of: 'packet_headers::packet'}
    meta: {endian: {switch-on: _root.magic, cases: {0xa1b2c3d4: le, 0xa1b23c4d: le, 0xa1b2cd34: le, _: be}}}
    seq:
      - id: ts_sec
        type: u4
        doc: Seconds since the Unix epoch.
        -wireloom: {default: ts / 1000000000}
      - id: ts_frac
        type: u4
        doc: Microseconds, or nanoseconds, in this second.
        -wireloom: {default: ts % 1000000000 / _root.ns_per_unit}
      - id: first_len
        type: u4
        doc: Bytes of the packet in the file; where lengths are swapped, on the network.
        -wireloom: {default: data.size}
      - id: second_len
        type: u4
        valid: {expr: incl_len <= 0x8000000}
        doc: Bytes of the packet on the network; where lengths are swapped, in the file.
        -wireloom: {default: 'orig_len > 0 ? orig_len : data.size'}
      - id: modified
        size: 8
        if: _root.is_modified
        doc: 'Index of the interface (4 bytes), protocol (2), direction (1) and a zero, of the modified tcpdump.'
      - id: data
        size: incl_len
        doc: The packet, from its outermost header on.
    instances:
      is_swapped:
        value: _root.header.swaps > 1 or _root.header.swaps == 1 and first_len > second_len
        doc: Whether the lengths are in the other order.
      incl_len: {value: 'is_swapped ? second_len : first_len', doc: Bytes of the packet in the file.}
      orig_len: {value: 'is_swapped ? first_len : second_len', doc: Bytes of the packet on the network., -wireloom: {default: 0}}
      ts:
        value: ts_sec * 1000000000 + ts_frac * _root.ns_per_unit
        doc: When the packet was captured.
        -wireloom: {timestamp: ns}
      snaplen:
        value: _root.header.snaplen
        doc: The most bytes of a packet that were captured.
      network:
        value: _root.header.network
        doc: The type of the packet's outermost header (LINKTYPE); 1 is Ethernet.
      link: {value: network & 0xffff, doc: The same without the flags that may stand beside it.}
