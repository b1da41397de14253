/* Carried values: what a unit leaves to the next one. They are running checksums, which continue those of previous items,
 * and variables of the outermost object.
 *
 * The stored checksum of an item counts whether or not it is correct, so that damage costs one item. After lost bytes no
 * checksum is known: the next item is not verified. */
#include "handlers.h"

/* Replaces the previously covered bytes if the previous item is known, so that the checksum is verified. */
#define VERIFIED SIZE_MAX

void wl_carried_load(wl_run *run) {
    if (run->arguments->carried_values)
        memcpy(run->committed, run->arguments->carried_values,
               run->program->carried_value_count * sizeof *run->committed);
}

static void forget_sums(wl_carried_value *values, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (values[i].state != WL_CARRIED_VARIABLE)
            values[i].state = WL_CARRIED_UNKNOWN;
    }
}

void wl_carried_load_variables(wl_run *run) {
    if (!run->program->carried_value_count)
        return;
    wl_carried_load(run);
    forget_sums(run->committed, run->program->carried_value_count);
}

int64_t wl_carried_tried(const wl_run *run, const wl_carried_value *carried) {
    wl_carried_value first = {.value = 0};
    if (!run->parse_only || !run->arguments->carried_values)
        return 0;
    memcpy(&first, run->arguments->carried_values + (size_t)(carried - run->carried) * sizeof first, sizeof first);
    return (int64_t)(carried->value - first.value);
}

void wl_carried_commit_checksums(wl_run *run) {
    for (size_t i = 0; i < run->program->carried_value_count; i++) {
        if (run->carried[i].state != WL_CARRIED_VARIABLE)
            run->committed[i] = run->carried[i];
    }
}

void wl_carried_commit_variables(wl_run *run) {
    wl_carried_commit(run);
    forget_sums(run->committed, run->program->carried_value_count);
}

void wl_carried_store(wl_run *run, size_t place) {
    size_t size = run->program->carried_value_count * sizeof *run->committed;
    if (WL_UNLIKELY(size && run->arguments->carried_values))
        memcpy(run->arguments->carried_values + place * size, run->committed, size);
}

void wl_carried_forget(wl_run *run, const wl_instruction *leave) {
    if (!run->program->carried_value_count)
        return;
    for (const wl_instruction *step = leave; step-- > run->plan;) {
        if (step->operation == WL_RUN_SET_RUNNING_CHECKSUM)
            run->carried[step->a].state = WL_CARRIED_UNKNOWN;
        bool enters = step->operation == WL_RUN_LIMIT_REGISTER || step->operation == WL_RUN_LIMIT_FIXED ||
                      step->operation == WL_RUN_LIMIT_SPAN;
        if (enters && step + step->d == leave)
            break;
    }
}

WL_HANDLER(wl_running_checksum_read) {
    const wl_carried_value *carried = run->carried + step->b;
    run->registers[step->a] = carried->state == WL_CARRIED_FIRST ? (wl_integer)(uint64_t)step->d : carried->value;
    bool known = carried->state != WL_CARRIED_UNKNOWN;
    run->registers[step->c] = known;
    run->covered_before = known ? VERIFIED : run->covered;
    GO_ON;
}

WL_HANDLER(wl_running_checksum_set) {
    bool known = !wl_is_missing(run, step->b);
    run->carried[step->a] = (wl_carried_value){known ? WL_CARRIED_KNOWN : WL_CARRIED_UNKNOWN, run->registers[step->b]};
    /* It proves nothing during a search for rows, unless it was verified. */
    if (run->covered_before != VERIFIED)
        run->covered = run->covered_before;
    GO_ON;
}
