/* Definite assignment: finds the registers, spans and marks that a step may read before any step of the row has set
 * them. These begin every row as zero; all others are always set by the row, and need no clearing.
 *
 * Jumps only lead forward, so one pass is enough: where paths join, the set values are those set on all of them. At the
 * beginning of a loop iteration these are the values set before the loop, since the end of an iteration has set those
 * too. */
#include <stdlib.h>
#include <string.h>

#include "operations.h"

bool wl_row_loop_leaks(const wl_program *program) {
    const uint32_t first = program->row_loop, last = (uint32_t)program->steps[first].c - 1;
    wl_values inside = {{false}, {false}, {false}}, outside = inside;
    for (uint32_t i = 0; i < program->step_count; i++) {
        if (!program->reachable[i])
            continue;
        if (i >= first && i <= last)
            wl_step_sets(program, program->steps + i, &inside);
        else
            wl_step_reads(program, NULL, program->steps + i, &outside);
    }
    const bool *written = (const bool *)&inside, *read = (const bool *)&outside;
    for (size_t i = 0; i < sizeof inside / sizeof *written; i++) {
        if (written[i] && read[i])
            return true;
    }
    return false;
}

/* Records that paths on which only `set` has been set lead to a step. False: out of memory. */
static bool meet(wl_values **at, uint32_t step, const wl_values *set) {
    if (!at[step]) {
        at[step] = malloc(sizeof *set);
        if (at[step])
            *at[step] = *set;
        return at[step] != NULL;
    }
    bool *met = (bool *)at[step];
    for (size_t i = 0; i < sizeof *set / sizeof *met; i++)
        met[i] &= ((const bool *)set)[i];
    return true;
}

/* Records what is in `read`, and what is not in `set` either. */
static void note_read(const wl_program *program, const wl_values *read, const wl_values *set) {
    bool *unset = program->unset;
    for (uint32_t i = 0; i < program->register_count; i++) {
        *unset++ |= read->registers[i] && !set->registers[i];
        program->readers[i] += read->registers[i] && program->readers[i] < UINT8_MAX;
    }
    for (uint32_t i = 0; i < program->span_count; i++)
        *unset++ |= read->spans[i] && !set->spans[i];
    for (uint32_t i = 0; i < program->mark_count; i++)
        *unset++ |= read->marks[i] && !set->marks[i];
}

static void set_all(bool *set, const wl_range *range) { memset(set + range->from, true, (size_t)(range->to - range->from)); }

/* What is certainly set at the beginning of the row, or of a function, which may be called from anywhere and whose own
 * values a call has cleared. */
static wl_values set_at_beginning(const wl_program *program, const wl_function *function) {
    wl_values set = {{false}, {false}, {false}};
    memset(set.registers, true, program->input_register_count);
    if (function) {
        set_all(set.registers, &function->registers);
        set_all(set.spans, &function->spans);
        set_all(set.marks, &function->marks);
    }
    return set;
}

/* `at`: for each step, what is set on all jumps to it; NULL if there are none. */
static bool find_unset(const wl_program *program, wl_values **at) {
    wl_values set = set_at_beginning(program, NULL), read;
    bool runs_on = true;
    for (uint32_t i = 0; i < program->step_count; i++) {
        const wl_step *step = program->steps + i;
        if (at[i] && runs_on && !meet(at, i, &set))
            return false;
        if (at[i])
            set = *at[i];
        if (!program->reachable[i])
            continue;
        if (step->op == WL_OP_FUNCTION)
            set = set_at_beginning(program, program->functions + step->a);
        read = (wl_values){{false}, {false}, {false}};
        wl_step_reads(program, NULL, step, &read);
        note_read(program, &read, &set);
        wl_step_sets(program, step, &set);
        const uint32_t to = wl_step_leads_to(program, program->steps, i);
        if (to && !meet(at, to, &set))
            return false;
        const uint8_t flow = wl_operation_of(step)->flow;
        runs_on = flow != WL_FLOW_JUMP && flow != WL_FLOW_END;
    }
    return true;
}

bool wl_program_assignment(wl_program *program) {
    wl_values **at = calloc(program->step_count, sizeof *at);
    bool good = at && find_unset(program, at);
    for (uint32_t i = 0; at && i < program->step_count; i++)
        free(at[i]);
    free(at);
    return good;
}
