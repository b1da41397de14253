/* Whether a plan can be run as a row block, and its steps as a row block runs them. */
#include "row_block_expressions.h"
#include "row_block_guards.h"

/* Steps that run where a condition holds, up to `then_end`, and those that run where it does not, up to `end`. */
typedef struct {
    const wl_instruction *then_end, *end;
    uint32_t condition;
    size_t string; /* where the first of them begin */
    wl_place base;
    bool based;
} arms;

typedef struct {
    uint32_t column, guard;
} guarded_write;

typedef struct {
    wl_row_block *block;
    arms open[WL_MOST_CONDITIONS];
    size_t open_count;
    uint32_t guard; /* that is planned now */
    bool based;     /* `base` is the same for all rows */
    guarded_write writes[WL_MOST_STRETCHES];
    size_t write_count;
    uint8_t definitions[WL_MOST_REGISTERS]; /* steps that write the register; 2 stands for more, too */
    const wl_instruction *condition; /* the expression before a SKIP_IF_ZERO */
    bool delimited;
    bool at_end; /* between delimiters: nothing follows */
    wl_place cursor, base;
    wl_fact registers[WL_MOST_REGISTERS];
    wl_fact spans[WL_MOST_SPANS];
    wl_fact marks[WL_MOST_MARKS];
} planner;

static wl_place after(wl_place place, int64_t bytes) { return (wl_place){place.stretch, place.offset + bytes}; }

/* The next step, about a value that is known. */
static wl_row_block_step *add(wl_row_block_step *steps, size_t *count, wl_row_block_function run, const wl_fact *value,
                              const wl_instruction *instruction) {
    wl_row_block_step *step = steps + (*count)++;
    *step = (wl_row_block_step){
        .run = run, .from = value->from, .kind = value->kind, .column = instruction->a, .out = instruction->out,
        .lane = value->lane, .instruction = instruction};
    return step;
}

/* A register, or NULL where its value is not known. What only some rows compute counts as 0 in the others. */
static const wl_fact *value_of(const planner *plan, size_t number) {
    const wl_fact *value = plan->registers + number;
    bool seen = !value->guard || plan->block->guards->ancestors[plan->guard] >> value->guard & 1;
    return value->known && (seen || plan->definitions[number] == 1) ? value : NULL;
}

/* Likewise a span, which only those rows know that found it. */
static const wl_fact *span_of(const planner *plan, size_t number) {
    const wl_fact *span = plan->spans + number;
    bool seen = !span->guard || plan->block->guards->ancestors[plan->guard] >> span->guard & 1;
    return span->known && seen ? span : NULL;
}

/* Notes that rows of the guard write the column. False: others may write it, too. */
static bool note_write(planner *plan, uint32_t column) {
    if (!plan->block->run->program->conditional[column])
        return plan->guard == 0;
    for (size_t i = 0; i < plan->write_count; i++) {
        if (plan->writes[i].column == column &&
            !wl_guards_exclude(plan->block->guards, plan->writes[i].guard, plan->guard))
            return false;
    }
    if (plan->write_count == WL_MOST_STRETCHES)
        return false;
    plan->writes[plan->write_count++] = (guarded_write){column, plan->guard};
    return true;
}

static wl_row_block_step *add_check(planner *plan, wl_row_block_function run, const wl_fact *value,
                                    const wl_instruction *instruction) {
    wl_row_block_step *step = add(plan->block->checks, &plan->block->check_count, run, value, instruction);
    step->guard = plan->guard;
    return step;
}

static wl_row_block_step *add_column(planner *plan, wl_row_block_function run, const wl_fact *value,
                                     const wl_instruction *instruction) {
    wl_row_block *block = plan->block;
    wl_row_block_step *step = add(block->columns, &block->column_count, run, value, instruction);
    step->width = block->run->program->storages[instruction->a];
    step->guard = plan->guard;
    return step;
}

/* Bounds as the low one and the reach: in the field's own 64 bits, signed or not. False: no value lies in them. */
static bool set_bounds(wl_row_block_step *step, wl_integer low, wl_integer high) {
    bool natural = step->kind == WL_U8LE || step->kind == WL_U8BE;
    wl_integer least = natural ? 0 : INT64_MIN, most = natural ? (wl_integer)UINT64_MAX : INT64_MAX;
    low = low > least ? low : least;
    high = high < most ? high : most;
    step->low = (uint64_t)low;
    step->reach = (uint64_t)(high - low);
    return low <= high;
}

static bool is_guarded(const planner *plan, uint32_t column) {
    return plan->block->run->program->conditional[column];
}

static bool add_range(planner *plan, const wl_instruction *instruction) {
    const wl_fact *value = value_of(plan, instruction->a);
    if (!value || (value->lane && plan->guard))
        return false;
    wl_integer high = instruction->b & 0x80 ? (wl_integer)(uint64_t)instruction->d : (wl_integer)instruction->d;
    wl_row_block_function run = value->lane   ? wl_row_block_lane_range
                                : plan->guard ? wl_row_block_guarded_range
                                              : wl_row_block_range;
    wl_row_block_step *step = add_check(plan, run, value, instruction);
    return value->lane || set_bounds(step, instruction->c, high);
}

static bool add_true(planner *plan, const wl_instruction *instruction) {
    const wl_fact *value = value_of(plan, instruction->a);
    if (!value || (value->lane && plan->guard))
        return false;
    wl_row_block_function run = value->lane   ? wl_row_block_lane_true
                                : plan->guard ? wl_row_block_guarded_true
                                              : wl_row_block_true;
    return add_check(plan, run, value, instruction);
}

static bool add_timestamp(planner *plan, const wl_instruction *instruction) {
    const wl_fact *value = value_of(plan, instruction->b);
    if (!value || is_guarded(plan, instruction->a))
        return false;
    wl_row_block_step *step =
        add_column(plan, value->lane ? wl_row_block_lane_timestamp : wl_row_block_timestamp, value, instruction);
    return value->lane || set_bounds(step, instruction->c, instruction->d);
}

/* Whether all registers that an expression reads are known here. */
static bool are_known(const planner *plan, const wl_instruction *instruction) {
    bool registers[WL_MOST_REGISTERS] = {false}, spans[WL_MOST_SPANS] = {false};
    wl_expression_uses(instruction->constant, (size_t)instruction->d, registers, spans);
    for (size_t i = 0; i < WL_MOST_REGISTERS; i++) {
        if (registers[i] && !value_of(plan, i))
            return false;
    }
    return true;
}

static bool add_expression(planner *plan, const wl_instruction *instruction) {
    const wl_fact nothing = {0};
    const wl_instruction *next = instruction + 1;
    /* Of a condition a table is made. */
    if (next->operation == WL_RUN_SKIP_IF_ZERO && next->a == instruction->a) {
        plan->condition = instruction;
        return true;
    }
    wl_row_block_step *step = add_check(plan, wl_row_block_expression, &nothing, instruction);
    if (!are_known(plan, instruction) ||
        !wl_row_block_decode(plan->block, instruction, step, plan->registers, plan->spans))
        return false;
    plan->registers[instruction->a] = (wl_fact){.known = true, .lane = step->lane, .guard = plan->guard};
    return true;
}

static bool same(wl_place one, wl_place other) { return one.stretch == other.stretch && one.offset == other.offset; }

/* Text that a column has is checked there, where the text of all rows stands side by side. */
static bool add_text(planner *plan, const wl_instruction *instruction) {
    const wl_fact *text = span_of(plan, instruction->a);
    if (!text)
        return false;
    wl_row_block_step *step = add_check(plan, wl_row_block_text, text, instruction);
    step->to = text->to;
    step->kind = (uint32_t)instruction->c;
    return true;
}

/* A column with text that was checked before it was copied. */
static void find_copies(wl_row_block *block) {
    for (size_t i = 0; i < block->check_count; i++) {
        wl_row_block_step *step = block->checks + i;
        for (size_t j = 0; step->run == wl_row_block_text && j < block->copy_count; j++) {
            const wl_string_column *column = block->copies + j;
            if (same(column->from, step->from) && same(column->to, step->to)) {
                step->out = column->out;
                step->offsets = column->offsets;
                step->room = column->room;
            }
        }
    }
}

static bool add_register(planner *plan, const wl_instruction *instruction) {
    const wl_fact *value = value_of(plan, instruction->b);
    wl_row_block_function run = is_guarded(plan, instruction->a) ? wl_row_block_guarded_column : wl_row_block_register;
    return value && note_write(plan, instruction->a) && add_column(plan, run, value, instruction);
}

static bool add_constant(planner *plan, const wl_instruction *instruction) {
    wl_fact value = {.from = after(plan->base, instruction->c)};
    wl_row_block_function run = plan->guard ? wl_row_block_guarded_constant : wl_row_block_constant;
    wl_row_block_step *step = add_check(plan, run, &value, instruction);
    step->constant = instruction->constant;
    step->width = (uint32_t)instruction->d;
    return plan->based;
}

static bool add_fixed(planner *plan, const wl_instruction *instruction) {
    static const uint8_t kinds[WL_RUN_COUNT] = {
        [WL_RUN_COLUMN_LE2] = WL_U2LE, [WL_RUN_COLUMN_BE2] = WL_U2BE, [WL_RUN_COLUMN_LE4] = WL_U4LE,
        [WL_RUN_COLUMN_BE4] = WL_U4BE, [WL_RUN_COLUMN_LE8] = WL_U8LE, [WL_RUN_COLUMN_BE8] = WL_U8BE,
    };
    wl_row_block_function run = wl_row_block_fixed(instruction->operation);
    if (!run || !plan->based || !note_write(plan, instruction->a))
        return false;
    wl_fact value = {.from = after(plan->base, instruction->c), .kind = kinds[instruction->operation]};
    return add_column(plan, is_guarded(plan, instruction->a) ? wl_row_block_guarded_column : run, &value, instruction);
}

/* Of other columns than structs, what is written makes them valid. */
static bool add_valid(planner *plan, const wl_instruction *instruction) {
    const wl_fact nothing = {0};
    if (plan->block->run->program->storages[instruction->a] != WL_STRUCT)
        return true;
    return note_write(plan, instruction->a) && add_column(plan, wl_row_block_guarded_valid, &nothing, instruction);
}

static bool add_bytes(planner *plan, const wl_instruction *instruction) {
    wl_row_block *block = plan->block;
    const wl_fact *span = span_of(plan, instruction->b);
    if (!span || !note_write(plan, instruction->a))
        return false;
    if (is_guarded(plan, instruction->a))
        add_column(plan, wl_row_block_guarded_valid, span, instruction);
    block->copies[block->copy_count++] = (wl_string_column){.from = span->from,
                                                            .to = span->to,
                                                            .out = instruction->out,
                                                            .offsets = instruction->offsets,
                                                            .room = (size_t)instruction->d,
                                                            .guard = plan->guard};
    return true;
}

static bool add_checksum(planner *plan, const wl_instruction *instruction) {
    wl_row_block *block = plan->block;
    const wl_checksum *checksum = block->run->checksums + instruction->a;
    const wl_rule *rule = checksum->rule;
    if (rule->start != WL_NO_REGISTER || rule->place != WL_IN_REGISTER || plan->guard)
        return false;
    const wl_fact *from = plan->marks + instruction->c, *to = plan->marks + instruction->d;
    const wl_fact *expected = value_of(plan, instruction->b);
    if (!expected)
        return false;
    const wl_fact *own = rule->replace >= 0 ? plan->marks + rule->own : from;
    block->sums[block->sum_count++] =
        (wl_sum){.from = from->from,
                 .to = to->from,
                 .own = own->from,
                 .expected = expected->from,
                 .kind = expected->kind,
                 .is_plain = own->from.stretch == from->from.stretch && own->from.offset == from->from.offset,
                 .skipped = rule->replace >= 0 ? rule->own_size : 0,
                 .checksum = checksum};
    return from->known && to->known && own->known && !expected->lane && !expected->guard;
}

/* Bytes that every row has. */
static bool pass(planner *plan, int64_t bytes) {
    if (plan->at_end || bytes < 0 || bytes > INT32_MAX - plan->cursor.offset)
        return false;
    plan->cursor.offset += bytes;
    return true;
}

/* What follows the cursor lies in a stretch of its own, of `guard`; `string` ends the one before it. False: there are too
 * many. */
static bool begin_stretch(planner *plan, wl_string string, uint32_t guard) {
    wl_row_block *block = plan->block;
    if (block->string_count == WL_MOST_STRETCHES - 1 || (plan->guard && plan->cursor.offset > WL_GUARDED_BYTES))
        return false;
    string.before = plan->cursor.offset;
    string.guard = plan->guard;
    string.next = guard;
    string.plain = string.kind < WL_KIND_COUNT && !plan->guard;
    block->strings[block->string_count++] = string;
    block->fixed += plan->guard ? 0 : (size_t)plan->cursor.offset;
    plan->cursor = (wl_place){plan->cursor.stretch + 1, 0};
    plan->guard = guard;
    return true;
}

/* A byte string of a size that the input says. */
static bool add_string(planner *plan, const wl_fact *size, int64_t more) {
    return size && !plan->delimited && !size->lane &&
           begin_stretch(plan, (wl_string){.size = size->from, .kind = size->kind, .more = more}, plan->guard);
}

/* All that is left between delimiters. */
static bool add_rest(planner *plan) {
    if (!plan->delimited || plan->at_end)
        return false;
    plan->block->fixed += (size_t)plan->cursor.offset;
    plan->cursor = (wl_place){plan->cursor.stretch + 1, 0};
    return plan->at_end = true;
}

/* Conditions ------------------------------------------------------------------------------------------------------- */

/* Steps from here on, up to where the jump leads, run where the register is not 0; those from there on, up to where the
 * jump before it leads if there is one, where it is 0. */
static bool add_condition(planner *plan, const wl_instruction *skip) {
    wl_block_guards *guards = plan->block->guards;
    const wl_instruction *code = plan->condition, *target = skip + skip->c, *last = target - 1;
    uint32_t number = skip->a;
    plan->condition = NULL;
    if (plan->delimited || guards->count == WL_MOST_CONDITIONS)
        return false;
    if (code) {
        bool registers[WL_MOST_REGISTERS] = {false}, spans[WL_MOST_SPANS] = {false};
        wl_expression_uses(code->constant, (size_t)code->d, registers, spans);
        size_t read = 0;
        for (size_t i = 0; i < WL_MOST_SPANS; i++)
            read += 2 * spans[i];
        for (size_t i = 0; i < WL_MOST_REGISTERS; i++) {
            read += registers[i];
            number = registers[i] ? (uint32_t)i : number;
        }
        if (read != 1)
            return false;
        plan->registers[skip->a].known = false;
    }
    const wl_fact *value = value_of(plan, number);
    if (!value || value->lane || wl_kind_size(value->kind) != 1)
        return false;
    wl_condition *condition = guards->conditions + guards->count;
    condition->parent = plan->guard;
    condition->place = value->from;
    wl_condition_tabulate(plan->block, guards->count, code, number, value->kind);
    uint32_t then = (uint32_t)(2 * guards->count + 1), around = guards->ancestors[plan->guard];
    guards->ancestors[then] = around | UINT32_C(1) << then;
    guards->ancestors[then + 1] = around | UINT32_C(2) << then;
    arms next = {.then_end = target, .end = target, .condition = (uint32_t)guards->count++,
                 .string = plan->block->string_count, .base = plan->base,
                 .based = plan->based};
    if (last > skip && last->operation == WL_RUN_JUMP) {
        next.then_end = last;
        next.end = last + last->c;
    }
    /* They end inside of those around them. */
    if (plan->open_count) {
        const arms *outer = plan->open + plan->open_count - 1;
        if (next.end > (skip < outer->then_end ? outer->then_end : outer->end))
            return false;
    }
    plan->open[plan->open_count++] = next;
    return begin_stretch(plan, (wl_string){.kind = WL_KIND_COUNT, .condition = next.condition + 1}, then);
}

/* What both parts of a condition are followed by. */
static bool end_parts(planner *plan, const arms *ended) {
    wl_row_block *block = plan->block;
    wl_string *first = block->strings + ended->string, *last = block->strings + block->string_count - 1;
    const uint32_t around = block->guards->conditions[ended->condition].parent;
    if (plan->cursor.offset == 0 && plan->guard == 2 * ended->condition + 2 && last->next == plan->guard &&
        last->kind == WL_KIND_COUNT && !last->condition)
        /* There is nothing where the condition does not hold. */
        last->next = plan->guard = around;
    else if (!begin_stretch(plan, (wl_string){.kind = WL_KIND_COUNT}, around))
        return false;
    size_t count = block->string_count - ended->string;
    bool fixed = count <= 3;
    for (size_t i = 1; i < count; i++)
        fixed &= first[i].kind == WL_KIND_COUNT && !first[i].condition;
    first->fixed = fixed ? (uint32_t)count : 0;
    if (fixed)
        wl_condition_sizes(block->guards->conditions + ended->condition, ended->condition, (size_t)first[1].before,
                           count == 3 ? (size_t)first[2].before : 0);
    return true;
}

/* Where steps end that depend on a condition. */
static bool end_arms(planner *plan, const wl_instruction *instruction) {
    while (plan->open_count && plan->open[plan->open_count - 1].end == instruction) {
        plan->based = false;
        if (!end_parts(plan, plan->open + --plan->open_count))
            return false;
    }
    return true;
}

/* From steps that run where a condition holds to those that run where it does not. */
static bool add_jump(planner *plan, const wl_instruction *instruction) {
    const arms *open = plan->open + plan->open_count - 1;
    if (!plan->open_count || open->then_end != instruction || open->end == open->then_end)
        return false;
    plan->base = open->base;
    plan->based = open->based;
    return begin_stretch(plan, (wl_string){.kind = WL_KIND_COUNT}, 2 * open->condition + 2);
}

static bool add_step(planner *plan, const wl_instruction *instruction) {
    wl_place begin = plan->cursor;
    switch (instruction->operation) {
    case WL_RUN_NEED:
        plan->base = begin;
        plan->based = true;
        return pass(plan, instruction->c);
    case WL_RUN_REGISTER_LE4:
    case WL_RUN_REGISTER_BE4:
    case WL_RUN_REGISTER:
        plan->registers[instruction->a] =
            (wl_fact){.known = plan->based,
                      .kind = instruction->b,
                      .from = after(plan->base, instruction->c),
                      .guard = plan->guard};
        return true;
    case WL_RUN_BYTES_FIXED:
    case WL_RUN_BYTES_REGISTER:
    case WL_RUN_BYTES_REST:
        if (instruction->operation == WL_RUN_BYTES_FIXED ? !pass(plan, instruction->c)
            : instruction->operation == WL_RUN_BYTES_REST
                ? !add_rest(plan)
                : !add_string(plan, value_of(plan, instruction->b), instruction->c))
            return false;
        plan->spans[instruction->a] =
            (wl_fact){.known = true, .from = begin, .to = plan->cursor, .guard = plan->guard};
        return true;
    case WL_RUN_SKIP_REGISTER:
        return add_string(plan, value_of(plan, instruction->a), instruction->c);
    case WL_RUN_MARK:
        plan->marks[instruction->a] =
            (wl_fact){.known = !plan->guard && (plan->based || instruction->b), .from = instruction->b ? begin : after(plan->base, instruction->c)};
        return true;
    case WL_RUN_CHECK_RANGE:
        return add_range(plan, instruction);
    case WL_RUN_SKIP_IF_ZERO:
        return add_condition(plan, instruction);
    case WL_RUN_JUMP:
        return add_jump(plan, instruction);
    case WL_RUN_COLUMN_VALID:
        return add_valid(plan, instruction);
    case WL_RUN_COLUMN_NULL:
        /* It begins as null, and nothing else is written in the same rows. */
        return is_guarded(plan, instruction->a) && note_write(plan, instruction->a);
    case WL_RUN_CHECK_TRUE:
        return add_true(plan, instruction);
    case WL_RUN_CHECK_UTF8:
        return add_text(plan, instruction);
    case WL_RUN_EXPRESSION:
        return add_expression(plan, instruction);
    case WL_RUN_CHECK_CONSTANT:
        return add_constant(plan, instruction);
    case WL_RUN_CHECKSUM:
        return add_checksum(plan, instruction);
    case WL_RUN_COLUMN_REGISTER:
        return add_register(plan, instruction);
    case WL_RUN_COLUMN_TIMESTAMP:
        return add_timestamp(plan, instruction);
    case WL_RUN_COLUMN_BYTES:
        return add_bytes(plan, instruction);
    default:
        return add_fixed(plan, instruction);
    }
}

static void count_definitions(planner *plan) {
    for (const wl_instruction *each = plan->block->run->plan; each->operation != WL_RUN_END; each++) {
        bool defines = each->operation == WL_RUN_REGISTER || each->operation == WL_RUN_REGISTER_LE4 ||
                       each->operation == WL_RUN_REGISTER_BE4 || each->operation == WL_RUN_EXPRESSION;
        if (defines && plan->definitions[each->a] < 2)
            plan->definitions[each->a]++;
    }
}

/* Columns that begin as null; those of bytes begin as none, too. False: one is a list. */
static bool add_unset(planner *plan) {
    wl_row_block *block = plan->block;
    const wl_run *run = block->run;
    for (uint32_t i = 0; i < run->unset_from[1]; i++) {
        const wl_column *column = run->arguments->columns + run->unset[i];
        wl_row_block_step *step = block->columns + block->column_count++;
        *step = (wl_row_block_step){.run = wl_row_block_unset, .column = run->unset[i], .out = column->values,
                                    .width = run->program->storages[run->unset[i]]};
        if (step->width == WL_LIST)
            return false;
        if (step->width == WL_VARIABLE)
            block->copies[block->copy_count++] =
                (wl_string_column){.out = column->values,
                                   .offsets = column->offsets,
                                   .room = wl_smaller(column->data_size, INT32_MAX)};
    }
    return true;
}

bool wl_row_block_plan(wl_row_block *block) {
    const wl_fill_arguments *arguments = block->run->arguments;
    planner plan = {.block = block, .based = true, .delimited = block->run->program->delimiter_size != 0};
    const wl_instruction *instruction = block->run->plan;
    count_definitions(&plan);
    if (!add_unset(&plan))
        return false;
    for (; instruction->operation != WL_RUN_END; instruction++) {
        if (!end_arms(&plan, instruction) || !add_step(&plan, instruction))
            return false;
    }
    if (!end_arms(&plan, instruction) || plan.open_count)
        return false;
    block->tail = (size_t)plan.cursor.offset;
    block->fixed += block->tail;
    find_copies(block);
    if (plan.delimited)
        return true;
    if (!block->string_count)
        block->stride = block->fixed + arguments->padding;
    /* A row without bytes ends the input, and one that is larger than the largest is refused: not here. */
    return block->fixed && block->fixed <= arguments->max_record;
}
