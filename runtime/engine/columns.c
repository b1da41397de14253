/* Whole rows: nulls, damaged rows, and the validity bitmaps.
 *
 * During a call, a set bit in a validity bitmap means *null*. Valid values, nearly all of them, then cost nothing, and
 * wl_columns_finish() inverts all bits at the end. */
#include "internal.h"

/* Writes the first offset of every variable column; the others are written row by row. */
void wl_columns_start(const wl_run *run) {
    for (uint32_t i = 0; i < run->program->column_count; i++) {
        const wl_column *column = run->arguments->columns + i;
        unsigned storage = run->program->storages[i];
        if (column->wanted && (storage == WL_VARIABLE || storage == WL_LIST))
            wl_store4(column->offsets, 0);
    }
}

void wl_column_null(wl_run *run, size_t number, size_t row) {
    const wl_column *column = run->arguments->columns + number;
    size_t storage = run->program->storages[number];
    run->nulls = true;
    column->validity[row / 8] |= (uint8_t)(1u << row % 8);
    if (storage == WL_VARIABLE || storage == WL_LIST)
        wl_store4(column->offsets + row * 4 + 4, wl_load4(column->offsets + row * 4));
    else if (storage != WL_STRUCT)
        memset(column->values + row * storage, 0, storage);
}

void wl_column_valid(wl_run *run, size_t number, size_t row) {
    run->arguments->columns[number].validity[row / 8] &= (uint8_t)~(1u << row % 8);
}

void wl_nulls_clear(uint8_t *validity, size_t from, size_t to) {
    for (; from < to && from % 8; from++)
        validity[from / 8] &= (uint8_t)~(1u << from % 8);
    if (from < to)
        memset(validity + from / 8, 0, (to - from + 7) / 8);
}

void wl_row_nulls(wl_run *run, size_t row) {
    for (uint32_t i = 0; i < run->program->column_count; i++) {
        if (run->arguments->columns[i].wanted && run->program->levels[i] == 0)
            wl_column_null(run, i, row);
    }
}

/* Removes a row: its nulls and items are undone; other values will be overwritten or are never shown. */
void wl_row_take_back(wl_run *run, size_t row) {
    if (run->program->level_count)
        wl_items_take_back(run);
    /* After the rows of a unit there may be no room for another one. */
    if (!run->nulls || row >= run->arguments->capacity)
        return;
    for (uint32_t i = 0; i < run->program->column_count; i++) {
        if (run->arguments->columns[i].wanted && run->program->levels[i] == 0)
            wl_column_valid(run, i, row);
    }
}

/* Inverts the first `rows` bits; returns how many of them were set. */
static size_t turn_round(uint8_t *bits, size_t rows) {
    size_t set = 0, i = 0;
    /* Few bits are set. */
    for (; i + 8 <= rows / 8; i += 8) {
        uint64_t word;
        memcpy(&word, bits + i, sizeof word);
        if (WL_UNLIKELY(word))
            set += (size_t)__builtin_popcountll(word);
        wl_store8(bits + i, ~word);
    }
    for (; i < rows / 8; i++) {
        set += (size_t)__builtin_popcount(bits[i]);
        bits[i] = (uint8_t)~bits[i];
    }
    if (rows % 8) {
        unsigned inside = (1u << rows % 8) - 1;
        set += (size_t)__builtin_popcount(bits[rows / 8] & inside);
        bits[rows / 8] = (uint8_t)(~bits[rows / 8] & inside);
    }
    return set;
}

void wl_columns_finish(const wl_run *run, wl_fill_result *result) {
    for (uint32_t level = 1; level <= run->program->level_count; level++)
        result->items_used[level - 1] = run->levels[level].used;
    for (uint32_t i = 0; i < run->program->column_count; i++) {
        const wl_column *column = run->arguments->columns + i;
        result->null_counts[i] = 0;
        result->data_used[i] = 0;
        if (!column->wanted)
            continue;
        size_t level = run->program->levels[i], rows = level ? run->levels[level].used : result->rows;
        result->null_counts[i] = turn_round(column->validity, rows);
        if (run->program->storages[i] == WL_VARIABLE)
            result->data_used[i] = wl_load4(column->offsets + rows * 4);
    }
}

bool wl_damaged(wl_run *run, wl_fill_result *result, size_t begin, size_t end, uint32_t reason, bool inside) {
    const wl_fill_arguments *arguments = run->arguments;
    wl_row_take_back(run, result->rows);
    if (result->damage_count == arguments->damage_capacity)
        return false;
    const uint64_t from = arguments->base_offset + begin, to = arguments->base_offset + end;
    wl_damage damage = {from, to, result->rows, to, reason & ~WL_BY_CODEC, inside};
    if (arguments->null_rows) {
        wl_row_nulls(run, result->rows);
        wl_row_add(run, result, begin);
    }
    wl_carried_store(run, 2 + result->damage_count);
    memcpy((uint8_t *)arguments->damages + result->damage_count++ * sizeof damage, &damage, sizeof damage);
    return true;
}
