/* Integers of bytes with seven bits each, whose highest bit says that another byte follows. */
#include "handlers.h"

static inline wl_integer value_of(wl_integer value, int64_t shape) {
    return shape & WL_VARINT_ZIGZAG ? (value >> 1) ^ -(value & 1) : value;
}

/* One of more than two bytes, or whose end is not there: WL_ROW_COMPLETE, and `next` is the byte after it; or the
 * outcome of the row. */
__attribute__((noinline)) static int long_varint(wl_run *run, const wl_instruction *step, const uint8_t *cursor,
                                                 const uint8_t *limit) {
    unsigned groups = WL_VARINT_GROUPS(step->c), most = WL_VARINT_MOST(step->c);
    size_t count = 0;
    wl_integer value = 0, mask = ((wl_integer)1 << 7 * groups) - 1;
    uint8_t byte;
    do {
        if (WL_UNLIKELY(cursor == limit))
            return wl_missing(run, cursor, 1);
        if (WL_UNLIKELY(most && count == most)) {
            wl_check_failed(run, step->b);
            return WL_ROW_LOST;
        }
        byte = *cursor++;
        if (step->c & WL_VARINT_BIG_ENDIAN)
            value = (value << 7 | (byte & 0x7F)) & mask;
        else if (count < groups)
            value |= (wl_integer)(byte & 0x7F) << 7 * count;
        count++;
    } while (byte & 0x80);
    if (WL_UNLIKELY(count == most && byte > WL_VARINT_TOP(step->c)) && !wl_check_failed(run, (uint32_t)step->d))
        return WL_ROW_LOST;
    run->registers[step->a] = value_of(value, step->c);
    run->next = cursor;
    return WL_ROW_COMPLETE;
}

WL_HANDLER(wl_varint) {
    if (WL_LIKELY(limit - cursor >= 2)) {
        wl_integer first = cursor[0], second = cursor[1];
        if (first < 0x80) {
            run->registers[step->a] = value_of(first, step->c);
            cursor++;
            GO_ON;
        }
        if (second < 0x80 && WL_VARINT_GROUPS(step->c) > 2) {
            first &= 0x7F;
            run->registers[step->a] =
                value_of(step->c & WL_VARINT_BIG_ENDIAN ? first << 7 | second : second << 7 | first, step->c);
            cursor += 2;
            GO_ON;
        }
    }
    int outcome = long_varint(run, step, cursor, limit);
    if (WL_UNLIKELY(outcome != WL_ROW_COMPLETE))
        return outcome;
    cursor = run->next;
    GO_ON;
}
