/* Finds the beginnings of the stretches of a row with varints, sub-streams, or parts that depend on more than a byte.
 *
 * What is between two stretches is located by a function of its own, which ends by calling that of the next one, like
 * the handlers of a plan. Sizes of varints and conditions are branches: if these are predicted, nothing waits for the
 * values, and the processing of rows overlaps. Everything is checked against the end of its stream before it is
 * used. */
#include "row_block_expressions.h"
#include "row_block_strings.h"

INLINE size_t number_of(const wl_row_block *block, const wl_string *string) {
    return (size_t)(string - block->strings);
}

/* The value of a field of the row, or of a varint. */
INLINE uint64_t value_at(const wl_row_block *block, wl_place place, uint32_t kind, size_t row) {
    const uint8_t *at = block->at[place.stretch][row] + place.offset;
    return (uint64_t)(kind == WL_HOST_S8 ? wl_load_kind(at, WL_HOST_S8) : wl_load_kind(at, kind));
}

LAYOUT(end) {
    (void)row, (void)value;
    return string->before > limit - at ? NULL : at + string->before + block->padding;
}

LAYOUT(nothing) {
    PASS;
    string->begins[row] = at;
    GO_ON_WITH(string + 1);
}

/* Byte strings and sub-streams ------------------------------------------------------------------------------------- */

INLINE const uint8_t *enter(wl_row_block *block, const wl_string *string, const uint8_t *at, const uint8_t *limit,
                            uint64_t size) {
    block->outer[string->depth] = limit;
    return at + size;
}

/* A byte string, or a sub-stream, of `size` bytes. */
#define TAKE(bytes)                                                                                                    \
    do {                                                                                                               \
        const uint64_t size = (bytes);                                                                                 \
        if (WL_UNLIKELY(size > (uint64_t)(limit - at)))                                                                \
            return NULL;                                                                                               \
        if (string->enters)                                                                                            \
            limit = enter(block, string, at, limit, size);                                                             \
        else                                                                                                           \
            at += size;                                                                                                \
        string->begins[row] = at;                                                               \
    } while (0)

/* With a size in a field. */
LAYOUT(sized) {
    PASS;
    const uint8_t *place = block->at[string->size.stretch][row] + string->size.offset;
    TAKE(wl_string_size(place, string->kind, (uint64_t)string->more));
    GO_ON_WITH(string + 1);
}

/* With a size in the varint directly before it. */
LAYOUT(sized_by_last) {
    PASS;
    TAKE((uint64_t)(value + string->more));
    GO_ON_WITH(string + 1);
}

LAYOUT(sized_by_expression) {
    PASS;
    int64_t found;
    if (WL_UNLIKELY(!wl_row_block_compute(block, string->computed, row, &found)))
        return NULL;
    TAKE(found < 0 ? UINT64_MAX : (uint64_t)found + (uint64_t)string->more);
    GO_ON_WITH(string + 1);
}

LAYOUT(rest) {
    PASS;
    TAKE((uint64_t)(limit - at));
    GO_ON_WITH(string + 1);
}

LAYOUT(leave) {
    PASS;
    at = limit;
    limit = block->outer[string->depth];
    string->begins[row] = at;
    GO_ON_WITH(string + 1);
}

/* Lists without items ---------------------------------------------------------------------------------------------- */

LAYOUT(empty) {
    PASS;
    if (WL_UNLIKELY(wl_load_kind(block->at[string->size.stretch][row] + string->size.offset, (unsigned)string->more) > 0))
        return NULL;
    string->begins[row] = at;
    GO_ON_WITH(string + 1);
}

LAYOUT(empty_by_last) {
    PASS;
    if (WL_UNLIKELY(value > 0))
        return NULL;
    string->begins[row] = at;
    GO_ON_WITH(string + 1);
}

/* Conditions ------------------------------------------------------------------------------------------------------- */

/* Clears the stretches up to the one after string number `last`, of a part that begins with the one after string number
 * `first`: fields in them are 0, and so are its varints. */
static void clear(wl_row_block *block, size_t first, size_t last, size_t row) {
    for (size_t i = first + 1; i <= last; i++) {
        const wl_string *string = block->strings + i;
        block->at[i][row] = wl_zeros;
        for (size_t j = 0; string->kind == WL_BETWEEN_VARINTS && j < string->count; j++)
            block->values[string->first + j][row] = 0;
        if (string->condition) {
            block->guards->taken[2 * string->condition - 1][row] = 0;
            block->guards->taken[2 * string->condition][row] = 0;
        }
    }
}

INLINE const wl_string *decide(wl_row_block *block, const wl_string *string, bool holds, size_t row) {
    wl_string_decided(string, holds, row);
    if (holds)
        return string;
    clear(block, number_of(block, string), string->skip, row);
    return block->strings + string->skip;
}

LAYOUT(condition_by_range) {
    PASS;
    const wl_condition *condition = string->decides;
    const uint64_t found = value_at(block, condition->place, condition->kind, row);
    string = decide(block, string, wl_condition_holds(condition, found), row);
    string->begins[row] = at;
    GO_ON_WITH(string + 1);
}

LAYOUT(condition_by_last) {
    PASS;
    string = decide(block, string, wl_condition_holds(string->decides, (uint64_t)value), row);
    string->begins[row] = at;
    GO_ON_WITH(string + 1);
}

LAYOUT(optional) {
    PASS;
    if (WL_UNLIKELY(!wl_string_optional(string, &at, limit, row, value)))
        return NULL;
    GO_ON_WITH(string + 3);
}

LAYOUT(condition_by_byte) {
    PASS;
    const wl_condition *condition = string->decides;
    const wl_decision *decision = condition->table + block->at[condition->place.stretch][row][condition->place.offset];
    if (WL_UNLIKELY(decision->fails))
        return NULL;
    string = decide(block, string, decision->holds, row);
    string->begins[row] = at;
    GO_ON_WITH(string + 1);
}

LAYOUT(jump) {
    PASS;
    clear(block, number_of(block, string), string->skip, row);
    string = block->strings + string->skip;
    string->begins[row] = at;
    GO_ON_WITH(string + 1);
}

/* Selection -------------------------------------------------------------------------------------------------------- */

static bool is_last(wl_place place, int last) { return (int)(WL_MOST_STRETCHES - 1 - place.stretch) == last; }

/* Whether the condition determines a single byte string, with the size in the varint before it. */
static bool is_optional(const wl_row_block *block, const wl_string *string, int last) {
    const wl_string *bytes = string + 1, *after = string + 2;
    return string->skip == number_of(block, after) && bytes->kind < WL_KIND_COUNT && !bytes->enters && !bytes->before &&
           is_last(bytes->size, last) && after->kind == WL_BETWEEN_NOTHING && !after->before && !after->condition &&
           !after->enters;
}

/* `last`: the number of the varint that was read last, whatever parts the row has; or -1. */
static wl_layout chosen(const wl_row_block *block, wl_string *string, int last) {
    const wl_condition *condition = string->condition ? block->guards->conditions + string->condition - 1 : NULL;
    switch (string->kind) {
    case WL_BETWEEN_NOTHING:
        if (!condition)
            return nothing;
        if (!condition->by_range)
            return condition_by_byte;
        if (!is_last(condition->place, last))
            return condition_by_range;
        if (!is_optional(block, string, last))
            return condition_by_last;
        string->located = WL_LOCATED_OPTIONAL;
        return optional;
    case WL_BETWEEN_JUMP:
        return jump;
    case WL_BETWEEN_COMPUTED:
        return sized_by_expression;
    case WL_BETWEEN_REST:
        return rest;
    case WL_BETWEEN_VARINTS:
        return wl_row_block_varints(block, string);
    case WL_BETWEEN_LEAVE:
        return leave;
    case WL_BETWEEN_EMPTY:
        if (!is_last(string->size, last))
            return empty;
        string->located = WL_LOCATED_EMPTY;
        return empty_by_last;
    default:
        if (!is_last(string->size, last))
            return sized;
        string->located = WL_LOCATED_BY_SIZE;
        return sized_by_last;
    }
}

void wl_row_block_filter_layout(wl_row_block *block) {
    int last = -1;
    block->strings[block->string_count] = (wl_string){.before = (int64_t)block->tail, .lay_out = end};
    for (size_t i = 0; i < block->string_count; i++) {
        wl_string *string = block->strings + i;
        string->begins = block->at[i + 1];
        string->values = block->values + string->first;
        if (string->condition) {
            string->decides = block->guards->conditions + string->condition - 1;
            string->size = string->decides->place;
            string->taken = block->guards->taken + 2 * string->condition - 1;
        }
        string->lay_out_alone = chosen(block, string, last);
        if (string->kind == WL_BETWEEN_VARINTS)
            last = (int)(string->first + string->count) - 1;
        else if (string->guard != string->next && !string->condition)
            last = -1;
    }
    for (size_t i = 0; i < block->string_count; i++) {
        wl_string *string = block->strings + i;
        const wl_layout several = wl_row_block_superinstruction(block, string);
        string->lay_out = several ? several : string->lay_out_alone;
    }
    block->several_rows = wl_row_block_several_rows(block);
    const bool has_tables = !block->nested && block->guards && block->guards->count && wl_row_block_find_sizes(block);
    block->nested |= block->guards && block->guards->count && !has_tables;
}
