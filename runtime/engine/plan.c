/* The plan of one call: the steps that this call needs, with everything decoded that does not change from row to row.
 *
 * Columns that nobody wants are dropped, and then, from the last step to the first, whatever only they would have
 * needed. An EXPRESSION is dropped too where nothing needs its result: a value that nobody looks at cannot be wrong. */
#include <stdlib.h>

#include "handlers.h"

typedef struct {
    const wl_program *program;
    const wl_fill_arguments *arguments;
    bool parse_only;
    bool registers[WL_MOST_REGISTERS];
    bool spans[WL_MOST_SPANS];
    bool marks[WL_MOST_MARKS];
    bool alone; /* nothing after the step that was asked for last reads the register that it puts into a column */
    bool list_wanted[WL_MOST_LEVELS + 1]; /* the column of the list is, whatever becomes of its items */
} needs;

static bool wants_column(const needs *need, size_t column) {
    return !need->parse_only && need->arguments->columns[column].wanted;
}

/* A list without a wanted column is gone through, and leaves nothing. */
static bool wants_level(const needs *need, size_t level) {
    for (uint32_t i = 0; i < need->program->column_count && !need->parse_only; i++) {
        if (need->program->levels[i] == level && need->arguments->columns[i].wanted)
            return true;
    }
    return false;
}

static void need_checksum(needs *need, const wl_step *step) {
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

/* Whether this call runs the step; notes what it reads. Called from the last step to the first. */
static bool is_needed(needs *need, const wl_step *step) {
    switch (step->op) {
    case WL_OP_COLUMN_FIXED:
    case WL_OP_COLUMN_NULL:
        return wants_column(need, step->a);
    case WL_OP_COLUMN_STRUCT:
        /* Nothing is written but that it is there. */
        return wants_column(need, step->a) && need->program->conditional[step->a];
    case WL_OP_ROW:
    case WL_OP_ROW_END:
        return !need->parse_only;
    case WL_OP_LIST:
    case WL_OP_LIST_END:
        need->list_wanted[step->b] = wants_column(need, step->a);
        return need->list_wanted[step->b] || wants_level(need, step->b);
    case WL_OP_ITEM:
    case WL_OP_ITEM_END:
        return wants_level(need, step->b) || need->list_wanted[step->b];
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
        /* Whoever reads it may be a turn of a loop or a unit further on. */
        need->registers[step->b] = true;
        return true;
    case WL_OP_COLUMN_BYTES:
    case WL_OP_COLUMN_TEXT:
        if (!wants_column(need, step->a))
            return false;
        need->spans[step->b] = true;
        return true;
    case WL_OP_COLUMN_REGISTER:
    case WL_OP_COLUMN_TIMESTAMP:
        if (!wants_column(need, step->a))
            return false;
        need->alone = !need->registers[step->b];
        need->registers[step->b] = true;
        return true;
    case WL_OP_REGISTER_FIXED:
        return need->registers[step->a];
    case WL_OP_EXPRESSION:
        if (need->registers[step->a])
            wl_expression_uses(need->program->constants + step->c, (size_t)step->d, need->registers, need->spans);
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
        if (step->b)
            need->marks[step->c] = true;
        return true;
    case WL_OP_TRIM_RIGHT:
    case WL_OP_CUT_TERMINATOR:
        return need->spans[step->a];
    case WL_OP_CHECKSUM:
        if (!need->arguments->verify)
            return false;
        need_checksum(need, step);
        return true;
    case WL_OP_FUNCTION:
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
        /* A row without a place in the table shows as well where rows are. */
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
        return true;
    }
}

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
    static const uint8_t operations[WL_OP_COUNT] = {
        [WL_OP_END] = WL_RUN_END,
        [WL_OP_NEED] = WL_RUN_NEED,
        [WL_OP_BYTES_REGISTER] = WL_RUN_BYTES_REGISTER,
        [WL_OP_BYTES_FIXED] = WL_RUN_BYTES_FIXED,
        [WL_OP_BYTES_REST] = WL_RUN_BYTES_REST,
        [WL_OP_BYTES_TERMINATED] = WL_RUN_BYTES_TERMINATED,
        [WL_OP_COLUMN_BYTES] = WL_RUN_COLUMN_BYTES,
        [WL_OP_COLUMN_REGISTER] = WL_RUN_COLUMN_REGISTER,
        [WL_OP_COLUMN_TIMESTAMP] = WL_RUN_COLUMN_TIMESTAMP,
        [WL_OP_CHECK_RANGE] = WL_RUN_CHECK_RANGE,
        [WL_OP_CHECK_TRUE] = WL_RUN_CHECK_TRUE,
        [WL_OP_CHECK_CONSTANT] = WL_RUN_CHECK_CONSTANT,
        [WL_OP_CHECKSUM] = WL_RUN_CHECKSUM,
        [WL_OP_MARK] = WL_RUN_MARK,
        [WL_OP_EXPRESSION] = WL_RUN_EXPRESSION,
        [WL_OP_SKIP_IF_ZERO] = WL_RUN_SKIP_IF_ZERO,
        [WL_OP_JUMP] = WL_RUN_JUMP,
        [WL_OP_COLUMN_NULL] = WL_RUN_COLUMN_NULL,
        [WL_OP_LIMIT_REGISTER] = WL_RUN_LIMIT_REGISTER,
        [WL_OP_LIMIT_END] = WL_RUN_LIMIT_END,
        [WL_OP_SKIP_REGISTER] = WL_RUN_SKIP_REGISTER,
        [WL_OP_CHECK_UTF8] = WL_RUN_CHECK_UTF8,
        [WL_OP_LIMIT_FIXED] = WL_RUN_LIMIT_FIXED,
        [WL_OP_TRIM_RIGHT] = WL_RUN_TRIM_RIGHT,
        [WL_OP_CUT_TERMINATOR] = WL_RUN_CUT_TERMINATOR,
        [WL_OP_LOOP] = WL_RUN_LOOP,
        [WL_OP_AGAIN] = WL_RUN_AGAIN,
        [WL_OP_INDEX] = WL_RUN_INDEX,
        [WL_OP_UNIT] = WL_RUN_UNIT,
        [WL_OP_UNIT_END] = WL_RUN_UNIT_END,
        [WL_OP_WHERE] = WL_RUN_WHERE,
        [WL_OP_ROW] = WL_RUN_ROW,
        [WL_OP_ROW_END] = WL_RUN_ROW_END,
        [WL_OP_LIST] = WL_RUN_LIST,
        [WL_OP_LIST_END] = WL_RUN_LIST_END,
        [WL_OP_ITEM] = WL_RUN_ITEM,
        [WL_OP_ITEM_END] = WL_RUN_ITEM_END,
        [WL_OP_VARINT] = WL_RUN_VARINT,
        [WL_OP_EXPAND] = WL_RUN_EXPAND,
        [WL_OP_SEEK] = WL_RUN_SEEK,
        [WL_OP_STREAM] = WL_RUN_STREAM,
        [WL_OP_ABSENT] = WL_RUN_ABSENT,
        [WL_OP_CHAIN_BEGIN] = WL_RUN_CHAIN_BEGIN,
        [WL_OP_CHAIN] = WL_RUN_CHAIN,
        [WL_OP_CHAIN_NOTE] = WL_RUN_CHAIN_NOTE,
        [WL_OP_SERIES] = WL_RUN_SERIES,
        [WL_OP_SERIES_ADD] = WL_RUN_SERIES_ADD,
        [WL_OP_BLANK] = WL_RUN_BLANK,
        [WL_OP_FIELDS] = WL_RUN_FIELDS,
        [WL_OP_SKIP_UNLESS] = WL_RUN_SKIP_UNLESS,
        [WL_OP_LIMIT_SPAN] = WL_RUN_LIMIT_SPAN,
        [WL_OP_CALL] = WL_RUN_CALL,
        [WL_OP_RETURN] = WL_RUN_RETURN,
        [WL_OP_COLUMN_TEXT] = WL_RUN_COLUMN_TEXT,
        [WL_OP_VARIABLE] = WL_RUN_VARIABLE,
        [WL_OP_SET] = WL_RUN_SET,
        [WL_OP_APPEND] = WL_RUN_APPEND,
        [WL_OP_ITEM_OF] = WL_RUN_ITEM_OF,
    };
    if (step->op == WL_OP_COLUMN_FIXED)
        return fixed_column(step->b);
    if (step->op == WL_OP_REGISTER_FIXED)
        return step->b == WL_U4LE ? WL_RUN_REGISTER_LE4 : step->b == WL_U4BE ? WL_RUN_REGISTER_BE4 : WL_RUN_REGISTER;
    return operations[step->op];
}

static int64_t plain_bytes(int64_t shape) {
    unsigned groups = WL_VARINT_GROUPS(shape), limited = WL_VARINT_MOST(shape) == groups && WL_VARINT_TOP(shape) < 127;
    return (int64_t)wl_smaller(groups - limited, 8);
}

static void decode(const needs *need, const wl_step *step, wl_instruction *instruction) {
    *instruction =
        (wl_instruction){.a = step->a, .operation = operation(step), .b = step->b, .c = step->c, .d = step->d};
    switch (step->op) {
    case WL_OP_EXPAND:
        instruction->c = step->c | (step->d + 1) << 16;
        instruction->d = need->program->partner[step - need->program->steps];
        break;
    case WL_OP_CALL:
        instruction->c = need->program->functions[step->a].step;
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
    case WL_OP_COLUMN_BYTES:
        instruction->out = need->arguments->columns[step->a].values;
        instruction->offsets = need->arguments->columns[step->a].offsets;
        instruction->d = (int64_t)wl_smaller(need->arguments->columns[step->a].data_size, INT32_MAX);
        if (need->program->expands || need->program->carries)
            instruction->operation = WL_RUN_COLUMN_BYTES_ANYWHERE;
        break;
    case WL_OP_AGAIN:
        if (need->program->pauses[step - need->program->steps] && !need->parse_only)
            instruction->operation = WL_RUN_AGAIN_OR_PAUSE;
        break;
    case WL_OP_LIMIT_REGISTER:
    case WL_OP_LIMIT_FIXED:
    case WL_OP_LIMIT_SPAN:
        instruction->d = need->program->partner[step - need->program->steps];
        break;
    case WL_OP_LIMIT_END:
        instruction->a = need->program->pauses[step - need->program->steps];
        if (need->program->positions)
            instruction->operation = WL_RUN_SEEK_END;
        break;
    case WL_OP_LIST_END:
        instruction->offsets = wants_column(need, step->a) ? need->arguments->columns[step->a].offsets : NULL;
        break;
    case WL_OP_CHECK_CONSTANT:
        instruction->constant = need->program->constants + step->a;
        break;
    case WL_OP_EXPRESSION:
        instruction->constant = need->program->constants + step->c;
        break;
    case WL_OP_VARINT:
        instruction->c |= plain_bytes(step->c) << 32;
        break;
    default:
        break;
    }
}

/* A varint that only the column after it wants goes straight there. */
static void fuse_varint(wl_instruction *plan, uint32_t column) {
    wl_instruction *varint = plan + column - 1;
    if (column == 0 || varint->operation != WL_RUN_VARINT || plan[column].operation != WL_RUN_COLUMN_REGISTER ||
        plan[column].b != varint->a || plan[column].c != 8)
        return;
    varint->operation = WL_RUN_VARINT_COLUMN;
    varint->out = plan[column].out;
}

/* Counts for each of the varints that stand side by side how many they are from there on. The last instruction is none.
 */
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

static bool writes_value(const wl_step *step) {
    return step->op == WL_OP_COLUMN_FIXED || step->op == WL_OP_COLUMN_TEXT || step->op == WL_OP_COLUMN_BYTES || step->op == WL_OP_COLUMN_REGISTER ||
           step->op == WL_OP_COLUMN_TIMESTAMP || step->op == WL_OP_LIST_END || step->op == WL_OP_COLUMN_STRUCT;
}

static bool writes_column(const wl_step *step) { return writes_value(step) || step->op == WL_OP_COLUMN_NULL; }

/* A turn of the loop around the row begins: with it, as many as can be read at once. */
static void add_rows(wl_run *run, uint32_t count) {
    const wl_step *loop = run->program->steps + run->program->row_loop;
    run->plan[count] = (wl_instruction){.a = loop->a, .operation = WL_RUN_ROWS, .b = loop->b, .c = loop->c - 1};
}

/* What is computed for a function stands after what reads it, where the function calls itself: then the needs are gone
 * through again until there are no more of them. */
static void find_needed(needs *need, uint32_t *place) {
    const wl_program *program = need->program;
    size_t before, now = 0;
    do {
        before = now;
        uint32_t kept = program->step_count, column = kept; /* the next step that runs, the next column that does not */
        for (uint32_t i = program->step_count; i-- > 0;) {
            const wl_step *step = program->steps + i;
            bool leads = step->op != WL_OP_JUMP && step->op != WL_OP_SKIP_IF_ZERO;
            need->alone = false;
            /* A condition of columns that nobody wants is not computed either. */
            bool needed =
                program->reachable[i] && (leads || kept < step->c || column >= step->c) && is_needed(need, step);
            place[i] = needed ? 1 + need->alone : 0;
            kept = needed ? i : kept;
            column = !needed && writes_column(step) ? i : column;
        }
        now = 0;
        for (size_t i = 0; program->function_count && i < WL_MOST_REGISTERS; i++)
            now += need->registers[i];
    } while (now != before);
}

/* `place` is working memory, one per step: first whether the step is needed, then where its instruction begins. */
static void make_plan(wl_run *run, needs *need, uint32_t *place) {
    const wl_program *program = run->program;
    find_needed(need, place);
    uint32_t count = 0;
    for (uint32_t i = 0; i < program->step_count; i++) {
        const wl_step *step = program->steps + i;
        uint32_t needed = place[i];
        place[i] = count;
        if (i && i - 1 == program->row_loop && !need->parse_only && !need->arguments->row_by_row)
            add_rows(run, count++);
        if (!needed)
            continue;
        bool is_list = step->op == WL_OP_LIST_END;
        if (is_list)
            decode(need, step, run->plan + count++);
        if (writes_value(step) && program->conditional[step->a] && wants_column(need, step->a))
            run->plan[count++] = (wl_instruction){.a = step->a, .operation = WL_RUN_COLUMN_VALID};
        if (is_list || step->op == WL_OP_COLUMN_STRUCT)
            continue;
        decode(need, step, run->plan + count++);
        if (needed == 1 + true)
            fuse_varint(run->plan, count - 1);
    }
    for (uint32_t i = 0; i < count; i++) {
        wl_instruction *instruction = run->plan + i;
        instruction->handler = instruction->operation == WL_RUN_EXPRESSION ? wl_expression_handler(instruction)
                               : instruction->operation == WL_RUN_VARINT   ? wl_chosen.varint
                                                                           : wl_handlers[instruction->operation];
        /* A jump counts from where it stands. */
        if (instruction->operation == WL_RUN_JUMP || instruction->operation == WL_RUN_SKIP_IF_ZERO ||
            instruction->operation == WL_RUN_SKIP_UNLESS ||
            instruction->operation == WL_RUN_LOOP || instruction->operation == WL_RUN_AGAIN ||
            instruction->operation == WL_RUN_AGAIN_OR_PAUSE ||
            instruction->operation == WL_RUN_ROWS || instruction->operation == WL_RUN_CALL)
            instruction->c = (int64_t)place[instruction->c] - i;
        if (instruction->operation == WL_RUN_LIMIT_REGISTER || instruction->operation == WL_RUN_LIMIT_FIXED ||
            instruction->operation == WL_RUN_LIMIT_SPAN ||
            instruction->operation == WL_RUN_EXPAND)
            instruction->d = (int64_t)place[instruction->d] - i;
    }
    join_varints(run->plan, count);
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
        if (rule->replace >= 0) {
            uint8_t own[WL_MOST_OWN_BYTES];
            memset(own, rule->replace, sizeof own);
            checksum->replaced = algorithm->update(algorithm->initial, own, rule->own_size, algorithm->tables);
        }
    }
}

/* Cuts a part off one allocation; all parts are multiples of 16 bytes, so all are aligned. */
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

wl_run *wl_run_make(const wl_program *program, const wl_fill_arguments *arguments, bool parse_only) {
    /* Every step may become two instructions, and one more stands in a loop; each part may grow by 15 bytes. */
    size_t steps = (size_t)program->step_count * 2 + 1;
    size_t size = sizeof(wl_run) + steps * sizeof(wl_instruction) + program->rule_count * sizeof(wl_checksum) +
                  (program->step_count + program->column_count) * sizeof(uint32_t) + 5 * 16;
    uint8_t *rest = calloc(1, size);
    if (!rest)
        return NULL;
    wl_run *run = part(&rest, 1, sizeof *run);
    run->program = program;
    run->arguments = arguments;
    run->reset = program->reset;
    run->readable = arguments->source + arguments->end;
    run->plan = part(&rest, steps, sizeof *run->plan);
    run->checksums = part(&rest, program->rule_count, sizeof *run->checksums);
    run->unset = part(&rest, program->column_count, sizeof *run->unset);
    uint32_t *place = part(&rest, program->step_count, sizeof *place);
    run->parse_only = parse_only;
    run->turns = UINT64_MAX;
    if (program->preset_count)
        memcpy(run->registers, arguments->preset, program->preset_count * sizeof *run->registers);
    needs need = {.program = program, .arguments = arguments, .parse_only = parse_only};
    make_plan(run, &need, place);
    make_checksums(run);
    if (!parse_only)
        find_unset(run);
    run->cut_depth = -1;
    run->is_final = true;
    run->pause_from = UINTPTR_MAX;
    run->unprepared = wl_needs_preparing(run);
    return run;
}

void wl_run_free(wl_run *run) {
    if (!run)
        return;
    wl_contents_release(run, 0);
    wl_row_block_free(run->block);
    wl_series_free(run);
    free(run->frames);
    wl_pauses_end(run);
    free(run->contents);
    free(run->scratch);
    free(run);
}
