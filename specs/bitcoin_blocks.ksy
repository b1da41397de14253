meta:
  id: bitcoin_blocks
  title: Block file of Bitcoin Core
  application: [Bitcoin Core, Bitcoin Knots]
  file-extension: dat
  license: CC0-1.0
  ks-version: '0.11'
  endian: le
  -wireloom:
    preallocated: true
    xor-key-file: xor.dat
    options:
      network:
        variable: network
        values: {litecoin: 0xdbb6c0fb, litecoin_testnet: 0xf1c8d2fd}
        doc: A network besides those of Bitcoin, or the magic number of a signet, whose last byte in files is the highest.
      merkle_roots:
        variable: merkle_roots
        values: {verify: 1}
        doc: Compare the merkle root of each block with its transactions (verify).
    advice: >-
      nodes since version 28 obfuscate their files with the key in xor.dat, which has to lie beside them; blocks of other
      networks need the option network
    tables:
      blocks:
        doc: The blocks, in the order in which the node received them.
        rows: blocks
        columns: [hash, version, prev_hash, merkle_root, time, bits, nonce, num_transactions]
        selectable: [magic, size]
      transactions:
        doc: The transactions of all blocks, with what they spend and pay.
        rows: blocks.body.transactions
        columns: [txid, version, inputs, outputs, witnesses, lock_time]
        selectable: [wtxid, is_segwit, hash, prev_hash, merkle_root, time]
      inputs:
        doc: What transactions spend.
        rows: blocks.body.transactions.inputs
        columns: [tx_hash, output, script, sequence]
        selectable: [txid, hash, merkle_root, time]
      outputs:
        doc: What transactions pay.
        rows: blocks.body.transactions.outputs
        columns: [value, script]
        selectable: [txid, hash, merkle_root, time]
doc: |
  The files `blk00000.dat` and so on in which a node keeps the blocks of the chain, those of branches among them: each
  with the magic number of its network and its size before it. The newest file ends with zeros, which are space for
  blocks to come: nodes allocate 16 MiB at once, and search for the next magic number when they read a file.

  Hashes are 32 bytes in the order in which SHA-256 makes them and files contain them; programs show them in the reverse
  order. Blocks and transactions do not contain their own hashes, but the next block and the inputs that spend their
  outputs do: the columns `hash` and `txid` are computed. Merkle roots are verified with the option
  `merkle_roots=verify`; there are no other checksums. A file has no split points; nodes end it at 128 MiB, which is
  what a task reads.

  Since version 28 nodes obfuscate new files: byte n is XORed with byte n % 8 of the key in `blocks/xor.dat`, unless the
  key is zero. The key is read from `xor.dat` beside a local file; for other inputs the option `codec=xor:KEY` has it,
  in hexadecimal. Offsets are the same in both.
doc-ref: https://developer.bitcoin.org/reference/block_chain.html
seq:
  - id: blocks
    type: block
    repeat: eos
    doc: The blocks, to the end of the file.
instances:
  network: {value: 0xd9b4bef9, -wireloom: {variable: true}, doc: Another network whose blocks are read.}
  merkle_roots: {value: 0, -wireloom: {variable: true}, doc: Whether merkle roots are verified (1).}
types:
  block:
    doc: A block with its length.
    seq:
      - id: magic
        type: u4
        valid: {any-of: [0xd9b4bef9, 0x0709110b, 0x283f161c, 0x40cf030a, 0xdab5bffa, _root.network]}
        doc: |
          The network, which is the main one (0xd9b4bef9), one for tests (versions 3 and 4), signet, regtest, or that of
          the option `network`.
      - id: size
        type: u4
        valid: {min: 81}
        doc: Bytes of the block that follow this field.
      - {id: version, type: s4, doc: 'Version of the rules, with bits that vote on others.'}
      - {id: prev_hash, size: 32, doc: Hash of the block before it in the chain.}
      - id: merkle_root
        size: 32
        doc: What the hashes of its transactions come to.
        -wireloom: {checksum: {algorithm: bitcoin-merkle, over: body, if: _root.merkle_roots != 0}}
      - {id: time, type: u4, -wireloom: {timestamp: s}, doc: 'When it was found, roughly.'}
      - {id: bits, type: u4, doc: 'The difficulty, as the bound of its hash.'}
      - {id: nonce, type: u4, doc: The number with which its hash is in bounds.}
      - {id: body, type: body, size: size - 80, doc: The transactions.}
    instances:
      hash:
        doc: Its own hash, the double SHA-256 of the 80 bytes from the version to the nonce.
        -wireloom: {checksum: {algorithm: sha256d, over: [version, nonce]}}
      num_transactions: {value: body.count.value, doc: How many transactions it has.}
  body:
    doc: The transactions of a block.
    -wireloom: {trailing-bytes: refuse}
    seq:
      - {id: count, type: compact_size, doc: How many transactions follow.}
      - {id: transactions, type: transaction, repeat: expr, repeat-expr: count.value, doc: The transactions.}
      - {id: mweb, size-eos: true, if: count.value >= 2 and transactions.last.is_hogex, doc: Litecoin's extension block.}
  transaction:
    doc: A transaction.
    seq:
      - {id: version, type: s4, doc: Version of the rules.}
      - {id: first_count, type: compact_size, doc: 'How many inputs there are, or 0 before a flag.'}
      - id: flag
        type: u1
        if: first_count.value == 0
        valid: {expr: _ == 1 or _root.network != 0xd9b4bef9 and (_ == 8 or _ == 9)}
        doc: Whether it has witnesses (1), and whether Litecoin's extension block follows the transactions (8).
      - {id: second_count, type: compact_size, if: first_count.value == 0, doc: How many inputs there are then.}
      - {id: inputs, type: input, repeat: expr, repeat-expr: num_inputs, doc: What it spends.}
      - {id: num_outputs, type: compact_size, doc: How many outputs there are.}
      - {id: outputs, type: output, repeat: expr, repeat-expr: num_outputs.value, doc: What it pays.}
      - id: witnesses
        type: witness
        repeat: expr
        repeat-expr: num_inputs
        if: first_count.value == 0 and flag & 1 != 0
        doc: What shows that it may spend, for each input.
      - {id: mweb, type: u1, if: is_hogex, valid: 0, doc: The transaction of the extension block that it stands for.}
      - {id: lock_time, type: u4, doc: 'The least height or time at which it holds, or 0.'}
    instances:
      txid: {value: 'is_segwit ? hash_of_parts : hash_of_all', doc: 'Its hash, with which inputs name it.'}
      wtxid:
        doc: The hash of all of its bytes, with the witnesses.
        -wireloom: {checksum: {algorithm: sha256d, over: [version, lock_time]}}
      hash_of_all:
        if: not is_segwit
        doc: The same, of a transaction without witnesses.
        -wireloom: {checksum: {algorithm: sha256d, over: [version, lock_time]}}
      hash_of_parts:
        if: is_segwit
        doc: The hash without the flag and the witnesses.
        -wireloom: {checksum: {algorithm: sha256d, over: [[version], [second_count, outputs], [lock_time]]}}
      is_segwit: {value: first_count.value == 0, doc: Whether it has witnesses.}
      is_hogex: {value: 'first_count.value == 0 ? flag & 8 != 0 : false', doc: Whether it stands for an extension block.}
      num_inputs: {value: 'first_count.value == 0 ? second_count.value : first_count.value', doc: How many inputs it has.}
  input:
    doc: An output that is spent.
    -wireloom: {columns: [tx_hash, output, script, sequence]}
    seq:
      - {id: tx_hash, size: 32, doc: The transaction with the output; zeros for new coins.}
      - {id: output, type: u4, doc: Which output of it.}
      - {id: len_script, type: compact_size, doc: Size of the script.}
      - {id: script, size: len_script.value, doc: What shows that it may be spent.}
      - {id: sequence, type: u4, doc: Since when it may be spent.}
  output:
    doc: Coins for somebody.
    -wireloom: {columns: [value, script]}
    seq:
      - {id: value, type: s8, doc: In hundred millionths of a coin.}
      - {id: len_script, type: compact_size, doc: Size of the script.}
      - {id: script, size: len_script.value, doc: What has to be shown to spend it.}
  witness:
    doc: The witnesses of an input.
    -wireloom: {columns: [items]}
    seq:
      - {id: num_items, type: compact_size, doc: How many there are.}
      - {id: items, type: item, repeat: expr, repeat-expr: num_items.value, doc: Signatures and others.}
  item:
    doc: A witness.
    -wireloom: {columns: [data]}
    seq:
      - {id: len_data, type: compact_size, doc: Its size.}
      - {id: data, size: len_data.value, doc: The witness.}
  compact_size:
    doc: A number of one, three, five or nine bytes.
    seq:
      - {id: first, type: u1, -wireloom: {given: true}, doc: 'The number, or how many bytes it has.'}
      - {id: two, type: u2, if: first == 253, -wireloom: {given: true}, doc: A number of two bytes.}
      - {id: four, type: u4, if: first == 254, -wireloom: {given: true}, doc: Of four.}
      - {id: eight, type: u8, if: first == 255, -wireloom: {given: true}, doc: Of eight.}
    instances:
      value: {value: 'first == 253 ? two : first == 254 ? four : first == 255 ? eight : first', doc: The number.}
