/* Decodes expressions for row blocks. Parts of them that depend on a single byte become tables. */
#include "byte_tables.h"
#include "expression.h"
#include "row_block_expressions.h"
#include "row_block_guards.h"

/* Whether the last code is a constant, which the next code, with two operands, uses directly. */
static bool takes_constant(const wl_row_block_step *step, unsigned code) {
    return wl_code_takes(code) == 2 && step->code_count > 1 && step->codes[step->code_count - 1].code == CODE_CONSTANT;
}

bool wl_row_block_add_result(wl_row_block *block, wl_row_block_step *step) {
    wl_block_results *results = block->results;
    step->result = results->count == WL_BLOCK_RESULTS ? NULL : results->values[results->count++];
    return step->result;
}

/* Tables ----------------------------------------------------------------------------------------------------------- */

/* What a value of the stack depends on: no register, the number of a register with a byte, or anything else. */
enum { DEPENDS_NOT = -1, DEPENDS_ON_MORE = -2 };

/* Whether the register holds a one-byte field. */
static bool is_byte(const wl_fact *fact) {
    return fact->known && !fact->values && !fact->outer && wl_kind_size(fact->kind) == 1;
}

static int joined(int left, int right) {
    if (left == DEPENDS_NOT || left == right)
        return right;
    return right == DEPENDS_NOT ? left : DEPENDS_ON_MORE;
}

/* Finds the longest part of the code that begins at `begin`, leaves one value, and depends on a single byte. Returns the
 * register of the byte; DEPENDS_NOT: there is no such part, or it is only the register. */
static int find_part(const uint8_t *begin, const uint8_t *end, const wl_fact *registers, const uint8_t **part_end) {
    int stack[WL_BLOCK_DEEPEST];
    size_t depth = 0;
    int found = DEPENDS_NOT;
    for (const uint8_t *code = begin; code < end;) {
        const unsigned each = *code++, takes = wl_code_takes(each);
        int on = DEPENDS_NOT;
        if (each > CODE_CAST || takes > depth || depth - takes == WL_BLOCK_DEEPEST)
            break;
        if (each == CODE_REGISTER)
            on = is_byte(registers + wl_code_number(code)) ? (int)wl_code_number(code) : DEPENDS_ON_MORE;
        else if (wl_code_is_span(each))
            on = DEPENDS_ON_MORE;
        for (unsigned i = 0; i < takes; i++)
            on = joined(stack[--depth], on);
        code += wl_code_bytes(each, code);
        stack[depth++] = on;
        if (stack[0] == DEPENDS_ON_MORE)
            break;
        if (depth == 1 && takes && on >= 0) {
            found = on;
            *part_end = code;
        }
    }
    return found;
}

/* The values of such a part for each value of the byte. NULL: a value does not exist or has more than 64 bits. */
static const int64_t *tabulated(wl_row_block *block, const uint8_t *begin, const uint8_t *end, int number,
                                unsigned kind) {
    const wl_byte_table *table = wl_byte_table_of(block->run, begin, (size_t)(end - begin), (unsigned)number, kind);
    return table && table->holds ? table->values : NULL;
}

/* Decoding --------------------------------------------------------------------------------------------------------- */

/* Sets where the arms of SELECTs begin and end. */
static void find_arms(wl_row_block_step *step) {
    size_t begins[WL_BLOCK_DEEPEST + 1]; /* for each value of the stack the number of its first code */
    size_t depth = 0;
    for (size_t i = 0; i < step->code_count; i++) {
        const unsigned takes = wl_code_takes(step->codes[i].code);
        if (takes == 0)
            begins[depth++] = i;
        else if (takes == 2)
            depth -= !step->codes[i].is_constant;
        else if (takes == 3) {
            depth -= 2;
            wl_block_code *then = step->codes + begins[depth], *otherwise = step->codes + begins[depth + 1];
            then->arm = WL_ARM_THEN;
            then->arm_end = (uint16_t)begins[depth + 1];
            otherwise->arm = WL_ARM_OTHERWISE;
            otherwise->arm_end = (uint16_t)i;
        }
    }
}

/* Whether the codes from number `at` on are the field or register of `*first`, shifted by a constant. */
static bool is_shifted(const wl_row_block_step *step, size_t at, unsigned shift, const wl_block_code *first) {
    const wl_block_code *code = step->codes + at;
    return code->code == CODE_REGISTER && !memcmp(&code->from, &first->from, sizeof code->from) &&
           code->kind == first->kind && code->values == first->values && !code->table && !code->outer && code[1].code == shift && code[1].is_constant;
}

void wl_row_block_fuse_rotation(wl_row_block_step *step) {
    wl_block_code *codes = step->codes;
    if (step->code_count != 7)
        return;
    const bool right_first = codes[1].code == CODE_SHIFT_RIGHT;
    const unsigned first = right_first ? CODE_SHIFT_RIGHT : CODE_SHIFT_LEFT;
    const unsigned second = right_first ? CODE_SHIFT_LEFT : CODE_SHIFT_RIGHT;
    if (!is_shifted(step, 0, first, codes) || !is_shifted(step, 2, second, codes))
        return;
    const int64_t by = codes[right_first ? 1 : 3].constant, up = codes[right_first ? 3 : 1].constant;
    const bool rotates = codes[4].code == CODE_OR && !codes[4].is_constant && by > 0 && by < 32 && up == 32 - by;
    const bool adds = codes[5].code == CODE_ADD && codes[5].is_constant && codes[5].constant >= 0 &&
                      codes[5].constant <= UINT32_MAX;
    const bool ends = codes[6].code == CODE_AND && codes[6].is_constant && codes[6].constant == UINT32_MAX;
    if (!rotates || !adds || !ends)
        return;
    codes[1] = (wl_block_code){.code = WL_CODE_ROTATED, .is_constant = true, .constant = by << 32 | codes[5].constant};
    step->code_count = 2;
}

/* Whether blocks compute the code, besides as a part of a table. */
static bool is_computed(unsigned code) {
    switch (code) {
    case CODE_FLOOR_DIVIDE:
    case CODE_MODULO:
    case CODE_NEGATE:
    case CODE_INVERT:
        return false;
    default:
        return (code <= CODE_CAST && !wl_code_is_span(code)) ||
               (code >= CODE_FLOAT_ADD && code != CODE_FLOAT_MODULO && code != CODE_FLOAT_ORDER &&
                code != CODE_INTEGER_ORDER);
    }
}

bool wl_row_block_decode(wl_row_block *block, const wl_instruction *instruction, wl_row_block_step *step,
                         const wl_fact *registers) {
    wl_block_results *results = block->results;
    const uint8_t *code = instruction->constant, *end = code + instruction->d;
    size_t depth = 0;
    step->codes = results->codes + results->code_count;
    step->code_count = 0;
    if (!wl_row_block_add_result(block, step))
        return false;
    while (code < end) {
        if (results->code_count == WL_BLOCK_CODES)
            return false;
        const uint8_t *part_end = code;
        const int number = find_part(code, end, registers, &part_end);
        const int64_t *table = number < 0 ? NULL : tabulated(block, code, part_end, number, registers[number].kind);
        if (table && depth < WL_BLOCK_DEEPEST) {
            step->codes[step->code_count++] =
                (wl_block_code){.code = CODE_REGISTER, .from = registers[number].from, .table = table};
            results->code_count++;
            depth++;
            code = part_end;
            continue;
        }
        unsigned each = *code++;
        if (!is_computed(each))
            return false;
        wl_block_code next = {.code = each};
        if (each == CODE_REGISTER) {
            const wl_fact *fact = registers + wl_code_number(code);
            if (!fact->known)
                return false;
            next = (wl_block_code){.code = each, .kind = fact->kind, .from = fact->from,
                                   .values = fact->values, .is_computed = fact->is_computed,
                                   .is_same = fact->is_same, .outer = fact->outer};
        } else if (each == CODE_CAST) {
            next.kind = *code;
        } else if (each == CODE_CONSTANT || each == CODE_CONSTANT_UNSIGNED) {
            next.code = CODE_CONSTANT;
            next.constant = (int64_t)wl_load_le8(code);
            if (each == CODE_CONSTANT_UNSIGNED && next.constant < 0)
                return false;
        }
        code += wl_code_bytes(each, code);
        depth = depth + 1 - wl_code_takes(each);
        if (depth > WL_BLOCK_DEEPEST)
            return false;
        if (takes_constant(step, each)) {
            wl_block_code *last = step->codes + step->code_count - 1;
            last->code = each;
            last->is_constant = true;
            continue;
        }
        step->codes[step->code_count++] = next;
        results->code_count++;
    }
    find_arms(step);
    return true;
}
