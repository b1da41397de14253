/* Checks of single steps: each operand must be valid for the operation and refer to something that the program has. */
#include <stdarg.h>
#include <stdio.h>

#include "expression.h"
#include "validate.h"

bool wl_refuse(wl_checker *check, const char *format, ...) {
    int used = snprintf(check->message, check->message_size, "%s %u of the program: ", check->subject, check->at);
    if (used > 0 && (size_t)used < check->message_size) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(check->message + used, check->message_size - (size_t)used, format, arguments);
        va_end(arguments);
    }
    return false;
}

static bool below(wl_checker *check, const char *what, int64_t number, uint32_t count) {
    return (number >= 0 && number < count) ||
           wl_refuse(check, "there is no %s %lld, the program has %u", what, (long long)number, count);
}

static bool is_register(wl_checker *check, int64_t number) {
    return below(check, "register", number, check->program->register_count);
}

static bool is_written_register(wl_checker *check, int64_t number) {
    return is_register(check, number) &&
           (number >= check->program->input_register_count ||
            wl_refuse(check, "register %lld is an input register, steps only read it", (long long)number));
}

static bool is_any_span(wl_checker *check, int64_t number) {
    return below(check, "span", number, check->program->span_count);
}

/* A span of bytes from the input, not of computed text. */
static bool is_span(wl_checker *check, int64_t number) {
    return is_any_span(check, number) &&
           (!check->made[number] || wl_refuse(check, "span %lld is made of text", (long long)number));
}

static bool is_mark(wl_checker *check, int64_t number) { return below(check, "mark", number, check->program->mark_count); }

/* Reading `size` bytes at base + `from` must be covered by the NEED before. */
static bool is_safe(wl_checker *check, int64_t from, int64_t size) {
    int64_t safe = check->safe[check->at];
    return (from >= 0 && size >= 0 && from <= safe && size <= safe - from) ||
           wl_refuse(check, "%lld bytes at base + %lld, but the NEED before it covers %lld", (long long)size,
                  (long long)from, (long long)safe);
}

static bool is_column(wl_checker *check, int64_t number, unsigned storage) {
    return below(check, "column", number, check->program->column_count) &&
           (check->program->storages[number] == storage ||
            wl_refuse(check, "column %lld is not stored that way", (long long)number));
}

static bool is_outcome(wl_checker *check, uint32_t operand) {
    uint32_t reason = operand >> 8;
    return ((operand & 0x7F) <= 1 && reason != WL_REASON_NONE && (reason <= WL_REASON_DIGEST || reason == WL_REASON_MESSAGE)) ||
           wl_refuse(check, "operand b (%u) is not an outcome with a reason", operand);
}

static bool is_within(wl_checker *check, const char *what, int64_t value, int64_t least, int64_t most) {
    return (value >= least && value <= most) || wl_refuse(check, "%s %lld is not within %lld … %lld", what,
                                                       (long long)value, (long long)least, (long long)most);
}

static bool are_constants(wl_checker *check, int64_t from, int64_t size) {
    int64_t have = check->program->constant_size;
    return (from >= 0 && size >= 0 && from <= have && size <= have - from) ||
           wl_refuse(check, "constants %lld … + %lld do not exist", (long long)from, (long long)size);
}

/* Whether the stream that the step reads has its own end, before the end of the input. */
static bool has_end(wl_checker *check) {
    const bool bounded = check->function ? check->function->needs_end : check->program->delimiter_size || check->program->whole;
    return bounded || check->depth[check->at] ||
           wl_refuse(check, "reads to the end of its stream, which is neither a frame nor a sub-stream");
}

static bool is_expression(wl_checker *check, const wl_step *step) {
    const char *problem = NULL;
    return is_within(check, "operand b", step->b, WL_MISSING_REFUSES, WL_MISSING_IS_NULL) &&
           are_constants(check, step->c, step->d) &&
           (wl_expression_check(check->program, check->program->constants + step->c, (size_t)step->d, &problem) ||
            wl_refuse(check, "%s", problem));
}

/* The code of the stored value reads the checksum, registers and spans. */
static bool is_stored(wl_checker *check, const wl_rule *rule) {
    const char *problem = NULL;
    if (!is_written_register(check, rule->sum) || !are_constants(check, rule->stored, rule->stored_size))
        return false;
    const uint8_t *code = check->program->constants + rule->stored;
    if (!wl_expression_check(check->program, code, rule->stored_size, &problem))
        return wl_refuse(check, "%s", problem);
    return !wl_expression_has_series(code, rule->stored_size) ||
           wl_refuse(check, "what is stored for a checksum depends on a list");
}

bool wl_rule_check(wl_checker *check, const wl_rule *rule) {
    const wl_sum_parameters *of = &rule->algorithm.of;
    if (!wl_sum_parameters_hold(of))
        return wl_refuse(check, "there is no such algorithm of family %u", of->family);
    const bool digest = wl_is_digest(of);
    if (rule->place >= WL_SUM_PLACES || (digest && rule->place == WL_SUM_IN_REGISTER))
        return wl_refuse(check, "it cannot be in place %u", rule->place);
    if (rule->start != WL_NO_REGISTER && (digest || !is_register(check, rule->start)))
        return digest ? wl_refuse(check, "a digest has no start value") : false;
    if (rule->extra != WL_NO_REGISTER && !wl_sums_in_pieces(of))
        return wl_refuse(check, "it is not computed in pieces, so no byte follows");
    if (rule->extra != WL_NO_REGISTER && !is_register(check, rule->extra))
        return false;
    if (rule->stored_size && rule->place != WL_SUM_IN_REGISTER)
        return wl_refuse(check, "bytes stand for the checksum itself");
    if (rule->stored_size && !is_stored(check, rule))
        return false;
    if (rule->replace < -1 || rule->replace > 255)
        return wl_refuse(check, "its bytes cannot count as %d", (int)rule->replace);
    if (rule->replace >= 0 && !wl_sums_in_pieces(of))
        return wl_refuse(check, "it is not computed in pieces, so no bytes are replaced");
    return rule->replace < 0 ||
           (is_mark(check, rule->own) && is_within(check, "a checksum of size", rule->own_size, 0, WL_MOST_OWN_BYTES));
}

static bool is_varint(wl_checker *check, const wl_step *step) {
    unsigned groups = WL_VARINT_GROUPS(step->c), most = WL_VARINT_MOST(step->c);
    if (!is_within(check, "operand d", step->d, 0, UINT16_MAX) || !is_outcome(check, (uint32_t)step->d))
        return false;
    return is_within(check, "operand c", step->c, 0, 2 * WL_VARINT_ZIGZAG - 1) &&
           is_within(check, "a number of groups", groups, 1, WL_MOST_GROUPS) &&
           is_within(check, "the last group", WL_VARINT_TOP(step->c), 0, 127) &&
           (!most || is_within(check, "a number of bytes", most, groups, WL_MOST_GROUPS)) &&
           ((step->b & 1) || wl_refuse(check, "a varint without an end is lost"));
}

static bool is_checksum(wl_checker *check, const wl_step *step) {
    const wl_program *program = check->program;
    return program->rules[step->a].place == WL_SUM_IN_REGISTER ? is_register(check, step->b) : is_span(check, step->b);
}

/* A checksum that is a value: of runs of bytes, each between two marks. */
static bool is_sum(wl_checker *check, const wl_step *step) {
    const wl_program *program = check->program;
    if (!is_within(check, "a number of runs", step->d, 1, WL_MOST_MARKS))
        return false;
    const wl_rule *rule = program->rules + step->b;
    const bool digest = wl_is_digest(&rule->algorithm.of);
    if (digest != (step->op == WL_OP_DIGEST))
        return wl_refuse(check, "checksum %u is %s digest", step->b, digest ? "a" : "no");
    if (rule->replace >= 0 || rule->start != WL_NO_REGISTER || rule->extra != WL_NO_REGISTER || rule->stored_size)
        return wl_refuse(check, "checksum %u depends on more than the bytes", step->b);
    return is_mark(check, step->c + 2 * step->d - 1);
}

/* Steps that write columns or registers from bytes that a NEED has covered. */
static bool is_fixed(wl_checker *check, const wl_step *step) {
    const unsigned size = wl_kind_size(step->b);
    if (!is_safe(check, step->c, size))
        return false;
    if (step->op == WL_OP_COLUMN_FIXED)
        return is_column(check, step->a, size);
    return !wl_kind_is_float(step->b) || wl_refuse(check, "a register cannot hold a float");
}

static bool is_stream(wl_checker *check, const wl_step *step) {
    const unsigned depth = check->depth[check->at];
    if (step->b == 3)
        return is_within(check, "stream", step->c, 0, 0) &&
               (!depth || wl_refuse(check, "the end of the input is not that of a sub-stream"));
    return is_within(check, "operand b", step->b, 0, 2) &&
           is_within(check, "stream", step->c, step->b ? 0 : depth, (int64_t)depth - (step->b == 2)) &&
           (step->b != 1 || step->c || has_end(check));
}

/* A single operand. */
static bool is_operand(wl_checker *check, const wl_step *step, size_t at) {
    static const char *const names[] = {"operand a", "operand b", "operand c", "operand d"};
    const int64_t number = wl_operand(step, at);
    const wl_program *program = check->program;
    switch (wl_operation_of(step)->operands[at]) {
    case WL_IS_REGISTER:
        return is_register(check, number);
    case WL_IS_REGISTER_OR_NONE:
        return number == -1 || is_register(check, number);
    case WL_IS_RESULT:
        return is_written_register(check, number);
    case WL_IS_SPAN:
    case WL_IS_SPAN_CHANGED:
    case WL_IS_SPAN_RESULT:
        return is_span(check, number);
    case WL_IS_TEXT:
    case WL_IS_TEXT_RESULT:
        return is_any_span(check, number);
    case WL_IS_TEXT_OR_NONE:
        return number == -1 || is_any_span(check, number);
    case WL_IS_MARK:
    case WL_IS_MARK_RESULT:
        return is_mark(check, number);
    case WL_IS_COLUMN:
        return below(check, "column", number, program->column_count);
    case WL_IS_VARIABLE_COLUMN:
        return is_column(check, number, WL_VARIABLE);
    case WL_IS_TIMESTAMP_COLUMN:
        return is_column(check, number, 8);
    case WL_IS_STRUCT_COLUMN:
        return is_column(check, number, WL_STRUCT);
    case WL_IS_CARRIED_VALUE:
        return below(check, "carried value", number, program->carried_value_count);
    case WL_IS_CARRIED_VALUE_OR_NONE:
        return number == -1 || below(check, "carried value", number, program->carried_value_count);
    case WL_IS_SERIES:
        return below(check, "series", number, program->series_count);
    case WL_IS_STORE:
        return below(check, "store", number, program->store_count);
    case WL_IS_MESSAGE:
        return below(check, "message", number, program->message_count);
    case WL_IS_FUNCTION:
        return below(check, "function", number, program->function_count);
    case WL_IS_CHECKSUM:
        return below(check, "checksum", number, program->rule_count);
    case WL_IS_KIND:
        return (number >= 0 && number < WL_KIND_COUNT) || wl_refuse(check, "there is no kind %lld", (long long)number);
    case WL_IS_OUTCOME:
        return is_outcome(check, (uint32_t)number);
    case WL_IS_ENCODING:
        return is_within(check, names[at], number, 0, WL_TEXT_ENCODINGS - 1) &&
               (number != WL_TEXT_TABLE || are_constants(check, step->d, WL_CHARACTERS_BYTES));
    case WL_IS_FLAG:
        return is_within(check, names[at], number, 0, 1);
    case WL_IS_BYTE:
        return is_within(check, "byte", number, 0, 255);
    case WL_IS_UNIT:
        return is_within(check, "unit", number, 0, WL_HAS_ABSENT | (WL_UNITS - 1));
    case WL_IS_SIZE:
        return is_within(check, "a size of", number, 0, WL_MOST_BYTES);
    case WL_IS_ADDEND:
        return is_within(check, names[at], number, -WL_MOST_BYTES, WL_MOST_BYTES);
    default: /* NONE; NUMBER: below, or regions.c; STEP: validate.c */
        return true;
    }
}

/* What an operation demands of its operands together, and of its place. */
static bool are_operands(wl_checker *check, const wl_step *step) {
    switch (step->op) {
    case WL_OP_END:
        return check->depth[check->at] == 0 || wl_refuse(check, "the row ends inside a sub-stream");
    case WL_OP_RETURN:
        return check->depth[check->at] == 0 || wl_refuse(check, "the function ends inside a sub-stream");
    case WL_OP_COLUMN_FIXED:
    case WL_OP_REGISTER_FIXED:
        return is_fixed(check, step);
    case WL_OP_BYTES_REST:
    case WL_OP_FIELDS:
    case WL_OP_ATTEMPT:
        return has_end(check);
    case WL_OP_BYTES_TERMINATED:
        return is_within(check, "operand c", step->c, 0, 7) && ((step->c & 4) || has_end(check));
    case WL_OP_COLUMN_REGISTER:
        return is_within(check, "kind", step->c, 0, WL_F4LE - 1) &&
               is_column(check, step->a, wl_kind_size((unsigned)step->c));
    case WL_OP_WHERE:
        return step->b == WL_REASON_NONE || step->b == WL_REASON_UNSUPPORTED ||
               wl_refuse(check, "operand b (%u) is not a reason for rows that are not in the table", step->b);
    case WL_OP_CHECK_CONSTANT:
        return are_constants(check, step->a, step->d) && is_safe(check, step->c, step->d);
    case WL_OP_CHECKSUM:
        return is_checksum(check, step);
    case WL_OP_SUM:
    case WL_OP_DIGEST:
        return is_sum(check, step);
    case WL_OP_MARK:
        return is_within(check, "operand b", step->b, 0, 4) && (step->b || is_safe(check, step->c, 0)) &&
               (step->b < 3 || is_span(check, step->c)) &&
               (step->b != 2 || check->depth[check->at] || wl_refuse(check, "no sub-stream is open"));
    case WL_OP_EXPRESSION:
        return is_expression(check, step);
    case WL_OP_JSON_NUMBER:
        return is_within(check, "operand b", step->b, 0, 5);
    case WL_OP_TEXT_CONSTANT:
    case WL_OP_CONSTANT_OF:
    case WL_OP_JSON_PUT:
        return are_constants(check, step->c, step->d);
    case WL_OP_LIMIT_FIXED:
        return !step->a || has_end(check);
    case WL_OP_LIMIT_SPAN:
        return !step->b || step->c == -1 || is_mark(check, step->c);
    case WL_OP_LIMIT_END:
    case WL_OP_EXPAND:
        return check->depth[check->at] || wl_refuse(check, "no sub-stream is open");
    case WL_OP_REFUSE:
        return !step->b || below(check, "column", (int64_t)step->b - 1, check->program->column_count);
    case WL_OP_SEEK:
        return is_within(check, "stream", step->c, 0, check->depth[check->at]) &&
               (check->program->whole || step->c || wl_refuse(check, "goes to a position of an input that is not read as a whole"));
    case WL_OP_STREAM:
        return is_stream(check, step);
    case WL_OP_LOOP:
        return (step->b != WL_LOOP_COUNT || is_register(check, step->d)) && (step->b != WL_LOOP_END || has_end(check));
    case WL_OP_AGAIN:
        return step->b != WL_LOOP_UNTIL || is_register(check, step->d);
    case WL_OP_CALL:
        return !check->program->functions[step->a].needs_end || has_end(check);
    case WL_OP_VARINT:
        return is_varint(check, step);
    default:
        return true;
    }
}

bool wl_operands_check(wl_checker *check, const wl_step *step) {
    for (size_t i = 0; i < 4; i++) {
        if (!is_operand(check, step, i))
            return false;
    }
    return are_operands(check, step);
}
