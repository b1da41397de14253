/* Positions: what is read elsewhere in an open stream, and the position of a stream.
 *
 * Positions on the way to the rows may lead to the same bytes repeatedly. What is read there counts as items of the
 * unit: a number of bytes is an item, and after an interruption all bytes up to the end of the stream count.
 *
 * What a column needs from elsewhere is attempted: a failure is recorded, and refuses the rows whose columns need
 * it. */
#include "handlers.h"

#define BYTES_PER_ITEM 16

/* The sub-stream with that number, in the function that is running; NULL: the unit. */
static const wl_limit *stream(const wl_run *run, int64_t number) {
    size_t open = run->base_depth + (size_t)number;
    return open ? run->limits + open - 1 : NULL;
}

WL_HANDLER(wl_seek) {
    const wl_limit *of = stream(run, step->c);
    const uint8_t *begin = of ? of->begin : run->begin, *end = of ? of->end : run->end;
    wl_integer position = run->registers[step->a];
    if (WL_UNLIKELY(wl_is_missing(run, step->a)))
        return wl_lost(run, WL_REASON_VALUE);
    if (WL_UNLIKELY(position < 0))
        return wl_lost(run, WL_REASON_LENGTH);
    const uint8_t *target = position < end - begin ? begin + position : end;
    run->limits[run->depth++] = (wl_limit){.begin = begin,
                                           .end = end,
                                           .outer = limit,
                                           .after = cursor,
                                           .contents = run->content_count,
                                           .target = run->attempts ? NULL : target,
                                           .sound = run->sound,
                                           .is_unit = !of || of->is_unit};
    if (!run->attempts)
        run->sound = run->block_begin ? run->block_begin : target;
    base = cursor = target;
    limit = end;
    GO_ON;
}

WL_HANDLER(wl_seek_end) {
    const wl_limit *left = run->limits + run->depth - 1;
    if (WL_UNLIKELY(left->beyond))
        return wl_wait(run, limit);
    run->depth--;
    size_t items = left->target ? (size_t)(cursor - left->target) / BYTES_PER_ITEM : 0;
    if (left->target)
        run->sound = left->sound;
    cursor = left->after;
    limit = left->outer;
    if (run->content_count != left->contents && left->leave)
        wl_contents_release(run, left->contents);
    wl_block_leave(run);
    if (WL_UNLIKELY(items > run->items_left))
        return wl_lost(run, WL_REASON_ITEMS);
    run->items_left -= items;
    GO_ON;
}

void wl_seek_abandon(wl_run *run, const wl_limit *left) {
    if (!left->target)
        return;
    run->items_left -= wl_smaller(run->items_left, (size_t)(left->end - left->target) / BYTES_PER_ITEM);
    run->sound = left->sound;
}

/* Where a byte stands in a sub-stream, or in the unit. */
static wl_integer place_in(const wl_run *run, const wl_limit *of, const uint8_t *at) {
    if (of || run->program->delimiter_size)
        return at - (of ? of->begin : run->begin);
    return (wl_integer)run->arguments->base_offset + (at - run->arguments->source);
}

bool wl_stream_value(const wl_run *run, const wl_instruction *step, const uint8_t *cursor, wl_integer *found) {
    const wl_limit *of = stream(run, step->c);
    const uint8_t *begin = of ? of->begin : run->begin;
    if (step->b == 2) {
        const wl_limit *inner = run->limits + run->base_depth + step->c;
        *found = place_in(run, of, inner->after) + (wl_integer)inner->beyond;
        return true;
    }
    if (step->b && !of && !run->is_final && (step->b != 3 || cursor == run->end))
        return false;
    if (step->b == 3) {
        *found = cursor == run->end;
        return true;
    }
    if (step->b)
        *found = of ? of->end - begin + (wl_integer)of->beyond : run->end - begin;
    else
        *found = place_in(run, of, cursor);
    return true;
}

WL_HANDLER(wl_stream) {
    if (WL_UNLIKELY(!wl_stream_value(run, step, cursor, run->registers + step->a)))
        return wl_wait(run, limit);
    GO_ON;
}

WL_HANDLER(wl_attempt) {
    const wl_limit *of = run->depth ? run->limits + run->depth - 1 : NULL;
    run->limits[run->depth++] = (wl_limit){.begin = of ? of->begin : run->begin,
                                           .end = limit,
                                           .outer = limit,
                                           .after = cursor,
                                           .contents = run->content_count,
                                           .is_unit = !of || of->is_unit,
                                           .attempt = step + step->d,
                                           .refused = run->refused,
                                           .row = row};
    run->registers[step->a] = WL_REASON_NONE;
    run->refused = WL_REASON_NONE;
    run->attempts = true;
    GO_ON;
}

WL_HANDLER(wl_attempt_end) {
    const wl_limit *left = run->limits + --run->depth;
    run->registers[step->a] = run->refused & ~WL_BY_CODEC;
    run->refused = left->refused;
    run->attempts = false;
    cursor = left->after;
    limit = left->outer;
    wl_block_leave(run);
    GO_ON;
}

WL_HANDLER(wl_refuse_for) {
    const wl_integer reason = run->registers[step->a];
    if (WL_UNLIKELY(reason != WL_REASON_NONE && !wl_is_missing(run, step->a)))
        wl_refuse(run, reason > 0 && reason <= WL_REASON_ITEMS ? (uint32_t)reason : WL_REASON_VALUE);
    GO_ON;
}
