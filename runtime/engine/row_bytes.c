/* Handlers for bytes whose size depends on the input, and for sub-streams. */
#include "handlers.h"
#include "computed_text.h"

/* The size register[number] + more is not available. */
__attribute__((noinline)) static int no_size(wl_run *run, const uint8_t *cursor, size_t number, int64_t more) {
    wl_integer value;
    if (wl_is_missing(run, number))
        return wl_lost(run, WL_REASON_VALUE);
    if (__builtin_add_overflow(run->registers[number], (wl_integer)more, &value) || value < 0)
        return wl_lost(run, WL_REASON_LENGTH);
    return wl_missing(run, cursor, value > (wl_integer)SIZE_MAX ? SIZE_MAX : (uint64_t)value);
}

WL_HANDLER(wl_bytes_register) {
    size_t size;
    if (WL_UNLIKELY(!wl_take_size(run, cursor, limit, step->b, step->c, &size)))
        return no_size(run, cursor, step->b, step->c);
    run->spans[step->a] = (wl_span){cursor, size};
    cursor += size;
    GO_ON;
}

WL_HANDLER(wl_bytes_fixed) {
    if (WL_UNLIKELY((uint64_t)step->c > (size_t)(limit - cursor)))
        return wl_missing(run, cursor, (uint64_t)step->c);
    run->spans[step->a] = (wl_span){cursor, (size_t)step->c};
    cursor += step->c;
    GO_ON;
}

WL_HANDLER(wl_bytes_rest) {
    if (WL_UNLIKELY(wl_is_cut(run)))
        return wl_wait(run, limit);
    run->spans[step->a] = (wl_span){cursor, (size_t)(limit - cursor)};
    cursor = limit;
    GO_ON;
}

static inline const uint8_t *find(const wl_run *run, uint8_t value, const uint8_t *from, const uint8_t *to) {
    if (WL_UNLIKELY(run->index != NULL))
        return wl_index_find(run->index, value, from, to);
    return from < to ? memchr(from, value, (size_t)(to - from)) : NULL;
}

WL_HANDLER(wl_bytes_terminated) {
    size_t left = (size_t)(limit - cursor);
    const uint8_t *found = find(run, (uint8_t)step->b, cursor, limit);
    if (!found && step->c & 4)
        return wl_missing(run, cursor, (uint64_t)left + 1);
    if (found) {
        run->spans[step->a] = (wl_span){cursor, (size_t)(found - cursor) + (step->c & 1)};
        cursor = found + (step->c >> 1 & 1);
    } else {
        if (WL_UNLIKELY(wl_is_cut(run)))
            return wl_wait(run, limit);
        run->spans[step->a] = (wl_span){cursor, left};
        cursor = limit;
    }
    GO_ON;
}

WL_HANDLER(wl_skip_register) {
    size_t size;
    if (WL_UNLIKELY(!wl_take_size(run, cursor, limit, step->a, step->c, &size)))
        return no_size(run, cursor, step->a, step->c);
    cursor += size;
    GO_ON;
}

WL_HANDLER(wl_trim_right) {
    wl_span *span = run->spans + step->a;
    if (WL_UNLIKELY(run->index != NULL))
        span->size = wl_index_trim(run->index, (uint8_t)step->c, span->at, span->size);
    while (span->size && span->at[span->size - 1] == (uint8_t)step->c)
        span->size--;
    GO_ON;
}

WL_HANDLER(wl_cut_terminator) {
    wl_span *span = run->spans + step->a;
    const uint8_t *found = find(run, (uint8_t)step->c, span->at, span->at + span->size);
    if (found)
        span->size = (size_t)(found - span->at) + (step->b & 1);
    GO_ON;
}

/* A part that is not inside of the bytes has no value: the row is damaged, and the part is replaced by an empty one. */
WL_HANDLER(wl_slice) {
    const wl_span of = run->spans[step->b];
    const size_t first = (size_t)step->c, last = (size_t)step->d;
    wl_integer from = run->registers[first], to = run->registers[last];
    if (WL_UNLIKELY(wl_is_missing(run, first) || wl_is_missing(run, last) || from < 0 || to < from ||
                    to > (wl_integer)of.size)) {
        wl_refuse(run, WL_REASON_VALUE);
        from = to = 0;
    }
    run->spans[step->a] = (wl_span){from ? of.at + from : of.at, (size_t)(to - from)};
    GO_ON;
}

/* `readable`: the number of bytes that may be read from the beginning of the span. */
static inline int column_bytes(const wl_instruction *step, wl_run *run, size_t row, size_t readable) {
    wl_span span = run->spans[step->b];
    size_t used = wl_load4(step->offsets + row * 4), room = (size_t)step->d;
    /* The used size is read back from the caller's memory, so it is not trusted. */
    if (WL_UNLIKELY(used > room || span.size > room - used)) {
        run->needed = used + span.size;
        /* What is around the rows of a unit is repeated in each row, so it may be more than a column can contain. */
        if (run->program->has_rows && run->units[0].rows == 0 && run->needed > INT32_MAX)
            return wl_lost(run, WL_REASON_LIMIT);
        run->column = step->a;
        return WL_ROW_NO_ROOM;
    }
    wl_copy(step->out + used, span.at, span.size, room - used, readable);
    wl_store4(step->offsets + row * 4 + 4, (uint32_t)(used + span.size));
    return WL_ROW_COMPLETE;
}

WL_HANDLER(wl_column_bytes) {
    int outcome = column_bytes(step, run, row, (size_t)(run->readable - run->spans[step->b].at));
    if (WL_UNLIKELY(outcome != WL_ROW_COMPLETE))
        return outcome;
    GO_ON;
}

WL_HANDLER(wl_column_bytes_anywhere) {
    const wl_span span = run->spans[step->b];
    if (WL_UNLIKELY(wl_text_missing(span))) {
        const unsigned reason = wl_text_reason(span);
        if (reason == WL_FAILED || reason == WL_TOO_LONG)
            wl_refuse(run, reason == WL_FAILED ? WL_REASON_VALUE : WL_REASON_LIMIT);
        wl_column_null(run, step->a, row);
        GO_ON;
    }
    int outcome = column_bytes(step, run, row, run->arguments->input_count ? span.size : wl_contents_readable(run, span.at));
    if (WL_UNLIKELY(outcome != WL_ROW_COMPLETE))
        return outcome;
    GO_ON;
}

/* Sub-streams ------------------------------------------------------------------------------------------------------ */

static inline const uint8_t *enter(wl_run *run, const wl_instruction *step, const uint8_t *cursor, const uint8_t *limit,
                                   size_t row, size_t size) {
    const uint8_t *end = cursor + size;
    assert(size <= (size_t)(limit - cursor) || step->operation == WL_RUN_LIMIT_SPAN);
    run->limits[run->depth++] = (wl_limit){.begin = cursor,
                                           .end = end,
                                           .outer = limit,
                                           .after = end,
                                           .leave = step->b & WL_LIMIT_CONTAINS ? step + step->d : NULL,
                                           .contents = run->content_count,
                                           .refuses = step->b & WL_LIMIT_REFUSES ? step + step->d : NULL,
                                           .calls = run->call_depth,
                                           .row = row};
    return end;
}

/* Enters a sub-stream that ends `beyond` bytes after the end of the input, since what is complete in it counts; false if
 * it ends elsewhere. */
static bool enter_cut(wl_run *run, const wl_instruction *step, const uint8_t *cursor, const uint8_t *limit, size_t row,
                      uint64_t beyond) {
    if (!(step->b & WL_LIMIT_OPEN) || run->parse_only || run->program->delimiter_size || !run->is_final ||
        run->program->positions || (run->depth && beyond > run->limits[run->depth - 1].beyond))
        return false;
    enter(run, step, cursor, limit, row, (size_t)(limit - cursor));
    run->limits[run->depth - 1].beyond = beyond;
    return true;
}

/* The same for a sub-stream of register[number] + more bytes. */
static bool enter_cut_of(wl_run *run, const wl_instruction *step, const uint8_t *cursor, const uint8_t *limit,
                         size_t row) {
    wl_integer value;
    if (wl_is_missing(run, step->a) || __builtin_add_overflow(run->registers[step->a], (wl_integer)step->c, &value) ||
        value <= limit - cursor || value > (wl_integer)INT64_MAX)
        return false;
    return enter_cut(run, step, cursor, limit, row, (uint64_t)value - (uint64_t)(limit - cursor));
}

WL_HANDLER(wl_limit_register) {
    size_t size;
    if (WL_LIKELY(wl_take_size(run, cursor, limit, step->a, step->c, &size)))
        limit = enter(run, step, cursor, limit, row, size);
    else if (!enter_cut_of(run, step, cursor, limit, row))
        return no_size(run, cursor, step->a, step->c);
    GO_ON;
}

WL_HANDLER(wl_limit_fixed) {
    size_t left = (size_t)(limit - cursor);
    if (WL_UNLIKELY(step->a && wl_is_cut(run))) {
        if (!run->depth || !enter_cut(run, step, cursor, limit, row, run->limits[run->depth - 1].beyond))
            return wl_wait(run, limit);
        GO_ON;
    }
    if (WL_LIKELY((uint64_t)step->c <= left))
        limit = enter(run, step, cursor, limit, row, step->a ? left : (size_t)step->c);
    else if (!enter_cut(run, step, cursor, limit, row, (uint64_t)step->c - left))
        return wl_missing(run, cursor, (uint64_t)step->c);
    GO_ON;
}

/* Enters bytes that were found before; reading then continues at the previous cursor. Rows in it have the position of
 * the field that contains them, as in a block, unless the bytes have just been read. */
WL_HANDLER(wl_limit_span) {
    const wl_span span = run->spans[step->a];
    enter(run, step, span.at, limit, row, span.size);
    run->limits[run->depth - 1].after = cursor;
    if (step->b & WL_LIMIT_CONTAINS && step->c >= 0 && !run->block_begin) {
        run->block_begin = run->marks[step->c];
        run->block_end = cursor;
        run->block_depth = run->depth;
    }
    cursor = span.at;
    limit = span.at + span.size;
    GO_ON;
}

WL_HANDLER(wl_limit_end) {
    assert(run->depth);
    const wl_limit *left = run->limits + run->depth - 1;
    if (WL_UNLIKELY(left->beyond))
        return wl_wait(run, limit);
    run->depth--;
    cursor = left->after;
    limit = left->outer;
    if (WL_UNLIKELY(run->content_count != left->contents && left->leave))
        wl_contents_release(run, left->contents);
    wl_block_leave(run);
    GO_ON;
}
