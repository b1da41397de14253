/* Loops, and the lists whose items they read. */
#include "handlers.h"

/* Counts an item; false: there are too many. */
static bool takes_item(wl_run *run) {
    if (run->items_left == 0)
        return false;
    run->items_left--;
    return true;
}

WL_HANDLER(wl_loop_begin) {
    wl_loop *loop = run->loops + step->a;
    *loop = (wl_loop){.turn = cursor, .contents = run->content_count};
    if (step->b == WL_LOOP_COUNT) {
        if (WL_UNLIKELY(wl_is_missing(run, (size_t)step->d)))
            return wl_lost(run, WL_REASON_VALUE);
        loop->remaining = run->registers[step->d] - 1;
    }
    if (step->b == WL_LOOP_COUNT ? loop->remaining < 0 : step->b == WL_LOOP_END && cursor == limit) {
        if (WL_UNLIKELY(step->b == WL_LOOP_END && wl_is_cut(run)))
            return wl_wait(run, limit);
        GO_ON_AT(step + step->c);
    }
    if (WL_UNLIKELY(run->counts_items && !takes_item(run)))
        return wl_lost(run, WL_REASON_ITEMS);
    GO_ON;
}

/* Counts an iteration that took no bytes, since there could be infinitely many. Returns the reason if there are too
 * many of them. */
static uint32_t idle(wl_run *run, wl_loop *loop) {
    if (++loop->idle > WL_MOST_IDLE)
        return WL_REASON_LENGTH;
    return takes_item(run) ? WL_REASON_NONE : WL_REASON_ITEMS;
}

WL_HANDLER(wl_again) {
    wl_loop *loop = run->loops + step->a;
    bool ends;
    uint32_t stalled = WL_REASON_NONE;
    if (WL_UNLIKELY(run->content_count > loop->contents))
        wl_contents_end_turn(run, loop->contents);
    if (WL_LIKELY(cursor != loop->turn))
        loop->idle = 0;
    else
        stalled = idle(run, loop);
    if (WL_UNLIKELY(stalled))
        return wl_lost(run, stalled);
    if (step->b == WL_LOOP_COUNT) {
        ends = loop->remaining == 0;
        loop->remaining--;
    } else if (step->b == WL_LOOP_END) {
        ends = cursor == limit;
        if (WL_UNLIKELY(ends && wl_is_cut(run)))
            return wl_wait(run, limit);
    } else {
        if (WL_UNLIKELY(wl_is_missing(run, (size_t)step->d)))
            return wl_lost(run, WL_REASON_VALUE);
        ends = run->registers[step->d] != 0;
    }
    if (ends)
        GO_ON;
    if (WL_UNLIKELY(run->turns == 0))
        return wl_lost(run, WL_REASON_LENGTH);
    if (WL_UNLIKELY(run->counts_items && !takes_item(run)))
        return wl_lost(run, WL_REASON_ITEMS);
    run->turns -= run->parse_only;
    loop->turn = cursor;
    loop->index++;
    GO_ON_AT(step + step->c);
}

WL_HANDLER(wl_loop_index) {
    run->registers[step->a] = (wl_integer)run->loops[step->b].index;
    GO_ON;
}

/* Lists ------------------------------------------------------------------------------------------------------------ */

WL_HANDLER(wl_list_begin) {
    run->levels[step->b].row = row;
    GO_ON;
}

WL_HANDLER(wl_list_end) {
    row = run->levels[step->b].row;
    if (step->offsets)
        wl_store4(step->offsets + row * 4 + 4, (uint32_t)run->levels[step->b].used);
    GO_ON;
}

WL_HANDLER(wl_item_begin) {
    row = run->levels[step->b].used;
    size_t capacity = run->arguments->items[step->b - 1];
    if (WL_UNLIKELY(row >= capacity))
        return wl_no_room_for(run, 1 + step->b, capacity);
    wl_level_unset(run, step->b, row);
    GO_ON;
}

WL_HANDLER(wl_item_end) {
    run->levels[step->b].used++;
    GO_ON;
}
