/* Maps as JSON text: objects, with the entries in the order of their keys. */
#include <stdlib.h>

#include "message_json.h"

/* The key of a map's entry. */
typedef struct {
    const uint8_t *at; /* NULL: a number; entries are in its order */
    size_t size;
    uint64_t number;
    size_t entry; /* its wl_piece */
} map_key;

static int by_key(const void *left, const void *right) {
    const map_key *one = left, *other = right;
    int order = one->at && other->at ? memcmp(one->at, other->at, wl_smaller(one->size, other->size)) : 0;
    if (order)
        return order;
    if (one->size != other->size)
        return one->size < other->size ? -1 : 1;
    if (one->number != other->number)
        return one->number < other->number ? -1 : 1;
    return one->entry < other->entry ? -1 : 1;
}

static bool is_same_key(const map_key *one, const map_key *other) {
    return one->size == other->size && one->number == other->number &&
           (!one->size || memcmp(one->at, other->at, one->size) == 0);
}

/* Reads the key of the entry at piece `entry`. `dropped`: the entry does not count. */
static bool read_key(wl_walk *walk, const wl_node *node, size_t entry, map_key *key, bool *dropped) {
    const wl_field *field = wl_fields_of(node);
    size_t base = walk->piece_count;
    *key = (map_key){.at = field->of.wire == WL_WIRE_BYTES ? walk->unit : NULL, .entry = entry};
    *dropped = false;
    if (!wl_note_fields(walk, node, walk->pieces[entry], dropped))
        return false;
    for (size_t i = base; i < walk->piece_count; i++) {
        const wl_piece *each = walk->pieces + i;
        if (each->field)
            continue;
        if (key->at) {
            key->at = each->begin;
            key->size = (size_t)(each->end - each->begin);
        } else {
            wl_read_number(field, each->begin, each->end, &key->number);
        }
    }
    if (wl_is_signed_kind(field->of.kind))
        key->number ^= UINT64_C(1) << 63;
    walk->piece_count = base;
    return true;
}

static bool put_key(wl_walk *walk, wl_sink *to, const wl_field *field, const map_key *key) {
    if (key->at)
        return wl_put_value(walk, to, field, &(wl_piece){.begin = key->at, .end = key->at + key->size});
    bool bare = field->of.wire != WL_WIRE_FIXED64 && field->of.kind != WL_KIND_INT64 &&
                field->of.kind != WL_KIND_UINT64 && field->of.kind != WL_KIND_SINT64;
    uint64_t number = wl_is_signed_kind(field->of.kind) ? key->number ^ UINT64_C(1) << 63 : key->number;
    if (bare)
        wl_put_byte(to, '"');
    wl_put_number(to, field->of.kind, number);
    if (bare)
        wl_put_byte(to, '"');
    return true;
}

/* Writes the value of an entry; a missing one is zero, or an empty message. */
static bool put_entry_value(wl_walk *walk, wl_sink *to, const wl_node *node, size_t entry, unsigned depth) {
    const wl_field *field = wl_fields_of(node) + 1;
    size_t base = walk->piece_count;
    bool dropped;
    if (!wl_note_fields(walk, node, walk->pieces[entry], &dropped))
        return false;
    wl_sort_pieces(walk, base);
    size_t first = base;
    while (first < walk->piece_count && walk->pieces[first].field == 0)
        first++;
    size_t count = walk->piece_count - first;
    const wl_piece last =
        count ? walk->pieces[walk->piece_count - 1] : (wl_piece){.begin = walk->unit, .end = walk->unit};
    bool done = true;
    if (field->of.kind == WL_KIND_MESSAGE)
        done = wl_put_message(walk, to, walk->program->nodes + field->node, first, count, depth + 1);
    else if (count || field->of.wire == WL_WIRE_BYTES)
        done = wl_put_value(walk, to, field, &last);
    else
        wl_put_number(to, field->of.kind, 0);
    walk->piece_count = base;
    return done;
}

/* Writes the entries in the pieces [first, first + count): each key once, with its last value, in the order of the
 * keys. */
bool wl_put_map(wl_walk *walk, wl_sink *to, const wl_field *field, size_t first, size_t count, unsigned depth,
                bool *is_first) {
    const wl_node *node = walk->program->nodes + field->node;
    const wl_field *key_field = wl_fields_of(node);
    map_key *keys = malloc(count * sizeof *keys);
    size_t found = 0;
    bool good = keys != NULL;
    walk->no_memory |= !good;
    for (size_t i = first; good && i < first + count; i++) {
        bool dropped;
        good = read_key(walk, node, i, keys + found, &dropped);
        found += good && !dropped;
    }
    if (good)
        qsort(keys, found, sizeof *keys, by_key);
    bool open = false;
    for (size_t i = 0; good && i < found; i++) {
        if (i + 1 < found && is_same_key(keys + i, keys + i + 1))
            continue;
        if (!open)
            wl_put_name(walk, to, field, is_first);
        wl_put_byte(to, open ? ',' : '{');
        open = true;
        good = put_key(walk, to, key_field, keys + i);
        wl_put_byte(to, ':');
        good = good && put_entry_value(walk, to, node, keys[i].entry, depth + 1);
    }
    if (open)
        wl_put_byte(to, '}');
    free(keys);
    return good;
}
