/* Message programs that load and that are refused, and what becomes of units by programs made by hand. */
#include "message_check.h"

/* A unit of numbers (field 1, varint, repeated) and one text (field 2): a row by itself. */
static message_draft one_row(unsigned kind, unsigned storage, unsigned op) {
    message_draft it = {.node_count = 1};
    message_draft_start(&it);
    it.scopes[0].is_row = true;
    message_draft_field(&it, 0, 1, kind, 0)->slot = it.slot_count++;
    message_draft_emit(&it, 0, op, message_draft_vector(&it, storage), 1, WL_NONE, WL_ABSENT_NULL);
    return it;
}

static wl_message_program *load(const message_draft *it) {
    char message[256] = "";
    size_t size;
    uint8_t *packed = message_draft_pack(it, &size);
    wl_message_program *program = wl_message_program_load(packed, size, message, sizeof message);
    if (!program)
        fprintf(stderr, "%s\n", message);
    CHECK(program);
    free(packed);
    return program;
}

static void expect_refused(const message_draft *it, const char *part) {
    char message[256] = "";
    size_t size;
    uint8_t *packed = message_draft_pack(it, &size);
    CHECK(!wl_message_program_load(packed, size, message, sizeof message));
    if (!strstr(message, part))
        fprintf(stderr, "expected \"%s\" in \"%s\"\n", part, message);
    CHECK(strstr(message, part));
    for (size_t cut = 0; cut < size; cut++) {
        uint8_t *shorter = copy_of(packed, cut);
        CHECK(!wl_message_program_load(shorter, cut, message, sizeof message));
        free(shorter);
    }
    free(packed);
}

static void test_refusals(void) {
    message_draft good = one_row(WL_KIND_UINT32, 4, WL_EMIT_FIXED);
    wl_message_program_free(load(&good));
#define REFUSED(change, part)                                                                                          \
    do {                                                                                                               \
        message_draft it = good;                                                                                       \
        wl_field *field = it.nodes[0].fields;                                                                          \
        wl_emit *emit = it.scopes[0].emits;                                                                            \
        (void)field, (void)emit;                                                                                       \
        change;                                                                                                        \
        expect_refused(&it, part);                                                                                     \
    } while (0)
    REFUSED(it.node_count = 0, "no message type 0");
    REFUSED(it.slot_count = 0, "no slot 0");
    REFUSED(it.scope_count = 0, "no scope 0");
    REFUSED(it.row_scope = 1, "no scope 1");
    REFUSED(it.unit_node = 1, "no message type 1");
    REFUSED(it.max_depth = WL_DEEPEST_MESSAGE + 1, "deep");
    REFUSED(it.has_whole = true; it.whole = 0, "whole unit is bytes");
    REFUSED(it.has_whole = true; it.whole = 1, "no vector 1");
    REFUSED(field->of.number = 0, "0 is no field number");
    REFUSED(field->of.number = 1 << 29, "no field number");
    REFUSED(field->of.kind = 0, "a kind that there is not");
    REFUSED(field->of.kind = 10, "a kind that there is not");
    REFUSED(field->of.kind = 19, "a kind that there is not");
    REFUSED(field->flags = WL_FIELD_JSON, "flags 64");
    REFUSED(field->of.kind = WL_KIND_MESSAGE; field->flags = WL_FIELD_JSON | WL_FIELD_REPEATED, "flags 65");
    REFUSED(field->of.kind = WL_KIND_MESSAGE; field->flags = WL_FIELD_JSON;
            message_draft_field(&it, 0, 2, WL_KIND_BOOL, 0)->slot = 1, "slot 1 has JSON and something else");
    REFUSED(emit->op = WL_EMIT_JSON, "slot 1 has no JSON");
    REFUSED(field->flags = WL_FIELD_TEXT, "flags that its kind cannot have");
    REFUSED(field->flags = WL_FIELD_CLOSED, "flags that its kind cannot have");
    REFUSED(field->flags = WL_FIELD_MAP, "flags 16");
    REFUSED(field->slot = 2, "no slot 2");
    REFUSED(field->scope = 1, "no scope 1");
    REFUSED(field->table = 0, "cannot be a table");
    REFUSED(field->oneof = 2, "no oneof 2");
    REFUSED(field->drop = 2, "no slot 2");
    REFUSED(field->vector = 1, "no vector 1");
    REFUSED(field->values = 1, "values 1");
    REFUSED(field->of.value_count = 1, "values 0");
    REFUSED(field->clear_count = 1, "clearings 0");
    REFUSED(field->of.kind = WL_KIND_MESSAGE; field->node = 1, "no message type 1");
    REFUSED(field->of.kind = WL_KIND_MESSAGE; field->flags = WL_FIELD_MAP | WL_FIELD_REPEATED, "is no map");
    REFUSED(field->of.kind = WL_KIND_UINT64; field->vector = 0, "do not fit vector 0");
    REFUSED(it.value_count = 2; field->of.kind = WL_KIND_ENUM; field->of.value_count = 2, "is not closed");
    REFUSED(it.value_count = 2; field->of.kind = WL_KIND_ENUM; field->of.value_count = 2;
            field->flags = WL_FIELD_CLOSED, "ascending");
    REFUSED(it.clear_count = 1; field->clear_count = 1; it.clears[0].is_list = 1, "is no list");
    REFUSED(it.clear_count = 1; field->clear_count = 1; it.clears[0].number = 7, "no slot 7");
    REFUSED(message_draft_field(&it, 0, 1, WL_KIND_BOOL, 0), "does not precede");
    REFUSED(it.shapes[0].storage = 3, "unknown storage");
    REFUSED(it.shapes[0].end = 2, "ends at 2");
    REFUSED(it.shapes[0].end = 0, "ends at 0");
    REFUSED(message_draft_vector(&it, 4); it.shapes[0].end = 2, "has children");
    REFUSED(message_draft_vector(&it, WL_LIST), "one child");
    REFUSED(emit->op = WL_EMIT_COUNT, "no emit");
    REFUSED(emit->op = WL_EMIT_BYTES, "slot 1 has no bytes");
    REFUSED(emit->op = WL_EMIT_LIST, "does not fit");
    REFUSED(emit->op = WL_EMIT_MARK, "does not fit");
    REFUSED(emit->op = WL_EMIT_PARENT; emit->slot = 1, "no vector 1");
    REFUSED(emit->vector = 1, "no vector 1");
    REFUSED(emit->slot = 2, "no slot 2");
    REFUSED(emit->guard = 2, "no slot 2");
    REFUSED(it.scopes[0].drop = 2, "no slot 2");
    REFUSED(it.lookup_count = 1, "no table 0");
    REFUSED(it.lookup_count = it.table_count = 1; it.lookups[0].vector = 0;
            it.lookups[0].index.guard = WL_NONE, "gives bytes");
#undef REFUSED
    message_draft many = good;
    for (uint32_t i = 0; i < 5; i++) {
        /* 65 required fields, in one type of 13 by five nodes that are one after the other. */
        for (uint32_t j = 0; j < 13; j++)
            message_draft_field(&many, i + 1, 1 + i * 13 + j, WL_KIND_BOOL, WL_FIELD_REQUIRED);
    }
    many.node_count = 6;
    size_t size;
    char message[256];
    uint8_t *packed = message_draft_pack(&many, &size);
    memcpy(packed + 96 + 12 + 4, "\x41", 1); /* the second node has all 65 */
    CHECK(!wl_message_program_load(packed, size, message, sizeof message));
    CHECK(strstr(message, "more than 64 fields"));
    free(packed);
}

/* One unit; the feed is all at once. */
static message_outcome read_one(const wl_message_program *program, const uint8_t *bytes, size_t size, bool null_rows) {
    uint64_t begin = 0, length = size;
    uint8_t *source = copy_of(bytes, size);
    message_feed how = {.source = source,
                        .size = size,
                        .begins = &begin,
                        .sizes = &length,
                        .units = 1,
                        .room = 1,
                        .capacity = 100,
                        .bytes = 100,
                        .problems = 1,
                        .verify = true,
                        .null_rows = null_rows};
    message_outcome found = read_messages(program, &how);
    free(source);
    return found;
}

static void expect_problem(const message_draft *it, const uint8_t *bytes, size_t size, uint32_t what, uint64_t offset) {
    wl_message_program *program = load(it);
    message_outcome found = read_one(program, bytes, size, true);
    CHECK(found.problem_count == (what != WL_UNIT_GOOD));
    /* Whether more bytes could complete the unit is added to what is wrong. */
    CHECK((found.problems[0].what & ~(uint32_t)WL_UNIT_CUT) == what && found.problems[0].offset == offset);
    CHECK(found.rows == 1);
    free_outcome(&found);
    wl_message_program_free(program);
}

#define PROBLEM(it, bytes, what, offset) expect_problem(it, (const uint8_t *)(bytes), sizeof(bytes) - 1, what, offset)

static void test_problems(void) {
    message_draft it = one_row(WL_KIND_UINT32, 4, WL_EMIT_FIXED);
    PROBLEM(&it, "\x08\x05", WL_UNIT_GOOD, 0);
    PROBLEM(&it, "", WL_UNIT_GOOD, 0);
    PROBLEM(&it, "\x08", WL_UNIT_TRUNCATED, 0);
    PROBLEM(&it, "\x88", WL_UNIT_TRUNCATED, 0);
    PROBLEM(&it, "\x08\x01\x08\xFF\xFF", WL_UNIT_TRUNCATED, 2);
    PROBLEM(&it, "\x08\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01", WL_UNIT_VARINT_LONG, 0);
    PROBLEM(&it, "\x08\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x7F", WL_UNIT_GOOD, 0);
    PROBLEM(&it, "\x01\x00", WL_UNIT_NUMBER, 0);
    PROBLEM(&it, "\x80\x80\x80\x80\x10\x00", WL_UNIT_NUMBER, 0);
    PROBLEM(&it, "\x0E", WL_UNIT_WIRE_TYPE, 0);
    PROBLEM(&it, "\x08\x01\x17", WL_UNIT_WIRE_TYPE, 2);
    PROBLEM(&it, "\x09\x01\x02\x03\x04\x05\x06\x07\x08", WL_UNIT_GOOD, 0);
    PROBLEM(&it, "\x0A\x02\x01", WL_UNIT_LENGTH, 0);
    PROBLEM(&it, "\x12\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01", WL_UNIT_LENGTH, 0);
    PROBLEM(&it, "\x15\x01\x02\x03", WL_UNIT_LENGTH, 0);
    PROBLEM(&it, "\x13\x1B\x1C\x14", WL_UNIT_GOOD, 0);
    PROBLEM(&it, "\x13\x1B\x14", WL_UNIT_GROUP_END, 2);
    PROBLEM(&it, "\x14", WL_UNIT_GROUP_END, 0);
    PROBLEM(&it, "\x13\x08\x01", WL_UNIT_GROUP_OPEN, 1);
    it.max_depth = 1;
    PROBLEM(&it, "\x13\x14", WL_UNIT_GOOD, 0);
    PROBLEM(&it, "\x13\x1B\x1C\x14", WL_UNIT_DEEP, 1);
    it.nodes[0].strict = true;
    PROBLEM(&it, "\x09\x01\x02\x03\x04\x05\x06\x07\x08", WL_UNIT_OTHER_WIRE_TYPE, 0);
    PROBLEM(&it, "\x08\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x02", WL_UNIT_VARINT_WIDE, 0);
    PROBLEM(&it, "\x10\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x02", WL_UNIT_VARINT_WIDE, 0);
    it.nodes[0].fields[0].flags = WL_FIELD_REQUIRED;
    PROBLEM(&it, "\x10\x01", WL_UNIT_REQUIRED, 2);
    it.nodes[0].fields[0].flags = WL_FIELD_REPEATED;
    it.nodes[0].fields[0].of.kind = WL_KIND_FIXED32;
    PROBLEM(&it, "\x0A\x05\x01\x02\x03\x04\x05", WL_UNIT_PACKED, 1);
    PROBLEM(&it, "\x0A\x04\x01\x02\x03\x04", WL_UNIT_GOOD, 0);
    it = one_row(WL_KIND_STRING, WL_VARIABLE, WL_EMIT_BYTES);
    it.nodes[0].fields[0].flags = WL_FIELD_TEXT;
    PROBLEM(&it, "\x0A\x02\xC3\xA9", WL_UNIT_GOOD, 0);
    PROBLEM(&it, "\x0A\x02\xC3\x28", WL_UNIT_TEXT, 0);
    it.prefix_size = 1;
    it.prefix[0] = 7;
    it.least = 3;
    PROBLEM(&it, "\x07\x0A\x01\x61", WL_UNIT_GOOD, 0);
    PROBLEM(&it, "\x08\x0A\x01\x61", WL_UNIT_PREFIX, 0);
    PROBLEM(&it, "\x07\x0A\x00", WL_UNIT_SHORT, 3);
    it.digest = WL_MD5;
    PROBLEM(&it, "\x07\x0A\x01\x61zzzzzzzzzzzzzzzz", WL_UNIT_DIGEST, 4);
}

/* U+FFFD once per run that cannot be part of a character. */
static void test_replaced_text(void) {
    static const struct {
        const char *from, *to;
    } cases[] = {
        {"a\xFF z", "a\xEF\xBF\xBD z"},
        {"\xE2\x82", "\xEF\xBF\xBD"},
        {"\xE2\x82\x41", "\xEF\xBF\xBD\x41"},
        {"\xED\xA0\x80", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"},
        {"\xC0\xAF", "\xEF\xBF\xBD\xEF\xBF\xBD"},
        {"\xF0\x9F\x91", "\xEF\xBF\xBD"},
        {"\xF4\x90\x80\x80", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"},
        {"\xF0\x9F\x91\x8B\xF0", "\xF0\x9F\x91\x8B\xEF\xBF\xBD"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t size = strlen(cases[i].from), wanted = strlen(cases[i].to);
        uint8_t *text = copy_of((const uint8_t *)cases[i].from, size), *out = exactly(wanted);
        CHECK(wl_text_replaced(text, size, NULL) == wanted);
        CHECK(wl_text_replaced(text, size, out) == wanted && memcmp(out, cases[i].to, wanted) == 0);
        free(text);
        free(out);
    }
}

/* Every length of varint, at every distance from the end of the input. */
static void test_varints(void) {
    wl_message_program *program = load(&(message_draft[]){one_row(WL_KIND_UINT64, 8, WL_EMIT_FIXED)}[0]);
    for (unsigned bits = 0; bits <= 64; bits++) {
        for (unsigned padding = 0; padding < 3; padding++) {
            uint64_t value = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - (bits & 1), left = value;
            uint8_t bytes[32] = {0x08};
            size_t size = 1;
            do {
                bytes[size++] = (uint8_t)(left & 0x7F) | 0x80;
                left >>= 7;
            } while (left || (size < 1 + padding * 5 && size < 11));
            bytes[size - 1] &= 0x7F;
            for (size_t after = 0; after <= 12; after += 3) {
                memset(bytes + size, 0x12, after); /* fields of number 2 … */
                for (size_t i = 0; i + 3 <= after; i += 3) {
                    bytes[size + i] = 0x12;
                    bytes[size + i + 1] = 1;
                }
                message_outcome found = read_one(program, bytes, size + after, false);
                CHECK(found.rows == 1 && !found.problem_count && !found.vectors[0].nulls);
                CHECK(wl_load_le8(found.vectors[0].values) == value);
                free_outcome(&found);
            }
        }
    }
    wl_message_program_free(program);
}

static void test_all(void) {
    test_refusals();
    test_problems();
    test_replaced_text();
    test_varints();
}

int main(void) {
    for_every_level(test_all);
    return 0;
}
