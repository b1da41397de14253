/* The rows of a block, assembled column by column: each step is a loop over all rows. */
#include "encode.h"

static inline uint16_t load2(const uint8_t *from) {
    uint16_t value;
    memcpy(&value, from, sizeof value);
    return value;
}

static inline uint64_t load8(const uint8_t *from) {
    uint64_t value;
    memcpy(&value, from, sizeof value);
    return value;
}

/* Stores are written as shifts, like loads (bytes.h). */
static inline void put2(uint8_t *to, uint16_t value, bool big) {
    to[0] = (uint8_t)(big ? value >> 8 : value);
    to[1] = (uint8_t)(big ? value : value >> 8);
}

static inline void put4(uint8_t *to, uint32_t value, bool big) {
    for (unsigned i = 0; i < 4; i++)
        to[i] = (uint8_t)(value >> 8 * (big ? 3 - i : i));
}

static inline void put8(uint8_t *to, uint64_t value, bool big) {
    for (unsigned i = 0; i < 8; i++)
        to[i] = (uint8_t)(value >> 8 * (big ? 7 - i : i));
}

/* One value per row, at `offset` in each. The kind is examined once for all rows. */
#define FOR_EACH_ROW(value, put)                                                                                       \
    for (size_t i = 0; i < block->count; i++) {                                                                        \
        uint64_t number = (value);                                                                                     \
        put;                                                                                                           \
    }                                                                                                                  \
    break

#define FOR_EACH_KIND(value1, value2, value4, value8)                                                                  \
    switch (kind) {                                                                                                    \
    case WL_U1:                                                                                                        \
        FOR_EACH_ROW(value1, block->rows[i][offset] = (uint8_t)number);                                                \
    case WL_U2LE:                                                                                                      \
        FOR_EACH_ROW(value2, put2(block->rows[i] + offset, (uint16_t)number, false));                                  \
    case WL_U2BE:                                                                                                      \
        FOR_EACH_ROW(value2, put2(block->rows[i] + offset, (uint16_t)number, true));                                   \
    case WL_U4LE:                                                                                                      \
        FOR_EACH_ROW(value4, put4(block->rows[i] + offset, (uint32_t)number, false));                                  \
    case WL_U4BE:                                                                                                      \
        FOR_EACH_ROW(value4, put4(block->rows[i] + offset, (uint32_t)number, true));                                   \
    case WL_U8LE:                                                                                                      \
        FOR_EACH_ROW(value8, put8(block->rows[i] + offset, number, false));                                            \
    default:                                                                                                           \
        FOR_EACH_ROW(value8, put8(block->rows[i] + offset, number, true));                                             \
    }

static void put_column(const wl_encode_block *block, size_t offset, unsigned kind, const uint8_t *values) {
    FOR_EACH_KIND(values[i], load2(values + 2 * i), wl_load4(values + 4 * i), load8(values + 8 * i))
}

static void put_numbers(const wl_encode_block *block, size_t offset, unsigned kind, const uint64_t *numbers) {
    FOR_EACH_KIND(numbers[i], numbers[i], numbers[i], numbers[i])
}

static void put_sizes(const wl_encode_block *block, size_t offset, const wl_encode_part *part) {
    uint64_t numbers[WL_ENCODE_ROWS];
    for (size_t i = 0; i < block->count; i++)
        numbers[i] = (uint64_t)block->sizes[i] + (uint64_t)part->added;
    put_numbers(block, offset, part->kind, numbers);
}

static void put_replacement(const wl_encode_block *block, size_t offset, const wl_encode_part *part) {
    uint64_t numbers[WL_ENCODE_ROWS];
    for (size_t i = 0; i < block->count; i++)
        numbers[i] = block->arguments->replace * UINT64_C(0x0101010101010101);
    put_numbers(block, offset, part->kind, numbers);
}

static void put_heads(const wl_encode_block *block) {
    const wl_encode_arguments *arguments = block->arguments;
    size_t offset = 0;
    for (size_t k = 0; k < arguments->field_count; k++) {
        const wl_encode_part *part = block->parts + k;
        if (part->holds == WL_HOLDS_COLUMN) {
            put_column(block, offset, part->kind, part->values + block->row * part->size);
        } else if (part->holds == WL_HOLDS_SIZE) {
            put_sizes(block, offset, part);
        } else {
            put_replacement(block, offset, part);
        }
        offset += part->size;
    }
}

/* In order, since what is written after one is the position of the next one. */
static void put_strings(const wl_encode_block *block, const uint8_t *end) {
    const wl_encode_arguments *arguments = block->arguments;
    if (!arguments->data)
        return;
    const uint8_t *data_end = arguments->data + arguments->data_size, *highest = arguments->data;
    uint32_t largest = 0;
    for (size_t i = 0; i < block->count; i++) {
        largest = block->sizes[i] > largest ? block->sizes[i] : largest;
        highest = block->strings[i] > highest ? block->strings[i] : highest;
    }
    size_t written = (size_t)largest + WL_COPY_BLOCK;
    uint8_t *last = block->rows[block->count - 1] + block->head;
    if (WL_LIKELY(largest <= WL_COPY_SHORT && block->gap != WL_NOT_FOUND && (size_t)(end - last) >= written &&
                  (size_t)(data_end - highest) >= written)) {
        wl_chosen.copy_many(block->rows[0] + block->head, block->gap, block->strings, block->sizes, block->count,
                            largest);
        return;
    }
    for (size_t i = 0; i < block->count; i++) {
        uint8_t *to = block->rows[i] + block->head;
        wl_copy(to, block->strings[i], block->sizes[i], (size_t)(end - to), (size_t)(data_end - block->strings[i]));
    }
}

static void put_checksums(const wl_encode_block *block) {
    const wl_encode_arguments *arguments = block->arguments;
    const wl_algorithm *algorithm = arguments->algorithm;
    uint64_t numbers[WL_ENCODE_ROWS];
    for (size_t i = 0; i < block->count; i++) {
        size_t size = block->head + block->sizes[i];
        size_t begin = wl_smaller(arguments->begin, size), end = wl_smaller(arguments->end, size);
        uint64_t state = algorithm->initial;
        if (begin < end)
            state = algorithm->update(state, block->rows[i] + begin, end - begin, algorithm->tables);
        /* A call for each short row would take a thirtieth of the encoding time. */
        numbers[i] = algorithm->bare ? state ^ algorithm->of.final_xor : wl_sum_of_state(algorithm, state);
    }
    put_numbers(block, block->checksum, block->checked->kind, numbers);
}

void wl_encode_assemble(const wl_encode_block *block, const uint8_t *end) {
    put_strings(block, end);
    put_heads(block);
    if (block->checked)
        put_checksums(block);
}
