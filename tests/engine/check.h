/* What the engine's C tests share: a check that says where it failed, a random source with a seed, programs and
 * columns made by hand. Every buffer is allocated with exactly its size, so that the sanitizer sees a byte too far. */
#ifndef WIRELOOM_CHECK_H
#define WIRELOOM_CHECK_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "crc.h"
#include "engine.h"
#include "internal.h"
#include "scanner.h"
#include "sums.h"

#ifdef NDEBUG
#error "the assertions of the engine are checked here"
#endif

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: failed: %s (level %s)\n", __FILE__, __LINE__, #condition, wl_level());             \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

/* xorshift64*; the same numbers everywhere. */
typedef struct {
    uint64_t state;
} source_of_chance;

static inline uint64_t chance_next(source_of_chance *chance) {
    chance->state ^= chance->state >> 12;
    chance->state ^= chance->state << 25;
    chance->state ^= chance->state >> 27;
    return chance->state * UINT64_C(2685821657736338717);
}

static inline size_t chance_below(source_of_chance *chance, size_t count) {
    return (size_t)((chance_next(chance) >> 16) % count);
}

/* How many of all rounds of a random test to take: a tenth, and all in `make thorough`. */
static inline size_t rounds_of(size_t all) {
    const char *profile = getenv("WIRELOOM_HYPOTHESIS");
    return profile && strcmp(profile, "thorough") == 0 ? all : (all + 9) / 10;
}

/* Memory of exactly that many bytes; never NULL. */
static inline uint8_t *exactly(size_t size) {
    uint8_t *memory = malloc(size ? size : 1);
    CHECK(memory != NULL);
    return memory;
}

static inline uint8_t *copy_of(const uint8_t *bytes, size_t size) {
    uint8_t *memory = exactly(size);
    if (size)
        memcpy(memory, bytes, size);
    return memory;
}

static inline uint8_t *random_bytes(source_of_chance *chance, size_t size) {
    uint8_t *memory = exactly(size);
    for (size_t i = 0; i < size; i++)
        memory[i] = (uint8_t)chance_next(chance);
    return memory;
}

/* Reflected CRCs of 32 bits, which begin with `state` and end with `final_xor`. */
enum { CRC32C = 1, CRC32 = 2 };
static inline wl_sum_parameters crc_of(unsigned number, uint32_t state, uint32_t final_xor) {
    return (wl_sum_parameters){.family = WL_CRC,
                               .width = 32,
                               .unit = 1,
                               .reflects = WL_REFLECT_IN | WL_REFLECT_OUT,
                               .polynomial = number == CRC32C ? 0x1EDC6F41 : 0x04C11DB7,
                               .initial = wl_crc_reflected(state, 32),
                               .final_xor = final_xor};
}

static inline wl_algorithm crc_algorithm(unsigned number, uint32_t state, uint32_t final_xor) {
    wl_algorithm made;
    const wl_sum_parameters parameters = crc_of(number, state, final_xor);
    CHECK(wl_algorithm_make(&made, &parameters));
    CHECK(made.initial == state);
    return made;
}

static inline wl_rule sum_rule(wl_sum_parameters of, int32_t replace, uint32_t own, uint32_t own_size) {
    return (wl_rule){.algorithm = {.of = of},
                     .replace = replace,
                     .own = own,
                     .own_size = own_size,
                     .start = WL_NO_REGISTER,
                     .extra = WL_NO_REGISTER};
}

/* The checksum of some bytes, computed at once. */
static inline uint64_t sum_of(const wl_sum_parameters *of, const uint8_t *data, size_t size) {
    wl_algorithm made;
    CHECK(wl_algorithm_make(&made, of));
    uint64_t sum = wl_sum_of_state(&made, made.update(made.initial, data, size, made.tables));
    wl_algorithm_free(&made);
    return sum;
}

/* The register of a CRC after more bytes. */
static inline uint32_t crc_update(unsigned number, uint32_t state, const uint8_t *data, size_t size) {
    const wl_algorithm made = crc_algorithm(number, state, 0);
    return (uint32_t)made.update(state, data, size, made.tables);
}

/* The MD5 of one message alone. */
static inline void md5_of(const uint8_t *data, size_t size, uint8_t digest[16]) {
    wl_md5_many(&data, &size, 1, (uint8_t(*)[16])digest);
}

/* Programs ------------------------------------------------------------------------------------------------------- */

typedef struct {
    wl_step steps[WL_MOST_STEPS];
    size_t step_count;
    uint8_t storages[16];
    uint8_t levels[16];
    size_t column_count;
    wl_rule rules[4];
    size_t rule_count;
    uint8_t constants[512];
    size_t constant_size;
    uint32_t registers, spans, marks, input_registers, stuffing, delimiter_size, loops, level_count, whole,
        carried_value_count, series_count, store_count;
    uint8_t delimiter[4];
    wl_stuffing codes; /* parameters of the stuffing */
    wl_message_table messages[4];
    size_t message_count;
    wl_message_field message_fields[24];
    size_t message_field_count;
} draft;

/* A stuffing of any kind; with an escape, each code is XORed with `flip`. */
wl_stuffing stuffing_of(unsigned kind, uint8_t delimiter, uint8_t escape, uint8_t flip);
void draft_step(draft *program, unsigned op, unsigned a, uint32_t b, int64_t c, int64_t d);
/* The packed program; the caller frees it. */
uint8_t *draft_pack(const draft *program, size_t *size);
/* Loads it, and fails the test where it is refused. */
wl_program *draft_load(const draft *program);

/* The two programs that the generator emits for the formats in the box, and one for COBS. */
wl_program *edgemq_program(void);
wl_program *word_stuffed_program(void);
wl_program *cobs_program(void);

/* Compressed blocks (expand.c): what decompresses those of the tests, and how many of its contents are held. */
extern const wl_expander repeating;
extern size_t contents_held;

/* Reading whole inputs -------------------------------------------------------------------------------------------- */

/* How an input is fed to wl_fill(). */
typedef struct {
    const uint8_t *input;
    size_t size;
    size_t chunk;    /* bytes by which the window grows; 0: all at once */
    size_t capacity; /* rows of a batch */
    size_t room;     /* data bytes of a batch, to begin with */
    size_t damages;
    size_t padding;
    size_t max_record;
    int64_t stop;
    uint32_t wanted; /* a bit per column */
    bool verify;
    bool null_rows;
    bool row_by_row;
    uint8_t predicate; /* chooses a column and the range of its values, if it is wanted and of a fixed size; 0: none */
    const wl_integer *input_registers;
    size_t max_items;
} feed;

/* Everything that came out, as bytes in a fixed form: rows, damages and the end. Two feeds of the same input must give
 * the same. The caller frees `bytes`. */
typedef struct {
    uint8_t *bytes;
    size_t size;
    size_t rows;
    size_t dropped;
    size_t damaged;
    int status;
    uint32_t reason;
    uint64_t position;
} outcome;

outcome read_all(const wl_program *program, const feed *how);
bool same_outcome(const outcome *left, const outcome *right);

/* Runs the test for every level that this processor has. */
void for_every_level(void (*test)(void));

#endif
