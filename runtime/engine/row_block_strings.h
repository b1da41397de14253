/* The form of the functions that locate what is between two stretches of a row (row_block_layout.c,
 * row_block_varints.c, row_block_superinstructions.c). */
#ifndef WIRELOOM_ROW_BLOCK_STRINGS_H
#define WIRELOOM_ROW_BLOCK_STRINGS_H

#include "row_block_guards.h"

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
/* Whether these are lowest byte first, with the same sign, and may have two bytes without a check. */
bool wl_row_block_short_varints(const wl_row_block *block, const wl_string *string);

/* The function for rows of which each is such a varint, and nothing else; or NULL. */
wl_several_rows wl_row_block_several_rows(const wl_row_block *block);

/* The function that locates the string together with the next one, if there is one for these two; or NULL. Both already
 * have functions of their own. */
wl_layout wl_row_block_superinstruction(const wl_row_block *block, const wl_string *string);

INLINE bool wl_condition_holds(const wl_condition *condition, uint64_t value) {
    return (value - condition->low <= condition->reach) != condition->inverted;
}

/* Records whether the condition of the string is true. */
INLINE void wl_string_decided(const wl_string *string, bool holds, size_t row) {
    uint8_t(*const taken)[WL_ROW_BLOCK_ROWS] = string->taken;
    taken[0][row] = holds;
    taken[1][row] = !holds;
}

/* Where stretch number `after` after the string's own begins, for a row. */
INLINE void wl_string_begins(const wl_string *string, size_t after, size_t row, const uint8_t *at) {
    string->begins[after * (WL_ROW_BLOCK_ROWS + 1) + row] = at;
}

/* Locates a byte string that is present if the value of the varint before it, its size, says so: three strings, of
 * which this is the first, and moves `*next` to its end. False: it does not fit. */
INLINE bool wl_string_optional(const wl_string *string, const uint8_t **next, const uint8_t *limit, size_t row,
                               int64_t value) {
    const uint8_t *at = *next, *from = wl_zeros, *to = wl_zeros;
    const bool holds = wl_condition_holds(string->decides, (uint64_t)value);
    wl_string_decided(string, holds, row);
    if (holds) {
        const uint64_t size = (uint64_t)(value + string[1].more);
        if (WL_UNLIKELY(size > (uint64_t)(limit - at)))
            return false;
        from = at;
        to = at += size;
    }
    wl_string_begins(string, 0, row, from);
    wl_string_begins(string, 1, row, to);
    wl_string_begins(string, 2, row, at);
    *next = at;
    return true;
}

#endif
