/* Loading of a packed message program: reads the sections one by one. Their contents are checked in
 * message_validate.c. */
#include <stdio.h>
#include <stdlib.h>

#include "message_internal.h"
#include "sections.h"

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

static bool read_header(wl_message_program *program, reader *from, const uint8_t *packed, size_t size, char *message,
                        size_t message_size) {
    uint32_t has_whole;
    const wl_section sections[] = {
        {"message types", &program->node_count, 1 << 14, 4 * NODE_WORDS, &from->at},
        {"fields", &program->field_count, 1 << 18, 4 * FIELD_WORDS, NULL},
        {"values of enums", &program->value_count, 1 << 20, 4, NULL},
        {"clearings", &program->clear_count, 1 << 20, 4 * CLEAR_WORDS, NULL},
        {"slots", &program->slot_count, 1 << 16, 0, NULL},
        {"vectors", &program->vector_count, 1 << 14, 4 * SHAPE_WORDS, NULL},
        {"emits", &program->emit_count, 1 << 14, 4 * EMIT_WORDS, NULL},
        {"scopes", &program->scope_count, 1 << 14, 4 * SCOPE_WORDS, NULL},
        {"tables", &program->table_count, 1 << 8, 0, NULL},
        {"look-ups", &program->lookup_count, WL_MOST_LOOKUPS, 4 * LOOKUP_WORDS, NULL},
        {"bytes of constants", &program->constant_size, UINT32_MAX, 1, NULL},
        {"message types before the unit's", &program->unit_node, UINT32_MAX, 0, NULL},
        {"scopes before the unit's", &program->unit_scope, UINT32_MAX, 0, NULL},
        {"scopes before the row's", &program->row_scope, UINT32_MAX, 0, NULL},
        {"emits before the unit's", &program->unit_emits, UINT32_MAX, 0, NULL},
        {"emits of units", &program->unit_emit_count, UINT32_MAX, 0, NULL},
        {"nested messages", &program->max_depth, UINT32_MAX, 0, NULL},
        {"constants before the prefix", &program->prefix, UINT32_MAX, 0, NULL},
        {"bytes of the prefix", &program->prefix_size, UINT32_MAX, 0, NULL},
        {"digests", &program->digest_family, UINT32_MAX, 0, NULL},
        {"bytes of the message", &program->least, UINT32_MAX, 0, NULL},
        {"whole units", &has_whole, UINT32_MAX, 0, NULL},
        {"vectors before that of whole units", &program->whole, UINT32_MAX, 0, NULL},
    };
    if (!wl_sections_read(sections, sizeof sections / sizeof *sections, "message program", packed, size, message,
                          message_size))
        return false;
    program->has_whole = has_whole != 0;
    return true;
}

static bool allocate(wl_message_program *program) {
    program->nodes = wl_make(program->node_count, sizeof *program->nodes);
    program->fields = wl_make(program->field_count, sizeof *program->fields);
    program->values = wl_make(program->value_count, 4);
    program->clears = wl_make(program->clear_count, sizeof *program->clears);
    program->shapes = wl_make(program->vector_count, sizeof *program->shapes);
    program->emits = wl_make(program->emit_count, sizeof *program->emits);
    program->scopes = wl_make(program->scope_count, sizeof *program->scopes);
    program->lookups = wl_make(program->lookup_count, sizeof *program->lookups);
    program->constants = wl_make(program->constant_size, 1);
    return program->nodes && program->fields && program->values && program->clears && program->shapes &&
           program->emits && program->scopes && program->lookups && program->constants;
}

static void read_field(wl_field *field, reader *from) {
    field->of.number = word(from);
    /* Kinds and flags beyond a byte are refused, not truncated: no field may have all flags. */
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
    reader from;
    wl_message_program *program = calloc(1, sizeof *program);
    if (!program) {
        snprintf(message, message_size, "no memory for the message program");
        return NULL;
    }
    if (!read_header(program, &from, packed, size, message, message_size)) {
        /* The message says why. */
    } else if (program->digest_family && !wl_digest_make(&program->digest, program->digest_family)) {
        snprintf(message, message_size, "the message program has a digest of family %u, which there is not",
                 program->digest_family);
    } else {
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
