/* The steps of a sheet (frames.h), each a loop over its rows. */
#include "frames.h"

/* Fixed fields ----------------------------------------------------------------------------------------------------- */

#define COLUMN(name, width, store, load)                                                                               \
    static size_t name(wl_sheet *sheet, const wl_sheet_step *step, size_t count, size_t row) {                         \
        uint8_t *out = step->out + row * (width);                                                                      \
        const uint8_t *const *data = sheet->data;                                                                      \
        const size_t offset = step->from.offset;                                                                       \
        for (size_t i = 0; i < count; i++)                                                                             \
            store(out + i * (width), load(data[i] + offset));                                                          \
        return count;                                                                                                  \
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

wl_sheet_function wl_sheet_fixed(unsigned operation) {
    static const wl_sheet_function functions[WL_RUN_COUNT] = {
        [WL_RUN_COLUMN_1] = column_1,     [WL_RUN_COLUMN_LE2] = column_le2, [WL_RUN_COLUMN_BE2] = column_be2,
        [WL_RUN_COLUMN_LE4] = column_le4, [WL_RUN_COLUMN_BE4] = column_be4, [WL_RUN_COLUMN_LE8] = column_le8,
        [WL_RUN_COLUMN_BE8] = column_be8,
    };
    return functions[operation];
}

/* Registers -------------------------------------------------------------------------------------------------------- */

#define VALUES(kind, load)                                                                                             \
    case kind:                                                                                                         \
        for (size_t i = 0; i < count; i++)                                                                             \
            values[i] = (uint64_t)(load(data[i] + offset));                                                            \
        break

/* A field of each row to sheet->values: 64 bits of it, with its sign where it has one. */
static void take_values(wl_sheet *sheet, wl_sheet_place from, unsigned kind, size_t count) {
    const uint8_t *const *data = sheet->data;
    const size_t offset = from.offset;
    uint64_t *values = sheet->values;
    switch (kind) {
        VALUES(WL_U1, load1);
        VALUES(WL_U2LE, wl_load_le2);
        VALUES(WL_U2BE, wl_load_be2);
        VALUES(WL_U4LE, wl_load_le4);
        VALUES(WL_U4BE, wl_load_be4);
        VALUES(WL_S1, (int8_t)load1);
        VALUES(WL_S2LE, (int16_t)wl_load_le2);
        VALUES(WL_S2BE, (int16_t)wl_load_be2);
        VALUES(WL_S4LE, (int32_t)wl_load_le4);
        VALUES(WL_S4BE, (int32_t)wl_load_be4);
        VALUES(WL_U8LE, wl_load_le8);
        VALUES(WL_S8LE, wl_load_le8);
    default:
        for (size_t i = 0; i < count; i++)
            values[i] = wl_load_be8(data[i] + offset);
    }
}

size_t wl_sheet_register(wl_sheet *sheet, const wl_sheet_step *step, size_t count, size_t row) {
    const uint64_t *values = sheet->values;
    uint8_t *out = step->out + row * step->width;
    take_values(sheet, step->from, step->kind, count);
    for (size_t i = 0; i < count; i++) {
        if (step->width == 1)
            out[i] = (uint8_t)values[i];
        else if (step->width == 2)
            wl_store2(out + i * 2, (uint16_t)values[i]);
        else if (step->width == 4)
            wl_store4(out + i * 4, (uint32_t)values[i]);
        else
            wl_store8(out + i * 8, values[i]);
    }
    return count;
}

/* How many of the values from the first on lie in the step's bounds. */
static size_t within(const wl_sheet *sheet, const wl_sheet_step *step, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (WL_UNLIKELY(sheet->values[i] - step->low > step->reach))
            return i;
    }
    return count;
}

/* A row whose time is none is left to the handlers, which know what a null is. */
size_t wl_sheet_timestamp(wl_sheet *sheet, const wl_sheet_step *step, size_t count, size_t row) {
    take_values(sheet, step->from, step->kind, count);
    count = within(sheet, step, count);
    memcpy(step->out + row * 8, sheet->values, count * 8);
    return count;
}

/* Checks ----------------------------------------------------------------------------------------------------------- */

size_t wl_sheet_range(wl_sheet *sheet, const wl_sheet_step *step, size_t count, size_t row) {
    (void)row;
    take_values(sheet, step->from, step->kind, count);
    return within(sheet, step, count);
}

size_t wl_sheet_constant(wl_sheet *sheet, const wl_sheet_step *step, size_t count, size_t row) {
    (void)row;
    for (size_t i = 0; step->width && i < count; i++) {
        if (WL_UNLIKELY(memcmp(sheet->data[i] + step->from.offset, step->constant, step->width) != 0))
            return i;
    }
    return count;
}

size_t wl_sheet_checksum(wl_sheet *sheet, const wl_sheet_step *step, size_t count, size_t row) {
    const wl_checksum *checksum = step->checksum;
    const wl_crc_function update = checksum->update;
    const uint32_t flip = checksum->rule->final_xor, state = checksum->replaced;
    uint32_t found[WL_GROUP];
    (void)row;
    for (size_t i = 0; i < count; i++) {
        const uint8_t *from = sheet->data[i] + step->begin;
        const uint8_t *to = step->to.is_end ? sheet->ends[i] : sheet->data[i] + step->to.offset;
        found[i] = update(state, from, (size_t)(to - from)) ^ flip;
    }
    take_values(sheet, step->from, step->kind, count);
    for (size_t i = 0; i < count; i++) {
        if (WL_UNLIKELY(sheet->values[i] != found[i]))
            return i;
    }
    return count;
}

/* Byte strings ----------------------------------------------------------------------------------------------------- */

/* Writes the offsets, and finds what is to be copied. Gives how many rows have room, and the size of the largest. */
static size_t measure(wl_sheet *sheet, const wl_sheet_step *step, size_t count, uint8_t *offsets, uint32_t *largest) {
    size_t used = wl_load4(offsets), room = step->room;
    *largest = 0;
    /* What was used is read back from the caller's memory, so it is no more trusted than the sizes. */
    if (WL_UNLIKELY(used > room))
        return 0;
    for (size_t i = 0; i < count; i++) {
        const uint8_t *from = sheet->data[i] + step->from.offset;
        const uint8_t *to = step->to.is_end ? sheet->ends[i] : sheet->data[i] + step->to.offset;
        size_t size = (size_t)(to - from);
        if (WL_UNLIKELY(size > room - used))
            return i;
        used += size;
        sheet->from[i] = from;
        sheet->sizes[i] = (uint32_t)size;
        *largest = (uint32_t)size > *largest ? (uint32_t)size : *largest;
        wl_store4(offsets + 4 * (i + 1), (uint32_t)used);
    }
    return count;
}

size_t wl_sheet_bytes(wl_sheet *sheet, const wl_sheet_step *step, size_t count, size_t row) {
    uint8_t *offsets = step->offsets + row * 4;
    uint32_t largest;
    count = measure(sheet, step, count, offsets, &largest);
    if (!count)
        return 0;
    size_t used = wl_load4(offsets), behind = step->room - wl_load4(offsets + 4 * count);
    uint8_t *to = step->out + used;
    size_t more = (size_t)largest + WL_COPY_BLOCK;
    if (WL_LIKELY(largest <= WL_COPY_SHORT && behind >= more && sheet->spare >= more)) {
        wl_chosen.copy_many(to, sheet->from, sheet->sizes, count, largest);
        return count;
    }
    for (size_t i = 0; i < count; i++) {
        if (sheet->sizes[i])
            memcpy(to, sheet->from[i], sheet->sizes[i]);
        to += sheet->sizes[i];
    }
    return count;
}
