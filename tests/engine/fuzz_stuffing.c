/* A fuzz target in libFuzzer's form: stuffing and the search for delimiters.
 *
 * The first byte chooses the processor variant and the delimiter, the rest is data. What is stuffed comes back, holds
 * no delimiter and keeps to its bound; what is unstuffed is what a decoder byte by byte gives, or is refused by both;
 * delimiters are found where a comparison at every place finds them. */
#include "drive.h"

#define LONGEST 200000 /* three of the longest blocks */

/* Repeats the data until long blocks come about: their limits are far beyond what a fuzzer makes by itself. */
static uint8_t *stretched(const uint8_t *data, size_t size, size_t times, size_t *length) {
    uint8_t *long_one = exactly(size * times);
    for (size_t i = 0; size && i < times; i++)
        memcpy(long_one + i * size, data, size);
    *length = size * times;
    return long_one;
}

static size_t plain_word_unstuff(const uint8_t *data, size_t size, uint8_t *out) {
    size_t at = 0, written = 0;
    for (bool first = true;; first = false) {
        size_t header = first ? 1 : 2, most = first ? 252 : 64008;
        if (size - at < header)
            return WL_NOT_FOUND;
        size_t run = first ? data[at] : data[at] + (size_t)253 * data[at + 1];
        at += header;
        if (run > most || run > size - at)
            return WL_NOT_FOUND;
        for (size_t i = 0; i < run; i++)
            out[written++] = data[at++];
        if (run < most && at == size)
            return written;
        if (run < most && size - at < 2)
            return WL_NOT_FOUND;
        if (run < most) {
            out[written++] = 0xFE;
            out[written++] = 0xFD;
        }
    }
}

static size_t plain_cobs_unstuff(const uint8_t *data, size_t size, uint8_t *out) {
    size_t at = 0, written = 0;
    while (at < size) {
        size_t code = data[at++];
        if (code == 0)
            return WL_NOT_FOUND;
        for (size_t i = 1; i < code; i++) {
            if (at == size || data[at] == 0)
                return WL_NOT_FOUND;
            out[written++] = data[at++];
        }
        if (code < 255 && at < size)
            out[written++] = 0;
    }
    return written;
}

/* Escapes, COBS of any delimiter and COBS/R, byte by byte. */
static size_t plain_unstuff(const wl_stuffing *how, const uint8_t *data, size_t size, uint8_t *out) {
    size_t written = 0;
    if (how->kind == WL_STUFFING_ESCAPE) {
        for (size_t i = 0; i < size; i++) {
            bool escaped = data[i] == how->value;
            if (escaped && (++i == size || !(how->flags[data[i]] & 1)))
                return WL_NOT_FOUND;
            out[written++] = escaped ? how->meanings[data[i]] : data[i];
        }
        return written;
    }
    for (size_t at = 0, left = 0, code = 0xFF; at < size; at++) {
        uint8_t byte = data[at] ^ how->value;
        if (byte == 0)
            return WL_NOT_FOUND;
        if (left) {
            out[written++] = byte;
            left--;
        } else {
            if (code < 0xFF)
                out[written++] = 0;
            code = byte;
            left = code - 1;
        }
        if (left && at + 1 == size) {
            if (how->kind != WL_STUFFING_COBS_REDUCED)
                return WL_NOT_FOUND;
            out[written++] = (uint8_t)code;
        }
    }
    return written;
}

/* The same as for the plain ones, for a code with parameters. */
static void check_code(const uint8_t *data, size_t size, const wl_stuffing *how, uint8_t delimiter) {
    size_t bound = wl_stuffed_bound(how, size);
    uint8_t *stuffed = exactly(bound), *back = exactly(bound), *out = exactly(size), *expected = exactly(size + 1);
    size_t stuffed_size = wl_stuff(how, data, size, stuffed);
    CHECK(stuffed_size <= bound && (!stuffed_size || !memchr(stuffed, delimiter, stuffed_size)));
    uint8_t *exact = copy_of(stuffed, stuffed_size);
    CHECK(wl_unstuff(how, exact, stuffed_size, back) == size && (!size || !memcmp(back, data, size)));
    size_t written = wl_unstuff(how, data, size, out);
    CHECK(written == plain_unstuff(how, data, size, expected));
    CHECK(written == WL_NOT_FOUND || (written <= size && (!written || !memcmp(out, expected, written))));
    free(exact);
    free(stuffed);
    free(back);
    free(out);
    free(expected);
}

static void check_codes(const uint8_t *data, size_t size, uint8_t delimiter) {
    wl_stuffing flipped = stuffing_of(WL_STUFFING_ESCAPE, delimiter, delimiter ^ 1, 0x20);
    wl_stuffing mapped = stuffing_of(WL_STUFFING_ESCAPE, delimiter, delimiter ^ 2, 4);
    wl_stuffing other = stuffing_of(WL_STUFFING_COBS_OTHER, delimiter, 0, 0);
    wl_stuffing reduced = stuffing_of(WL_STUFFING_COBS_REDUCED, delimiter, 0, 0);
    for (size_t i = 0; i < 256; i++)
        mapped.flags[i] = (uint8_t)(mapped.flags[i] & 2) | (mapped.flags[i ^ 4] & 2 ? 1 : 0);
    check_code(data, size, &flipped, delimiter);
    check_code(data, size, &mapped, delimiter);
    check_code(data, size, &other, delimiter);
    check_code(data, size, &reduced, delimiter);
}

typedef size_t (*transformation)(const uint8_t *data, size_t size, uint8_t *out);

static void check_round_trip(const uint8_t *data, size_t size, transformation stuff, transformation unstuff,
                             size_t bound, const char *delimiter, size_t delimiter_size) {
    uint8_t *stuffed = exactly(bound);
    size_t stuffed_size = stuff(data, size, stuffed);
    CHECK(stuffed_size <= bound);
    uint8_t *exact = copy_of(stuffed, stuffed_size), *back = exactly(stuffed_size);
    CHECK(unstuff(exact, stuffed_size, back) == size);
    CHECK(!size || !memcmp(back, data, size));
    for (size_t at = 0; at + delimiter_size <= stuffed_size; at++)
        CHECK(memcmp(exact + at, delimiter, delimiter_size) != 0);
    free(stuffed);
    free(exact);
    free(back);
}

static void check_unstuffing(const uint8_t *data, size_t size, transformation unstuff, transformation plain) {
    uint8_t *out = exactly(size), *expected = exactly(size + 2);
    size_t written = unstuff(data, size, out);
    CHECK(written == plain(data, size, expected));
    CHECK(written == WL_NOT_FOUND || (written <= size && (!written || !memcmp(out, expected, written))));
    free(out);
    free(expected);
}

static void check_search(const uint8_t *data, size_t size, const uint8_t *delimiter, size_t delimiter_size) {
    wl_scanner *scanner = malloc(sizeof *scanner);
    CHECK(scanner != NULL);
    wl_scanner_start(scanner, data, 0, size, delimiter, delimiter_size);
    for (size_t at = 0, found; at <= size; at = found + 1) {
        size_t expected = at;
        while (expected + delimiter_size <= size && memcmp(data + expected, delimiter, delimiter_size) != 0)
            expected++;
        found = wl_scanner_find(scanner, at);
        CHECK(found == (expected + delimiter_size <= size ? expected : WL_NOT_FOUND));
        if (found == WL_NOT_FOUND)
            break;
    }
    free(scanner);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 3)
        return 0;
    choose_level(data[0] & 7);
    uint8_t delimiter[4] = {data[2], (uint8_t)(data[0] & 128 ? data[2] : 0xFD), data[2], 0};
    size_t length;
    uint8_t *bytes = stretched(data + 3, size - 3, data[0] & 64 ? 1 + wl_smaller(data[1], LONGEST / size) : 1, &length);
    check_round_trip(bytes, length, wl_word_stuff, wl_word_unstuff, wl_word_stuffed_bound(length), "\xFE\xFD", 2);
    check_round_trip(bytes, length, wl_cobs_stuff, wl_cobs_unstuff, wl_cobs_stuffed_bound(length), "\0", 1);
    check_unstuffing(bytes, length, wl_word_unstuff, plain_word_unstuff);
    check_unstuffing(bytes, length, wl_cobs_unstuff, plain_cobs_unstuff);
    check_codes(bytes, length, data[2]);
    check_search(bytes, length, delimiter, 1 + (data[0] >> 4 & 3));
    free(bytes);
    return 0;
}

#ifdef WITH_MAIN
int main(int count, char **arguments) { return drive(count, arguments, "\xFE\xFD\xFF\0\1\2a\xFC", 8); }
#endif
