/* Finds the steps that a call needs.
 *
 * Columns that are not wanted are dropped, and then, from the last step to the first, everything that only they needed.
 * An EXPRESSION is dropped too if its result is not needed: a value that is not used cannot be wrong. */
#include <string.h>

#include "plan.h"

bool wl_wants_column(const wl_needs *need, size_t column) {
    return !need->parse_only && need->arguments->columns[column].wanted;
}

/* A list without a wanted column is read without a result. */
bool wl_wants_level(const wl_needs *need, size_t level) {
    for (uint32_t i = 0; i < need->program->column_count && !need->parse_only; i++) {
        if (need->program->levels[i] == level && need->arguments->columns[i].wanted)
            return true;
    }
    return false;
}

static bool is_list_needed(wl_needs *need, const wl_step *step) {
    if (step->op == WL_OP_LIST || step->op == WL_OP_LIST_END)
        need->list_wanted[step->b] = wl_wants_column(need, step->a);
    return need->list_wanted[step->b] || wl_wants_level(need, step->b);
}

/* Whether this call runs the step. */
static bool is_needed(wl_needs *need, const wl_step *step) {
    switch (wl_operation_of(step)->runs_for) {
    case WL_FOR_RESULT:
        return wl_step_sets_any(step, &need->values);
    case WL_FOR_COLUMN:
        /* Of a struct only its presence is written. */
        return wl_wants_column(need, step->a) && (step->op != WL_OP_COLUMN_STRUCT || need->program->conditional[step->a]);
    case WL_FOR_CHECKSUMS:
        return need->arguments->verify;
    case WL_FOR_ROWS:
        /* A row outside of the table is also evidence of where rows are. */
        return !need->parse_only && (step->op != WL_OP_REFUSE || !step->b || wl_wants_column(need, step->b - 1));
    case WL_FOR_SEARCH:
        return need->parse_only;
    case WL_FOR_LIST:
        return is_list_needed(need, step);
    case WL_FOR_JSON:
        return need->json;
    case WL_FOR_NOTHING:
        return false;
    default:
        return true;
    }
}

static bool writes_column(const wl_step *step) {
    return wl_writes_value(step) || step->op == WL_OP_COLUMN_NULL;
}

/* Whether the result of the attempt that ends at the step `end` is not needed. */
static bool is_idle_attempt(const wl_needs *need, uint32_t end) {
    const wl_program *program = need->program;
    if (need->steps[end].op != WL_OP_ATTEMPT_END)
        return false;
    for (uint32_t i = program->partner[end]; i < end; i++) {
        const wl_step *step = program->steps + i;
        if (program->reachable[i] && (step->op == WL_OP_SERIES || wl_step_sets_any(step, &need->values)))
            return false;
    }
    return true;
}

/* Results of a function come after the steps that read them if the function calls itself: then the needs are determined
 * again until they do not change. */
void wl_needs_find(wl_needs *need, uint32_t *use) {
    const wl_program *program = need->program;
    size_t before, now = 0;
    for (uint32_t i = 0; i < program->step_count; i++)
        need->json |= need->reachable[i] && need->steps[i].op == WL_OP_COLUMN_JSON && wl_wants_column(need, need->steps[i].a);
    do {
        before = now;
        uint32_t kept = program->step_count, column = kept; /* the next step that runs, the next one that would write a column but does not run */
        for (uint32_t i = program->step_count; i-- > 0;) {
            const wl_step *step = need->steps + i;
            if (is_idle_attempt(need, i)) {
                memset(use + program->partner[i], 0, (i + 1 - program->partner[i]) * sizeof *use);
                i = program->partner[i];
                continue;
            }
            /* A condition of columns that are not wanted is not computed either. Arms of messages (SKIP_UNLESS) lead to
             * steps that read them. */
            const bool skips = step->op == WL_OP_JUMP || step->op == WL_OP_SKIP_IF_ZERO;
            const bool needed =
                need->reachable[i] && !program->idle[i] && (!skips || kept < step->c || column >= step->c) && is_needed(need, step);
            const bool copies = step->op == WL_OP_COLUMN_REGISTER || step->op == WL_OP_COLUMN_TIMESTAMP;
            use[i] = needed ? 1 + (copies && !need->values.registers[step->b]) : 0;
            if (needed)
                wl_step_reads(program, need->codes, step, &need->values);
            kept = needed ? i : kept;
            column = !needed && writes_column(step) ? i : column;
        }
        now = 0;
        for (size_t i = 0; program->function_count && i < WL_MOST_REGISTERS; i++)
            now += need->values.registers[i];
    } while (now != before);
}
