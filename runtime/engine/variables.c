/* Variables: values set by what is read, for what is read after it.
 *
 * A variable of the outermost object is a carried value (carried_values.c), which is never unknown. If it is a list, the
 * carried value is the number of its items, and the last of them are in a store, which is memory of the caller: item i
 * is in slot i % WL_KEPT_ITEMS, together with i + 1, so that a slot identifies its item. A fill that begins before the
 * end of the last one writes the same items again; those that it may read have not been overwritten by the last one: a
 * caller gives the store as it was if an incomplete unit may have added more than WL_MOST_ITEMS. */
#include "handlers.h"

_Static_assert(WL_KEPT_CHANGES >= WL_MOST_ITEMS, "a caller need not distinguish tables from lists");
_Static_assert(WL_KEPT_ITEMS == 2 * WL_MOST_ITEMS, "as many items as may be read can be added in vain");

static uint8_t *slot_of(const wl_run *run, size_t store, uint64_t index) {
    return run->arguments->stores + (store * WL_KEPT_ITEMS + index % WL_KEPT_ITEMS) * WL_SLOT_BYTES;
}

WL_HANDLER(wl_variable_read) {
    wl_set_register(run, step->a, run->carried[step->b].value);
    GO_ON;
}

WL_HANDLER(wl_variable_set) {
    wl_set_register(run, step->a, run->registers[step->b]);
    if (step->c >= 0)
        run->carried[step->c].value = run->registers[step->b];
    GO_ON;
}

WL_HANDLER(wl_variable_append) {
    wl_carried_value *carried = run->carried + step->c;
    uint64_t pair[2] = {(uint64_t)run->registers[step->b], (uint64_t)carried->value + 1};
    /* An item that a search for rows tries must not take the place of one that the next offset may read. */
    if (run->arguments->stores && wl_carried_tried(run, carried) < WL_MOST_ITEMS)
        memcpy(slot_of(run, step->a, (uint64_t)carried->value), pair, sizeof pair);
    carried->value = (int64_t)pair[1];
    wl_set_register(run, (size_t)step->d, carried->value);
    GO_ON;
}

WL_HANDLER(wl_variable_item) {
    wl_integer index = run->registers[step->c];
    uint64_t pair[2] = {0, 0};
    const wl_integer count = run->carried[step->d].value;
    const bool is_there = index >= 0 && index < count && index >= count - WL_MOST_ITEMS;
    if (!wl_is_missing(run, (size_t)step->c) && is_there && run->arguments->stores)
        memcpy(pair, slot_of(run, step->b, (uint64_t)index), sizeof pair);
    if (WL_UNLIKELY(pair[1] != (uint64_t)index + 1 || pair[1] == 0))
        wl_set_missing(run, step->a, WL_FAILED);
    else
        wl_set_register(run, step->a, (int64_t)pair[0]);
    GO_ON;
}
