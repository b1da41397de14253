/* A fuzz target in libFuzzer's form: a message program and units from the same bytes, read at once and in pieces.
 *
 *     clang -g -O1 -fsanitize=fuzzer,address,undefined -Iruntime/engine -Itests/engine \
 *         tests/engine/fuzz_messages.c tests/engine/message_check.c tests/engine/check.c runtime/engine/[a-z]*.c
 *
 * Compiled with -DWITH_MAIN it drives itself, by random bytes from a seed: fuzz_messages [ROUNDS [SEED]].
 * Beside what the sanitizers see: reading in pieces, with memory that grows by the least, must give exactly what
 * reading at once gives, lists must end where their items do, and what is in one struct must be equally long. */
#include "message_author.h"
#include "message_units.h"

static size_t programs_run, rows_read, units_refused;

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

/* The content of one unit: made, or the next bytes as they are, `most` of them; gives its size. */
static size_t put_content(const wl_message_program *program, taker *bytes, uint8_t *to, bool made, size_t most) {
    if (made)
        return make_unit(program, bytes, to);
    size_t size = wl_smaller(most, (size_t)(bytes->end - bytes->at));
    if (size)
        memcpy(to, bytes->at, size);
    bytes->at += size;
    return size;
}

/* Units, made of the rest of the bytes or cut out of it; a good digest is put where one is needed. */
static void try_program(const wl_message_program *program, taker *bytes, bool right) {
    uint64_t begins[MOST_UNITS], sizes[MOST_UNITS];
    size_t units = 1 + take_below(bytes, MOST_UNITS), size = 0, step = 1 + take(bytes);
    unsigned how = take(bytes);
    bool made = take_below(bytes, 4);
    size_t left = made ? units * MOST_MADE : (size_t)(bytes->end - bytes->at);
    uint8_t *source = exactly(left + units * (program->prefix_size + program->digest.digest_size));
    for (size_t i = 0; i < units; i++) {
        begins[i] = size;
        memcpy(source + size, program->constants + program->prefix, program->prefix_size);
        size += program->prefix_size;
        size_t content = put_content(program, bytes, source + size, made, i + 1 == units ? SIZE_MAX : step);
        size += content;
        if (program->digest_family) {
            program->digest.digest(source + size - content, content, source + size);
            source[size] ^= i % 8 == 7;
            size += program->digest.digest_size;
        }
        sizes[i] = size - begins[i];
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
