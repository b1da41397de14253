/* Row blocks: vectorised reading of plain rows (row_block*.c), back to back (back_to_back.c) or between delimiters
 * (frames.c).
 *
 * A plan without sub-streams and searches lays every row out alike, but for parts that depend on a byte of it
 * (row_block_guards.h): a few *stretches* of fixed fields, each but the last followed by a byte string whose size a field
 * of the row gives. Between delimiters there are two: the fixed fields, and the row's end. So everything in the row lies at a *place*: a fixed number of bytes after the beginning
 * of a stretch. A *row block* is such a plan with the rows at hand.
 *
 * What needs all of a row's bytes, checksums and copies, is done row by row and goes through memory once and in order,
 * as processors expect it. Then every check and every column has a tight loop of its own over the rows, which by then
 * are in the cache.
 *
 * Only rows that are complete, hold every check and have room go this way. The first that does not, and what becomes
 * of it, is for the handlers (row*.c). What it has left after in a column is overwritten, or lies after the last
 * row. */
#ifndef WIRELOOM_ROW_BLOCK_H
#define WIRELOOM_ROW_BLOCK_H

#include "internal.h"

#define WL_ROW_BLOCK_ROWS 128
#define WL_MOST_STRETCHES 24

typedef struct {
    uint32_t stretch;
    int64_t offset;
} wl_place;

/* The byte string between two stretches: `before` bytes of fixed fields stand between the stretch's beginning and it,
 * and its size is the field of kind `kind` at `size`, plus `more`. Without a kind (WL_KIND_COUNT) there is no byte
 * string: a part of the row that depends on a condition begins or ends there (row_block_guards.h). */
typedef struct {
    wl_place size;
    uint32_t kind;
    int64_t more;
    int64_t before;
    uint32_t guard;     /* of the stretch before it */
    uint32_t next;      /* of the stretch after it */
    uint32_t condition; /* 0, or one more than the number of the condition that is known from here on */
    bool plain;         /* a byte string that all rows have, with nothing else about it */
    uint32_t fixed;     /* 0, or how many stretches the parts of that condition end after, if they have no byte strings */
} wl_string;

typedef struct {
    wl_place from, to;
    wl_place own;      /* the checksum's own bytes, where they are replaced */
    wl_place expected; /* the value, of kind `kind` */
    uint32_t kind;
    bool is_plain;   /* nothing is replaced, or the range begins with it */
    int64_t skipped; /* bytes at its beginning whose state is known: those that are replaced */
    const wl_checksum *checksum;
} wl_sum;

typedef struct {
    wl_place from, to;
    uint8_t *out;
    uint8_t *offsets;
    size_t room; /* data bytes */
    uint32_t guard;
} wl_string_column;

/* What is known of a register, a span or a mark at a step of the plan. */
typedef struct {
    bool known;
    uint32_t kind;
    wl_place from, to;
    wl_integer *lane; /* of a register: its values, where they are computed */
    uint32_t guard;
} wl_fact;

typedef struct wl_block_code wl_block_code; /* row_block_expressions.h */
typedef struct wl_block_lanes wl_block_lanes;
typedef struct wl_block_guards wl_block_guards; /* row_block_guards.h */
typedef struct wl_row_block_step wl_row_block_step;

/* Runs a step over the first `rows` rows of the row block. Returns for how many it held: all, or those before the first
 * that is not to go this way. */
typedef size_t (*wl_row_block_function)(wl_row_block *block, const wl_row_block_step *step, size_t rows);

struct wl_row_block_step {
    wl_row_block_function run;
    wl_place from;
    uint32_t kind; /* of the value at `from` */
    uint32_t column;
    uint32_t width; /* bytes of a value, or of the constant */
    uint32_t guard;
    uint8_t *out;
    uint64_t low, reach; /* a value v holds where v − low ≤ reach, modulo 2^64 */
    const uint8_t *constant;
    wl_integer *lane;        /* where the values are that an expression computes, or that were computed */
    const wl_instruction *instruction; /* whose bounds are those of values that were computed */
    wl_block_code *codes;    /* of an expression */
    size_t code_count;
    wl_place to;             /* of text: its end */
    const uint8_t *offsets;  /* of text that was copied to `out`: the column's offsets; NULL: it was not */
    size_t room;
};

struct wl_row_block {
    wl_run *run;
    wl_block_lanes *lanes;   /* NULL where nothing is computed; owned */
    wl_block_guards *guards; /* NULL where all rows run the same steps; owned */
    wl_string strings[WL_MOST_STRETCHES - 1];
    size_t string_count;
    wl_sum *sums;
    size_t sum_count;
    wl_string_column *copies;
    size_t copy_count;
    wl_row_block_step *checks;
    size_t check_count;
    wl_row_block_step *columns;
    size_t column_count;
    size_t fixed;  /* bytes of a row without its byte strings */
    size_t tail;   /* bytes of the last stretch */
    size_t stride; /* from row to row where they are back to back without byte strings, with padding; or 0 */
    /* How much is tried at once: little after rows that did not go this way, and nothing for a while where such rows
     * are many. */
    size_t most;
    size_t pause;
    size_t wait;
    /* The rows at hand. `row` is the number of the first one. */
    size_t row;
    /* Where the stretches of each row begin. at[0] has an entry more: the next row, where they are back to back. */
    const uint8_t *at[WL_MOST_STRETCHES][WL_ROW_BLOCK_ROWS + 1];
    uint64_t values[WL_ROW_BLOCK_ROWS];
};

/* Where rows back to back are looked for: from `at` on, while there are fewer than `rows`, they begin before `last`
 * (then the `least` bytes of all rows are there, padding among them), and their byte strings have no more than
 * `largest` bytes. */
struct wl_ahead {
    const uint8_t *at;
    const uint8_t *last;
    size_t rows;
    size_t least;
    uint64_t largest;
};

/* Whether the row block takes nothing for now. */
static inline bool wl_row_block_waits(wl_row_block *block) { return block->wait && block->wait--; }

/* Runs the checks and columns over the first `rows` rows at hand, out of `tried`; the bytes are in their places.
 * Returns how many of them hold. */
size_t wl_row_block_run(wl_row_block *block, size_t rows, size_t tried);

/* Of row_block_plan.c: the plan's steps as a row block runs them; false: it cannot. */
bool wl_row_block_plan(wl_row_block *block);

/* Of row_block_columns.c. */
wl_row_block_function wl_row_block_fixed(unsigned operation);
const uint64_t *wl_row_block_values(wl_row_block *block, const wl_row_block_step *step, size_t rows);
size_t wl_row_block_register(wl_row_block *block, const wl_row_block_step *step, size_t rows);
size_t wl_row_block_timestamp(wl_row_block *block, const wl_row_block_step *step, size_t rows);
size_t wl_row_block_range(wl_row_block *block, const wl_row_block_step *step, size_t rows);
size_t wl_row_block_true(wl_row_block *block, const wl_row_block_step *step, size_t rows);
size_t wl_row_block_text(wl_row_block *block, const wl_row_block_step *step, size_t rows);
size_t wl_row_block_constant(wl_row_block *block, const wl_row_block_step *step, size_t rows);

static inline const uint8_t *wl_row_block_at(const wl_row_block *block, wl_place place, size_t row) {
    return block->at[place.stretch][row] + place.offset;
}

#endif
