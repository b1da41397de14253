/* The walk over a message: every known field is read, whether or not it is wanted, so that the problems of a message do
 * not depend on the columns. A field that is not wanted is stored in slot 0. */
#include "message_internal.h"
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
    wl_unit_path(walk, field->of.number,
                 field->flags & WL_FIELD_REPEATED ? wl_count_fields(begin, at, field->of.number, field->of.wire) : 0);
    return wl_unit_wrong(walk, what, at, value, count);
}

bool wl_close_scope(wl_walk *walk, uint32_t number, uint64_t stamp, size_t begin) {
    const wl_scope *scope = walk->program->scopes + number;
    if (WL_UNLIKELY(scope->drop != WL_NONE) && walk->slots[scope->drop].stamp == stamp)
        return true;
    if (!wl_emit_scope(walk, scope, stamp))
        return false;
    if (scope->is_row) {
        if (WL_UNLIKELY(walk->program->lookup_count) && !wl_lookups_note(walk, stamp))
            return false;
        walk->row++;
    }
    return !walk->program->lookup_count || wl_lookups_resolve(walk, number, begin);
}

/* Reads a value that only needs its slot. NULL: it is invalid. */
static inline const uint8_t *take_value(const wl_walk *walk, const wl_field *field, bool strict, const uint8_t *cursor,
                                        const uint8_t *end, wl_slot *slot, uint64_t stamp, wl_wire_problem *problem) {
    cursor = wl_value_read(&field->of, cursor, end, walk->readable, strict, &slot->at, &slot->value, problem);
    if (WL_UNLIKELY(!cursor))
        return NULL;
    slot->stamp = stamp;
    return cursor;
}

/* Reads a message if it is a single value, as wrappers and values of one of several types mostly are. Otherwise it
 * must be read as any message, with the same result for the fields that this has read. */
static inline bool take_single(wl_walk *walk, const wl_node *node, const uint8_t *cursor, const uint8_t *end,
                               uint64_t stamp) {
    wl_wire_problem problem;
    if (!node->often_single || cursor == end)
        return false;
    const wl_field *field = (const void *)node->of.by_tag[*cursor];
    if (!field || field->action != WL_DO_VALUE)
        return false;
    if (WL_UNLIKELY(field->replaces & walk->set))
        wl_walk_clear(walk, field);
    walk->set |= field->set;
    wl_slot *slot = walk->slots + field->slot;
    return take_value(walk, field, node->of.strict, cursor + 1, end, slot, stamp, &problem) == end &&
           field->required == node->required;
}

/* Reads the content of a message that is a field, at [cursor, end). `begin`: of the enclosing message; `at`: its tag. */
static inline bool take_message(wl_walk *walk, const wl_field *field, const uint8_t *begin, const uint8_t *at,
                                const uint8_t *cursor, const uint8_t *end, uint64_t stamp, unsigned depth) {
    const wl_node *inner = walk->program->nodes + field->node;
    wl_slot *slot = walk->slots + field->slot;
    const bool is_item = field->action == WL_DO_ITEM, again = slot->stamp == stamp;
    const uint64_t inner_stamp = is_item ? ++walk->stamp : stamp, set = walk->set;
    const size_t row = walk->row;
    if (WL_UNLIKELY(depth == walk->program->max_depth))
        return wrong_field(walk, field, WL_UNIT_DEEP, begin, at, 0, 0);
    slot->stamp = stamp;
    if (is_item)
        walk->set = 0;
    if (!take_single(walk, inner, cursor, end, inner_stamp) &&
        WL_UNLIKELY(!wl_walk_message(walk, inner, cursor, end, inner_stamp, depth + 1))) {
        if (walk->problem.what)
            wl_unit_path(walk, field->of.number, wl_count_fields(begin, at, field->of.number, field->of.wire));
        return false;
    }
    if (is_item) {
        if (WL_UNLIKELY(!wl_close_scope(walk, field->scope, inner_stamp, row)))
            return false;
        walk->set = set;
    }
    const size_t size = (size_t)(end - cursor);
    if (!(field->flags & WL_FIELD_JSON))
        return true;
    return field->flags & WL_FIELD_REPEATED ? wl_append_json(walk, field->vector, field->node, cursor, size)
                                            : wl_json_note(walk, field, cursor, size, again);
}

bool wl_walk_message(wl_walk *walk, const wl_node *node, const uint8_t *cursor, const uint8_t *end, uint64_t stamp,
                     unsigned depth) {
    const uint8_t *const begin = cursor;
    const bool strict = node->of.strict;
    uint64_t seen = 0;
    while (cursor < end) {
        const uint8_t *const at = cursor;
        const wl_wire_field *known = node->of.by_tag[*cursor];
        wl_wire_problem problem;
        if (WL_LIKELY(known != NULL)) {
            cursor++;
        } else {
            unsigned wire;
            cursor = wl_other_tag(&node->of, cursor, end, walk->program->max_depth - depth, &known, &wire, &problem);
            if (!cursor && known)
                return wrong_field(walk, (const void *)known, problem.what, begin, at, problem.value, problem.count);
            if (!cursor)
                return wl_unit_wrong(walk, problem.what, problem.at, problem.value, problem.count);
            if (!known)
                continue;
        }
        const wl_field *field = (const void *)known;
        if (WL_UNLIKELY(field->replaces & walk->set))
            wl_walk_clear(walk, field);
        if (WL_LIKELY(field->action == WL_DO_VALUE)) {
            cursor = take_value(walk, field, strict, cursor, end, walk->slots + field->slot, stamp, &problem);
            if (WL_UNLIKELY(!cursor))
                return wrong_field(walk, field, problem.what, begin, at, problem.value, problem.count);
        } else if (WL_LIKELY(field->action <= WL_DO_ITEM)) {
            uint64_t size;
            cursor = wl_size_read(cursor, end, strict, &size, &problem);
            if (WL_UNLIKELY(!cursor))
                return wrong_field(walk, field, problem.what, begin, at, problem.value, problem.count);
            if (WL_UNLIKELY(!take_message(walk, field, begin, at, cursor, cursor + size, stamp, depth)))
                return false;
            cursor += size;
        } else {
            bool counts = true;
            const bool repeated = field->action == WL_DO_REPEATED;
            cursor = repeated ? wl_walk_repeated(walk, node, field, at, cursor, end)
                              : wl_walk_chosen(walk, node, field, cursor, end, stamp, &counts);
            if (WL_UNLIKELY(!cursor)) {
                if (walk->problem.what)
                    wl_unit_path(walk, field->of.number,
                                 repeated ? wl_count_fields(begin, at, field->of.number, field->of.wire) : 0);
                return false;
            }
            if (!counts)
                continue;
        }
        seen |= field->required;
        walk->set |= field->set;
    }
    if (WL_UNLIKELY(seen != node->required))
        walk->suspect = true;
    return true;
}
