/* Parts of a row that depend on a value of it: `if` and `switch-on` in row blocks. A table contains the decision for
 * each value of a byte; for other values the decision is whether they are in a range.
 *
 * A *guard* is a part of the plan that only some rows run: the steps up to the target of a SKIP_IF_ZERO, or those that
 * only run from its target on. Guard 0 is the whole plan. Guards 2k + 1 and 2k + 2 belong to one condition: it is true
 * in rows of the first and false in rows of the other. A stretch of a guard that the row does not run begins at zeros,
 * so its fields are 0 and may be read. */
#ifndef WIRELOOM_ROW_BLOCK_GUARDS_H
#define WIRELOOM_ROW_BLOCK_GUARDS_H

#include "row_block.h"

#define WL_MOST_CONDITIONS 15
#define WL_MOST_GUARDS (1 + 2 * WL_MOST_CONDITIONS)
_Static_assert(WL_MOST_GUARDS <= 32, "the ancestors of a guard have a bit for each guard");
/* Maximum number of bytes of fixed fields in a stretch with a guard. */
#define WL_GUARDED_BYTES 1024

extern const uint8_t wl_zeros[WL_GUARDED_BYTES + 64];

/* The decision for a value of the byte: for parts without byte strings the size in bytes of the one that the row has;
 * whether the condition is true, and whether it has no value. */
typedef struct {
    uint16_t size;
    bool holds, fails;
} wl_decision;

/* What a byte in the first stretch of a row says about its size: the size of a byte string, or of the part that a
 * condition selects. */
typedef struct {
    int64_t offset; /* of the byte */
    int64_t before; /* bytes of fixed fields before the byte string or part */
    const uint8_t **ends;
    const struct wl_condition *condition; /* NULL: a byte string */
    uint8_t *holds;                       /* for each row whether the condition is true */
    uint32_t sizes[256];                  /* for each value of the byte; or WL_NO_SIZE */
} wl_size_table;

/* Of values with which a row is not read in a block. */
#define WL_NO_SIZE UINT32_MAX
#define WL_MOST_SIZE_TABLES 8

typedef struct wl_condition {
    uint32_t parent; /* the enclosing guard */
    wl_place place;  /* of the value that decides */
    uint32_t kind;
    uint32_t number;
    bool by_range;       /* the condition is true if a value v has v − low ≤ reach, modulo 2^64; otherwise decided by
                          * the table */
    bool inverted;       /* true if it has not */
    uint64_t low, reach;
    wl_decision table[256];
} wl_condition;

struct wl_block_guards {
    size_t count;                        /* number of conditions */
    wl_condition conditions[WL_MOST_CONDITIONS];
    size_t size_count; /* 0, or the number of tables that determine the sizes of rows; each part has one */
    wl_size_table sizes[WL_MOST_SIZE_TABLES];
    uint32_t ancestors[WL_MOST_GUARDS]; /* a bit per guard: itself and those that enclose it */
    uint8_t taken[WL_MOST_GUARDS][WL_ROW_BLOCK_ROWS]; /* 1 if the row runs the guard, otherwise 0 */
};

/* Whether no row runs both. */
bool wl_guards_exclude(const wl_block_guards *guards, uint32_t one, uint32_t other);
/* Sets the decisions of the condition `number` to the results of `code` for a byte of that kind in a register; NULL:
 * the byte itself. False: out of memory. */
bool wl_condition_tabulate(wl_row_block *block, size_t number, const wl_instruction *code, uint32_t from, uint32_t kind);
/* Sets the range if `code` compares a 64-bit integer in a register with a constant; NULL: not equal to 0. `natural`: it
 * is unsigned. False: it does something else. */
bool wl_condition_range(wl_condition *condition, const wl_instruction *code, bool natural);
/* Sets the sizes of parts without byte strings in the table. */
void wl_condition_sizes(wl_condition *condition, size_t holding, size_t failing);

/* Sets the tables of sizes if bytes in the first stretch determine the sizes of all parts, and none
 * of them has byte strings or other parts; otherwise false. */
bool wl_row_block_find_sizes(wl_row_block *block);

size_t wl_row_block_unset(wl_row_block *block, const wl_row_block_step *step, size_t rows);
size_t wl_row_block_guarded_column(wl_row_block *block, const wl_row_block_step *step, size_t rows);
size_t wl_row_block_guarded_valid(wl_row_block *block, const wl_row_block_step *step, size_t rows);

#endif
