/* Predicates of the caller, which determine the rows of the table.
 *
 * A row for which one is false is read like any other: its damage is reported. It is not built, or it is removed if
 * only the built row can be tested. */
#include "internal.h"

#define ROWS 128

static uint64_t key_of(uint64_t value, unsigned width, unsigned keys) {
    const unsigned unused = 64 - 8 * width;
    if (keys == WL_SIGNED_KEYS)
        return (uint64_t)((int64_t)(value << unused) >> unused) ^ UINT64_C(1) << 63;
    const uint64_t sign = UINT64_C(1) << (8 * width - 1);
    if (keys == WL_FLOAT_KEYS)
        return value & sign ? ~value & (sign | (sign - 1)) : value | sign;
    return value;
}

#define LOAD(bits)                                                                                                     \
    for (size_t i = 0; i < rows; i++) {                                                                                \
        uint##bits##_t value;                                                                                          \
        memcpy(&value, values + i * (bits / 8), bits / 8);                                                             \
        to[i] = key_of(value, bits / 8, keys);                                                                         \
    }                                                                                                                  \
    break

static inline void load_keys(uint64_t *to, const uint8_t *values, unsigned width, unsigned keys, size_t rows) {
    switch (width) {
    case 1:
        LOAD(8);
    case 2:
        LOAD(16);
    case 4:
        LOAD(32);
    default:
        LOAD(64);
    }
}

static uint64_t bound(const wl_predicate *predicate, size_t number) {
    uint64_t key;
    memcpy(&key, predicate->ranges + 8 * number, sizeof key);
    return key;
}

/* Whether the key is in one of the ranges: in the last one that does not begin after it. */
static bool lies_in(const wl_predicate *predicate, uint64_t key) {
    size_t from = 0, to = predicate->count;
    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        if (bound(predicate, 2 * middle) <= key)
            from = middle + 1;
        else
            to = middle;
    }
    return from && key <= bound(predicate, 2 * from - 1);
}

/* Removes the rows for which the predicate is false. */
static void ask(const wl_run *run, const wl_predicate *predicate, size_t row, size_t rows, bool nulls, uint8_t *holds) {
    const wl_column *column = run->arguments->columns + predicate->column;
    const unsigned width = run->program->storages[predicate->column];
    uint64_t keys[ROWS];
    uint8_t fits[ROWS];
    load_keys(keys, column->values + row * width, width, predicate->keys, rows);
    if (WL_LIKELY(predicate->count == 1)) {
        const uint64_t low = bound(predicate, 0), reach = bound(predicate, 1) - low;
        for (size_t i = 0; i < rows; i++)
            fits[i] = keys[i] - low <= reach;
    } else {
        for (size_t i = 0; i < rows; i++)
            fits[i] = lies_in(predicate, keys[i]);
    }
    for (size_t i = 0; nulls && i < rows; i++) {
        /* A set bit is a null during the call. */
        if (column->validity[(row + i) / 8] >> (row + i) % 8 & 1)
            fits[i] = predicate->nulls;
    }
    for (size_t i = 0; i < rows; i++)
        holds[i] &= fits[i];
}

size_t wl_predicates_choose(const wl_run *run, size_t row, size_t rows, bool nulls, uint8_t *chosen) {
    uint8_t holds[ROWS];
    size_t count = 0;
    memset(holds, 1, sizeof holds);
    for (size_t i = 0; i < run->arguments->predicate_count; i++)
        ask(run, run->arguments->predicates + i, row, rows, nulls, holds);
    for (size_t i = 0; i < rows; i++) {
        chosen[count] = (uint8_t)i;
        count += holds[i];
    }
    return count;
}

bool wl_predicates_hold(const wl_run *run, size_t row) {
    uint8_t chosen[1];
    return wl_predicates_choose(run, row, 1, run->nulls, chosen);
}
