/* Row blocks: vectorised reading of plain rows (row_block*.c), consecutive ones (back_to_back.c), those between
 * delimiters (frames.c), or those in loop iterations (row_block_loop.c).
 *
 * A plan without searches has the same layout for every row, except for parts that depend on a value of it
 * (row_block_guards.h): a few *stretches* of fixed fields, each but the last followed by bytes whose size depends on
 * the row: a byte string, varints, the rest of a sub-stream. Between delimiters there are two: the fixed fields, and
 * the end of the row. So everything in the row is at a *place*: a fixed number of bytes after the beginning of a
 * stretch. The values of a varint have a stretch of their own, in memory of the block. A *row block* is such a plan
 * with the current rows.
 *
 * What needs all bytes of a row, checksums and copies, is done row by row, in sequential order, which processors
 * expect. Then every check and every column has its own tight loop over the rows, which are then in the cache.
 *
 * Only rows that are complete, pass every check and fit are read in this way. The first one that does not is left to
 * the handlers (row*.c). What it has left in a column is overwritten, or is after the last row. */
#ifndef WIRELOOM_ROW_BLOCK_H
#define WIRELOOM_ROW_BLOCK_H

#include "internal.h"

#define WL_ROW_BLOCK_ROWS 128
#define WL_MOST_STRETCHES 48
#define WL_MOST_BLOCK_VARINTS 20
_Static_assert(WL_ROW_BLOCK_ROWS <= UINT8_MAX + 1, "the number of a row in its block is kept in a byte");
_Static_assert(WL_MOST_BLOCK_VARINTS + 2 < WL_MOST_STRETCHES, "the values of varints are the last stretches");

typedef struct {
    uint32_t stretch;
    int64_t offset;
} wl_place;

/* What is between two stretches, besides byte strings whose size is a field of that kind. */
enum {
    WL_BETWEEN_NOTHING = WL_KIND_COUNT, /* a part that depends on a condition begins or ends (row_block_guards.h) */
    WL_BETWEEN_JUMP,    /* the part that some rows have ends, and the part of the others follows */
    WL_BETWEEN_COMPUTED, /* a byte string whose size is computed by the expression `computed` */
    WL_BETWEEN_REST,    /* the rest of the stream */
    WL_BETWEEN_VARINTS, /* `count` of them; their values are those of the block from number `first` on */
    WL_BETWEEN_LEAVE,   /* a sub-stream ends */
    WL_BETWEEN_EMPTY,   /* a list whose number of items is the value of kind `more` at `size`; only rows without any */
};

/* The kind of signed integers of eight bytes in the byte order of this machine. */
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define WL_HOST_S8 WL_S8BE
#else
#define WL_HOST_S8 WL_S8LE
#endif

typedef struct wl_string wl_string;

/* How a string is located, if some function locates it together with another one. */
typedef enum {
    WL_LOCATED_ALONE,
    WL_LOCATED_BY_SIZE,  /* a byte string or sub-stream, with its size in the varint before it */
    WL_LOCATED_OPTIONAL, /* likewise, a byte string that is present if the size says so: three strings */
    WL_LOCATED_EMPTY,    /* a list that must be empty, with its number of items in the varint before it */
} wl_located;

/* Finds the end of what is between two stretches in a row and, by calls of the same kind, of all that follows it
 * (row_block_layout.c). `at`: the beginning of the stretch before it; `limit`: the end of the innermost stream;
 * `value`: of the varint that was read last. Returns the beginning of the next row; NULL: this one is not plain. */
typedef const uint8_t *(*wl_layout)(const wl_string *string, wl_row_block *block, const uint8_t *at,
                                    const uint8_t *limit, size_t row, int64_t value);

/* What is between two stretches; `before` is the number of bytes of fixed fields in the stretch before it. The size of
 * a byte string is the field of kind `kind` at `size`, plus `more`. */
struct wl_string {
    wl_place size; /* of a condition: the value that decides */
    uint32_t kind;
    uint32_t first, count;
    bool enters; /* a sub-stream of that size begins */
    int64_t more;
    int64_t before;
    uint32_t guard;     /* of the stretch before it */
    uint32_t next;      /* of the stretch after it */
    uint32_t condition; /* 0, or one more than the number of the condition that is known from here on */
    uint32_t fixed;     /* 0, or the number of stretches after which the parts of that condition end, if they have no
                         * byte strings */
    uint32_t skip;      /* of a condition and a JUMP: the number of the last string that only other rows have */
    unsigned depth;     /* of a sub-stream that begins or ends: the number of enclosing ones */
    wl_row_block_step *computed;
    wl_layout lay_out;       /* locates it, perhaps together with following ones */
    wl_layout lay_out_alone; /* locates only it */
    wl_located located;
    const struct wl_condition *decides;   /* of a condition: what decides, */
    uint8_t (*taken)[WL_ROW_BLOCK_ROWS]; /* and for each row whether it is true, and whether it is false */
    const uint8_t **begins; /* the beginning of the stretch after it, for each row */
    int64_t (*values)[WL_ROW_BLOCK_ROWS]; /* of the first of its varints */
};

/* A byte that all rows of a block have at that distance from their beginning, so that conditions on it are decided when
 * the block is made. */
typedef struct {
    bool is_known;
    uint8_t value;
    int64_t offset;
} wl_known_byte;

typedef struct {
    wl_place from, to;
    wl_place expected; /* the value, of kind `kind` */
    uint32_t kind;
    int64_t skipped; /* number of bytes at the range's beginning whose state is known: those that are replaced */
    const wl_checksum *checksum;
    /* Receives the sums if their stored form is computed for all rows together; or NULL. */
    int64_t *result;
} wl_sum;

typedef struct {
    wl_place from, to;
    uint8_t *out;
    uint8_t *offsets;
    size_t room; /* data bytes */
    uint32_t guard;
    const uint8_t *taken; /* for each row whether it runs the guard; NULL: there are no guards */
    const uint8_t *const *begins, *const *ends; /* where the stretches of `from` and `to` begin in each row */
    bool alone; /* rows that do not run the guard have no bytes */
    const wl_span *outer; /* the same for all rows; NULL: each has its own */
} wl_string_column;

/* The representation of a varint in the input. */
typedef struct {
    unsigned plain; /* maximum number of bytes of those that need no check */
    bool big_endian, zigzag;
} wl_block_varint;

/* What is known about a register, a span or a mark at a step of the plan. */
typedef struct {
    bool known;
    uint32_t kind;
    wl_place from, to;
    const int64_t *values;   /* of a varint, whose values are at `from` too, or computed */
    bool is_computed;        /* after the row's strings have been located */
    bool is_same;            /* all rows of a block have the first of these values */
    const wl_integer *outer; /* likewise, if it is the same for all rows; `from` is then unused */
    const wl_span *outer_span; /* likewise, of a span */
    bool is_constant;          /* all rows with the known byte have this value: */
    int64_t constant;
    uint32_t guard;
} wl_fact;

typedef struct wl_block_code wl_block_code; /* row_block_expressions.h */
typedef struct wl_block_results wl_block_results;
typedef struct wl_block_guards wl_block_guards; /* row_block_guards.h */

/* Runs a step over the first `rows` rows of the row block. Returns the number of rows for which it is valid: all, or
 * those before the first one that cannot be read in this way. */
typedef size_t (*wl_row_block_function)(wl_row_block *block, const wl_row_block_step *step, size_t rows);

struct wl_row_block_step {
    wl_row_block_function run;
    wl_place from;
    uint32_t kind; /* of the value at `from` */
    uint32_t column;
    uint32_t width; /* bytes of a value, or of the constant */
    uint32_t guard;
    uint8_t *out;
    uint64_t low, reach; /* a value v is valid if v − low ≤ reach, modulo 2^64 */
    const uint8_t *constant;
    int64_t *result;         /* what the step computes, for each row */
    const wl_sum *sum;       /* of a stored checksum: over fixed bytes, so that it is computed in this step; or NULL */
    const int64_t *values;   /* of a varint, or computed; NULL: a field */
    const wl_integer *outer; /* the value of all rows; NULL: each has its own */
    const wl_instruction *instruction;
    wl_block_code *codes;    /* of an expression */
    size_t code_count;
    wl_place to;             /* of text: its end */
    const uint8_t *offsets;  /* of text that was copied to `out`: the column's offsets; NULL: it was not copied */
    size_t room;
};

/* Locates several rows at once, from row number `row` at `at` on; returns their number, which may be 0. */
typedef size_t (*wl_several_rows)(wl_row_block *block, const wl_ahead *ahead, const uint8_t *at, size_t row);

struct wl_row_block {
    wl_run *run;
    wl_several_rows several_rows; /* for rows without padding; or NULL */
    wl_block_results *results; /* NULL if nothing is computed; owned */
    wl_block_guards *guards; /* NULL if no column begins as null, and all rows run the same steps; owned */
    wl_known_byte known;
    uint8_t *folded; /* expressions simplified with the known byte */
    wl_string strings[WL_MOST_STRETCHES]; /* one more than there are, for what follows the last one */
    size_t string_count;
    wl_sum *sums; /* those that are computed row by row, then unused ones, then those of fixed bytes */
    size_t sum_count;
    size_t sum_room;
    wl_string_column *copies;
    size_t copy_count;
    size_t unset_copies; /* the first ones, which are empty, of columns that begin as null */
    bool copies_by_columns; /* nothing else needs the bytes of the rows, and each column has a copy of its own */
    bool chooses; /* there are predicates: data of matching rows is copied when these are known */
    size_t built; /* number of matching rows of the last block */
    size_t spare;  /* between delimiters: number of bytes after each row that may be read */
    uint8_t chosen[WL_ROW_BLOCK_ROWS]; /* their numbers among all rows of the block */
    wl_row_block_step *checks;
    size_t check_count;
    wl_row_block_step *columns;
    size_t column_count;
    size_t fixed;  /* number of bytes of a row without its byte strings, and outside of its sub-streams */
    size_t padding; /* between rows */
    const uint8_t *readable; /* bytes before this may be read */
    const uint8_t *outer[WL_DEEPEST_LIMIT]; /* the ends of the streams around the sub-streams that are open */
    bool is_plain; /* for wl_variant.plain_rows */
    bool has_default; /* some rows may take the default case of a switch */
    bool nested;   /* between some stretches there is something other than a byte string with a size of the row's own */
    wl_place row_begin, row_end; /* in a loop: of the row, in the iteration */
    int64_t (*values)[WL_ROW_BLOCK_ROWS]; /* of the varints; NULL if there are none; owned */
    wl_block_varint varints[WL_MOST_BLOCK_VARINTS];
    size_t varint_count;
    size_t tail;   /* bytes of the last stretch */
    size_t stride; /* distance between consecutive rows without byte strings, including padding; or 0 */
    /* How much is tried at once: little after rows that could not be read in this way, and nothing for a while if there
     * are many such rows. */
    size_t most;
    size_t pause;
    size_t wait;
    size_t few; /* loop iterations that are left to the handlers after a block of few */
    /* The current rows. `row` is the number of the first one. */
    size_t row;
    /* The beginnings of the stretches of each row. at[0] has one more entry: the next row, for consecutive rows. */
    const uint8_t *at[WL_MOST_STRETCHES][WL_ROW_BLOCK_ROWS + 1];
    uint64_t loaded[WL_ROW_BLOCK_ROWS];
};

/* Where consecutive rows are searched for: from `at` on, while there are fewer than `rows`, they begin before `last`
 * (then the minimum size `least` of a row, including padding, is available before `end`), and their byte strings have
 * at most `largest` bytes. */
struct wl_ahead {
    const uint8_t *at;
    const uint8_t *last;
    const uint8_t *end;
    size_t rows;
    size_t least;
    uint64_t largest;
};

/* Maximum size in bytes of blocks of rows whose byte strings are read: the fixed fields are then still in a processor's
 * first-level cache. */
#define WL_BLOCK_BYTES 16384
/* Average size in bytes above which the handlers are faster. */
#define WL_LARGE_ROW 640

/* Whether all bytes of its rows, or nearly all, are read. */
static inline bool wl_row_block_reads_all(const wl_row_block *block) {
    return block->sum_count || (block->copy_count && !block->chooses);
}

/* Whether the row block reads nothing for now. */
static inline bool wl_row_block_waits(wl_row_block *block) { return block->wait && block->wait--; }

/* Creates a block for rows of the steps from `first` up to `last`, which are iterations of the loop with that number,
 * or -1; only for those that have the known byte. NULL if a row block cannot run them, or if out of memory. */
wl_row_block *wl_row_block_make(wl_run *run, const wl_instruction *first, const wl_instruction *last, int loop,
                                wl_known_byte known);
/* In row_block_plain.c: whether the rows are plain ones. */
bool wl_row_block_is_plain(const wl_row_block *block);
/* Finds the consecutive rows of a block; returns the number of those that are valid so far. */
static inline size_t wl_row_block_find(wl_row_block *block, const wl_ahead *ahead) {
    return (block->is_plain ? wl_chosen.plain_rows : wl_chosen.block_rows)(block, ahead);
}
/* The byte that nearly all of the block's first `rows` current rows have where a condition depends on one. */
wl_known_byte wl_row_block_common_byte(const wl_row_block *block, size_t rows);

/* Runs the checks and columns over the first `rows` current rows, out of `tried`; the bytes are in place. Returns the
 * number of valid rows; `built` of them are in the columns, and at their places `at`, at the beginning. */
size_t wl_row_block_run(wl_row_block *block, size_t rows, size_t tried);

/* In row_block_plan.c: converts the steps from `first` up to `last` to those of a row block; false if that is not
 * possible. `loop`: the number of the loop whose iterations they are, or -1. */
bool wl_row_block_plan(wl_row_block *block, const wl_instruction *first, const wl_instruction *last, int loop);

/* In row_block_layout.c: chooses the functions that find strings in rows with sub-streams and varints. */
void wl_row_block_filter_layout(wl_row_block *block);

/* In row_block_filter.c: builds those of the current rows that match all predicates. Returns the number of rows
 * processed. */
size_t wl_row_block_filter(wl_row_block *block, size_t rows);

/* In row_block_columns.c. */
wl_row_block_function wl_row_block_fixed(unsigned operation);
/* Loads a field of each row from number `first` on: 64 bits of it, with its sign if it has one. */
const uint64_t *wl_row_block_load(const wl_row_block *block, wl_place place, uint32_t kind, uint64_t *to, size_t first,
                                  size_t rows);
const uint64_t *wl_row_block_values(wl_row_block *block, const wl_row_block_step *step, size_t rows);
size_t wl_row_block_register(wl_row_block *block, const wl_row_block_step *step, size_t rows);
size_t wl_row_block_outer_register(wl_row_block *block, const wl_row_block_step *step, size_t rows);
size_t wl_row_block_outer_timestamp(wl_row_block *block, const wl_row_block_step *step, size_t rows);
size_t wl_row_block_no_items(wl_row_block *block, const wl_row_block_step *step, size_t rows);
size_t wl_row_block_timestamp(wl_row_block *block, const wl_row_block_step *step, size_t rows);
size_t wl_row_block_range(wl_row_block *block, const wl_row_block_step *step, size_t rows);
size_t wl_row_block_true(wl_row_block *block, const wl_row_block_step *step, size_t rows);
size_t wl_row_block_zero(wl_row_block *block, const wl_row_block_step *step, size_t rows);
size_t wl_row_block_text(wl_row_block *block, const wl_row_block_step *step, size_t rows);
size_t wl_row_block_constant(wl_row_block *block, const wl_row_block_step *step, size_t rows);

/* The size of a byte string; a huge number if it is negative, or exceeds 64 bits. */
__attribute__((always_inline)) static inline uint64_t wl_string_size(const uint8_t *at, unsigned kind, uint64_t more) {
    uint64_t value = (uint64_t)wl_load_kind(at, kind);
    if ((kind == WL_U8LE || kind == WL_U8BE) && value >> 63)
        return UINT64_MAX;
    return value + more;
}

/* The value of a byte of that kind. */
static inline wl_integer wl_byte_value(uint8_t byte, unsigned kind) {
    return kind == WL_S1 ? (int8_t)byte : (wl_integer)byte;
}

static inline const uint8_t *wl_row_block_at(const wl_row_block *block, wl_place place, size_t row) {
    return block->at[place.stretch][row] + place.offset;
}

#endif
