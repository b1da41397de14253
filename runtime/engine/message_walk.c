/* The walk over a message: every known field is read, whether or not it is wanted, so that the problems of a message do
 * not depend on the columns. A field that is not wanted is stored in slot 0. */
#include "message_wire.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

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
    if (!wl_emit_scope(walk, scope, stamp))
        return false;
    if (scope->is_row) {
        if (WL_UNLIKELY(walk->program->lookup_count) && !wl_lookups_note(walk, stamp))
            return false;
        walk->row++;
    }
    return !walk->program->lookup_count || wl_lookups_resolve(walk, number, begin);
}

/* Whether it is UTF-8; most text is short, and ASCII. */
static inline bool is_text(const wl_walk *walk, const uint8_t *text, size_t size) {
#if defined(__SSE2__)
    if (WL_LIKELY(size <= 32 && walk->readable - text >= 32)) {
        const unsigned low = (unsigned)_mm_movemask_epi8(_mm_loadu_si128((const void *)text));
        const unsigned high = (unsigned)_mm_movemask_epi8(_mm_loadu_si128((const void *)(text + 16)));
        if (WL_LIKELY(!((low | (uint64_t)high << 16) & ((UINT64_C(1) << size) - 1))))
            return true;
    }
#endif
    return wl_text_is_utf8(text, size);
}

/* Reads a value that only needs its slot: actions up to WL_DO_TEXT. NULL: it is invalid, for the reason in
 * `problem`. */
static inline const uint8_t *take_value(const wl_walk *walk, const wl_field *field, bool strict, const uint8_t *cursor,
                                        const uint8_t *end, wl_slot *slot, uint64_t stamp, wl_wire_problem *problem) {
    uint64_t value;
    if (field->action == WL_DO_FIXED64 || field->action == WL_DO_FIXED32) {
        const size_t size = field->action == WL_DO_FIXED64 ? 8 : 4;
        if (WL_UNLIKELY((size_t)(end - cursor) < size)) {
            *problem = (wl_wire_problem){WL_UNIT_LENGTH, cursor, size, (uint64_t)(end - cursor)};
            return NULL;
        }
        slot->value = size == 8 ? wl_load_le8(cursor) : wl_fixed32_value(field->kind, wl_load_le4(cursor));
        slot->stamp = stamp;
        return cursor + size;
    }
    cursor = wl_varint_read(cursor, end, strict, &value, &problem->what);
    if (WL_UNLIKELY(!cursor)) {
        problem->value = problem->count = 0;
        return NULL;
    }
    if (field->action <= WL_DO_VARINT) {
        slot->value = field->action == WL_DO_INTEGER ? value : wl_varint_value(field->kind, value);
        slot->stamp = stamp;
        return cursor;
    }
    if (WL_UNLIKELY(value > (uint64_t)(end - cursor))) {
        *problem = (wl_wire_problem){WL_UNIT_LENGTH, cursor, value, (uint64_t)(end - cursor)};
        return NULL;
    }
    if (field->action == WL_DO_TEXT && !is_text(walk, cursor, (size_t)value)) {
        *problem = (wl_wire_problem){WL_UNIT_TEXT, cursor, 0, 0};
        return NULL;
    }
    slot->at = cursor;
    slot->value = value;
    slot->stamp = stamp;
    return cursor + value;
}

/* Reads a message if it is a single value, as wrappers and values of one of several types mostly are. Otherwise it
 * must be read as any message, with the same result for the fields that this has read. */
static inline bool take_single(wl_walk *walk, const wl_node *node, const uint8_t *cursor, const uint8_t *end,
                               uint64_t stamp) {
    wl_wire_problem problem;
    if (!node->often_single || cursor == end)
        return false;
    const wl_field *field = node->by_tag[*cursor];
    if (!field || field->action > WL_DO_TEXT)
        return false;
    if (WL_UNLIKELY(field->replaces & walk->set))
        wl_walk_clear(walk, field);
    walk->set |= field->set;
    return take_value(walk, field, node->strict, cursor + 1, end, walk->slots + field->slot, stamp, &problem) == end &&
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
            wl_unit_path(walk, field->number, wl_count_fields(begin, at, field->number, field->wire));
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
    const bool strict = node->strict;
    uint64_t seen = 0;
    while (cursor < end) {
        const uint8_t *const at = cursor;
        const wl_field *field = node->by_tag[*cursor];
        if (WL_LIKELY(field != NULL)) {
            cursor++;
        } else {
            const wl_field *found = NULL;
            cursor = other_tag(walk, node, begin, cursor, end, depth, &found);
            if (!cursor)
                return false;
            if (!found)
                continue;
            field = found;
        }
        if (WL_UNLIKELY(field->replaces & walk->set))
            wl_walk_clear(walk, field);
        wl_wire_problem problem;
        if (WL_LIKELY(field->action <= WL_DO_TEXT)) {
            cursor = take_value(walk, field, strict, cursor, end, walk->slots + field->slot, stamp, &problem);
            if (WL_UNLIKELY(!cursor))
                return wrong_field(walk, field, problem.what, begin, at, problem.value, problem.count);
        } else if (WL_LIKELY(field->action <= WL_DO_ITEM)) {
            uint64_t size;
            cursor = wl_varint_read(cursor, end, strict, &size, &problem.what);
            if (WL_UNLIKELY(!cursor))
                return wrong_field(walk, field, problem.what, begin, at, 0, 0);
            if (WL_UNLIKELY(size > (uint64_t)(end - cursor)))
                return wrong_field(walk, field, WL_UNIT_LENGTH, begin, at, size, (uint64_t)(end - cursor));
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
                    wl_unit_path(walk, field->number,
                                 repeated ? wl_count_fields(begin, at, field->number, field->wire) : 0);
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
