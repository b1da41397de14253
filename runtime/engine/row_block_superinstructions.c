/* Superinstructions: functions that locate varints of one or two bytes together with what the last of them determines
 * directly after them, or the end of a sub-stream together with that of the row. Records consist of little else, so
 * this halves the number of calls. What is longer, or incomplete, is left to the functions of the single parts. */
#include "row_block_strings.h"
#include "varint.h"

/* Reads the varints of the string, and moves `*next` to their end; false: some have more bytes, or the stream ends. */
INLINE bool take(const wl_string *string, const uint8_t **next, const uint8_t *limit, size_t row, bool single,
                 bool zigzag, int64_t *value) {
    const uint8_t *at = *next;
    int64_t(*values)[WL_ROW_BLOCK_ROWS] = string->values, (*const end)[WL_ROW_BLOCK_ROWS] = values + string->count;
    if (WL_UNLIKELY(string->before >= limit - at))
        return false;
    at += string->before;
    for (;;) {
        uint64_t bits = *at++;
        if (bits >= 0x80) {
            if (WL_UNLIKELY(at == limit || *at >= 0x80))
                return false;
            bits = (bits & 0x7F) | (uint64_t)*at++ << 7;
        }
        *value = zigzag ? wl_varint_signed(bits) : (int64_t)bits;
        values[0][row] = *value;
        values++;
        if (single || values == end) {
            *next = at;
            return true;
        }
        if (WL_UNLIKELY(at == limit))
            return false;
    }
}

/* `then`: locates what follows, at the end of the varints. */
#define AFTER_VARINTS(name, single, zigzag, then)                                                                      \
    LAYOUT(name) {                                                                                                     \
        if (WL_UNLIKELY(!take(string, &at, limit, row, single, zigzag, &value)))                                       \
            return string->lay_out_alone(string, block, at, limit, row, value);                                        \
        wl_string_begins(string, 0, row, at);                                                                          \
        then;                                                                                                          \
    }

#define FOUR(name, then)                                                                                               \
    AFTER_VARINTS(name##_1_unsigned, true, false, then)                                                                \
    AFTER_VARINTS(name##_1_signed, true, true, then)                                                                   \
    AFTER_VARINTS(name##_unsigned, false, false, then)                                                                 \
    AFTER_VARINTS(name##_signed, false, true, then)                                                                    \
    static const wl_layout name##_four[2][2] = {{name##_unsigned, name##_signed}, {name##_1_unsigned, name##_1_signed}};

FOUR(alone, GO_ON_WITH(string + 1))

FOUR(sized, {
    const uint64_t size = (uint64_t)(value + string[1].more);
    if (WL_UNLIKELY(size > (uint64_t)(limit - at)))
        return NULL;
    at += size;
    wl_string_begins(string, 1, row, at);
    GO_ON_WITH(string + 2);
})

FOUR(entered, {
    const uint64_t size = (uint64_t)(value + string[1].more);
    if (WL_UNLIKELY(size > (uint64_t)(limit - at)))
        return NULL;
    block->outer[string[1].depth] = limit;
    limit = at + size;
    wl_string_begins(string, 1, row, at);
    GO_ON_WITH(string + 2);
})

FOUR(optional, {
    if (WL_UNLIKELY(!wl_string_optional(string + 1, &at, limit, row, value)))
        return NULL;
    GO_ON_WITH(string + 4);
})

FOUR(empty, {
    if (WL_UNLIKELY(value > 0))
        return NULL;
    wl_string_begins(string, 1, row, at);
    GO_ON_WITH(string + 2);
})

FOUR(empty_row, {
    if (WL_UNLIKELY(value > 0))
        return NULL;
    wl_string_begins(string, 1, row, at);
    return string[2].before > limit - at ? NULL : at + string[2].before + block->padding;
})

LAYOUT(leave_row) {
    (void)value;
    PASS;
    at = limit;
    limit = block->outer[string->depth];
    wl_string_begins(string, 0, row, at);
    return string[1].before > limit - at ? NULL : at + string[1].before + block->padding;
}

/* Four and more are read together (row_block_varints.c), and three if the row has nothing else with a size of its own. */
static size_t most_varints(const wl_row_block *block) { return block->string_count == 1 ? 2 : 3; }

static bool is_last(const wl_row_block *block, const wl_string *string) {
    return string + 1 == block->strings + block->string_count;
}

wl_layout wl_row_block_superinstruction(const wl_row_block *block, const wl_string *string) {
    const wl_string *next = string + 1;
    if (string->kind == WL_BETWEEN_LEAVE)
        return is_last(block, string) ? leave_row : NULL;
    if (string->kind != WL_BETWEEN_VARINTS || string->count > most_varints(block) || !wl_row_block_short_varints(block, string))
        return NULL;
    const bool single = string->count == 1, zigzag = block->varints[string->first].zigzag;
    switch (next->before ? WL_LOCATED_ALONE : next->located) {
    case WL_LOCATED_BY_SIZE:
        return next->enters ? entered_four[single][zigzag] : sized_four[single][zigzag];
    case WL_LOCATED_OPTIONAL:
        return optional_four[single][zigzag];
    case WL_LOCATED_EMPTY:
        return is_last(block, next) ? empty_row_four[single][zigzag] : empty_four[single][zigzag];
    default:
        return alone_four[single][zigzag];
    }
}
