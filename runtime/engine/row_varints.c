/* Integers in bytes with seven bits each, whose highest bit says that another byte follows. */
#include "handlers.h"
#include "varint.h"

static inline wl_integer value_of(uint64_t value, int64_t shape) {
    return shape & WL_VARINT_ZIGZAG ? wl_varint_signed(value) : (wl_integer)value;
}

/* Reads a varint byte by byte: WL_ROW_COMPLETE, and `next` is the byte after it; or the outcome of the row. */
__attribute__((noinline)) static int any_varint(wl_run *run, const wl_instruction *step, const uint8_t *cursor,
                                                const uint8_t *limit) {
    unsigned groups = WL_VARINT_GROUPS(step->c), most = WL_VARINT_MOST(step->c);
    size_t count = 0;
    uint64_t value = 0, mask = groups < WL_MOST_GROUPS ? ((uint64_t)1 << 7 * groups) - 1 : UINT64_MAX;
    uint8_t byte;
    do {
        if (WL_UNLIKELY(most && count == most)) {
            wl_check_failed(run, step->b);
            return WL_ROW_LOST;
        }
        if (WL_UNLIKELY(cursor == limit))
            return wl_missing(run, cursor, 1);
        byte = *cursor++;
        if (step->c & WL_VARINT_BIG_ENDIAN)
            value = (value << 7 | (byte & 0x7F)) & mask;
        else if (count < groups)
            value |= (uint64_t)(byte & 0x7F) << 7 * count;
        count++;
    } while (byte & 0x80);
    if (WL_UNLIKELY(count == most && byte > WL_VARINT_TOP(step->c)) && !wl_check_failed(run, (uint32_t)step->d))
        return WL_ROW_LOST;
    run->registers[step->a] = value_of(value, step->c);
    run->next = cursor;
    return WL_ROW_COMPLETE;
}

/* Reads a varint into its register: with one load, without a branch on its size, if it has at most eight bytes and
 * needs no check. `outcome` is not WL_ROW_COMPLETE if the row ends here. */
__attribute__((always_inline)) static inline const uint8_t *take_varint(wl_run *run, const wl_instruction *step,
                                                                        const uint8_t *cursor, const uint8_t *limit,
                                                                        int *outcome,
                                                                        wl_varint_groups groups) {
    if (WL_LIKELY(limit - cursor >= 8)) {
        uint64_t bytes = wl_load_le8(cursor);
        unsigned last = wl_varint_last(bytes);
        if (WL_LIKELY(last < WL_VARINT_PLAIN(step->c))) {
            bytes = wl_varint_bytes(bytes, last, (step->c & WL_VARINT_BIG_ENDIAN) != 0);
            run->registers[step->a] = value_of(groups(bytes), step->c);
            return cursor + last + 1;
        }
    } else if (cursor < limit && *cursor < 0x80 && WL_VARINT_PLAIN(step->c)) {
        /* Directly before the end of a sub-stream, as with counts and sizes of nothing. */
        run->registers[step->a] = value_of(*cursor, step->c);
        return cursor + 1;
    }
    *outcome = any_varint(run, step, cursor, limit);
    return run->next;
}

#define VARINTS(name, attributes, groups)                                                                              \
    attributes WL_HANDLER(wl_varint_##name) {                                                                          \
        int outcome = WL_ROW_COMPLETE;                                                                                 \
        cursor = take_varint(run, step, cursor, limit, &outcome, groups);                                              \
        if (WL_UNLIKELY(outcome != WL_ROW_COMPLETE))                                                                   \
            return outcome;                                                                                            \
        GO_ON;                                                                                                         \
    }

WL_HANDLER(wl_varint_column) {
    int outcome = WL_ROW_COMPLETE;
    cursor = take_varint(run, step, cursor, limit, &outcome, wl_groups);
    if (WL_UNLIKELY(outcome != WL_ROW_COMPLETE))
        return outcome;
    wl_store8(step->out + row * 8, (uint64_t)run->registers[step->a]);
    GO_ON_AT(step + 2);
}

/* VARINT_COLUMN for all adjacent ones: their ends are looked up for sixteen bytes at once, so they do not depend on
 * each other. */
__attribute__((always_inline)) static inline int columns(const wl_instruction *step, wl_run *run, const uint8_t *base,
                                                         const uint8_t *cursor, const uint8_t *limit, size_t row,
                                                         wl_varint_groups groups) {
    const wl_instruction *after = step + 2 * WL_VARINT_FOLLOWING(step->c);
    while (limit - cursor >= 16 + 8) {
        unsigned ends = wl_varint_ends(cursor), begin = 0;
        for (; ends; ends &= ends - 1) {
            unsigned last = (unsigned)__builtin_ctz(ends);
            if (WL_UNLIKELY(last - begin >= WL_VARINT_PLAIN(step->c)))
                return wl_varint_column(step, run, base, cursor + begin, limit, row);
            uint64_t bytes = wl_varint_bytes(wl_load_le8(cursor + begin), last - begin,
                                             (step->c & WL_VARINT_BIG_ENDIAN) != 0);
            wl_store8(step->out + row * 8, (uint64_t)value_of(groups(bytes), step->c));
            begin = last + 1;
            step += 2;
            if (step == after) {
                cursor += begin;
                GO_ON_AT(after);
            }
        }
        if (WL_UNLIKELY(!begin))
            break;
        cursor += begin;
    }
    return wl_varint_column(step, run, base, cursor, limit, row);
}

VARINTS(portable, , wl_groups)

WL_HANDLER(wl_varint_columns_portable) { return columns(step, run, base, cursor, limit, row, wl_groups); }

#if defined(__x86_64__)
VARINTS(bmi2, __attribute__((target("bmi2"))), wl_groups_bmi2)

__attribute__((target("bmi2"))) WL_HANDLER(wl_varint_columns_bmi2) {
    return columns(step, run, base, cursor, limit, row, wl_groups_bmi2);
}
#endif
