#include "message_check.h"

void message_draft_start(message_draft *it) {
    it->slot_count = 1;
    it->scope_count = 1;
    it->max_depth = 100;
    it->whole = WL_NONE;
    for (size_t i = 0; i <= DRAFT_SCOPES; i++)
        it->scopes[i].drop = WL_NONE;
}

wl_field *message_draft_field(message_draft *it, uint32_t node, uint32_t number, unsigned kind, unsigned flags) {
    CHECK(it->nodes[node].field_count < 16);
    wl_field *field = it->nodes[node].fields + it->nodes[node].field_count++;
    *field = (wl_field){.of = {.number = number, .kind = (uint8_t)kind},
                        .flags = (uint8_t)flags,
                        .vector = WL_NONE,
                        .scope = WL_NONE,
                        .table = WL_NONE,
                        .drop = WL_NONE};
    return field;
}

uint32_t message_draft_vector(message_draft *it, unsigned storage) {
    CHECK(it->vector_count < 128);
    it->shapes[it->vector_count] = (wl_shape){(uint8_t)storage, it->vector_count + 1};
    return it->vector_count++;
}

void message_draft_emit(message_draft *it, uint32_t scope, unsigned op, uint32_t vector, uint32_t slot, uint32_t guard,
                        unsigned flags) {
    CHECK(it->scopes[scope].emit_count < DRAFT_EMITS);
    it->scopes[scope].emits[it->scopes[scope].emit_count++] =
        (wl_emit){.op = op, .vector = vector, .slot = slot, .guard = guard, .flags = flags};
}

/* Packing
 * ----------------------------------------------------------------------------------------------------------
 */

typedef struct {
    uint8_t *bytes;
    size_t size;
} writer;

static void put(writer *to, uint32_t word) {
    for (unsigned i = 0; i < 4; i++)
        to->bytes[to->size++] = (uint8_t)(word >> 8 * i);
}

static void put_emit(writer *to, const wl_emit *emit) {
    put(to, emit->op);
    put(to, emit->vector);
    put(to, emit->slot);
    put(to, emit->guard);
    put(to, emit->flags);
    put(to, emit->default_size);
    put(to, emit->node);
    put(to, (uint32_t)emit->default_value);
    put(to, (uint32_t)(emit->default_value >> 32));
}

/* A field's name in JSON. */
static const uint8_t name[] = {'"', 'a', '"', ':'};

static void put_field(writer *to, const wl_field *field, uint32_t names) {
    put(to, field->of.number);
    put(to, field->of.kind);
    put(to, field->flags);
    put(to, field->slot);
    put(to, field->vector);
    put(to, field->node);
    put(to, field->scope);
    put(to, field->table);
    put(to, field->values);
    put(to, field->of.value_count);
    put(to, field->clears);
    put(to, field->clear_count);
    put(to, field->oneof);
    put(to, field->drop);
    put(to, names);
    put(to, sizeof name);
}

static void put_header(writer *to, const message_draft *it, uint32_t fields, uint32_t emits) {
    const uint32_t unit_emits = it->scopes[DRAFT_SCOPES].emit_count;
    const uint32_t words[] = {WL_PACKED_VERSION,
                              it->node_count,
                              fields,
                              it->value_count,
                              it->clear_count,
                              it->slot_count,
                              it->vector_count,
                              emits + unit_emits,
                              it->scope_count,
                              it->table_count,
                              it->lookup_count,
                              it->prefix_size + (uint32_t)sizeof name,
                              it->unit_node,
                              0,
                              it->row_scope,
                              emits,
                              unit_emits,
                              it->max_depth,
                              0,
                              it->prefix_size,
                              it->digest,
                              it->least,
                              it->has_whole,
                              it->whole};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        put(to, words[i]);
}

uint8_t *message_draft_pack(const message_draft *it, size_t *size) {
    writer to = {exactly(sizeof *it * 2), 0};
    uint32_t fields = 0, emits = 0;
    for (uint32_t i = 0; i < it->node_count; i++)
        fields += it->nodes[i].field_count;
    for (uint32_t i = 0; i < it->scope_count; i++)
        emits += it->scopes[i].emit_count;
    put_header(&to, it, fields, emits);
    for (uint32_t i = 0, first = 0; i < it->node_count; first += it->nodes[i++].field_count) {
        put(&to, first);
        put(&to, it->nodes[i].field_count);
        put(&to, it->nodes[i].strict);
    }
    for (uint32_t i = 0; i < it->node_count; i++)
        for (uint32_t j = 0; j < it->nodes[i].field_count; j++)
            put_field(&to, it->nodes[i].fields + j, it->prefix_size);
    for (uint32_t i = 0; i < it->value_count; i++)
        put(&to, (uint32_t)it->values[i]);
    for (uint32_t i = 0; i < it->clear_count; i++) {
        put(&to, it->clears[i].is_list);
        put(&to, it->clears[i].number);
    }
    for (uint32_t i = 0; i < it->vector_count; i++) {
        put(&to, it->shapes[i].storage);
        put(&to, it->shapes[i].end);
    }
    for (uint32_t i = 0; i <= DRAFT_SCOPES; i++)
        for (uint32_t j = 0; (i < it->scope_count || i == DRAFT_SCOPES) && j < it->scopes[i].emit_count; j++)
            put_emit(&to, it->scopes[i].emits + j);
    for (uint32_t i = 0, first = 0; i < it->scope_count; first += it->scopes[i++].emit_count) {
        put(&to, first);
        put(&to, it->scopes[i].emit_count);
        put(&to, it->scopes[i].drop);
        put(&to, it->scopes[i].is_row);
    }
    for (uint32_t i = 0; i < it->lookup_count; i++) {
        const wl_lookup *lookup = it->lookups + i;
        put_emit(&to, &lookup->index);
        put(&to, lookup->table);
        put(&to, lookup->scope);
        put(&to, lookup->vector);
        put(&to, (uint32_t)lookup->integer | (uint32_t)lookup->text << 1);
        put(&to, (uint32_t)lookup->mask);
        put(&to, (uint32_t)(lookup->mask >> 32));
    }
    memcpy(to.bytes + to.size, it->prefix, it->prefix_size);
    memcpy(to.bytes + to.size + it->prefix_size, name, sizeof name);
    *size = to.size + it->prefix_size + sizeof name;
    uint8_t *packed = copy_of(to.bytes, *size);
    free(to.bytes);
    return packed;
}

/* Reading
 * ----------------------------------------------------------------------------------------------------------
 */

static size_t value_bytes(unsigned storage, size_t elements) {
    return storage == WL_STRUCT ? 0 : storage <= 8 ? storage * elements : 4 * (elements + 1);
}

/* Memory of exactly the new size, with what the old one had. */
static uint8_t *grown(uint8_t *old, size_t had, size_t size) {
    uint8_t *memory = exactly(size);
    memset(memory, 0, size);
    if (had)
        memcpy(memory, old, had);
    free(old);
    return memory;
}

static void grow(const wl_message_program *program, wl_vector *vector, size_t number, size_t elements, size_t data) {
    unsigned storage = wl_message_program_storage(program, number);
    if (!vector->validity || elements > vector->capacity) {
        size_t had = vector->validity ? (vector->capacity + 7) / 8 : 0;
        size_t had_values = vector->values ? value_bytes(storage, vector->capacity) : 0;
        vector->validity = grown(vector->validity, had, (elements + 7) / 8);
        vector->values = grown(vector->values, had_values, value_bytes(storage, elements));
        vector->capacity = elements;
    }
    if (!vector->data || data > vector->data_size) {
        vector->data = grown(vector->data, vector->data ? vector->data_size : 0, data);
        vector->data_size = data;
    }
}

message_outcome read_messages(const wl_message_program *program, const message_feed *how) {
    message_outcome found = {.vector_count = wl_message_program_vectors(program)};
    found.vectors = calloc(found.vector_count + 1, sizeof *found.vectors);
    found.counts = calloc(how->units + 1, sizeof *found.counts);
    found.problems = calloc(how->units + 1, sizeof *found.problems);
    uint8_t *problems = exactly(how->problems * sizeof(wl_unit_problem));
    CHECK(found.vectors && found.counts && found.problems);
    for (size_t i = 0; i < found.vector_count; i++)
        grow(program, found.vectors + i, i, how->room, how->room);
    for (size_t unit = 0; unit < how->units;) {
        wl_messages_result result;
        wl_messages_arguments arguments = {.source = how->source,
                                           .source_size = how->size,
                                           .begins = (const uint8_t *)how->begins,
                                           .sizes = (const uint8_t *)how->sizes,
                                           .first = unit,
                                           .count = how->units,
                                           .verify = how->verify,
                                           .null_rows = how->null_rows,
                                           .capacity = how->capacity,
                                           .bytes = how->bytes,
                                           .vectors = found.vectors,
                                           .counts = (uint8_t *)(found.counts + unit),
                                           .problems = problems,
                                           .problem_capacity = how->problems};
        CHECK(wl_messages_fill(program, &arguments, &result));
        CHECK(result.status != WL_MESSAGES_RANGE);
        CHECK(result.problems <= result.units && result.problems <= how->problems);
        memcpy(found.problems + found.problem_count, problems, result.problems * sizeof(wl_unit_problem));
        found.problem_count += result.problems;
        found.rows += result.rows;
        unit += result.units;
        if (result.status == WL_MESSAGES_NO_ROOM) {
            const wl_vector *full = found.vectors + result.vector;
            CHECK(result.elements > full->capacity || result.data > full->data_size);
            CHECK(result.elements <= 1 << 24 && result.data <= 1 << 28);
            grow(program, found.vectors + result.vector, result.vector, result.elements, result.data);
        } else {
            CHECK(result.units);
        }
    }
    free(problems);
    return found;
}

void free_outcome(message_outcome *found) {
    for (size_t i = 0; i < found->vector_count; i++) {
        free(found->vectors[i].validity);
        free(found->vectors[i].values);
        free(found->vectors[i].data);
    }
    free(found->vectors);
    free(found->counts);
    free(found->problems);
}

bool same_messages(const wl_message_program *program, const message_outcome *left, const message_outcome *right,
                   size_t units) {
    if (left->rows != right->rows || left->problem_count != right->problem_count ||
        memcmp(left->counts, right->counts, units * sizeof *left->counts) != 0 ||
        memcmp(left->problems, right->problems, left->problem_count * sizeof *left->problems) != 0)
        return false;
    for (size_t i = 0; i < left->vector_count; i++) {
        const wl_vector *one = left->vectors + i, *other = right->vectors + i;
        unsigned storage = wl_message_program_storage(program, i);
        if (one->length != other->length || one->used != other->used || one->nulls != other->nulls ||
            memcmp(one->validity, other->validity, (one->length + 7) / 8) != 0 ||
            memcmp(one->values, other->values, value_bytes(storage, one->length)) != 0 ||
            memcmp(one->data, other->data, one->used) != 0)
            return false;
    }
    return true;
}
