/* Messages as JSON text, in protobuf's own JSON mapping. Their bytes have been validated, but are read here as if they
 * had not: what cannot be read ends the message. */
#include <stdlib.h>

#include "message_json.h"

#define DEAD UINT32_MAX

static bool add_piece(wl_walk *walk, wl_piece added) {
    if (WL_UNLIKELY(walk->piece_count == walk->piece_capacity)) {
        size_t capacity = walk->piece_capacity ? walk->piece_capacity * 2 : 64;
        wl_piece *grown = realloc(walk->pieces, capacity * sizeof *grown);
        if (!grown) {
            walk->no_memory = true;
            return false;
        }
        walk->pieces = grown;
        walk->piece_capacity = capacity;
    }
    walk->pieces[walk->piece_count++] = added;
    return true;
}

const uint8_t *wl_read_number(const wl_field *field, const uint8_t *at, const uint8_t *end, uint64_t *number) {
    wl_wire_problem problem;
    const uint8_t *bytes;
    *number = 0;
    return wl_value_read(&field->of, at, end, end, false, &bytes, number, &problem);
}

bool wl_put_value(wl_walk *walk, wl_sink *to, const wl_field *field, const wl_piece *of) {
    size_t size = (size_t)(of->end - of->begin);
    uint64_t value;
    if (field->of.kind == WL_KIND_BYTES) {
        (field->flags & WL_FIELD_HEX ? wl_put_hex : wl_put_base64)(to, of->begin, size);
    } else if (field->of.kind == WL_KIND_STRING) {
        if (!(field->flags & WL_FIELD_TEXT))
            return wl_put_any_text(walk, to, of->begin, size);
        wl_put_text(to, of->begin, size);
    } else if (wl_read_number(field, of->begin, of->end, &value)) {
        wl_put_number(to, field->of.kind, value);
    }
    return true;
}

void wl_put_name(const wl_walk *walk, wl_sink *to, const wl_field *field, bool *is_first) {
    wl_put_byte(to, *is_first ? '{' : ',');
    *is_first = false;
    wl_put(to, walk->program->constants + field->name, field->name_size);
}

bool wl_note_fields(wl_walk *walk, const wl_node *node, wl_piece part, bool *dropped) {
    const wl_field *fields = wl_fields_of(node);
    wl_wire_problem problem;
    const uint8_t *cursor = part.begin;
    while (cursor < part.end) {
        const uint8_t *at = cursor;
        uint64_t tag, size;
        uint32_t what;
        cursor = wl_tag_read(cursor, part.end, false, &tag, &problem);
        const uint8_t *next =
            cursor ? wl_field_skip(at, tag, cursor, part.end, false, WL_DEEPEST_MESSAGE, &problem) : NULL;
        if (!next)
            break;
        const wl_field *field = (const void *)wl_wire_field_find(&node->of, tag >> 3);
        unsigned wire = tag & 7;
        if (field && wl_field_takes(&field->of, wire)) {
            uint64_t value;
            if (wire == WL_WIRE_BYTES)
                cursor = wl_varint_read(cursor, next, false, &size, &what);
            bool single = !(field->flags & WL_FIELD_REPEATED) && wire == WL_WIRE_VARINT;
            bool is_value = !single || (wl_read_number(field, cursor, next, &value) && wl_is_member(&field->of, value));
            if (field->flags & WL_FIELD_CLOSED)
                *dropped = !is_value;
            if (is_value) {
                wl_piece added = {cursor, next, (uint32_t)(field - fields), (uint32_t)walk->piece_count, wire};
                if (!add_piece(walk, added))
                    return false;
            }
        }
        cursor = next;
    }
    return true;
}

static int by_field(const void *left, const void *right) {
    const wl_piece *one = left, *other = right;
    if (one->field != other->field)
        return one->field < other->field ? -1 : 1;
    return one->order < other->order ? -1 : 1;
}

void wl_sort_pieces(wl_walk *walk, size_t base) {
    bool sorted = true;
    for (size_t i = base + 1; i < walk->piece_count && sorted; i++)
        sorted = walk->pieces[i - 1].field <= walk->pieces[i].field;
    if (!sorted)
        qsort(walk->pieces + base, walk->piece_count - base, sizeof *walk->pieces, by_field);
}

/* The items in the pieces [first, first + count). */
static bool put_items(wl_walk *walk, wl_sink *to, const wl_field *field, size_t first, size_t count, unsigned depth,
                      bool *is_first) {
    bool open = false;
    for (size_t i = first; i < first + count; i++) {
        const wl_piece of = walk->pieces[i];
        if (field->of.kind != WL_KIND_MESSAGE && field->of.wire != WL_WIRE_BYTES) {
            uint64_t value;
            for (const uint8_t *at = of.begin; at < of.end && (at = wl_read_number(field, at, of.end, &value));) {
                if (!wl_is_member(&field->of, value))
                    continue;
                if (!open)
                    wl_put_name(walk, to, field, is_first);
                wl_put_byte(to, open ? ',' : '[');
                open = true;
                wl_put_number(to, field->of.kind, value);
            }
            continue;
        }
        if (!open)
            wl_put_name(walk, to, field, is_first);
        wl_put_byte(to, open ? ',' : '[');
        open = true;
        if (field->of.kind == WL_KIND_MESSAGE
                ? !wl_put_message(walk, to, walk->program->nodes + field->node, i, 1, depth + 1)
                : !wl_put_value(walk, to, field, &of))
            return false;
    }
    if (open)
        wl_put_byte(to, ']');
    return true;
}

/* Whether a field without presence is zero. */
static bool is_zero(const wl_field *field, const wl_piece *of) {
    uint64_t value;
    if (field->of.wire == WL_WIRE_BYTES)
        return of->begin == of->end;
    return !wl_read_number(field, of->begin, of->end, &value) || value == 0;
}

/* Writes the only value of a field that is no message. */
static bool put_only(wl_walk *walk, wl_sink *to, const wl_field *field, const wl_piece *of, bool *is_first) {
    if ((field->flags & WL_FIELD_IMPLICIT) && is_zero(field, of))
        return true;
    wl_put_name(walk, to, field, is_first);
    return wl_put_value(walk, to, field, of);
}

/* The pieces [first, first + count) belong to one field. */
static bool put_field(wl_walk *walk, wl_sink *to, const wl_field *field, size_t first, size_t count, unsigned depth,
                      bool *is_first) {
    if (field->flags & WL_FIELD_MAP)
        return wl_put_map(walk, to, field, first, count, depth, is_first);
    if (field->flags & WL_FIELD_REPEATED)
        return put_items(walk, to, field, first, count, depth, is_first);
    if (field->of.kind == WL_KIND_MESSAGE) {
        wl_put_name(walk, to, field, is_first);
        return wl_put_message(walk, to, walk->program->nodes + field->node, first, count, depth + 1);
    }
    const wl_piece last = walk->pieces[first + count - 1];
    return put_only(walk, to, field, &last, is_first);
}

/* Members of oneofs that were replaced by another one become pieces of no field. */
static bool drop_replaced(wl_walk *walk, const wl_node *node, size_t base) {
    const wl_field *fields = wl_fields_of(node);
    /* The member that counts, DEAD if another one has come after it; 1 + field, 0: not known yet. */
    uint32_t *winners = calloc(node->of.count + 1, sizeof *winners);
    if (!winners) {
        walk->no_memory = true;
        return false;
    }
    for (size_t i = walk->piece_count; i-- > base;) {
        wl_piece *each = walk->pieces + i;
        uint32_t oneof = fields[each->field].oneof;
        if (!oneof)
            continue;
        if (!winners[oneof])
            winners[oneof] = each->field + 1;
        else if (winners[oneof] != each->field + 1)
            winners[oneof] = DEAD;
        if (winners[oneof] == DEAD)
            each->field = DEAD;
    }
    free(winners);
    return true;
}

/* Writes a message if it is in one piece and a single value, as most values of one of several types are. */
static bool put_single(wl_walk *walk, wl_sink *to, const wl_node *node, const wl_piece *of, bool *good) {
    const wl_field *field = of->begin < of->end ? (const void *)node->of.by_tag[*of->begin] : NULL;
    if (!field || field->of.kind == WL_KIND_MESSAGE || field->action == WL_DO_REPEATED || field->action == WL_DO_CHOSEN)
        return false;
    wl_piece value = {of->begin + 1, of->end, 0, 0, field->of.wire};
    uint64_t number;
    uint32_t what;
    if (field->of.wire == WL_WIRE_BYTES) {
        value.begin = wl_varint_read(value.begin, of->end, false, &number, &what);
        if (!value.begin || number != (uint64_t)(of->end - value.begin))
            return false;
    } else if (wl_read_number(field, value.begin, of->end, &number) != of->end) {
        return false;
    }
    bool is_first = true;
    *good = put_only(walk, to, field, &value, &is_first);
    if (is_first)
        wl_put_byte(to, '{');
    wl_put_byte(to, '}');
    return true;
}

bool wl_put_message(wl_walk *walk, wl_sink *to, const wl_node *node, size_t first, size_t count, unsigned depth) {
    bool good = true;
    if (depth > WL_DEEPEST_MESSAGE || (count == 1 && put_single(walk, to, node, walk->pieces + first, &good)))
        return good;
    size_t base = walk->piece_count;
    for (size_t i = first; i < first + count; i++) {
        bool dropped;
        if (!wl_note_fields(walk, node, walk->pieces[i], &dropped))
            return false;
    }
    size_t found = walk->piece_count - base;
    if (found > 1) {
        if (node->has_oneof && !drop_replaced(walk, node, base))
            return false;
        wl_sort_pieces(walk, base);
    }
    bool is_first = true;
    for (size_t i = base, next; i < base + found && walk->pieces[i].field != DEAD; i = next) {
        uint32_t number = walk->pieces[i].field;
        for (next = i + 1; next < base + found && walk->pieces[next].field == number;)
            next++;
        const wl_field *field = wl_fields_of(node) + number;
        if (!put_field(walk, to, field, i, next - i, depth, &is_first))
            return false;
    }
    if (is_first)
        wl_put_byte(to, '{');
    wl_put_byte(to, '}');
    walk->piece_count = base;
    return true;
}

bool wl_append_json(wl_walk *walk, uint32_t number, uint32_t node, const uint8_t *at, size_t size) {
    wl_vector *vector = walk->vectors + number;
    wl_sink to = {vector->data + vector->used, vector->data_size - vector->used, 0};
    walk->piece_count = 0;
    if (!add_piece(walk, (wl_piece){at, at + size, 0, 0, WL_WIRE_BYTES}) ||
        !wl_put_message(walk, &to, walk->program->nodes + node, 0, 1, 0))
        return false;
    if (WL_UNLIKELY(vector->length == vector->capacity || to.used > to.room))
        return wl_no_room(walk, number, vector->length + 1, vector->used + to.used);
    vector->used += to.used;
    vector->length++;
    wl_store4(vector->values + vector->length * 4, (uint32_t)vector->used);
    return true;
}

/* Merging --------------------------------------------------------------------------------------------------------- */

bool wl_json_note(wl_walk *walk, const wl_field *field, const uint8_t *at, size_t size, bool again) {
    wl_slot *slot = walk->slots + field->slot;
    if (WL_LIKELY(!again)) {
        slot->at = at;
        slot->value = size;
        return true;
    }
    wl_merged *merged = walk->merged + field->slot;
    size_t before = (size_t)slot->value;
    bool is_merged = slot->at == merged->data;
    if (before + size + 1 > merged->capacity) {
        size_t capacity = 2 * (before + size + 1);
        uint8_t *grown = realloc(merged->data, capacity);
        if (!grown) {
            walk->no_memory = true;
            return false;
        }
        merged->data = grown;
        merged->capacity = capacity;
    }
    if (!is_merged)
        memcpy(merged->data, slot->at, before);
    memcpy(merged->data + before, at, size);
    slot->at = merged->data;
    slot->value = before + size;
    return true;
}
