/* MD5 of one message and of many, against the plainest possible twin. */
#include "check.h"

static const struct {
    const char *message;
    uint8_t digest[16];
} vectors[] = {
    /* RFC 1321, A.5 */
    {"", {0xD4, 0x1D, 0x8C, 0xD9, 0x8F, 0x00, 0xB2, 0x04, 0xE9, 0x80, 0x09, 0x98, 0xEC, 0xF8, 0x42, 0x7E}},
    {"a", {0x0C, 0xC1, 0x75, 0xB9, 0xC0, 0xF1, 0xB6, 0xA8, 0x31, 0xC3, 0x99, 0xE2, 0x69, 0x77, 0x26, 0x61}},
    {"abc", {0x90, 0x01, 0x50, 0x98, 0x3C, 0xD2, 0x4F, 0xB0, 0xD6, 0x96, 0x3F, 0x7D, 0x28, 0xE1, 0x7F, 0x72}},
    {"message digest",
     {0xF9, 0x6B, 0x69, 0x7D, 0x7C, 0xB7, 0x93, 0x8D, 0x52, 0x5A, 0x2F, 0x31, 0xAA, 0xF1, 0x61, 0xD0}},
    {"abcdefghijklmnopqrstuvwxyz",
     {0xC3, 0xFC, 0xD3, 0xD7, 0x61, 0x92, 0xE4, 0x00, 0x7D, 0xFB, 0x49, 0x6C, 0xCA, 0x67, 0xE1, 0x3B}},
    {"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
     {0xD1, 0x74, 0xAB, 0x98, 0xD2, 0x77, 0xD9, 0xF5, 0xA5, 0x61, 0x1C, 0x2C, 0x9F, 0x41, 0x9D, 0x9F}},
    {"12345678901234567890123456789012345678901234567890123456789012345678901234567890",
     {0x57, 0xED, 0xF4, 0xA2, 0x2B, 0xE3, 0xC9, 0x55, 0xAC, 0x49, 0xDA, 0x2E, 0x21, 0x07, 0xB6, 0x7A}},
};
#define VECTORS (sizeof vectors / sizeof *vectors)

static void plain_block(uint32_t state[4], const uint8_t *block) {
    static const uint8_t shifts[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
    static const uint8_t factors[4] = {1, 5, 3, 7}, first[4] = {0, 1, 5, 0};
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    for (unsigned i = 0; i < 64; i++) {
        unsigned round = i / 16;
        uint32_t mixed = round == 0   ? (b & c) | (~b & d)
                         : round == 1 ? (b & d) | (c & ~d)
                         : round == 2 ? b ^ c ^ d
                                      : c ^ (b | ~d);
        uint32_t sum = a + mixed + wl_load_le4(block + 4 * ((factors[round] * i + first[round]) % 16));
        sum += wl_md5_constants[i];
        a = d, d = c, c = b;
        b += sum << shifts[round][i % 4] | sum >> (32 - shifts[round][i % 4]);
    }
    state[0] += a, state[1] += b, state[2] += c, state[3] += d;
}

static void plain_md5(const uint8_t *data, size_t size, uint8_t digest[16]) {
    uint32_t state[4] = {0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476};
    size_t padded = (size + 8) / 64 * 64 + 64;
    uint8_t *all = calloc(padded, 1);
    CHECK(all != NULL);
    if (size)
        memcpy(all, data, size);
    all[size] = 0x80;
    for (size_t i = 0; i < 8; i++)
        all[padded - 8 + i] = (uint8_t)((uint64_t)size * 8 >> 8 * i);
    for (size_t at = 0; at < padded; at += 64)
        plain_block(state, all + at);
    free(all);
    for (size_t i = 0; i < 16; i++)
        digest[i] = (uint8_t)(state[i / 4] >> 8 * (i % 4));
}

/* Messages in memory of exactly their sizes. */
typedef struct {
    uint8_t **data;
    size_t *sizes;
    size_t count;
} column;

static column column_of(source_of_chance *chance, size_t count, size_t (*size)(source_of_chance *, size_t)) {
    column made = {calloc(count + 1, sizeof *made.data), calloc(count + 1, sizeof *made.sizes), count};
    CHECK(made.data && made.sizes);
    for (size_t i = 0; i < count; i++) {
        made.sizes[i] = size(chance, i);
        made.data[i] = random_bytes(chance, made.sizes[i]);
    }
    return made;
}

/* Digests all of them at once, and each of them alone; frees them. */
static void check_column(column messages) {
    uint8_t(*digests)[16] = (uint8_t(*)[16])(void *)exactly(16 * messages.count), one[16], expected[16];
    wl_md5_many((const uint8_t *const *)messages.data, messages.sizes, messages.count, digests);
    for (size_t i = 0; i < messages.count; i++) {
        plain_md5(messages.data[i], messages.sizes[i], expected);
        CHECK(!memcmp(digests[i], expected, 16));
        md5_of(messages.data[i], messages.sizes[i], one);
        CHECK(!memcmp(one, expected, 16));
        free(messages.data[i]);
    }
    free(digests);
    free(messages.data);
    free(messages.sizes);
}

static void test_vectors(void) {
    const uint8_t *data[10 * VECTORS];
    size_t sizes[10 * VECTORS];
    uint8_t digests[10 * VECTORS][16];
    for (size_t count = 0; count <= 10 * VECTORS; count++) {
        for (size_t i = 0; i < count; i++) {
            data[i] = (const uint8_t *)vectors[i % VECTORS].message;
            sizes[i] = strlen(vectors[i % VECTORS].message);
        }
        wl_md5_many(data, sizes, count, digests);
        for (size_t i = 0; i < count; i++)
            CHECK(!memcmp(digests[i], vectors[i % VECTORS].digest, 16));
    }
    for (size_t i = 0; i < VECTORS; i++) {
        md5_of((const uint8_t *)vectors[i].message, strlen(vectors[i].message), digests[0]);
        CHECK(!memcmp(digests[0], vectors[i].digest, 16));
    }
    md5_of(NULL, 0, digests[0]);
    CHECK(!memcmp(digests[0], vectors[0].digest, 16));
}

static size_t counting(source_of_chance *chance, size_t number) {
    (void)chance;
    return number;
}

static size_t mixed(source_of_chance *chance, size_t number) {
    static const size_t most[] = {1, 64, 130, 700, 9000};
    (void)number;
    return chance_below(chance, most[chance_below(chance, sizeof most / sizeof *most)]);
}

static size_t equal(source_of_chance *chance, size_t number) {
    (void)chance, (void)number;
    return 1000;
}

static size_t one_long(source_of_chance *chance, size_t number) {
    return number == 15 ? 50000 : chance_below(chance, 300);
}

static void test_columns(void) {
    source_of_chance chance = {11};
    check_column(column_of(&chance, 301, counting));
    check_column(column_of(&chance, 16, one_long));
    for (size_t count = 0; count < 70; count++) {
        check_column(column_of(&chance, count, equal));
        check_column(column_of(&chance, count, mixed));
    }
}

/* Messages that overlap, at every distance from an aligned address. */
static void test_unaligned(void) {
    source_of_chance chance = {12};
    uint8_t *bytes = random_bytes(&chance, 2000), digests[100][16], expected[16];
    const uint8_t *data[100];
    size_t sizes[100];
    for (size_t i = 0; i < 100; i++) {
        data[i] = bytes + i;
        sizes[i] = 2000 - i - (i % 3 ? 0 : chance_below(&chance, 1900 - i));
    }
    wl_md5_many(data, sizes, 100, digests);
    for (size_t i = 0; i < 100; i++) {
        plain_md5(data[i], sizes[i], expected);
        CHECK(!memcmp(digests[i], expected, 16));
    }
    free(bytes);
}

/* Every kernel by itself: each lane from a state of its own, and no lane beyond them touched. */
static void test_kernels(void) {
    source_of_chance chance = {13};
    for (size_t k = 0; k < WL_MD5_MOST_KERNELS && wl_chosen.md5->kernels[k].width; k++) {
        wl_md5_kernel kernel = wl_chosen.md5->kernels[k];
        for (size_t blocks = 0; blocks < 6; blocks++) {
            wl_md5_state state, expected;
            const uint8_t *data[WL_MD5_MOST_LANES];
            CHECK(kernel.width <= WL_MD5_MOST_LANES);
            for (size_t i = 0; i < 4 * WL_MD5_MOST_LANES; i++)
                state.words[i / WL_MD5_MOST_LANES][i % WL_MD5_MOST_LANES] = (uint32_t)chance_next(&chance);
            expected = state;
            for (size_t lane = 0; lane < kernel.width; lane++) {
                uint8_t *own = random_bytes(&chance, 64 * blocks);
                uint32_t words[4];
                for (size_t i = 0; i < 4; i++)
                    words[i] = expected.words[i][lane];
                for (size_t i = 0; i < blocks; i++)
                    plain_block(words, own + 64 * i);
                for (size_t i = 0; i < 4; i++)
                    expected.words[i][lane] = words[i];
                data[lane] = own;
            }
            kernel.run(&state, data, blocks);
            CHECK(!memcmp(&state, &expected, sizeof state));
            for (size_t lane = 0; lane < kernel.width; lane++)
                free((void *)data[lane]);
        }
    }
}

static void test_all(void) {
    CHECK(wl_md5_name() == wl_chosen.md5->name);
    test_vectors();
    test_kernels();
    test_columns();
    test_unaligned();
}

int main(void) {
    for_every_level(test_all);
    return 0;
}
