/* Plain rows: consecutive, of one byte string between fixed fields, of which at most one checksum and one column need
 * all bytes. They are found, copied and summed in groups, in three loops: a single loop needs more values than there
 * are registers, and more instructions for them than for the bytes. Compiled for every width of vectors. */
#include "row_block_copies.h"
#include "row_block_sums.h"

#define GROUP_ROWS 6 /* a multiple of three, since three CRCs may be computed together */
#define GROUP_BYTES 1536

bool wl_row_block_is_plain(const wl_row_block *block) {
    return !block->nested && !(block->guards && block->guards->count) && !block->chooses && block->string_count == 1 &&
           block->copy_count <= 1 && block->sum_count <= 1 && wl_row_block_reads_all(block) &&
           (!block->sum_count || wl_row_block_is_simple_sum(block, block->sums));
}

/* Finds the rows of a group, from number `row` up to `rows`; returns the number of the first one that is not in it. */
INLINE size_t find_group(wl_row_block *block, const wl_ahead *ahead, size_t row, size_t rows, unsigned kind) {
    const uint8_t **begins = block->at[0], **ends = block->at[1];
    const uint8_t *at = begins[row], *end = ahead->end;
    const uint8_t *last = ahead->last - at > GROUP_BYTES ? at + GROUP_BYTES : ahead->last;
    const size_t least = ahead->least, largest = ahead->largest;
    const int64_t size_at = block->strings->size.offset, before = block->strings->before;
    const uint64_t more = (uint64_t)block->strings->more;
    const wl_known_byte known = block->known;
    for (; row < rows && at < last; row++) {
        if (WL_UNLIKELY(known.is_known && at[known.offset] != known.value))
            break;
        const uint64_t size = wl_string_size(at + size_at, kind, more);
        if (WL_UNLIKELY(size > wl_smaller((size_t)(end - at) - least, largest)))
            break;
        ends[row] = at + before + size;
        begins[row + 1] = at += least + size;
    }
    return row;
}

/* Copying first prefetches the data, and the checksum finds it in the cache; not for long data. */
INLINE size_t take_group(wl_row_block *block, size_t row, size_t rows, size_t width) {
    const bool is_short = block->at[0][rows] - block->at[0][row] <= 2 * GROUP_BYTES;
    if (block->copy_count && is_short)
        rows = copy_column(block, block->copies, row, rows, NULL, true, width);
    if (block->sum_count)
        rows = wl_row_block_sum(block, block->sums, row, rows);
    if (block->copy_count && !is_short)
        rows = copy_column(block, block->copies, row, rows, NULL, true, width);
    return rows;
}

INLINE size_t rows_of_kind(wl_row_block *block, const wl_ahead *ahead, unsigned kind, size_t width) {
    for (size_t row = 0;;) {
        const size_t most = wl_smaller(row + GROUP_ROWS, ahead->rows);
        const size_t found = find_group(block, ahead, row, most, kind);
        for (size_t i = row; !block->copy_count && i < found; i++)
            fetch_ahead(block->at[0][i], block->at[0][i + 1], false);
        const size_t taken = take_group(block, row, found, width);
        if (taken < found || taken == row || taken == ahead->rows)
            return taken;
        row = taken;
    }
}

INLINE size_t plain_rows(wl_row_block *block, const wl_ahead *ahead, size_t width) {
    switch (block->strings->kind) {
    case WL_U2LE:
        return rows_of_kind(block, ahead, WL_U2LE, width);
    case WL_U4LE:
        return rows_of_kind(block, ahead, WL_U4LE, width);
    case WL_U4BE:
        return rows_of_kind(block, ahead, WL_U4BE, width);
    case WL_U8LE:
        return rows_of_kind(block, ahead, WL_U8LE, width);
    default:
        return rows_of_kind(block, ahead, block->strings->kind, width);
    }
}

#define VARIANT(level, vector, attributes)                                                                             \
    attributes size_t wl_plain_rows_##level(wl_row_block *block, const wl_ahead *ahead) {                              \
        return plain_rows(block, ahead, sizeof(vector));                                                               \
    }

VARIANT(portable, wl_vector16, )
#if defined(__x86_64__)
VARIANT(avx2, wl_vector32, __attribute__((target("avx2"))))
VARIANT(avx512, wl_vector64, __attribute__((target("avx512f,avx512bw"))))
#endif
