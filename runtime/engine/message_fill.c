/* Units, one after another: envelope, message, rows. The messages of a group of units are digested in parallel, and
 * then read while their bytes are still in the cache. */
#include <stdlib.h>

#include "message_internal.h"
#include "message_wire.h"
#include "sections.h"

#define MD5_SIZE 16
#define GROUP_UNITS 32
#define GROUP_BYTES ((size_t)1 << 21)

/* A few units, and the state of their envelopes. */
typedef struct {
    size_t count;
    const uint8_t *units[GROUP_UNITS];
    size_t sizes[GROUP_UNITS];
    uint32_t envelopes[GROUP_UNITS]; /* WL_UNIT_GOOD or the problem */
} group;

static size_t framing_size(const wl_message_program *program) {
    return program->prefix_size + program->digest.digest_size;
}

static uint32_t look_at_envelope(const wl_message_program *program, const uint8_t *unit, size_t size) {
    if (size > WL_MOST_UNIT)
        return WL_UNIT_HUGE;
    size_t begin = wl_smaller(size, program->prefix_size);
    if (begin && memcmp(unit, program->constants + program->prefix, begin) != 0)
        return WL_UNIT_PREFIX;
    if (size < framing_size(program) + program->least)
        return WL_UNIT_SHORT;
    return WL_UNIT_GOOD;
}

/* Digests the messages of the group whose envelopes are good so far. */
static void verify(const wl_message_program *program, group *units) {
    const uint8_t *messages[GROUP_UNITS];
    size_t sizes[GROUP_UNITS], numbers[GROUP_UNITS], count = 0;
    uint8_t digests[GROUP_UNITS][MD5_SIZE], alone[WL_MOST_DIGEST];
    const wl_algorithm *digest = &program->digest;
    const bool together = digest->of.family == WL_MD5;
    for (size_t i = 0; i < units->count; i++) {
        if (units->envelopes[i] != WL_UNIT_GOOD)
            continue;
        messages[count] = units->units[i] + program->prefix_size;
        sizes[count] = units->sizes[i] - framing_size(program);
        numbers[count++] = i;
    }
    if (together)
        wl_md5_many(messages, sizes, count, digests);
    for (size_t i = 0; i < count; i++) {
        if (!together)
            digest->digest(messages[i], sizes[i], alone);
        if (memcmp(together ? digests[i] : alone, messages[i] + sizes[i], digest->digest_size) != 0)
            units->envelopes[numbers[i]] = WL_UNIT_DIGEST;
    }
}

static uint64_t number_at(const uint8_t *numbers, size_t index) {
    uint64_t value;
    memcpy(&value, numbers + index * sizeof value, sizeof value);
    return value;
}

/* The units from `first` on, as many as make a group of `bytes` at most, at least one. None if unit `first` is not
 * within the source. */
static void make_group(const wl_walk *walk, group *units, size_t first, size_t bytes) {
    const wl_messages_arguments *arguments = walk->arguments;
    size_t total = 0;
    units->count = 0;
    while (units->count < GROUP_UNITS && first < arguments->count && (!units->count || total < bytes)) {
        uint64_t begin = number_at(arguments->begins, first), size = number_at(arguments->sizes, first);
        if (begin > arguments->source_size || size > arguments->source_size - begin)
            break;
        units->units[units->count] = arguments->source + begin;
        units->sizes[units->count] = (size_t)size;
        units->envelopes[units->count] = look_at_envelope(walk->program, arguments->source + begin, (size_t)size);
        units->count++;
        total += (size_t)size;
        first++;
    }
    if (arguments->verify && walk->program->digest_family)
        verify(walk->program, units);
}

/* Whether the unit ends too early: in its envelope, before a required field, or inside a field that is not in another.
 * Fields in others have ends of their own. */
static bool is_cut(const wl_walk *walk) {
    const wl_message_program *program = walk->program;
    const uint8_t *cursor = walk->message, *const end = walk->message + walk->message_size;
    const bool strict = program->nodes[program->unit_node].of.strict;
    const uint32_t what = walk->problem.what;
    if (what == WL_UNIT_SHORT || what == WL_UNIT_REQUIRED)
        return what == WL_UNIT_SHORT || walk->problem.path_size == 1;
    if (what != WL_UNIT_TRUNCATED && what != WL_UNIT_LENGTH && what != WL_UNIT_GROUP_OPEN)
        return false;
    /* The field with the problem is cut, unless its end is there. */
    while (cursor && cursor <= walk->unit + walk->problem.offset && cursor < end) {
        wl_wire_problem problem;
        uint64_t tag;
        const uint8_t *next = wl_tag_read(cursor, end, strict, &tag, &problem);
        cursor = next ? wl_field_skip(cursor, tag, next, end, strict, program->max_depth, &problem) : NULL;
    }
    return !cursor;
}

static void note_problem(wl_walk *walk, size_t unit, size_t rows) {
    wl_messages_result *result = walk->result;
    walk->problem.unit = unit;
    walk->problem.rows = (uint32_t)rows;
    if (is_cut(walk))
        walk->problem.what |= WL_UNIT_CUT;
    memcpy(walk->arguments->problems + result->problems++ * sizeof walk->problem, &walk->problem, sizeof walk->problem);
}

/* Runs the row's emits, and appends to the vectors of look-ups: everything with one element per row. */
static bool put_row(wl_walk *walk, bool whole) {
    const wl_message_program *program = walk->program;
    const wl_scope *scope = program->scopes + program->row_scope;
    const wl_room *room = walk->rooms + program->row_scope;
    if (scope->lead != WL_NONE && walk->vectors[scope->lead].length >= room->elements)
        return wl_no_room(walk, room->vector, room->elements + 1, walk->vectors[room->vector].used);
    for (uint32_t i = 0; i < scope->emit_count; i++) {
        const wl_emit *emit = program->emits + scope->emits + i;
        bool put;
        if (emit->deferred)
            continue;
        if (whole && emit->vector == program->whole && walk->unit_size <= WL_MOST_UNIT)
            put = wl_append_bytes(walk, emit->vector, walk->unit, walk->unit_size, false);
        else if (whole && (emit->op == WL_EMIT_MARK || emit->op == WL_EMIT_ROW_NUMBER))
            put = wl_append_fixed(walk, emit->vector, 0);
        else
            put = wl_emit_null(walk, emit->vector);
        if (!put)
            return false;
    }
    for (uint32_t i = 0; i < program->lookup_count; i++) {
        if (program->lookups[i].vector != WL_NONE && !wl_emit_null(walk, program->lookups[i].vector))
            return false;
    }
    return true;
}

/* Removes the rows from `bad` on. */
static void cut_rows(wl_walk *walk) {
    const wl_message_program *program = walk->program;
    const wl_scope *scope = program->scopes + program->row_scope;
    for (uint32_t i = 0; i < scope->emit_count; i++) {
        const wl_emit *emit = program->emits + scope->emits + i;
        uint32_t counted = emit->deferred ? scope->lead : emit->vector;
        wl_vector_cut(walk, emit->vector, walk->marks[counted].length + walk->bad);
    }
    for (uint32_t i = 0; i < program->lookup_count; i++) {
        uint32_t vector = program->lookups[i].vector;
        if (vector != WL_NONE)
            wl_vector_cut(walk, vector, walk->marks[vector].length + walk->bad);
    }
    walk->row = walk->bad;
}

/* Reads the unit's message as rows. */
static bool read_message(wl_walk *walk) {
    const wl_message_program *program = walk->program;
    uint64_t stamp = ++walk->stamp;
    walk->set = 0;
    for (uint32_t i = 0; i < program->table_count; i++)
        walk->tables[i].count = 0;
    if (!wl_walk_message(walk, program->nodes + program->unit_node, walk->message, walk->message + walk->message_size,
                         stamp, 0))
        return false;
    return (!walk->suspect || wl_is_initialized(walk)) && wl_close_scope(walk, program->unit_scope, stamp, 0) &&
           wl_emit_unit(walk, stamp);
}

/* Appends the replacement of an invalid unit. */
static bool replace_unit(wl_walk *walk) {
    const wl_message_program *program = walk->program;
    wl_vectors_take_back(walk);
    walk->row = 0;
    for (uint32_t i = 0; i < program->unit_emit_count; i++) {
        if (!wl_emit_null(walk, program->emits[program->unit_emits + i].vector))
            return false;
    }
    if (!program->has_whole && !walk->arguments->null_rows)
        return true;
    walk->row = 1;
    return put_row(walk, program->has_whole);
}

/* Reads one unit. False: no room or out of memory; nothing of it is left. */
static bool read_unit(wl_walk *walk, size_t number, const uint8_t *unit, size_t size, uint32_t envelope) {
    const wl_message_program *program = walk->program;
    walk->unit = unit;
    walk->unit_size = size;
    walk->message = unit + program->prefix_size;
    walk->message_size = envelope == WL_UNIT_GOOD ? size - framing_size(program) : 0;
    walk->row = 0;
    memset(walk->looked_up, 0, program->lookup_count * sizeof *walk->looked_up);
    walk->bad = SIZE_MAX;
    walk->suspect = walk->no_room = false;
    walk->problem = (wl_unit_problem){.what = WL_UNIT_GOOD};
    wl_vectors_mark(walk);
    size_t standing = 0;
    bool done;
    if (envelope != WL_UNIT_GOOD) {
        const uint8_t *at = envelope == WL_UNIT_SHORT    ? unit + size
                            : envelope == WL_UNIT_DIGEST ? unit + size - program->digest.digest_size
                                                         : unit;
        wl_unit_wrong(walk, envelope, at, size, framing_size(program) + program->least);
        done = replace_unit(walk);
    } else if (!read_message(walk)) {
        if (walk->no_room || walk->no_memory)
            done = false;
        else
            done = replace_unit(walk);
    } else {
        done = true;
        if (walk->bad != SIZE_MAX) {
            cut_rows(walk);
            standing = walk->row;
            if (walk->arguments->null_rows) {
                done = put_row(walk, false);
                walk->row++;
            }
        }
    }
    if (!done) {
        wl_vectors_take_back(walk);
        return false;
    }
    if (walk->problem.what != WL_UNIT_GOOD)
        note_problem(walk, number, standing);
    return true;
}

static void read_units(wl_walk *walk) {
    const wl_messages_arguments *arguments = walk->arguments;
    wl_messages_result *result = walk->result;
    size_t bytes = 0;
    while (result->status == WL_MESSAGES_END && arguments->first + result->units < arguments->count) {
        group units;
        make_group(walk, &units, arguments->first + result->units, wl_smaller(GROUP_BYTES, arguments->bytes - bytes));
        if (!units.count)
            result->status = WL_MESSAGES_RANGE;
        for (size_t i = 0; i < units.count; i++) {
            if (result->problems == arguments->problem_capacity) {
                result->status = WL_MESSAGES_FULL;
                return;
            }
            size_t number = arguments->first + result->units;
            if (!read_unit(walk, number, units.units[i], units.sizes[i], units.envelopes[i])) {
                result->status = WL_MESSAGES_NO_ROOM;
                return;
            }
            wl_store4(arguments->counts + result->units * 4, (uint32_t)walk->row);
            result->units++;
            result->rows += walk->row;
            bytes += units.sizes[i];
            if (result->rows >= arguments->capacity || bytes >= arguments->bytes)
                return;
        }
    }
}

bool wl_messages_fill(const wl_message_program *program, const wl_messages_arguments *arguments,
                      wl_messages_result *result) {
    wl_walk walk = {.program = program,
                    .arguments = arguments,
                    .result = result,
                    .vectors = arguments->vectors,
                    .slots = wl_make(program->slot_count, sizeof *walk.slots),
                    .rooms = wl_make(program->scope_count, sizeof *walk.rooms),
                    .marks = wl_make(program->vector_count, sizeof *walk.marks),
                    .starts = wl_make(program->vector_count, sizeof *walk.starts),
                    .tables = wl_make(program->table_count, sizeof *walk.tables),
                    .indices = wl_make(program->lookup_count, sizeof *walk.indices),
                    .merged = wl_make(program->has_json ? program->slot_count : 0, sizeof *walk.merged),
                    .readable = arguments->source + arguments->source_size};
    *result = (wl_messages_result){.status = WL_MESSAGES_END};
    bool good = walk.slots && walk.rooms && walk.marks && walk.starts && walk.tables && walk.indices && walk.merged;
    if (good) {
        wl_vectors_start(&walk);
        read_units(&walk);
        wl_vectors_finish(&walk);
        good = !walk.no_memory;
    }
    for (uint32_t i = 0; walk.tables && i < program->table_count; i++)
        free(walk.tables[i].items);
    for (uint32_t i = 0; walk.indices && i < program->lookup_count; i++)
        free(walk.indices[i]);
    for (uint32_t i = 0; walk.merged && program->has_json && i < program->slot_count; i++)
        free(walk.merged[i].data);
    free(walk.merged);
    free(walk.pieces);
    free(walk.slots);
    free(walk.rooms);
    free(walk.marks);
    free(walk.starts);
    free(walk.tables);
    free(walk.indices);
    return good;
}
