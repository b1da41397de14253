/* Definite assignment: finds the registers, spans and marks that a step may read before any step of the row has set
 * them. These begin every row as zero; all others are always set by the row, and need no clearing.
 *
 * Jumps only lead forward, so one pass is enough: where paths join, the set values are those set on all of them. At the
 * beginning of a loop iteration these are the values set before the loop, since the end of an iteration has set those
 * too. */
#include <stdlib.h>
#include <string.h>

#include "computed_text.h"
#include "internal.h"

typedef struct {
    bool registers[WL_MOST_REGISTERS];
    bool spans[WL_MOST_SPANS];
    bool marks[WL_MOST_MARKS];
} values;

/* The values that BLANK sets: the registers and spans of a message's fields. */
static void note_blank(const wl_program *program, const wl_message_table *table, values *written) {
    written->registers[table->left] = true;
    for (uint32_t i = 0; i < table->count; i++) {
        const wl_message_field *field = program->message_fields + table->first + i;
        if (field->value != WL_NOWHERE)
            (wl_field_has_span(field) ? written->spans : written->registers)[field->value] = true;
        if (field->present != WL_NOWHERE)
            written->registers[field->present] = true;
    }
}

static void note_writes(const wl_program *program, const wl_step *step, values *written) {
    switch (step->op) {
    case WL_OP_BLANK:
        note_blank(program, program->messages + step->b, written);
        break;
    case WL_OP_FIELDS:
        written->registers[step->a] = true;
        break;
    case WL_OP_REGISTER_FIXED:
    case WL_OP_EXPRESSION:
    case WL_OP_INDEX:
    case WL_OP_VARINT:
    case WL_OP_STREAM:
    case WL_OP_ABSENT:
    case WL_OP_VARIABLE:
    case WL_OP_SET:
    case WL_OP_ITEM_OF:
    case WL_OP_ATTEMPT:
    case WL_OP_ATTEMPT_END:
    case WL_OP_SUM:
        written->registers[step->a] = true;
        break;
    case WL_OP_APPEND:
        written->registers[step->d] = true;
        break;
    case WL_OP_CHAIN:
        written->registers[step->a] = written->registers[step->c] = true;
        break;
    case WL_OP_BYTES_REGISTER:
    case WL_OP_BYTES_FIXED:
    case WL_OP_BYTES_REST:
    case WL_OP_REST:
    case WL_OP_BYTES_TERMINATED:
    case WL_OP_SLICE:
    case WL_OP_DIGEST:
        written->spans[step->a] = true;
        break;
    case WL_OP_MARK:
        written->marks[step->a] = true;
        break;
    default:
        if (wl_makes_text(step->op))
            written->spans[step->a] = true;
        break;
    }
}

static void note_text_reads(const wl_step *step, values *read) {
    const wl_text_reads reads = wl_text_reads_of(step);
    for (size_t i = 0; i < 2; i++) {
        if (reads.spans[i] >= 0)
            read->spans[reads.spans[i]] = true;
        if (reads.registers[i] >= 0)
            read->registers[reads.registers[i]] = true;
    }
}

static void note_checksum_reads(const wl_program *program, const wl_step *step, values *read) {
    const wl_rule *rule = program->rules + step->a;
    (rule->place == WL_IN_REGISTER ? read->registers : read->spans)[step->b] = true;
    read->marks[step->c] = read->marks[step->d] = true;
    if (rule->replace >= 0)
        read->marks[rule->own] = true;
    if (rule->start != WL_NO_REGISTER)
        read->registers[rule->start] = true;
}

static void note_reads(const wl_program *program, const wl_step *step, values *read) {
    switch (step->op) {
    case WL_OP_BYTES_REGISTER:
    case WL_OP_COLUMN_REGISTER:
    case WL_OP_COLUMN_TIMESTAMP:
    case WL_OP_CHAIN_NOTE:
    case WL_OP_SERIES_ADD:
    case WL_OP_SET:
    case WL_OP_APPEND:
    case WL_OP_NULL_UNLESS:
        read->registers[step->b] = true;
        break;
    case WL_OP_ITEM_OF:
        read->registers[step->c] = true;
        break;
    case WL_OP_CHECK_RANGE:
    case WL_OP_CHECK_TRUE:
    case WL_OP_WHERE:
    case WL_OP_SKIP_IF_ZERO:
    case WL_OP_SKIP_UNLESS:
    case WL_OP_LIMIT_REGISTER:
    case WL_OP_SKIP_REGISTER:
    case WL_OP_SEEK:
    case WL_OP_REFUSE:
        read->registers[step->a] = true;
        break;
    case WL_OP_FIELDS:
        read->registers[program->messages[step->b].left] = true;
        read->registers[program->messages[step->b].broken] = true;
        break;
    case WL_OP_MARK:
        if (step->b >= 3)
            read->spans[step->c] = true;
        break;
    case WL_OP_LIMIT_SPAN:
        read->spans[step->a] = true;
        if (step->b && step->c >= 0)
            read->marks[step->c] = true;
        break;
    case WL_OP_COLUMN_BYTES:
    case WL_OP_COLUMN_TEXT:
        read->spans[step->b] = true;
        break;
    case WL_OP_SERIES_ADD_TEXT:
        read->spans[step->b] = true;
        if (step->c >= 0)
            read->registers[step->c] = true;
        break;
    case WL_OP_CHECK_UTF8:
    case WL_OP_TRIM_RIGHT:
    case WL_OP_CUT_TERMINATOR:
        read->spans[step->a] = true;
        break;
    case WL_OP_SLICE:
        read->spans[step->b] = read->registers[step->c] = read->registers[step->d] = true;
        break;
    case WL_OP_SUM:
    case WL_OP_DIGEST:
        for (int64_t i = 0; i < 2 * step->d; i++)
            read->marks[step->c + i] = true;
        break;
    case WL_OP_CHECKSUM:
        note_checksum_reads(program, step, read);
        break;
    case WL_OP_EXPAND:
        read->registers[step->c] = true;
        if (step->d >= 0)
            read->registers[step->d] = true;
        break;
    case WL_OP_LOOP:
    case WL_OP_AGAIN:
        if (step->b == (step->op == WL_OP_LOOP ? WL_LOOP_COUNT : WL_LOOP_UNTIL))
            read->registers[step->d] = true;
        break;
    case WL_OP_EXPRESSION:
        wl_expression_uses(program->constants + step->c, (size_t)step->d, read->registers, read->spans);
        break;
    default:
        if (wl_makes_text(step->op))
            note_text_reads(step, read);
        break;
    }
}

uint32_t wl_step_leads_to(const wl_program *program, const wl_step *steps, uint32_t at) {
    const wl_step *step = steps + at;
    switch (step->op) {
    case WL_OP_LOOP:
        return step->b == WL_LOOP_UNTIL ? 0 : (uint32_t)step->c;
    case WL_OP_JUMP:
    case WL_OP_SKIP_IF_ZERO:
    case WL_OP_SKIP_UNLESS:
        return (uint32_t)step->c;
    case WL_OP_LIMIT_REGISTER:
    case WL_OP_LIMIT_FIXED:
    case WL_OP_LIMIT_SPAN:
        /* After damage that the sub-stream confines. */
        return step->b ? program->partner[at] : 0;
    case WL_OP_ATTEMPT:
        /* After something in it has been refused or lost. */
        return program->partner[at];
    case WL_OP_EXPAND:
        /* Without a content nothing of the block is read. */
        return program->partner[at];
    default:
        return 0;
    }
}

bool wl_finds_any(const wl_program *program, uint32_t from, uint32_t to, const bool *registers, const bool *spans) {
    values found = {{false}, {false}, {false}};
    for (uint32_t i = from; i < to; i++) {
        if (program->steps[i].op == WL_OP_SERIES)
            return true;
        note_writes(program, program->steps + i, &found);
    }
    for (size_t i = 0; i < WL_MOST_REGISTERS; i++) {
        if (registers[i] && found.registers[i])
            return true;
    }
    for (size_t i = 0; i < WL_MOST_SPANS; i++) {
        if (spans[i] && found.spans[i])
            return true;
    }
    return false;
}

bool wl_leaves_loop(const wl_program *program) {
    const uint32_t first = program->row_loop, last = (uint32_t)program->steps[first].c - 1;
    values inside = {{false}, {false}, {false}}, outside = inside;
    for (uint32_t i = 0; i < program->step_count; i++) {
        if (i >= first && i <= last)
            note_writes(program, program->steps + i, &inside);
        else if (program->reachable[i])
            note_reads(program, program->steps + i, &outside);
    }
    const bool *written = (const bool *)&inside, *read = (const bool *)&outside;
    for (size_t i = 0; i < sizeof inside / sizeof *written; i++) {
        if (written[i] && read[i])
            return true;
    }
    return false;
}

/* Records that paths on which only `set` has been set lead to a step. False: out of memory. */
static bool meet(values **at, uint32_t step, const values *set) {
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

/* Records what is in `read` but not in `set`. */
static void note_unset(const wl_program *program, const values *read, const values *set) {
    bool *unset = program->unset;
    for (uint32_t i = 0; i < program->register_count; i++)
        *unset++ |= read->registers[i] && !set->registers[i];
    for (uint32_t i = 0; i < program->span_count; i++)
        *unset++ |= read->spans[i] && !set->spans[i];
    for (uint32_t i = 0; i < program->mark_count; i++)
        *unset++ |= read->marks[i] && !set->marks[i];
}

static void set_all(bool *set, const wl_range *range) { memset(set + range->from, true, (size_t)(range->to - range->from)); }

/* What is certainly set at the beginning of the row, or of a function, which may be called from anywhere and whose own
 * values a call has cleared. */
static values set_at_beginning(const wl_program *program, const wl_function *function) {
    values set = {{false}, {false}, {false}};
    memset(set.registers, true, program->preset_count);
    if (function) {
        set_all(set.registers, &function->registers);
        set_all(set.spans, &function->spans);
        set_all(set.marks, &function->marks);
    }
    return set;
}

/* `at`: for each step, what is set on all jumps to it; NULL if there are none. */
static bool find_unset(const wl_program *program, values **at) {
    values set = set_at_beginning(program, NULL), read;
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
        read = (values){{false}, {false}, {false}};
        note_reads(program, step, &read);
        note_unset(program, &read, &set);
        note_writes(program, step, &set);
        const uint32_t to = wl_step_leads_to(program, program->steps, i);
        if (to && !meet(at, to, &set))
            return false;
        runs_on = step->op != WL_OP_JUMP && step->op != WL_OP_END;
    }
    return true;
}

bool wl_program_assignment(wl_program *program) {
    values **at = calloc(program->step_count, sizeof *at);
    bool good = at && find_unset(program, at);
    for (uint32_t i = 0; at && i < program->step_count; i++)
        free(at[i]);
    free(at);
    return good;
}
