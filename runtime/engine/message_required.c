/* Whether all required fields are present. The walk sees only pieces: a message that is merged from several pieces may
 * have in one what another lacks, and a member of a oneof that lacked something may have been replaced. So if the walk
 * met a message that lacked a field, the whole unit is read once more, with the pieces that belong together combined:
 * merging messages is the same as reading their bytes one after another. The walk has found no other problem in the
 * unit, so reading it cannot fail. */
#include <stdlib.h>

#include "message_internal.h"
#include "message_wire.h"

/* A part of a message's bytes; in the list of a message's fields, one that is a message or a member of a oneof. */
typedef struct {
    const uint8_t *begin;
    const uint8_t *end;
    uint32_t field; /* index within the node */
    uint32_t order;
} piece;

typedef struct {
    wl_walk *walk;
    piece *pieces; /* those of all messages being checked: at most one per two bytes of the unit */
    size_t count;
    size_t capacity;
} checker;

#define DEAD UINT32_MAX

static bool no_memory(checker *check) {
    check->walk->no_memory = true;
    return false;
}

static bool add(checker *check, const uint8_t *begin, const uint8_t *end, uint32_t field, size_t order) {
    if (check->count == check->capacity) {
        size_t capacity = check->capacity ? check->capacity * 2 : 16;
        piece *grown = realloc(check->pieces, capacity * sizeof *grown);
        if (!grown)
            return no_memory(check);
        check->pieces = grown;
        check->capacity = capacity;
    }
    check->pieces[check->count++] = (piece){begin, end, field, (uint32_t)order};
    return true;
}

static int by_field(const void *left, const void *right) {
    const piece *one = left, *other = right;
    if (one->field != other->field)
        return one->field < other->field ? -1 : 1;
    return one->order < other->order ? -1 : 1;
}

static bool check_message(checker *check, const wl_node *node, size_t first, size_t count);

/* One field of a message; `part` has its tag at `at`, and its content at [cursor, next). */
static bool take_field(checker *check, const wl_node *node, const wl_field *field, const piece *part, const uint8_t *at,
                       const uint8_t *cursor, const uint8_t *next, size_t base, uint64_t *seen) {
    const wl_message_program *program = check->walk->program;
    uint64_t value;
    uint32_t what;
    if (field->of.values && wl_varint_read(cursor, next, false, &value, &what) && !wl_is_member(&field->of, value))
        return true;
    *seen |= field->required;
    uint32_t number = (uint32_t)(field - (wl_fields_of(node)));
    if (field->of.kind != WL_KIND_MESSAGE)
        return !field->oneof || add(check, NULL, NULL, number, check->count - base);
    const uint8_t *content = wl_varint_read(cursor, next, false, &value, &what);
    if (!(field->flags & WL_FIELD_REPEATED) || (field->flags & WL_FIELD_MAP))
        return add(check, content, next, number, check->count - base);
    size_t before = check->count;
    if (!add(check, content, next, 0, 0) || !check_message(check, program->nodes + field->node, before, 1)) {
        wl_unit_path(check->walk, field->of.number, wl_count_fields(part->begin, at, field->of.number, field->of.wire));
        return false;
    }
    check->count = before;
    return true;
}

/* Reads one piece of a message: required fields are recorded in `seen`, pieces to be merged are added to the list. */
static bool take_piece(checker *check, const wl_node *node, piece part, size_t base, uint64_t *seen) {
    wl_wire_problem problem;
    const uint8_t *cursor = part.begin;
    while (cursor < part.end) {
        const uint8_t *at = cursor;
        uint64_t tag;
        cursor = wl_tag_read(cursor, part.end, false, &tag, &problem);
        const uint8_t *next =
            cursor ? wl_field_skip(at, tag, cursor, part.end, false, WL_DEEPEST_MESSAGE, &problem) : NULL;
        if (!next)
            return wl_unit_wrong(check->walk, problem.what, at, problem.value, problem.count);
        const wl_field *field = (const void *)wl_wire_field_find(&node->of, tag >> 3);
        if (field && (tag & 7) == field->of.wire && !take_field(check, node, field, &part, at, cursor, next, base, seen))
            return false;
        cursor = next;
    }
    return true;
}

/* Members of oneofs that were replaced become pieces of no field. */
static bool drop_replaced(checker *check, const wl_node *node, size_t base) {
    const wl_field *fields = wl_fields_of(node);
    /* The member that counts, DEAD if another one has come after it; 1 + field, 0: not known yet. */
    uint32_t *winners = calloc(node->of.count + 1, sizeof *winners);
    if (!winners)
        return no_memory(check);
    for (size_t i = check->count; i-- > base;) {
        piece *each = check->pieces + i;
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

/* The key of a map's entry: bytes, or a value. */
typedef struct {
    const uint8_t *at; /* NULL: a value */
    uint64_t value;    /* or size */
    size_t piece;
} entry_key;

/* The last key in the entry counts, as with any field; a missing one is zero. */
static entry_key key_of(const wl_field *field, piece entry, size_t number) {
    static const uint8_t nothing[1];
    entry_key key = {field->of.wire == WL_WIRE_BYTES ? nothing : NULL, 0, number};
    const uint8_t *cursor = entry.begin;
    while (cursor < entry.end) {
        wl_wire_problem problem;
        uint64_t tag;
        const uint8_t *begin = cursor;
        cursor = wl_tag_read(begin, entry.end, false, &tag, &problem);
        const uint8_t *content = cursor;
        cursor = cursor ? wl_field_skip(begin, tag, cursor, entry.end, false, WL_DEEPEST_MESSAGE, &problem) : NULL;
        if (!cursor)
            break;
        if (tag >> 3 != field->of.number || (tag & 7) != field->of.wire)
            continue;
        wl_value_read(&field->of, content, cursor, cursor, false, &key.at, &key.value, &problem);
    }
    return key;
}

/* By key, and in their original order for equal keys. */
static int by_key(const void *left, const void *right) {
    const entry_key *one = left, *other = right;
    if (one->value != other->value)
        return one->value < other->value ? -1 : 1;
    int order = one->at ? memcmp(one->at, other->at, (size_t)one->value) : 0;
    return order ? order : one->piece < other->piece ? -1 : 1;
}

/* The entries [first, end) of a map: only the last one of each key must have the required fields. */
static bool check_map(checker *check, const wl_field *map, size_t first, size_t end) {
    const wl_node *entry = check->walk->program->nodes + map->node;
    const wl_field *fields = wl_fields_of(entry);
    if (fields[1].of.kind != WL_KIND_MESSAGE)
        return true;
    entry_key *keys = malloc((end - first) * sizeof *keys);
    if (!keys)
        return no_memory(check);
    for (size_t i = first; i < end; i++)
        keys[i - first] = key_of(fields, check->pieces[i], i);
    qsort(keys, end - first, sizeof *keys, by_key);
    bool good = true;
    for (size_t i = 0; good && i < end - first; i++) {
        const entry_key *next = keys + i + 1;
        bool replaced = i + 1 < end - first && next->value == keys[i].value &&
                        (!next->at || memcmp(next->at, keys[i].at, (size_t)next->value) == 0);
        if (replaced)
            continue;
        good = check_message(check, entry, keys[i].piece, 1);
        if (!good)
            wl_unit_path(check->walk, map->of.number, keys[i].piece - first);
    }
    free(keys);
    return good;
}

static bool check_children(checker *check, const wl_node *node, size_t base) {
    const wl_message_program *program = check->walk->program;
    size_t end = check->count;
    for (size_t i = base, next; i < end; i = next) {
        uint32_t number = check->pieces[i].field;
        for (next = i + 1; next < end && check->pieces[next].field == number;)
            next++;
        if (number == DEAD || wl_fields_of(node)[number].of.kind != WL_KIND_MESSAGE)
            continue;
        const wl_field *field = wl_fields_of(node) + number;
        if (field->flags & WL_FIELD_MAP) {
            if (!check_map(check, field, i, next))
                return false;
            continue;
        }
        if (!check_message(check, program->nodes + field->node, i, next - i)) {
            wl_unit_path(check->walk, field->of.number, 0);
            return false;
        }
    }
    return true;
}

/* The first required field that is missing. */
static uint32_t missing_field(const wl_node *node, uint64_t seen) {
    const wl_field *fields = wl_fields_of(node);
    uint32_t i = 0;
    while (i + 1 < node->of.count && !(fields[i].required & ~seen))
        i++;
    return fields[i].of.number;
}

/* Checks the message of these pieces of the list; recursion is limited as in the walk. */
static bool check_message(checker *check, const wl_node *node, size_t first, size_t count) {
    uint64_t seen = 0;
    size_t base = check->count;
    for (size_t i = 0; i < count; i++) {
        if (!take_piece(check, node, check->pieces[first + i], base, &seen))
            return false;
    }
    if (seen != node->required) {
        const uint8_t *end = check->pieces[first + count - 1].end;
        wl_unit_path(check->walk, missing_field(node, seen), 0);
        return wl_unit_wrong(check->walk, WL_UNIT_REQUIRED, end, 0, 0);
    }
    if (node->has_oneof && !drop_replaced(check, node, base))
        return false;
    if (check->count > base)
        qsort(check->pieces + base, check->count - base, sizeof *check->pieces, by_field);
    if (!check_children(check, node, base))
        return false;
    check->count = base;
    return true;
}

bool wl_is_initialized(wl_walk *walk) {
    checker check = {.walk = walk};
    const uint8_t *end = walk->message + walk->message_size;
    bool good = add(&check, walk->message, end, 0, 0) &&
                check_message(&check, walk->program->nodes + walk->program->unit_node, 0, 1);
    free(check.pieces);
    return good;
}
