/* Chains: checksums that continue those of previous items, of which the value of the last item is kept. Variables are
 * kept in the same way.
 *
 * The stored value of an item counts whether or not it is correct, so that damage costs one item. After lost bytes
 * nothing is known: the next item is not verified. */
#include "handlers.h"

/* Replaces the previously covered bytes if the previous item is known, so that the checksum is verified. */
#define VERIFIED SIZE_MAX

void wl_chains_start(wl_run *run) {
    if (run->arguments->chains)
        memcpy(run->known, run->arguments->chains, run->program->chain_count * sizeof *run->known);
}

static void forget_sums(wl_chain *chains, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (chains[i].state != WL_CHAIN_VARIABLE)
            chains[i].state = WL_CHAIN_UNKNOWN;
    }
}

void wl_chains_forget(wl_run *run) {
    if (!run->program->chain_count)
        return;
    wl_chains_start(run);
    forget_sums(run->known, run->program->chain_count);
}

void wl_chains_go_on_sums(wl_run *run) {
    for (size_t i = 0; i < run->program->chain_count; i++) {
        if (run->chains[i].state != WL_CHAIN_VARIABLE)
            run->known[i] = run->chains[i];
    }
}

void wl_chains_break_off(wl_run *run) {
    wl_chains_go_on(run);
    forget_sums(run->known, run->program->chain_count);
}

void wl_chains_tell(wl_run *run, size_t place) {
    size_t size = run->program->chain_count * sizeof *run->known;
    if (WL_UNLIKELY(size && run->arguments->chains))
        memcpy(run->arguments->chains + place * size, run->known, size);
}

void wl_chains_lose(wl_run *run, const wl_instruction *leave) {
    if (!run->program->chain_count)
        return;
    for (const wl_instruction *step = leave; step-- > run->plan;) {
        if (step->operation == WL_RUN_CHAIN_NOTE)
            run->chains[step->a].state = WL_CHAIN_UNKNOWN;
        bool enters = step->operation == WL_RUN_LIMIT_REGISTER || step->operation == WL_RUN_LIMIT_FIXED ||
                      step->operation == WL_RUN_LIMIT_SPAN;
        if (enters && step + step->d == leave)
            break;
    }
}

WL_HANDLER(wl_chain_read) {
    const wl_chain *chain = run->chains + step->b;
    run->registers[step->a] = chain->state == WL_CHAIN_FIRST ? (wl_integer)(uint64_t)step->d : chain->held;
    bool known = chain->state != WL_CHAIN_UNKNOWN;
    run->registers[step->c] = known;
    run->covered_before = known ? VERIFIED : run->covered;
    GO_ON;
}

WL_HANDLER(wl_chain_note) {
    bool known = !wl_is_missing(run, step->b);
    run->chains[step->a] = (wl_chain){known ? WL_CHAIN_KNOWN : WL_CHAIN_UNKNOWN, run->registers[step->b]};
    /* It proves nothing during a search for rows, unless it was verified. */
    if (run->covered_before != VERIFIED)
        run->covered = run->covered_before;
    GO_ON;
}
