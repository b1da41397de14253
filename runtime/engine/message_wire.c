/* The smallest parts of the wire format: long varints, tags, and fields that are skipped. */
#include "message_wire.h"

const uint8_t *wl_varint_long(const uint8_t *cursor, const uint8_t *end, bool strict, uint64_t *value, uint32_t *what) {
    uint64_t found = 0;
    if (end - cursor >= 8) {
        /* All seven-bit groups of a word at once: the first byte without its top bit ends the varint. */
        uint64_t word = wl_load_le8(cursor), ends = ~word & UINT64_C(0x8080808080808080);
        if (WL_LIKELY(ends != 0)) {
            unsigned bits = (unsigned)__builtin_ctzll(ends); /* 7, 15 … 63 */
            word &= UINT64_MAX >> (63 - bits);
            word = (word & UINT64_C(0x007F007F007F007F)) | (word & UINT64_C(0x7F007F007F007F00)) >> 1;
            word = (word & UINT64_C(0x00003FFF00003FFF)) | (word & UINT64_C(0x3FFF00003FFF0000)) >> 2;
            *value = (word & UINT64_C(0x000000000FFFFFFF)) | (word & UINT64_C(0x0FFFFFFF00000000)) >> 4;
            return cursor + bits / 8 + 1;
        }
    }
    for (unsigned i = 0; i < 10; i++) {
        if (cursor == end)
            return *what = WL_UNIT_TRUNCATED, NULL;
        uint8_t byte = *cursor++;
        found |= (uint64_t)(byte & 0x7F) << 7 * i;
        if (byte < 0x80) {
            if (i == 9 && byte > 1 && strict)
                return *what = WL_UNIT_VARINT_WIDE, NULL;
            return *value = found, cursor;
        }
    }
    return *what = WL_UNIT_VARINT_LONG, NULL;
}

static const uint8_t *wrong(wl_wire_problem *problem, uint32_t what, const uint8_t *at, uint64_t value,
                            uint64_t count) {
    *problem = (wl_wire_problem){what, at, value, count};
    return NULL;
}

const uint8_t *wl_tag_read(const uint8_t *cursor, const uint8_t *end, bool strict, uint64_t *tag,
                           wl_wire_problem *problem) {
    uint32_t what;
    const uint8_t *next = wl_varint_read(cursor, end, strict, tag, &what);
    if (!next)
        return wrong(problem, what, cursor, 0, 0);
    if (!strict)
        *tag = (uint32_t)*tag;
    if (*tag >> 3 == 0 || *tag >> 3 > WL_MOST_FIELD_NUMBER)
        return wrong(problem, WL_UNIT_NUMBER, cursor, *tag >> 3, 0);
    if ((*tag & 7) > WL_WIRE_FIXED32)
        return wrong(problem, WL_UNIT_WIRE_TYPE, cursor, *tag & 7, 0);
    return next;
}

/* The end of a value that is not a group. */
static const uint8_t *skip_value(unsigned wire, const uint8_t *begin, const uint8_t *cursor, const uint8_t *end,
                                 bool strict, wl_wire_problem *problem) {
    uint64_t value = wire == WL_WIRE_FIXED64 ? 8 : 4;
    uint32_t what;
    if (wire == WL_WIRE_VARINT || wire == WL_WIRE_BYTES) {
        cursor = wl_varint_read(cursor, end, strict, &value, &what);
        if (!cursor)
            return wrong(problem, what, begin, 0, 0);
        if (wire == WL_WIRE_VARINT)
            return cursor;
    }
    uint64_t left = (uint64_t)(end - cursor);
    if (value > left)
        return wrong(problem, WL_UNIT_LENGTH, begin, value, left);
    return cursor + value;
}

const uint8_t *wl_field_skip(const uint8_t *begin, uint64_t tag, const uint8_t *cursor, const uint8_t *end, bool strict,
                             unsigned depth, wl_wire_problem *problem) {
    uint32_t groups[WL_DEEPEST_MESSAGE];
    unsigned open = 0;
    for (;;) {
        uint32_t number = (uint32_t)(tag >> 3);
        switch (tag & 7) {
        case WL_WIRE_GROUP_BEGIN:
            if (open == depth || open == WL_DEEPEST_MESSAGE)
                return wrong(problem, WL_UNIT_DEEP, begin, 0, 0);
            groups[open++] = number;
            break;
        case WL_WIRE_GROUP_END:
            if (!open || groups[open - 1] != number)
                return wrong(problem, WL_UNIT_GROUP_END, begin, number, 0);
            open--;
            break;
        default:
            cursor = skip_value(tag & 7, begin, cursor, end, strict, problem);
            if (!cursor)
                return NULL;
        }
        if (!open)
            return cursor;
        if (cursor == end)
            return wrong(problem, WL_UNIT_GROUP_OPEN, begin, groups[open - 1], 0);
        begin = cursor;
        cursor = wl_tag_read(cursor, end, strict, &tag, problem);
        if (!cursor)
            return NULL;
    }
}

size_t wl_count_fields(const uint8_t *begin, const uint8_t *end, uint32_t number, unsigned wire) {
    size_t count = 0;
    wl_wire_problem problem;
    uint64_t tag;
    while (begin < end) {
        const uint8_t *next = wl_tag_read(begin, end, false, &tag, &problem);
        next = next ? wl_field_skip(begin, tag, next, end, false, WL_DEEPEST_MESSAGE, &problem) : NULL;
        if (!next)
            break;
        count += tag >> 3 == number && (tag & 7) == wire;
        begin = next;
    }
    return count;
}
