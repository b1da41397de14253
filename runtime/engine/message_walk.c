/* The walk over a message: every known field is read, whether or not it is wanted, so that the problems of a message do
 * not depend on the columns. A field that is not wanted is stored in slot 0. */
#include "message_wire.h"

bool wl_unit_wrong(wl_walk *walk, uint32_t what, const uint8_t *at, uint64_t value, uint64_t count) {
    walk->problem.what = what;
    walk->problem.offset = (uint64_t)(at - walk->unit);
    walk->problem.value = value;
    walk->problem.count = count;
    return false;
}

void wl_unit_path(wl_walk *walk, uint32_t number, size_t index) {
    wl_unit_problem *problem = &walk->problem;
    size_t steps = wl_smaller(problem->path_size, WL_PATH_STEPS - 1);
    memmove(problem->path + 1, problem->path, steps * sizeof *problem->path);
    problem->path[0].number = number;
    problem->path[0].index = (uint32_t)index;
    problem->path_size = (uint32_t)steps + 1;
}

/* Records that the field whose tag is at `at` could not be read. */
__attribute__((noinline)) static bool wrong_field(wl_walk *walk, const wl_field *field, uint32_t what,
                                                  const uint8_t *begin, const uint8_t *at, uint64_t value,
                                                  uint64_t count) {
    wl_unit_path(walk, field->number,
                 field->flags & WL_FIELD_REPEATED ? wl_count_fields(begin, at, field->number, field->wire) : 0);
    return wl_unit_wrong(walk, what, at, value, count);
}

const wl_field *wl_field_find(const wl_message_program *program, const wl_node *node, uint64_t number) {
    const wl_field *fields = program->fields + node->first_field;
    size_t low = 0, high = node->field_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (fields[middle].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low < node->field_count && fields[low].number == number ? fields + low : NULL;
}

/* Reads a tag of more than one byte, or one with an unexpected wire type. Returns the position after the tag, and the
 * field; if there is none, the position after its content. NULL: the unit is invalid. `begin`: of the message. */
__attribute__((noinline)) static const uint8_t *other_tag(wl_walk *walk, const wl_node *node, const uint8_t *begin,
                                                          const uint8_t *cursor, const uint8_t *end, unsigned depth,
                                                          const wl_field **field) {
    wl_wire_problem problem;
    uint64_t tag;
    const uint8_t *next = wl_tag_read(cursor, end, node->strict, &tag, &problem);
    if (next) {
        const wl_field *found = wl_field_find(walk->program, node, tag >> 3);
        unsigned wire = tag & 7;
        if (found && (wire == found->wire || (wire == WL_WIRE_BYTES && found->action == WL_DO_REPEATED))) {
            *field = found;
            return next;
        }
        if (found && node->strict) {
            wrong_field(walk, found, WL_UNIT_OTHER_WIRE_TYPE, begin, cursor, wire, 0);
            return NULL;
        }
        next = wl_field_skip(cursor, tag, next, end, node->strict, walk->program->max_depth - depth, &problem);
        if (next)
            return next;
    }
    wl_unit_wrong(walk, problem.what, problem.at, problem.value, problem.count);
    return NULL;
}

bool wl_close_scope(wl_walk *walk, uint32_t number, uint64_t stamp, size_t begin) {
    const wl_scope *scope = walk->program->scopes + number;
    if (WL_UNLIKELY(scope->drop != WL_NONE) && walk->slots[scope->drop].stamp == stamp)
        return true;
    if (!wl_emit_all(walk, walk->program->emits + scope->emits, scope->emit_count, stamp))
        return false;
    if (scope->is_row) {
        if (WL_UNLIKELY(walk->program->lookup_count) && !wl_lookups_note(walk, stamp))
            return false;
        walk->row++;
    }
    return !walk->program->lookup_count || wl_lookups_resolve(walk, number, begin);
}

bool wl_walk_message(wl_walk *walk, const wl_node *node, const uint8_t *cursor, const uint8_t *end, uint64_t stamp,
                     unsigned depth) {
    const wl_field *fields = walk->program->fields + node->first_field;
    wl_slot *slots = walk->slots;
    const uint8_t *begin = cursor;
    bool strict = node->strict;
    uint64_t seen = 0;
    while (cursor < end) {
        const uint8_t *at = cursor;
        const wl_field *field = NULL;
        unsigned index = node->by_tag[*cursor];
        if (WL_LIKELY(index)) {
            field = fields + index - 1;
            cursor++;
        } else {
            cursor = other_tag(walk, node, begin, cursor, end, depth, &field);
            if (!cursor)
                return false;
            if (!field)
                continue;
        }
        wl_slot *slot = slots + field->slot;
        uint64_t value;
        uint32_t what;
        switch (field->action) {
        case WL_DO_INTEGER:
        case WL_DO_VARINT:
            cursor = wl_varint_read(cursor, end, strict, &value, &what);
            if (WL_UNLIKELY(!cursor))
                return wrong_field(walk, field, what, begin, at, 0, 0);
            slot->value = field->action == WL_DO_INTEGER ? value : wl_varint_value(field->kind, value);
            slot->stamp = stamp;
            break;
        case WL_DO_FIXED64:
        case WL_DO_FIXED32: {
            size_t size = field->action == WL_DO_FIXED64 ? 8 : 4;
            if (WL_UNLIKELY((size_t)(end - cursor) < size))
                return wrong_field(walk, field, WL_UNIT_LENGTH, begin, at, size, (uint64_t)(end - cursor));
            slot->value = size == 8 ? wl_load_le8(cursor) : wl_fixed32_value(field->kind, wl_load_le4(cursor));
            slot->stamp = stamp;
            cursor += size;
            break;
        }
        case WL_DO_REPEATED:
            cursor = wl_walk_repeated(walk, node, field, at, cursor, end);
            if (WL_UNLIKELY(!cursor)) {
                if (walk->problem.what)
                    wl_unit_path(walk, field->number, wl_count_fields(begin, at, field->number, field->wire));
                return false;
            }
            break;
        case WL_DO_CHOSEN: {
            bool counts = true;
            cursor = wl_walk_chosen(walk, node, field, cursor, end, stamp, &counts);
            if (WL_UNLIKELY(!cursor)) {
                if (walk->problem.what)
                    wl_unit_path(walk, field->number, 0);
                return false;
            }
            if (!counts)
                continue;
            break;
        }
        default: { /* fields with a length */
            cursor = wl_varint_read(cursor, end, strict, &value, &what);
            if (WL_UNLIKELY(!cursor))
                return wrong_field(walk, field, what, begin, at, 0, 0);
            if (WL_UNLIKELY(value > (uint64_t)(end - cursor)))
                return wrong_field(walk, field, WL_UNIT_LENGTH, begin, at, value, (uint64_t)(end - cursor));
            const uint8_t *next = cursor + value;
            if (field->action <= WL_DO_TEXT) {
                if (field->action == WL_DO_TEXT && WL_UNLIKELY(!wl_text_is_utf8(cursor, (size_t)value)))
                    return wrong_field(walk, field, WL_UNIT_TEXT, begin, at, 0, 0);
                slot->at = cursor;
                slot->value = value;
                slot->stamp = stamp;
            } else {
                const wl_node *inner = walk->program->nodes + field->node;
                bool is_item = field->action == WL_DO_ITEM;
                size_t row = walk->row;
                if (WL_UNLIKELY(depth == walk->program->max_depth))
                    return wrong_field(walk, field, WL_UNIT_DEEP, begin, at, 0, 0);
                if (WL_UNLIKELY(field->clear_count))
                    wl_walk_clear(walk, field);
                uint64_t inner_stamp = is_item ? ++walk->stamp : stamp;
                bool again = slot->stamp == stamp;
                slot->stamp = stamp;
                if (WL_UNLIKELY(!wl_walk_message(walk, inner, cursor, next, inner_stamp, depth + 1))) {
                    if (walk->problem.what)
                        wl_unit_path(walk, field->number, wl_count_fields(begin, at, field->number, field->wire));
                    return false;
                }
                if (is_item && WL_UNLIKELY(!wl_close_scope(walk, field->scope, inner_stamp, row)))
                    return false;
                if ((field->flags & WL_FIELD_JSON) &&
                    WL_UNLIKELY(!(field->flags & WL_FIELD_REPEATED)
                                    ? !wl_json_note(walk, field, cursor, (size_t)value, again)
                                    : !wl_append_json(walk, field->vector, field->node, cursor, (size_t)value)))
                    return false;
            }
            cursor = next;
        }
        }
        seen |= field->required;
    }
    if (WL_UNLIKELY(seen != node->required))
        walk->suspect = true;
    return true;
}
