/* Fields that are not a single value in a slot: repeated ones, closed enums; and what members of oneofs clear. */
#include "message_internal.h"
#include "message_wire.h"

static const uint8_t *wrong(wl_walk *walk, const wl_wire_problem *problem) {
    wl_unit_wrong(walk, problem->what, problem->at, problem->value, problem->count);
    return NULL;
}

/* Reads the number at `cursor`; NULL if it is invalid. */
static const uint8_t *read_number(wl_walk *walk, const wl_node *node, const wl_field *field, const uint8_t *cursor,
                                  const uint8_t *end, uint64_t *number) {
    wl_wire_problem problem;
    const uint8_t *at;
    cursor = wl_value_read(&field->of, cursor, end, walk->readable, node->of.strict, &at, number, &problem);
    return cursor ? cursor : wrong(walk, &problem);
}

static bool append_scalar(wl_walk *walk, const wl_field *field, uint64_t value) {
    return !wl_is_member(&field->of, value) || field->vector == WL_NONE || wl_append_fixed(walk, field->vector, value);
}

static const uint8_t *walk_packed(wl_walk *walk, const wl_node *node, const wl_field *field, const uint8_t *cursor,
                                  const uint8_t *end) {
    uint64_t size, value;
    wl_wire_problem problem;
    cursor = wl_packed_read(&field->of, cursor, end, node->of.strict, &size, &problem);
    if (!cursor)
        return wrong(walk, &problem);
    end = cursor + size;
    while (cursor < end) {
        cursor = read_number(walk, node, field, cursor, end, &value);
        if (!cursor || !append_scalar(walk, field, value))
            return NULL;
    }
    return cursor;
}

const uint8_t *wl_walk_repeated(wl_walk *walk, const wl_node *node, const wl_field *field, const uint8_t *at,
                                const uint8_t *cursor, const uint8_t *end) {
    uint64_t value;
    if (field->of.wire != WL_WIRE_BYTES) {
        /* The low bits of a tag are in its first byte. */
        if ((*at & 7) == WL_WIRE_BYTES)
            return walk_packed(walk, node, field, cursor, end);
        cursor = read_number(walk, node, field, cursor, end, &value);
        return cursor && append_scalar(walk, field, value) ? cursor : NULL;
    }
    wl_wire_problem problem;
    cursor = wl_size_read(cursor, end, node->of.strict, &value, &problem);
    if (!cursor)
        return wrong(walk, &problem);
    if ((field->flags & WL_FIELD_TEXT) && !wl_is_wire_text(cursor, (size_t)value, walk->readable))
        return wrong(walk, &(wl_wire_problem){.what = WL_UNIT_TEXT, .at = at});
    if (field->table != WL_NONE && !wl_table_append(walk, field->table, cursor, (size_t)value))
        return NULL;
    if (field->vector != WL_NONE) {
        bool unchecked = field->of.kind == WL_KIND_STRING && !(field->flags & WL_FIELD_TEXT);
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
    cursor = read_number(walk, node, field, cursor, end, &value);
    if (!cursor)
        return NULL;
    if (!wl_is_member(&field->of, value)) {
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
