/* Functions: steps that are called, also recursively, for objects that contain objects of their own type.
 *
 * A function has its own registers, spans, marks and loops. A call keeps those that the calling function needs after it,
 * and clears those that the called one may read before it sets them (liveness.c); the end of the called one restores what
 * was kept. At most WL_DEEPEST_CALL calls are active. A call that takes no bytes counts as an item. */
#include <stdlib.h>

#include "handlers.h"

/* After the kept values. */
typedef struct {
    const wl_instruction *next; /* after the call */
    const wl_kept *kept;
    const uint8_t *begin; /* the previous cursor */
    unsigned base_depth;
} frame;

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

uint32_t wl_kept_size(const wl_kept *kept) {
    const size_t size = kept->registers * sizeof(wl_integer) + kept->words * sizeof(uint64_t) + kept->spans * sizeof(wl_span) +
                        kept->marks * sizeof(uint8_t *) + kept->loops * sizeof(wl_loop) + sizeof(frame);
    return (uint32_t)size;
}

static uint8_t *put(uint8_t *to, const void *from, size_t size) {
    memcpy(to, from, size);
    return to + size;
}

static const uint8_t *take(void *to, const uint8_t *from, size_t size) {
    memcpy(to, from, size);
    return from + size;
}

/* Returns the end of the kept values. */
static uint8_t *keep(const wl_run *run, const wl_kept *kept, uint8_t *to) {
    const uint16_t *number = run->program->kept_numbers + kept->from;
    for (unsigned i = kept->registers; i > 0; i--)
        to = put(to, run->registers + *number++, sizeof *run->registers);
    for (unsigned i = 0; i < kept->words; i++)
        to = put(to, run->missing + kept->first_word + i, sizeof *run->missing);
    for (unsigned i = kept->spans; i > 0; i--)
        to = put(to, run->spans + *number++, sizeof *run->spans);
    for (unsigned i = kept->marks; i > 0; i--)
        to = put(to, run->marks + *number++, sizeof *run->marks);
    for (unsigned i = kept->loops; i > 0; i--)
        to = put(to, run->loops + *number++, sizeof *run->loops);
    return to;
}

/* Restores whether the kept registers have a value: others may contain results for the caller. */
static void restore_missing(wl_run *run, const wl_kept *kept, const uint8_t *from) {
    const uint64_t *masks = run->program->kept_masks + kept->masks;
    for (unsigned i = 0; i < kept->words; i++) {
        uint64_t word, *now = run->missing + kept->first_word + i;
        from = take(&word, from, sizeof word);
        *now = (*now & ~masks[i]) | (word & masks[i]);
    }
}

static void restore(wl_run *run, const wl_kept *kept, const uint8_t *from) {
    const uint16_t *number = run->program->kept_numbers + kept->from;
    for (unsigned i = kept->registers; i > 0; i--)
        from = take(run->registers + *number++, from, sizeof *run->registers);
    if (WL_UNLIKELY(run->some_missing))
        restore_missing(run, kept, from);
    from += kept->words * sizeof *run->missing;
    for (unsigned i = kept->spans; i > 0; i--)
        from = take(run->spans + *number++, from, sizeof *run->spans);
    for (unsigned i = kept->marks; i > 0; i--)
        from = take(run->marks + *number++, from, sizeof *run->marks);
    for (unsigned i = kept->loops; i > 0; i--)
        from = take(run->loops + *number++, from, sizeof *run->loops);
}

static void clear(wl_run *run, const wl_kept *cleared, const uint8_t *cursor) {
    const uint16_t *number = run->program->kept_numbers + cleared->from;
    for (unsigned i = cleared->registers; i > 0; i--)
        wl_set_register(run, *number++, 0);
    for (unsigned i = cleared->spans; i > 0; i--)
        run->spans[*number++] = (wl_span){cursor, 0};
    for (unsigned i = cleared->marks; i > 0; i--)
        run->marks[*number++] = cursor;
}

WL_HANDLER(wl_call) {
    const wl_function *function = run->program->functions + step->a;
    const wl_kept *kept = run->program->kept + step->d;
    const size_t size = kept->size;
    if (WL_UNLIKELY(run->call_depth == WL_DEEPEST_CALL || run->depth + function->limits > WL_MOST_OPEN_LIMITS ||
                    !has_room(run, size)))
        return wl_lost(run, WL_REASON_NESTED);
    const frame entry = {step + 1, kept, cursor, run->base_depth};
    put(keep(run, kept, run->frames + run->frames_used), &entry, sizeof entry);
    run->frames_used += size;
    run->call_depth++;
    run->base_depth = run->depth;
    clear(run, &function->cleared, cursor);
    GO_ON_AT(step + step->c);
}

/* End of the function: the kept values are restored. */
static frame leave(wl_run *run) {
    frame entry;
    memcpy(&entry, run->frames + run->frames_used - sizeof entry, sizeof entry);
    run->frames_used -= entry.kept->size;
    restore(run, entry.kept, run->frames + run->frames_used);
    run->base_depth = entry.base_depth;
    run->call_depth--;
    return entry;
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
