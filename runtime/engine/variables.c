/* Variables: values that what is read sets for what is read after it.
 *
 * One of the outermost object is carried from unit to unit in a chain (chains.c), which is never unknown. Where it is a
 * list, the chain has the number of its items, and the last of them are in a store, memory of the caller: item i in slot
 * i % WL_MOST_ITEMS, with i + 1 beside it, so that a slot tells whose it is. A fill that begins before the end of the
 * last one writes the same items once more. */
#include "handlers.h"

static uint8_t *slot_of(const wl_run *run, size_t store, uint64_t index) {
    return run->arguments->stores + (store * WL_MOST_ITEMS + index % WL_MOST_ITEMS) * WL_SLOT_BYTES;
}

/* The register has a value: it may have failed in an earlier turn of a loop. */
static void set(wl_run *run, size_t number, wl_integer value) {
    run->registers[number] = value;
    if (WL_UNLIKELY(run->poisoned))
        run->poison[number / 64] &= ~(UINT64_C(1) << number % 64);
}

WL_HANDLER(wl_variable_read) {
    set(run, step->a, run->chains[step->b].held);
    GO_ON;
}

WL_HANDLER(wl_variable_set) {
    set(run, step->a, run->registers[step->b]);
    if (step->c >= 0)
        run->chains[step->c].held = run->registers[step->b];
    GO_ON;
}

WL_HANDLER(wl_variable_append) {
    wl_chain *chain = run->chains + step->c;
    uint64_t pair[2] = {(uint64_t)run->registers[step->b], (uint64_t)chain->held + 1};
    /* Where rows are looked for, what seems to be an item may be none. */
    if (run->arguments->stores && !run->parse_only)
        memcpy(slot_of(run, step->a, (uint64_t)chain->held), pair, sizeof pair);
    chain->held = (int64_t)pair[1];
    set(run, (size_t)step->d, chain->held);
    GO_ON;
}

WL_HANDLER(wl_variable_item) {
    wl_integer index = run->registers[step->c];
    uint64_t pair[2] = {0, 0};
    if (!wl_is_poisoned(run, (size_t)step->c) && index >= 0 && index < run->chains[step->d].held && run->arguments->stores)
        memcpy(pair, slot_of(run, step->b, (uint64_t)index), sizeof pair);
    if (WL_UNLIKELY(pair[1] != (uint64_t)index + 1 || pair[1] == 0))
        wl_poison(run, step->a);
    else
        set(run, step->a, (int64_t)pair[0]);
    GO_ON;
}
