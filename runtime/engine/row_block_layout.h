/* Finds the beginnings of the stretches of a row with byte strings, and parts that depend on bytes. Included in
 * row_block_bytes.c, which is compiled for every level. */
#ifndef WIRELOOM_ROW_BLOCK_LAYOUT_H
#define WIRELOOM_ROW_BLOCK_LAYOUT_H

#include "row_block_guards.h"

#define INLINE static inline __attribute__((always_inline))

/* Finds the beginnings of the row's stretches; returns the next row, or NULL if this one is not plain. */
INLINE const uint8_t *lay_out(wl_row_block *block, const uint8_t *at, size_t row, const wl_ahead *ahead) {
    size_t left = (size_t)(ahead->end - at) - ahead->least;
    left = left < ahead->largest ? left : ahead->largest;
    const uint8_t *next = at + ahead->least;
    block->at[0][row] = at;
    for (size_t i = 0; i < block->string_count; i++) {
        const wl_string *string = block->strings + i;
        uint64_t size = wl_string_size(wl_row_block_at(block, string->size, row), string->kind, (uint64_t)string->more);
        if (WL_UNLIKELY(size > left))
            return NULL;
        left -= size;
        next += size;
        block->at[i + 1][row] = block->at[i][row] + string->before + size;
    }
    return next;
}

/* Without a branch, which compilers would generate for a choice. */
static inline const uint8_t *where(uint32_t taken, const uint8_t *at) {
    const uintptr_t zeros = (uintptr_t)wl_zeros;
    return (const uint8_t *)(zeros ^ ((zeros ^ (uintptr_t)at) & (0 - (uintptr_t)taken)));
}

/* The stretches of both parts of a condition, which have no byte strings, and of what follows after `size` bytes. */
INLINE void lay_out_parts(wl_row_block *block, size_t number, const uint8_t *at, size_t size, size_t row,
                          uint32_t taken) {
    const wl_string *string = block->strings + number;
    const uint8_t **begins = &block->at[number + 1][row];
    begins[0] = where(taken >> string->next & 1, at);
    if (string->fixed == 3) {
        begins[WL_ROW_BLOCK_ROWS + 1] = where(taken >> (string->next + 1) & 1, at);
        begins += WL_ROW_BLOCK_ROWS + 1;
    }
    begins[WL_ROW_BLOCK_ROWS + 1] = string->guard ? where(taken >> string->guard & 1, at + size) : at + size;
}

/* Like wl_row_block_at(); what is in the row's first stretch need not wait for its table. */
INLINE const uint8_t *string_at(const wl_row_block *block, wl_place place, const uint8_t *begin, size_t row) {
    return (place.stretch ? block->at[place.stretch][row] : begin) + place.offset;
}

/* The same for rows with conditional parts. Without branches on what is taken, which may be practically random, and
 * with it in a processor register, since the next row waits for it. */
INLINE const uint8_t *lay_out_guarded(wl_row_block *block, const uint8_t *begin, size_t row, const wl_ahead *ahead) {
    wl_block_guards *guards = block->guards;
    size_t left = (size_t)(ahead->end - begin) - ahead->least;
    left = left < ahead->largest ? left : ahead->largest;
    const uint8_t *at = begin;
    uint32_t taken = 1;
    block->at[0][row] = at;
    for (size_t i = 0; i < block->string_count; i++) {
        const wl_string *string = block->strings + i;
        if (string->plain) {
            at += string->before;
            uint64_t size = wl_string_size(string_at(block, string->size, begin, row), string->kind, (uint64_t)string->more);
            if (WL_UNLIKELY(size > left))
                return NULL;
            left -= size;
            block->at[i + 1][row] = at += size;
            continue;
        }
        uint64_t mask = UINT64_MAX;
        if (string->guard) {
            mask = 0 - (uint64_t)(taken >> string->guard & 1);
            /* What all rows have is included in `least`. */
            if (WL_UNLIKELY(((size_t)string->before & mask) > left))
                return NULL;
            left -= (size_t)string->before & mask;
        }
        at += (size_t)string->before & mask;
        if (string->kind < WL_KIND_COUNT) {
            const uint8_t *place = string_at(block, string->size, begin, row);
            uint64_t size = wl_string_size(place, string->kind, (uint64_t)string->more) & mask;
            if (WL_UNLIKELY(size > left))
                return NULL;
            left -= size;
            at += size;
        }
        if (string->condition) {
            const wl_condition *condition = guards->conditions + string->condition - 1;
            const wl_decision *decision = condition->table + *string_at(block, condition->place, begin, row);
            const uint32_t around = 0 - (taken >> condition->parent & 1);
            if (WL_UNLIKELY(decision->fails))
                return NULL;
            taken |= decision->taken & around;
            if (string->fixed) {
                const size_t size = decision->size & around;
                if (WL_UNLIKELY(size > left))
                    return NULL;
                lay_out_parts(block, i, at, size, row, taken);
                left -= size;
                at += size;
                i += string->fixed - 1;
                continue;
            }
        }
        block->at[i + 1][row] = string->next ? where(taken >> string->next & 1, at) : at;
    }
    for (size_t i = 1; i <= 2 * guards->count; i++)
        guards->taken[i][row] = taken >> i & 1;
    return at + block->tail + block->padding;
}

/* The same for rows whose conditional parts have fixed sizes and are not in other ones: only these sizes are added up.
 * What is in the parts is found by locate_parts(). */
INLINE const uint8_t *lay_out_sizes(wl_row_block *block, const uint8_t *begin, size_t row, const wl_ahead *ahead) {
    size_t left = (size_t)(ahead->end - begin) - ahead->least;
    left = left < ahead->largest ? left : ahead->largest;
    const wl_string *const end = block->strings + block->string_count;
    const uint8_t *at = begin;
    block->at[0][row] = at;
    for (const wl_string *string = block->strings; string != end; string++) {
        const uint8_t *place = string_at(block, string->size, begin, row);
        uint64_t size;
        at += string->before;
        if (string->condition) {
            const wl_decision *decision = string->decides->table + *place;
            if (WL_UNLIKELY(decision->fails))
                return NULL;
            string->taken[0][row] = decision->holds;
            size = decision->size;
            string += string->fixed - 1;
        } else {
            size = wl_string_size(place, string->kind, (uint64_t)string->more);
        }
        if (WL_UNLIKELY(size > left))
            return NULL;
        left -= size;
        string->begins[row] = at += size;
    }
    return at + block->tail + block->padding;
}

/* Where the part of the rows that are `taken` begins: it has `size` bytes, and what follows it is at `ends`. */
INLINE void locate_part(const uint8_t **restrict begins, const uint8_t *const *restrict ends,
                        const uint8_t *restrict taken, int64_t size, size_t rows) {
    for (size_t i = 0; i < rows; i++)
        begins[i] = where(taken[i], ends[i] - size);
}

/* After lay_out_sizes(): the parts of all rows. */
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

/* The same for rows with varints, sub-streams, or parts that depend on more than a byte. */
INLINE const uint8_t *lay_out_nested(wl_row_block *block, const uint8_t *begin, size_t row, const wl_ahead *ahead) {
    const uint8_t *limit = ahead->end - block->padding;
    /* In a loop the limit of a row is that of the unit. */
    if (WL_UNLIKELY((uint64_t)(limit - begin) > ahead->largest + block->fixed))
        limit = begin + ahead->largest + block->fixed;
    block->at[0][row] = begin;
    return block->strings->lay_out(block->strings, block, begin, limit, row, 0);
}

#endif
