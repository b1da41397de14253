/* A fuzz target in libFuzzer's form: a message program and units from the same bytes, read at once and in pieces.
 *
 *     clang -g -O1 -fsanitize=fuzzer,address,undefined -Iruntime/engine -Itests/engine \
 *         tests/engine/fuzz_messages.c tests/engine/message_check.c tests/engine/check.c runtime/engine/[a-z]*.c
 *
 * Compiled with -DWITH_MAIN it drives itself, by random bytes from a seed: fuzz_messages [ROUNDS [SEED]].
 * Beside what the sanitizers see: reading in pieces, with memory that grows by the least, must give exactly what
 * reading at once gives, lists must end where their items do, and what is in one struct must be equally long. */
#include "drive.h"
#include "message_check.h"

static size_t programs_run, rows_read, units_refused;

/* A program that is right ------------------------------------------------------------------------------------------ */

typedef struct {
    message_draft it;
    taker *bytes;
    unsigned depth;
} author;

/* What a message is read into: `scope` WL_NONE: nothing. */
typedef struct {
    uint32_t scope;
    uint32_t guard;
    uint32_t clear_base; /* first clearing of what this message has */
} place;

static const uint8_t kinds[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 13, 14, 15, 16, 17, 18, 9, 12, 4, 14};

static unsigned storage_of(unsigned kind) {
    return kind == WL_KIND_STRING || kind == WL_KIND_BYTES                             ? WL_VARIABLE
           : kind == WL_KIND_BOOL                                                      ? 1
           : wl_wire_of_kind(kind) == WL_WIRE_FIXED64                                  ? 8
           : kind == WL_KIND_INT64 || kind == WL_KIND_UINT64 || kind == WL_KIND_SINT64 ? 8
                                                                                       : 4;
}

static uint32_t write_node(author *by, place where, uint32_t parent_vector);

static bool is_full(const author *by) {
    return by->it.vector_count > 90 || by->it.node_count > 24 || by->it.scope_count > DRAFT_SCOPES - 3 ||
           by->it.clear_count > 48 || by->depth > 4;
}

/* Whether a field of a message at `where` can have no column of its own. */
static bool is_unread(const author *by, place where) {
    return where.scope == WL_NONE || is_full(by) || by->it.scopes[where.scope].emit_count > DRAFT_EMITS - 6;
}

static void close_values(author *by, wl_field *field) {
    static const int32_t known[] = {-1, 0, 1, 7};
    if (by->it.value_count > 24)
        return;
    field->flags |= WL_FIELD_CLOSED;
    field->values = by->it.value_count;
    field->value_count = 4;
    memcpy(by->it.values + by->it.value_count, known, sizeof known);
    by->it.value_count += 4;
}

static void write_scalar(author *by, wl_field *field, place where, unsigned label) {
    message_draft *it = &by->it;
    bool unchecked = field->kind == WL_KIND_STRING && take_below(by->bytes, 2);
    if (field->kind == WL_KIND_STRING && !unchecked)
        field->flags |= WL_FIELD_TEXT;
    if (field->kind == WL_KIND_ENUM && take_below(by->bytes, 2))
        close_values(by, field);
    if (is_unread(by, where))
        return;
    if (field->flags & WL_FIELD_REPEATED) {
        uint32_t list = message_draft_vector(it, WL_LIST);
        field->vector = message_draft_vector(it, storage_of(field->kind));
        it->shapes[list].end = it->vector_count;
        message_draft_emit(it, where.scope, WL_EMIT_LIST, list, 0, where.guard, 0);
        return;
    }
    field->slot = it->slot_count++;
    unsigned op = storage_of(field->kind) != WL_VARIABLE ? WL_EMIT_FIXED : unchecked ? WL_EMIT_TEXT : WL_EMIT_BYTES;
    message_draft_emit(it, where.scope, op, message_draft_vector(it, storage_of(field->kind)), field->slot, where.guard,
                       label == 3 ? 0 : WL_ABSENT_NULL);
}

static void write_message(author *by, uint32_t node, uint32_t index, place where) {
    message_draft *it = &by->it;
    wl_field *field = it->nodes[node].fields + index;
    bool repeated = field->flags & WL_FIELD_REPEATED;
    place inner = {WL_NONE, WL_NONE, 0};
    uint32_t vector = WL_NONE;
    if (!is_unread(by, where)) {
        if (repeated) {
            uint32_t list = message_draft_vector(it, WL_LIST);
            message_draft_emit(it, where.scope, WL_EMIT_LIST, list, 0, where.guard, 0);
            field->scope = inner.scope = it->scope_count++;
            vector = message_draft_vector(it, WL_STRUCT);
            message_draft_emit(it, inner.scope, WL_EMIT_STRUCT, vector, 0, WL_NONE, WL_ABSENT_PRESENT);
        } else {
            inner.scope = where.scope;
            field->slot = inner.guard = it->slot_count++;
            vector = message_draft_vector(it, WL_STRUCT);
            message_draft_emit(it, where.scope, WL_EMIT_STRUCT, vector, field->slot, WL_NONE, 0);
        }
    }
    by->depth++;
    uint32_t made = is_full(by) && inner.scope == WL_NONE ? 0 : write_node(by, inner, vector);
    by->depth--;
    /* The type may have been written on top of others; find the field again. */
    it->nodes[node].fields[index].node = made;
    if (vector != WL_NONE) {
        it->shapes[vector].end = it->vector_count;
        if (repeated)
            it->shapes[vector - 1].end = it->vector_count;
    }
}

/* What is made absent with a member of a oneof: its slots and lists, and those inside of it in the same scope. */
static void note_clears(author *by, uint32_t first_slot, uint32_t first_vector, uint32_t scope, wl_clear *clears,
                        uint32_t *count) {
    message_draft *it = &by->it;
    for (uint32_t i = 0; i < it->scopes[scope].emit_count; i++) {
        const wl_emit *emit = it->scopes[scope].emits + i;
        if (emit->vector < first_vector || *count == 12)
            continue;
        if (emit->op == WL_EMIT_LIST)
            clears[(*count)++] = (wl_clear){1, emit->vector};
        else if (emit->slot >= first_slot)
            clears[(*count)++] = (wl_clear){0, emit->slot};
    }
}

static uint32_t write_node(author *by, place where, uint32_t parent_vector) {
    message_draft *it = &by->it;
    (void)parent_vector;
    uint32_t node = it->node_count++;
    it->nodes[node].strict = take_below(by->bytes, 3) == 0;
    unsigned count = take_below(by->bytes, 5), number = 0, oneof = 0;
    struct {
        wl_clear clears[12];
        uint32_t count;
        uint32_t field;
    } members[2] = {{.count = 0}};
    for (unsigned i = 0; i < count; i++) {
        unsigned choice = take(by->bytes), label = choice % 4;
        number += 1 + (choice >> 4 == 15 ? 20 : 0);
        bool is_message = (choice >> 2 & 3) == 0 && by->depth < 4;
        unsigned kind = is_message ? WL_KIND_MESSAGE : kinds[take_below(by->bytes, sizeof kinds)];
        unsigned flags = label == 0 ? WL_FIELD_REPEATED : label == 1 ? WL_FIELD_REQUIRED : 0;
        uint32_t first_slot = it->slot_count, first_vector = it->vector_count;
        uint32_t index = it->nodes[node].field_count;
        wl_field *field = message_draft_field(it, node, number, kind, flags);
        if (is_message)
            write_message(by, node, index, where);
        else
            write_scalar(by, field, where, label);
        if (label == 2 && oneof < 2 && choice & 64) {
            it->nodes[node].fields[index].oneof = 1;
            members[oneof].field = index;
            if (where.scope != WL_NONE)
                note_clears(by, first_slot, first_vector, where.scope, members[oneof].clears, &members[oneof].count);
            oneof++;
        }
    }
    for (unsigned i = 0; i < oneof; i++) {
        wl_field *field = it->nodes[node].fields + members[i].field;
        uint32_t others = members[1 - i].count;
        if (oneof < 2 || it->clear_count + others > 64)
            continue;
        field->clears = it->clear_count;
        field->clear_count = others;
        memcpy(it->clears + it->clear_count, members[1 - i].clears, others * sizeof(wl_clear));
        it->clear_count += others;
    }
    return node;
}

/* A unit with rows, tables, and look-ups into them; or one that is a row itself. */
static message_draft write_program(taker *bytes) {
    author by = {.bytes = bytes};
    message_draft *it = &by.it;
    message_draft_start(it);
    unsigned shape = take(bytes);
    it->max_depth = 3 + (shape & 15);
    it->unit_node = it->node_count++;
    if (shape & 16)
        it->prefix[it->prefix_size++] = 0xF3;
    it->digest = (shape & 96) == 96;
    it->least = shape >> 7;
    wl_field *table = message_draft_field(it, 0, 1, WL_KIND_STRING, WL_FIELD_REPEATED);
    table->table = it->table_count++;
    message_draft_field(it, 0, 2, WL_KIND_UINT64, 0)->slot = it->slot_count++;
    message_draft_emit(it, DRAFT_SCOPES, WL_EMIT_FIXED, message_draft_vector(it, 8), it->slot_count - 1, WL_NONE,
                       WL_ABSENT_NULL);
    wl_field *rows = message_draft_field(it, 0, 3, WL_KIND_MESSAGE, WL_FIELD_REPEATED);
    it->row_scope = rows->scope = it->scope_count++;
    it->scopes[it->row_scope].is_row = true;
    uint32_t made = write_node(&by, (place){it->row_scope, WL_NONE, 0}, WL_NONE);
    it->nodes[0].fields[2].node = made;
    message_draft_emit(it, it->row_scope, WL_EMIT_ROW_NUMBER, message_draft_vector(it, 4), 0, WL_NONE, 0);
    message_draft_emit(it, it->row_scope, WL_EMIT_MARK, message_draft_vector(it, 1), 0, WL_NONE, 0);
    message_draft_emit(it, it->row_scope, WL_EMIT_PARENT, message_draft_vector(it, 4), 0, WL_NONE, 0);
    unsigned more = take(bytes);
    if (more & 1) {
        /* A number of the row is an index into the table. */
        wl_lookup *lookup = it->lookups + it->lookup_count++;
        *lookup = (wl_lookup){.index = {.slot = 0, .guard = WL_NONE, .flags = WL_ABSENT_NULL},
                              .vector = more & 2 ? message_draft_vector(it, WL_VARIABLE) : WL_NONE,
                              .integer = more & 4,
                              .text = more & 8,
                              .mask = more & 16 ? 7 : UINT64_MAX};
        for (uint32_t i = 0; i < it->nodes[made].field_count; i++) {
            const wl_field *field = it->nodes[made].fields + i;
            if (field->slot && wl_wire_of_kind(field->kind) == WL_WIRE_VARINT)
                lookup->index.slot = field->slot;
        }
        if (!lookup->index.slot)
            lookup->index.slot = it->slot_count++;
    }
    for (uint32_t i = 0; more & 32 && i < it->nodes[made].field_count; i++) {
        /* The bytes of a row may be the whole unit. */
        const wl_field *field = it->nodes[made].fields + i;
        if (!field->slot || field->kind != WL_KIND_BYTES)
            continue;
        for (uint32_t j = 0; j < it->scopes[it->row_scope].emit_count; j++) {
            if (it->scopes[it->row_scope].emits[j].slot == field->slot)
                it->whole = it->scopes[it->row_scope].emits[j].vector;
        }
    }
    it->has_whole = it->whole != WL_NONE || more & 64;
    return *it;
}

/* One round -------------------------------------------------------------------------------------------------------- */

#define MOST_UNITS 24

static void check_shape(const wl_message_program *program, const message_outcome *found) {
    for (size_t i = 0; i < found->vector_count; i++) {
        const wl_vector *vector = found->vectors + i;
        const wl_shape *shape = program->shapes + i;
        if (shape->storage == WL_STRUCT) {
            for (uint32_t child = (uint32_t)i + 1; child < shape->end; child = program->shapes[child].end)
                CHECK(found->vectors[child].length == vector->length);
        }
        if (shape->storage != WL_LIST && shape->storage != WL_VARIABLE)
            continue;
        uint32_t last = 0;
        for (size_t j = 0; j <= vector->length; j++) {
            uint32_t offset = wl_load4(vector->values + j * 4);
            CHECK(offset >= last);
            last = offset;
        }
        CHECK(last == (shape->storage == WL_LIST ? vector[1].length : vector->used));
    }
    const wl_scope *scope = program->scopes + program->row_scope;
    for (uint32_t i = 0; i < scope->emit_count; i++)
        CHECK(found->vectors[program->emits[scope->emits + i].vector].length == found->rows);
    for (uint32_t i = 0; i < program->lookup_count; i++)
        CHECK(program->lookups[i].vector == WL_NONE ||
              found->vectors[program->lookups[i].vector].length == found->rows);
}

/* The rest of the bytes, cut into units; a good digest is put where one is needed. */
static void try_program(const wl_message_program *program, taker *bytes, bool right) {
    uint64_t begins[MOST_UNITS], sizes[MOST_UNITS];
    size_t units = 1 + take_below(bytes, MOST_UNITS), size = 0, step = 1 + take(bytes);
    unsigned how = take(bytes);
    size_t left = (size_t)(bytes->end - bytes->at), around = program->prefix_size + (program->digest ? 16 : 0);
    uint8_t *source = exactly(left + units * around);
    for (size_t i = 0; i < units; i++) {
        size_t content =
            i + 1 == units ? (size_t)(bytes->end - bytes->at) : wl_smaller(step, (size_t)(bytes->end - bytes->at));
        begins[i] = size;
        memcpy(source + size, program->constants + program->prefix, program->prefix_size);
        size += program->prefix_size;
        if (content)
            memcpy(source + size, bytes->at, content);
        size += content;
        if (program->digest) {
            wl_md5(source + size - content, content, source + size);
            source[size] ^= i % 8 == 7;
            size += 16;
        }
        sizes[i] = size - begins[i];
        bytes->at += content;
    }
    source = realloc(source, size ? size : 1);
    message_feed whole = {.source = source,
                          .size = size,
                          .begins = begins,
                          .sizes = sizes,
                          .units = units,
                          .room = 4096,
                          .capacity = 1 << 20,
                          .bytes = 1 << 20,
                          .problems = MOST_UNITS,
                          .verify = how & 1,
                          .null_rows = how & 2};
    message_feed pieces = whole;
    pieces.room = how >> 2 & 3;
    pieces.capacity = 1 + (how >> 4 & 3);
    pieces.bytes = 1 + (how >> 6) * 100;
    pieces.problems = 1;
    message_outcome left_found = read_messages(program, &whole);
    message_outcome right_found = read_messages(program, &pieces);
    programs_run++;
    rows_read += left_found.rows;
    units_refused += left_found.problem_count;
    if (right) {
        CHECK(same_messages(program, &left_found, &right_found, units));
        check_shape(program, &left_found);
    }
    free_outcome(&left_found);
    free_outcome(&right_found);
    free(source);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static bool started;
    char message[256];
    taker bytes = {data, data + size};
    bool changed = take_below(&bytes, 4) == 0;
    if (!started)
        CHECK(started = wl_start(NULL, message, sizeof message));
    message_draft written = write_program(&bytes);
    size_t length;
    uint8_t *packed = message_draft_pack(&written, &length);
    for (unsigned i = changed ? 1 + take_below(&bytes, 3) : 0; i; i--) {
        /* A byte of some word: what still loads must not do harm. */
        size_t at = (take(&bytes) << 8 | take(&bytes)) % length;
        packed[at] = (uint8_t)take(&bytes);
    }
    wl_message_program *program = wl_message_program_load(packed, length, message, sizeof message);
    free(packed);
    CHECK(changed || program);
    /* The sum of what is written per row may not grow beyond what the test has room for. */
    if (program && program->max_depth <= 100)
        try_program(program, &bytes, !changed);
    wl_message_program_free(program);
    return 0;
}

#ifdef WITH_MAIN
/* Fields of small numbers, mostly well formed. */
static size_t make_message(source_of_chance *chance, uint8_t *bytes, size_t most, unsigned depth) {
    size_t size = 0;
    while (size + 24 < most && chance_below(chance, 8)) {
        unsigned wire = chance_below(chance, 20) ? (unsigned[]){0, 2, 2, 2, 5, 1}[chance_below(chance, 6)]
                                                 : (unsigned)chance_below(chance, 8);
        bytes[size++] = (uint8_t)((1 + chance_below(chance, 5)) << 3 | wire);
        if (wire == WL_WIRE_VARINT) {
            for (size_t i = chance_below(chance, 4) ? 0 : chance_below(chance, 10); i; i--)
                bytes[size++] = (uint8_t)(0x80 | chance_below(chance, 128));
            bytes[size++] = (uint8_t)chance_below(chance, 8);
        } else if (wire == WL_WIRE_FIXED64 || wire == WL_WIRE_FIXED32) {
            for (size_t i = wire == WL_WIRE_FIXED64 ? 8 : 4; i; i--)
                bytes[size++] = (uint8_t)chance_below(chance, 256);
        } else if (wire == WL_WIRE_BYTES) {
            size_t room = wl_smaller(127, most - size - 1), content;
            if (depth < 5 && chance_below(chance, 3)) {
                content = make_message(chance, bytes + size + 1, room, depth + 1);
            } else {
                content = chance_below(chance, 6);
                for (size_t i = 0; i < content; i++)
                    bytes[size + 1 + i] = (uint8_t)(chance_below(chance, 16) ? '0' + chance_below(chance, 12)
                                                                             : 0x80 + chance_below(chance, 128));
            }
            bytes[size] = (uint8_t)content;
            size += 1 + content;
        }
    }
    return size;
}

int main(int count, char **arguments) {
    size_t rounds = count > 1 ? strtoul(arguments[1], NULL, 10) : 3000;
    source_of_chance chance = {count > 2 ? strtoul(arguments[2], NULL, 10) : 1};
    uint8_t bytes[3000];
    for (size_t round = 0; round < rounds; round++) {
        size_t size = 20 + chance_below(&chance, 100);
        for (size_t i = 0; i < size; i++)
            bytes[i] = (uint8_t)chance_below(&chance, 256);
        while (size < 2500 && chance_below(&chance, 6))
            size += make_message(&chance, bytes + size, 400, 0);
        uint8_t *exact = copy_of(bytes, size);
        LLVMFuzzerTestOneInput(exact, size);
        free(exact);
    }
    printf("%zu rounds: %zu programs were run, %zu rows read, %zu units refused\n", rounds, programs_run, rows_read,
           units_refused);
    return programs_run * 2 > rounds && rows_read > rounds && units_refused > rounds / 10 ? 0 : 1;
}
#endif
