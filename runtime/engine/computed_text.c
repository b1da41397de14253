/* Steps that compute text (computed_text.h). All text that they process is UTF-8 (TEXT_CLEAN). */
#include "computed_text.h"

#include "handlers.h"

const uint8_t wl_no_text[WL_TOO_LONG + 1] = {0};

/* The minimum and maximum of the second byte after a first one. */
static bool follows(uint8_t first, uint8_t second) {
    uint8_t least = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80, greatest = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
    return second >= least && second <= greatest;
}

size_t wl_text_step(wl_span text) {
    const uint8_t *at = text.at, first = at[0];
    size_t whole = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4, there = 1;
    if (first < 0xC2 || first > 0xF4)
        return 1;
    if (text.size > 1 && follows(first, at[1]))
        there++;
    while (there > 1 && there < whole && there < text.size && (at[there] & 0xC0) == 0x80)
        there++;
    return there;
}

static wl_span after(wl_span text, size_t size) { return (wl_span){text.at + size, text.size - size}; }

size_t wl_text_length(wl_span text) {
    size_t length = 0;
    for (; text.size; text = after(text, wl_text_step(text)))
        length++;
    return length;
}

WL_HANDLER(wl_text_constant) {
    run->spans[step->a] = (wl_span){step->constant, (size_t)step->d};
    GO_ON;
}

WL_HANDLER(wl_text_select) {
    int64_t chosen = run->registers[step->b] ? step->c : step->d;
    if (WL_UNLIKELY(wl_is_missing(run, step->b)))
        run->spans[step->a] = wl_text_none(wl_missing_reason(run, step->b));
    else
        run->spans[step->a] = chosen < 0 ? wl_text_none(WL_NULL) : run->spans[chosen];
    GO_ON;
}

/* The index of the first character, and the number of characters; false if the range is invalid. */
static bool take_places(const wl_run *run, const wl_instruction *step, size_t *from, size_t *count) {
    wl_integer begin = run->registers[step->c], end = run->registers[step->d];
    if (begin < 0 || end < begin)
        return false;
    *from = begin > (wl_integer)SIZE_MAX ? SIZE_MAX : (size_t)begin;
    *count = end - begin > (wl_integer)SIZE_MAX ? SIZE_MAX : (size_t)(end - begin);
    return true;
}

static wl_span without(wl_span text, size_t characters) {
    for (; text.size && characters; characters--)
        text = after(text, wl_text_step(text));
    return text;
}

static wl_span part(wl_run *run, const wl_instruction *step) {
    size_t from = 0, count = 0;
    wl_span text = run->spans[step->b];
    if (wl_text_missing(text))
        return wl_text_without(wl_text_reason(text));
    for (size_t i = 0; i < 2; i++) {
        const size_t number = (size_t)(i ? step->d : step->c);
        if (WL_UNLIKELY(wl_is_missing(run, number)))
            return wl_text_without(wl_missing_reason(run, number));
    }
    if (!take_places(run, step, &from, &count) || !wl_text_may_be_checked(run, text.size))
        return wl_text_none(WL_FAILED);
    wl_span rest = without(text, from);
    return (wl_span){rest.at, rest.size - without(rest, count).size};
}

/* Not inlined: a variable whose address is taken would prevent the handler from ending in a jump. */
__attribute__((noinline)) static void make_part(wl_run *run, const wl_instruction *step) {
    run->spans[step->a] = part(run, step);
}

WL_HANDLER(wl_text_part) {
    make_part(run, step);
    GO_ON;
}
