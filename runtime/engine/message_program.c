/* Loading of a packed message program: compares the header's counts with the available bytes, then reads the parts one
 * by one. Their contents are checked in message_validate.c. */
#include <stdio.h>
#include <stdlib.h>

#include "message_internal.h"

#define PROGRAM_VERSION 2
#define HEADER_WORDS 24
#define NODE_WORDS 3
#define FIELD_WORDS 16
#define CLEAR_WORDS 2
#define SHAPE_WORDS 2
#define EMIT_WORDS 9
#define SCOPE_WORDS 4
#define LOOKUP_WORDS (EMIT_WORDS + 6)

/* Reads words one after another; the size has been checked. */
typedef struct {
    const uint8_t *at;
} reader;

static uint32_t word(reader *from) {
    uint32_t value = wl_load_le4(from->at);
    from->at += 4;
    return value;
}

static uint64_t two_words(reader *from) {
    uint64_t value = wl_load_le8(from->at);
    from->at += 8;
    return value;
}

static void read_header(wl_message_program *program, reader *from) {
    uint32_t *counts[] = {&program->node_count,  &program->field_count,  &program->value_count,  &program->clear_count,
                          &program->slot_count,  &program->vector_count, &program->emit_count,   &program->scope_count,
                          &program->table_count, &program->lookup_count, &program->constant_size};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        *counts[i] = word(from);
    program->unit_node = word(from);
    program->unit_scope = word(from);
    program->row_scope = word(from);
    program->unit_emits = word(from);
    program->unit_emit_count = word(from);
    program->max_depth = word(from);
    program->prefix = word(from);
    program->prefix_size = word(from);
    program->digest_family = word(from);
    program->least = word(from);
    program->has_whole = word(from) != 0;
    program->whole = word(from);
}

static bool header_fits(const wl_message_program *program, size_t size, char *message, size_t message_size) {
    const struct {
        const char *what;
        uint32_t count;
        uint32_t most;
        uint32_t words;
    } counts[] = {
        {"message types", program->node_count, 1 << 14, NODE_WORDS},
        {"fields", program->field_count, 1 << 18, FIELD_WORDS},
        {"values of enums", program->value_count, 1 << 20, 1},
        {"clearings", program->clear_count, 1 << 20, CLEAR_WORDS},
        {"slots", program->slot_count, 1 << 16, 0},
        {"vectors", program->vector_count, 1 << 14, SHAPE_WORDS},
        {"emits", program->emit_count, 1 << 14, EMIT_WORDS},
        {"scopes", program->scope_count, 1 << 14, SCOPE_WORDS},
        {"tables", program->table_count, 1 << 8, 0},
        {"look-ups", program->lookup_count, WL_MOST_LOOKUPS, LOOKUP_WORDS},
    };
    uint64_t expected = HEADER_WORDS * 4 + (uint64_t)program->constant_size;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        if (counts[i].count > counts[i].most) {
            snprintf(message, message_size, "the message program has too many %s: %u (at most %u)", counts[i].what,
                     counts[i].count, counts[i].most);
            return false;
        }
        expected += (uint64_t)counts[i].count * counts[i].words * 4;
    }
    if (size != expected) {
        snprintf(message, message_size, "the message program has %zu bytes, its header says %llu", size,
                 (unsigned long long)expected);
        return false;
    }
    return true;
}

/* Never 0 bytes, so that NULL always means out of memory. */
static void *make(size_t count, size_t size) { return calloc(count ? count : 1, size); }

static bool allocate(wl_message_program *program) {
    program->nodes = make(program->node_count, sizeof *program->nodes);
    program->fields = make(program->field_count, sizeof *program->fields);
    program->values = make(program->value_count, 4);
    program->clears = make(program->clear_count, sizeof *program->clears);
    program->shapes = make(program->vector_count, sizeof *program->shapes);
    program->emits = make(program->emit_count, sizeof *program->emits);
    program->scopes = make(program->scope_count, sizeof *program->scopes);
    program->lookups = make(program->lookup_count, sizeof *program->lookups);
    program->constants = make(program->constant_size, 1);
    return program->nodes && program->fields && program->values && program->clears && program->shapes &&
           program->emits && program->scopes && program->lookups && program->constants;
}

static void read_field(wl_field *field, reader *from) {
    field->of.number = word(from);
    /* Kinds and flags beyond a byte are refused, not truncated. */
    field->of.kind = (uint8_t)wl_smaller(word(from), UINT8_MAX);
    field->flags = (uint8_t)wl_smaller(word(from), UINT8_MAX);
    field->slot = word(from);
    field->vector = word(from);
    field->node = word(from);
    field->scope = word(from);
    field->table = word(from);
    field->values = word(from);
    field->of.value_count = word(from);
    field->clears = word(from);
    field->clear_count = word(from);
    field->oneof = word(from);
    field->drop = word(from);
    field->name = word(from);
    field->name_size = word(from);
}

static wl_emit read_emit(reader *from) {
    wl_emit emit;
    emit.op = word(from);
    emit.vector = word(from);
    emit.slot = word(from);
    emit.guard = word(from);
    emit.flags = word(from);
    emit.default_size = word(from);
    emit.node = word(from);
    emit.default_value = two_words(from);
    return emit;
}

static void read_parts(wl_message_program *program, reader *from) {
    for (uint32_t i = 0; i < program->node_count; i++) {
        program->nodes[i].first_field = word(from);
        program->nodes[i].of.count = word(from);
        program->nodes[i].of.strict = word(from) != 0;
    }
    for (uint32_t i = 0; i < program->field_count; i++)
        read_field(program->fields + i, from);
    if (program->value_count)
        memcpy(program->values, from->at, 4 * (size_t)program->value_count);
    from->at += 4 * (size_t)program->value_count;
    for (uint32_t i = 0; i < program->clear_count; i++) {
        program->clears[i].is_list = word(from);
        program->clears[i].number = word(from);
    }
    for (uint32_t i = 0; i < program->vector_count; i++) {
        program->shapes[i].storage = (uint8_t)wl_smaller(word(from), UINT8_MAX);
        program->shapes[i].end = word(from);
    }
    for (uint32_t i = 0; i < program->emit_count; i++)
        program->emits[i] = read_emit(from);
    for (uint32_t i = 0; i < program->scope_count; i++) {
        wl_scope *scope = program->scopes + i;
        scope->emits = word(from);
        scope->emit_count = word(from);
        scope->drop = word(from);
        scope->is_row = word(from) != 0;
    }
    for (uint32_t i = 0; i < program->lookup_count; i++) {
        wl_lookup *lookup = program->lookups + i;
        lookup->index = read_emit(from);
        lookup->table = word(from);
        lookup->scope = word(from);
        lookup->vector = word(from);
        uint32_t flags = word(from);
        lookup->integer = flags & 1;
        lookup->text = flags >> 1 & 1;
        lookup->mask = two_words(from);
    }
    if (program->constant_size)
        memcpy(program->constants, from->at, program->constant_size);
}

wl_message_program *wl_message_program_load(const uint8_t *packed, size_t size, char *message, size_t message_size) {
    if (size < HEADER_WORDS * 4) {
        snprintf(message, message_size, "the message program ends inside its header");
        return NULL;
    }
    reader from = {packed};
    uint32_t version = word(&from);
    if (version != PROGRAM_VERSION) {
        snprintf(message, message_size, "the message program has version %u, this engine runs version %u", version,
                 PROGRAM_VERSION);
        return NULL;
    }
    wl_message_program *program = calloc(1, sizeof *program);
    if (!program) {
        snprintf(message, message_size, "no memory for the message program");
        return NULL;
    }
    read_header(program, &from);
    if (program->digest_family && !wl_digest_make(&program->digest, program->digest_family)) {
        snprintf(message, message_size, "the message program has a digest of family %u, which there is not",
                 program->digest_family);
    } else if (header_fits(program, size, message, message_size)) {
        if (!allocate(program)) {
            snprintf(message, message_size, "no memory for the message program");
        } else {
            read_parts(program, &from);
            if (wl_message_program_check(program, message, message_size))
                return program;
        }
    }
    wl_message_program_free(program);
    return NULL;
}

void wl_message_program_free(wl_message_program *program) {
    if (!program)
        return;
    free(program->nodes);
    free(program->fields);
    free(program->values);
    free(program->clears);
    free(program->shapes);
    free(program->emits);
    free(program->scopes);
    free(program->lookups);
    free(program->constants);
    free(program);
}

size_t wl_message_program_vectors(const wl_message_program *program) { return program->vector_count; }

unsigned wl_message_program_storage(const wl_message_program *program, size_t vector) {
    return program->shapes[vector].storage;
}
