/* What needs all bytes of a block's rows, row by row: checksums, copies, and finding consecutive rows. Compiled for
 * every width of vectors. */
#include "row_block_prefetch.h"
#include "row_block_sizes.h"

INLINE bool sum_holds(wl_row_block *block, const wl_sum *sum, size_t row) {
    const wl_checksum *checksum = sum->checksum;
    const uint8_t *from = wl_row_block_at(block, sum->from, row), *to = wl_row_block_at(block, sum->to, row);
    const int64_t skipped = sum->skipped;
    if (WL_UNLIKELY(to - from < skipped))
        return false;
    const uint64_t state =
        checksum->update(checksum->replaced, from + skipped, (size_t)(to - from - skipped), checksum->tables);
    if (sum->result) {
        sum->result[row] = (int64_t)wl_sum_of_state(checksum->algorithm, state);
        return true;
    }
    wl_integer expected = wl_load_kind(wl_row_block_at(block, sum->expected, row), sum->kind);
    return wl_checksum_holds(block->run, checksum, state, expected);
}

/* Copies the row's bytes for one column, in which its number is `to`; false if there is no room for them. */
INLINE bool copy_bytes(const wl_row_block *block, const wl_string_column *column, size_t row, size_t to,
                       const uint8_t *readable, size_t width, bool nested) {
    const uint8_t *from = column->begins[row] + column->from.offset;
    size_t size = (size_t)(column->ends[row] + column->to.offset - from);
    if (nested && column->outer) {
        from = column->outer->at;
        size = column->outer->size;
        readable = from + size;
    }
    uint8_t *offset = column->offsets + (block->row + to) * 4;
    size_t used = wl_load4(offset), room = column->room;
    /* The used size is read back from the caller's memory, so it is not trusted. */
    if (WL_UNLIKELY(used > room || size > room - used))
        return false;
    wl_copy_steps(column->out + used, from, size, room - used, (size_t)(readable - from), width);
    wl_store4(offset + 4, (uint32_t)(used + size));
    return true;
}

INLINE bool hold(wl_row_block *block, size_t row) {
    for (size_t i = 0; i < block->sum_count; i++) {
        if (WL_UNLIKELY(!sum_holds(block, block->sums + i, row)))
            return false;
    }
    return true;
}

/* `readable`: the end of the bytes that may be read. */
INLINE bool are_copied(const wl_row_block *block, size_t row, size_t to, const uint8_t *readable, size_t width,
                       bool guarded, bool nested) {
    for (size_t i = 0; i < block->copy_count; i++) {
        if (guarded && !block->copies[i].taken[row]) {
            uint8_t *offset = block->copies[i].offsets + (block->row + to) * 4;
            if (block->copies[i].alone)
                memcpy(offset + 4, offset, 4);
            continue;
        }
        if (WL_UNLIKELY(!copy_bytes(block, block->copies + i, row, to, readable, width, nested)))
            return false;
    }
    return true;
}

/* Copying first prefetches the data, and the checksum finds it in the cache; not for long data. */
INLINE bool takes(wl_row_block *block, size_t row, size_t size, const uint8_t *readable, size_t width, bool nested) {
    if (block->chooses)
        return hold(block, row);
    if (WL_LIKELY(size <= SHORT))
        return WL_LIKELY(are_copied(block, row, row, readable, width, nested, nested) && hold(block, row));
    return WL_LIKELY(hold(block, row) && are_copied(block, row, row, readable, width, nested, nested));
}

/* `nested`: rows have more than byte strings between fixed fields. `by_columns`: nothing but copies needs the bytes of the
 * rows, which is left to copy_columns(). */
INLINE size_t rows_of(wl_row_block *block, const wl_ahead *ahead, size_t width, bool nested, bool by_columns) {
    const uint8_t *at = ahead->at, *last = ahead->last, *readable = block->readable;
    const size_t rows = ahead->rows;
    size_t row = 0;
    size_t before = 0;
    /* Only fields are read, with byte strings between them. */
    const bool skims = block->string_count && !wl_row_block_reads_all(block);
    const wl_known_byte known = block->known;
    const wl_several_rows several_rows = nested && !block->padding ? block->several_rows : NULL;
    for (; row < rows && at < last; row++) {
        if (several_rows) {
            row += several_rows(block, ahead, at, row);
            at = block->at[0][row];
            if (row == rows || at >= last)
                break;
        }
        if (WL_UNLIKELY(known.is_known && at[known.offset] != known.value))
            break;
        const uint8_t *next = nested ? lay_out_nested(block, at, row, ahead) : lay_out(block, at, row, ahead);
        if (WL_UNLIKELY(!next))
            break;
        const size_t size = (size_t)(next - at);
        fetch_ahead(at, next, skims && size > WIDE && (size == before || size > SHORT));
        before = size;
        if (!by_columns && WL_UNLIKELY(!takes(block, row, size, readable, width, nested)))
            break;
        at = block->at[0][row + 1] = next;
    }
    return row;
}

INLINE size_t frame_rows(wl_row_block *block, size_t rows, size_t spare, size_t width) {
    for (size_t row = 0; row < rows; row++) {
        const uint8_t *from = block->at[0][row], *to = block->at[1][row];
        if (WL_UNLIKELY(!takes(block, row, (size_t)(to - from), to + spare, width, false)))
            return row;
    }
    return rows;
}

/* Copies the data of the first `rows` rows that have been chosen. */
INLINE size_t copy_rows(wl_row_block *block, size_t rows, size_t width) {
    for (size_t to = 0; to < rows; to++) {
        const size_t row = block->chosen[to];
        const uint8_t *readable = block->readable ? block->readable : block->at[1][row] + block->spare;
        if (WL_UNLIKELY(!are_copied(block, row, to, readable, width, block->guards != NULL, block->nested)))
            return to;
    }
    return rows;
}

/* Finds rows whose sizes are determined by bytes of their first stretch, and then takes those that have been found. */
INLINE size_t sized_rows(wl_row_block *block, const wl_ahead *ahead, size_t width) {
    const size_t found = find_sized(block, ahead);
    locate_holding(block, found);
    locate_parts(block, found);
    if (block->copies_by_columns)
        return wl_chosen.copy_columns(block, found);
    const uint8_t *const *begins = block->at[0];
    for (size_t row = 0; wl_row_block_reads_all(block) && row < found; row++) {
        const size_t size = (size_t)(begins[row + 1] - begins[row]);
        if (WL_UNLIKELY(!takes(block, row, size, block->readable, width, false)))
            return row;
    }
    return found;
}

/* Separate functions, since compilers allocate registers for all of a function. */
#define ROWS(name, level, vector, attributes, nested, by_columns)                                                        \
    attributes __attribute__((noinline, aligned(64))) static size_t name##_##level(wl_row_block *block,                \
                                                                                   const wl_ahead *ahead) {            \
        return rows_of(block, ahead, sizeof(vector), nested, by_columns);                                              \
    }
#define VARIANT(level, vector, attributes)                                                                             \
    ROWS(byte_strings, level, vector, attributes, false, false)                                                        \
    ROWS(nested, level, vector, attributes, true, false)                                                               \
    ROWS(located, level, vector, attributes, true, true)                                                               \
    attributes __attribute__((noinline, aligned(64))) static size_t sized_##level(wl_row_block *block,                 \
                                                                                  const wl_ahead *ahead) {             \
        return sized_rows(block, ahead, sizeof(vector));                                                               \
    }                                                                                                                  \
    attributes size_t wl_block_rows_##level(wl_row_block *block, const wl_ahead *ahead) {                              \
        if (block->guards && block->guards->size_count)                                                                \
            return sized_##level(block, ahead);                                                                        \
        if (block->copies_by_columns)                                                                                  \
            return wl_chosen.copy_columns(block, located_##level(block, ahead));                                       \
        if (block->nested)                                                                                             \
            return nested_##level(block, ahead);                                                                       \
        return byte_strings_##level(block, ahead);                                                                     \
    }                                                                                                                  \
    attributes size_t wl_frame_rows_##level(wl_row_block *block, size_t rows, size_t spare) {                          \
        return frame_rows(block, rows, spare, sizeof(vector));                                                         \
    }                                                                                                                  \
    attributes size_t wl_copy_rows_##level(wl_row_block *block, size_t rows) {                                         \
        return copy_rows(block, rows, sizeof(vector));                                                                 \
    }

VARIANT(portable, wl_vector16, )
#if defined(__x86_64__)
VARIANT(avx2, wl_vector32, __attribute__((target("avx2"))))
VARIANT(avx512, wl_vector64, __attribute__((target("avx512f,avx512bw"))))
#endif
