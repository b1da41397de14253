/* Checksums over a range of a row, in which the checksum's own bytes count as the rule says. */
#include "handlers.h"
#include "jumping_code.h"

/* Resync: whether so many bytes may be processed. */
static bool may_sum(wl_run *run, size_t size) {
    bool may = size <= run->summed;
    run->summed -= may ? size : run->summed;
    if (!may)
        wl_refuse(run, WL_REASON_LENGTH);
    return may;
}

static uint64_t over(wl_run *run, const wl_checksum *checksum, uint64_t state, const uint8_t *from, const uint8_t *to) {
    size_t size = (size_t)(to - from);
    run->covered += size;
    if (WL_UNLIKELY(run->index != NULL)) {
        if (checksum->algorithm->crc)
            return wl_index_crc(run->index, checksum, state, from, to);
        if (!may_sum(run, size))
            return state;
    }
    return checksum->update(state, from, size, checksum->tables);
}

/* The rule replaces its own bytes, [own, own + size), as far as they are within the range. */
static uint64_t with_replacement(wl_run *run, const wl_checksum *checksum, uint64_t state, const uint8_t *from,
                                 const uint8_t *to) {
    const wl_rule *rule = checksum->rule;
    const uint8_t *own = run->marks[rule->own];
    size_t size = rule->own_size;
    if (own >= to)
        return over(run, checksum, state, from, to);
    if (own < from) {
        size_t before = (size_t)(from - own);
        size = size > before ? size - before : 0;
        own = from;
    }
    size = wl_smaller(size, (size_t)(to - own));
    uint8_t replacement[WL_MOST_OWN_BYTES];
    memset(replacement, rule->replace, sizeof replacement);
    state = over(run, checksum, state, from, own);
    state = checksum->update(state, replacement, size, checksum->tables);
    return over(run, checksum, state, own + size, to);
}

static uint64_t of_range(wl_run *run, const wl_checksum *checksum, const uint8_t *from, const uint8_t *to) {
    const wl_rule *rule = checksum->rule;
    uint64_t state = checksum->algorithm->initial;
    if (WL_UNLIKELY(rule->start != WL_NO_REGISTER)) {
        if (wl_is_missing(run, rule->start))
            wl_refuse(run, WL_REASON_VALUE);
        state = wl_state_of_sum(checksum->algorithm, (uint64_t)run->registers[rule->start]);
    } else if (WL_LIKELY(rule->replace >= 0 && run->marks[rule->own] == from &&
                         rule->own_size <= (size_t)(to - from))) {
        return over(run, checksum, checksum->replaced, from + rule->own_size, to);
    }
    return rule->replace >= 0 ? with_replacement(run, checksum, state, from, to) : over(run, checksum, state, from, to);
}

uint64_t wl_checksum_state(wl_run *run, const wl_checksum *checksum, const uint8_t *from, const uint8_t *to) {
    const uint64_t state = of_range(run, checksum, from, to);
    const uint32_t extra = checksum->rule->extra;
    if (WL_LIKELY(extra == WL_NO_REGISTER))
        return state;
    if (wl_is_missing(run, extra))
        wl_refuse(run, WL_REASON_VALUE);
    const uint8_t byte = (uint8_t)run->registers[extra];
    return checksum->update(state, &byte, 1, checksum->tables);
}

bool wl_checksum_stored(wl_run *run, const wl_checksum *checksum, uint64_t state, wl_integer found) {
    wl_integer stored = (wl_integer)wl_sum_of_state(checksum->algorithm, state);
    bool failed = false;
    if (checksum->rule->stored_size) {
        run->registers[checksum->rule->sum] = stored;
        stored = wl_expression_value(run, checksum->stored_code, &checksum->stored, &failed);
    }
    if (failed)
        wl_refuse(run, WL_REASON_VALUE);
    return stored == found;
}

/* Compares the bytes of a number, however many there are, lowest first or last. */
static bool is_number(wl_integer number, wl_span found, bool big) {
    for (size_t i = 0; i < found.size; i++, number >>= 8) {
        if (found.at[big ? found.size - 1 - i : i] != (uint8_t)number)
            return false;
    }
    return number == 0;
}

bool wl_checksum_in_span(wl_run *run, const wl_checksum *checksum, const uint8_t *from, const uint8_t *to,
                         wl_span found) {
    const wl_algorithm *algorithm = checksum->algorithm;
    if (!algorithm->digest) {
        uint64_t sum = wl_sum_of_state(algorithm, wl_checksum_state(run, checksum, from, to));
        return is_number((wl_integer)sum, found, checksum->rule->place == WL_SUM_IN_SPAN_BE);
    }
    uint8_t digest[WL_MOST_DIGEST];
    size_t size = (size_t)(to - from);
    run->covered += size;
    if (run->index && !may_sum(run, size))
        return false;
    (*algorithm->digest)(from, size, digest);
    return found.size <= algorithm->digest_size && memcmp(digest, found.at, found.size) == 0;
}
