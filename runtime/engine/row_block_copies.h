/* Copies of a column's byte strings, for functions that are compiled once per width of vectors. */
#ifndef WIRELOOM_ROW_BLOCK_COPIES_H
#define WIRELOOM_ROW_BLOCK_COPIES_H

#include "row_block_prefetch.h"

/* With this much room, the rest of the last step needs no check. */
#define MOST_WRITTEN (WL_COPY_STEPS_MOST + WL_COPY_STEP * WL_COPY_BLOCK)

/* Copies the byte strings of rows from number `row` up to `rows`. `taken`: for each row whether it has one; NULL: all do.
 * `fetches`: bytes of later rows are prefetched. Returns the number of the first row without room for it, or `rows`. */
INLINE size_t copy_column(const wl_row_block *block, const wl_string_column *column, size_t row, size_t rows,
                          const uint8_t *taken, bool fetches, size_t width) {
    const uint8_t *const *begins = column->begins, *const *ends = column->ends, *const readable = block->readable;
    const int64_t from_offset = column->from.offset, to_offset = column->to.offset;
    uint8_t *const out = column->out, *offsets = column->offsets + (block->row + row) * 4;
    const size_t used = wl_load4(offsets);
    /* The used size is read back from the caller's memory, so it is not trusted. */
    if (WL_UNLIKELY(used > column->room))
        return row;
    uint8_t *to = out + used, *const end = out + column->room;
    for (; row < rows; row++) {
        offsets += 4;
        if (WL_LIKELY(!taken || taken[row])) {
            const uint8_t *from = begins[row] + from_offset;
            const size_t size = (size_t)(ends[row] + to_offset - from);
            if (WL_LIKELY(size <= WL_COPY_STEPS_MOST && end - to >= MOST_WRITTEN && readable - from >= MOST_WRITTEN)) {
                wl_copy_in_steps(to, from, size, width);
            } else {
                if (WL_UNLIKELY(size > (size_t)(end - to)))
                    return row;
                wl_copy_steps(to, from, size, (size_t)(end - to), (size_t)(readable - from), width);
            }
            to += size;
        }
        wl_store4(offsets, (uint32_t)(to - out));
        if (fetches) {
            fetch_ahead(block->at[0][row], block->at[0][row + 1], false);
            fetch_to_write_ahead(to, (size_t)(block->at[0][row + 1] - block->at[0][row]));
        }
    }
    return rows;
}

#endif
