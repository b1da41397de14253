/* What may stay unset on some way through a program: such columns begin every row as null, such registers as zero.
 *
 * A step lies on every way through the row where no jump leads over it and no END stands before it. What such a step
 * writes is certain; anything else is taken to be uncertain, which costs a little and breaks nothing. For the columns of
 * a list's items that counts from where an item begins, for those of rows inside of a unit from where a row begins. */
#include "internal.h"
#include "computed_text.h"

typedef struct {
    bool registers[WL_MOST_REGISTERS];
    bool spans[WL_MOST_SPANS];
    bool marks[WL_MOST_MARKS];
} known;

/* What BLANK sets: the registers and spans of a message's fields. */
static void note_blank(const wl_program *program, const wl_message_table *table, known *sure) {
    sure->registers[table->left] = true;
    for (uint32_t i = 0; i < table->count; i++) {
        const wl_message_field *field = program->message_fields + table->first + i;
        if (field->value != WL_NOWHERE)
            (wl_field_has_span(field) ? sure->spans : sure->registers)[field->value] = true;
        if (field->present != WL_NOWHERE)
            sure->registers[field->present] = true;
    }
}

static void note_writes(const wl_program *program, const wl_step *step, known *sure) {
    switch (step->op) {
    case WL_OP_BLANK:
        note_blank(program, program->messages + step->b, sure);
        break;
    case WL_OP_FIELDS:
        sure->registers[step->a] = true;
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
        sure->registers[step->a] = true;
        break;
    case WL_OP_APPEND:
        sure->registers[step->d] = true;
        break;
    case WL_OP_CHAIN:
        sure->registers[step->a] = sure->registers[step->c] = true;
        break;
    case WL_OP_BYTES_REGISTER:
    case WL_OP_BYTES_FIXED:
    case WL_OP_BYTES_REST:
    case WL_OP_REST:
    case WL_OP_BYTES_TERMINATED:
    case WL_OP_SLICE:
        sure->spans[step->a] = true;
        break;
    case WL_OP_MARK:
        sure->marks[step->a] = true;
        break;
    default:
        if (wl_makes_text(step->op))
            sure->spans[step->a] = true;
        break;
    }
}

static bool expression_is_sure(const wl_program *program, const wl_step *step, const known *sure) {
    bool registers[WL_MOST_REGISTERS] = {false}, spans[WL_MOST_SPANS] = {false};
    wl_expression_uses(program->constants + step->c, (size_t)step->d, registers, spans);
    for (size_t i = 0; i < WL_MOST_REGISTERS; i++) {
        if (registers[i] && !sure->registers[i])
            return false;
    }
    for (size_t i = 0; i < WL_MOST_SPANS; i++) {
        if (spans[i] && !sure->spans[i])
            return false;
    }
    return true;
}

static bool text_is_sure(const wl_step *step, const known *sure) {
    const wl_text_reads reads = wl_text_reads_of(step);
    for (size_t i = 0; i < 2; i++) {
        if ((reads.spans[i] >= 0 && !sure->spans[reads.spans[i]]) ||
            (reads.registers[i] >= 0 && !sure->registers[reads.registers[i]]))
            return false;
    }
    return true;
}

static bool reads_are_sure(const wl_program *program, const wl_step *step, const known *sure) {
    const wl_rule *rule;
    switch (step->op) {
    case WL_OP_BYTES_REGISTER:
    case WL_OP_COLUMN_REGISTER:
    case WL_OP_COLUMN_TIMESTAMP:
    case WL_OP_CHAIN_NOTE:
    case WL_OP_SERIES_ADD:
    case WL_OP_SET:
    case WL_OP_APPEND:
    case WL_OP_NULL_UNLESS:
        return sure->registers[step->b];
    case WL_OP_ITEM_OF:
        return sure->registers[step->c];
    case WL_OP_CHECK_RANGE:
    case WL_OP_CHECK_TRUE:
    case WL_OP_WHERE:
    case WL_OP_SKIP_IF_ZERO:
    case WL_OP_SKIP_UNLESS:
    case WL_OP_LIMIT_REGISTER:
    case WL_OP_SKIP_REGISTER:
    case WL_OP_SEEK:
        return sure->registers[step->a];
    case WL_OP_FIELDS:
        return sure->registers[program->messages[step->b].left] &&
               sure->registers[program->messages[step->b].broken];
    case WL_OP_MARK:
        return step->b < 3 || sure->spans[step->c];
    case WL_OP_LIMIT_SPAN:
        return sure->spans[step->a] && (!step->b || sure->marks[step->c]);
    case WL_OP_COLUMN_BYTES:
    case WL_OP_COLUMN_TEXT:
        return sure->spans[step->b];
    case WL_OP_SERIES_ADD_TEXT:
        return sure->spans[step->b] && (step->c < 0 || sure->registers[step->c]);
    case WL_OP_CHECK_UTF8:
    case WL_OP_TRIM_RIGHT:
    case WL_OP_CUT_TERMINATOR:
        return sure->spans[step->a];
    case WL_OP_SLICE:
        return sure->spans[step->b] && sure->registers[step->c] && sure->registers[step->d];
    case WL_OP_CHECKSUM:
        rule = program->rules + step->a;
        return (rule->place == WL_IN_REGISTER ? sure->registers : sure->spans)[step->b] && sure->marks[step->c] &&
               sure->marks[step->d] && (rule->replace < 0 || sure->marks[rule->own]) &&
               (rule->start == WL_NO_REGISTER || sure->registers[rule->start]);
    case WL_OP_EXPAND:
        return sure->registers[step->c] && (step->d < 0 || sure->registers[step->d]);
    case WL_OP_LOOP:
    case WL_OP_AGAIN:
        return step->b != (step->op == WL_OP_LOOP ? WL_LOOP_COUNT : WL_LOOP_UNTIL) || sure->registers[step->d];
    case WL_OP_EXPRESSION:
        return expression_is_sure(program, step, sure);
    default:
        return !wl_makes_text(step->op) || text_is_sure(step, sure);
    }
}

static bool writes_column(const wl_step *step) {
    return step->op == WL_OP_COLUMN_FIXED || step->op == WL_OP_COLUMN_TEXT || step->op == WL_OP_COLUMN_BYTES || step->op == WL_OP_COLUMN_REGISTER ||
           step->op == WL_OP_COLUMN_TIMESTAMP || step->op == WL_OP_COLUMN_NULL || step->op == WL_OP_NULL_UNLESS || step->op == WL_OP_LIST_END ||
           step->op == WL_OP_COLUMN_STRUCT;
}

/* A column that two steps of a row write may be null by one of them and not by the other, so it begins as null too: then every
 * value that is written takes the null back. */
static void note_second_writers(wl_program *program) {
    uint32_t row = 0; /* where it begins */
    for (uint32_t i = 0; i < program->step_count; i++) {
        const wl_step *step = program->steps + i;
        if (step->op == WL_OP_ROW)
            row = i;
        if (!program->reachable[i] || !writes_column(step))
            continue;
        for (uint32_t before = row; before < i && !program->conditional[step->a]; before++) {
            const wl_step *other = program->steps + before;
            program->conditional[step->a] = program->reachable[before] && writes_column(other) && other->a == step->a;
        }
    }
}

/* The rows and the items of each level, as text: a column is written for each of them. */
typedef struct {
    uint32_t regions[WL_MOST_LEVELS + 1];  /* how many there are */
    uint32_t current[WL_MOST_LEVELS + 1];  /* the number of the one that was begun last, from 1 */
    uint32_t counted[WL_MOST_COLUMNS]; /* the last one that surely writes the column */
    uint32_t writing[WL_MOST_COLUMNS]; /* how many surely do */
} levels_of_text;

static void begin_region(levels_of_text *text, unsigned level) { text->current[level] = ++text->regions[level]; }

static void note_column(const wl_program *program, levels_of_text *text, uint32_t column) {
    uint32_t current = text->current[program->levels[column]];
    text->writing[column] += text->counted[column] != current;
    text->counted[column] = current;
}

/* Whether a step outside of the loop around the row reads what a step inside of it finds. */
static bool leaves_loop(const wl_program *program) {
    const uint32_t first = program->row_loop, last = (uint32_t)program->steps[first].c - 1;
    known inside = {{false}, {false}, {false}}, outside;
    for (uint32_t i = first; i <= last; i++)
        note_writes(program, program->steps + i, &inside);
    for (size_t i = 0; i < WL_MOST_REGISTERS; i++)
        outside.registers[i] = !inside.registers[i];
    for (size_t i = 0; i < WL_MOST_SPANS; i++)
        outside.spans[i] = !inside.spans[i];
    for (size_t i = 0; i < WL_MOST_MARKS; i++)
        outside.marks[i] = !inside.marks[i];
    for (uint32_t i = 0; i < program->step_count; i++) {
        if (program->reachable[i] && (i < first || i > last) &&
            !reads_are_sure(program, program->steps + i, &outside))
            return true;
    }
    return false;
}

void wl_program_paths(wl_program *program) {
    levels_of_text text = {{0}, {0}, {0}, {0}};
    known sure = {{false}, {false}, {false}};
    int64_t passed = 0; /* the furthest step that some way jumps to: steps before it are uncertain */
    /* The same for jumps since the row or the item began, and those of the rows and items around it. */
    int64_t within = 0, around[2 * WL_MOST_LEVELS + 2];
    size_t depth = 0;
    for (uint32_t i = 0; i < program->preset_count; i++)
        sure.registers[i] = true;
    if (!program->has_rows)
        begin_region(&text, 0);
    for (uint32_t i = 0; i < program->step_count; i++) {
        const wl_step *step = program->steps + i;
        if (!program->reachable[i])
            continue;
        if (!reads_are_sure(program, step, &sure))
            program->reset = true;
        bool jumps = step->op == WL_OP_JUMP || step->op == WL_OP_SKIP_IF_ZERO || step->op == WL_OP_SKIP_UNLESS ||
                     (step->op == WL_OP_LOOP && step->b != WL_LOOP_UNTIL);
        if (jumps && step->c > passed)
            passed = step->c;
        if (jumps && step->c > within)
            within = step->c;
        /* Damage in such a sub-stream goes on after it. */
        if ((step->op == WL_OP_LIMIT_REGISTER || step->op == WL_OP_LIMIT_FIXED || step->op == WL_OP_LIMIT_SPAN) &&
            step->b && program->partner[i] > passed)
            passed = program->partner[i];
        /* Without a content nothing of the block is read. */
        if (step->op == WL_OP_EXPAND && program->partner[i] > passed)
            passed = program->partner[i];
        if (step->op == WL_OP_EXPAND && program->partner[i] > within)
            within = program->partner[i];
        if (step->op == WL_OP_END)
            passed = within = program->step_count;
        if (i >= passed)
            note_writes(program, step, &sure);
        if (i >= within && writes_column(step))
            note_column(program, &text, step->a);
        if (step->op == WL_OP_ROW || step->op == WL_OP_ITEM)
            begin_region(&text, step->op == WL_OP_ROW ? 0 : step->b);
        if (step->op == WL_OP_ROW || step->op == WL_OP_ITEM) {
            around[depth++] = within;
            within = 0;
        } else if (step->op == WL_OP_ROW_END || step->op == WL_OP_ITEM_END) {
            within = around[--depth];
        }
    }
    for (uint32_t i = 0; i < program->column_count; i++)
        program->conditional[i] = !text.writing[i] || text.writing[i] < text.regions[program->levels[i]];
    note_second_writers(program);
    if (program->row_loop != WL_NO_LOOP && (!program->reachable[program->row_loop] || leaves_loop(program)))
        program->row_loop = WL_NO_LOOP;
}
