/* Units made from bytes by the fields of a program: what is required is mostly there, messages stand in several pieces,
 * members of oneofs replace each other, keys of maps come twice. Included by fuzz_messages.c. */
#ifndef WIRELOOM_MESSAGE_UNITS_H
#define WIRELOOM_MESSAGE_UNITS_H

#include "drive.h"
#include "message_check.h"

/* Bytes of a unit; what writes one looks before each field whether there is room for it. */
#define MOST_MADE 1200
#define MOST_SCALAR 24
#define DEEPEST_MADE 5

typedef struct {
    const wl_message_program *program;
    taker *bytes;
    uint8_t *to;
    size_t size;
} unit_author;

static void put_varint(unit_author *by, uint64_t value) {
    for (; value > 127; value >>= 7)
        by->to[by->size++] = (uint8_t)(value | 128);
    by->to[by->size++] = (uint8_t)value;
}

static void put_text(unit_author *by) {
    /* Digits of several kinds, what looks like a number and is none, and what is no text at all. */
    static const char *const texts[] = {"",
                                        "ab",
                                        "1",
                                        "12",
                                        "-3",
                                        "+",
                                        "\xc3\xa9",
                                        "\xd9\xa3",
                                        "\xff",
                                        "\xe0\xa5\xa9",
                                        "\xc3",
                                        "\xc0\x80",
                                        "\xe2\x82",
                                        "\xed\xa0\x80",
                                        "\xf0\x9f",
                                        "\xe0\x80\x80",
                                        "\xf0\x9f\x98\x80"};
    const char *text = texts[take_below(by->bytes, sizeof texts / sizeof *texts)];
    size_t size = *text ? strlen(text) : take_below(by->bytes, 2);
    put_varint(by, size);
    memcpy(by->to + by->size, text, size);
    by->size += size;
}

static void put_number(unit_author *by, unsigned wire) {
    static const uint64_t numbers[] = {0, 1, 2, 3, 7, 100, UINT64_MAX, INT64_MAX, UINT32_MAX, INT32_MAX};
    unsigned choice = take(by->bytes);
    uint64_t value = choice < 128 ? choice % 8 : numbers[choice % (sizeof numbers / sizeof *numbers)];
    if (wire == WL_WIRE_VARINT) {
        put_varint(by, value);
    } else {
        size_t size = wire == WL_WIRE_FIXED64 ? 8 : 4;
        for (size_t i = 0; i < size; i++)
            by->to[by->size++] = (uint8_t)(value >> 8 * i);
    }
}

static void put_message(unit_author *by, const wl_node *node, unsigned depth);

/* What has a length, which is known at its end: one byte of it, or two. */
static void put_sized(unit_author *by, const wl_node *node, const wl_field *packed, unsigned depth) {
    size_t begin = by->size++;
    if (node)
        put_message(by, node, depth);
    for (unsigned i = packed ? take_below(by->bytes, 6) : 0; i && by->size + MOST_SCALAR < MOST_MADE; i--)
        put_number(by, packed->of.wire);
    size_t size = by->size - begin - 1;
    if (size > 127) {
        memmove(by->to + begin + 2, by->to + begin + 1, size);
        by->size++;
        by->to[begin + 1] = (uint8_t)(size >> 7);
    }
    by->to[begin] = (uint8_t)(size > 127 ? size | 128 : size);
}

static void put_field(unit_author *by, const wl_field *field, unsigned depth) {
    bool packs = field->action == WL_DO_REPEATED && field->of.wire != WL_WIRE_BYTES && take_below(by->bytes, 2);
    put_varint(by, (uint64_t)field->of.number << 3 | (packs ? WL_WIRE_BYTES : field->of.wire));
    if (packs)
        put_sized(by, NULL, field, depth);
    else if (field->of.kind == WL_KIND_MESSAGE)
        put_sized(by, depth < DEEPEST_MADE ? by->program->nodes + field->node : NULL, NULL, depth + 1);
    else if (field->of.wire == WL_WIRE_BYTES)
        put_text(by);
    else
        put_number(by, field->of.wire);
}

/* Fields that the message has, in any order, and now and then one that it has not. */
static void put_message(unit_author *by, const wl_node *node, unsigned depth) {
    const wl_field *fields = wl_fields_of(node);
    unsigned left_out = take(by->bytes), more = take_below(by->bytes, 6);
    for (uint32_t i = 0; i < node->of.count && by->size + 2 * MOST_SCALAR < MOST_MADE; i++) {
        if (fields[i].required && (left_out >> 5 || i != left_out % 8))
            put_field(by, fields + i, depth);
    }
    for (; more && by->size + 2 * MOST_SCALAR < MOST_MADE; more--) {
        unsigned choice = take(by->bytes);
        if (node->of.count && choice < 250) {
            put_field(by, fields + choice % node->of.count, depth);
        } else {
            put_varint(by, (choice & 1 ? 15u : 400u) << 3 | (choice >> 1 & 1 ? WL_WIRE_FIXED32 : WL_WIRE_VARINT));
            put_number(by, choice >> 1 & 1 ? WL_WIRE_FIXED32 : WL_WIRE_VARINT);
        }
    }
}

/* Writes a unit to `to`, which has room for MOST_MADE bytes; gives its size. */
static size_t make_unit(const wl_message_program *program, taker *bytes, uint8_t *to) {
    unit_author by = {.program = program, .bytes = bytes, .to = to};
    put_message(&by, program->nodes + program->unit_node, 0);
    /* A byte that is hit. */
    if (by.size && take_below(bytes, 16) == 1)
        to[take(bytes) % by.size] ^= (uint8_t)take(bytes);
    return by.size;
}

#endif
