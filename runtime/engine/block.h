/* Rows a block at a time (block*.c): the way that plain back-to-back rows go.
 *
 * A plan without jumps, sub-streams and searches lays every row out alike: a few *stretches* of fixed fields, each but
 * the last followed by a byte string whose size a field of the row gives. So everything in the row lies at a *place*: a
 * fixed number of bytes behind the beginning of a stretch.
 *
 * A first loop goes from row to row, and does on the way what needs all of a row's bytes: checksums and copies. It goes
 * through memory once and in order, as processors expect it. Then every check and every column has a tight loop of its
 * own over the rows that were found, which by then are in the cache.
 *
 * Only rows that are complete, hold every check and have room go this way. At the first that does not the block ends,
 * and that row is run by the handlers (row*.c), which alone decide what becomes of it. What it has left behind in a
 * column is overwritten, or lies behind the last row. */
#ifndef WIRELOOM_BLOCK_H
#define WIRELOOM_BLOCK_H

#include "internal.h"

#define WL_BLOCK_ROWS 128
/* Bytes of a block whose byte strings are read: its fixed fields are then still in a processor's first cache. */
#define WL_BLOCK_BYTES 16384
#define WL_MOST_STRETCHES 8
/* Where rows have more bytes than this on average, so many are left to the handlers before a block is tried again. */
#define WL_BLOCK_LARGE 640
#define WL_BLOCK_REST 1024

typedef struct {
    uint32_t stretch;
    int64_t offset;
} wl_place;

/* The byte string between two stretches: `before` bytes of fixed fields stand between the stretch's beginning and it,
 * and its size is the field of kind `kind` at `size`, plus `more`. */
typedef struct {
    wl_place size;
    uint32_t kind;
    int64_t more;
    int64_t before;
} wl_string;

typedef struct {
    wl_place from, to;
    wl_place own;      /* the checksum's own bytes, where they are replaced */
    wl_place expected; /* the value, of kind `kind` */
    uint32_t kind;
    const wl_checksum *checksum;
} wl_block_sum;

typedef struct {
    wl_place from, to;
    uint8_t *out;
    uint8_t *offsets;
    size_t room; /* data bytes */
} wl_block_copy;

typedef struct wl_block_step wl_block_step;

/* Runs a step over the first `rows` rows of the block; `row` is the number of the first of them. Returns for how many
 * it held: all, or those before the first that is not to go this way. */
typedef size_t (*wl_block_function)(wl_block *block, const wl_block_step *step, size_t rows, size_t row);

struct wl_block_step {
    wl_block_function run;
    wl_place from;
    uint32_t kind; /* of the value at `from` */
    uint32_t column;
    uint32_t width;
    uint8_t *out;
    uint64_t low, reach; /* a value v holds where v − low ≤ reach, modulo 2^64 */
    const uint8_t *constant;
    size_t constant_size;
};

struct wl_block {
    wl_run *run;
    wl_string strings[WL_MOST_STRETCHES - 1];
    size_t string_count;
    wl_block_sum *sums;
    size_t sum_count;
    wl_block_copy *copies;
    size_t copy_count;
    wl_block_step *checks;
    size_t check_count;
    wl_block_step *columns;
    size_t column_count;
    size_t fixed;  /* bytes of a row without its byte strings */
    size_t stride; /* from row to row where there are no byte strings: with padding */
    /* How much is tried at once: little after rows that did not go this way. */
    size_t most;
    size_t pause;
    size_t wait;
    /* The block that is being read. Rows are looked for as long as there are fewer than `rows`, they begin before
     * `last` (then all of their fixed bytes are there, and the padding), and their byte strings have no more than
     * `largest` bytes. `row` is the number of its first one. */
    const uint8_t *last;
    size_t rows;
    uint64_t largest;
    size_t row;
    /* Where the stretches of each row begin. at[0] has an entry more: the next row. */
    const uint8_t *at[WL_MOST_STRETCHES][WL_BLOCK_ROWS + 1];
    uint64_t values[WL_BLOCK_ROWS];
};

/* Of the files beside block.c. */
bool wl_block_plan(wl_block *block);
wl_block_function wl_block_fixed(unsigned operation);
size_t wl_block_register(wl_block *block, const wl_block_step *step, size_t rows, size_t row);
size_t wl_block_timestamp(wl_block *block, const wl_block_step *step, size_t rows, size_t row);
size_t wl_block_range(wl_block *block, const wl_block_step *step, size_t rows, size_t row);
size_t wl_block_constant(wl_block *block, const wl_block_step *step, size_t rows, size_t row);

/* Writes the values at a place to `out`, eight bytes each, sign-extended where the kind is signed. */
void wl_block_values(const wl_block *block, wl_place from, unsigned kind, size_t rows, uint8_t *out);

static inline const uint8_t *wl_block_at(const wl_block *block, wl_place place, size_t row) {
    return block->at[place.stretch][row] + place.offset;
}

#endif
