/* CRC, scanning, stuffing and text against the plainest possible twins. */
#include "check.h"

static uint32_t plain_crc(uint32_t polynomial, uint32_t state, const uint8_t *data, size_t size) {
    for (size_t i = 0; i < size; i++) {
        state ^= data[i];
        for (int bit = 0; bit < 8; bit++)
            state = state & 1 ? state >> 1 ^ polynomial : state >> 1;
    }
    return state;
}

static void test_crc(void) {
    source_of_chance chance = {1};
    CHECK(~crc_update(1, 0xFFFFFFFF, (const uint8_t *)"123456789", 9) == 0xE3069283);
    CHECK(~crc_update(2, 0xFFFFFFFF, (const uint8_t *)"123456789", 9) == 0xCBF43926);
    for (size_t i = 0, rounds = 700 + rounds_of(600); i < rounds; i++) {
        size_t size = i < 700 ? i : chance_below(&chance, 20000);
        uint8_t *data = random_bytes(&chance, size);
        uint32_t state = (uint32_t)chance_next(&chance);
        uint32_t expected = plain_crc(0x82F63B78, state, data, size);
        CHECK(crc_update(1, state, data, size) == expected);
        size_t cut = size ? chance_below(&chance, size) : 0;
        CHECK(crc_update(1, crc_update(1, state, data, cut), data + cut, size - cut) == expected);
        CHECK(crc_update(2, state, data, size) == plain_crc(0xEDB88320, state, data, size));
        free(data);
    }
}

static void test_shift(void) {
    source_of_chance chance = {2};
    for (uint32_t algorithm = 1; algorithm <= 2; algorithm++) {
        for (size_t i = 0; i < 100; i++) {
            size_t size = chance_below(&chance, 5000);
            uint8_t *zeros = calloc(size + 1, 1);
            uint32_t state = (uint32_t)chance_next(&chance);
            CHECK(wl_crc_shift(crc_algorithm(algorithm, 0, 0).crc, state, size) ==
                  plain_crc((uint32_t)crc_algorithm(algorithm, 0, 0).crc->polynomial, state, zeros, size));
            free(zeros);
        }
    }
}

static size_t plain_find(const uint8_t *data, size_t begin, size_t end, const uint8_t *delimiter, size_t size) {
    for (size_t at = begin; at + size <= end; at++) {
        if (!memcmp(data + at, delimiter, size))
            return at;
    }
    return WL_NOT_FOUND;
}

static void test_scan(void) {
    source_of_chance chance = {3};
    for (size_t i = 0, rounds = rounds_of(7500); i < rounds; i++) {
        size_t size = chance_below(&chance, i % 50 ? 300 : 40000);
        size_t letters = 2 + chance_below(&chance, i % 3 ? 3 : 250);
        uint8_t *data = random_bytes(&chance, size), delimiter[4];
        for (size_t k = 0; k < size; k++)
            data[k] = (uint8_t)(0xFD + data[k] % letters);
        for (size_t k = 0; k < 4; k++)
            delimiter[k] = (uint8_t)(0xFD + chance_below(&chance, 2));
        size_t length = 1 + chance_below(&chance, 4), begin = size ? chance_below(&chance, size) : 0;
        wl_scanner *scanner = malloc(sizeof *scanner);
        CHECK(scanner != NULL);
        wl_scanner_start(scanner, data, begin, size, delimiter, length);
        for (size_t at = begin, steps = 0; steps < 400; steps++) {
            size_t expected = plain_find(data, at, size, delimiter, length);
            CHECK(wl_scanner_find(scanner, at) == expected);
            CHECK(wl_find_delimiter(data, at, size, delimiter, length) == expected);
            if (expected == WL_NOT_FOUND)
                break;
            at = expected + 1 + chance_below(&chance, 5);
            if (at > size)
                break;
        }
        free(scanner);
        free(data);
    }
}

/* Data with long clean runs, and data full of delimiters. */
static uint8_t *stuffable(source_of_chance *chance, size_t *size) {
    static const size_t edges[] = {0, 1, 250, 251, 252, 253, 254, 255, 508, 509, 64259, 64260, 64261, 64262, 130000};
    *size =
        chance_below(chance, 2) ? edges[chance_below(chance, sizeof edges / sizeof *edges)] : chance_below(chance, 700);
    uint8_t *data = exactly(*size);
    size_t rarity = 1 + chance_below(chance, 3) * chance_below(chance, 400);
    for (size_t i = 0; i < *size; i++) {
        bool rare = chance_below(chance, rarity) == 0;
        data[i] = rare ? (uint8_t)(0xFD + chance_below(chance, 4)) : (uint8_t)(1 + chance_below(chance, 250));
    }
    return data;
}

static void test_stuffing(void) {
    static uint64_t seed = 4; /* another one at each level */
    source_of_chance chance = {seed++};
    for (size_t i = 0, rounds = rounds_of(1500); i < rounds; i++) {
        size_t size;
        uint8_t *data = stuffable(&chance, &size);
        uint8_t *stuffed = exactly(wl_word_stuffed_bound(size));
        size_t stuffed_size = wl_word_stuff(data, size, stuffed);
        CHECK(stuffed_size <= wl_word_stuffed_bound(size));
        CHECK(plain_find(stuffed, 0, stuffed_size, (const uint8_t *)"\xFE\xFD", 2) == WL_NOT_FOUND);
        uint8_t *exact = copy_of(stuffed, stuffed_size), *out = exactly(stuffed_size);
        CHECK(wl_word_unstuff(exact, stuffed_size, out) == size && (!size || !memcmp(out, data, size)));
        free(exact);
        free(out);
        free(stuffed);
        stuffed = exactly(wl_cobs_stuffed_bound(size));
        stuffed_size = wl_cobs_stuff(data, size, stuffed);
        CHECK(stuffed_size <= wl_cobs_stuffed_bound(size) && !memchr(stuffed, 0, stuffed_size));
        exact = copy_of(stuffed, stuffed_size), out = exactly(stuffed_size);
        CHECK(wl_cobs_unstuff(exact, stuffed_size, out) == size && (!size || !memcmp(out, data, size)));
        free(exact);
        free(out);
        free(stuffed);
        free(data);
    }
}

static void test_unstuffing_rubbish(void) {
    source_of_chance chance = {5};
    for (size_t i = 0; i < 20000; i++) {
        size_t size = chance_below(&chance, 40);
        uint8_t *data = random_bytes(&chance, size), *out = exactly(size);
        for (size_t k = 0; k < size; k++)
            data[k] = chance_below(&chance, 3) ? (uint8_t)chance_below(&chance, 8) : data[k];
        size_t used = wl_word_unstuff(data, size, out);
        CHECK(used == WL_NOT_FOUND || used <= size);
        used = wl_cobs_unstuff(data, size, out);
        CHECK(used == WL_NOT_FOUND || used <= size);
        free(data);
        free(out);
    }
}

static void test_text(void) {
    static const struct {
        const char *text;
        bool good;
    } cases[] = {
        {"", true},
        {"plain", true},
        {"caf\xC3\xA9", true},
        {"\xE2\x88\x83", true},
        {"\xF0\x9F\x98\x80", true},
        {"\xC0\x80", false},
        {"\xC1\xBF", false},
        {"\xE0\x9F\xBF", false},
        {"\xE0\xA0\x80", true},
        {"\xED\x9F\xBF", true},
        {"\xED\xA0\x80", false},
        {"\xF0\x8F\xBF\xBF", false},
        {"\xF4\x8F\xBF\xBF", true},
        {"\xF4\x90\x80\x80", false},
        {"\xF5\x80\x80\x80", false},
        {"\x80", false},
        {"\xC3", false},
        {"\xE2\x88", false},
        {"\xF0\x9F\x98", false},
        {"\xFF", false},
        {"12345678\xC3\xA9 12345678", true},
        {"1234567\xC3", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t size = strlen(cases[i].text);
        uint8_t *text = copy_of((const uint8_t *)cases[i].text, size);
        bool ascii = true;
        for (size_t k = 0; k < size; k++)
            ascii = ascii && text[k] < 0x80;
        CHECK(wl_text_is_utf8(text, size) == cases[i].good);
        CHECK(wl_text_is_ascii(text, size) == ascii);
        free(text);
    }
}

/* The parts of a run that an index uses. */
static wl_run *run_of(uint32_t count, wl_checksum *checksums) {
    static wl_program programs[4];
    wl_run *run = calloc(1, sizeof *run);
    CHECK(run != NULL);
    programs[count].rule_count = count;
    run->program = programs + count;
    run->checksums = checksums;
    return run;
}

/* The index of a window answers as going through the bytes does. */
static void test_index(void) {
    source_of_chance chance = {6};
    const wl_sum_parameters wide = {.family = WL_CRC, .width = 61, .unit = 1, .polynomial = 0x123456789ABCD};
    wl_algorithm algorithms[3] = {crc_algorithm(CRC32C, 0, 0), crc_algorithm(CRC32, 0, 0)};
    CHECK(wl_algorithm_make(algorithms + 2, &wide));
    wl_checksum checksums[3];
    for (size_t i = 0; i < 3; i++)
        checksums[i] = (wl_checksum){
            .algorithm = algorithms + i, .update = algorithms[i].update, .tables = algorithms[i].tables};
    wl_run *run = run_of(3, checksums);
    for (size_t round = 0, rounds = rounds_of(150); round < rounds; round++) {
        size_t size = 1 + chance_below(&chance, 30000), letters = 1 + chance_below(&chance, 200);
        uint8_t *window = random_bytes(&chance, size);
        wl_index *index = wl_index_make(run, window, window + size);
        CHECK(index != NULL);
        for (size_t k = 0; k < 50; k++)
            window[chance_below(&chance, size)] = (uint8_t)chance_below(&chance, letters);
        for (size_t k = 0; k < 100; k++) {
            size_t from = chance_below(&chance, size + 1), to = from + chance_below(&chance, size - from + 1);
            const wl_checksum *checksum = checksums + chance_below(&chance, 3);
            uint64_t state = chance_next(&chance) >> (64 - checksum->algorithm->of.width);
            uint8_t value = (uint8_t)(chance_below(&chance, 12) + 100 * (k % 2));
            CHECK(wl_index_crc(index, checksum, state, window + from, window + to) ==
                  checksum->update(state, window + from, to - from, checksum->tables));
            CHECK(wl_index_find(index, value, window + from, window + to) ==
                  (to > from ? memchr(window + from, value, to - from) : NULL));
            size_t trimmed = to - from;
            while (trimmed && window[from + trimmed - 1] == value)
                trimmed--;
            CHECK(wl_index_trim(index, value, window + from, to - from) == trimmed);
        }
        wl_index_free(index);
        free(window);
    }
    free(run);
    wl_algorithm_free(algorithms + 2);
}

/* Long text with few breaks, and runs of one byte, so that long ranges have either answer. */
static void test_index_of_text(void) {
    wl_run *run = run_of(0, NULL);
    static const char *const characters[] = {"a", "\xC3\xA9", "\xE2\x88\x83", "\xF0\x9F\x98\x80"};
    source_of_chance chance = {7};
    size_t good[2] = {0};
    for (size_t round = 0, rounds = rounds_of(300); round < rounds; round++) {
        size_t size = 0, room = 4000 + chance_below(&chance, 9000), kinds = 1 + chance_below(&chance, 4);
        uint8_t *window = exactly(room);
        while (size + 4 <= room) {
            const char *each = characters[chance_below(&chance, kinds)];
            memcpy(window + size, each, strlen(each));
            size += strlen(each);
        }
        for (size_t breaks = chance_below(&chance, 4); breaks; breaks--)
            window[chance_below(&chance, size)] = (uint8_t)(0x60 + chance_below(&chance, 0xA0));
        wl_index *index = wl_index_make(run, window, window + size);
        for (size_t k = 0; k < 60; k++) {
            size_t from = chance_below(&chance, size), to = from + chance_below(&chance, size - from + 1);
            bool utf8 = wl_text_is_utf8(window + from, to - from);
            CHECK(wl_index_is_text(index, false, window + from, to - from) == utf8);
            CHECK(wl_index_is_text(index, true, window + from, to - from) ==
                  wl_text_is_ascii(window + from, to - from));
            good[utf8] += to - from > 2000;
        }
        wl_index_free(index);
        free(window);
    }
    free(run);
    CHECK(good[0] > 100 && good[1] > 100);
}

static void test_index_of_runs(void) {
    wl_run *run = run_of(0, NULL);
    source_of_chance chance = {8};
    for (size_t round = 0, rounds = rounds_of(150); round < rounds; round++) {
        size_t size = 3000 + chance_below(&chance, 9000);
        uint8_t *window = exactly(size);
        memset(window, 7, size);
        for (size_t others = chance_below(&chance, 4); others; others--)
            window[chance_below(&chance, size)] = 8;
        wl_index *index = wl_index_make(run, window, window + size);
        for (size_t k = 0; k < 60; k++) {
            size_t from = chance_below(&chance, size), length = chance_below(&chance, size - from + 1),
                   trimmed = length;
            while (trimmed && window[from + trimmed - 1] == 7)
                trimmed--;
            CHECK(wl_index_trim(index, 7, window + from, length) == trimmed);
            CHECK(wl_index_find(index, 8, window + from, window + from + length) ==
                  (length ? memchr(window + from, 8, length) : NULL));
        }
        wl_index_free(index);
        free(window);
    }
    free(run);
}

static void test_all(void) {
    test_index_of_text();
    test_index_of_runs();
    test_crc();
    test_index();
    test_shift();
    test_scan();
    test_stuffing();
    test_unstuffing_rubbish();
    test_text();
}

int main(void) {
    char message[256];
    CHECK(!wl_start("no such level", message, sizeof message) && strstr(message, "portable"));
    CHECK(wl_start(NULL, message, sizeof message) && wl_start("", message, sizeof message));
    for_every_level(test_all);
    return 0;
}
