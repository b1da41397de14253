/* Values that a row block computes: decoded expressions, and where their results are. */
#ifndef WIRELOOM_ROW_BLOCK_EXPRESSIONS_H
#define WIRELOOM_ROW_BLOCK_EXPRESSIONS_H

#include "row_block.h"

#define WL_BLOCK_LANES 24
#define WL_BLOCK_CODES 512
#define WL_BLOCK_DEEPEST 6

/* A code of an expression, with what it reads of each row. */
struct wl_block_code {
    unsigned code;
    unsigned kind;    /* of the field at `from`, or the one to narrow to */
    bool is_constant; /* of codes of two values: the second is `constant` */
    uint8_t other_size;
    wl_place from, to;
    const wl_integer *lane; /* a register that was computed; NULL: a field */
    const int64_t *values;  /* that of a varint; NULL: it is none */
    const wl_integer *outer; /* that is the same for all rows; NULL: it is not */
    const uint8_t *other;   /* what a span is compared with */
    wl_integer constant;
};

struct wl_block_lanes {
    size_t lane_count;
    size_t code_count;
    wl_block_code codes[WL_BLOCK_CODES];
    wl_integer values[WL_BLOCK_LANES][WL_ROW_BLOCK_ROWS]; /* a result each */
    wl_integer stack[WL_BLOCK_DEEPEST - 1][WL_ROW_BLOCK_ROWS];
};

/* Fills in the codes and the lane of an EXPRESSION from what is known of registers and spans. False: it cannot be run
 * over columns. */
bool wl_row_block_decode(wl_row_block *block, const wl_instruction *instruction, wl_row_block_step *step,
                         const wl_fact *registers, const wl_fact *spans);

/* Whether a step can be computed for a row whose strings are still being found. */
bool wl_row_block_is_early(const wl_row_block_step *step);
/* Does so, into its lane; false: there is no value of 64 bits. */
bool wl_row_block_compute(const wl_row_block *block, const wl_row_block_step *step, size_t row, int64_t *value);
/* In place of what computes the lane, where that has been done. */
size_t wl_row_block_computed(wl_row_block *block, const wl_row_block_step *step, size_t rows);

size_t wl_row_block_expression(wl_row_block *block, const wl_row_block_step *step, size_t rows);
/* Gives a step a lane; false: there are no more. */
bool wl_row_block_add_lane(wl_row_block *block, wl_row_block_step *step);
/* The number of a loop's turn; `kind` is 1 where each row is a turn of it. */
size_t wl_row_block_index(wl_row_block *block, const wl_row_block_step *step, size_t rows);
size_t wl_row_block_lane_range(wl_row_block *block, const wl_row_block_step *step, size_t rows);
/* Where the stream that the rows are in stands, or its size. */
size_t wl_row_block_stream(wl_row_block *block, const wl_row_block_step *step, size_t rows);
size_t wl_row_block_lane_zero(wl_row_block *block, const wl_row_block_step *step, size_t rows);
size_t wl_row_block_lane_true(wl_row_block *block, const wl_row_block_step *step, size_t rows);
size_t wl_row_block_lane_timestamp(wl_row_block *block, const wl_row_block_step *step, size_t rows);

#endif
