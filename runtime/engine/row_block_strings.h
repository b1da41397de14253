/* The form of the functions that locate what is between two stretches of a row (row_block_layout.c,
 * row_block_varints.c). */
#ifndef WIRELOOM_ROW_BLOCK_STRINGS_H
#define WIRELOOM_ROW_BLOCK_STRINGS_H

#include "row_block.h"

#define LAYOUT(name)                                                                                                   \
    static const uint8_t *name(const wl_string *string, wl_row_block *block, const uint8_t *at, const uint8_t *limit,  \
                               size_t row, int64_t value)
#define GO_ON_WITH(next) return (next)->lay_out(next, block, at, limit, row, value)
#define INLINE static inline __attribute__((always_inline))

/* Skips the fixed fields of the previous stretch. */
#define PASS                                                                                                           \
    do {                                                                                                               \
        if (WL_UNLIKELY(string->before > limit - at))                                                                  \
            return NULL;                                                                                               \
        at += string->before;                                                                                          \
    } while (0)

/* The function for the adjacent varints of the string. */
wl_layout wl_row_block_varints(const wl_row_block *block, const wl_string *string);

#endif
