/* The merkle root of the transactions of a Bitcoin block: the double SHA-256 of pairs of hashes, of which those of the
 * transactions, without their witnesses (BIP 141), are the first. */
#include "sums.h"

#define HASH 32
/* More than there are bits in the number of transactions. */
#define MOST_LEVELS 64
#define WITNESSES 1
/* Litecoin's flag of a transaction that stands for an extension block. */
#define EXTENSION 8
/* Of an input, the bytes before its script: the transaction and the number of an output. */
#define OUTPUT 36

typedef struct {
    const uint8_t *at;
    const uint8_t *end;
    bool failed;
} reader;

static const uint8_t *take(reader *from, uint64_t size) {
    const uint8_t *at = from->at;
    from->failed |= size > (uint64_t)(from->end - at);
    if (!from->failed)
        from->at += size;
    return at;
}

static uint64_t take_number(reader *from, size_t size) {
    const uint8_t *at = take(from, size);
    uint64_t number = 0;
    for (size_t i = 0; i < size && !from->failed; i++)
        number |= (uint64_t)at[i] << 8 * i;
    return number;
}

static uint64_t take_compact_size(reader *from) {
    uint64_t first = take_number(from, 1);
    return first < 253 ? first : take_number(from, (size_t)1 << (first - 252));
}

static void skip_script(reader *from) { take(from, take_compact_size(from)); }

/* The hash of the next transaction. */
static void take_transaction(reader *from, uint8_t *hash) {
    const uint8_t *begin = take(from, 4), *counted = from->at;
    uint64_t flag = 0, inputs = take_compact_size(from);
    bool has_flag = !inputs;
    if (has_flag) {
        flag = take_number(from, 1);
        counted = from->at;
        inputs = take_compact_size(from);
    }
    for (uint64_t i = 0; i < inputs && !from->failed; i++) {
        take(from, OUTPUT);
        skip_script(from);
        take(from, 4);
    }
    uint64_t outputs = take_compact_size(from);
    for (uint64_t i = 0; i < outputs && !from->failed; i++) {
        take(from, 8);
        skip_script(from);
    }
    const uint8_t *end = from->at;
    for (uint64_t i = 0; flag & WITNESSES && i < inputs && !from->failed; i++) {
        uint64_t items = take_compact_size(from);
        for (uint64_t item = 0; item < items && !from->failed; item++)
            skip_script(from);
    }
    take(from, flag & EXTENSION ? 1 : 0);
    const uint8_t *lock_time = take(from, 4);
    if (from->failed)
        return;
    const wl_part parts[] = {{begin, 4}, {counted, (size_t)(end - counted)}, {lock_time, 4}};
    wl_sha256_parts(parts, 3, hash);
    wl_sha256(hash, HASH, hash);
}

static void join(const uint8_t *left, const uint8_t *right, uint8_t *hash, bool *failed) {
    uint8_t both[2 * HASH];
    *failed |= left != right && memcmp(left, right, HASH) == 0;
    memcpy(both, left, HASH);
    memcpy(both + HASH, right, HASH);
    wl_sha256d(both, sizeof both, hash);
}

/* The last of an odd number of hashes is joined with itself. Transactions that are repeated could have the same root
 * (CVE-2012-2459): if two hashes of a pair are equal, the result is another one, as for what is no list of
 * transactions. */
void wl_bitcoin_merkle(const uint8_t *data, size_t size, uint8_t *digest) {
    uint8_t levels[MOST_LEVELS][HASH], *hash = digest;
    reader from = {data, data + size, false};
    uint64_t count = take_compact_size(&from), level = 0;
    from.failed |= !count;
    for (uint64_t i = 0; i < count && !from.failed; i++) {
        take_transaction(&from, hash);
        for (level = 0; !from.failed && i >> level & 1; level++)
            join(levels[level], hash, hash, &from.failed);
        if (i + 1 < count)
            memcpy(levels[level], hash, HASH);
    }
    /* The last hash is one of `level`; bit n of `count` says whether there is one in levels[n]. */
    while (!from.failed && count != UINT64_C(1) << level) {
        join(hash, hash, hash, &from.failed);
        count += UINT64_C(1) << level++;
        for (; !(count >> level & 1); level++)
            join(levels[level], hash, hash, &from.failed);
    }
    if (from.failed)
        wl_sha256d(data, size, digest);
}
