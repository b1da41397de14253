/* The checks and columns of a row block: a tight loop for each representation of values on the wire. */
#include "row_block_guards.h"

/* Fixed fields ----------------------------------------------------------------------------------------------------- */

/* If all rows have one size the loop needs no table of their beginnings. */
#define COLUMN(name, width, store, load)                                                                               \
    static size_t name(wl_row_block *block, const wl_row_block_step *step, size_t rows) {                              \
        uint8_t *out = step->out + block->row * (width);                                                               \
        const int64_t offset = step->from.offset;                                                                      \
        if (block->stride) {                                                                                           \
            const uint8_t *at = block->at[0][0] + offset;                                                              \
            const size_t stride = block->stride;                                                                       \
            WL_UNROLL for (size_t i = 0; i < rows; i++, at += stride) store(out + i * (width), load(at));              \
            return rows;                                                                                               \
        }                                                                                                              \
        const uint8_t *const *at = block->at[step->from.stretch];                                                      \
        WL_UNROLL for (size_t i = 0; i < rows; i++) store(out + i * (width), load(at[i] + offset));                    \
        return rows;                                                                                                   \
    }

static inline void store1(uint8_t *at, uint8_t value) { *at = value; }
static inline uint8_t load1(const uint8_t *at) { return *at; }

COLUMN(column_1, 1, store1, load1)
COLUMN(column_le2, 2, wl_store2, wl_load_le2)
COLUMN(column_be2, 2, wl_store2, wl_load_be2)
COLUMN(column_le4, 4, wl_store4, wl_load_le4)
COLUMN(column_be4, 4, wl_store4, wl_load_be4)
COLUMN(column_le8, 8, wl_store8, wl_load_le8)
COLUMN(column_be8, 8, wl_store8, wl_load_be8)

wl_row_block_function wl_row_block_fixed(unsigned operation) {
    static const wl_row_block_function functions[WL_RUN_COUNT] = {
        [WL_RUN_COLUMN_1] = column_1,     [WL_RUN_COLUMN_LE2] = column_le2, [WL_RUN_COLUMN_BE2] = column_be2,
        [WL_RUN_COLUMN_LE4] = column_le4, [WL_RUN_COLUMN_BE4] = column_be4, [WL_RUN_COLUMN_LE8] = column_le8,
        [WL_RUN_COLUMN_BE8] = column_be8,
    };
    return functions[operation];
}

/* Registers -------------------------------------------------------------------------------------------------------- */

#define VALUES(kind)                                                                                                   \
    case kind:                                                                                                         \
        WL_UNROLL for (size_t i = 0; i < rows; i++) to[i] = (uint64_t)wl_load_kind(at[i] + offset, kind);              \
        break

const uint64_t *wl_row_block_load(const wl_row_block *block, wl_place place, uint32_t kind, uint64_t *to, size_t first,
                                  size_t rows) {
    const uint8_t *const *at = block->at[place.stretch] + first;
    const int64_t offset = place.offset;
    switch (kind) {
        VALUES(WL_U1);
        VALUES(WL_U2LE);
        VALUES(WL_U2BE);
        VALUES(WL_U4LE);
        VALUES(WL_U4BE);
        VALUES(WL_U8LE);
        VALUES(WL_U8BE);
        VALUES(WL_S1);
        VALUES(WL_S2LE);
        VALUES(WL_S2BE);
        VALUES(WL_S4LE);
        VALUES(WL_S4BE);
        VALUES(WL_S8LE);
    default:
        WL_UNROLL for (size_t i = 0; i < rows; i++) to[i] = wl_load_be8(at[i] + offset);
    }
    return to;
}

/* A field of each row, or what was computed from it: 64 bits of it, with its sign if it has one. */
const uint64_t *wl_row_block_values(wl_row_block *block, const wl_row_block_step *step, size_t rows) {
    uint64_t *values = block->loaded;
    if (step->values)
        return (const uint64_t *)step->values;
    if (step->outer) {
        for (size_t i = 0; i < rows; i++)
            values[i] = (uint64_t)*step->outer;
        return values;
    }
    return wl_row_block_load(block, step->from, step->kind, values, 0, rows);
}

size_t wl_row_block_register(wl_row_block *block, const wl_row_block_step *step, size_t rows) {
    const uint64_t *values = wl_row_block_values(block, step, rows);
    uint8_t *out = step->out + block->row * step->width;
    if (step->width == 8) {
        memcpy(out, values, rows * 8);
        return rows;
    }
    for (size_t i = 0; i < rows; i++) {
        if (step->width == 1)
            out[i] = (uint8_t)values[i];
        else if (step->width == 2)
            wl_store2(out + i * 2, (uint16_t)values[i]);
        else
            wl_store4(out + i * 4, (uint32_t)values[i]);
    }
    return rows;
}

/* Stores the low bytes of a value for all rows. */
static void fill(uint8_t *out, size_t width, wl_integer value, size_t rows) {
    const uint64_t low = (uint64_t)value;
    for (size_t i = 0; i < rows; i++, out += width) {
        if (width == 1)
            *out = (uint8_t)low;
        else if (width == 2)
            wl_store2(out, (uint16_t)low);
        else if (width == 4)
            wl_store4(out, (uint32_t)low);
        else
            wl_store8(out, low);
    }
}

size_t wl_row_block_outer_register(wl_row_block *block, const wl_row_block_step *step, size_t rows) {
    fill(step->out + block->row * step->width, step->width, *step->outer, rows);
    return rows;
}

size_t wl_row_block_outer_timestamp(wl_row_block *block, const wl_row_block_step *step, size_t rows) {
    const wl_integer value = *step->outer;
    const int64_t form = step->instruction->c;
    const bool is_null = value < wl_earliest_time(form) || value > wl_latest_time(form) ||
                         (form & WL_HAS_ABSENT && value == step->instruction->d);
    fill(step->out + block->row * 8, 8, value, rows);
    for (size_t i = 0; is_null && i < rows; i++)
        wl_column_null(block->run, step->column, block->row + i);
    return rows;
}

/* A list without items in each row: `kind` is the level of the items. */
size_t wl_row_block_no_items(wl_row_block *block, const wl_row_block_step *step, size_t rows) {
    fill(step->out + (block->row + 1) * 4, 4, (wl_integer)block->run->levels[step->kind].used, rows);
    return rows;
}

/* How many of the values from number `first` on are within the step's bounds, including those before. */
static size_t within(const wl_row_block_step *step, const uint64_t *values, size_t first, size_t rows) {
    while (first < rows && WL_LIKELY(values[first] - step->low <= step->reach))
        first++;
    return first;
}

/* The column is null where a value is the number that means that there is no time. */
static void absent_times(wl_row_block *block, const wl_row_block_step *step, const uint64_t *values, size_t rows) {
    const uint64_t absent = (uint64_t)step->instruction->d;
    bool any = false;
    for (size_t i = 0; i < rows; i++)
        any |= values[i] == absent;
    for (size_t i = 0; any && i < rows; i++) {
        if (values[i] == absent)
            wl_column_null(block->run, step->column, block->row + i);
    }
}

size_t wl_row_block_timestamp(wl_row_block *block, const wl_row_block_step *step, size_t rows) {
    const uint64_t *values = wl_row_block_values(block, step, rows);
    memcpy(step->out + block->row * 8, values, rows * 8);
    for (size_t i = 0; (i = within(step, values, i, rows)) < rows; i++)
        wl_column_null(block->run, step->column, block->row + i);
    if (step->instruction->c & WL_HAS_ABSENT)
        absent_times(block, step, values, rows);
    return rows;
}

/* Checks ----------------------------------------------------------------------------------------------------------- */

size_t wl_row_block_range(wl_row_block *block, const wl_row_block_step *step, size_t rows) {
    return within(step, wl_row_block_values(block, step, rows), 0, rows);
}

size_t wl_row_block_true(wl_row_block *block, const wl_row_block_step *step, size_t rows) {
    const uint64_t *values = wl_row_block_values(block, step, rows);
    size_t i = 0;
    while (i < rows && WL_LIKELY(values[i] != 0))
        i++;
    return i;
}

size_t wl_row_block_zero(wl_row_block *block, const wl_row_block_step *step, size_t rows) {
    const uint64_t *values = wl_row_block_values(block, step, rows);
    size_t i = 0;
    while (i < rows && values[i] == 0)
        i++;
    return i;
}

/* Whether the text of all rows, which is contiguous in a column, is ASCII. The column's offsets were written by this
 * call, but are read back from the caller's memory. */
static bool are_ascii(const wl_row_block *block, const wl_row_block_step *step, size_t rows) {
    const uint8_t *offsets = step->offsets + block->row * 4;
    size_t from = wl_load4(offsets), to = wl_load4(offsets + rows * 4);
    if (WL_UNLIKELY(from > to || to > step->room))
        return false;
    uint8_t bits = 0;
    for (const uint8_t *at = step->out + from; at < step->out + to; at++)
        bits |= *at;
    return bits < 0x80;
}

size_t wl_row_block_text(wl_row_block *block, const wl_row_block_step *step, size_t rows) {
    if (step->offsets && are_ascii(block, step, rows))
        return rows;
    const uint8_t *taken = step->guard ? block->guards->taken[step->guard] : NULL;
    for (size_t i = 0; i < rows; i++) {
        if (taken && !taken[i])
            continue;
        const uint8_t *from = wl_row_block_at(block, step->from, i);
        size_t size = (size_t)(wl_row_block_at(block, step->to, i) - from);
        if (WL_UNLIKELY(!(step->kind ? wl_text_is_ascii(from, size) : wl_text_is_utf8(from, size))))
            return i;
    }
    return rows;
}

size_t wl_row_block_constant(wl_row_block *block, const wl_row_block_step *step, size_t rows) {
    for (size_t i = 0; step->width && i < rows; i++) {
        if (WL_UNLIKELY(memcmp(wl_row_block_at(block, step->from, i), step->constant, step->width) != 0))
            return i;
    }
    return rows;
}

/* What is known without reading the rows -------------------------------------------------------------------------- */

size_t wl_row_block_stream(wl_row_block *block, const wl_row_block_step *step, size_t rows) {
    const uint8_t *first = wl_row_block_at(block, step->from, 0);
    wl_integer found;
    if (!wl_stream_value(block->run, step->instruction, first, &found))
        return 0;
    /* Positions and sizes have 63 bits. */
    const int64_t value = (int64_t)found;
    for (size_t i = 0; i < rows; i++)
        step->result[i] = value + (step->instruction->b ? 0 : wl_row_block_at(block, step->from, i) - first);
    return value == found ? rows : 0;
}
