/* Compressed blocks: a sub-stream whose bytes are replaced by their content, which a function of the caller provides.
 *
 * A content is another memory area that cursors, spans and marks may point to. It is kept as long as anything may point
 * to it: that of a block around rows until the block is left, any other one until the end of the row or the unit.
 * Before it is released, pointers into it are set to the beginning of the unit. Computed text (computed_text.c) is kept
 * in the same way. */
#include <stdlib.h>

#include "handlers.h"
#include "computed_text.h"

/* Maximum number of bytes that are kept at the same time. */
#define MOST_HELD ((size_t)1 << 31)
/* The cost of a block for a resync, in loop iterations: a call, plus one iteration per eight bytes. */
#define CALL_TURNS 256
#define BYTES_PER_TURN 8

/* Resets all pointers into the content. */
static void forget(wl_run *run, const wl_content *content) {
    for (uint32_t i = 0; i < run->program->span_count; i++) {
        if (wl_content_holds(content, run->spans[i].at))
            run->spans[i] = (wl_span){run->begin, 0};
    }
    for (uint32_t i = 0; i < run->program->mark_count; i++) {
        if (wl_content_holds(content, run->marks[i]))
            run->marks[i] = run->begin;
    }
    if (run->series_of_contents)
        wl_series_forget(run, content);
}

static void release(wl_run *run, const wl_held *held) {
    const wl_content *content = &held->content;
    forget(run, content);
    run->content_bytes -= content->size;
    if (held->made)
        free(content->handle);
    else if (content->handle)
        run->arguments->expander->release(run->arguments->expander->context, content);
}

void wl_contents_release(wl_run *run, size_t from) {
    while (run->content_count > from)
        release(run, run->contents + --run->content_count);
}

void wl_contents_end_turn(wl_run *run, size_t from) {
    while (run->content_count > from && run->contents[run->content_count - 1].made)
        release(run, run->contents + --run->content_count);
}

void wl_contents_start(wl_run *run) {
    wl_contents_release(run, 0);
    run->block_begin = NULL;
    run->block_depth = 0;
}

void wl_contents_release_row(wl_run *run) {
    while (run->content_count && run->contents[run->content_count - 1].in_row)
        release(run, run->contents + --run->content_count);
}

static bool is_between(const uint8_t *begin, const uint8_t *at, const uint8_t *end) { return at >= begin && at <= end; }

bool wl_contents_same(const wl_run *run, const uint8_t *from, const uint8_t *to) {
    if (is_between(run->begin, from, run->end) && is_between(run->begin, to, run->end))
        return true;
    for (size_t i = run->content_count; i-- > 0;) {
        const wl_content *content = &run->contents[i].content;
        if (wl_content_holds(content, from) && wl_content_holds(content, to))
            return true;
    }
    return false;
}

/* Makes room for one more; false if out of memory. */
static bool grow(wl_run *run) {
    if (run->content_count < run->content_room)
        return true;
    size_t room = run->content_room ? 2 * run->content_room : 8;
    wl_held *contents = realloc(run->contents, room * sizeof *contents);
    if (!contents)
        return false;
    run->contents = contents;
    run->content_room = room;
    return true;
}

/* During a resync: false if garbage has used up the allowance for decompression. */
static bool affords(wl_run *run, size_t bytes) {
    uint64_t cost = CALL_TURNS + bytes / BYTES_PER_TURN;
    if (!run->parse_only)
        return true;
    if (cost > run->turns) {
        run->turns = 0;
        return false;
    }
    run->turns -= cost;
    return true;
}

uint8_t *wl_text_hold(wl_run *run, size_t size) {
    if (size > MOST_HELD - run->content_bytes || !affords(run, size) || !grow(run))
        return NULL;
    uint8_t *made = malloc(size ? size : 1);
    if (!made)
        return NULL;
    run->contents[run->content_count++] = (wl_held){{made, size, made}, run->in_row, true};
    run->content_bytes += size;
    return made;
}

static int64_t size_of(const wl_run *run, int64_t number) {
    if (number < 0)
        return WL_SIZE_UNKNOWN;
    wl_integer size = run->registers[number];
    return size < 0 || size > INT64_MAX ? WL_SIZE_NONE : (int64_t)size;
}

/* Returns the reason why there is no content; WL_REASON_NONE if it is in *content. */
static uint32_t expand(wl_run *run, const wl_instruction *step, const uint8_t *from, const uint8_t *to,
                       wl_content *content) {
    const wl_expander *expander = run->arguments->expander;
    wl_integer chosen = run->registers[step->c & 0xFFFF];
    wl_block block = {
        .number = step->a,
        .chosen = chosen < 0 || chosen > INT64_MAX ? -1 : (int64_t)chosen,
        .size = size_of(run, (step->c >> 16) - 1),
        .data = from,
        .data_size = (size_t)(to - from),
        .position = UINT64_MAX,
    };
    if (!run->program->delimiter_size && !run->block_begin)
        block.position = run->arguments->base_offset + (uint64_t)(from - run->arguments->source);
    *content = (wl_content){from, 0, NULL};
    if (!expander)
        return WL_REASON_CODEC;
    if (!affords(run, block.data_size) || !grow(run))
        return WL_REASON_LIMIT;
    uint32_t reason = expander->expand(expander->context, &block, content);
    if (reason)
        return reason;
    if (content->size > MOST_HELD - run->content_bytes || !affords(run, content->size)) {
        if (content->handle)
            expander->release(expander->context, content);
        return WL_REASON_LIMIT;
    }
    return WL_REASON_NONE;
}

/* Not inlined: a variable whose address is taken would prevent the handler from ending in a jump. */
__attribute__((noinline)) static uint32_t open_block(wl_run *run, const wl_instruction *step, const uint8_t *cursor,
                                                     const uint8_t *limit) {
    wl_content content;
    uint32_t reason = expand(run, step, cursor, limit, &content);
    /* Bytes that are their own content are not moved, and keep their offsets. */
    if (!reason && content.at == cursor)
        return WL_REASON_NONE;
    if (!run->block_begin) {
        run->block_begin = cursor;
        run->block_end = limit;
        run->block_depth = run->depth;
    }
    if (reason)
        return reason;
    run->contents[run->content_count++] = (wl_held){content, run->in_row, false};
    run->content_bytes += content.size;
    run->counts_items |= content.size > (size_t)(limit - cursor);
    return WL_REASON_NONE;
}

WL_HANDLER(wl_expand) {
    bool contains = run->limits[run->depth - 1].leave != NULL;
    size_t chosen = step->c & 0xFFFF, size = (size_t)(step->c >> 16);
    if (wl_is_missing(run, chosen) || (size && wl_is_missing(run, size - 1)))
        return wl_lost(run, WL_REASON_VALUE);
    if (WL_UNLIKELY(wl_is_cut(run)))
        return wl_wait(run, limit);
    /* A checksum shows that the bytes are damaged, or the rows inside of them do not count anyway. */
    if (contains && wl_refused_around(run))
        return wl_lost(run, wl_refused_around(run) & ~WL_BY_CODEC);
    /* The number of rows is limited by the number of bytes, as it would be without a codec. */
    run->items_left += contains ? (uint64_t)(limit - cursor) : 0;
    size_t held = run->content_count;
    uint32_t reason = open_block(run, step, cursor, limit);
    if (WL_UNLIKELY(reason)) {
        if (contains || step->b)
            return wl_lost(run, reason);
        wl_refuse(run, reason | WL_BY_CODEC);
        GO_ON_AT(step + step->d);
    }
    if (!contains && !step->b) {
        run->limits[run->depth - 1].grown = step + step->d;
        run->limits[run->depth - 1].row = row;
    }
    if (run->content_count == held)
        GO_ON;
    const wl_content *content = &run->contents[held].content;
    base = cursor = content->at;
    limit = cursor + content->size;
    run->limits[run->depth - 1].begin = cursor;
    run->limits[run->depth - 1].end = limit;
    GO_ON;
}
