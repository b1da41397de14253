/* The parts of the wire format that are not inlined: long varints, tags, fields that are skipped, and what is known
 * about a field before it is read. */
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

unsigned wl_wire_of_kind(unsigned kind) {
    switch (kind) {
    case WL_KIND_DOUBLE:
    case WL_KIND_FIXED64:
    case WL_KIND_SFIXED64:
        return WL_WIRE_FIXED64;
    case WL_KIND_FLOAT:
    case WL_KIND_FIXED32:
    case WL_KIND_SFIXED32:
        return WL_WIRE_FIXED32;
    case WL_KIND_STRING:
    case WL_KIND_MESSAGE:
    case WL_KIND_BYTES:
        return WL_WIRE_BYTES;
    default:
        return WL_WIRE_VARINT;
    }
}

static unsigned reads_of(const wl_wire_field *field, bool text) {
    switch (field->wire) {
    case WL_WIRE_FIXED64:
        return WL_READ_FIXED64;
    case WL_WIRE_FIXED32:
        return WL_READ_FIXED32;
    case WL_WIRE_BYTES:
        return text ? WL_READ_TEXT : WL_READ_BYTES;
    default:
        return field->kind == WL_KIND_INT64 || field->kind == WL_KIND_UINT64 ? WL_READ_INTEGER : WL_READ_VARINT;
    }
}

const char *wl_wire_field_make(wl_wire_field *field, bool text, bool several, const uint8_t *values) {
    if (field->number < 1 || field->number > WL_MOST_FIELD_NUMBER)
        return "is no field number";
    if (field->kind < WL_KIND_DOUBLE || field->kind > WL_KIND_SINT64 || field->kind == 10)
        return "has a kind that there is not";
    if ((text && field->kind != WL_KIND_STRING) || (values && field->kind != WL_KIND_ENUM))
        return "has flags that its kind cannot have";
    if (field->value_count && !values)
        return "has the values of a closed enum, and is not closed";
    for (uint32_t i = 1; values && i < field->value_count; i++) {
        if ((int32_t)wl_load_le4(values + 4 * (size_t)i - 4) >= (int32_t)wl_load_le4(values + 4 * (size_t)i))
            return "has values that are not in ascending order";
    }
    field->wire = (uint8_t)wl_wire_of_kind(field->kind);
    field->reads = (uint8_t)reads_of(field, text);
    field->several = several;
    field->values = values;
    return NULL;
}

static const wl_wire_field *field_at(const wl_wire_message *message, size_t index) {
    return (const void *)((const uint8_t *)message->fields + index * message->width);
}

uint32_t wl_wire_message_make(wl_wire_message *message, const void *fields, size_t width) {
    message->fields = fields;
    message->width = (uint32_t)width;
    memset(message->by_tag, 0, sizeof message->by_tag);
    for (uint32_t i = 0; i < message->count; i++) {
        const wl_wire_field *field = field_at(message, i);
        if (i && field_at(message, i - 1)->number >= field->number)
            return i;
        if (field->number >= 16)
            continue;
        message->by_tag[field->number << 3 | field->wire] = field;
        if (field->several)
            message->by_tag[field->number << 3 | WL_WIRE_BYTES] = field;
    }
    return message->count;
}

bool wl_is_member(const wl_wire_field *field, uint64_t number) {
    const int32_t wanted = (int32_t)(uint32_t)number;
    size_t low = 0, high = field->value_count;
    while (field->values && low < high) {
        size_t middle = (low + high) / 2;
        const int32_t value = (int32_t)wl_load_le4(field->values + 4 * middle);
        if (value == wanted)
            return true;
        if (value < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return !field->values;
}

const wl_wire_field *wl_wire_field_find(const wl_wire_message *message, uint64_t number) {
    size_t low = 0, high = message->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (field_at(message, middle)->number < number)
            low = middle + 1;
        else
            high = middle;
    }
    const wl_wire_field *field = low < message->count ? field_at(message, low) : NULL;
    return field && field->number == number ? field : NULL;
}

const uint8_t *wl_other_tag(const wl_wire_message *message, const uint8_t *cursor, const uint8_t *end, unsigned depth,
                            const wl_wire_field **field, unsigned *wire, wl_wire_problem *problem) {
    uint64_t tag;
    const uint8_t *next = wl_tag_read(cursor, end, message->strict, &tag, problem);
    *field = NULL;
    if (!next)
        return NULL;
    const wl_wire_field *found = wl_wire_field_find(message, tag >> 3);
    *wire = tag & 7;
    if (found && (wl_field_takes(found, *wire) || message->strict)) {
        *field = found;
        return wl_field_takes(found, *wire) ? next : wl_wire_wrong(problem, WL_UNIT_OTHER_WIRE_TYPE, cursor, *wire, 0);
    }
    return wl_field_skip(cursor, tag, next, end, message->strict, depth, problem);
}

const uint8_t *wl_tag_read(const uint8_t *cursor, const uint8_t *end, bool strict, uint64_t *tag,
                           wl_wire_problem *problem) {
    uint32_t what;
    const uint8_t *next = wl_varint_read(cursor, end, strict, tag, &what);
    if (!next)
        return wl_wire_wrong(problem, what, cursor, 0, 0);
    if (!strict)
        *tag = (uint32_t)*tag;
    if (*tag >> 3 == 0 || *tag >> 3 > WL_MOST_FIELD_NUMBER)
        return wl_wire_wrong(problem, WL_UNIT_NUMBER, cursor, *tag >> 3, 0);
    if ((*tag & 7) > WL_WIRE_FIXED32)
        return wl_wire_wrong(problem, WL_UNIT_WIRE_TYPE, cursor, *tag & 7, 0);
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
            return wl_wire_wrong(problem, what, begin, 0, 0);
        if (wire == WL_WIRE_VARINT)
            return cursor;
    }
    uint64_t left = (uint64_t)(end - cursor);
    if (value > left)
        return wl_wire_wrong(problem, WL_UNIT_LENGTH, begin, value, left);
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
                return wl_wire_wrong(problem, WL_UNIT_DEEP, begin, 0, 0);
            groups[open++] = number;
            break;
        case WL_WIRE_GROUP_END:
            if (!open || groups[open - 1] != number)
                return wl_wire_wrong(problem, WL_UNIT_GROUP_END, begin, number, 0);
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
            return wl_wire_wrong(problem, WL_UNIT_GROUP_OPEN, begin, groups[open - 1], 0);
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
