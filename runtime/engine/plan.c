/* The plan of one call: the steps that this call needs (plan_needs.c), with everything decoded that does not change
 * between rows. */
#include <stdlib.h>

#include "handlers.h"
#include "jumping_code.h"
#include "plan.h"

static uint16_t fixed_column(uint32_t kind) {
    static const uint8_t operations[WL_KIND_COUNT] = {
        [WL_U1] = WL_RUN_COLUMN_1,     [WL_S1] = WL_RUN_COLUMN_1,     [WL_U2LE] = WL_RUN_COLUMN_LE2,
        [WL_S2LE] = WL_RUN_COLUMN_LE2, [WL_U2BE] = WL_RUN_COLUMN_BE2, [WL_S2BE] = WL_RUN_COLUMN_BE2,
        [WL_U4LE] = WL_RUN_COLUMN_LE4, [WL_S4LE] = WL_RUN_COLUMN_LE4, [WL_F4LE] = WL_RUN_COLUMN_LE4,
        [WL_U4BE] = WL_RUN_COLUMN_BE4, [WL_S4BE] = WL_RUN_COLUMN_BE4, [WL_F4BE] = WL_RUN_COLUMN_BE4,
        [WL_U8LE] = WL_RUN_COLUMN_LE8, [WL_S8LE] = WL_RUN_COLUMN_LE8, [WL_F8LE] = WL_RUN_COLUMN_LE8,
        [WL_U8BE] = WL_RUN_COLUMN_BE8, [WL_S8BE] = WL_RUN_COLUMN_BE8, [WL_F8BE] = WL_RUN_COLUMN_BE8,
    };
    return operations[kind];
}

static uint16_t operation(const wl_step *step) {
    if (step->op == WL_OP_COLUMN_FIXED)
        return fixed_column(step->b);
    if (step->op == WL_OP_REGISTER_FIXED)
        return step->b == WL_U4LE ? WL_RUN_REGISTER_LE4 : step->b == WL_U4BE ? WL_RUN_REGISTER_BE4 : WL_RUN_REGISTER_FIXED;
    return step->op;
}

static int64_t plain_bytes(int64_t shape) {
    unsigned groups = WL_VARINT_GROUPS(shape), limited = WL_VARINT_MOST(shape) == groups && WL_VARINT_TOP(shape) < 127;
    return (int64_t)wl_smaller(groups - limited, 8);
}

static void decode(const wl_needs *need, const wl_step *step, wl_instruction *instruction) {
    *instruction =
        (wl_instruction){.a = step->a, .operation = operation(step), .b = step->b, .c = step->c, .d = step->d};
    switch (step->op) {
    case WL_OP_EXPAND:
        instruction->c = step->c | (step->d + 1) << 16;
        instruction->d = need->program->partner[step - need->steps];
        break;
    case WL_OP_CALL:
        instruction->c = need->program->functions[step->a].step;
        instruction->d = step - need->steps;
        break;
    case WL_OP_NEED:
        instruction->c = step->a;
        break;
    case WL_OP_COLUMN_FIXED:
    case WL_OP_COLUMN_REGISTER:
    case WL_OP_COLUMN_TIMESTAMP:
        instruction->out = need->arguments->columns[step->a].values;
        if (step->op == WL_OP_COLUMN_REGISTER)
            instruction->c = wl_kind_size((unsigned)step->c);
        break;
    case WL_OP_CHECK_UTF8:
        if (step->c == WL_TEXT_TABLE)
            instruction->constant = need->program->constants + step->d;
        break;
    case WL_OP_COLUMN_TEXT:
        instruction->c |= step->d << 8;
        instruction->out = need->arguments->columns[step->a].values;
        instruction->offsets = need->arguments->columns[step->a].offsets;
        instruction->d = (int64_t)wl_smaller(need->arguments->columns[step->a].data_size, INT32_MAX);
        break;
    case WL_OP_COLUMN_JSON:
    case WL_OP_COLUMN_BYTES:
        instruction->out = need->arguments->columns[step->a].values;
        instruction->offsets = need->arguments->columns[step->a].offsets;
        instruction->d = (int64_t)wl_smaller(need->arguments->columns[step->a].data_size, INT32_MAX);
        if (step->op == WL_OP_COLUMN_BYTES && (need->program->expands || need->program->digests))
            instruction->operation = WL_RUN_COLUMN_BYTES_ANYWHERE;
        break;
    case WL_OP_LIMIT_REGISTER:
    case WL_OP_LIMIT_FIXED:
    case WL_OP_LIMIT_SPAN:
    case WL_OP_ATTEMPT:
        instruction->d = need->program->partner[step - need->steps];
        break;
    case WL_OP_LIMIT_END:
        if (need->program->positions || need->program->attempts)
            instruction->operation = WL_RUN_SEEK_END;
        break;
    case WL_OP_LIST_END:
        instruction->offsets = wl_wants_column(need, step->a) ? need->arguments->columns[step->a].offsets : NULL;
        break;
    case WL_OP_CHECK_CONSTANT:
        instruction->constant = need->program->constants + step->a;
        break;
    case WL_OP_EXPRESSION:
        instruction->constant = wl_code_of(need->program, need->codes, step);
        break;
    case WL_OP_TEXT_CONSTANT:
    case WL_OP_CONSTANT_OF:
    case WL_OP_JSON_PUT:
        instruction->constant = need->program->constants + step->c;
        break;
    case WL_OP_TEXT_DECODE:
    case WL_OP_TEXT_CLEAN:
        if (step->c == WL_TEXT_TABLE)
            instruction->constant = need->program->constants + step->d;
        break;
    case WL_OP_VARINT:
        instruction->c |= plain_bytes(step->c) << 32;
        break;
    default:
        break;
    }
}

/* A varint that only the next column needs is stored there directly. */
static void fuse_varint(wl_instruction *plan, uint32_t column) {
    wl_instruction *varint = plan + column - 1;
    if (column == 0 || varint->operation != WL_RUN_VARINT || plan[column].operation != WL_RUN_COLUMN_REGISTER ||
        plan[column].b != varint->a || plan[column].c != 8)
        return;
    varint->operation = WL_RUN_VARINT_COLUMN;
    varint->out = plan[column].out;
}

/* Stores, for each of the adjacent varints, their number from there on. The last instruction is not a varint. */
static void join_varints(wl_instruction *plan, uint32_t count) {
    for (uint32_t i = count; i-- > 0;) {
        if (plan[i].operation != WL_RUN_VARINT_COLUMN)
            continue;
        bool joined = plan[i + 2].operation == WL_RUN_VARINT_COLUMN;
        size_t following = 1 + (joined ? WL_VARINT_FOLLOWING(plan[i + 2].c) : 0);
        plan[i].c |= (int64_t)following << 40;
        plan[i].handler = joined ? wl_chosen.varint_columns : wl_varint_column;
    }
}

/* Begins an iteration of the loop around the row: as many rows as possible are read at once. */
static void add_rows(wl_run *run, uint32_t count) {
    const wl_step *loop = run->program->steps + run->program->row_loop;
    run->plan[count] = (wl_instruction){.a = loop->a, .operation = WL_RUN_ROWS, .b = loop->b, .c = loop->c - 1};
}

/* Replaces the steps that the instruction with the number `at` leads to by the distance to their instructions. */
static void make_relative(wl_instruction *instruction, const uint32_t *index, uint32_t at) {
    const unsigned operation = instruction->operation;
    switch (operation == WL_RUN_ROWS ? WL_FLOW_JUMP : operation < WL_OP_COUNT ? wl_operations[operation].flow : WL_FLOW_NEXT) {
    case WL_FLOW_JUMP:
    case WL_FLOW_BRANCH:
    case WL_FLOW_LOOP:
    case WL_FLOW_AGAIN:
    case WL_FLOW_CALL:
        instruction->c = (int64_t)index[instruction->c] - at;
        break;
    case WL_FLOW_LIMIT:
    case WL_FLOW_EXPAND:
    case WL_FLOW_ATTEMPT:
        instruction->d = (int64_t)index[instruction->d] - at;
        break;
    default:
        break;
    }
}

/* Records the registers that ABSENT makes null. */
static void find_absent(const wl_needs *need, bool *absent) {
    for (uint32_t i = 0; i < need->program->step_count; i++) {
        if (need->steps[i].op == WL_OP_ABSENT)
            absent[need->steps[i].a] = true;
    }
}

/* Whether the step sets a register without regard to its state: the registers of nearly all of them are never null. */
static bool sets_plainly(const wl_step *step) {
    return step->op == WL_OP_REGISTER_FIXED || step->op == WL_OP_VARINT || step->op == WL_OP_INDEX;
}

/* `index` is working memory, one entry per step: first whether the step is needed, then the index of its
 * instruction. */
static void make_plan(wl_run *run, wl_needs *need, uint32_t *index) {
    const wl_program *program = run->program;
    bool absent[WL_MOST_REGISTERS] = {false};
    wl_needs_find(need, index);
    find_absent(need, absent);
    uint32_t count = 0;
    for (uint32_t i = 0; i < program->step_count; i++) {
        const wl_step *step = need->steps + i;
        uint32_t needed = index[i];
        index[i] = count;
        if (i && i - 1 == program->row_loop && !need->parse_only && !need->arguments->row_by_row)
            add_rows(run, count++);
        if (!needed)
            continue;
        bool is_list = step->op == WL_OP_LIST_END;
        if (is_list)
            decode(need, step, run->plan + count++);
        if (wl_writes_value(step) && program->conditional[step->a] && wl_wants_column(need, step->a))
            run->plan[count++] = (wl_instruction){.a = step->a, .operation = WL_RUN_COLUMN_VALID};
        if (is_list || step->op == WL_OP_COLUMN_STRUCT)
            continue;
        if (sets_plainly(step) && absent[step->a])
            run->plan[count++] = (wl_instruction){.a = step->a, .operation = WL_RUN_PRESENT};
        decode(need, step, run->plan + count++);
        if (needed == 1 + true)
            fuse_varint(run->plan, count - 1);
    }
    for (uint32_t i = 0; i < count; i++) {
        wl_instruction *instruction = run->plan + i;
        instruction->handler = instruction->operation == WL_RUN_EXPRESSION ? wl_expression_handler(instruction)
                               : instruction->operation == WL_RUN_VARINT   ? wl_chosen.varint
                                                                           : wl_handlers[instruction->operation];
        make_relative(instruction, index, i);
    }
    join_varints(run->plan, count);
    run->instructions = count;
    wl_branches_find(run);
}

static void make_checksums(wl_run *run) {
    const wl_program *program = run->program;
    for (uint32_t i = 0; i < program->rule_count; i++) {
        const wl_rule *rule = program->rules + i;
        wl_checksum *checksum = run->checksums + i;
        checksum->rule = rule;
        const wl_algorithm *algorithm = &rule->algorithm;
        checksum->algorithm = algorithm;
        checksum->update = algorithm->update;
        checksum->tables = algorithm->tables;
        checksum->replaced = algorithm->initial;
        checksum->final_xor = algorithm->of.final_xor;
        checksum->bare = algorithm->bare && !rule->stored_size;
        checksum->stored = (wl_instruction){.d = rule->stored_size, .constant = program->constants + rule->stored};
        if (rule->stored_size)
            checksum->stored_code = wl_jumping_code_make(checksum->stored.constant, (size_t)rule->stored_size);
        if (rule->replace >= 0) {
            uint8_t own[WL_MOST_OWN_BYTES];
            memset(own, rule->replace, sizeof own);
            checksum->replaced = algorithm->update(algorithm->initial, own, rule->own_size, algorithm->tables);
        }
    }
}

/* Takes a part of one allocation; all parts are multiples of 16 bytes, so all are aligned. */
static void *part(uint8_t **rest, size_t count, size_t size) {
    void *result = *rest;
    *rest += (count * size + 15) / 16 * 16;
    return result;
}

/* The wanted columns that begin each row, or each item of their level, as null. */
static void find_unset(wl_run *run) {
    const wl_program *program = run->program;
    uint32_t count = 0;
    for (uint32_t level = 0; level <= program->level_count; level++) {
        run->unset_from[level] = count;
        for (uint32_t i = 0; i < program->column_count; i++) {
            if (program->levels[i] != level || !run->arguments->columns[i].wanted)
                continue;
            run->levels[level].wanted = true;
            if (program->conditional[i])
                run->unset[count++] = i;
        }
    }
    run->unset_from[program->level_count + 1] = count;
    run->has_conditional = !program->has_rows && run->unset_from[1];
}

/* Appends the numbers of those that may be read before they are set; `needed`: those that the plan reads. */
static uint32_t list(uint16_t *numbers, const bool *unset, const bool *needed, uint32_t count, bool all) {
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (unset[i] && (all || needed[i]))
            numbers[found++] = (uint16_t)i;
    }
    return found;
}

/* Finds what is cleared before each row. Besides the plan, calls and messages read registers. */
static void find_cleared(wl_run *run, const wl_needs *need) {
    const wl_program *program = run->program;
    const bool all = program->function_count || program->message_count, *unset = program->unset;
    uint16_t *numbers = run->cleared;
    run->cleared_registers = list(numbers, unset, need->values.registers, program->register_count, all);
    numbers += run->cleared_registers;
    unset += program->register_count;
    run->cleared_spans = list(numbers, unset, need->values.spans, program->span_count, all);
    numbers += run->cleared_spans;
    unset += program->span_count;
    run->cleared_marks = list(numbers, unset, need->values.marks, program->mark_count, all);
    run->reset = run->cleared_registers || run->cleared_spans || run->cleared_marks;
}

static size_t expressions_of(const wl_program *program) {
    size_t count = 0;
    for (uint32_t i = 0; i < program->step_count; i++)
        count += program->steps[i].op == WL_OP_EXPRESSION;
    return count;
}

wl_run *wl_run_make(const wl_program *program, const wl_fill_arguments *arguments, bool parse_only) {
    /* Every step may become two instructions, plus one in a loop; each part may grow by 15 bytes. */
    size_t steps = (size_t)program->step_count * 2 + 1;
    size_t values = (size_t)program->register_count + program->span_count + program->mark_count;
    size_t limits = program->function_count ? WL_MOST_OPEN_LIMITS : WL_DEEPEST_LIMIT;
    size_t size = sizeof(wl_run) + steps * (sizeof(wl_instruction) + sizeof(wl_jumping_code *)) +
                  (expressions_of(program) + 1) * sizeof(wl_branch) + limits * sizeof(wl_limit) +
                  program->rule_count * (sizeof(wl_checksum) + WL_MOST_DIGEST) +
                  (program->step_count + program->column_count) * sizeof(uint32_t) + values * sizeof(uint16_t) + 10 * 16;
    uint8_t *rest = calloc(1, size);
    if (!rest)
        return NULL;
    wl_run *run = part(&rest, 1, sizeof *run);
    run->program = program;
    run->arguments = arguments;
    run->readable = arguments->source + arguments->end;
    run->plan = part(&rest, steps, sizeof *run->plan);
    run->jumping_code = part(&rest, steps, sizeof *run->jumping_code);
    run->branches = part(&rest, expressions_of(program) + 1, sizeof *run->branches);
    run->limits = part(&rest, limits, sizeof *run->limits);
    run->checksums = part(&rest, program->rule_count, sizeof *run->checksums);
    run->digests = part(&rest, program->rule_count, WL_MOST_DIGEST);
    run->unset = part(&rest, program->column_count, sizeof *run->unset);
    run->cleared = part(&rest, values, sizeof *run->cleared);
    uint32_t *index = part(&rest, program->step_count, sizeof *index);
    run->parse_only = parse_only;
    run->turns = UINT64_MAX;
    if (program->input_register_count)
        memcpy(run->registers, arguments->input_registers, program->input_register_count * sizeof *run->registers);
    wl_needs need = {.program = program, .arguments = arguments, .parse_only = parse_only};
    if (!wl_plan_fold(&need)) {
        free(run);
        return NULL;
    }
    run->folded = need.folded;
    make_plan(run, &need, index);
    find_cleared(run, &need);
    make_checksums(run);
    if (!parse_only)
        find_unset(run);
    run->is_final = true;
    run->unprepared = wl_needs_preparing(run);
    return run;
}

void wl_run_free(wl_run *run) {
    if (!run)
        return;
    wl_contents_release(run, 0);
    wl_row_block_free(run->block);
    wl_row_block_free(run->known_block);
    wl_series_free(run);
    wl_branches_free(run);
    for (size_t i = 0; i < run->program->step_count * 2u + 1; i++)
        free(run->jumping_code[i]);
    for (uint32_t i = 0; i < run->program->rule_count; i++)
        free(run->checksums[i].stored_code);
    free(run->frames);
    free(run->json);
    free(run->contents);
    free(run->scratch);
    free(run->folded);
    wl_byte_table_free(run->byte_tables);
    free(run);
}
