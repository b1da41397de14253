/* A fuzz target in libFuzzer's form: blocks of Snappy and S2.
 *
 * With an even first byte the rest is a block. Otherwise it chooses elements that follow the formats: they give the
 * content that was chosen and fit no other size. What is damaged after that is decompressed as byte by byte, or refused
 * by both. */
#include "drive.h"
#include "snappy.h"

#define MOST ((size_t)1 << 18)

/* As the formats describe it, byte by byte; whether the elements give exactly `room` bytes. */
static bool plain_expand(const uint8_t *data, size_t size, bool repeats, uint8_t *out, size_t room) {
    static const uint32_t least[8] = {4, 5, 6, 7, 8, 8, 260, 65540};
    size_t at = 0, written = 0, offset = 0;
    while (at < size) {
        uint8_t first = data[at++];
        size_t length = (first >> 2) + 1u, extra = 0, number = 0;
        bool literal = (first & 3) == 0, near = (first & 3) == 1;
        if (literal)
            extra = length > 60 ? length - 60 : 0;
        else
            extra = near ? 1 : (first & 3) == 2 ? 2 : 4;
        for (size_t i = 0; i < extra; i++, at++) {
            if (at == size)
                return false;
            number |= (size_t)data[at] << 8 * i;
        }
        if (literal) {
            for (size_t i = 0; i < (extra ? number + 1 : length); i++) {
                if (at == size || written == room)
                    return false;
                out[written++] = data[at++];
            }
            continue;
        }
        if (near) {
            unsigned code = first >> 2 & 7;
            number += (size_t)(first >> 5) * 256;
            length = code + 4;
            if (number == 0 && repeats) {
                length = least[code];
                for (unsigned i = 5; i <= code; i++, at++) {
                    if (at == size)
                        return false;
                    length += (size_t)data[at] << 8 * (i - 5);
                }
                number = offset;
            }
        }
        offset = number;
        if (offset == 0 || offset > written)
            return false;
        for (size_t i = 0; i < length; i++, written++) {
            if (written == room)
                return false;
            out[written] = out[written - offset];
        }
    }
    return written == room;
}

/* Both decompressors, in memory of exactly the size. */
static void check_same(const uint8_t *data, size_t size, bool repeats, size_t room) {
    uint8_t *block = copy_of(data, size), *out = exactly(room), *expected = exactly(room);
    bool holds = wl_snappy_expand(block, size, repeats, out, room);
    CHECK(holds == plain_expand(block, size, repeats, expected, room));
    CHECK(!holds || !room || !memcmp(out, expected, room));
    free(block);
    free(out);
    free(expected);
}

static void check_block(const uint8_t *data, size_t size, bool repeats) {
    size_t begin = 0, room = wl_snappy_size(data, size, repeats, &begin);
    if (room == WL_NOT_FOUND)
        return;
    CHECK(begin >= 1 && begin <= size && begin <= 5);
    if (room <= MOST)
        check_same(data + begin, size - begin, repeats, room);
}

/* Elements that are being made, and the size of what they give. */
typedef struct {
    uint8_t *bytes;
    size_t size, content;
} block;

static void put(block *made, size_t number, size_t count) {
    for (size_t i = 0; i < count; i++)
        made->bytes[made->size++] = (uint8_t)(number >> 8 * i);
}

static void put_literal(block *made, taker *choices) {
    size_t length = 1 + (take(choices) & 1 ? take_below(choices, 90) : take_below(choices, 9));
    size_t extra = length > 60 ? 1 : take_below(choices, 8) ? 0 : 1 + take_below(choices, 4);
    put(made, (extra ? 59 + extra : length - 1) << 2, 1);
    put(made, length - 1, extra);
    for (size_t i = 0; i < length; i++)
        put(made, take(choices), 1);
    made->content += length;
}

static void put_copy(block *made, taker *choices, bool repeats, bool has_offset) {
    unsigned kind = take_below(choices, repeats && has_offset ? 5 : 3), code = take(choices);
    size_t offset = 1 + (take(choices) & 3 ? take_below(choices, 40) : take(choices) << 8 | take(choices));
    offset = wl_smaller(offset, kind == 0 ? wl_smaller(made->content, 2047) : made->content);
    if (kind == 0) {
        put(made, (code & 7) << 2 | 1 | offset >> 8 << 5, 1);
        put(made, offset, 1);
        made->content += 4 + (code & 7);
    } else if (kind < 3) {
        put(made, (code & 63) << 2 | (kind + 1), 1);
        put(made, offset, 2 * kind);
        made->content += 1 + (code & 63);
    } else {
        static const uint32_t least[8] = {4, 5, 6, 7, 8, 8, 260, 65540};
        size_t more = (code & 7) > 4 ? take(choices) : 0;
        code &= made->content < MOST / 2 ? 7 : 5;
        put(made, code << 2 | 1, 2);
        put(made, more, code > 4 ? code - 4 : 0);
        made->content += least[code] + (code > 4 ? more : 0);
    }
}

static void check_elements(taker *choices, bool repeats) {
    block made = {.bytes = exactly(100 * 100)};
    bool has_offset = false;
    for (size_t count = 1 + take_below(choices, 99); count; count--) {
        if (!made.content || take_below(choices, 3) == 0) {
            put_literal(&made, choices);
        } else {
            put_copy(&made, choices, repeats, has_offset);
            has_offset = true;
        }
    }
    uint8_t *exact = copy_of(made.bytes, made.size), *out = exactly(made.content + 1);
    CHECK(wl_snappy_expand(exact, made.size, repeats, out, made.content));
    CHECK(!wl_snappy_expand(exact, made.size, repeats, out, made.content + 1));
    CHECK(!wl_snappy_expand(exact, made.size, repeats, out, made.content - 1));
    check_same(exact, made.size, repeats, made.content);
    check_same(exact, made.size, !repeats, made.content);
    for (unsigned flips = 0; flips < 4; flips++) {
        size_t at = (size_t)(take(choices) << 8 | take(choices)) % made.size;
        exact[at] ^= (uint8_t)(1 + take_below(choices, 255));
        check_same(exact, made.size, repeats, made.content);
        check_same(exact, at, repeats, made.content);
    }
    free(made.bytes);
    free(exact);
    free(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 2)
        return 0;
    bool repeats = data[0] & 2;
    taker choices = {data + 1, data + size};
    if (data[0] & 1)
        check_elements(&choices, repeats);
    else
        check_block(data + 1, size - 1, repeats);
    return 0;
}

#ifdef WITH_MAIN
int main(int count, char **arguments) { return drive(count, arguments, "\1\3\0\2\5\x15\x19\x1D\xF0!", 10); }
#endif
