/* Columns of a block: a tight loop for each way in which values stand on the wire. */
#include "block.h"

/* Fixed fields ----------------------------------------------------------------------------------------------------- */

/* Where all rows are of one size the loop needs no table of where they begin. */
#define COLUMN(name, width, store, load)                                                                               \
    static size_t name(wl_block *block, const wl_block_step *step, size_t rows, size_t row) {                          \
        uint8_t *out = step->out + row * (width);                                                                      \
        if (block->string_count == 0) {                                                                                \
            const uint8_t *at = block->at[0][0] + step->from.offset;                                                   \
            const size_t stride = block->stride;                                                                       \
            WL_UNROLL for (size_t i = 0; i < rows; i++, at += stride) store(out + i * (width), load(at));              \
            return rows;                                                                                               \
        }                                                                                                              \
        const uint8_t *const *at = block->at[step->from.stretch];                                                      \
        const int64_t offset = step->from.offset;                                                                      \
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

wl_block_function wl_block_fixed(unsigned operation) {
    static const wl_block_function functions[] = {
        [WL_RUN_COLUMN_1 - WL_RUN_COLUMN_1] = column_1,     [WL_RUN_COLUMN_LE2 - WL_RUN_COLUMN_1] = column_le2,
        [WL_RUN_COLUMN_BE2 - WL_RUN_COLUMN_1] = column_be2, [WL_RUN_COLUMN_LE4 - WL_RUN_COLUMN_1] = column_le4,
        [WL_RUN_COLUMN_BE4 - WL_RUN_COLUMN_1] = column_be4, [WL_RUN_COLUMN_LE8 - WL_RUN_COLUMN_1] = column_le8,
        [WL_RUN_COLUMN_BE8 - WL_RUN_COLUMN_1] = column_be8,
    };
    return functions[operation - WL_RUN_COLUMN_1];
}

/* Registers -------------------------------------------------------------------------------------------------------- */

#define VALUES(kind)                                                                                                   \
    case kind:                                                                                                         \
        WL_UNROLL for (size_t i = 0; i < rows; i++)                                                                    \
            wl_store8(out + i * 8, (uint64_t)wl_load_kind(at[i] + offset, kind));                                      \
        return

void wl_block_values(const wl_block *block, wl_place from, unsigned kind, size_t rows, uint8_t *out) {
    const uint8_t *const *at = block->at[from.stretch];
    const int64_t offset = from.offset;
    switch (kind) {
        VALUES(WL_U4LE);
        VALUES(WL_U4BE);
        VALUES(WL_U8LE);
        VALUES(WL_U8BE);
    default:
        for (size_t i = 0; i < rows; i++)
            wl_store8(out + i * 8, (uint64_t)wl_load_kind(at[i] + offset, kind));
    }
}

size_t wl_block_register(wl_block *block, const wl_block_step *step, size_t rows, size_t row) {
    uint64_t *values = block->values;
    uint8_t *out = step->out + row * step->width;
    wl_block_values(block, step->from, step->kind, rows, (uint8_t *)values);
    for (size_t i = 0; i < rows; i++) {
        if (step->width == 1)
            out[i] = (uint8_t)values[i];
        else if (step->width == 2)
            wl_store2(out + i * 2, (uint16_t)values[i]);
        else if (step->width == 4)
            wl_store4(out + i * 4, (uint32_t)values[i]);
        else
            wl_store8(out + i * 8, values[i]);
    }
    return rows;
}

size_t wl_block_timestamp(wl_block *block, const wl_block_step *step, size_t rows, size_t row) {
    uint64_t low = step->low, reach = step->reach, *values = block->values;
    uint64_t outside = 0;
    wl_block_values(block, step->from, step->kind, rows, (uint8_t *)values);
    for (size_t i = 0; i < rows; i++)
        outside |= values[i] - low > reach;
    memcpy(step->out + row * 8, values, rows * 8);
    for (size_t i = 0; outside && i < rows; i++) {
        if (values[i] - low > reach)
            wl_column_null(block->run, step->column, row + i);
    }
    return rows;
}
