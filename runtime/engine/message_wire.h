/* Reading varints and tags. Source of the rules: https://protobuf.dev/programming-guides/encoding/. */
#ifndef WIRELOOM_MESSAGE_WIRE_H
#define WIRELOOM_MESSAGE_WIRE_H

#include "bytes.h"
#include "message_internal.h"

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

#endif
