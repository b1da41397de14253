/* Functions: steps that are called, also recursively, for objects that contain objects of their own type.
 *
 * A function has its own registers, spans, marks and loops. A call saves their contents for an active call of the same
 * function, and clears them; its end restores them. So a call needs as much memory as the function's own values, and at
 * most WL_DEEPEST_CALL calls are active. A call that takes no bytes counts as an item. */
#include <stdlib.h>

#include "handlers.h"

typedef struct {
    const wl_instruction *next; /* after the call */
    const wl_function *function;
    const uint8_t *begin; /* the previous cursor */
    unsigned base_depth;
} frame;

/* The size in bytes of each part of a function's own values, in the order in which they are saved. */
enum { REGISTERS, MISSING, SPANS, MARKS, LOOPS, PARTS };

typedef struct {
    uint8_t *at;
    size_t size;
} part;

static void parts_of(wl_run *run, const wl_function *function, part *parts) {
    const wl_range *own = &function->registers;
    parts[REGISTERS] = (part){(uint8_t *)(run->registers + own->from), (size_t)(own->to - own->from) * sizeof *run->registers};
    /* Whole words, of which only the function's own bits are restored. */
    size_t words = own->to > own->from ? (size_t)(own->to - 1) / 64 + 1 - own->from / 64 : 0;
    parts[MISSING] = (part){(uint8_t *)(run->missing + own->from / 64), words * sizeof *run->missing};
    own = &function->spans;
    parts[SPANS] = (part){(uint8_t *)(run->spans + own->from), (size_t)(own->to - own->from) * sizeof *run->spans};
    own = &function->marks;
    parts[MARKS] = (part){(uint8_t *)(run->marks + own->from), (size_t)(own->to - own->from) * sizeof *run->marks};
    own = &function->loops;
    parts[LOOPS] = (part){(uint8_t *)(run->loops + own->from), (size_t)(own->to - own->from) * sizeof *run->loops};
}

static bool has_room(wl_run *run, size_t more) {
    if (more <= run->frames_room - run->frames_used)
        return true;
    size_t room = 2 * run->frames_room + more;
    uint8_t *frames = realloc(run->frames, room);
    if (!frames)
        return false;
    run->frames = frames;
    run->frames_room = room;
    return true;
}

static size_t size_of(const part *parts) {
    size_t size = sizeof(frame);
    for (size_t i = 0; i < PARTS; i++)
        size += parts[i].size;
    return size;
}

/* Restores from the saved words whether the function's own registers could be computed; the other bits may contain
 * results for its caller. */
static void put_back_missing(wl_run *run, const wl_range *own, const uint8_t *from) {
    for (size_t word = own->from / 64; own->to > own->from && word <= (size_t)(own->to - 1) / 64; word++) {
        uint64_t mine = UINT64_MAX, kept;
        if (word == own->from / 64)
            mine &= UINT64_MAX << own->from % 64;
        if (word == (size_t)(own->to - 1) / 64)
            mine &= UINT64_MAX >> (63 - (own->to - 1) % 64);
        memcpy(&kept, from, sizeof kept);
        from += sizeof kept;
        run->missing[word] = (run->missing[word] & ~mine) | (kept & mine);
    }
}

/* Clears a function's own bits; the bits of other functions' registers in the same word are kept. */
static void clear_missing(wl_run *run, const wl_function *function) {
    for (size_t i = function->registers.from; i < function->registers.to; i++)
        run->missing[i / 64] &= ~(UINT64_C(1) << i % 64);
}

static void clear(wl_run *run, const wl_function *function, const uint8_t *cursor) {
    memset(run->registers + function->registers.from, 0,
           (size_t)(function->registers.to - function->registers.from) * sizeof *run->registers);
    if (run->some_missing)
        clear_missing(run, function);
    for (size_t i = function->spans.from; i < function->spans.to; i++)
        run->spans[i] = (wl_span){cursor, 0};
    for (size_t i = function->marks.from; i < function->marks.to; i++)
        run->marks[i] = cursor;
}

WL_HANDLER(wl_call) {
    const wl_function *function = run->program->functions + step->a;
    part parts[PARTS];
    parts_of(run, function, parts);
    size_t size = size_of(parts);
    if (WL_UNLIKELY(run->call_depth == WL_DEEPEST_CALL || run->depth + function->limits > WL_MOST_OPEN_LIMITS ||
                    !has_room(run, size)))
        return wl_lost(run, WL_REASON_NESTED);
    uint8_t *to = run->frames + run->frames_used;
    for (size_t i = 0; i < PARTS; i++) {
        if (parts[i].size)
            memcpy(to, parts[i].at, parts[i].size);
        to += parts[i].size;
    }
    const frame kept = {step + 1, function, cursor, run->base_depth};
    memcpy(to, &kept, sizeof kept);
    run->frames_used += size;
    run->call_depth++;
    run->base_depth = run->depth;
    clear(run, function, cursor);
    GO_ON_AT(step + step->c);
}

/* End of the function: the saved values are restored. */
static frame leave(wl_run *run) {
    frame kept;
    part parts[PARTS];
    memcpy(&kept, run->frames + run->frames_used - sizeof kept, sizeof kept);
    parts_of(run, kept.function, parts);
    run->frames_used -= size_of(parts);
    const uint8_t *from = run->frames + run->frames_used;
    for (size_t i = 0; i < PARTS; i++) {
        if (i == MISSING)
            put_back_missing(run, &kept.function->registers, from);
        else if (parts[i].size)
            memcpy(parts[i].at, from, parts[i].size);
        from += parts[i].size;
    }
    run->base_depth = kept.base_depth;
    run->call_depth--;
    return kept;
}

void wl_calls_leave(wl_run *run, unsigned calls) {
    while (run->call_depth > calls)
        leave(run);
}

WL_HANDLER(wl_return) {
    (void)step;
    const frame kept = leave(run);
    if (WL_UNLIKELY(cursor == kept.begin)) {
        if (run->items_left == 0)
            return wl_lost(run, WL_REASON_ITEMS);
        run->items_left--;
    }
    if (WL_UNLIKELY(run->turns == 0))
        return wl_lost(run, WL_REASON_LENGTH);
    run->turns -= run->parse_only;
    GO_ON_AT(kept.next);
}
