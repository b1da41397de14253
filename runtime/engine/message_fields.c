/* Fields that are not a single value in a slot: repeated ones, closed enums; and what members of oneofs clear. */
#include "message_wire.h"

static const uint8_t *wrong(wl_walk *walk, uint32_t what, const uint8_t *at, uint64_t value, uint64_t count) {
    wl_unit_wrong(walk, what, at, value, count);
    return NULL;
}

bool wl_enum_has(const wl_message_program *program, const wl_field *field, uint64_t number) {
    const int32_t *values = program->values + field->values;
    int32_t wanted = (int32_t)(uint32_t)number;
    size_t low = 0, high = field->value_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (values[middle] < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return low < field->value_count && values[low] == wanted;
}

/* Reads the scalar at `cursor`; NULL if it is invalid. */
static const uint8_t *read_scalar(wl_walk *walk, const wl_node *node, const wl_field *field, const uint8_t *cursor,
                                  const uint8_t *end, uint64_t *value) {
    uint32_t what;
    if (field->wire == WL_WIRE_VARINT) {
        const uint8_t *next = wl_varint_read(cursor, end, node->strict, value, &what);
        if (!next)
            return wrong(walk, what, cursor, 0, 0);
        *value = wl_varint_value(field->kind, *value);
        return next;
    }
    size_t size = field->wire == WL_WIRE_FIXED64 ? 8 : 4;
    if ((size_t)(end - cursor) < size)
        return wrong(walk, WL_UNIT_LENGTH, cursor, size, (uint64_t)(end - cursor));
    *value = size == 8 ? wl_load_le8(cursor) : wl_fixed32_value(field->kind, wl_load_le4(cursor));
    return cursor + size;
}

/* Reads the size at `cursor`, and as many bytes after it; NULL if they are not available. */
static const uint8_t *read_bytes(wl_walk *walk, const wl_node *node, const uint8_t *cursor, const uint8_t *end,
                                 uint64_t *size) {
    uint32_t what;
    const uint8_t *at = cursor;
    cursor = wl_varint_read(cursor, end, node->strict, size, &what);
    if (!cursor)
        return wrong(walk, what, at, 0, 0);
    if (*size > (uint64_t)(end - cursor))
        return wrong(walk, WL_UNIT_LENGTH, at, *size, (uint64_t)(end - cursor));
    return cursor;
}

static bool append_scalar(wl_walk *walk, const wl_field *field, uint64_t value) {
    if ((field->flags & WL_FIELD_CLOSED) && !wl_enum_has(walk->program, field, value))
        return true;
    return field->vector == WL_NONE || wl_append_fixed(walk, field->vector, value);
}

static const uint8_t *walk_packed(wl_walk *walk, const wl_node *node, const wl_field *field, const uint8_t *cursor,
                                  const uint8_t *end) {
    uint64_t size, value;
    const uint8_t *at = cursor;
    cursor = read_bytes(walk, node, cursor, end, &size);
    if (!cursor)
        return NULL;
    end = cursor + size;
    if (field->wire != WL_WIRE_VARINT && size % (field->wire == WL_WIRE_FIXED64 ? 8 : 4))
        return wrong(walk, WL_UNIT_PACKED, at, size, 0);
    while (cursor < end) {
        cursor = read_scalar(walk, node, field, cursor, end, &value);
        if (!cursor || !append_scalar(walk, field, value))
            return NULL;
    }
    return cursor;
}

const uint8_t *wl_walk_repeated(wl_walk *walk, const wl_node *node, const wl_field *field, const uint8_t *at,
                                const uint8_t *cursor, const uint8_t *end) {
    uint64_t value;
    if (field->wire != WL_WIRE_BYTES) {
        /* The low bits of a tag are in its first byte. */
        if ((*at & 7) == WL_WIRE_BYTES)
            return walk_packed(walk, node, field, cursor, end);
        cursor = read_scalar(walk, node, field, cursor, end, &value);
        return cursor && append_scalar(walk, field, value) ? cursor : NULL;
    }
    cursor = read_bytes(walk, node, cursor, end, &value);
    if (!cursor)
        return NULL;
    if ((field->flags & WL_FIELD_TEXT) && !wl_text_is_utf8(cursor, (size_t)value))
        return wrong(walk, WL_UNIT_TEXT, at, 0, 0);
    if (field->table != WL_NONE && !wl_table_append(walk, field->table, cursor, (size_t)value))
        return NULL;
    if (field->vector != WL_NONE) {
        bool unchecked = field->kind == WL_KIND_STRING && !(field->flags & WL_FIELD_TEXT);
        if (!wl_append_bytes(walk, field->vector, cursor, (size_t)value, unchecked))
            return NULL;
    }
    return cursor + value;
}

void wl_walk_clear(wl_walk *walk, const wl_field *field) {
    for (uint32_t i = 0; i < field->clear_count; i++) {
        const wl_clear *clear = walk->program->clears + field->clears + i;
        if (clear->is_list) {
            /* The items since the last element of the list, at which the next one begins. */
            const wl_vector *list = walk->vectors + clear->number;
            wl_vector_cut(walk, clear->number + 1, wl_load4(list->values + list->length * 4));
        } else {
            walk->slots[clear->number].stamp = 0;
        }
    }
}

const uint8_t *wl_walk_chosen(wl_walk *walk, const wl_node *node, const wl_field *field, const uint8_t *cursor,
                              const uint8_t *end, uint64_t stamp, bool *counts) {
    const uint8_t *at = cursor;
    uint64_t value;
    cursor = read_scalar(walk, node, field, cursor, end, &value);
    if (!cursor)
        return NULL;
    if (!wl_enum_has(walk->program, field, value)) {
        if (field->drop != WL_NONE)
            walk->slots[field->drop].stamp = stamp;
        *counts = false;
        return cursor;
    }
    if (field->drop != WL_NONE)
        walk->slots[field->drop].stamp = 0;
    wl_walk_clear(walk, field);
    walk->slots[field->slot] = (wl_slot){at, value, stamp};
    return cursor;
}
