/* Reading varints, tags and values. Source of the rules: https://protobuf.dev/programming-guides/encoding/. */
#ifndef WIRELOOM_MESSAGE_WIRE_H
#define WIRELOOM_MESSAGE_WIRE_H

#include "bytes.h"
#include "internal.h"
#include "message.h"
#include "message_kinds.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/* The varint at `cursor`, of any length; NULL: `what` is set to the problem (message_wire.c). `strict`: one beyond 64
 * bits is refused; otherwise it is truncated. */
const uint8_t *wl_varint_long(const uint8_t *cursor, const uint8_t *end, bool strict, uint64_t *value, uint32_t *what);

/* As above, with the most common lengths inlined. */
static inline const uint8_t *wl_varint_read(const uint8_t *cursor, const uint8_t *end, bool strict, uint64_t *value,
                                            uint32_t *what) {
    if (WL_LIKELY(end - cursor >= 2)) {
        if (WL_LIKELY(cursor[0] < 0x80)) {
            *value = cursor[0];
            return cursor + 1;
        }
        if (WL_LIKELY(cursor[1] < 0x80)) {
            *value = (uint64_t)(cursor[0] & 0x7F) | (uint64_t)cursor[1] << 7;
            return cursor + 2;
        }
    }
    return wl_varint_long(cursor, end, strict, value, what);
}

/* The problem of one field, for callers without a walk. */
typedef struct {
    uint32_t what;
    const uint8_t *at;
    uint64_t value;
    uint64_t count;
} wl_wire_problem;

/* The tag at `cursor`; NULL if it is invalid. Unless `strict`, 32 bits of a longer one are kept, as by Google's parser
 * for Java, which the KCL uses. */
const uint8_t *wl_tag_read(const uint8_t *cursor, const uint8_t *end, bool strict, uint64_t *tag,
                           wl_wire_problem *problem);

/* The end of the field that begins at `begin` with `tag`, and whose content is at `cursor`; NULL if it is invalid.
 * `depth`: the maximum nesting depth of groups. */
const uint8_t *wl_field_skip(const uint8_t *begin, uint64_t tag, const uint8_t *cursor, const uint8_t *end, bool strict,
                             unsigned depth, wl_wire_problem *problem);

/* Whether an enum has the number, or is not closed (message_wire.c). */
bool wl_is_member(const wl_wire_field *field, uint64_t number);

/* The field with that number, or NULL. */
const wl_wire_field *wl_wire_field_find(const wl_wire_message *message, uint64_t number);

/* Whether a field is read from a value of that wire type. */
static inline bool wl_field_takes(const wl_wire_field *field, unsigned wire) {
    return wire == field->wire || (wire == WL_WIRE_BYTES && field->several);
}

/* Reads a tag that is not in `by_tag`: one of more than one byte, or with an unexpected wire type. Returns the position
 * after the tag, and the field and the wire type; if there is no field, the position after the content. NULL: it is
 * invalid, because of the field if that is not NULL. `depth`: the maximum nesting depth of groups. */
const uint8_t *wl_other_tag(const wl_wire_message *message, const uint8_t *cursor, const uint8_t *end, unsigned depth,
                            const wl_wire_field **field, unsigned *wire, wl_wire_problem *problem);

/* The value that a varint of that kind represents, as 64 bits. */
static inline uint64_t wl_varint_value(unsigned kind, uint64_t value) {
    switch (kind) {
    case WL_KIND_INT32:
    case WL_KIND_ENUM:
        return (uint64_t)(int64_t)(int32_t)(uint32_t)value;
    case WL_KIND_UINT32:
        return (uint32_t)value;
    case WL_KIND_BOOL:
        return value != 0;
    case WL_KIND_SINT32: {
        uint32_t low = (uint32_t)value;
        return (uint64_t)(int64_t)(int32_t)(low >> 1 ^ (0u - (low & 1)));
    }
    case WL_KIND_SINT64:
        return value >> 1 ^ (0u - (value & 1));
    default:
        return value;
    }
}

static inline uint64_t wl_fixed32_value(unsigned kind, uint32_t value) {
    return kind == WL_KIND_SFIXED32 ? (uint64_t)(int64_t)(int32_t)value : value;
}

/* Records the problem; returns NULL. */
static inline const uint8_t *wl_wire_wrong(wl_wire_problem *problem, uint32_t what, const uint8_t *at, uint64_t value,
                                           uint64_t count) {
    *problem = (wl_wire_problem){what, at, value, count};
    return NULL;
}

/* Reads the size at `cursor`, of as many bytes after it; NULL: it is invalid, or they are not there. */
static inline const uint8_t *wl_size_read(const uint8_t *cursor, const uint8_t *end, bool strict, uint64_t *size,
                                          wl_wire_problem *problem) {
    const uint8_t *next = wl_varint_read(cursor, end, strict, size, &problem->what);
    if (WL_UNLIKELY(!next))
        return wl_wire_wrong(problem, problem->what, cursor, 0, 0);
    if (WL_UNLIKELY(*size > (uint64_t)(end - next)))
        return wl_wire_wrong(problem, WL_UNIT_LENGTH, cursor, *size, (uint64_t)(end - next));
    return next;
}

/* The same for bytes that are the values of a packed field: a whole number of them, unless they are varints. */
static inline const uint8_t *wl_packed_read(const wl_wire_field *field, const uint8_t *cursor, const uint8_t *end,
                                            bool strict, uint64_t *size, wl_wire_problem *problem) {
    const uint8_t *next = wl_size_read(cursor, end, strict, size, problem);
    if (next && field->wire != WL_WIRE_VARINT && *size % (field->wire == WL_WIRE_FIXED64 ? 8 : 4))
        return wl_wire_wrong(problem, WL_UNIT_PACKED, cursor, *size, 0);
    return next;
}

/* Whether it is UTF-8; most text is short, and ASCII. `readable`: bytes before it may be read. */
static inline bool wl_is_wire_text(const uint8_t *text, size_t size, const uint8_t *readable) {
#if defined(__SSE2__)
    if (WL_LIKELY(size <= 32 && readable - text >= 32)) {
        const unsigned low = (unsigned)_mm_movemask_epi8(_mm_loadu_si128((const void *)text));
        const unsigned high = (unsigned)_mm_movemask_epi8(_mm_loadu_si128((const void *)(text + 16)));
        if (WL_LIKELY(!((low | (uint64_t)high << 16) & ((UINT64_C(1) << size) - 1))))
            return true;
    }
#else
    (void)readable;
#endif
    return wl_text_is_utf8(text, size);
}

/* Reads one value of a field that is no message, and is not packed: the bits of a number, or the place and size of
 * bytes. NULL: it is invalid. `readable`: bytes before it may be read. */
static inline __attribute__((always_inline)) const uint8_t *
wl_value_read(const wl_wire_field *field, const uint8_t *cursor, const uint8_t *end, const uint8_t *readable,
              bool strict, const uint8_t **at, uint64_t *value, wl_wire_problem *problem) {
    const unsigned reads = field->reads;
    uint64_t number;
    if (reads == WL_READ_FIXED64 || reads == WL_READ_FIXED32) {
        const size_t size = reads == WL_READ_FIXED64 ? 8 : 4;
        if (WL_UNLIKELY((size_t)(end - cursor) < size))
            return wl_wire_wrong(problem, WL_UNIT_LENGTH, cursor, size, (uint64_t)(end - cursor));
        *value = size == 8 ? wl_load_le8(cursor) : wl_fixed32_value(field->kind, wl_load_le4(cursor));
        return cursor + size;
    }
    const uint8_t *next = wl_varint_read(cursor, end, strict, &number, &problem->what);
    if (WL_UNLIKELY(!next))
        return wl_wire_wrong(problem, problem->what, cursor, 0, 0);
    if (reads <= WL_READ_VARINT) {
        *value = reads == WL_READ_INTEGER ? number : wl_varint_value(field->kind, number);
        return next;
    }
    if (WL_UNLIKELY(number > (uint64_t)(end - next)))
        return wl_wire_wrong(problem, WL_UNIT_LENGTH, cursor, number, (uint64_t)(end - next));
    if (reads == WL_READ_TEXT && !wl_is_wire_text(next, (size_t)number, readable))
        return wl_wire_wrong(problem, WL_UNIT_TEXT, cursor, 0, 0);
    *at = next;
    *value = number;
    return next + number;
}

#endif
