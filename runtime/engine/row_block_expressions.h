/* Values that a row block computes: decoded expressions, and the location of their results. */
#ifndef WIRELOOM_ROW_BLOCK_EXPRESSIONS_H
#define WIRELOOM_ROW_BLOCK_EXPRESSIONS_H

#include "row_block.h"

#define WL_BLOCK_LANES 24
#define WL_BLOCK_CODES 512
#define WL_BLOCK_DEEPEST 6

/* (x >> n | x << (32 - n)) + c & 0xFFFFFFFF of a value of 32 bits, the masked CRC of several formats, in place of the
 * codes for that. Its constant is n << 32 | c. */
#define WL_CODE_ROTATED CODE_COUNT

static inline uint64_t wl_rotated(uint64_t value, uint64_t constant) {
    const unsigned by = constant >> 32;
    return ((value >> by | value << (32 - by)) + constant) & UINT32_MAX;
}

enum { WL_ARM_NONE, WL_ARM_THEN, WL_ARM_OTHERWISE };

/* A code of an expression, with what it reads of each row. */
struct wl_block_code {
    unsigned code;
    unsigned kind;    /* of the field at `from`, or the one to narrow to */
    bool is_constant; /* of codes with two operands: the second is `constant` */
    uint8_t other_size;
    uint8_t arm;      /* WL_ARM_NONE, or the arm of a SELECT that begins with this code and ends before the code */
    uint16_t arm_end; /* with this number */
    wl_place from, to;
    const wl_integer *lane; /* a computed register; NULL: a field */
    const int64_t *narrow;  /* its values, if they have 64 bits: */
    const bool *is_wide;    /* whether some of the current ones have more; NULL: they never have */
    bool is_same;           /* all rows of a block have the first of them */
    const int64_t *table;   /* the computed value for each value of the byte at `from`; NULL: the field itself */
    const int64_t *values;  /* values of a varint; NULL: not a varint */
    const wl_integer *outer; /* the same for all rows; NULL: it is not */
    const uint8_t *other;   /* the bytes that a span is compared with */
    wl_integer constant;
};

struct wl_block_lanes {
    size_t lane_count;
    size_t code_count;
    wl_block_code codes[WL_BLOCK_CODES];
    wl_integer values[WL_BLOCK_LANES][WL_ROW_BLOCK_ROWS]; /* one result each */
    wl_integer stack[WL_BLOCK_DEEPEST - 1][WL_ROW_BLOCK_ROWS];
    int64_t narrow[WL_BLOCK_DEEPEST][WL_ROW_BLOCK_ROWS]; /* the stack of values of 64 bits */
    int64_t fitting[WL_BLOCK_LANES][WL_ROW_BLOCK_ROWS]; /* likewise, of what always has 64 bits */
    bool is_wide[WL_BLOCK_LANES]; /* the expression's values of the current rows are in its lane */
};

/* The values of a computed register if they have 64 bits; NULL: they are in its lane. */
static inline const int64_t *wl_code_narrow(const wl_block_code *code) {
    return code->is_wide && *code->is_wide ? NULL : code->narrow;
}

/* Sets the codes and the lane of an EXPRESSION from what is known about registers and spans. False: it cannot be run
 * over columns. */
bool wl_row_block_decode(wl_row_block *block, const wl_instruction *instruction, wl_row_block_step *step,
                         const wl_fact *registers, const wl_fact *spans);

/* Replaces the codes of a step by WL_CODE_ROTATED if that is what they compute. */
void wl_row_block_fuse_rotation(wl_row_block_step *step);

/* Whether a step can be computed for a row whose strings are still being located. */
bool wl_row_block_is_early(const wl_row_block_step *step);
/* Computes it into its lane; false: there is no 64-bit value. */
bool wl_row_block_compute(const wl_row_block *block, const wl_row_block_step *step, size_t row, int64_t *value);
/* Replaces the computation of the lane if that has been done. */
size_t wl_row_block_computed(wl_row_block *block, const wl_row_block_step *step, size_t rows);

size_t wl_row_block_expression(wl_row_block *block, const wl_row_block_step *step, size_t rows);
/* The same for the stored form of a checksum, which must equal the field of kind `kind` at `from`. */
size_t wl_row_block_stored_sum(wl_row_block *block, const wl_row_block_step *step, size_t rows);
/* Whether unsigned integers of the kind may need more than 63 bits. */
static inline bool wl_kind_is_u8(uint32_t kind) { return kind == WL_U8LE || kind == WL_U8BE; }
/* Assigns a lane to a step, whose values have 64 bits; false: there are no more. */
bool wl_row_block_add_lane(wl_row_block *block, wl_row_block_step *step);
/* Drops expressions whose values nothing reads, such as a size that is found with the byte string that it is for. */
void wl_row_block_drop_unread(wl_row_block *block);
/* Finds the streams and expressions whose values are needed with 128 bits. */
void wl_row_block_widen(wl_row_block *block);
/* The number of a loop's iteration; `kind` is 1 if each row is an iteration of it. */
size_t wl_row_block_index(wl_row_block *block, const wl_row_block_step *step, size_t rows);
size_t wl_row_block_lane_range(wl_row_block *block, const wl_row_block_step *step, size_t rows);
/* The position of the stream that contains the rows, or its size. */
size_t wl_row_block_stream(wl_row_block *block, const wl_row_block_step *step, size_t rows);
size_t wl_row_block_lane_zero(wl_row_block *block, const wl_row_block_step *step, size_t rows);
size_t wl_row_block_lane_true(wl_row_block *block, const wl_row_block_step *step, size_t rows);
size_t wl_row_block_lane_timestamp(wl_row_block *block, const wl_row_block_step *step, size_t rows);

#endif
