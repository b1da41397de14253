/* Checksums that are values, over runs of bytes that are concatenated. */
#include <stdlib.h>

#include "computed_text.h"
#include "handlers.h"

/* A run that ends before it begins has no bytes, nor has one from the input to the content of a block. */
static wl_span run_at(const wl_run *run, size_t mark) {
    const uint8_t *from = run->marks[mark], *to = run->marks[mark + 1];
    const bool none = to < from || (run->content_count && !wl_contents_same(run, from, to));
    return (wl_span){from, none ? 0 : (size_t)(to - from)};
}

static size_t size_of(const wl_run *run, const wl_instruction *step) {
    size_t size = 0;
    for (size_t i = 0; i < (size_t)step->d; i++)
        size += run_at(run, (size_t)step->c + 2 * i).size;
    return size;
}

/* The bytes of all runs in one piece; `made`: memory that the caller frees. False: out of memory. */
static bool gather(const wl_run *run, const wl_instruction *step, wl_span *bytes, uint8_t **made) {
    *made = NULL;
    *bytes = run_at(run, (size_t)step->c);
    if (step->d == 1)
        return true;
    size_t size = size_of(run, step), used = 0;
    *made = malloc(size ? size : 1);
    if (!*made)
        return false;
    for (size_t i = 0; i < (size_t)step->d; i++) {
        const wl_span each = run_at(run, (size_t)step->c + 2 * i);
        memcpy(*made + used, each.at, each.size);
        used += each.size;
    }
    *bytes = (wl_span){*made, size};
    return true;
}

static uint64_t sum(wl_run *run, const wl_instruction *step) {
    const wl_algorithm *algorithm = run->checksums[step->b].algorithm;
    uint64_t state = algorithm->initial;
    if (wl_sums_in_pieces(&algorithm->of)) {
        for (size_t i = 0; i < (size_t)step->d; i++) {
            const wl_span each = run_at(run, (size_t)step->c + 2 * i);
            state = algorithm->update(state, each.at, each.size, algorithm->tables);
        }
        return wl_sum_of_state(algorithm, state);
    }
    wl_span bytes;
    uint8_t *made;
    if (gather(run, step, &bytes, &made))
        state = algorithm->update(state, bytes.at, bytes.size, algorithm->tables);
    else
        wl_refuse(run, WL_REASON_LIMIT);
    free(made);
    return wl_sum_of_state(algorithm, state);
}

/* Not inlined: a variable whose address is taken would prevent the handler from ending in a jump. */
__attribute__((noinline)) static void make_sum(wl_run *run, const wl_instruction *step) {
    /* During a search for rows, the number of bytes that may be processed is limited. */
    const bool may = wl_text_may_be_checked(run, size_of(run, step));
    wl_set_register(run, step->a, may ? (wl_integer)sum(run, step) : 0);
    if (!may)
        wl_refuse(run, WL_REASON_LENGTH);
}

WL_HANDLER(wl_sum_runs) {
    make_sum(run, step);
    GO_ON;
}

__attribute__((noinline)) static void make_digest(wl_run *run, const wl_instruction *step) {
    const wl_algorithm *algorithm = run->checksums[step->b].algorithm;
    uint8_t *result = run->digests + (size_t)step->b * WL_MOST_DIGEST;
    run->spans[step->a] = (wl_span){result, algorithm->digest_size};
    wl_span bytes;
    uint8_t *made = NULL;
    if (!wl_text_may_be_checked(run, size_of(run, step)))
        wl_refuse(run, WL_REASON_LENGTH);
    else if (gather(run, step, &bytes, &made))
        (*algorithm->digest)(bytes.at, bytes.size, result);
    else
        wl_refuse(run, WL_REASON_LIMIT);
    free(made);
}

WL_HANDLER(wl_digest_runs) {
    make_digest(run, step);
    GO_ON;
}
