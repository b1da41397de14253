/* Prefetches for a block's rows. */
#ifndef WIRELOOM_ROW_BLOCK_PREFETCH_H
#define WIRELOOM_ROW_BLOCK_PREFETCH_H

#include "row_block_layout.h"
#include "vectors.h"

#define LINE 64
#define PAGE 4096
#define AHEAD_BYTES 2048
#define WRITE_AHEAD_BYTES 2048
#define AHEAD_ROWS 12
#define WIDE 512 /* size in bytes of a row of which most cache lines are not needed if only its fields are read */
#define SHORT WL_COPY_STEPS_MOST

/* Processors prefetch sequential accesses, but not far enough for rows, and not across pages. For rows of one size of
 * which only the fields are read: those of the row some rows ahead. For others: everything, if it is not much. In
 * addition one line of a later page, so that its address translation is cached. */
INLINE void fetch_ahead(const uint8_t *at, const uint8_t *next, bool skips) {
    size_t size = (size_t)(next - at);
    if (skips) {
        __builtin_prefetch((const void *)((uintptr_t)next + AHEAD_ROWS * size));
    } else if (size <= SHORT) {
        for (size_t i = 0; i < size; i += LINE)
            __builtin_prefetch((const void *)((uintptr_t)at + AHEAD_BYTES + i));
    }
    __builtin_prefetch((const void *)(((uintptr_t)next | (PAGE - 1)) + 1 + PAGE));
}

/* The memory that later rows are copied to, of which the first line may be in use. */
INLINE void fetch_to_write_ahead(const uint8_t *to, size_t size) {
    for (size_t i = 0; i < size && size <= SHORT; i += LINE)
        __builtin_prefetch((const void *)((uintptr_t)to + WRITE_AHEAD_BYTES + i), 1);
}

#endif
