/* Finds rows whose sizes are determined by bytes of their first stretch. Only the size of a row delays the next one,
 * and its parts are looked up in tables: a row needs no branch on its layout. Included in row_block_bytes.c, which is
 * compiled for every level. */
#ifndef WIRELOOM_ROW_BLOCK_SIZES_H
#define WIRELOOM_ROW_BLOCK_SIZES_H

#include "row_block_prefetch.h"

/* Finds the beginnings of rows, and the ends of their byte strings and parts; returns the number of rows. `count`: of
 * tables. */
INLINE size_t find_sized_by(wl_row_block *block, const wl_ahead *ahead, size_t count) {
    /* In local variables, which stores through pointers to bytes cannot change. */
    struct {
        int64_t offset, before;
        const uint8_t **ends;
        const uint32_t *sizes;
    } tables[WL_MOST_SIZE_TABLES];
    for (size_t i = 0; i < count; i++) {
        const wl_size_table *table = block->guards->sizes + i;
        tables[i].offset = table->offset;
        tables[i].before = table->before;
        tables[i].ends = table->ends;
        tables[i].sizes = table->sizes;
    }
    const uint8_t **begins = block->at[0], *at = ahead->at, *const last = ahead->last;
    const uint8_t *const least_end = ahead->end - ahead->least;
    const size_t rows = ahead->rows, least = ahead->least;
    const uint64_t largest = ahead->largest < WL_NO_SIZE ? ahead->largest : WL_NO_SIZE - 1;
    const bool skims = !wl_row_block_reads_all(block);
    const wl_known_byte known = block->known;
    size_t row = 0, before = 0;
    begins[0] = at;
    for (; row < rows && at < last; row++) {
        if (WL_UNLIKELY(known.is_known && at[known.offset] != known.value))
            break;
        uint64_t size = 0;
        for (size_t i = 0; i < count; i++) {
            size += tables[i].sizes[at[tables[i].offset]];
            /* If the row is not valid these are not used. */
            tables[i].ends[row] = (const uint8_t *)((uintptr_t)at + (uintptr_t)tables[i].before + size);
        }
        if (WL_UNLIKELY(size > largest || size > (size_t)(least_end - at)))
            break;
        const uint8_t *next = at + least + size;
        size += least;
        fetch_ahead(at, next, skims && size > WIDE && (size == before || size > SHORT));
        before = size;
        begins[row + 1] = at = next;
    }
    return row;
}

INLINE size_t find_sized(wl_row_block *block, const wl_ahead *ahead) {
    switch (block->guards->size_count) {
    case 1:
        return find_sized_by(block, ahead, 1);
    case 2:
        return find_sized_by(block, ahead, 2);
    default:
        return find_sized_by(block, ahead, block->guards->size_count);
    }
}

/* For each row whether its conditions are true. */
INLINE void locate_holding(wl_row_block *block, size_t rows) {
    const uint8_t *const *begins = block->at[0];
    for (size_t i = 0; i < block->guards->size_count; i++) {
        const wl_size_table *table = block->guards->sizes + i;
        if (!table->condition)
            continue;
        const wl_decision *const decisions = table->condition->table;
        const int64_t offset = table->offset;
        uint8_t *restrict holds = table->holds;
        for (size_t row = 0; row < rows; row++)
            holds[row] = decisions[begins[row][offset]].holds;
    }
}

/* Without a branch, which compilers would generate for a choice. */
static inline const uint8_t *where(uint32_t taken, const uint8_t *at) {
    const uintptr_t zeros = (uintptr_t)wl_zeros;
    return (const uint8_t *)(zeros ^ ((zeros ^ (uintptr_t)at) & (0 - (uintptr_t)taken)));
}

/* Where the part of the rows that are `taken` begins: it has `size` bytes, and what follows it is at `ends`. */
INLINE void locate_part(const uint8_t **restrict begins, const uint8_t *const *restrict ends,
                        const uint8_t *restrict taken, int64_t size, size_t rows) {
    for (size_t i = 0; i < rows; i++)
        begins[i] = where(taken[i], ends[i] - size);
}

/* Finds the parts of all rows. */
INLINE void locate_parts(wl_row_block *block, size_t rows) {
    for (size_t i = 0; i < block->string_count; i++) {
        const wl_string *string = block->strings + i;
        if (!string->condition)
            continue;
        i += string->fixed - 1;
        const uint8_t *const *ends = block->strings[i].begins;
        const uint8_t *restrict holds = string->taken[0];
        uint8_t *restrict fails = string->taken[1];
        for (size_t row = 0; row < rows; row++)
            fails[row] = !holds[row];
        locate_part(string->begins, ends, holds, string[1].before, rows);
        if (string->fixed == 3)
            locate_part(string[1].begins, ends, fails, string[2].before, rows);
    }
}

#endif
