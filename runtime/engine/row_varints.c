/* Integers of bytes with seven bits each, whose highest bit says that another byte follows. */
#include "handlers.h"

#define HIGHEST_BITS 0x8080808080808080u

/* Zigzag: the even numbers stand for 0, 1, 2 …, the odd ones for -1, -2 … */
static inline wl_integer signed_value(uint64_t value) { return (int64_t)(value >> 1 ^ (0 - (value & 1))); }

static inline wl_integer value_of(uint64_t value, int64_t shape) {
    return shape & WL_VARINT_ZIGZAG ? signed_value(value) : (wl_integer)value;
}

/* The seven lowest bits of each byte, side by side. */
static inline uint64_t groups_of(uint64_t bytes) {
    bytes = (bytes & 0x007F007F007F007Fu) | (bytes & 0x7F007F007F007F00u) >> 1;
    bytes = (bytes & 0x00003FFF00003FFFu) | (bytes & 0x3FFF00003FFF0000u) >> 2;
    return (bytes & 0x000000000FFFFFFFu) | (bytes & 0x0FFFFFFF00000000u) >> 4;
}

/* A varint byte by byte: WL_ROW_COMPLETE, and `next` is the byte after it; or the outcome of the row. */
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

/* Reads a varint into its register: from one load, without a branch on how many bytes it has, where it has eight at
 * most and nothing about it can be wrong. `outcome` is not WL_ROW_COMPLETE where the row ends here. */
__attribute__((always_inline)) static inline const uint8_t *take_varint(wl_run *run, const wl_instruction *step,
                                                                        const uint8_t *cursor, const uint8_t *limit,
                                                                        int *outcome,
                                                                        uint64_t (*groups)(uint64_t bytes)) {
    if (WL_LIKELY(limit - cursor >= 8)) {
        uint64_t bytes = wl_load_le8(cursor), ends = ~bytes & HIGHEST_BITS;
        unsigned last = ends ? (unsigned)__builtin_ctzll(ends) / 8 : 8;
        if (WL_LIKELY(last < WL_VARINT_PLAIN(step->c))) {
            if (step->c & WL_VARINT_BIG_ENDIAN)
                bytes = __builtin_bswap64(bytes) >> 8 * (7 - last);
            else
                bytes &= ends ^ (ends - 1);
            run->registers[step->a] = value_of(groups(bytes), step->c);
            return cursor + last + 1;
        }
    } else if (cursor < limit && *cursor < 0x80 && WL_VARINT_PLAIN(step->c)) {
        /* Right before the end of a sub-stream, as counts and sizes of nothing are. */
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
    cursor = take_varint(run, step, cursor, limit, &outcome, groups_of);
    if (WL_UNLIKELY(outcome != WL_ROW_COMPLETE))
        return outcome;
    wl_store8(step->out + row * 8, (uint64_t)run->registers[step->a]);
    GO_ON_AT(step + 2);
}

/* A bit for each of eight bytes: whether it is the last one of a varint. */
static inline unsigned last_bytes(const uint8_t *at) {
    return (unsigned)((~wl_load_le8(at) & HIGHEST_BITS) * 0x0002040810204081u >> 56);
}

/* VARINT_COLUMN for all that stand side by side: where they end is looked up for sixteen bytes at once, so none waits
 * for the one before. */
__attribute__((always_inline)) static inline int columns(const wl_instruction *step, wl_run *run, const uint8_t *base,
                                                         const uint8_t *cursor, const uint8_t *limit, size_t row,
                                                         uint64_t (*groups)(uint64_t bytes)) {
    const wl_instruction *after = step + 2 * WL_VARINT_FOLLOWING(step->c);
    while (limit - cursor >= 16 + 8) {
        unsigned ends = last_bytes(cursor) | last_bytes(cursor + 8) << 8, begin = 0;
        for (; ends; ends &= ends - 1) {
            unsigned last = (unsigned)__builtin_ctz(ends), unused = 7 - (last - begin);
            if (WL_UNLIKELY(last - begin >= WL_VARINT_PLAIN(step->c)))
                return wl_varint_column(step, run, base, cursor + begin, limit, row);
            uint64_t bytes = wl_load_le8(cursor + begin);
            if (step->c & WL_VARINT_BIG_ENDIAN)
                bytes = __builtin_bswap64(bytes) >> 8 * unused;
            else
                bytes &= UINT64_MAX >> 8 * unused;
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

VARINTS(portable, , groups_of)

WL_HANDLER(wl_varint_columns_portable) { return columns(step, run, base, cursor, limit, row, groups_of); }

#if defined(__x86_64__)
#include <immintrin.h>

__attribute__((target("bmi2"))) static inline uint64_t groups_bmi2(uint64_t bytes) {
    return _pext_u64(bytes, ~HIGHEST_BITS);
}

VARINTS(bmi2, __attribute__((target("bmi2"))), groups_bmi2)

__attribute__((target("bmi2"))) WL_HANDLER(wl_varint_columns_bmi2) {
    return columns(step, run, base, cursor, limit, row, groups_bmi2);
}
#endif
