/* Finds the steps that a call needs.
 *
 * Columns that are not wanted are dropped, and then, from the last step to the first, everything that only they needed.
 * An EXPRESSION is dropped too if its result is not needed: a value that is not used cannot be wrong. */
#include <string.h>

#include "computed_text.h"
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

static void need_checksum(wl_needs *need, const wl_step *step) {
    const wl_rule *rule = need->program->rules + step->a;
    if (rule->place == WL_IN_REGISTER)
        need->registers[step->b] = true;
    else
        need->spans[step->b] = true;
    if (rule->start != WL_NO_REGISTER)
        need->registers[rule->start] = true;
    need->marks[step->c] = need->marks[step->d] = true;
    if (rule->replace >= 0)
        need->marks[rule->own] = true;
}

static bool need_runs(wl_needs *need, const wl_step *step) {
    for (int64_t i = 0; i < 2 * step->d; i++)
        need->marks[step->c + i] = true;
    return true;
}

static bool is_text_needed(wl_needs *need, const wl_step *step) {
    const wl_text_reads reads = wl_text_reads_of(step);
    for (size_t i = 0; i < 2 && need->spans[step->a]; i++) {
        if (reads.spans[i] >= 0)
            need->spans[reads.spans[i]] = true;
        if (reads.registers[i] >= 0)
            need->registers[reads.registers[i]] = true;
    }
    return need->spans[step->a];
}

/* Whether this call runs the step; records what it reads. Called from the last step to the first. */
static bool is_needed(wl_needs *need, const wl_step *step) {
    switch (step->op) {
    case WL_OP_COLUMN_FIXED:
    case WL_OP_COLUMN_NULL:
        return wl_wants_column(need, step->a);
    case WL_OP_COLUMN_STRUCT:
        /* Only its presence is written. */
        return wl_wants_column(need, step->a) && need->program->conditional[step->a];
    case WL_OP_ROW:
    case WL_OP_ROW_END:
        return !need->parse_only;
    case WL_OP_LIST:
    case WL_OP_LIST_END:
        need->list_wanted[step->b] = wl_wants_column(need, step->a);
        return need->list_wanted[step->b] || wl_wants_level(need, step->b);
    case WL_OP_ITEM:
    case WL_OP_ITEM_END:
        return wl_wants_level(need, step->b) || need->list_wanted[step->b];
    case WL_OP_LOOP:
    case WL_OP_AGAIN:
        if (step->b == (step->op == WL_OP_LOOP ? WL_LOOP_COUNT : WL_LOOP_UNTIL))
            need->registers[step->d] = true;
        return true;
    case WL_OP_INDEX:
    case WL_OP_STREAM:
    case WL_OP_ABSENT:
    case WL_OP_VARIABLE:
        return need->registers[step->a];
    case WL_OP_ITEM_OF:
        if (need->registers[step->a])
            need->registers[step->c] = true;
        return need->registers[step->a];
    case WL_OP_SET:
    case WL_OP_APPEND:
        /* It may be read in a later loop iteration or unit. */
        need->registers[step->b] = true;
        return true;
    case WL_OP_COLUMN_BYTES:
    case WL_OP_COLUMN_TEXT:
        if (!wl_wants_column(need, step->a))
            return false;
        need->spans[step->b] = true;
        return true;
    case WL_OP_COLUMN_REGISTER:
    case WL_OP_COLUMN_TIMESTAMP:
        if (!wl_wants_column(need, step->a))
            return false;
        need->alone = !need->registers[step->b];
        need->registers[step->b] = true;
        return true;
    case WL_OP_REGISTER_FIXED:
        return need->registers[step->a];
    case WL_OP_NULL_UNLESS:
        if (wl_wants_column(need, step->a))
            need->registers[step->b] = true;
        return wl_wants_column(need, step->a);
    case WL_OP_EXPRESSION:
        if (need->registers[step->a])
            wl_expression_uses(wl_code_of(need, step), (size_t)step->d, need->registers, need->spans);
        return need->registers[step->a];
    case WL_OP_MARK:
        if (need->marks[step->a] && step->b >= 3)
            need->spans[step->c] = true;
        return need->marks[step->a];
    case WL_OP_FIELDS:
        need->registers[need->program->messages[step->b].broken] = true;
        return true;
    case WL_OP_LIMIT_SPAN:
        need->spans[step->a] = true;
        if (step->b && step->c >= 0)
            need->marks[step->c] = true;
        return true;
    case WL_OP_TRIM_RIGHT:
    case WL_OP_CUT_TERMINATOR:
    case WL_OP_REST:
        return need->spans[step->a];
    case WL_OP_SLICE:
        if (!need->spans[step->a])
            return false;
        need->spans[step->b] = need->registers[step->c] = need->registers[step->d] = true;
        return true;
    case WL_OP_SUM:
        return need->registers[step->a] && need_runs(need, step);
    case WL_OP_DIGEST:
        return need->spans[step->a] && need_runs(need, step);
    case WL_OP_CHECKSUM:
        if (!need->arguments->verify)
            return false;
        need_checksum(need, step);
        return true;
    case WL_OP_REFUSE:
        if (need->parse_only || (step->b && !wl_wants_column(need, step->b - 1)))
            return false;
        need->registers[step->a] = true;
        return true;
    case WL_OP_FUNCTION:
    case WL_STEP_FOLDED:
        return false;
    case WL_OP_CHAIN_BEGIN:
        return need->arguments->verify;
    case WL_OP_CHAIN:
        return need->registers[step->a] || need->registers[step->c];
    case WL_OP_CHAIN_NOTE:
        if (!need->arguments->verify)
            return false;
        need->registers[step->b] = true;
        return true;
    case WL_OP_SERIES_ADD:
        need->registers[step->b] = true;
        return true;
    case WL_OP_SERIES_ADD_TEXT:
        need->spans[step->b] = true;
        if (step->c >= 0)
            need->registers[step->c] = true;
        return true;
    case WL_OP_CHECK_UTF8:
        need->spans[step->a] = true;
        return true;
    case WL_OP_BYTES_REGISTER:
        need->registers[step->b] = true;
        return true;
    case WL_OP_EXPAND:
        need->registers[step->c] = true;
        if (step->d >= 0)
            need->registers[step->d] = true;
        return true;
    case WL_OP_WHERE:
        /* A row outside of the table is also evidence of where rows are. */
        if (need->parse_only)
            return false;
        need->registers[step->a] = true;
        return true;
    case WL_OP_CHECK_RANGE:
    case WL_OP_CHECK_TRUE:
    case WL_OP_SKIP_IF_ZERO:
    case WL_OP_SKIP_UNLESS:
    case WL_OP_LIMIT_REGISTER:
    case WL_OP_SKIP_REGISTER:
    case WL_OP_SEEK:
        need->registers[step->a] = true;
        return true;
    default:
        return !wl_makes_text(step->op) || is_text_needed(need, step);
    }
}

bool wl_writes_value(const wl_step *step) {
    return step->op == WL_OP_COLUMN_FIXED || step->op == WL_OP_COLUMN_TEXT || step->op == WL_OP_COLUMN_BYTES || step->op == WL_OP_COLUMN_REGISTER ||
           step->op == WL_OP_COLUMN_TIMESTAMP || step->op == WL_OP_LIST_END || step->op == WL_OP_COLUMN_STRUCT;
}

static bool writes_column(const wl_step *step) { return wl_writes_value(step) || step->op == WL_OP_COLUMN_NULL || step->op == WL_OP_NULL_UNLESS; }

/* Results of a function come after the steps that read them if the function calls itself: then the needs are determined
 * again until they do not change. */
void wl_needs_find(wl_needs *need, uint32_t *place) {
    const wl_program *program = need->program;
    size_t before, now = 0;
    do {
        before = now;
        uint32_t kept = program->step_count, column = kept; /* the next step that runs, the next column that does not */
        for (uint32_t i = program->step_count; i-- > 0;) {
            const wl_step *step = need->steps + i;
            if (step->op == WL_OP_ATTEMPT_END && !wl_finds_any(program, program->partner[i], i, need->registers, need->spans)) {
                /* An attempt whose result is not needed is skipped. */
                memset(place + program->partner[i], 0, (i + 1 - program->partner[i]) * sizeof *place);
                i = program->partner[i];
                continue;
            }
            bool leads = step->op != WL_OP_JUMP && step->op != WL_OP_SKIP_IF_ZERO;
            need->alone = false;
            /* A condition of columns that are not wanted is not computed either. */
            bool needed =
                need->reachable[i] && (leads || kept < step->c || column >= step->c) && is_needed(need, step);
            place[i] = needed ? 1 + need->alone : 0;
            kept = needed ? i : kept;
            column = !needed && writes_column(step) ? i : column;
        }
        now = 0;
        for (size_t i = 0; program->function_count && i < WL_MOST_REGISTERS; i++)
            now += need->registers[i];
    } while (now != before);
}
