/* Queries about long ranges of one window in constant time, for resync: garbage may claim a long row at every offset,
 * and scanning each of them would take time quadratic in the size of the window.
 *
 * CRC: the states S(k) after the first k blocks, each computed from the previous one. For a range [a, b) and a state s
 * before it, with S(x) the state at x (from the nearest block), the state after it is S(b) ^ (S(a) ^ s) · x^(8 (b −
 * a)). Bytes: for every block the nearest one that contains a byte of the requested kind. */
#include <stdlib.h>

#include "crc.h"

#define BLOCK 256
#define DIRECT (4 * BLOCK) /* shorter ranges are scanned, which is as fast */
#define MOST_TABLES 32     /* further queries are answered by scanning the range */

typedef struct {
    uint64_t *states;
    size_t known; /* states that have been computed */
} crc_table;

/* The contents of a table for each block: the nearest block, including itself, in which the query has an answer. */
typedef enum { HOLDS_BYTE, HOLDS_OTHER_BYTE, HOLDS_HIGH_BYTE, BREAKS_UTF8 } question;

typedef struct {
    question asked;
    uint8_t value;
    uint32_t *nearest; /* following, or preceding for HOLDS_OTHER_BYTE; the number of blocks if there is none */
} byte_table;

struct wl_index {
    const uint8_t *begin;
    const uint8_t *end;
    size_t blocks; /* number of blocks, including a partial one */
    byte_table tables[MOST_TABLES];
    size_t table_count;
    const wl_checksum *checksums; /* of the run */
    size_t crc_count;
    crc_table crcs[]; /* one per checksum of the program */
};

wl_index *wl_index_make(const wl_run *run, const uint8_t *begin, const uint8_t *end) {
    size_t count = run->program->rule_count;
    wl_index *index = calloc(1, sizeof *index + count * sizeof *index->crcs);
    if (index) {
        index->checksums = run->checksums;
        index->crc_count = count;
        index->begin = begin;
        index->end = end;
        index->blocks = ((size_t)(end - begin) + BLOCK - 1) / BLOCK;
    }
    return index;
}

void wl_index_free(wl_index *index) {
    if (!index)
        return;
    for (size_t i = 0; i < index->crc_count; i++)
        free(index->crcs[i].states);
    for (size_t i = 0; i < index->table_count; i++)
        free(index->tables[i].nearest);
    free(index);
}

static size_t block_of(const wl_index *index, const uint8_t *at) { return (size_t)(at - index->begin) / BLOCK; }

/* The content of a decompressed block is not part of the window. */
static bool is_outside(const wl_index *index, const uint8_t *at) { return at < index->begin || at > index->end; }

static const uint8_t *block_begin(const wl_index *index, size_t block) {
    return index->begin + wl_smaller(block * BLOCK, (size_t)(index->end - index->begin));
}

/* Checksums -------------------------------------------------------------------------------------------------------- */

/* The state at `to`, starting with 0 at the beginning of the window. */
static uint64_t state_at(const wl_index *index, crc_table *table, const wl_checksum *checksum, const uint8_t *to) {
    size_t block = block_of(index, to);
    for (; table->known <= block; table->known++) {
        size_t before = table->known - 1;
        table->states[table->known] =
            checksum->update(table->states[before], block_begin(index, before), BLOCK, checksum->tables);
    }
    const uint8_t *from = block_begin(index, block);
    return checksum->update(table->states[block], from, (size_t)(to - from), checksum->tables);
}

uint64_t wl_index_crc(wl_index *index, const wl_checksum *checksum, uint64_t state, const uint8_t *from,
                      const uint8_t *to) {
    crc_table *table = index->crcs + (checksum - index->checksums);
    size_t size = (size_t)(to - from);
    if (size <= DIRECT || is_outside(index, from))
        return checksum->update(state, from, size, checksum->tables);
    if (!table->states) {
        table->states = malloc((index->blocks + 1) * sizeof *table->states);
        if (!table->states)
            return checksum->update(state, from, size, checksum->tables);
        table->states[0] = 0;
        table->known = 1;
    }
    uint64_t before = state_at(index, table, checksum, from);
    uint64_t after = state_at(index, table, checksum, to);
    return after ^ wl_crc_shift(checksum->algorithm->crc, before ^ state, size);
}

/* Bytes ------------------------------------------------------------------------------------------------------------ */

static const uint8_t *first_of(const uint8_t *from, const uint8_t *to, uint8_t value) {
    return from < to ? memchr(from, value, (size_t)(to - from)) : NULL;
}

/* The position after the last byte of [from, to) that is not `value`; `from` if there is none. */
static const uint8_t *after_other(const uint8_t *from, const uint8_t *to, uint8_t value) {
    while (to > from && to[-1] == value)
        to--;
    return to;
}

/* Marks in `breaks` the blocks with a byte that neither begins a character nor belongs to one. */
static void find_broken_text(const wl_index *index, uint32_t *breaks) {
    for (const uint8_t *at = index->begin; at < index->end;) {
        size_t size = wl_text_character(at, (size_t)(index->end - at));
        if (!size)
            breaks[block_of(index, at)] = 1;
        at += size ? size : 1;
    }
}

static bool answers(const wl_index *index, const byte_table *table, size_t block) {
    const uint8_t *from = block_begin(index, block), *to = block_begin(index, block + 1);
    switch (table->asked) {
    case HOLDS_BYTE:
        return first_of(from, to, table->value) != NULL;
    case HOLDS_OTHER_BYTE:
        return after_other(from, to, table->value) > from;
    case HOLDS_HIGH_BYTE:
        return !wl_text_is_ascii(from, (size_t)(to - from));
    default: /* BREAKS_UTF8: recorded by find_broken_text() */
        return table->nearest[block] != 0;
    }
}

static void fill_table(const wl_index *index, byte_table *table) {
    uint32_t none = (uint32_t)index->blocks, nearest = none;
    if (table->asked == BREAKS_UTF8)
        find_broken_text(index, table->nearest);
    for (size_t i = 0; i < index->blocks; i++) {
        size_t block = table->asked == HOLDS_OTHER_BYTE ? i : index->blocks - 1 - i;
        if (answers(index, table, block))
            nearest = (uint32_t)block;
        table->nearest[block] = nearest;
    }
    table->nearest[index->blocks] = none;
}

/* The table of a query, created if necessary; NULL if there is none. */
static const uint32_t *table_of(wl_index *index, question asked, uint8_t value) {
    for (size_t i = 0; i < index->table_count; i++) {
        if (index->tables[i].asked == asked && index->tables[i].value == value)
            return index->tables[i].nearest;
    }
    if (index->table_count == MOST_TABLES || index->blocks >= UINT32_MAX)
        return NULL;
    byte_table *table = index->tables + index->table_count;
    *table = (byte_table){asked, value, calloc(index->blocks + 1, sizeof(uint32_t))};
    if (!table->nearest)
        return NULL;
    index->table_count++;
    fill_table(index, table);
    return table->nearest;
}

const uint8_t *wl_index_find(wl_index *index, uint8_t value, const uint8_t *from, const uint8_t *to) {
    if ((size_t)(to - from) <= DIRECT || is_outside(index, from))
        return first_of(from, to, value);
    size_t block = block_of(index, from) + 1;
    const uint8_t *found = first_of(from, block_begin(index, block), value);
    if (found)
        return found;
    const uint32_t *nearest = table_of(index, HOLDS_BYTE, value);
    if (!nearest)
        return first_of(from, to, value);
    block = nearest[block];
    found = first_of(block_begin(index, block), block_begin(index, block + 1), value);
    return found && found < to ? found : NULL;
}

size_t wl_index_trim(wl_index *index, uint8_t value, const uint8_t *from, size_t size) {
    const uint8_t *to = from + size;
    if (size <= DIRECT || is_outside(index, from))
        return (size_t)(after_other(from, to, value) - from);
    size_t block = block_of(index, to);
    const uint8_t *after = after_other(block_begin(index, block), to, value);
    if (after > block_begin(index, block))
        return (size_t)(after - from);
    const uint32_t *nearest = table_of(index, HOLDS_OTHER_BYTE, value);
    if (!nearest)
        return (size_t)(after_other(from, to, value) - from);
    block = nearest[block - 1];
    if (block == index->blocks)
        return 0;
    after = after_other(block_begin(index, block), block_begin(index, block + 1), value);
    return after > from ? (size_t)(after - from) : 0;
}

/* The blocks with a range's first and last byte are scanned, those between them are queried. */
typedef struct {
    const uint8_t *head; /* the end of the first block */
    const uint8_t *tail; /* the beginning of the last one */
    bool none;           /* no block between them has an answer */
} ends;

static ends ends_of(const wl_index *index, const uint32_t *nearest, const uint8_t *from, const uint8_t *to) {
    size_t first = block_of(index, from) + 1, last = block_of(index, to - 1);
    return (ends){block_begin(index, first), block_begin(index, last), nearest[first] >= last};
}

static bool index_is_ascii(wl_index *index, const uint8_t *from, const uint8_t *to) {
    const uint32_t *nearest = table_of(index, HOLDS_HIGH_BYTE, 0);
    if (!nearest)
        return wl_text_is_ascii(from, (size_t)(to - from));
    ends at = ends_of(index, nearest, from, to);
    return at.none && wl_text_is_ascii(from, (size_t)(at.head - from)) &&
           wl_text_is_ascii(at.tail, (size_t)(to - at.tail));
}

static bool index_is_utf8(wl_index *index, const uint8_t *from, const uint8_t *to) {
    const uint32_t *nearest = table_of(index, BREAKS_UTF8, 0);
    if (!nearest)
        return wl_text_is_utf8(from, (size_t)(to - from));
    ends at = ends_of(index, nearest, from, to);
    if (!at.none)
        return false;
    /* A character may extend across an end: it belongs to the piece in which it begins. At most three steps, since
     * there are no isolated bytes between the ends. */
    while (at.head < at.tail && (*at.head & 0xC0) == 0x80)
        at.head++;
    while (at.tail > at.head && (*at.tail & 0xC0) == 0x80)
        at.tail--;
    return wl_text_is_utf8(from, (size_t)(at.head - from)) && wl_text_is_utf8(at.tail, (size_t)(to - at.tail));
}

bool wl_index_is_text(wl_index *index, bool ascii, const uint8_t *from, size_t size) {
    if (size <= DIRECT || is_outside(index, from))
        return ascii ? wl_text_is_ascii(from, size) : wl_text_is_utf8(from, size);
    return ascii ? index_is_ascii(index, from, from + size) : index_is_utf8(index, from, from + size);
}
