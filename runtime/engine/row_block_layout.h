/* Finds the beginnings of the stretches of a row. Included in row_block_bytes.c, which is compiled for every level. */
#ifndef WIRELOOM_ROW_BLOCK_LAYOUT_H
#define WIRELOOM_ROW_BLOCK_LAYOUT_H

#include "row_block_guards.h"

#define INLINE static inline __attribute__((always_inline))

/* Finds the beginnings of the row's stretches; returns the next row, or NULL if this one is not plain. */
INLINE const uint8_t *lay_out(wl_row_block *block, const uint8_t *at, size_t row, const wl_ahead *ahead) {
    size_t left = (size_t)(ahead->end - at) - ahead->least;
    left = left < ahead->largest ? left : ahead->largest;
    const uint8_t *next = at + ahead->least;
    block->at[0][row] = at;
    for (size_t i = 0; i < block->string_count; i++) {
        const wl_string *string = block->strings + i;
        uint64_t size = wl_string_size(wl_row_block_at(block, string->size, row), string->kind, (uint64_t)string->more);
        if (WL_UNLIKELY(size > left))
            return NULL;
        left -= size;
        next += size;
        block->at[i + 1][row] = block->at[i][row] + string->before + size;
    }
    return next;
}

/* The same for rows with varints, sub-streams or conditional parts. */
INLINE const uint8_t *lay_out_nested(wl_row_block *block, const uint8_t *begin, size_t row, const wl_ahead *ahead) {
    const uint8_t *limit = ahead->end - block->padding;
    /* In a loop the limit of a row is that of the unit. */
    if (WL_UNLIKELY((uint64_t)(limit - begin) > ahead->largest + block->fixed))
        limit = begin + ahead->largest + block->fixed;
    block->at[0][row] = begin;
    return block->strings->lay_out(block->strings, block, begin, limit, row, 0);
}

#endif
