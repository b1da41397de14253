/* Finds sequences of varints, and the shapes that they may have. */
#include "row_block_sequences.h"
#include "row_block_strings.h"

#include <stdlib.h>

#define EIGHT_TIMES(...) {__VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__}

const wl_sequence_constants wl_sequence_masks = {EIGHT_TIMES(0x7F, 0x7F), EIGHT_TIMES(1, 128)};

bool wl_sequence_find_shape(wl_varint_sequence *sequence, unsigned ends) {
    unsigned number = 0, at = 0;
    for (unsigned i = 0; i < sequence->count; i++, at++) {
        at += sequence->before[i];
        if (ends >> at & 1)
            continue;
        number |= 1u << i;
        if (!(ends >> ++at & 1))
            return false;
    }
    sequence->last = sequence->shapes + number;
    return true;
}

/* The shape with that number; `first`: the number of varints of the first string. */
static wl_sequence_shape shape_of(const wl_varint_sequence *sequence, unsigned number, unsigned first) {
    wl_sequence_shape shape = {0};
    unsigned at = 0;
    memset(shape.lanes, 0x80, sizeof shape.lanes);
    for (unsigned i = 0; i < sequence->count; i++) {
        const unsigned size = 1 + (number >> i & 1);
        at += sequence->before[i];
        for (unsigned byte = 0; byte < size; byte++) {
            shape.lanes[2 * i + byte] = (uint8_t)(at + byte);
            if (i + 1 == sequence->count)
                shape.lanes[2 * WL_SEQUENCE_VARINTS + byte] = (uint8_t)(at + byte);
            shape.parts |= (uint16_t)(1u << (at + byte));
        }
        at += size;
        shape.ends |= (uint16_t)(1u << (at - 1));
        if (i + 1 == first)
            shape.begin = (uint8_t)at;
    }
    shape.size = (uint8_t)at;
    return shape;
}

static bool is_short(const wl_row_block *block, const wl_string *string) {
    return string->kind == WL_BETWEEN_VARINTS && !string->condition && wl_row_block_short_varints(block, string);
}

/* Whether the varints of the next string continue those of that one. */
static bool continues(const wl_row_block *block, const wl_string *string) {
    const wl_string *next = string + 1;
    return next < block->strings + block->string_count && is_short(block, next) &&
           next->first == string->first + string->count &&
           block->varints[next->first].zigzag == block->varints[string->first].zigzag;
}

/* Adds the varints of a string; false: there are too many, or too many bytes. */
static bool add(wl_varint_sequence *sequence, const wl_string *string) {
    int64_t size = string->before;
    for (unsigned i = 0; i < sequence->count; i++)
        size += sequence->before[i];
    if (sequence->count + string->count > WL_SEQUENCE_VARINTS ||
        size + 2 * ((int64_t)sequence->count + string->count) > WL_SEQUENCE_BYTES)
        return false;
    sequence->before[sequence->count] = (uint8_t)string->before;
    sequence->count += string->count;
    return true;
}

void wl_row_block_find_sequences(wl_row_block *block) {
    size_t count = 0;
    for (size_t i = 0; i < block->string_count && count < WL_MOST_SEQUENCES; i++) {
        wl_string *string = block->strings + i;
        wl_varint_sequence sequence = {0};
        if (!is_short(block, string) || !add(&sequence, string))
            continue;
        sequence.zigzag = block->varints[string->first].zigzag;
        sequence.both = continues(block, string) && add(&sequence, string + 1);
        if (sequence.count < 2)
            continue;
        if (!block->sequences && !(block->sequences = malloc(WL_MOST_SEQUENCES * sizeof sequence)))
            return;
        for (unsigned number = 0; number < 1u << sequence.count; number++)
            sequence.shapes[number] = shape_of(&sequence, number, string->count);
        string->sequence = block->sequences + count++;
        *string->sequence = sequence;
        string->sequence->last = string->sequence->shapes;
    }
}
