meta:
  id: packet_headers
  title: Headers of captured packets
  application: [libpcap, tcpdump, Wireshark]
  license: CC0-1.0
  ks-version: '0.11'
doc: |
  What captures of packets share: the headers of Ethernet, Linux's cooked captures, loopback interfaces, PPP, Cisco's
  HDLC, IPv4, IPv6 with up to five extension headers, TCP and UDP as columns, computed from the bytes of a packet and the type of its outermost header.

  They are computed and not read, since a capture may have cut a packet anywhere: what is not there is null.
doc-ref: https://www.tcpdump.org/linktypes.html
types:
  packet:
    doc: The headers of a packet.
    params:
      - {id: data, type: bytes, doc: 'The packet, from its outermost header on.'}
      - {id: link, type: u4, doc: 'The type of that header (LINKTYPE). Known are 0, 1, 9, 12, 14, 50, 101, 104, 108, 113, 228, 229, 276.'}
    instances:
      is_cisco:
        value: link == 104 or (link == 50 and data.size > 0 and (data[0] == 0x0f or data[0] == 0x8f))
        doc: Whether it is Cisco's HDLC, with an EtherType.
      is_loopback: {value: link == 0 or link == 108}
      family:
        value: 'not is_loopback or data.size < 4 ? 0 : data[0] + data[1] + data[2] + data[3]'
        doc: The address family of a loopback interface; its number is in one byte, the first or the last of four.
      is_loopback_ip:
        value: family == 2 or family == 10 or family == 23 or family == 24 or family == 28 or family == 30
        doc: Whether it is IPv4 (2) or IPv6, whose number depends on the operating system.
      is_ppp: {value: (link == 9 or link == 50) and not is_cisco}
      at_ppp:
        value: 'is_ppp and data.size >= 2 and data[0] == 0xff and data[1] == 3 ? 2 : 0'
        doc: Where the protocol of PPP begins, after address and control if these are there.
      is_ppp_short:
        value: is_ppp and data.size > at_ppp and data[at_ppp] & 1 == 1
        doc: Whether the protocol is compressed to one byte.
      after_ppp: {value: 'at_ppp + (is_ppp_short ? 1 : 2)'}
      ppp_protocol:
        value: 'not is_ppp or data.size < after_ppp ? 0 : is_ppp_short ? data[at_ppp] : data[at_ppp] << 8 | data[at_ppp + 1]'
      at_type:
        value: 'link == 1 ? 12 : link == 113 ? 14 : link == 276 ? 0 : is_cisco ? 2 : 0x10000000'
        doc: Where the EtherType begins in `data`; after all packets without one.
      after_link:
        value: 'link == 1 ? 14 : link == 113 ? 16 : link == 276 ? 20 : is_cisco or is_loopback ? 4 : is_ppp ? after_ppp : 0'
        doc: Where what follows the outermost header begins, a tag of a VLAN or another header.
      first_type:
        value: 'data.size < after_link or data.size < at_type + 2 ? 0 : data[at_type] << 8 | data[at_type + 1]'
      is_tagged:
        value: (first_type == 0x8100 or first_type == 0x88a8) and data.size >= after_link + 4
      second_type:
        value: 'is_tagged ? data[after_link + 2] << 8 | data[after_link + 3] : first_type'
      is_tagged_twice:
        value: is_tagged and second_type == 0x8100 and data.size >= after_link + 8
      network_type:
        value: 'is_tagged_twice ? data[after_link + 6] << 8 | data[after_link + 7] : second_type'
        doc: The EtherType after the tags of VLANs.
      after_tags:
        value: 'after_link + (is_tagged_twice ? 8 : is_tagged ? 4 : 0)'
      is_raw: {value: link == 101 or link == 228 or link == 229 or link == 12 or link == 14}
      is_bare:
        value: is_raw or is_loopback_ip or ppp_protocol == 0x21 or ppp_protocol == 0x57
        doc: Whether it is IP without an EtherType.
      at_ip:
        value: 'is_bare or network_type == 0x800 or network_type == 0x86dd ? after_tags : 0x10000000'
        doc: Where the header of IP begins in `data`; after all packets without one.
      version: {value: 'data.size > at_ip ? data[at_ip] >> 4 : 0'}
      first_protocol:
        value: 'version == 4 ? data[at_ip + 9] : data[at_ip + 6]'
        doc: The protocol after IP; of IPv6 the type of the first header after its own.
      has_1:
        value: >-
          version == 6 and data.size >= at_ip + 40 + 8 and (first_protocol == 0 or first_protocol == 43
          or first_protocol == 44 or first_protocol == 51 or first_protocol == 60)
        doc: Whether IPv6 has an extension header.
      protocol_1: {value: 'has_1 ? data[at_ip + 40] : first_protocol'}
      after_1:
        value: >-
          not has_1 ? at_ip + 40 : at_ip + 40 + (first_protocol == 44 ? 8
          : first_protocol == 51 ? (data[at_ip + 40 + 1] + 2) * 4 : (data[at_ip + 40 + 1] + 1) * 8)
      later_1:
        value: (has_1 and first_protocol == 44 and (data[at_ip + 40 + 2] | data[at_ip + 40 + 3] & 0xf8) != 0)
      has_2:
        value: >-
          has_1 and data.size >= after_1 + 8 and (protocol_1 == 0 or protocol_1 == 43
          or protocol_1 == 44 or protocol_1 == 51 or protocol_1 == 60)
        doc: Whether IPv6 has another extension header.
      protocol_2: {value: 'has_2 ? data[after_1] : protocol_1'}
      after_2:
        value: >-
          not has_2 ? after_1 : after_1 + (protocol_1 == 44 ? 8
          : protocol_1 == 51 ? (data[after_1 + 1] + 2) * 4 : (data[after_1 + 1] + 1) * 8)
      later_2:
        value: later_1 or (has_2 and protocol_1 == 44 and (data[after_1 + 2] | data[after_1 + 3] & 0xf8) != 0)
      has_3:
        value: >-
          has_2 and data.size >= after_2 + 8 and (protocol_2 == 0 or protocol_2 == 43
          or protocol_2 == 44 or protocol_2 == 51 or protocol_2 == 60)
        doc: Whether IPv6 has another extension header.
      protocol_3: {value: 'has_3 ? data[after_2] : protocol_2'}
      after_3:
        value: >-
          not has_3 ? after_2 : after_2 + (protocol_2 == 44 ? 8
          : protocol_2 == 51 ? (data[after_2 + 1] + 2) * 4 : (data[after_2 + 1] + 1) * 8)
      later_3:
        value: later_2 or (has_3 and protocol_2 == 44 and (data[after_2 + 2] | data[after_2 + 3] & 0xf8) != 0)
      has_4:
        value: >-
          has_3 and data.size >= after_3 + 8 and (protocol_3 == 0 or protocol_3 == 43
          or protocol_3 == 44 or protocol_3 == 51 or protocol_3 == 60)
        doc: Whether IPv6 has another extension header.
      protocol_4: {value: 'has_4 ? data[after_3] : protocol_3'}
      after_4:
        value: >-
          not has_4 ? after_3 : after_3 + (protocol_3 == 44 ? 8
          : protocol_3 == 51 ? (data[after_3 + 1] + 2) * 4 : (data[after_3 + 1] + 1) * 8)
      later_4:
        value: later_3 or (has_4 and protocol_3 == 44 and (data[after_3 + 2] | data[after_3 + 3] & 0xf8) != 0)
      has_5:
        value: >-
          has_4 and data.size >= after_4 + 8 and (protocol_4 == 0 or protocol_4 == 43
          or protocol_4 == 44 or protocol_4 == 51 or protocol_4 == 60)
        doc: Whether IPv6 has another extension header.
      protocol_5: {value: 'has_5 ? data[after_4] : protocol_4'}
      after_5:
        value: >-
          not has_5 ? after_4 : after_4 + (protocol_4 == 44 ? 8
          : protocol_4 == 51 ? (data[after_4 + 1] + 2) * 4 : (data[after_4 + 1] + 1) * 8)
      later_5:
        value: later_4 or (has_5 and protocol_4 == 44 and (data[after_4 + 2] | data[after_4 + 3] & 0xf8) != 0)
      protocol: {value: protocol_5, doc: The protocol after IP and its extension headers.}
      is_extension:
        value: version == 6 and (protocol == 0 or protocol == 43 or protocol == 44 or protocol == 51 or protocol == 60)
        doc: Whether that is an extension header that is not there, or a sixth one.
      at_transport:
        value: >-
          data.size < at_ip + 28 ? 0x10000000 : version == 6 ? (later_5 or is_extension ? 0x10000000 : after_5)
          : (data[at_ip + 6] << 8 | data[at_ip + 7]) & 0x1fff == 0 ? at_ip + (data[at_ip] & 15) * 4 : 0x10000000
        doc: Where the transport layer begins in `data`; after all packets without one, as in later fragments.
      is_tcp: {value: data.size >= at_transport + 20 and protocol == 6}
      is_udp: {value: data.size >= at_transport + 8 and protocol == 17}
      has_transport: {value: is_tcp or is_udp}
      at_payload:
        value: 'is_udp ? at_transport + 8 : at_transport + (data[at_transport + 12] >> 4) * 4'
      ip_len:
        value: >-
          version == 4 ? data[at_ip + 2] << 8 | data[at_ip + 3]
          : (data[at_ip + 4] << 8 | data[at_ip + 5]) != 0 ? (data[at_ip + 4] << 8 | data[at_ip + 5]) + 40 : 0
        doc: Bytes of IP's header and what is in it; 0 where that is not said.
      ip_end: {value: 'ip_len == 0 or at_ip + ip_len > data.size ? data.size : at_ip + ip_len'}
      udp_len: {value: 'data[at_transport + 4] << 8 | data[at_transport + 5]'}
      payload_end:
        value: 'is_udp and udp_len >= 8 and at_transport + udp_len < ip_end ? at_transport + udp_len : ip_end'
      eth_dst:
        value: >-
          data[0] << 40 | data[1] << 32 | data[2] << 24 | data[3] << 16 | data[4] << 8 | data[5]
        if: link == 1 and data.size >= 12
        doc: Destination in Ethernet, a number of 48 bits.
      eth_src:
        value: >-
          data[6] << 40 | data[7] << 32 | data[8] << 24 | data[9] << 16 | data[10] << 8 | data[11]
        if: link == 1 and data.size >= 12
        doc: Source in Ethernet, a number of 48 bits.
      eth_type:
        value: network_type
        if: network_type != 0 and network_type != 0x8100 and network_type != 0x88a8
        doc: EtherType, that after tags of VLANs if there are some; of Linux's cooked captures their protocol.
      vlan:
        value: (data[after_link] << 8 | data[after_link + 1]) & 0xfff
        if: is_tagged
        doc: Number of the VLAN, of the outer one if there are two.
      ip_version:
        value: version
        if: version != 0
        doc: 4 or 6.
      ip_src:
        value: data[at_ip + 12] << 24 | data[at_ip + 13] << 16 | data[at_ip + 14] << 8 | data[at_ip + 15]
        if: version == 4 and data.size >= at_ip + 20
        doc: Source in IPv4, a number of 32 bits.
      ip_dst:
        value: data[at_ip + 16] << 24 | data[at_ip + 17] << 16 | data[at_ip + 18] << 8 | data[at_ip + 19]
        if: version == 4 and data.size >= at_ip + 20
        doc: Destination in IPv4, a number of 32 bits.
      ip6_src:
        value: data
        if: version == 6 and data.size >= at_ip + 40
        -wireloom: {slice: {from: at_ip + 8, to: at_ip + 24}}
        doc: Source in IPv6, 16 bytes.
      ip6_dst:
        value: data
        if: version == 6 and data.size >= at_ip + 40
        -wireloom: {slice: {from: at_ip + 24, to: at_ip + 40}}
        doc: Destination in IPv6, 16 bytes.
      ip_protocol:
        value: protocol
        if: data.size >= at_ip + 20 and not is_extension
        doc: '6: TCP, 17: UDP; of IPv6 what follows its extension headers.'
      ip_ttl:
        value: 'version == 4 ? data[at_ip + 8] : data[at_ip + 7]'
        if: data.size >= at_ip + 20
        doc: Time to live, or hop limit.
      src_port:
        value: data[at_transport] << 8 | data[at_transport + 1]
        if: has_transport
        doc: Source in TCP or UDP.
      dst_port:
        value: data[at_transport + 2] << 8 | data[at_transport + 3]
        if: has_transport
        doc: Destination in TCP or UDP.
      tcp_seq:
        value: >-
          data[at_transport + 4] << 24 | data[at_transport + 5] << 16 | data[at_transport + 6] << 8
          | data[at_transport + 7]
        if: is_tcp
        doc: Sequence number.
      tcp_ack:
        value: >-
          data[at_transport + 8] << 24 | data[at_transport + 9] << 16 | data[at_transport + 10] << 8
          | data[at_transport + 11]
        if: is_tcp
        doc: Acknowledgement number.
      tcp_flags:
        value: (data[at_transport + 12] & 1) << 8 | data[at_transport + 13]
        if: is_tcp
        doc: 'FIN 1, SYN 2, RST 4, PSH 8, ACK 16, URG 32, ECE 64, CWR 128, NS 256.'
      payload_offset:
        value: at_payload
        if: has_transport
        doc: Where the payload of TCP or UDP begins in `data`; at its end or after it where there is none.
      payload:
        value: data
        if: has_transport and at_payload <= data.size
        -wireloom: {slice: {from: at_payload, to: 'payload_end < at_payload ? at_payload : payload_end'}}
        doc: The payload of TCP or UDP, without what pads a frame; as much as was captured.
