/* Messages as JSON text, in protobuf's own JSON mapping. The walk has found nothing wrong with their bytes; all is read
 * here as if it had not: what cannot be read ends the message.
 *
 * A message may stand in several parts, which belong together as if their bytes stood one after another. Its fields are
 * noted as pieces, in the order of the bytes, and then sorted by their numbers. */
#include <stdlib.h>

#include "decimal.h"
#include "message_wire.h"

/* A field's content. */
struct wl_piece {
    const uint8_t *begin;
    const uint8_t *end;
    uint32_t field; /* counted within the node */
    uint32_t order;
    uint32_t wire;
};
typedef struct wl_piece piece;

#define DEAD UINT32_MAX

/* Counts also what it has no room for. */
typedef struct {
    uint8_t *at;
    size_t room;
    size_t used;
} sink;

static inline void put(sink *to, const void *from, size_t size) {
    if (WL_LIKELY(size <= to->room && to->used <= to->room - size))
        memcpy(to->at + to->used, from, size);
    to->used += size;
}

static inline void put_byte(sink *to, uint8_t byte) {
    if (WL_LIKELY(to->used < to->room))
        to->at[to->used] = byte;
    to->used++;
}

/* Values ---------------------------------------------------------------------------------------------------------- */

static void put_unsigned(sink *to, uint64_t value) {
    char digits[20];
    size_t at = sizeof digits;
    do
        digits[--at] = (char)('0' + value % 10);
    while (value /= 10);
    put(to, digits + at, sizeof digits - at);
}

static void put_signed(sink *to, uint64_t value) {
    if (value >> 63)
        put_byte(to, '-');
    put_unsigned(to, value >> 63 ? 0 - value : value);
}

static void put_float(sink *to, double value, bool single) {
    if (__builtin_isnan(value)) {
        put(to, "\"NaN\"", 5);
    } else if (__builtin_isinf(value)) {
        put(to, value < 0 ? "\"-Infinity\"" : "\"Infinity\"", value < 0 ? 11 : 10);
    } else {
        char text[WL_MOST_DECIMAL];
        put(to, text, wl_decimal(value, single, text));
    }
}

/* Whether a word has a byte that cannot stand in a JSON string as it is. */
static inline bool has_special(uint64_t word) {
    const uint64_t ones = UINT64_C(0x0101010101010101), tops = ones << 7;
    uint64_t quote = word ^ (ones * '"'), slash = word ^ (ones * '\\');
    return (((word - ones * 0x20) & ~word) | ((quote - ones) & ~quote) | ((slash - ones) & ~slash)) & tops;
}

static void put_escaped(sink *to, uint8_t byte) {
    static const char letters[] = "uuuuuuuubtnufruu";
    uint8_t escape[6] = {'\\', byte};
    if (byte >= 0x20) {
        put(to, escape, 2);
        return;
    }
    escape[1] = byte < 0x10 ? (uint8_t)letters[byte] : 'u';
    if (escape[1] != 'u') {
        put(to, escape, 2);
        return;
    }
    escape[2] = escape[3] = '0';
    escape[4] = (uint8_t)('0' + (byte >> 4));
    escape[5] = (uint8_t)"0123456789abcdef"[byte & 15];
    put(to, escape, 6);
}

static void put_text(sink *to, const uint8_t *text, size_t size) {
    size_t begin = 0, at = 0;
    put_byte(to, '"');
    while (at < size) {
        if (size - at >= 8 && WL_LIKELY(!has_special(wl_load_le8(text + at)))) {
            at += 8;
        } else if (text[at] >= 0x20 && text[at] != '"' && text[at] != '\\') {
            at++;
        } else {
            put(to, text + begin, at - begin);
            put_escaped(to, text[at++]);
            begin = at;
        }
    }
    put(to, text + begin, at - begin);
    put_byte(to, '"');
}

/* Text that need not be UTF-8. */
static bool put_any_text(wl_walk *walk, sink *to, const uint8_t *text, size_t size) {
    if (WL_LIKELY(wl_text_is_utf8(text, size))) {
        put_text(to, text, size);
        return true;
    }
    size_t real = wl_text_replaced(text, size, NULL);
    uint8_t *replaced = malloc(real);
    if (!replaced) {
        walk->no_memory = true;
        return false;
    }
    wl_text_replaced(text, size, replaced);
    put_text(to, replaced, real);
    free(replaced);
    return true;
}

static void put_base64(sink *to, const uint8_t *data, size_t size) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    put_byte(to, '"');
    for (size_t at = 0; at < size; at += 3) {
        size_t left = size - at;
        uint32_t bits = (uint32_t)data[at] << 16 | (left > 1 ? (uint32_t)data[at + 1] << 8 : 0) |
                        (left > 2 ? (uint32_t)data[at + 2] : 0);
        char four[4] = {digits[bits >> 18], digits[bits >> 12 & 63], left > 1 ? digits[bits >> 6 & 63] : '=',
                        left > 2 ? digits[bits & 63] : '='};
        put(to, four, sizeof four);
    }
    put_byte(to, '"');
}

static void put_number(sink *to, unsigned kind, uint64_t value) {
    float single;
    double wide;
    uint32_t bits = (uint32_t)value;
    switch (kind) {
    case WL_KIND_DOUBLE:
        memcpy(&wide, &value, sizeof wide);
        put_float(to, wide, false);
        return;
    case WL_KIND_FLOAT:
        memcpy(&single, &bits, sizeof single);
        put_float(to, (double)single, true);
        return;
    case WL_KIND_BOOL:
        put(to, value ? "true" : "false", value ? 4 : 5);
        return;
    case WL_KIND_UINT32:
    case WL_KIND_FIXED32:
        put_unsigned(to, value);
        return;
    case WL_KIND_UINT64:
    case WL_KIND_FIXED64:
        put_byte(to, '"');
        put_unsigned(to, value);
        put_byte(to, '"');
        return;
    case WL_KIND_INT64:
    case WL_KIND_SFIXED64:
    case WL_KIND_SINT64:
        put_byte(to, '"');
        put_signed(to, value);
        put_byte(to, '"');
        return;
    default:
        put_signed(to, value);
    }
}

/* Fields ---------------------------------------------------------------------------------------------------------- */

static bool add_piece(wl_walk *walk, piece added) {
    if (WL_UNLIKELY(walk->piece_count == walk->piece_capacity)) {
        size_t capacity = walk->piece_capacity ? walk->piece_capacity * 2 : 64;
        piece *grown = realloc(walk->pieces, capacity * sizeof *grown);
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

static bool put_message(wl_walk *walk, sink *to, const wl_node *node, size_t first, size_t count, unsigned depth);

/* Reads one scalar of the piece, from `at` on; NULL: there is none left. */
static const uint8_t *read_number(const wl_field *field, const uint8_t *at, const uint8_t *end, uint64_t *value) {
    uint32_t what;
    if (field->wire == WL_WIRE_VARINT) {
        at = wl_varint_read(at, end, false, value, &what);
        *value = at ? wl_varint_value(field->kind, *value) : 0;
        return at;
    }
    size_t size = field->wire == WL_WIRE_FIXED64 ? 8 : 4;
    if ((size_t)(end - at) < size)
        return NULL;
    *value = size == 8 ? wl_load_le8(at) : wl_fixed32_value(field->kind, wl_load_le4(at));
    return at + size;
}

static bool counts(const wl_walk *walk, const wl_field *field, uint64_t value) {
    return !(field->flags & WL_FIELD_CLOSED) || wl_enum_has(walk->program, field, value);
}

/* One value of what is no message. */
static bool put_value(wl_walk *walk, sink *to, const wl_field *field, const piece *of) {
    size_t size = (size_t)(of->end - of->begin);
    uint64_t value;
    if (field->kind == WL_KIND_BYTES) {
        put_base64(to, of->begin, size);
    } else if (field->kind == WL_KIND_STRING) {
        if (!(field->flags & WL_FIELD_TEXT))
            return put_any_text(walk, to, of->begin, size);
        put_text(to, of->begin, size);
    } else if (read_number(field, of->begin, of->end, &value)) {
        put_number(to, field->kind, value);
    }
    return true;
}

static void put_name(const wl_walk *walk, sink *to, const wl_field *field, bool *is_first) {
    put_byte(to, *is_first ? '{' : ',');
    *is_first = false;
    put(to, walk->program->constants + field->name, field->name_size);
}

/* The items in the pieces [first, first + count). */
static bool put_items(wl_walk *walk, sink *to, const wl_field *field, size_t first, size_t count, unsigned depth,
                      bool *is_first) {
    bool open = false;
    for (size_t i = first; i < first + count; i++) {
        const piece of = walk->pieces[i];
        if (field->kind != WL_KIND_MESSAGE && field->wire != WL_WIRE_BYTES) {
            uint64_t value;
            for (const uint8_t *at = of.begin; at < of.end && (at = read_number(field, at, of.end, &value));) {
                if (!counts(walk, field, value))
                    continue;
                if (!open)
                    put_name(walk, to, field, is_first);
                put_byte(to, open ? ',' : '[');
                open = true;
                put_number(to, field->kind, value);
            }
            continue;
        }
        if (!open)
            put_name(walk, to, field, is_first);
        put_byte(to, open ? ',' : '[');
        open = true;
        if (field->kind == WL_KIND_MESSAGE ? !put_message(walk, to, walk->program->nodes + field->node, i, 1, depth + 1)
                                           : !put_value(walk, to, field, &of))
            return false;
    }
    if (open)
        put_byte(to, ']');
    return true;
}

/* Whether a field without presence is there. */
static bool is_zero(const wl_field *field, const piece *of) {
    uint64_t value;
    if (field->wire == WL_WIRE_BYTES)
        return of->begin == of->end;
    return !read_number(field, of->begin, of->end, &value) || value == 0;
}

/* The pieces [first, first + count) are those of one field. */
static bool put_field(wl_walk *walk, sink *to, const wl_field *field, size_t first, size_t count, unsigned depth,
                      bool *is_first) {
    if (field->flags & WL_FIELD_REPEATED)
        return put_items(walk, to, field, first, count, depth, is_first);
    if (field->kind == WL_KIND_MESSAGE) {
        put_name(walk, to, field, is_first);
        return put_message(walk, to, walk->program->nodes + field->node, first, count, depth + 1);
    }
    const piece last = walk->pieces[first + count - 1];
    if ((field->flags & WL_FIELD_IMPLICIT) && is_zero(field, &last))
        return true;
    put_name(walk, to, field, is_first);
    return put_value(walk, to, field, &last);
}

/* Notes the fields of one part of a message. */
static bool note_fields(wl_walk *walk, const wl_node *node, piece part) {
    const wl_field *fields = walk->program->fields + node->first_field;
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
        const wl_field *field = wl_field_find(walk->program, node, tag >> 3);
        unsigned wire = tag & 7;
        if (field && (wire == field->wire || (wire == WL_WIRE_BYTES && field->action == WL_DO_REPEATED))) {
            uint64_t value;
            if (wire == WL_WIRE_BYTES)
                cursor = wl_varint_read(cursor, next, false, &size, &what);
            bool single = !(field->flags & WL_FIELD_REPEATED) && wire == WL_WIRE_VARINT;
            if (!single || (read_number(field, cursor, next, &value) && counts(walk, field, value))) {
                piece added = {cursor, next, (uint32_t)(field - fields), (uint32_t)walk->piece_count, wire};
                if (!add_piece(walk, added))
                    return false;
            }
        }
        cursor = next;
    }
    return true;
}

/* Members of oneofs that another one has replaced become pieces of no field. */
static bool drop_replaced(wl_walk *walk, const wl_node *node, size_t base) {
    const wl_field *fields = walk->program->fields + node->first_field;
    /* The member that counts, DEAD once another has been met after it; 1 + field, 0: not yet known. */
    uint32_t *winners = calloc(node->field_count + 1, sizeof *winners);
    if (!winners) {
        walk->no_memory = true;
        return false;
    }
    for (size_t i = walk->piece_count; i-- > base;) {
        piece *each = walk->pieces + i;
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

static int by_field(const void *left, const void *right) {
    const piece *one = left, *other = right;
    if (one->field != other->field)
        return one->field < other->field ? -1 : 1;
    return one->order < other->order ? -1 : 1;
}

static bool put_message(wl_walk *walk, sink *to, const wl_node *node, size_t first, size_t count, unsigned depth) {
    if (depth > WL_DEEPEST_MESSAGE)
        return true;
    size_t base = walk->piece_count;
    for (size_t i = first; i < first + count; i++) {
        if (!note_fields(walk, node, walk->pieces[i]))
            return false;
    }
    size_t found = walk->piece_count - base;
    if (found > 1) {
        if (node->has_oneof && !drop_replaced(walk, node, base))
            return false;
        bool sorted = true;
        for (size_t i = base + 1; i < walk->piece_count && sorted; i++)
            sorted = walk->pieces[i - 1].field <= walk->pieces[i].field;
        if (!sorted)
            qsort(walk->pieces + base, found, sizeof *walk->pieces, by_field);
    }
    bool is_first = true;
    for (size_t i = base, next; i < base + found && walk->pieces[i].field != DEAD; i = next) {
        uint32_t number = walk->pieces[i].field;
        for (next = i + 1; next < base + found && walk->pieces[next].field == number;)
            next++;
        const wl_field *field = walk->program->fields + node->first_field + number;
        if (!put_field(walk, to, field, i, next - i, depth, &is_first))
            return false;
    }
    if (is_first)
        put_byte(to, '{');
    put_byte(to, '}');
    walk->piece_count = base;
    return true;
}

bool wl_append_json(wl_walk *walk, uint32_t number, uint32_t node, const uint8_t *at, size_t size) {
    wl_vector *vector = walk->vectors + number;
    sink to = {vector->data + vector->used, vector->data_size - vector->used, 0};
    walk->piece_count = 0;
    if (!add_piece(walk, (piece){at, at + size, 0, 0, WL_WIRE_BYTES}) ||
        !put_message(walk, &to, walk->program->nodes + node, 0, 1, 0))
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
