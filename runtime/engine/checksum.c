/* Checksums over a range of a row, with the checksum's own bytes counted as the rule says. */
#include "internal.h"

static uint32_t over(wl_run *run, const wl_checksum *checksum, uint32_t state, const uint8_t *from, const uint8_t *to) {
    if (WL_UNLIKELY(run->index != NULL)) {
        run->covered += (size_t)(to - from);
        return wl_index_crc(run->index, checksum, state, from, to);
    }
    return checksum->update(state, from, (size_t)(to - from));
}

/* The rule replaces its own bytes: [own, own + size), as far as they lie in the range. */
static uint32_t with_replacement(wl_run *run, const wl_checksum *checksum, const uint8_t *from, const uint8_t *to) {
    const wl_rule *rule = checksum->rule;
    const uint8_t *own = run->marks[rule->own];
    size_t size = rule->own_size;
    if (WL_LIKELY(own == from && size <= (size_t)(to - from)))
        return over(run, checksum, checksum->replaced, from + size, to);
    if (own >= to)
        return over(run, checksum, rule->initial, from, to);
    if (own < from) {
        size_t before = (size_t)(from - own);
        size = size > before ? size - before : 0;
        own = from;
    }
    size = wl_smaller(size, (size_t)(to - own));
    uint8_t replacement[WL_MOST_OWN_BYTES];
    memset(replacement, rule->replace, sizeof replacement);
    uint32_t state = over(run, checksum, rule->initial, from, own);
    state = checksum->update(state, replacement, size);
    return over(run, checksum, state, own + size, to);
}

/* A range that ends before it begins has no bytes. */
uint32_t wl_checksum_run(wl_run *run, const wl_checksum *checksum, const uint8_t *from, const uint8_t *to) {
    uint32_t state;
    if (WL_UNLIKELY(to < from))
        to = from;
    if (checksum->rule->replace >= 0)
        state = with_replacement(run, checksum, from, to);
    else
        state = over(run, checksum, checksum->rule->initial, from, to);
    return state ^ checksum->rule->final_xor;
}
