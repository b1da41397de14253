/* A fuzz target in libFuzzer's form: varints, tags, fields that are skipped, and text that is none.
 *
 * Each is held against a twin that goes byte by byte, at every place of the input and with the input's end wherever it
 * falls: the short ways that read eight bytes at once begin and end in other places every time. */
#include "drive.h"
#include "message_internal.h"
#include "message_wire.h"

static const uint8_t *plain_varint(const uint8_t *at, const uint8_t *end, bool strict, uint64_t *value,
                                   uint32_t *what) {
    *value = 0;
    for (unsigned i = 0; i < 10; i++, at++) {
        if (at == end)
            return *what = WL_UNIT_TRUNCATED, NULL;
        *value |= (uint64_t)(*at & 0x7F) << 7 * i;
        if (*at & 0x80)
            continue;
        if (strict && i == 9 && *at > 1)
            return *what = WL_UNIT_VARINT_WIDE, NULL;
        return at + 1;
    }
    return *what = WL_UNIT_VARINT_LONG, NULL;
}

static void check_varint(const uint8_t *at, const uint8_t *end, bool strict) {
    uint64_t value = 0, expected;
    uint32_t what = 0, expected_what = 0;
    const uint8_t *next = plain_varint(at, end, strict, &expected, &expected_what);
    CHECK(wl_varint_read(at, end, strict, &value, &what) == next);
    CHECK(next ? value == expected : what == expected_what);
    CHECK(wl_varint_long(at, end, strict, &value, &what) == next);
    CHECK(next ? value == expected : what == expected_what);
}

/* Where a field ends that is no group; NULL: nowhere. */
static const uint8_t *plain_skip(unsigned wire, const uint8_t *at, const uint8_t *end, bool strict) {
    uint64_t size = 0;
    uint32_t what;
    if (wire == WL_WIRE_VARINT || wire == WL_WIRE_BYTES)
        at = plain_varint(at, end, strict, &size, &what);
    if (!at || wire == WL_WIRE_VARINT)
        return at;
    size = wire == WL_WIRE_FIXED32 ? 4 : wire == WL_WIRE_FIXED64 ? 8 : size;
    return size > (uint64_t)(end - at) ? NULL : at + size;
}

static void check_field(const uint8_t *at, const uint8_t *end, bool strict, unsigned depth) {
    wl_wire_problem problem = {0};
    uint64_t tag, expected;
    uint32_t what;
    const uint8_t *next = plain_varint(at, end, strict, &expected, &what);
    if (!strict)
        expected = (uint32_t)expected;
    bool good = next && expected >> 3 && expected >> 3 <= WL_MOST_FIELD_NUMBER && (expected & 7) <= WL_WIRE_FIXED32;
    CHECK(wl_tag_read(at, end, strict, &tag, &problem) == (good ? next : NULL));
    if (!good) {
        CHECK(problem.what != WL_UNIT_GOOD && problem.at == at);
        return;
    }
    const uint8_t *after = wl_field_skip(at, tag, next, end, strict, depth, &problem);
    CHECK(!after || (after >= next && after <= end));
    CHECK(after || (problem.at >= at && problem.at <= end && problem.what != WL_UNIT_GOOD));
    unsigned wire = tag & 7;
    if (wire != WL_WIRE_GROUP_BEGIN && wire != WL_WIRE_GROUP_END)
        CHECK(after == plain_skip(wire, next, end, strict));
    CHECK(wire != WL_WIRE_GROUP_END || !after);
}

static void check_text(const uint8_t *text, size_t size) {
    size_t needed = wl_text_replaced(text, size, NULL);
    uint8_t *out = exactly(needed);
    CHECK(needed <= size * 3 && wl_text_replaced(text, size, out) == needed);
    CHECK(wl_text_is_utf8(out, needed));
    bool whole = wl_text_is_utf8(text, size), ascii = true;
    CHECK(!whole || (needed == size && (!size || !memcmp(out, text, size))));
    for (size_t i = 0; i < size; i++)
        ascii &= text[i] < 0x80;
    CHECK(wl_text_is_ascii(text, size) == ascii && (!ascii || whole));
    size_t at = 0;
    while (at < size) {
        size_t step = wl_text_character(text + at, size - at);
        CHECK(step <= 4 && step <= size - at);
        if (!step)
            break;
        at += step;
    }
    CHECK((at == size) == whole);
    free(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 1)
        return 0;
    choose_level(data[0]);
    bool strict = data[0] & 128;
    unsigned depth = data[0] & 64 ? 3 : WL_DEEPEST_MESSAGE;
    size_t length = size - 1;
    uint8_t *bytes = copy_of(data + 1, length);
    size_t steps = wl_smaller(length, 64);
    for (size_t at = 0; at <= steps; at++) {
        check_varint(bytes + at, bytes + length, strict);
        check_field(bytes + at, bytes + length, strict, depth);
        check_varint(bytes, bytes + at, strict);
    }
    check_text(bytes, length);
    wl_count_fields(bytes, bytes + length, 1 + (data[0] & 3), data[0] >> 3 & 7);
    free(bytes);
    return 0;
}

#ifdef WITH_MAIN
int main(int count, char **arguments) { return drive(count, arguments, "\x80\xFF\x08\x0A\x0B\x0C\xE2\x82\xF0\1", 10); }
#endif
