/* Tables: at most one value for each key, both 64 signed bits. Their entries are pairs in ascending order of the keys.
 *
 * Those of constants are in the constants of the program. A variable that is a table has a store, memory of the caller
 * that is zeros at first: the number of changes so far, that of entries, the entries, and the last changes, each with
 * the key, its previous value, and whether it had one. Its carried value is the number of changes that count: those
 * after them, of a unit that was damaged or is read again, are taken back before the store is used. So a table is read
 * and set as it was, as long as no more than WL_KEPT_CHANGES are taken back: a caller gives the store as it was if an
 * incomplete unit may have made more. What is in a store is not trusted.
 *
 * A search for rows tries every offset, so that taking back would cost more than reading: what a tried row sets is kept
 * in place of the last changes alone, each with the key, its value, and the number of entries after it. */
#include "bytes.h"
#include "handlers.h"

enum { CHANGES, COUNT, ENTRIES, PAIR = 2, CHANGE = 3, UNDO = ENTRIES + PAIR * WL_MOST_KEYS, WORD = 8 };
/* Number of tried changes that are compared in the time of an iteration of a loop. */
enum { PER_TURN = 16 };
_Static_assert(WORD * (UNDO + CHANGE * WL_KEPT_CHANGES) <= WL_STORE_BYTES, "a table fits into a store");

static uint64_t get(const uint8_t *words, size_t number) { return wl_load_le8(words + WORD * number); }

static void put(uint8_t *words, size_t number, uint64_t value) {
    for (size_t i = 0; i < WORD; i++)
        words[WORD * number + i] = (uint8_t)(value >> 8 * i);
}

static size_t count_of(const uint8_t *store) {
    const uint64_t count = get(store, COUNT);
    return count < WL_MOST_KEYS ? (size_t)count : WL_MOST_KEYS;
}

/* The number of the first of `count` entries whose key is not less. */
static size_t place_of(const uint8_t *entries, size_t count, int64_t key) {
    size_t first = 0;
    while (count) {
        const size_t half = count / 2;
        const bool is_less = (int64_t)get(entries, PAIR * (first + half)) < key;
        first = is_less ? first + half + 1 : first;
        count = is_less ? count - half - 1 : half;
    }
    return first;
}

static bool has(const uint8_t *entries, size_t count, size_t place, int64_t key) {
    return place < count && (int64_t)get(entries, PAIR * place) == key;
}

/* Makes room for an entry, or removes one. */
static void move(uint8_t *store, size_t from, size_t to, size_t count) {
    uint8_t *entries = store + WORD * ENTRIES;
    memmove(entries + WORD * PAIR * to, entries + WORD * PAIR * from, WORD * PAIR * count);
}

static size_t undo_of(uint64_t change) { return UNDO + CHANGE * (size_t)(change % WL_KEPT_CHANGES); }

static void take_back(uint8_t *store, uint64_t change) {
    const size_t undo = undo_of(change), count = count_of(store);
    const int64_t key = (int64_t)get(store, undo);
    const size_t place = place_of(store + WORD * ENTRIES, count, key);
    if (!has(store + WORD * ENTRIES, count, place, key))
        return;
    if (get(store, undo + 2)) {
        put(store, ENTRIES + PAIR * place + 1, get(store, undo + 1));
    } else {
        move(store, place + 1, place, count - place - 1);
        put(store, COUNT, count - 1);
    }
}

/* The store with the changes that count; NULL if the caller gave none. */
static uint8_t *current(const wl_run *run, size_t number, const wl_carried_value *carried) {
    if (!run->arguments->stores)
        return NULL;
    uint8_t *store = run->arguments->stores + number * WL_STORE_BYTES;
    const uint64_t wanted = (uint64_t)(carried->value - wl_carried_tried(run, carried));
    uint64_t changes = get(store, CHANGES);
    for (size_t left = WL_KEPT_CHANGES; changes > wanted && left; left--)
        take_back(store, --changes);
    put(store, CHANGES, changes > wanted ? wanted : changes);
    return store;
}

/* The number of the word with the value of a key during a search; 0: there is none. */
static size_t tried_word(wl_run *run, const uint8_t *store, const wl_carried_value *carried, int64_t key) {
    const uint64_t made = (uint64_t)wl_carried_tried(run, carried), changes = (uint64_t)carried->value;
    uint64_t back = 1;
    while (back <= made && (int64_t)get(store, undo_of(changes - back)) != key)
        back++;
    run->turns -= wl_smaller(run->turns, back / PER_TURN);
    if (back <= made)
        return undo_of(changes - back) + 1;
    const size_t count = count_of(store), place = place_of(store + WORD * ENTRIES, count, key);
    return has(store + WORD * ENTRIES, count, place, key) ? ENTRIES + PAIR * place + 1 : 0;
}

static bool is_fit(wl_integer value) { return value == (int64_t)value; }

/* register[a] ← the value of the key in register[number] among the entries; null if there is none. */
static void look_up(wl_run *run, size_t result, size_t number, const uint8_t *entries, size_t count) {
    if (wl_is_missing(run, number)) {
        wl_set_missing(run, result, wl_missing_reason(run, number) == WL_FAILED ? WL_FAILED : WL_ABSENT);
        return;
    }
    const wl_integer key = run->registers[number];
    const size_t place = is_fit(key) ? place_of(entries, count, (int64_t)key) : count;
    if (is_fit(key) && has(entries, count, place, (int64_t)key))
        wl_set_register(run, result, (int64_t)get(entries, PAIR * place + 1));
    else
        wl_set_missing(run, result, WL_NULL);
}

WL_HANDLER(wl_constant_of) {
    look_up(run, step->a, step->b, step->constant, (size_t)step->d / (WORD * PAIR));
    GO_ON;
}

WL_HANDLER(wl_entry_of) {
    const wl_carried_value *carried = run->carried + step->d;
    const uint8_t *store = current(run, step->b, carried);
    const size_t number = (size_t)step->c;
    size_t word = 0;
    if (run->parse_only && store && !wl_is_missing(run, number) && is_fit(run->registers[number]))
        word = tried_word(run, store, carried, (int64_t)run->registers[number]);
    if (word)
        wl_set_register(run, step->a, (int64_t)get(store, word));
    else
        look_up(run, step->a, number, store ? store + WORD * ENTRIES : NULL, store ? count_of(store) : 0);
    GO_ON;
}

/* Sets an entry during a search. Returns the same as `set_entry`. */
static uint32_t set_tried(wl_run *run, uint8_t *store, wl_carried_value *carried, int64_t key, int64_t value) {
    const wl_integer made = wl_carried_tried(run, carried);
    const size_t word = tried_word(run, store, carried, key);
    if (word && (int64_t)get(store, word) == value)
        return WL_REASON_NONE;
    const uint64_t changes = (uint64_t)carried->value;
    const uint64_t count = made ? get(store, undo_of(changes - 1) + 2) : count_of(store);
    if (made == WL_KEPT_CHANGES || (!word && count >= WL_MOST_KEYS))
        return WL_REASON_LIMIT;
    put(store, undo_of(changes), (uint64_t)key);
    put(store, undo_of(changes) + 1, (uint64_t)value);
    put(store, undo_of(changes) + 2, count + !word);
    carried->value = (int64_t)(changes + 1);
    return WL_REASON_NONE;
}

/* Returns WL_REASON_NONE, or the reason why the entry cannot be set. */
__attribute__((noinline)) static uint32_t set_entry(wl_run *run, const wl_instruction *step) {
    const size_t registers[] = {step->b, (size_t)step->d};
    bool is_absent = false;
    for (size_t i = 0; i < 2; i++) {
        const bool is_missing = wl_is_missing(run, registers[i]);
        const bool is_failed = is_missing && wl_missing_reason(run, registers[i]) == WL_FAILED;
        if (is_failed)
            return WL_REASON_VALUE;
        is_absent |= is_missing;
    }
    if (is_absent)
        return WL_REASON_NONE;
    if (!is_fit(run->registers[step->b]) || !is_fit(run->registers[step->d]))
        return WL_REASON_VALUE;
    wl_carried_value *carried = run->carried + step->c;
    uint8_t *store = current(run, step->a, carried);
    if (!store)
        return WL_REASON_NONE;
    const int64_t key = (int64_t)run->registers[step->b], value = (int64_t)run->registers[step->d];
    if (run->parse_only)
        return set_tried(run, store, carried, key, value);
    const size_t count = count_of(store), place = place_of(store + WORD * ENTRIES, count, key);
    const bool is_there = has(store + WORD * ENTRIES, count, place, key);
    const uint64_t before = is_there ? get(store, ENTRIES + PAIR * place + 1) : 0;
    if (is_there && before == (uint64_t)value)
        return WL_REASON_NONE;
    if (!is_there && count == WL_MOST_KEYS)
        return WL_REASON_LIMIT;
    const uint64_t changes = get(store, CHANGES);
    const size_t undo = undo_of(changes);
    put(store, undo, (uint64_t)key);
    put(store, undo + 1, before);
    put(store, undo + 2, is_there);
    if (!is_there) {
        move(store, place, place + 1, count - place);
        put(store, ENTRIES + PAIR * place, (uint64_t)key);
        put(store, COUNT, count + 1);
    }
    put(store, ENTRIES + PAIR * place + 1, (uint64_t)value);
    put(store, CHANGES, changes + 1);
    carried->value = (int64_t)(changes + 1);
    return WL_REASON_NONE;
}

WL_HANDLER(wl_set_entry) {
    const uint32_t reason = set_entry(run, step);
    if (WL_UNLIKELY(reason))
        return wl_lost(run, reason);
    GO_ON;
}
