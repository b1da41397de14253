/* What needs all bytes of a block's rows, row by row: checksums, copies, and finding consecutive rows. Compiled for
 * every width of vectors. */
#include "row_block_layout.h"
#include "vectors.h"

#define VECTORS 4
#define LINE 64
#define PAGE 4096
#define AHEAD_BYTES 2048
#define AHEAD_ROWS 12
#define WIDE 512 /* size in bytes of a row of which most cache lines are not needed if only its fields are read */
#define SHORT 2048

/* Like wl_copy(), in steps of several vectors: the fewer steps, the fewer branches that depend on the size. */
INLINE void copy(uint8_t *to, const uint8_t *from, size_t size, size_t to_room, size_t from_room, size_t width) {
    if (WL_LIKELY(size <= SHORT && to_room - size >= VECTORS * WL_COPY_BLOCK &&
                  from_room - size >= VECTORS * WL_COPY_BLOCK)) {
        if (size <= WL_COPY_BLOCK) {
            wl_copy_vectors(to, from, 1, width);
            return;
        }
        const uint8_t *end = from + size;
        do {
            wl_copy_vectors(to, from, VECTORS, width);
            to += VECTORS * WL_COPY_BLOCK;
            from += VECTORS * WL_COPY_BLOCK;
        } while (from < end);
    } else if (size) {
        memcpy(to, from, size);
    }
}

INLINE bool sum_holds(wl_row_block *block, const wl_sum *sum, size_t row) {
    const wl_checksum *checksum = sum->checksum;
    const uint8_t *from = wl_row_block_at(block, sum->from, row), *to = wl_row_block_at(block, sum->to, row);
    const int64_t skipped = sum->skipped;
    uint64_t state;
    if (WL_LIKELY(sum->is_plain && to - from >= skipped)) {
        state = checksum->update(checksum->replaced, from + skipped, (size_t)(to - from - skipped), checksum->tables);
    } else {
        if (checksum->rule->replace >= 0)
            block->run->marks[checksum->rule->own] = wl_row_block_at(block, sum->own, row);
        state = wl_checksum_state(block->run, checksum, from, to < from ? from : to);
    }
    if (sum->narrow) {
        sum->narrow[row] = (int64_t)wl_sum_of_state(checksum->algorithm, state);
        return true;
    }
    if (sum->lane) {
        sum->lane[row] = (wl_integer)wl_sum_of_state(checksum->algorithm, state);
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
    copy(column->out + used, from, size, room - used, (size_t)(readable - from), width);
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
INLINE bool takes(wl_row_block *block, size_t row, size_t size, const uint8_t *readable, size_t width, bool guarded,
                  bool nested) {
    if (block->chooses)
        return hold(block, row);
    if (WL_LIKELY(size <= SHORT))
        return WL_LIKELY(are_copied(block, row, row, readable, width, guarded, nested) && hold(block, row));
    return WL_LIKELY(hold(block, row) && are_copied(block, row, row, readable, width, guarded, nested));
}

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

/* `kind`: the kind of the sizes of all byte strings, if it is known here. `nested`: there is more than byte strings. */
INLINE size_t rows_of_kind(wl_row_block *block, const wl_ahead *ahead, unsigned kind, size_t width, bool guarded,
                           bool nested) {
    const uint8_t *at = ahead->at, *last = ahead->last, *readable = block->readable;
    const size_t rows = ahead->rows;
    size_t row = 0;
    size_t before = 0;
    /* Only fields are read, with byte strings between them. */
    const bool skims = block->string_count && !wl_row_block_reads_all(block);
    const wl_known_byte known = block->known;
    for (; row < rows && at < last; row++) {
        if (WL_UNLIKELY(known.is_known && at[known.offset] != known.value))
            break;
        const uint8_t *next = nested    ? lay_out_nested(block, at, row, ahead)
                              : guarded ? lay_out_guarded(block, at, row, ahead)
                                        : lay_out(block, at, row, ahead, kind);
        if (WL_UNLIKELY(!next))
            break;
        const size_t size = (size_t)(next - at);
        fetch_ahead(at, next, skims && size > WIDE && (size == before || size > SHORT));
        before = size;
        if (WL_UNLIKELY(!takes(block, row, size, readable, width, guarded || nested, nested)))
            break;
        at = block->at[0][row + 1] = next;
    }
    return row;
}

INLINE size_t block_rows(wl_row_block *block, const wl_ahead *ahead, size_t width) {
    if (block->nested)
        return rows_of_kind(block, ahead, WL_KIND_COUNT, width, true, true);
    if (block->guards && block->guards->count)
        return rows_of_kind(block, ahead, WL_KIND_COUNT, width, true, false);
    if (block->string_count == 1 && block->strings[0].kind == WL_U2LE)
        return rows_of_kind(block, ahead, WL_U2LE, width, false, false);
    if (block->string_count == 1 && block->strings[0].kind == WL_U8LE)
        return rows_of_kind(block, ahead, WL_U8LE, width, false, false);
    if (block->string_count == 1 && block->strings[0].kind == WL_U4BE)
        return rows_of_kind(block, ahead, WL_U4BE, width, false, false);
    if (block->string_count == 1 && block->strings[0].kind == WL_U4LE)
        return rows_of_kind(block, ahead, WL_U4LE, width, false, false);
    return rows_of_kind(block, ahead, WL_KIND_COUNT, width, false, false);
}

INLINE size_t frame_rows(wl_row_block *block, size_t rows, size_t spare, size_t width) {
    for (size_t row = 0; row < rows; row++) {
        const uint8_t *from = block->at[0][row], *to = block->at[1][row];
        if (WL_UNLIKELY(!takes(block, row, (size_t)(to - from), to + spare, width, false, false)))
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

#define VARIANT(level, vector, attributes)                                                                             \
    attributes size_t wl_block_rows_##level(wl_row_block *block, const wl_ahead *ahead) {                              \
        return block_rows(block, ahead, sizeof(vector));                                                               \
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
