/* Un-stuffing the frames of a group. */
#include <stdlib.h>

#include "frames.h"

/* Number of bytes that may be read after a row, so that many are copied in whole vectors. */
#define SPARE (WL_COPY_SHORT + WL_COPY_BLOCK)

/* Frames that are stuffed in more than one block, without their first header. */
typedef struct {
    size_t count;
    size_t bytes;
    uint32_t largest;
    uint8_t numbers[WL_GROUP];
    const uint8_t *from[WL_GROUP];
    uint32_t sizes[WL_GROUP];
} stuffed;

/* Scratch memory for at least `size` bytes, so that copies into it and out of it may use whole vectors. The size is
 * that of available bytes, never one that the input claims. */
static bool reserve(wl_run *run, size_t size) {
    if (size + SPARE <= run->scratch_size)
        return true;
    size_t wanted = size * 2 + SPARE;
    uint8_t *scratch = realloc(run->scratch, wanted);
    if (!scratch)
        return false;
    run->scratch = scratch;
    run->scratch_size = wanted;
    return true;
}

/* Whether the bytes between delimiters are known to contain no 00. */
static bool cuts_at_zero(const wl_program *program) {
    return program->delimiter_size == 1 && program->delimiter[0] == 0;
}

static void note(stuffed *some, size_t number, const uint8_t *data, size_t size) {
    some->numbers[some->count] = (uint8_t)number;
    some->from[some->count] = data + 1;
    some->sizes[some->count++] = (uint32_t)(size - 1);
    some->bytes += size - 1;
    some->largest = size - 1 > some->largest ? (uint32_t)(size - 1) : some->largest;
}

/* Frames in their original form. A single block is unchanged after its header. Others count as damaged for now: `plain`
 * receives those that keep their size except for the first header, if their blocks are short; `others` the rest. */
static void place(const wl_run *run, wl_frames *frames, stuffed *plain, stuffed *others) {
    const uint8_t *source = run->arguments->source;
    unsigned stuffing = run->program->stuffing.kind;
    bool words = stuffing == WL_STUFFING_WORD, is_known = words || cuts_at_zero(run->program);
    size_t most = words ? 252 : 254;
    frames->damaged = 0;
    for (size_t i = 0; i < frames->count; i++) {
        const uint8_t *data = source + frames->contents[i];
        size_t size = frames->after[i] - frames->contents[i];
        uint8_t damage = WL_REASON_NONE;
        if (stuffing != WL_STUFFING_NONE) {
            size_t literals = (size_t)data[0] - !words;
            if (WL_LIKELY(literals < most && size == literals + 1 && is_known)) {
                data++;
            } else {
                damage = WL_REASON_STUFFING;
                note(words && literals < most && size <= WL_COPY_SHORT ? plain : others, i, data, size);
            }
        }
        frames->data[i] = data;
        frames->ends[i] = source + frames->after[i];
        frames->damages[i] = damage;
        frames->damaged += damage != WL_REASON_NONE;
    }
    frames->spare = frames->count ? run->arguments->end - frames->after[frames->count - 1] : 0;
}

static void settle(wl_frames *frames, size_t number, const uint8_t *data, const uint8_t *end) {
    frames->damages[number] = WL_REASON_NONE;
    frames->damaged--;
    frames->data[number] = data;
    frames->ends[number] = end;
}

/* Un-stuffs one frame, to its position in scratch memory but not beyond: what is after it may have been written
 * already. */
static void unstuff_one(const wl_run *run, wl_frames *frames, const stuffed *some, size_t i, uint8_t *out) {
    const uint8_t *data = some->from[i] - 1;
    size_t size = (size_t)some->sizes[i] + 1, readable = (size_t)(run->arguments->source + run->arguments->end - data);
    size_t written = run->program->stuffing.kind == WL_STUFFING_WORD
                         ? wl_word_unstuff_within(data, size, out, size - 1, readable)
                         : wl_cobs_unstuff_within(data, size, out, size - 1, readable, cuts_at_zero(run->program));
    if (written != WL_NOT_FOUND)
        settle(frames, some->numbers[i], out, out + written);
}

static void unstuff_each(const wl_run *run, wl_frames *frames, const stuffed *some, uint8_t *out) {
    for (size_t i = 0; i < some->count; out += some->sizes[i++])
        unstuff_one(run, frames, some, i, out);
}

/* Word-stuffed frames of short blocks are copied, then un-stuffed in parallel. */
static void unstuff_plain(const wl_run *run, wl_frames *frames, const stuffed *some, uint8_t *out) {
    uint8_t *at[WL_GROUP], *ends[WL_GROUP];
    wl_chosen.copy_many(out, 0, some->from, some->sizes, some->count, some->largest);
    for (size_t i = 0; i < some->count; i++) {
        at[i] = out + some->from[i][-1];
        ends[i] = out += some->sizes[i];
    }
    wl_word_unstuff_copies(at, ends, some->count);
    for (size_t i = 0; i < some->count; i++) {
        uint8_t *begin = ends[i] - some->sizes[i];
        if (WL_LIKELY(at[i] == ends[i]))
            settle(frames, some->numbers[i], begin, ends[i]);
        else if (ends[i] - at[i] >= 2)
            unstuff_one(run, frames, some, i, begin);
    }
}

/* Frames in a code with parameters. Without an escape a frame is its content. */
static bool unstuff_others(wl_run *run, wl_frames *frames) {
    const wl_stuffing *stuffing = &run->program->stuffing;
    size_t total = 0;
    frames->damaged = 0;
    for (size_t i = 0; i < frames->count; i++) {
        const uint8_t *data = run->arguments->source + frames->contents[i];
        size_t size = frames->after[i] - frames->contents[i];
        bool is_plain = stuffing->kind == WL_STUFFING_ESCAPE && !memchr(data, stuffing->value, size);
        frames->data[i] = data;
        frames->ends[i] = data + size;
        frames->damages[i] = is_plain ? WL_REASON_NONE : WL_REASON_STUFFING;
        frames->damaged += !is_plain;
        total += is_plain ? 0 : size;
    }
    frames->spare = frames->count ? run->arguments->end - frames->after[frames->count - 1] : 0;
    if (!total)
        return true;
    if (!reserve(run, total))
        return false;
    uint8_t *out = run->scratch;
    for (size_t i = 0; i < frames->count; i++) {
        if (frames->damages[i] == WL_REASON_NONE)
            continue;
        size_t size = (size_t)(frames->ends[i] - frames->data[i]);
        size_t written = wl_unstuff(stuffing, frames->data[i], size, out);
        if (written != WL_NOT_FOUND)
            settle(frames, i, out, out + written);
        out += size;
    }
    frames->spare = wl_smaller(frames->spare, SPARE);
    return true;
}

bool wl_frames_unstuff(wl_run *run, wl_frames *frames) {
    if (wl_stuffing_parameters(run->program->stuffing.kind))
        return unstuff_others(run, frames);
    stuffed plain, others;
    plain.count = plain.bytes = plain.largest = 0;
    others.count = others.bytes = others.largest = 0;
    place(run, frames, &plain, &others);
    if (!plain.count && !others.count)
        return true;
    if (!reserve(run, plain.bytes + others.bytes))
        return false;
    if (frames->spare >= SPARE)
        unstuff_plain(run, frames, &plain, run->scratch);
    else
        unstuff_each(run, frames, &plain, run->scratch);
    unstuff_each(run, frames, &others, run->scratch + plain.bytes);
    frames->spare = wl_smaller(frames->spare, SPARE);
    return true;
}
