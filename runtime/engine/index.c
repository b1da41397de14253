/* Answers about long ranges of one window without going through them, for resync: garbage may claim a long row at
 * every single offset, and looking through each of them would take time that grows with the square of the window.
 *
 * CRC: the states S(k) after the first k blocks, each from the one before. For a range [a, b) and a state s before it,
 * with S(x) the state at x (from the nearest block), the state behind it is S(b) ^ (S(a) ^ s) · x^(8 (b − a)).
 * Bytes: for every block the next one that holds the byte. */
#include <stdlib.h>

#include "internal.h"

#define BLOCK 256
#define DIRECT (4 * BLOCK) /* shorter ranges are gone through: that is as quick */
#define MOST_BYTES 8       /* bytes to look for that get a table; any further ones are searched for as they stand */

typedef struct {
    uint32_t *states;
    size_t known; /* states that have been computed */
} crc_table;

typedef struct {
    uint8_t value;
    uint32_t *next; /* per block: the first block from it on that holds `value`; the number of blocks: none */
} byte_table;

struct wl_index {
    const uint8_t *begin;
    const uint8_t *end;
    size_t blocks; /* begun ones */
    crc_table crcs[2];
    byte_table bytes[MOST_BYTES];
    size_t byte_count;
};

wl_index *wl_index_make(const uint8_t *begin, const uint8_t *end) {
    wl_index *index = calloc(1, sizeof *index);
    if (index) {
        index->begin = begin;
        index->end = end;
        index->blocks = ((size_t)(end - begin) + BLOCK - 1) / BLOCK;
    }
    return index;
}

void wl_index_free(wl_index *index) {
    if (!index)
        return;
    for (size_t i = 0; i < 2; i++)
        free(index->crcs[i].states);
    for (size_t i = 0; i < index->byte_count; i++)
        free(index->bytes[i].next);
    free(index);
}

/* The state at `to`, from 0 at the window's begin. */
static uint32_t state_at(const wl_index *index, crc_table *table, wl_crc_function update, const uint8_t *to) {
    size_t block = (size_t)(to - index->begin) / BLOCK;
    for (; table->known <= block; table->known++) {
        size_t before = table->known - 1;
        table->states[table->known] = update(table->states[before], index->begin + before * BLOCK, BLOCK);
    }
    const uint8_t *from = index->begin + block * BLOCK;
    return update(table->states[block], from, (size_t)(to - from));
}

uint32_t wl_index_crc(wl_index *index, const wl_checksum *checksum, uint32_t state, const uint8_t *from,
                      const uint8_t *to) {
    uint32_t algorithm = checksum->rule->algorithm;
    crc_table *table = index->crcs + (algorithm - 1);
    size_t size = (size_t)(to - from);
    if (size <= DIRECT)
        return checksum->update(state, from, size);
    if (!table->states) {
        table->states = malloc((index->blocks + 1) * sizeof *table->states);
        if (!table->states)
            return checksum->update(state, from, size);
        table->states[0] = 0;
        table->known = 1;
    }
    uint32_t before = state_at(index, table, checksum->update, from);
    uint32_t behind = state_at(index, table, checksum->update, to);
    return behind ^ wl_crc_shift(algorithm, before ^ state, size);
}

static const uint8_t *search(const uint8_t *from, const uint8_t *to, uint8_t value) {
    return from < to ? memchr(from, value, (size_t)(to - from)) : NULL;
}

static const uint8_t *block_end(const wl_index *index, size_t block) {
    return index->begin + wl_smaller((block + 1) * BLOCK, (size_t)(index->end - index->begin));
}

/* The table of `value`, made now if need be; NULL where there is none. */
static const uint32_t *byte_next(wl_index *index, uint8_t value) {
    for (size_t i = 0; i < index->byte_count; i++) {
        if (index->bytes[i].value == value)
            return index->bytes[i].next;
    }
    if (index->byte_count == MOST_BYTES || index->blocks >= UINT32_MAX)
        return NULL;
    uint32_t *next = malloc((index->blocks + 1) * sizeof *next);
    if (!next)
        return NULL;
    next[index->blocks] = (uint32_t)index->blocks;
    for (size_t block = index->blocks; block-- > 0;) {
        bool holds = search(index->begin + block * BLOCK, block_end(index, block), value) != NULL;
        next[block] = holds ? (uint32_t)block : next[block + 1];
    }
    index->bytes[index->byte_count++] = (byte_table){value, next};
    return next;
}

const uint8_t *wl_index_find(wl_index *index, uint8_t value, const uint8_t *from, const uint8_t *to) {
    if ((size_t)(to - from) <= DIRECT)
        return search(from, to, value);
    size_t block = (size_t)(from - index->begin) / BLOCK;
    const uint8_t *found = search(from, block_end(index, block), value);
    if (found)
        return found;
    const uint32_t *next = byte_next(index, value);
    if (!next)
        return search(from, to, value);
    block = next[block + 1];
    if (block == index->blocks)
        return NULL;
    found = search(index->begin + block * BLOCK, block_end(index, block), value);
    return found < to ? found : NULL;
}
