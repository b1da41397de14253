/* Values that a row block computes: decoded expressions, and the location of their results. */
#ifndef WIRELOOM_ROW_BLOCK_EXPRESSIONS_H
#define WIRELOOM_ROW_BLOCK_EXPRESSIONS_H

#include "row_block.h"

#define WL_BLOCK_RESULTS 24
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
    unsigned kind;    /* of the field at `from`, or the one to cast to */
    bool is_constant; /* of codes with two operands: the second is `constant` */
    uint8_t arm;      /* WL_ARM_NONE, or the arm of a SELECT that begins with this code and ends before the code */
    uint16_t arm_end; /* with this number */
    wl_place from;
    const int64_t *values;  /* of a varint or a computed register; NULL: a field */
    bool is_computed;       /* they are computed after the row's strings have been located */
    bool is_same;           /* all rows of a block have the first of them */
    const int64_t *table;   /* the computed value for each value of the byte at `from`; NULL: the field itself */
    const wl_integer *outer; /* the same for all rows; NULL: it is not */
    int64_t constant;
};

struct wl_block_results {
    size_t count;
    size_t code_count;
    wl_block_code codes[WL_BLOCK_CODES];
    int64_t values[WL_BLOCK_RESULTS][WL_ROW_BLOCK_ROWS];
    int64_t stack[WL_BLOCK_DEEPEST - 1][WL_ROW_BLOCK_ROWS]; /* without the first value, which is in place */
};

/* Sets the codes and the result of an EXPRESSION from what is known about registers. False: it cannot be run
 * over columns. */
bool wl_row_block_decode(wl_row_block *block, const wl_instruction *instruction, wl_row_block_step *step,
                         const wl_fact *registers);

/* Replaces the codes of a step by WL_CODE_ROTATED if that is what they compute. */
void wl_row_block_fuse_rotation(wl_row_block_step *step);

/* Whether a step can be computed for a row whose strings are still being located. */
bool wl_row_block_is_early(const wl_row_block_step *step);
/* Computes its result; false: there is no 64-bit value. */
bool wl_row_block_compute(const wl_row_block *block, const wl_row_block_step *step, size_t row, int64_t *value);
/* Replaces the computation of the result if that has been done. */
size_t wl_row_block_computed(wl_row_block *block, const wl_row_block_step *step, size_t rows);

/* Computes the result of each row. */
size_t wl_row_block_expression(wl_row_block *block, const wl_row_block_step *step, size_t rows);
/* The same for the stored form of a checksum, which must equal the field of kind `kind` at `from`. */
size_t wl_row_block_stored_sum(wl_row_block *block, const wl_row_block_step *step, size_t rows);
/* Whether unsigned integers of the kind may need more than 63 bits. */
static inline bool wl_kind_is_u8(uint32_t kind) { return kind == WL_U8LE || kind == WL_U8BE; }
/* Assigns memory for its result to a step; false: there is no more. */
bool wl_row_block_add_result(wl_row_block *block, wl_row_block_step *step);
/* Drops expressions whose values nothing reads, such as a size that is found with the byte string that it is for. */
void wl_row_block_drop_unread(wl_row_block *block);
/* The position of the stream that contains the rows, or its size. */
size_t wl_row_block_stream(wl_row_block *block, const wl_row_block_step *step, size_t rows);

#endif
