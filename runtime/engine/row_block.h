/* Row blocks: vectorised reading of plain rows (row_block*.c), back to back (back_to_back.c), between delimiters
 * (frames.c), or in the turns of a loop (row_block_loop.c).
 *
 * A plan without searches lays every row out alike, but for parts that depend on a value of it (row_block_guards.h): a
 * few *stretches* of fixed fields, each but the last followed by bytes of a size that only the row knows: a byte string,
 * varints, what is left of a sub-stream. Between delimiters there are two: the fixed fields, and the row's end. So
 * everything in the row lies at a *place*: a fixed number of bytes after the beginning of a stretch. The values of a varint
 * have a stretch of their own, in memory of the block. A *row block* is such a plan with the rows at hand.
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
#define WL_MOST_STRETCHES 48
#define WL_MOST_BLOCK_VARINTS 20

typedef struct {
    uint32_t stretch;
    int64_t offset;
} wl_place;

/* What stands between two stretches, besides byte strings whose size a field of that kind gives. */
enum {
    WL_BETWEEN_NOTHING = WL_KIND_COUNT, /* a part that depends on a condition begins or ends (row_block_guards.h) */
    WL_BETWEEN_JUMP,    /* the part that some rows have ends, and that of the others follows */
    WL_BETWEEN_OUTER,   /* a byte string whose size register number `first` gives, the same for all rows */
    WL_BETWEEN_COMPUTED, /* a byte string whose size the expression `computed` gives */
    WL_BETWEEN_REST,    /* what is left of the stream */
    WL_BETWEEN_VARINTS, /* `count` of them; their values are the block's from number `first` on */
    WL_BETWEEN_LEAVE,   /* a sub-stream ends */
    WL_BETWEEN_EMPTY,   /* a list of as many items as the value of kind `more` at `size` says; only rows without any */
    WL_BETWEEN_ENDED,   /* a list of items up to the end of the stream; only rows without any */
};

/* The kind of signed integers of eight bytes in this machine's own order. */
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define WL_HOST_S8 WL_S8BE
#else
#define WL_HOST_S8 WL_S8LE
#endif

typedef struct wl_string wl_string;
typedef struct wl_row_block_step wl_row_block_step;

/* Finds where what stands there ends in a row, and by calls of the same kind all that follows it (row_block_layout.c). `at`:
 * where the stretch before it begins; `limit`: the end of the innermost stream; `value`: of the varint that was read last.
 * Returns where the next row begins; NULL: this one is not plain. */
typedef const uint8_t *(*wl_layout)(const wl_string *string, wl_row_block *block, const uint8_t *at,
                                    const uint8_t *limit, size_t row, int64_t value);

/* What stands between two stretches: `before` bytes of fixed fields stand between the stretch's beginning and it. The size
 * of a byte string is the field of kind `kind` at `size`, plus `more`. */
struct wl_string {
    wl_place size;
    uint32_t kind;
    uint32_t first, count;
    bool enters; /* a sub-stream of that size begins */
    int64_t more;
    int64_t before;
    uint32_t guard;     /* of the stretch before it */
    uint32_t next;      /* of the stretch after it */
    uint32_t condition; /* 0, or one more than the number of the condition that is known from here on */
    bool plain;         /* a byte string that all rows have, with nothing else about it */
    uint32_t fixed;     /* 0, or how many stretches the parts of that condition end after, if they have no byte strings */
    uint32_t skip;      /* of a condition and a JUMP: the number of the last string of what other rows have */
    unsigned depth;     /* of a sub-stream that begins or ends: how many are around it */
    wl_row_block_step *computed;
    wl_layout lay_out;
    const uint8_t **begins; /* where the stretch after it begins, of each row */
    int64_t (*values)[WL_ROW_BLOCK_ROWS]; /* of the first of its varints */
    unsigned plain_bytes; /* that each of its varints may have without being looked at */
};

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
    bool alone; /* rows that do not run the guard have no bytes */
    const wl_span *outer; /* of all rows; NULL: each has its own */
} wl_string_column;

/* How a varint stands in the input. */
typedef struct {
    unsigned plain; /* bytes, at most, of those with which nothing can be wrong */
    bool big_endian, zigzag;
} wl_block_varint;

/* What is known of a register, a span or a mark at a step of the plan. */
typedef struct {
    bool known;
    uint32_t kind;
    wl_place from, to;
    wl_integer *lane; /* of a register: its values, where they are computed */
    const int64_t *values;   /* likewise, of a varint, which are at `from` too */
    const wl_integer *outer; /* likewise, where it is the same for all rows; `from` says nothing then */
    const wl_span *outer_span; /* likewise, of a span */
    uint32_t guard;
} wl_fact;

typedef struct wl_block_code wl_block_code; /* row_block_expressions.h */
typedef struct wl_block_lanes wl_block_lanes;
typedef struct wl_block_guards wl_block_guards; /* row_block_guards.h */

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
    const int64_t *values;   /* where those of a varint are; NULL: it is none */
    const wl_integer *outer; /* where that of all rows is; NULL: each has its own */
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
    wl_string strings[WL_MOST_STRETCHES]; /* one more than there are, for what follows the last */
    size_t string_count;
    wl_sum *sums;
    size_t sum_count;
    wl_string_column *copies;
    size_t copy_count;
    size_t unset_copies; /* those at first, of no bytes, of columns that begin as null */
    bool chooses; /* there are predicates: what rows that hold them have is copied when these are known */
    size_t built; /* rows of the last block that hold them */
    size_t spare;  /* between delimiters: bytes after each row that may be read */
    uint8_t chosen[WL_ROW_BLOCK_ROWS]; /* their numbers among all rows of the block */
    wl_row_block_step *checks;
    size_t check_count;
    wl_row_block_step *columns;
    size_t column_count;
    size_t fixed;  /* bytes of a row without its byte strings, and outside of its sub-streams */
    size_t padding; /* between rows */
    const uint8_t *readable; /* bytes before this may be read */
    const uint8_t *outer[WL_DEEPEST_LIMIT]; /* the ends of the streams around the sub-streams that are open */
    bool nested;   /* something stands between stretches that is no byte string of a size of the row's own */
    wl_place row_begin, row_end; /* in a loop: of the row, in the turn */
    int64_t (*values)[WL_ROW_BLOCK_ROWS]; /* of the varints; NULL where there are none; owned */
    wl_block_varint varints[WL_MOST_BLOCK_VARINTS];
    size_t varint_count;
    size_t tail;   /* bytes of the last stretch */
    size_t stride; /* from row to row where they are back to back without byte strings, with padding; or 0 */
    /* How much is tried at once: little after rows that did not go this way, and nothing for a while where such rows
     * are many. */
    size_t most;
    size_t pause;
    size_t wait;
    size_t few; /* turns of a loop that are left to the handlers after a block of few */
    /* The rows at hand. `row` is the number of the first one. */
    size_t row;
    /* Where the stretches of each row begin. at[0] has an entry more: the next row, where they are back to back. */
    const uint8_t *at[WL_MOST_STRETCHES][WL_ROW_BLOCK_ROWS + 1];
    uint64_t loaded[WL_ROW_BLOCK_ROWS];
};

/* Where rows are looked for that follow each other: from `at` on, while there are fewer than `rows`, they begin before
 * `last` (then the `least` bytes of all rows are there before `end`, padding among them), and their byte strings have no
 * more than `largest` bytes. */
struct wl_ahead {
    const uint8_t *at;
    const uint8_t *last;
    const uint8_t *end;
    size_t rows;
    size_t least;
    uint64_t largest;
};

/* Rows in blocks of which the byte strings are read have so many bytes, at most: the fixed fields are then still in a
 * processor's first cache. */
#define WL_BLOCK_BYTES 16384
/* Where rows have more bytes than this on average, the handlers are quicker with them. */
#define WL_LARGE_ROW 640

/* Whether all bytes of its rows are read, or nearly all. */
static inline bool wl_row_block_reads_all(const wl_row_block *block) {
    return block->sum_count || (block->copy_count && !block->chooses);
}

/* Whether the row block takes nothing for now. */
static inline bool wl_row_block_waits(wl_row_block *block) { return block->wait && block->wait--; }

/* Rows of the steps from `first` up to `last`, which are turns of the loop of that number, or -1. NULL where a row block
 * cannot run them, or there is no memory. */
wl_row_block *wl_row_block_make(wl_run *run, const wl_instruction *first, const wl_instruction *last, int loop);

/* Runs the checks and columns over the first `rows` rows at hand, out of `tried`; the bytes are in their places.
 * Returns how many of them hold; `built` of them are in the columns, and at their places `at`, at the beginning. */
size_t wl_row_block_run(wl_row_block *block, size_t rows, size_t tried);

/* Of row_block_plan.c: the steps from `first` up to `last` as a row block runs them; false: it cannot. `loop`: the number
 * of the loop whose turns they are, or -1. */
bool wl_row_block_plan(wl_row_block *block, const wl_instruction *first, const wl_instruction *last, int loop);

/* Of row_block_layout.c: chooses how strings are found in rows with sub-streams and varints, and finds them in one. */
void wl_row_block_filter_layout(wl_row_block *block);
const uint8_t *wl_row_block_lay_out(wl_row_block *block, const uint8_t *begin, size_t row, const wl_ahead *ahead);

/* Of row_block_filter.c: builds those of the rows at hand that hold all predicates. Returns how many rows are done with. */
size_t wl_row_block_filter(wl_row_block *block, size_t rows);

/* Of row_block_columns.c. */
wl_row_block_function wl_row_block_fixed(unsigned operation);
const uint64_t *wl_row_block_values(wl_row_block *block, const wl_row_block_step *step, size_t rows);
size_t wl_row_block_register(wl_row_block *block, const wl_row_block_step *step, size_t rows);
size_t wl_row_block_outer_register(wl_row_block *block, const wl_row_block_step *step, size_t rows);
size_t wl_row_block_outer_timestamp(wl_row_block *block, const wl_row_block_step *step, size_t rows);
size_t wl_row_block_no_items(wl_row_block *block, const wl_row_block_step *step, size_t rows);
size_t wl_row_block_timestamp(wl_row_block *block, const wl_row_block_step *step, size_t rows);
size_t wl_row_block_range(wl_row_block *block, const wl_row_block_step *step, size_t rows);
size_t wl_row_block_true(wl_row_block *block, const wl_row_block_step *step, size_t rows);
size_t wl_row_block_text(wl_row_block *block, const wl_row_block_step *step, size_t rows);
size_t wl_row_block_constant(wl_row_block *block, const wl_row_block_step *step, size_t rows);

/* The size of a byte string; a huge number where it is negative, or not of 64 bits. */
__attribute__((always_inline)) static inline uint64_t wl_string_size(const uint8_t *at, unsigned kind, uint64_t more) {
    uint64_t value = (uint64_t)wl_load_kind(at, kind);
    if ((kind == WL_U8LE || kind == WL_U8BE) && value >> 63)
        return UINT64_MAX;
    return value + more;
}

static inline const uint8_t *wl_row_block_at(const wl_row_block *block, wl_place place, size_t row) {
    return block->at[place.stretch][row] + place.offset;
}

#endif
